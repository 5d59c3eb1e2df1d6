// Streams by zlib, and what zlib makes of streams: the measure for our own inflater.

#if SystemZlib
internal import ImageCodecsZlib

/// How zlib looks for matches, and which codes it uses.
package enum ZlibStrategy: CaseIterable, Hashable, Sendable {
    case standard
    case filtered
    /// No matches.
    case codesOnly
    /// Matches of distance 1 alone.
    case runs
    /// No codes but the fixed ones.
    case fixedCodes

    fileprivate var number: Int32 {
        switch self {
        case .standard: Z_DEFAULT_STRATEGY
        case .filtered: Z_FILTERED
        case .codesOnly: Z_HUFFMAN_ONLY
        case .runs: Z_RLE
        case .fixedCodes: Z_FIXED
        }
    }
}

/// Compresses `bytes` with zlib.
///
/// - Parameters:
///   - level: 0 (stored) ... 9.
///   - windowBits: 9...15.
///   - memoryLevel: 1...9; small ones make short blocks.
///   - flushes: after how many bytes each a block is ended, with an empty stored one; `nil` for never.
package func zlibDeflate(
    _ bytes: [UInt8], level: Int, strategy: ZlibStrategy = .standard, windowBits: Int = 15, memoryLevel: Int = 8,
    flushEvery flushes: Int? = nil
) -> [UInt8] {
    var stream = unsafe z_stream()
    // SAFETY: a zeroed z_stream asks for zlib's default allocator; the buffers outlive the calls and zlib is told their sizes.
    unsafe precondition(
        czlib_deflateInit2(&stream, Int32(level), Int32(windowBits), Int32(memoryLevel), strategy.number) == Z_OK)
    defer { unsafe deflateEnd(&stream) }
    var output = [UInt8](repeating: 0, count: 64)
    var (input, produced, position) = (bytes, 0, 0)
    while true {
        let end = min(bytes.count, position + (flushes ?? bytes.count))
        let flush = end == bytes.count ? Z_FINISH : Z_FULL_FLUSH
        let status = unsafe input.withUnsafeMutableBufferPointer { source in
            unsafe output.withUnsafeMutableBufferPointer { target in
                unsafe stream.next_in = source.baseAddress.map { unsafe $0 + position }
                unsafe stream.avail_in = UInt32(end - position)
                unsafe stream.next_out = target.baseAddress! + produced
                unsafe stream.avail_out = UInt32(target.count - produced)
                return unsafe deflate(&stream, flush)
            }
        }
        position = unsafe end - Int(stream.avail_in)
        produced = unsafe output.count - Int(stream.avail_out)
        if status == Z_STREAM_END { return Array(output[..<produced]) }
        if unsafe stream.avail_out == 0 { output += [UInt8](repeating: 0, count: output.count) }
    }
}

/// What an inflater made of a stream.
package struct InflateOutcome: Hashable, Sendable {
    /// How it ended.
    package enum Ending: Hashable, Sendable {
        case finished
        /// More input is needed.
        case unfinished
        case damaged(String)
    }

    package var output: [UInt8]
    package var ending: Ending
    /// Bytes of the stream, if it finished.
    package var consumed: Int?

    package init(output: [UInt8], ending: Ending, consumed: Int?) {
        (self.output, self.ending, self.consumed) = (output, ending, consumed)
    }
}

/// Inflates with zlib, whose window has 15 bits.
///
/// - Parameter limit: output that is enough; what comes after is not looked at.
package func zlibInflate(_ bytes: [UInt8], limit: Int) -> InflateOutcome {
    var stream = unsafe z_stream()
    // SAFETY: as above.
    unsafe precondition(czlib_inflateInit2(&stream, 15) == Z_OK)
    defer { unsafe inflateEnd(&stream) }
    var input = bytes
    var output = [UInt8](repeating: 0, count: limit)
    let status = unsafe input.withUnsafeMutableBufferPointer { source in
        unsafe output.withUnsafeMutableBufferPointer { target in
            unsafe stream.next_in = source.baseAddress
            unsafe stream.avail_in = UInt32(source.count)
            unsafe stream.next_out = target.baseAddress
            unsafe stream.avail_out = UInt32(target.count)
            return unsafe inflate(&stream, Z_NO_FLUSH)
        }
    }
    let (produced, consumed) = unsafe (limit - Int(stream.avail_out), bytes.count - Int(stream.avail_in))
    output.removeLast(limit - produced)
    let ending: InflateOutcome.Ending =
        switch status {
        case Z_STREAM_END: .finished
        case Z_OK, Z_BUF_ERROR: .unfinished
        case Z_NEED_DICT: .damaged("needs a preset dictionary")
        default: unsafe .damaged(stream.msg.map { unsafe String(cString: $0) } ?? "status \(status)")
        }
    return InflateOutcome(output: output, ending: ending, consumed: ending == .finished ? consumed : nil)
}
#endif
