// Where the bytes of a file are that is converted: held, or in a file that can be read again.

package import ImageCodecsCore

extension ImageConversion {
    /// The bytes of an image file.
    package enum Input: Sendable {
        case data(ImageData)
        /// A regular file, which can be read again, and its bytes.
        case file(String, byteCount: Int)
    }
}

extension ImageConversion.Input {
    /// Files from this size on are read twice instead of held.
    private static let largeFileByteCount = 1 << 22
    private static let pieceByteCount = 1 << 17

    /// What a reader that has read nothing yet is about: files that are large, and can be read again, are left where they are.
    package init(_ path: String, _ reader: inout FileReader) throws(ImageError) {
        if path != "-", let byteCount = reader.regularFileSize, byteCount >= Self.largeFileByteCount {
            self = .file(path, byteCount: byteCount)
        } else {
            self = .data(try reader.readToEnd())
        }
    }

    /// Bytes of the file, held or not.
    package var byteCount: Int {
        switch self {
        case .data(let data): data.count
        case .file(_, let byteCount): byteCount
        }
    }

    /// Bytes of the file that are held.
    package var heldByteCount: Int { if case .data(let data) = self { data.count } else { 0 } }

    /// All of the bytes.
    package func whole(_ limits: DecodingLimits) throws(ImageError) -> ImageData {
        switch self {
        case .data(let data): return data
        case .file(let path, _):
            var reader = try FileReader(imageFile: path, limits: limits)
            return try reader.readToEnd()
        }
    }

    /// What stands around the pixels, all of it, and what a decode takes that makes no bitmap.
    package func inspect(_ options: DecodingOptions) throws(ImageError) -> ImageInfo {
        var options = options
        options.inspectsAllMetadata = true
        options.rowReceiver = .placeholder
        switch self {
        case .data(let data): return try ImageInfo(data, options: options)
        case .file(let path, _):
            var reader = try FileReader(imageFile: path, limits: options.limits)
            return try reader.inspect(options: options)
        }
    }

    /// Feeds a decoder.
    func feed(
        _ decoder: inout any IncrementalImageDecoder, _ limits: DecodingLimits, _ progress: ProgressLog?
    ) throws(ImageError) {
        var fedByteCount = 0
        switch self {
        case .data(let data):
            try data.withBytes { (bytes) throws(ImageError) in
                while fedByteCount < bytes.count {
                    let end = min(fedByteCount + Self.pieceByteCount, bytes.count)
                    _ = try decoder.append(bytes.extracting(fedByteCount..<end))
                    fedByteCount = end
                    progress?.report(.reading, fedByteCount, of: bytes.count)
                }
            }
        case .file(let path, let byteCount):
            var reader = try FileReader(imageFile: path, limits: limits)
            try reader.forEachPiece(of: Self.pieceByteCount) { (piece) throws(ImageError) in
                _ = try decoder.append(piece)
                fedByteCount += piece.count
                progress?.report(.reading, fedByteCount, of: byteCount)
            }
        }
        _ = try decoder.finish()
    }
}
