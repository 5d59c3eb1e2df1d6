// From an image to the bytes of a PNG file.
//
//   1. prepare     background, scaling                             ImageCore's ImagePreparation
//   2. survey      what do the pixels make use of?                 PixelSurvey
//   3. choose      colour type, bit depth, palette                 PixelEncoding
//   4. describe    colour space, density, text, ... as chunks      PNGMetadataChunks
//   5. pack        bitmap row -> scanline                          ScanlinePacker
//   6. filter, compress, cut into IDAT chunks                      ImageDataWriter
//
// Steps 5 and 6 go row by row; the pixels are read twice (2 and 5) and never copied as a whole, unless they have to
// be scaled or laid over a background.

#if SystemZlib
import DeflateCodec
package import ImageCodecsCore

/// Writes images as PNG files.
///
/// The smallest colour type and bit depth that keep every pixel are chosen: gray if all pixels are gray, no alpha
/// if all are opaque, a palette if there are few colours, eight bits if the samples of sixteen are bytes
/// repeated. Premultiplied pixels become straight.
///
/// How options apply:
/// - `EncodingOptions.quality` is compression effort: 0 (or less) is zlib's level 1, 1 (or more) its level 9, `nil` (or
///   no number) something near level 6 (see ``CompressionEffort/standard``).
/// - `EncodingOptions.maxPixelSize`: a side of zero or less does not bind; pictures are never enlarged.
/// - `EncodingOptions.maxFileByteCount` is met by scaling down, in as many attempts as it takes.
/// - `EncodingOptions.embedsThumbnail` has no effect: PNG has no place for a preview.
/// - `EncodingOptions.firstFrameOnly` has no effect: of an animation the bitmap is written.
package struct PNGEncoder: Sendable {
    private let options: EncodingOptions

    package init(options: EncodingOptions = .default) { self.options = options }

    /// The bytes of a PNG file.
    ///
    /// - Throws: `invalidArgument` for an empty picture, or when no picture of any size fits
    ///   `EncodingOptions.maxFileByteCount` (as none does that is zero or less); `limitExceeded` when a side has 2^31
    ///   pixels or more, or when memory is not to be had; `cancelled`.
    package func encode(_ image: RasterImage) throws(ImageError) -> [UInt8] {
        try options.makeFile(of: image, as: .png, keepsAlpha: true) { (image) throws(ImageError) in try write(image) }
    }

    private func write(_ image: RasterImage) throws(ImageError) -> EncodedFile {
        let bitmap = image.bitmap
        let largestSide = Int(Int32.max)
        guard max(bitmap.width, bitmap.height) <= largestSide else {
            throw .limitExceeded(
                .dimension, requested: max(bitmap.width, bitmap.height), allowed: largestSide)
        }
        let metadata = PNGMetadataChunks(image, isWritten: options.writesMetadata, meter: options.memoryMeter)
        let encoding = PixelEncoding(
            try PixelSurvey(of: bitmap, meter: options.memoryMeter), size: bitmap.size, grayUse: metadata.grayUse)
        var file = ChunkWriter()
        file.append(.imageHeader, ImageHeader.body(size: bitmap.size, encoding))
        try metadata.writeBeforePalette(to: &file, encoding)
        if encoding.colorType == .indexed {
            file.append(.palette, encoding.paletteBody)
            if !encoding.paletteAlphaBody.isEmpty { file.append(.transparency, encoding.paletteAlphaBody) }
        }
        try metadata.writeAfterPalette(to: &file, encoding)
        let overhead = file.bytes.count
        try writeImageData(bitmap, encoding, to: &file)
        file.append(.imageEnd)
        return EncodedFile(bytes: file.bytes, overhead: overhead)
    }

    private func writeImageData(
        _ bitmap: Bitmap, _ encoding: PixelEncoding, to file: inout ChunkWriter
    ) throws(ImageError) {
        let work = WorkGuard.unlimited
        let meter = options.memoryMeter
        var packer = try ScanlinePacker(from: bitmap.format, to: encoding, width: bitmap.width, meter: meter)
        var writer = try ImageDataWriter(encoding, size: bitmap.size, effort: effort, meter: meter)
        for y in 0..<bitmap.height {
            try work.check()
            bitmap.withRowBytes(y) { row in
                writer.write(to: &file) { packer.pack(row, into: &$0) }
            }
        }
        writer.finish(to: &file)
    }

    private var effort: CompressionEffort {
        guard let quality = options.quality, !quality.isNaN else { return .standard }
        return .level(1 + Int((8 * min(max(quality, 0), 1)).rounded()))
    }
}
#endif
