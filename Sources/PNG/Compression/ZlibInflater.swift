// Inflate by the system's zlib: suspendable at any byte, and a value through inflateCopy.

package import ImageCore

/// ``Inflating`` through the system's zlib.
///
/// The stream's state lives in a box that is copied (by `inflateCopy`) before a shared one is advanced.
package struct ZlibInflater: Sendable {
    /// Memory zlib takes for one stream: a window of 32 KiB and the decoding tables, rounded up.
    package static let memoryByteCount = 48 << 10

    private var stream: InflateStream
    private var reservation: MemoryReservation
    private let meter: MemoryMeter?

    /// Prepares to read one zlib stream.
    package init(meter: MemoryMeter?) throws(ImageError) {
        reservation = try MemoryReservation(byteCount: Self.memoryByteCount, meter: meter)
        guard let stream = InflateStream() else {
            throw .limitExceeded(.memory, requested: Self.memoryByteCount, allowed: 0)
        }
        self.stream = stream
        self.meter = meter
    }

    /// Makes the stream this value's own, so that no call that follows copies it.
    ///
    /// - Throws: `limitExceeded(.memory)`.
    package mutating func makeUnique() throws(ImageError) {
        guard !isKnownUniquelyReferenced(&stream) else { return }
        let own = try MemoryReservation(byteCount: Self.memoryByteCount, meter: meter)
        guard let copy = stream.copy() else {
            throw .limitExceeded(.memory, requested: Self.memoryByteCount, allowed: 0)
        }
        (stream, reservation) = (copy, own)
    }

    package mutating func inflate(
        _ input: Span<UInt8>, into output: inout MutableRawSpan, _ outputRange: Range<Int>
    ) throws(InflateError) -> InflateStep {
        if !isKnownUniquelyReferenced(&stream) {
            guard let copy = stream.copy() else { throw .outOfMemory }
            stream = copy
        }
        return try stream.inflate(input, into: &output, outputRange)
    }

    /// Bytes of the pieces that ``inflateAll(_:meter:work:_:)`` hands out.
    package static let pieceByteCount = 1 << 14

    /// Unpacks a stream as far as it is sound, a piece at a time.
    ///
    /// - Parameters:
    ///   - work: asked for each piece.
    ///   - take: gets the pieces in order, and says whether it wants more.
    /// - Returns: whether that is all: the stream is neither damaged nor incomplete, and all of it was wanted.
    package static func inflateAll(
        _ compressed: Span<UInt8>, meter: MemoryMeter?, work: inout WorkGuard,
        _ take: (Span<UInt8>) throws(ImageError) -> Bool
    ) throws(ImageError) -> Bool {
        var inflater = try ZlibInflater(meter: meter)
        var piece = try ScratchBuffer(byteCount: pieceByteCount, meter: meter)
        var position = 0
        while true {
            // A byte unpacks to a thousand at most, so that a call is over soon however long the stream is.
            let rest = compressed.extracting(droppingFirst: position).extracting(first: pieceByteCount)
            let step = piece.withMutableBytes { try? inflater.inflate(rest, into: &$0, 0..<$0.byteCount) }
            guard let step else { return false }
            position += step.consumed
            let wantsMore = try piece.withBytes(0..<step.produced) { bytes throws(ImageError) in
                try take(Span<UInt8>(_bytes: bytes))
            }
            guard wantsMore else { return false }
            if step.isFinished { return true }
            if step.produced == 0 && step.consumed == 0 { return false }
            try work.spend(step.consumed + step.produced)
        }
    }
}
