// The coded bytes of frames: where they lie in a file in memory, or kept while a file comes in pieces.
//
//   pieces ──▶ FrameByteKeeper: one frame, growing ──▶ FrameByteStore: small frames in pages, large ones by themselves

/// Where the coded bytes of a frame are.
package enum FrameBytes: Sendable {
    /// In the file.
    case file(Range<Int>)
    /// Kept with those of other small frames; the first of them stood at `offset` in the file.
    case paged(page: Int, Range<Int>, offset: Int)
    /// Kept alone; the first of them stood at `offset` in the file.
    case kept(ScratchBuffer, offset: Int)

    /// Whether they are kept, without what stood between them in the file.
    package var isKept: Bool {
        if case .file = self { return false }
        return true
    }
}

/// What a file's frames are read from: the file in memory, or what was kept of one that came in pieces.
///
/// Small frames are kept together. By themselves they would lie between the larger buffers that decoding them takes, and
/// leave holes in the heap that nothing fits into. A value: a copy is a snapshot, and costs the page that is not full.
package struct FrameByteStore: Sendable {
    private let data: ImageData?
    private let meter: MemoryMeter
    /// Pages that are full.
    private var full = PagedArray<ScratchBuffer>()
    /// The page behind them, and how much of it is used.
    private var open: ScratchBuffer?
    private var usedByteCount = 0

    static let pageByteCount = 1 << 16
    /// The most bytes of a frame that lies in a page: so much of a full page at most is not used.
    static let smallByteCount = pageByteCount / 8
    /// What a page or a large frame takes besides its bytes: the head of a block.
    private static let blockByteCount = 96

    package init(data: ImageData?, meter: MemoryMeter) {
        self.data = data
        self.meter = meter
    }

    /// The same, read from a file in memory.
    package func reading(_ data: ImageData?) -> FrameByteStore { FrameByteStore(self, data: data) }

    private init(_ store: FrameByteStore, data: ImageData?) {
        (meter, full, open, usedByteCount) = (store.meter, store.full, store.open, store.usedByteCount)
        self.data = data
    }

    /// The most memory that keeping so many bytes takes, while a snapshot is held. Saturates.
    static func byteCount(_ byteCount: Int) -> Int {
        guard byteCount > 0 else { return 0 }
        let leastUsed = pageByteCount - smallByteCount
        let pageCount = byteCount / leastUsed
        return byteCount.addingSaturated(pageCount.multipliedSaturated(by: smallByteCount))
            .addingSaturated(2 * pageByteCount)
            .addingSaturated(PagedArray<ScratchBuffer>.byteCount(pageCount, elementByteCount: blockByteCount))
    }

    /// Keeps the bytes of a frame that stood at `offset`.
    fileprivate mutating func keep(
        _ bytes: ByteCollector, offset: Int, work: WorkGuard
    ) throws(ImageError) -> FrameBytes {
        // Nothing is kept of a frame without bytes, so that no page was promised for it.
        guard (1...Self.smallByteCount).contains(bytes.count) else {
            return .kept(try bytes.exactBuffer(work: work), offset: offset)
        }
        if usedByteCount + bytes.count > Self.pageByteCount, let page = open {
            try full.append(page, elementByteCount: Self.blockByteCount, meter: meter)
            open = nil
        }
        if open == nil {
            open = try ScratchBuffer(byteCount: Self.pageByteCount, meter: meter)
            usedByteCount = 0
        }
        try open?.makeUnique()
        let range = usedByteCount..<usedByteCount + bytes.count
        bytes.withBytes { bytes in open?.withMutableBytes { $0.copy(bytes, at: range.lowerBound) } }
        usedByteCount = range.upperBound
        return .paged(page: full.count, range, offset: offset)
    }

    /// Calls `body` with the bytes of a frame, and where the first of them stands in the file.
    package func withBytes<R>(
        of frame: FrameBytes, _ body: (Span<UInt8>, _ offset: Int) throws(ImageError) -> R
    ) throws(ImageError) -> R {
        switch frame {
        case .file(let range):
            guard let data else { return try body(Span(), range.lowerBound) }
            return try data.withBytes { (bytes) throws(ImageError) in
                try body(bytes.extracting(range.clamped(to: 0..<bytes.count)), range.lowerBound)
            }
        case .paged(let number, let range, let offset):
            guard let page = number < full.count ? full[number] : open else { return try body(Span(), offset) }
            return try page.withBytes(range) { (bytes) throws(ImageError) in
                try body(Span<UInt8>(_bytes: bytes), offset)
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

    package init(keeps: Bool, meter: MemoryMeter) {
        self.keeps = keeps
        collected = ByteCollector(meter: meter)
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

    /// Drops what was taken of the frame that has begun: nobody asks for it.
    package mutating func cancel() {
        range = nil
        collected.removeAll()
    }

    /// Ends the frame: what was kept of it goes into the store.
    package mutating func end(in store: inout FrameByteStore, work: WorkGuard) throws(ImageError) -> FrameBytes {
        let whole = range ?? 0..<0
        range = nil
        guard keeps else { return .file(whole) }
        let bytes = try store.keep(collected, offset: whole.lowerBound, work: work)
        collected.removeAll()
        return bytes
    }
}
