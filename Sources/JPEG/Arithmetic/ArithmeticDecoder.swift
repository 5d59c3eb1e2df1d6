// Decisions out of entropy-coded bytes: the QM-decoder.
//
// In: entropy-coded bytes and the bins of statistics. Out: one binary decision after another.

import ImageCodecsCore
import JPEGBaselineCodec

/// Decodes binary decisions.
///
/// The decoder looks at 16 bits of the code; each decision narrows the interval and shifts in as many bits as that made room
/// for. Bytes are read as for Huffman codes. After the last byte of a segment come zeros, as many as are wanted: encoders
/// leave out zero bytes at its end, so that data which seem too short may be whole.
///
///     interval   |<---- A - Qe: more probable ---->|<- Qe: less probable ->|      `code` < A
///                0                                                          A
///
/// - Source: ITU-T T.81 (1992) §D.2 "Arithmetic decoding procedures".
struct ArithmeticDecoder: Sendable, Hashable {
    var reader = EntropyBitReader()
    /// `Cx`, 0 ..< `interval`.
    private var code: UInt32 = 0
    /// `A`, at most 0x10000; 0 before the first decision of a segment.
    private var interval: UInt32 = 0

    init() {}

    /// Begins a segment with the bytes at the reader; its statistics are the caller's.
    mutating func reset() { (code, interval) = (0, 0) }

    /// Reads the first 16 bits of a segment, unless that was done: §D.2.5 "Initialization of the decoder".
    @inline(__always)
    mutating func start(_ input: RawSpan) {
        guard interval == 0 else { return }
        reader.refill(input)
        code = UInt32(truncatingIfNeeded: reader.peek(16))
        reader.skip(16)
        interval = 0x10000
    }

    /// The next decision, and the bin after it.
    ///
    /// - Parameter transitions: ``ProbabilityEstimation/bins``.
    @inline(__always)
    mutating func decide(_ bin: inout UInt8, _ transitions: Span<UInt32>, _ input: RawSpan) -> Bool {
        var symbol = bin
        let entry = transitions[Int(symbol)]
        let less = entry &>> 16
        interval &-= less  // every Qe is below every A from 0x8000 on
        if code < interval {
            if interval >= 0x8000 { return symbol & 128 != 0 }
            // §D.2.2: the smaller part is the less probable symbol's, whichever it is.
            if interval < less {
                symbol ^= 128
                bin = UInt8(truncatingIfNeeded: entry)
            } else {
                bin = UInt8(truncatingIfNeeded: entry &>> 8)
            }
        } else {
            code &-= interval
            if interval < less {
                bin = UInt8(truncatingIfNeeded: entry &>> 8)
            } else {
                symbol ^= 128
                bin = UInt8(truncatingIfNeeded: entry)
            }
            interval = less
        }
        renormalize(input)
        return symbol & 128 != 0
    }

    /// Makes the interval 0x8000 or more: §D.2.3 "Renormalization".
    @inline(__always)
    private mutating func renormalize(_ input: RawSpan) {
        let shift = interval.leadingZeroBitCount &- 16  // 1...15: every Qe is above 0
        if reader.count < 16 { reader.refill(input) }
        interval &<<= UInt32(truncatingIfNeeded: shift)
        code = code &<< UInt32(truncatingIfNeeded: shift) | UInt32(truncatingIfNeeded: reader.peek(shift))
        reader.skip(shift)
    }

    /// A decision of the fixed probability of one half.
    @inline(__always)
    mutating func decideEvenly(_ transitions: Span<UInt32>, _ input: RawSpan) -> Bool {
        var bin = ProbabilityEstimation.fixedState
        return decide(&bin, transitions, input)
    }
}
