// The coded bytes of frames: where they stand in a file in memory, or kept while a file comes in pieces.

/// Where the coded bytes of a frame are.
package enum FrameBytes: Sendable {
    /// In the file.
    case file(Range<Int>)
    /// Kept together with those of other small frames; the first of them stood at `offset` in the file.
    case paged(page: Int, Range<Int>, offset: Int)
    /// Kept alone; the first of them stood at `offset` in the file.
    case kept(ByteCollector, offset: Int)

    /// Whether they are kept, without what stood between them in the file.
    var isKept: Bool {
        if case .file = self { return false }
        return true
    }
}

/// What a file's frames are read from: the file in memory, or what was kept of one that came in pieces.
///
/// Small frames are kept together. By themselves they would lie between the larger buffers that decoding them takes, and
/// leave holes in the heap that nothing fits into. A value: a copy is a snapshot, and costs the page that is not full.
struct FrameByteStore: Sendable {
    /// The file, if it is in memory.
    var data: ImageData?
    private let meter: MemoryMeter
    /// Pages that are full.
    private var full = PagedArray<ScratchBuffer>()
    /// The page after them, and how much of it is used.
    private var open: ScratchBuffer?
    private var usedByteCount = 0

    static let pageByteCount = 1 << 14
    /// The most bytes of a frame that lies in a page: at most this much of a full page is not used.
    static let smallByteCount = pageByteCount / 8
    /// What a page takes besides its bytes: the head of a block.
    private static let blockByteCount = 96

    init(meter: MemoryMeter) { self.meter = meter }

    /// Keeps the bytes of a frame, the first of which stood at `offset`, and empties `bytes`.
    mutating func keep(_ bytes: inout ByteCollector, offset: Int) throws(ImageError) -> FrameBytes {
        guard (1...Self.smallByteCount).contains(bytes.count) else {
            try bytes.trim()
            var kept = ByteCollector(meter: meter)
            swap(&kept, &bytes)
            return .kept(kept, offset: offset)
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
        // The block stays, for the next frame.
        bytes.removeAll()
        return .paged(page: full.count, range, offset: offset)
    }

    /// Calls `body` with the bytes of a frame, and where the first of them stands in the file.
    func withBytes<R>(
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
        case .kept(let bytes, let offset):
            return try bytes.withBytes { (bytes) throws(ImageError) in try body(bytes, offset) }
        }
    }
}
