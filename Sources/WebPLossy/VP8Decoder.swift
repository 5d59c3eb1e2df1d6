// A decoder of raw VP8 key frames, without a container: for study and reuse.

public import ImageCodecsCore

/// Decodes one VP8 key frame, the payload of a `VP8 ` chunk, piece by piece.
///
/// Applications want a WebP coder. Here are the picture, and the samples it was made of.
///
/// Source: RFC 6386 (2011)
public struct VP8Decoder: Sendable {
    private var stream: VP8Stream
    private var input: InputBuffer
    private var work: WorkGuard
    private let meter: MemoryMeter
    private let limits: DecodingLimits
    private let byteCount: Int
    /// The picture, `.bgrx`: rows that are not decoded yet are black. Empty until the header was read.
    public private(set) var picture = Bitmap.empty
    private var failure: ImageError?

    /// A decoder that has seen nothing yet.
    ///
    /// - Parameters:
    ///   - byteCount: bytes of the frame; `nil` if that is not known.
    ///   - keepsPlanes: whether ``VP8Decoder/planes()`` are wanted.
    ///   - keepsMacroblocks: whether ``VP8Decoder/macroblock(column:row:)`` is: 32 bytes for each of them.
    ///   - limits: what the decode may cost.
    public init(
        byteCount: Int? = nil, keepsPlanes: Bool = false, keepsMacroblocks: Bool = false,
        limits: DecodingLimits = .default
    ) {
        meter = MemoryMeter(limit: limits.maxMemoryByteCount)
        stream = VP8Stream(meter: meter, keepsSamples: keepsPlanes, keepsMacroblocks: keepsMacroblocks)
        input = InputBuffer(meter: meter)
        work = WorkGuard(limits: limits)
        self.limits = limits
        self.byteCount = byteCount ?? .max
    }

    /// What the first ten bytes say, once they are there.
    public var header: VP8Header? { stream.header }

    /// What is known of the frame.
    public var frameInfo: VP8FrameInfo? { stream.frameInfo }

    /// Rows of the picture that are decoded.
    public var rowCount: Int { stream.rowCount }

    /// Whether all are.
    public var isComplete: Bool { stream.isComplete }

    /// The most bytes that were held at once, the picture among them.
    public var peakByteCount: Int { meter.peak }

    /// Decodes as far as `bytes` go.
    ///
    /// - Throws: what is wrong with the frame; the same again from then on.
    public mutating func append(_ bytes: Span<UInt8>) throws(ImageError) { try read(bytes, isFinal: false) }

    /// Ends the frame.
    ///
    /// - Throws: `truncated` if rows are missing.
    public mutating func finish() throws(ImageError) {
        try read(Span(), isFinal: true)
        guard isComplete else { throw fail(.truncated(.webP, offset: input.totalCount)) }
    }

    private mutating func fail(_ error: ImageError) -> ImageError {
        failure = error
        return error
    }

    private mutating func read(_ bytes: Span<UInt8>, isFinal: Bool) throws(ImageError) {
        if let failure { throw failure }
        do throws(ImageError) {
            work.begin()
            defer { work.end() }
            try stream.makeUnique()
            try picture.makeUnique()
            try consume(bytes, isFinal: isFinal)
        } catch {
            throw fail(error)
        }
    }

    private mutating func consume(_ bytes: Span<UInt8>, isFinal: Bool) throws(ImageError) {
        // Out of `self` for the call, so that nothing in it is shared.
        var (stream, picture, work) = (stream, picture.moved(), work)
        self.stream = VP8Stream(meter: nil)
        defer { (self.stream, self.picture, self.work) = (stream, picture, work) }
        let (limits, meter, byteCount) = (limits, meter, byteCount)
        try input.feed(bytes, work: work) { (bytes, offset, isAll) throws(ImageError) in
            var used = 0
            while true {
                let hadHeader = stream.header != nil
                used += try stream.consume(
                    bytes.extracting(droppingFirst: used), offset: offset + used, isFinal: isFinal && isAll,
                    byteCount: byteCount, work: &work
                ) { row, y in picture.withMutableRowBytes(y) { $0.copy(row) } }
                guard !hadHeader, let header = stream.header else { return used }
                try limits.check(size: header.size)
                picture = try Bitmap(cleared: header.size, format: .bgrx, meter: meter, work: work)
            }
        }
    }

    /// Y, U and V as they are coded, gray bitmaps of whole and of half the size; empty unless they are kept, and until rows
    /// are there.
    ///
    /// - Throws: `limitExceeded(.memory)`.
    public func planes() throws(ImageError) -> [Bitmap] {
        var bitmaps: [Bitmap] = []
        guard let samples = stream.samples else { return [] }
        for plane in 0..<3 {
            var bitmap = try Bitmap(
                cleared: samples.size(plane), format: .gray, meter: meter, work: work)
            for y in 0..<bitmap.size.height {
                samples.withLine(plane, y) { line in bitmap.withMutableRowBytes(y) { $0.copy(line) } }
            }
            bitmaps.append(bitmap)
        }
        return bitmaps
    }

    /// Macroblocks in a row, and rows of them; empty until the header was read.
    public var macroblockGrid: PixelSize {
        guard let size = header?.size else { return PixelSize(width: 0, height: 0) }
        let workspace = MacroblockWorkspace(size)
        return PixelSize(width: workspace.columnCount, height: workspace.rowCount)
    }

    /// Rows of macroblocks that are known: more than there are rows of pixels for, which come with a delay; 0 if they are
    /// not kept.
    public var macroblockRowCount: Int { stream.macroblocks?.rowCount ?? 0 }

    /// What the frame says of a macroblock.
    ///
    /// - Parameters:
    ///   - column: from the left.
    ///   - row: from the top.
    /// - Returns: `nil` if there is no such macroblock, it is not known yet, or they are not kept.
    public func macroblock(column: Int, row: Int) -> VP8Macroblock? {
        stream.macroblocks?.macroblock(column: column, row: row)
    }
}
