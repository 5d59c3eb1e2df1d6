// zlib's z_stream for writing: the only place that touches its pointers.

#if SystemZlib
internal import ImageCodecsZlib
import ImageCodecsCore

/// One zlib stream being written. Not a value: copies of its owner, ``ZlibDeflater``, write the same stream.
// Whoever writes a stream has it alone: encoders hand their state from call to call and never share it.
@safe
final class DeflateStream: @unchecked Sendable {
    private let stream: UnsafeMutablePointer<z_stream>

    /// What a caller wants besides compression.
    enum Wish: Sendable {
        case none
        /// All that was read so far, up to a byte boundary.
        case flush
        /// The end of the stream.
        case end
    }

    /// Bytes read and written by one call.
    struct Step {
        var consumed: Int
        var produced: Int
        /// Whether the stream, including its checksum, is complete.
        var isFinished: Bool
    }

    /// - Parameters:
    ///   - level: 0 (stored), 1 (fastest) ... 9 (smallest).
    ///   - windowBits: 9...15: the base-two logarithm of the window.
    ///   - memoryLevel: 1...9: how much memory matches are looked up in.
    /// - Throws: `limitExceeded(.memory)` when the memory is not to be had.
    init(level: Int, windowBits: Int, memoryLevel: Int) throws(ImageError) {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        // SAFETY: a zeroed z_stream asks for zlib's default allocator.
        let status = unsafe czlib_deflateInit2(
            stream, Int32(level), Int32(windowBits), Int32(memoryLevel), Z_DEFAULT_STRATEGY)
        guard status == Z_OK else {
            unsafe stream.deallocate()
            throw .limitExceeded(.memory, requested: 1 << (windowBits + 3), allowed: 0)
        }
        unsafe self.stream = stream
    }

    deinit {
        // SAFETY: the initialiser left an initialised deflate stream.
        unsafe deflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// Compresses from `input` into `output` until the one is used up or the other full.
    ///
    /// - Parameter wish: what is to happen once all of `input` is read.
    func deflate(_ input: RawSpan, into output: inout MutableRawSpan, _ wish: Wish) -> Step {
        // zlib counts in 32 bits; the caller comes again for what is beyond.
        let inputCount = min(input.byteCount, Int(UInt32.max / 2))
        let outputCount = min(output.byteCount, Int(UInt32.max / 2))
        let flush =
            switch wish {
            case .flush where inputCount == input.byteCount: Z_SYNC_FLUSH
            case .end where inputCount == input.byteCount: Z_FINISH
            case .none, .flush, .end: Z_NO_FLUSH
            }
        var status = Z_OK
        unsafe input.withUnsafeBytes { source in
            unsafe output.withUnsafeMutableBytes { target in
                // SAFETY: `inputCount` and `outputCount` bytes lie in the two buffers; zlib only reads from the
                // first and writes no further than the second reaches, and the pointers are cleared below.
                unsafe stream.pointee.next_in =
                    UnsafeMutableRawPointer(mutating: source.baseAddress)?.assumingMemoryBound(to: UInt8.self)
                unsafe stream.pointee.avail_in = UInt32(inputCount)
                unsafe stream.pointee.next_out = target.baseAddress?.assumingMemoryBound(to: UInt8.self)
                unsafe stream.pointee.avail_out = UInt32(outputCount)
                status = unsafe ImageCodecsZlib.deflate(stream, flush)
            }
        }
        unsafe stream.pointee.next_in = nil
        unsafe stream.pointee.next_out = nil
        return unsafe Step(
            consumed: inputCount - Int(stream.pointee.avail_in),
            produced: outputCount - Int(stream.pointee.avail_out), isFinished: status == Z_STREAM_END)
    }
}
#endif
