// A file's bytes in the pieces a consumer wants, never more of them than a limit allows.

/// Reads a file, a pipe or a device from its beginning to its end.
///
/// The limit is obeyed before a regular file is read, whose size is known, and while anything is read: at most one
/// byte beyond it is taken from the file, to know that there is one.
package struct FileReader: Sendable {
    /// The size of a regular file when it was opened; `nil` for pipes and devices.
    package let regularFileSize: Int?
    /// Bytes read from the file so far, those that wait after ``peek(_:)`` included.
    package private(set) var readCount = 0

    private let file: FileDescriptor
    private let maxByteCount: Int
    /// Bytes that were looked at and not yet handed out.
    private var ahead: [UInt8] = []

    /// Bytes asked of the system at once, if the consumer does not want larger pieces.
    private static let blockByteCount = 1 << 16
    /// The largest piece of a file whose size is not known.
    private static let largestPiece = 1 << 26

    /// Opens the file at `path`; `-` is standard input.
    ///
    /// - Throws: `inputOutput` with the operating system's message; `limitExceeded(.input)` for a regular file of
    ///   more than `maxByteCount` bytes.
    package init(_ path: String, maxByteCount: Int) throws(ImageError) {
        try self.init(FileDescriptor(reading: path), maxByteCount: maxByteCount)
    }

    init(_ file: FileDescriptor, maxByteCount: Int) throws(ImageError) {
        let status = try file.status()
        regularFileSize = status.kind == .regular ? status.byteCount : nil
        self.file = file
        self.maxByteCount = maxByteCount
        try check(regularFileSize ?? 0)
    }

    /// The size of the file, or if that is not known the number of bytes read so far.
    package var byteCount: Int { max(regularFileSize ?? 0, readCount) }

    /// The next `count` bytes, fewer if the file ends before; later reads deliver them again.
    package mutating func peek(_ count: Int) throws(ImageError) -> [UInt8] {
        var block = try ScratchBuffer(byteCount: max(count, 1), meter: nil)
        while ahead.count < count {
            let got = try readFile(into: &block, 0..<count - ahead.count)
            if got == 0 { break }
            block.withBytes(0..<got) { ahead.append($0) }
        }
        return Array(ahead.prefix(count))
    }

    /// Everything from here to the end.
    ///
    /// A regular file takes one allocation of its size; when it has grown meanwhile, or for pipes, the memory is
    /// doubled as bytes come.
    ///
    /// - Throws: `limitExceeded(.memory)` when the memory is not to be had; `limitExceeded(.input)`; `inputOutput`.
    package mutating func readToEnd() throws(ImageError) -> ImageData {
        var buffer = try ScratchBuffer(byteCount: regularFileSize ?? Self.blockByteCount, meter: nil)
        var next = try ScratchBuffer(byteCount: 1, meter: nil)
        var count = 0
        while true {
            if count < buffer.byteCount {
                let got = try read(into: &buffer, count..<buffer.byteCount)
                if got == 0 { break }
                count += got
            } else {
                guard try read(into: &next, 0..<1) == 1 else { break }
                buffer = try grown(buffer)
                next.withBytes { byte in buffer.withMutableBytes { $0.copy(byte, at: count) } }
                count += 1
            }
        }
        return ImageData(buffer, count: count)
    }

    /// Calls `body` with one piece after the other, as soon as its bytes are there: `count` bytes each, the last one
    /// fewer. Pieces of pipes are at most 64 MiB.
    ///
    /// - Precondition: `count` is at least 1.
    package mutating func forEachPiece(
        of count: Int, _ body: (Span<UInt8>) throws(ImageError) -> Void
    ) throws(ImageError) {
        let pieceByteCount = min(count, regularFileSize.map { max($0, 1) } ?? Self.largestPiece)
        var buffer = try ScratchBuffer(byteCount: max(pieceByteCount, Self.blockByteCount), meter: nil)
        var filled = 0
        while true {
            let got = try read(into: &buffer, filled..<buffer.byteCount)
            if got == 0 { break }
            filled += got
            var start = 0
            while filled - start >= pieceByteCount {
                try buffer.withBytes(start..<start + pieceByteCount) { (piece) throws(ImageError) in
                    try body(Span<UInt8>(_bytes: piece))
                }
                start += pieceByteCount
            }
            if start > 0 { buffer.withMutableBytes { $0.move(from: start, to: 0, count: filled - start) } }
            filled -= start
        }
        guard filled > 0 else { return }
        try buffer.withBytes(0..<filled) { (piece) throws(ImageError) in try body(Span<UInt8>(_bytes: piece)) }
    }

    /// Reads into `range` what comes next and answers how many bytes that were: 0 only at the end.
    private mutating func read(into buffer: inout ScratchBuffer, _ range: Range<Int>) throws(ImageError) -> Int {
        guard !ahead.isEmpty else { return try readFile(into: &buffer, range) }
        let count = min(ahead.count, range.count)
        let next = ahead[..<count]
        buffer.withMutableBytes(range) { $0.copy(next.span) }
        ahead.removeFirst(count)
        return count
    }

    private mutating func readFile(into buffer: inout ScratchBuffer, _ range: Range<Int>) throws(ImageError) -> Int {
        let file = file
        try check(readCount)
        let allowed = (maxByteCount - readCount).addingSaturated(1)
        let range = range.prefix(allowed)
        let got = try buffer.withMutableBytes(range) { (bytes) throws(ImageError) in try file.read(into: &bytes) }
        readCount += got
        try check(readCount)
        return got
    }

    private func check(_ byteCount: Int) throws(ImageError) {
        guard byteCount <= maxByteCount else {
            throw .limitExceeded(.input, requested: byteCount, allowed: maxByteCount)
        }
    }

    /// The bytes of `buffer` at the front of one twice as long, or as long as the limit allows.
    private func grown(_ buffer: ScratchBuffer) throws(ImageError) -> ScratchBuffer {
        let wanted = max(buffer.byteCount.multipliedSaturated(by: 2), Self.blockByteCount)
        var result = try ScratchBuffer(
            byteCount: max(min(wanted, maxByteCount), buffer.byteCount.addingSaturated(1)), meter: nil)
        buffer.withBytes { bytes in result.withMutableBytes { $0.copy(bytes) } }
        return result
    }
}
