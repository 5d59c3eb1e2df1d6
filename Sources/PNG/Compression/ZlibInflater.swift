// Inflate by the system's zlib: suspendable at any byte, and a value through inflateCopy.

package import ImageCore

/// ``Inflating`` through the system's zlib.
///
/// The stream's state lives in a box that is copied (by `inflateCopy`) before a shared one is advanced.
package struct ZlibInflater: Inflating {
    /// Memory zlib takes for one stream: a window of 32 KiB and the decoding tables, rounded up.
    package static let memoryByteCount = 48 << 10

    private var stream: InflateStream
    private let reservation: MemoryReservation?

    /// Prepares to read one zlib stream.
    package init(meter: MemoryMeter?) throws(ImageError) {
        reservation = try MemoryReservation(byteCount: Self.memoryByteCount, meter: meter)
        guard let stream = InflateStream() else {
            throw .limitExceeded(.memory, requested: Self.memoryByteCount, allowed: 0)
        }
        self.stream = stream
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

    /// Unpacks a stream as far as it is sound.
    ///
    /// - Parameter maxByteCount: unpacking stops behind this many bytes; the result then has one more, which
    ///   tells the caller that it was too long.
    /// - Returns: what it unpacks to, and whether that is all: neither damaged nor incomplete.
    package static func inflateAll(
        _ compressed: ArraySlice<UInt8>, maxByteCount: Int
    ) throws(ImageError) -> (bytes: [UInt8], isWhole: Bool) {
        var inflater = try ZlibInflater(meter: nil)
        var output: [UInt8] = []
        var piece = try ScratchBuffer(byteCount: 1 << 14, meter: nil)
        let input = compressed.span
        var position = 0
        while true {
            let rest = input.extracting(droppingFirst: position)
            let step = piece.withMutableBytes { try? inflater.inflate(rest, into: &$0, 0..<$0.byteCount) }
            guard let step else { return (output, false) }
            position += step.consumed
            let room = maxByteCount.addingSaturated(1) - output.count
            piece.withBytes { output.append($0.extracting(first: min(step.produced, room))) }
            if output.count > maxByteCount || step.isFinished { return (output, true) }
            if step.produced == 0 && step.consumed == 0 { return (output, false) }
        }
    }
}
