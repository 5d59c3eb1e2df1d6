// Compression with the system's zlib: bytes in, pieces of one zlib stream of a fixed size out.

#if SystemZlib
package import ImageCodecsCore

/// The system's zlib as a ``Deflating``: level 0, 1, 6 or 9 by effort.
package struct ZlibDeflater: Deflating {
    private let stream: DeflateStream
    private var output: ScratchBuffer
    private var filledCount = 0

    /// Bytes that zlib compresses between two looks at the clock: a millisecond's worth or two.
    private static let stepByteCount = 1 << 14

    /// zlib's own memory, and a piece.
    package static func estimatedByteCount(effort: CompressionEffort, byteCount: Int, pieceByteCount: Int) -> Int {
        pieceByteCount.addingSaturated(1 << 18)
    }

    package init(
        effort: CompressionEffort, byteCount: Int, pieceByteCount: Int, meter: MemoryMeter?
    ) throws(ImageError) {
        let level =
            switch effort {
            case .stored: 0
            case .fast: 1
            case .default: 6
            case .thorough: 8
            case .best: 9
            }
        output = try ScratchBuffer(byteCount: max(1, pieceByteCount), meter: meter)
        stream = try DeflateStream(level: level, windowBits: Self.windowBits(for: byteCount), memoryLevel: 8)
    }

    package mutating func write(
        _ bytes: RawSpan, work: inout WorkGuard, emit: (RawSpan) throws(ImageError) -> Void
    ) throws(ImageError) {
        var rest = bytes
        while rest.byteCount > 0 {
            let step = rest.extracting(first: Self.stepByteCount)
            try work.spend(step.byteCount)
            try pump(step, .none, emit)
            rest = rest.extracting(droppingFirst: step.byteCount)
        }
    }

    package mutating func flush(
        work: inout WorkGuard, emit: (RawSpan) throws(ImageError) -> Void
    ) throws(ImageError) {
        try pump(RawSpan(), .flush, emit)
        try emitRest(emit)
    }

    package mutating func finish(
        work: inout WorkGuard, emit: (RawSpan) throws(ImageError) -> Void
    ) throws(ImageError) {
        try pump(RawSpan(), .end, emit)
        try emitRest(emit)
    }

    private mutating func emitRest(_ emit: (RawSpan) throws(ImageError) -> Void) throws(ImageError) {
        guard filledCount > 0 else { return }
        try output.withBytes(0..<filledCount) { (piece) throws(ImageError) in try emit(piece) }
        filledCount = 0
    }

    private mutating func pump(
        _ bytes: RawSpan, _ wish: DeflateStream.Wish, _ emit: (RawSpan) throws(ImageError) -> Void
    ) throws(ImageError) {
        let stream = stream
        var position = 0
        while true {
            let step = output.withMutableBytes(filledCount..<output.byteCount) { target in
                stream.deflate(bytes.extracting(droppingFirst: position), into: &target, wish)
            }
            position += step.consumed
            filledCount += step.produced
            let isFull = filledCount == output.byteCount
            if isFull { try emitRest(emit) }
            if step.isFinished || !isFull && position == bytes.byteCount { return }
        }
    }

    /// The smallest window in which everything is within reach of everything else.
    ///
    /// zlib looks no further back than the window less 262 bytes, and does not support windows of 8 bits.
    static func windowBits(for byteCount: Int) -> Int {
        var bits = 9
        while bits < 15 && (1 << bits) - 262 < byteCount { bits += 1 }
        return bits
    }
}
#endif
