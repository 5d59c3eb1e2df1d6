// Feeds files to incremental decoders in pieces.

public import ImageCodecsCore

extension IncrementalImageCoder {
    /// Decodes `bytes` through the incremental decoder, `pieceSize` bytes at a time.
    public func decode(
        _ bytes: [UInt8], inPiecesOf pieceSize: Int, options: DecodingOptions
    ) throws(ImageError) -> RasterImage? {
        var decoder = makeIncrementalDecoder(options: options)
        var position = 0
        while position < bytes.count {
            let end = min(bytes.count, position + pieceSize)
            _ = try decoder.append(bytes.span.extracting(position..<end))
            position = end
        }
        _ = try decoder.finish()
        return try decoder.image()
    }
}
