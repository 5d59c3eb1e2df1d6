// First pass over the frames: which colours they have, and whether color tables hold them.

import ImageCodecsCore

/// The colours of all frames.
struct AnimationColors: Sendable {
    /// Every colour, as long as one table holds them.
    private(set) var all: DistinctColors? = DistinctColors()
    /// How many pixels have each of the colours, by its number.
    private var popularity = [Int](repeating: 0, count: DistinctColors.limit)
    /// The colours of the first frame; empty if a table does not hold them.
    private(set) var first: [UInt32] = []
    /// Whether each frame by itself has few enough colours for a table.
    private(set) var fitsFrameByFrame = true
    private var frameCount = 0
    private var indices: ScratchBuffer
    private let limit: Int
    private let meter: MemoryMeter?

    /// - Parameters:
    ///   - width: pixels of a row.
    ///   - limit: the most colours of a table, transparency included.
    ///   - meter: counts what is held.
    init(width: Int, limit: Int, meter: MemoryMeter?) throws(ImageError) {
        self.limit = limit
        self.meter = meter
        indices = try ScratchBuffer(byteCount: width, meter: meter)
    }

    /// Bytes that it holds at most. Saturates.
    static func byteCount(_ size: PixelSize) -> Int { size.width }

    /// Looks at a frame.
    ///
    /// - Parameters:
    ///   - canvas: straight RGBA, transparent pixels zero, none of them translucent.
    ///   - rows: those that differ from the frame before.
    mutating func look(at canvas: Bitmap, rows: Range<Int>, _ work: inout WorkGuard) throws(ImageError) {
        defer { frameCount += 1 }
        if var all = all.take() {
            if try insert(canvas, rows, into: &all, countsPixels: true, &work) {
                if frameCount == 0 { first = all.colors }
                self.all = all
                return
            }
        }
        var own = DistinctColors()
        let fits = try insert(canvas, 0..<canvas.height, into: &own, countsPixels: false, &work)
        if frameCount == 0, fits { first = own.colors }
        fitsFrameByFrame = fitsFrameByFrame && fits
    }

    /// Adds the colours of some rows; `false` as soon as there are too many.
    private mutating func insert(
        _ canvas: Bitmap, _ rows: Range<Int>, into colors: inout DistinctColors, countsPixels: Bool,
        _ work: inout WorkGuard
    ) throws(ImageError) -> Bool {
        let width = canvas.width
        for y in rows {
            try work.spend(width)
            let fits = canvas.withRowBytes(y) { row in
                indices.withMutableBytes { colors.insert(rgba: row, width: width, indices: &$0) }
            }
            guard fits, colors.colors.count <= limit else { return false }
            guard countsPixels else { continue }
            indices.withBytes { indices in
                for x in 0..<width { popularity[Int(indices.byte(at: x))] += 1 }
            }
        }
        return true
    }

    /// All colours, the transparent one first if there is room for it, then those of most pixels; `nil` if a table does not hold
    /// them.
    ///
    /// - Parameter needsTransparency: whether the transparent colour is of use even if no frame has it.
    func table(needsTransparency: Bool) -> [UInt32]? {
        guard let all else { return nil }
        let byPopularity = all.colors.indices.filter { all.colors[$0] != 0 }
            .sorted { (popularity[$1], $0) < (popularity[$0], $1) }
            .map { all.colors[$0] }
        let isTransparent = byPopularity.count < all.colors.count
        guard isTransparent || (needsTransparency && byPopularity.count < limit) else { return byPopularity }
        return [0] + byPopularity
    }
}
