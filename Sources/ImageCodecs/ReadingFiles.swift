// Image files: what cannot be an image is given up after its first bytes.

package import ImageCodecsCore

extension FileReader {
    /// Opens an image file, a pipe or a device, and looks at its first bytes.
    ///
    /// - Parameters:
    ///   - path: relative paths start at the current directory; `-` is standard input.
    ///   - limits: `DecodingLimits.maxInputByteCount` bounds what is read.
    /// - Throws: `inputOutput` when the file cannot be read; `limitExceeded(.input)` when it is too long;
    ///   `unknownFormat` or `unsupported` when no coder of `CoderRegistry.shared` wants a file that starts so.
    package init(imageFile path: String, limits: DecodingLimits) throws(ImageError) {
        try self.init(path, maxByteCount: limits.maxInputByteCount)
        let header = try peek(ImageFormat.sniffingByteCount)
        try header.withSpan { (header) throws(ImageError) in
            guard CoderRegistry.shared.canDecode(header) else { throw CoderRegistry.refusal(header) }
        }
    }

    /// Bytes of the pieces that headers are read in.
    private static let pieceByteCount = 1 << 17

    /// What the headers say; no pixel is allocated or decoded. What stands before the pixels is kept until the headers
    /// are complete; from there on no more of the file is held than the chunk or segment that is read.
    package mutating func inspect(options: DecodingOptions) throws(ImageError) -> ImageInfo {
        var inspector = makeInspector(options)
        return try inspect(with: &inspector)
    }

    /// What reads the headers, and counts the time that it takes.
    package func makeInspector(_ options: DecodingOptions) -> TimedInspector {
        TimedInspector(
            CoderRegistry.shared.makeInspector(options: options, inputByteCount: regularFileSize ?? .max),
            options: options)
    }

    /// Reads the headers; see ``inspect(options:)``.
    package mutating func inspect(with inspector: inout TimedInspector) throws(ImageError) -> ImageInfo {
        try forEachPiece(of: Self.pieceByteCount) { (piece) throws(ImageError) in try inspector.append(piece) }
        return try inspector.finish()
    }
}
