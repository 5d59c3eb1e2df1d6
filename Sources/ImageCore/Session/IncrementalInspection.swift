// Reading headers while the bytes arrive, for files too large to be held.

/// Reads what the headers say piece by piece, keeping no more than the syntax element it is in.
package protocol IncrementalInspector: Sendable {
    /// What the headers say so far; final only after ``finish()``.
    var info: ImageInfo? { get }

    /// Reads on.
    ///
    /// - Throws: as `ImageCoder.inspect`.
    mutating func append(_ newBytes: Span<UInt8>) throws(ImageError)

    /// Says that no more bytes will come.
    ///
    /// - Returns: what `ImageCoder.inspect` says about the same bytes in one piece.
    mutating func finish() throws(ImageError) -> ImageInfo
}

extension IncrementalInspector {
    /// Reads a file no further than to the pixels.
    mutating func readHeaders(of data: ImageData) throws(ImageError) -> ImageInfo {
        try data.withBytes { (bytes) throws(ImageError) in
            var rest = bytes
            while info == nil, !rest.isEmpty {
                // Small pieces, so that little of the image data after the headers is looked at.
                let piece = rest.extracting(first: 1 << 14)
                try append(piece)
                rest = rest.extracting(droppingFirst: piece.count)
            }
        }
        if let info { return info }
        return try finish()
    }
}

/// A coder that can inspect a file piece by piece.
package protocol IncrementallyInspectingCoder: ImageCoder {
    /// An inspector that has seen nothing yet.
    ///
    /// - Parameter inputByteCount: bytes of the whole file, `Int.max` if that is not known.
    func makeInspector(options: DecodingOptions, inputByteCount: Int) -> any IncrementalInspector
}
