// The coded bytes of frames: where they lie in a file in memory, or kept while a file comes in pieces.

/// Where the coded bytes of a frame are.
package enum FrameBytes: Sendable {
    /// In the file.
    case file(Range<Int>)
    /// Kept; the first of them stood at `offset` in the file.
    case kept(ScratchBuffer, offset: Int)

    /// Calls `body` with the bytes, and where the first of them stands in the file.
    ///
    /// - Parameter data: the file, where it is in memory.
    package func withBytes<R>(
        of data: ImageData?, _ body: (Span<UInt8>, _ offset: Int) throws(ImageError) -> R
    ) throws(ImageError) -> R {
        switch self {
        case .file(let range):
            guard let data else { return try body(Span(), range.lowerBound) }
            return try data.withBytes { (bytes) throws(ImageError) in
                try body(bytes.extracting(range.clamped(to: 0..<bytes.count)), range.lowerBound)
            }
        case .kept(let buffer, let offset):
            return try buffer.withBytes { (bytes) throws(ImageError) in
                try body(Span<UInt8>(_bytes: bytes), offset)
            }
        }
    }
}

/// Keeps the bytes of the frame that is being read, or takes note of where they are.
package struct FrameByteKeeper: Sendable {
    /// Whether bytes have to be kept: they will not be there later.
    private let keeps: Bool
    private var collected: ByteCollector
    private var range: Range<Int>?
    private let meter: MemoryMeter

    package init(keeps: Bool, meter: MemoryMeter) {
        self.keeps = keeps
        self.meter = meter
        collected = ByteCollector(meter: meter)
    }

    /// The most memory that keeping frames takes. Saturates.
    ///
    /// - Parameters:
    ///   - total: bytes of all frames.
    ///   - largest: bytes of the largest.
    package static func byteCount(total: Int, largest: Int) -> Int {
        total.addingSaturated(ByteCollector.peakByteCount(collecting: largest))
    }

    /// Bytes of the frame so far.
    package var count: Int { range?.count ?? 0 }

    /// Bytes that a frame which is not whole has in front of what is wrong with it, however they were cut; `nil` between frames.
    package func count(before damage: ImageError) -> Int? {
        guard let range, let offset = damage.offset else { return nil }
        return max(0, offset - range.lowerBound)
    }

    /// Starts a frame whose bytes begin at `offset`.
    package mutating func begin(at offset: Int) {
        range = offset..<offset
        collected.removeAll()
    }

    /// Takes the next bytes of the frame that has begun.
    package mutating func take(_ bytes: Span<UInt8>, work: WorkGuard) throws(ImageError) {
        guard let begun = range else { return }
        range = begun.lowerBound..<begun.upperBound.addingSaturated(bytes.count)
        if keeps { try collected.append(bytes, work: work) }
    }

    /// Drops what was taken of the frame that has begun: it is none.
    package mutating func cancel() {
        range = nil
        collected.removeAll()
    }

    /// Ends the frame.
    package mutating func end(work: WorkGuard) throws(ImageError) -> FrameBytes {
        let whole = range ?? 0..<0
        range = nil
        guard keeps else { return .file(whole) }
        let buffer = try collected.exactBuffer(work: work)
        collected.removeAll()
        return .kept(buffer, offset: whole.lowerBound)
    }
}
