// Where the bits of a stream go until they are handed out as pieces.

import ImageCodecsCore

/// Bytes of a stream that wait, and bits that make no whole byte yet.
struct BitOutput: Sendable {
    private var buffer: ScratchBuffer
    private var bits = DeflateBits()

    /// - Parameters:
    ///   - byteCount: bytes that may wait.
    ///   - meter: counts them.
    init(byteCount: Int, meter: MemoryMeter?) throws(ImageError) {
        buffer = try ScratchBuffer(
            byteCount: byteCount.addingSaturated(DeflateBlockKernel.overrun), meter: meter)
    }

    /// Bytes of a buffer in which this many may wait. Saturates.
    static func estimatedByteCount(_ byteCount: Int) -> Int { byteCount.addingSaturated(DeflateBlockKernel.overrun) }

    /// Whole bytes that wait.
    var byteCount: Int { bits.position }

    /// Bits that make no whole byte yet: 0...7.
    var bitCount: Int { bits.count }

    /// Appends bits, the lowest first.
    ///
    /// - Precondition: `count` is at most 32, and `number` has no higher bits.
    mutating func write(_ number: UInt32, count: Int) {
        bits.bits |= UInt64(number) << UInt64(bits.count)
        bits.count += count
        let wholeCount = bits.count / 8
        guard wholeCount > 0 else { return }
        let position = bits.position
        buffer.withMutableBytes(position..<position + wholeCount) { target in
            for index in 0..<wholeCount {
                target.setByte(UInt8(truncatingIfNeeded: bits.bits >> UInt64(8 * index)), at: index)
            }
        }
        bits.position += wholeCount
        bits.bits >>= UInt64(8 * wholeCount)
        bits.count -= 8 * wholeCount
    }

    /// Fills the last byte with zeros.
    mutating func align() {
        if bits.count > 0 { write(0, count: 8 - bits.count) }
    }

    /// Appends whole bytes.
    ///
    /// - Precondition: ``bitCount`` is 0.
    mutating func write(bytes: RawSpan) {
        let position = bits.position
        buffer.withMutableBytes(position..<position + bytes.byteCount) { $0.copy(bytes) }
        bits.position += bytes.byteCount
    }

    /// Lets a kernel write bits.
    mutating func withBytes(_ body: (inout MutableRawSpan, inout DeflateBits) -> Void) {
        var bits = bits
        buffer.withMutableBytes { body(&$0, &bits) }
        self.bits = bits
    }

    /// Hands out pieces of `pieceByteCount` bytes, and what is left of them at the end if `isLast`.
    mutating func emit(
        pieceByteCount: Int, isLast: Bool, _ emit: (RawSpan) throws(ImageError) -> Void
    ) throws(ImageError) {
        var start = 0
        while bits.position - start >= pieceByteCount || (isLast && start < bits.position) {
            let end = min(start + pieceByteCount, bits.position)
            try buffer.withBytes(start..<end) { (piece) throws(ImageError) in try emit(piece) }
            start = end
        }
        guard start > 0 else { return }
        let rest = bits.position - start
        buffer.withMutableBytes { $0.move(from: start, to: 0, count: rest) }
        bits.position = rest
    }
}
