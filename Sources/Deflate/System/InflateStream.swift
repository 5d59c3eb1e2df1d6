// zlib's z_stream for reading: the only place that touches its pointers.

#if SystemZlib
internal import ImageCodecsZlib
import ImageCodecsCore

/// One zlib stream being read. Not a value; ``ZlibInflater`` makes it one.
// SAFETY: @unchecked because it owns a pointer; its owner advances it only while uniquely referenced.
@safe
final class InflateStream: @unchecked Sendable {
    private let stream: UnsafeMutablePointer<z_stream>

    /// Prepares a stream; `nil` when memory is not to be had.
    ///
    /// - Parameter isRaw: whether it has neither a header nor an Adler-32 checksum.
    init?(isRaw: Bool) {
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        // SAFETY: a zeroed z_stream asks for zlib's default allocator; 15 is the largest window, negative for a raw stream.
        guard unsafe czlib_inflateInit2(stream, isRaw ? -15 : 15) == Z_OK else {
            unsafe stream.deallocate()
            return nil
        }
    }

    private init?(copying other: InflateStream) {
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        // SAFETY: `other.stream` is a live inflate stream, and ours is a distinct structure.
        guard unsafe inflateCopy(stream, other.stream) == Z_OK else {
            unsafe stream.deallocate()
            return nil
        }
    }

    deinit {
        // SAFETY: every initialiser that returned left an initialised inflate stream.
        unsafe inflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// A stream in the same state; `nil` when memory is not to be had.
    func copy() -> InflateStream? { InflateStream(copying: self) }

    /// Reads `input` and writes from `outputRange.lowerBound` on, until the input is used up, the range is full, or the
    /// stream ends.
    func inflate(
        _ input: Span<UInt8>, into output: inout MutableRawSpan, _ outputRange: Range<Int>
    ) throws(InflateError) -> InflateStep {
        precondition(
            outputRange.lowerBound >= 0 && outputRange.upperBound <= output.byteCount, "outside the output")
        // zlib counts in 32 bits; the caller comes again for what is beyond.
        let inputCount = min(input.count, Int(UInt32.max / 2))
        let outputCount = min(outputRange.count, Int(UInt32.max / 2))
        var status = Z_OK
        unsafe input.withUnsafeBufferPointer { source in
            unsafe output.withUnsafeMutableBytes { target in
                // SAFETY: `inputCount` and `outputCount` bytes lie in the two buffers (clamped and checked
                // above); zlib reads and writes no further, and the pointers are cleared before they expire.
                unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
                unsafe stream.pointee.avail_in = UInt32(inputCount)
                if let base = target.baseAddress {
                    unsafe stream.pointee.next_out =
                        (base + outputRange.lowerBound).assumingMemoryBound(to: UInt8.self)
                }
                unsafe stream.pointee.avail_out = UInt32(outputCount)
                status = unsafe ImageCodecsZlib.inflate(stream, Z_NO_FLUSH)
            }
        }
        let step = unsafe InflateStep(
            consumed: inputCount - Int(stream.pointee.avail_in),
            produced: outputCount - Int(stream.pointee.avail_out),
            isFinished: status == Z_STREAM_END)
        unsafe stream.pointee.next_in = nil
        unsafe stream.pointee.next_out = nil
        switch status {
        case Z_OK, Z_STREAM_END, Z_BUF_ERROR: return step
        case Z_MEM_ERROR: throw .outOfMemory
        case Z_NEED_DICT: throw .damaged("needs a preset dictionary", partial: step)
        default: throw .damaged(message, partial: step)
        }
    }

    /// zlib's own words for the last error.
    private var message: String {
        // SAFETY: zlib's messages are constant null-terminated strings.
        unsafe stream.pointee.msg.map { unsafe String(cString: $0) } ?? "damaged"
    }
}
#endif
