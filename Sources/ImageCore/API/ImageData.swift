// The bytes of an image file: in memory, read from a file, or mapped on request.

/// The complete bytes of one image file.
public struct ImageData: Sendable {
    private enum Storage: Sendable {
        case array([UInt8])
        /// The first bytes of a buffer.
        case buffer(ScratchBuffer, count: Int)
        case mapped(MappedFile)
    }

    private let storage: Storage

    /// Wraps bytes in memory without copying them.
    public init(_ bytes: [UInt8]) { storage = .array(bytes) }

    /// Copies bytes.
    public init(copying bytes: Span<UInt8>) { storage = .array(Array(bytes)) }

    /// Wraps the first `count` bytes of a buffer.
    ///
    /// - Precondition: the buffer has at least `count` bytes.
    init(_ buffer: ScratchBuffer, count: Int) {
        precondition(count >= 0 && count <= buffer.byteCount, "outside the buffer")
        storage = .buffer(buffer, count: count)
    }

    /// How a file's bytes get into memory.
    public enum FileAccess: Hashable, Sendable {
        /// The file is read into memory of its size.
        case read
        /// The file is mapped. It must not shrink while it is in use: reading a page that was cut off ends
        /// the process. Use this for files nobody else writes to.
        case mapped
    }

    /// Reads the file at `path`; `-` is standard input.
    ///
    /// - Parameters:
    ///   - path: relative paths start at the current directory.
    ///   - access: mapping must be asked for, see ``FileAccess/mapped``.
    ///   - maxByteCount: a longer file is refused before it is read, a pipe or device as soon as it has
    ///     delivered more; by default 4 GiB, as in ``DecodingLimits/default``.
    /// - Throws: `inputOutput` with the operating system's message; `limitExceeded(.input)` for more than
    ///   `maxByteCount` bytes; `limitExceeded(.memory)` when the memory is not to be had.
    public init(
        contentsOfFile path: String, access: FileAccess = .read,
        maxByteCount: Int = DecodingLimits.default.maxInputByteCount
    ) throws(ImageError) {
        let file = try FileDescriptor(reading: path)
        if access == .mapped, let mapped = try MappedFile(file, path: path, maxByteCount: maxByteCount) {
            storage = .mapped(mapped)
        } else {
            var reader = try FileReader(file, maxByteCount: maxByteCount)
            self = try reader.readToEnd()
        }
    }

    /// Writes the bytes to the file at `path`, which is created or replaced; `-` is standard output.
    ///
    /// A file is replaced at once or not at all: the bytes go to a new file in the same folder, which takes the
    /// old one's place when it is complete. When that fails, on a full disk for instance, the old file is as it was
    /// and nothing is left behind. So the folder must allow new files, and there must be room for both.
    ///
    /// - The new file has the permissions of the one it replaces (and, if the system allows, owner and group);
    ///   a new file gets read and write permission for all, less what the process's mask removes. A file that
    ///   may not be written is not replaced.
    /// - A symbolic link is followed, and the file it leads to is replaced, or created.
    /// - Other hard links to a file that is replaced keep the old bytes.
    /// - Pipes and devices are written to directly.
    ///
    /// - Throws: `inputOutput` with the operating system's message.
    public func write(toFile path: String) throws(ImageError) {
        try withBytes { (bytes) throws(ImageError) in try FileReplacement.write(bytes, to: path) }
    }

    /// The number of bytes.
    public var count: Int {
        switch storage {
        case .array(let bytes): bytes.count
        case .buffer(_, let count): count
        case .mapped(let file): file.byteCount
        }
    }

    /// Calls `body` with the bytes.
    public func withBytes<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        switch storage {
        case .array(let bytes): try bytes.withSpan(body)
        case .buffer(let buffer, let count):
            try buffer.withBytes(0..<count) { (bytes) throws(E) in try body(Span<UInt8>(_bytes: bytes)) }
        case .mapped(let file): try file.withBytes(body)
        }
    }
}

extension ImageData: ExpressibleByArrayLiteral {
    /// Wraps the bytes of an array literal.
    public init(arrayLiteral elements: UInt8...) { self.init(elements) }
}
