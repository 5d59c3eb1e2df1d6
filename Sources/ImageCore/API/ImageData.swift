// The bytes of an image file: in memory, lent by somebody else, read from a file, or mapped on request.

/// The complete bytes of one image file.
public struct ImageData: Sendable {
    private enum Storage: Sendable {
        case array([UInt8])
        /// The first bytes of a buffer.
        case buffer(ScratchBuffer, count: Int)
        case mapped(MappedFile)
        /// The first bytes of what somebody else hands out.
        case lent(Lender, count: Int)
    }

    /// Calls its argument with the bytes, once.
    private typealias Lender = @Sendable (_ body: (Span<UInt8>) -> Void) -> Void

    private let storage: Storage

    /// Wraps bytes in memory without copying them.
    public init(_ bytes: [UInt8]) { storage = .array(bytes) }

    /// Wraps or copies the bytes of any sequence: arrays and slices of arrays are wrapped, everything else is copied.
    /// ``init(borrowing:_:)`` wraps what else holds bytes.
    public init(_ bytes: some Sequence<UInt8>) {
        if let array = bytes as? [UInt8] {
            self.init(array)
        } else if let slice = bytes as? ArraySlice<UInt8> {
            self.init(borrowing: slice) { slice, body in body(slice.span) }
        } else {
            self.init(Array(bytes))
        }
    }

    /// Copies bytes.
    public init(copying bytes: Span<UInt8>) { storage = .array(Array(bytes)) }

    /// Wraps bytes that another value holds, without copying them: a network buffer, a mapped file, memory of another library.
    ///
    /// ```swift
    /// let data = ImageData(borrowing: buffer) { buffer, body in body(buffer.bytes) }
    /// ```
    ///
    /// The owner is kept as long as the data or a copy of them, an opened animation included. Its bytes must not change
    /// meanwhile: a decoder that finds others when it comes back delivers a wrong picture or an error, as it does for damaged
    /// files.
    ///
    /// - Parameters:
    ///   - owner: what holds the bytes.
    ///   - lend: calls `body` with the bytes of the owner, exactly once; from any thread, and from several at a time.
    /// - Precondition: `lend` calls `body` once, and never with fewer bytes than the first time.
    public init<Owner: Sendable>(
        borrowing owner: Owner,
        _ lend: @escaping @Sendable (_ owner: Owner, _ body: (_ bytes: Span<UInt8>) -> Void) -> Void
    ) {
        var count = 0
        lend(owner) { count = $0.count }
        storage = .lent({ body in lend(owner, body) }, count: count)
    }

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
        case .lent(_, let count): count
        }
    }

    /// Calls `body` with the bytes.
    public func withBytes<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        switch storage {
        case .array(let bytes): try bytes.withSpan(body)
        case .buffer(let buffer, let count):
            try buffer.withBytes(0..<count) { (bytes) throws(E) in try body(Span<UInt8>(_bytes: bytes)) }
        case .mapped(let file): try file.withBytes(body)
        case .lent(let lend, let count): try Self.borrow(lend, count, body)
        }
    }

    /// Calls `body` with the first `count` bytes of an owner.
    private static func borrow<R, E: Error>(
        _ lend: Lender, _ count: Int, _ body: (Span<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        var result: Result<R, E>?
        // The compiler cannot see that the owner does not keep what it is called with.
        withoutActuallyEscaping(body) { body in
            lend { bytes in
                precondition(result == nil, "the owner of image data handed out its bytes twice")
                precondition(bytes.count >= count, "the owner of image data has fewer bytes than before")
                result = Result { () throws(E) in try body(bytes.extracting(first: count)) }
            }
        }
        guard let result else { preconditionFailure("the owner of image data did not hand out its bytes") }
        return try result.get()
    }
}

extension ImageData: ExpressibleByArrayLiteral {
    /// Wraps the bytes of an array literal.
    public init(arrayLiteral elements: UInt8...) { self.init(elements) }
}
