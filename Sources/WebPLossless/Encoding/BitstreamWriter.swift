// Where the bits of a stream go.

import ImageCodecsCore

/// Bytes of a stream, and bits that make no whole byte yet; grows as it is written.
struct BitstreamWriter: Sendable {
    private var buffer: ScratchBuffer
    private let meter: MemoryMeter?
    /// Where the next byte goes, and the bits before it.
    var bits = BitstreamPosition()

    /// - Parameter byteCount: bytes for which there is room at first.
    init(byteCount: Int, meter: MemoryMeter?) throws(ImageError) {
        buffer = try ScratchBuffer(byteCount: byteCount + Self.margin, meter: meter)
        self.meter = meter
    }

    /// Bytes after the last that may be written over.
    private static let margin = 16

    /// Bits written so far.
    var bitCount: Int { 8 * bits.position + bits.count }

    /// Makes room for so many bytes more.
    mutating func reserve(_ byteCount: Int) throws(ImageError) {
        let needed = bits.position.addingSaturated(byteCount).addingSaturated(Self.margin)
        guard needed > buffer.byteCount else { return }
        let old = buffer
        buffer = try ScratchBuffer(
            byteCount: max(needed, buffer.byteCount.addingSaturated(buffer.byteCount / 2)), meter: meter)
        let count = bits.position
        old.withBytes(0..<count) { old in buffer.withMutableBytes(0..<count) { $0.copy(old) } }
    }

    /// Appends bits, the lowest first.
    ///
    /// - Precondition: `count` is at most 24, and `number` has no higher bits.
    mutating func write(_ number: Int, count: Int) throws(ImageError) {
        try reserve(8)
        bits.bits |= UInt64(number) << UInt64(bits.count)
        bits.count += count
        let position = bits.position
        let wholeCount = bits.count / 8
        buffer.withMutableBytes(position..<position + wholeCount) { target in
            for index in 0..<wholeCount {
                target.setByte(UInt8(truncatingIfNeeded: bits.bits >> UInt64(8 * index)), at: index)
            }
        }
        bits.position += wholeCount
        bits.bits >>= UInt64(8 * wholeCount)
        bits.count -= 8 * wholeCount
    }

    /// Lets a kernel write, which has room for `byteCount` bytes and a margin of 16.
    mutating func withBytes<R>(
        room byteCount: Int, _ body: (inout MutableRawSpan, inout BitstreamPosition) -> R
    ) throws(ImageError) -> R {
        try reserve(byteCount)
        var bits = bits
        let result = buffer.withMutableBytes { body(&$0, &bits) }
        self.bits = bits
        return result
    }

    /// The stream, its last byte filled with zeros.
    mutating func finished() throws(ImageError) -> [UInt8] {
        if bits.count > 0 { try write(0, count: 8 - bits.count) }
        try meter?.check(bits.position)
        var result: [UInt8] = []
        result.reserveCapacity(bits.position)
        buffer.withBytes(0..<bits.position) { result.append($0) }
        return result
    }
}

/// Where a stream goes on.
struct BitstreamPosition: Sendable {
    /// The byte that ``bits`` begin.
    var position = 0
    /// Bits of it, the lowest first; those from ``count`` on are zero.
    var bits: UInt64 = 0
    /// How many there are: 0...7 between two calls.
    var count = 0
}
