// Where the bits of a stream go.

import ImageCodecsCore

/// Bytes of a stream, and bits that make no whole byte yet.
///
/// Held in pieces, so that nothing is copied while the stream grows.
struct BitstreamWriter: Sendable {
    /// Pieces that are full, and how many bytes are in each.
    private var pieces: [(buffer: ScratchBuffer, byteCount: Int)] = []
    /// The piece that is written.
    private var buffer: ScratchBuffer
    private let meter: MemoryMeter?
    /// Where the next byte goes, and the bits before it.
    private var bits = BitstreamPosition()

    /// Bytes of a piece, unless a kernel needs more room.
    private static let pieceByteCount = 1 << 16
    /// Bytes after the last that may be written over.
    private static let margin = 16

    /// - Parameter meter: counts the pieces.
    init(meter: MemoryMeter?) throws(ImageError) {
        buffer = try ScratchBuffer(byteCount: Self.pieceByteCount + Self.margin, meter: meter)
        self.meter = meter
    }

    /// Bits written so far.
    var bitCount: Int { 8 * (pieces.reduce(0) { $0 + $1.byteCount } + bits.position) + bits.count }

    /// Makes room for this many bytes more.
    private mutating func reserve(_ byteCount: Int) throws(ImageError) {
        guard bits.position + byteCount + Self.margin > buffer.byteCount else { return }
        pieces.append((buffer, bits.position))
        buffer = try ScratchBuffer(byteCount: max(byteCount, Self.pieceByteCount) + Self.margin, meter: meter)
        bits.position = 0
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
    mutating func finished(_ work: inout WorkGuard) throws(ImageError) -> EncodedBitstream {
        if bits.count > 0 { try write(0, count: 8 - bits.count) }
        pieces.append((buffer.handedOver(), bits.position))
        let byteCount = pieces.reduce(0) { $0 + $1.byteCount }
        let reservation = try MemoryReservation(byteCount: byteCount, meter: meter)
        var result: [UInt8] = []
        result.reserveCapacity(byteCount)
        for index in pieces.indices {
            try work.spend(pieces[index].byteCount / 16)
            // Given back as soon as it is copied.
            pieces[index].buffer.handedOver().withBytes(0..<pieces[index].byteCount) { result.append($0) }
        }
        return EncodedBitstream(bytes: result, reservation: reservation)
    }
}

/// Bytes that are counted by the meter as long as this value is held.
struct EncodedBitstream: Sendable {
    let bytes: [UInt8]
    let reservation: MemoryReservation
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
