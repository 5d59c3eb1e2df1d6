// Inflate by the system's zlib: suspendable at any byte, and a value through inflateCopy.

#if SystemZlib
package import ImageCodecsCore

/// ``Inflating`` through the system's zlib.
///
/// The stream's state lives in a box that is copied (by `inflateCopy`) before a shared one is advanced. zlib keeps a
/// window of its own; here is only what waits:
///
///     0 ........ start ............... end ............ capacity
///     | taken     | unpacked, waiting   | room           |
package struct ZlibInflater: Inflating {
    /// Memory zlib takes for one stream: a window of 32 KiB and the decoding tables, rounded up.
    private static let streamByteCount = 48 << 10

    private var stream: InflateStream
    private var reservation: MemoryReservation
    private var buffer: ScratchBuffer
    private var start = 0
    private var end = 0
    private let meter: MemoryMeter?

    package static func byteCount(capacity: Int) -> Int { capacity.addingSaturated(streamByteCount) }

    package init(capacity: Int, isRaw: Bool, meter: MemoryMeter?) throws(ImageError) {
        precondition(capacity > 0, "no room to unpack to")
        reservation = try MemoryReservation(byteCount: Self.streamByteCount, meter: meter)
        buffer = try ScratchBuffer(byteCount: capacity, meter: meter)
        guard let stream = InflateStream(isRaw: isRaw) else {
            throw .limitExceeded(.memory, requested: Self.streamByteCount, allowed: 0)
        }
        self.stream = stream
        self.meter = meter
    }

    package mutating func makeUnique() throws(ImageError) {
        try buffer.makeUnique()
        guard !isKnownUniquelyReferenced(&stream) else { return }
        let own = try MemoryReservation(byteCount: Self.streamByteCount, meter: meter)
        guard let copy = stream.copy() else {
            throw .limitExceeded(.memory, requested: Self.streamByteCount, allowed: 0)
        }
        (stream, reservation) = (copy, own)
    }

    package var unpackedByteCount: Int { end - start }

    package mutating func inflate(_ input: Span<UInt8>, limit: Int) throws(InflateError) -> InflateStep {
        precondition(limit >= unpackedByteCount && limit <= buffer.byteCount, "no such limit")
        if !isKnownUniquelyReferenced(&stream) {
            guard let copy = stream.copy() else { throw .outOfMemory }
            stream = copy
        }
        moveToFront(room: limit - unpackedByteCount)
        let range = end..<start + limit
        let stream = stream
        var (step, damage) = (InflateStep(consumed: 0, produced: 0, isFinished: false), InflateError?.none)
        buffer.withMutableBytes { bytes in
            do throws(InflateError) {
                step = try stream.inflate(input, into: &bytes, range)
            } catch {
                damage = error
                if case .damaged(_, let partial) = error { step = partial }
            }
        }
        end += step.produced
        if let damage { throw damage }
        return step
    }

    /// Makes room after what waits.
    private mutating func moveToFront(room: Int) {
        guard start > 0, start == end || room > buffer.byteCount - end else { return }
        let count = unpackedByteCount
        if count > 0 {
            let source = start
            buffer.withMutableBytes { $0.move(from: source, to: 0, count: count) }
        }
        (start, end) = (0, count)
    }

    package func withUnpacked<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try buffer.withBytes(start..<end, body)
    }

    package mutating func discard(_ count: Int) {
        precondition(count >= 0 && count <= unpackedByteCount, "more than waits")
        start += count
    }
}
#endif
