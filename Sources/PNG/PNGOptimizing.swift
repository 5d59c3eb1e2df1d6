// A PNG file written anew, smaller, with the same pixels.

import DeflateCodec
public import ImageCodecsCore

extension PNGCoder {
    /// Writes a PNG file anew, so that it gets smaller and no pixel changes.
    ///
    /// The smallest colour type and depth are chosen, and filters beside which those of the file are tried. Metadata are kept as
    /// `EncodingOptions.metadata` asks; chunks that nothing of `ImageMetadata` stands for, private ones above all, are left out. The
    /// result is interlaced only if ``PNGEncodingOptions/isInterlaced`` asks for it.
    ///
    /// - Parameters:
    ///   - file: a PNG file without animation.
    ///   - options: how it is written; by default with `EncodingOptions.Effort.best`.
    ///   - limits: bounds on reading it.
    /// - Returns: a new file; `file` itself, interlaced or not, if that is no longer, nothing was to be left out or changed, and it is
    ///   not of Apple's variant.
    /// - Throws: `unknownFormat` for a file that is no PNG; `unsupported` for an animation, of which a still picture would be left;
    ///   what decoding it strictly and encoding it throw.
    public func optimized(
        _ file: ImageData, options: EncodingOptions = .best, limits: DecodingLimits = .default
    ) throws(ImageError) -> ImageData {
        var decoding = DecodingOptions()
        decoding.limits = limits
        decoding.pixelFormat = nil
        decoding.appliesOrientation = false
        let isAnimated = file.withBytes { Self.isAnimated($0) }
        guard !isAnimated else { throw .unsupported(.apng, feature: "optimizing animations as pictures") }
        let image = try decode(file, options: decoding)
        var options = options
        var work = WorkGuard(options)
        work.begin()
        options.png.filters = try file.withBytes { (bytes) throws(ImageError) in
            try ScanlineFilter.filters(of: bytes, meter: options.memoryMeter, work: &work)
        }
        work.end()
        let isAppleVariant = file.withBytes { $0.hasBytes("CgBI", at: 12) }
        let isUnchanged =
            !isAppleVariant && options.metadata == .all && !options.png.isInterlaced && options.changesNoPixel
        let optimized = ImageData(try encode(image, to: .png, options: options))
        return isUnchanged && file.count <= optimized.count ? file : optimized
    }

    /// Whether a file has acTL before its image data.
    ///
    /// - Source: PNG 3rd ed. §11.3.6.1 "acTL Animation Control Chunk".
    package static func isAnimated(_ file: Span<UInt8>) -> Bool { hasChunk(.animationControl, beforeImageDataOf: file) }

    /// Whether a file has a chunk of a type before its image data.
    package static func hasChunk(_ type: ChunkType, beforeImageDataOf file: Span<UInt8>) -> Bool {
        var offset = 8
        while file.count - offset >= ChunkHeader.byteCount,
            let chunk = try? ChunkHeader(file.extracting(offset..<offset + ChunkHeader.byteCount), offset: offset),
            chunk.type != .imageData
        {
            if chunk.type == type { return true }
            offset = min(chunk.end, file.count)
        }
        return false
    }
}

extension EncodingOptions {
    /// Whether pictures are written in their own size and with their own transparency.
    fileprivate var changesNoPixel: Bool {
        background == nil && maxPixelSize == nil && maxFileByteCount == nil && png.colorCount == nil
    }
}
