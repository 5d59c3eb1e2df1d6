// Pictures of any format, written as PNG or WebP and read again.

import CodecTestSupport
import ImageCodecsCore
import PNGCodec
import WebPCodec

enum EncoderCheck {
    static func violations(_ bytes: [UInt8]) -> [String] {
        var source = DecisionSource(bytes)
        let formats = PixelFormat.all.filter { $0.layout != .cmyk }
        let format = source.pick(formats)
        let size = PixelSize(width: 1 + source.below(source.oneIn(6) ? 300 : 24), height: 1 + source.below(24))
        var options = EncodingOptions()
        options.effort = source.pick(EncodingOptions.Effort.allCases)
        do {
            let bitmap = try Bitmap(packed: pixels(size, format, &source), size: size, format: format)
            guard !source.oneIn(2) else { return try webPViolations(bitmap, &options) }
            let file = try PNGCoder().encode(RasterImage(bitmap: bitmap), to: .png, options: options)
            var back = DecodingOptions()
            back.pixelFormat = format
            let read = try PNGCoder().decode(ImageData(file), options: back).bitmap
            // An opaque picture comes back in the opaque twin of its format.
            let isSame =
                read.size == size && read.format.layout == format.layout && read.packedBytes() == bitmap.packedBytes()
            return isSame ? [] : ["\(size) \(format): other pixels"]
        } catch {
            return ["\(size) \(format): \(error)"]
        }
    }

    private static func webPViolations(
        _ bitmap: Bitmap, _ options: inout EncodingOptions
    ) throws(ImageError) -> [String] {
        options.webp.keepsInvisibleColors = true
        let file = try WebPCoder().encode(RasterImage(bitmap: bitmap), to: .webP, options: options)
        var back = DecodingOptions()
        back.pixelFormat = .rgba
        let isSame = try WebPCoder().decode(ImageData(file), options: back).bitmap == bitmap.converted(to: .rgba)
        return isSame ? [] : ["\(bitmap.size) \(bitmap.format) as WebP: other pixels"]
    }

    /// Samples that mean something in a format: colors are no more than alpha if they are multiplied by it, and gray ones
    /// stay gray.
    private static func pixels(_ size: PixelSize, _ format: PixelFormat, _ source: inout DecisionSource) -> [UInt8] {
        let sampleByteCount = format.depth == .sixteen ? 2 : 1
        let channels = format.bytesPerPixel / sampleByteCount
        let palette = (0..<(source.oneIn(2) ? 1 + source.below(20) : 0)).map { _ in source.bytes(format.bytesPerPixel) }
        var bytes: [UInt8] = []
        for _ in 0..<size.width * size.height {
            var pixel = palette.isEmpty ? source.bytes(format.bytesPerPixel) : source.pick(palette)
            if format.alpha == .none, format.layout == .bgra { pixel[3] = 255 }
            if format.alpha == .premultiplied, sampleByteCount == 1 {
                for channel in 0..<channels - 1 { pixel[channel] = min(pixel[channel], pixel[channels - 1]) }
            }
            bytes += pixel
        }
        return bytes
    }
}
