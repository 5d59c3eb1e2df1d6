// First pass over the frames: which colours they have, and whether color tables hold them.

import ImageCodecsCore
import ImageEncoding
import ImagePalettes

/// The colours of all frames.
struct AnimationColors: Sendable {
    /// The colours of all frames; of rows that changed alone, as long as a table holds them.
    private var counter: ColorCounter
    /// The colours of the first frame; empty if a table does not hold them.
    private(set) var first: [UInt32] = []
    /// Whether each frame by itself has few enough colours for a table.
    private(set) var fitsFrameByFrame = true
    private var frameCount = 0
    private var indices: ScratchBuffer
    private let limit: Int

    /// - Parameters:
    ///   - width: pixels of a row.
    ///   - limit: the most colours of a table, transparency included.
    ///   - effort: how many colours are kept apart, and how a palette is chosen.
    ///   - meter: counts what is held.
    init(width: Int, limit: Int, effort: EncodingOptions.Effort, meter: MemoryMeter?) throws(ImageError) {
        self.limit = limit
        counter = try ColorCounter(width: width, limit: limit, effort: effort, meter: meter)
        indices = try ScratchBuffer(byteCount: width, meter: meter)
    }

    /// Bytes that it holds at most, choosing a palette included. Saturates.
    static func byteCount(_ animation: EncodedAnimation, effort: EncodingOptions.Effort) -> Int {
        let size = animation.picture.size
        let pixelCount = (size.pixelCount ?? .max).multipliedSaturated(by: animation.frameCount)
        return size.width
            .addingSaturated(ColorCounter.byteCount(width: size.width, pixelCount: pixelCount, effort: effort))
            .addingSaturated(Palette.selectionByteCount(pixelCount: pixelCount, effort: effort))
    }

    /// Looks at a frame.
    ///
    /// - Parameters:
    ///   - canvas: straight RGBA, transparent pixels zero, none of them translucent.
    ///   - rows: those that differ from the frame before.
    mutating func look(at canvas: Bitmap, rows: Range<Int>, _ work: inout WorkGuard) throws(ImageError) {
        // Each colour counts as often as a frame shows it; as long as a table holds all of them, that does not matter.
        for y in counter.counted.colors == nil ? 0..<canvas.height : rows {
            try canvas.withRowBytes(y) { (row) throws(ImageError) in try counter.add(row, &work) }
        }
        if let all = counter.counted.colors {
            if frameCount == 0 { first = all.colors }
        } else {
            // The frames before had no more colours than a table holds, taken together.
            try lookAlone(at: canvas, &work)
        }
        frameCount += 1
    }

    /// Looks whether a frame by itself has few enough colours.
    private mutating func lookAlone(at canvas: Bitmap, _ work: inout WorkGuard) throws(ImageError) {
        guard fitsFrameByFrame else { return }
        var own = DistinctColors()
        let width = canvas.width
        for y in 0..<canvas.height {
            try work.spend(width)
            let fits = canvas.withRowBytes(y) { row in
                indices.withMutableBytes { own.insert(rgba: row, width: width, indices: &$0) }
            }
            guard fits, own.colors.count <= limit else {
                fitsFrameByFrame = false
                return
            }
        }
        if frameCount == 0 { first = own.colors }
    }

    /// Whether any pixel is transparent.
    var hasTransparency: Bool {
        var isFound = false
        counter.forEach { color, _ in isFound = isFound || color == 0 }
        return isFound
    }

    /// Whether a table holds the colours of all frames.
    var fitsTable: Bool { counter.counted.colors != nil }

    /// All colours, the transparent one first if there is room for it, then those of most pixels; `nil` if a table does not hold
    /// them.
    ///
    /// - Parameter needsTransparency: whether the transparent colour is of use even if no frame has it.
    func table(needsTransparency: Bool) -> [UInt32]? {
        guard let all = counter.counted.colors?.colors else { return nil }
        let popularity = counter.counted.counts
        let byPopularity = all.indices.filter { all[$0] != 0 }
            .sorted { (popularity[$1], $0) < (popularity[$0], $1) }
            .map { all[$0] }
        let isTransparent = byPopularity.count < all.count
        guard isTransparent || (needsTransparency && byPopularity.count < limit) else { return byPopularity }
        return [0] + byPopularity
    }

    /// Colours that stand for all, the transparent one among them.
    mutating func palette(_ work: inout WorkGuard) throws(ImageError) -> Palette {
        try counter.addTransparency(&work)
        return try counter.palette(&work)
    }
}
