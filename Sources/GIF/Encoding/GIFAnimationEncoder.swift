// From sub-frames to the bytes of an animated GIF file.
//
//   1. survey      which colours do all frames have?                 AnimationColors
//   2. choose      the color table of the file                       AnimationColors
//   3. describe    header, number of plays, comments, ...            GIFBlockWriter, MetadataBlocks
//   4. index       rows of a sub-frame -> indices, held              FrameIndexer, FrameReducer
//   5. control     delay, disposal, transparent index                ImageCore: DurationRounding
//   6. code        indices -> LZW codes -> sub-blocks                ImageWriter
//
// Which sub-frames there are is found out by ImageCore's `SubFramePlanner`, which asks what they cost.

package import ImageCodecsCore
package import ImageEncoding
import ImagePalettes

/// Writes one animation as a GIF file.
package struct GIFAnimationEncoder: AnimationEncoder {
    private let animation: EncodedAnimation
    private let request: EncodingRequest
    private let metadata: MetadataBlocks
    private var survey: AnimationColors?
    private var indexer: FrameIndexer
    private var reducer: FrameReducer
    private var writer: ImageWriter
    /// What decoders show, if that is not what was wanted.
    private var shown: ShownCanvas?
    private var file = GIFBlockWriter()
    private var rounding = DurationRounding(unitMilliseconds: 10)
    private var frameCount = 0
    /// Whether a pixel of some frame may be transparent.
    private var hasTransparency: Bool
    /// Whether all pixels keep their colours.
    private var isExact = false

    /// Tables of no more entries than this may be worth their bytes if they make codes shorter.
    private static let largestShortTable = 32

    /// - Throws: `limitExceeded(.dimension)` for a side of more than 65,535 pixels, `invalidArgument` for a number of colours that
    ///   no table has.
    package init(_ animation: EncodedAnimation, _ request: EncodingRequest) throws(ImageError) {
        try request.options.gif.check(animation.picture.size)
        self.animation = animation
        self.request = request
        metadata = MetadataBlocks(animation.picture.metadata)
        hasTransparency = animation.sourceFormat.hasAlpha
        indexer = FrameIndexer(globalTable: nil, limit: request.options.gif.colorCount, meter: request.meter)
        reducer = FrameReducer(nil, width: animation.picture.size.width, request)
        writer = ImageWriter(effort: request.options.effort, meter: request.meter)
    }

    /// The most plays that a file can ask for, but for those for ever; more are as many.
    package static let mostPlays = Int(UInt16.max) + 1

    package var abilities: FrameAbilities {
        // Deviation: the standard does not say that the first image covers the screen, but viewers that paint the background color
        // would show it there.
        FrameAbilities(
            replaces: false, firstFrameCoversCanvas: true, redrawsUnchanged: isExact && !losesAnyway,
            mergesEqualFrames: true)
    }

    package var estimatedByteCount: Int {
        let size = animation.picture.size
        return AnimationColors.byteCount(animation, effort: request.options.effort)
            .addingSaturated(FrameIndexer.byteCount(size))
            .addingSaturated(FrameReducer.byteCount(size, effort: request.options.effort))
            .addingSaturated(ShownCanvas.byteCount(size))
            // The ways to fill an image, of which two are held.
            .addingSaturated((size.pixelCount ?? .max).multipliedSaturated(by: 2))
            .addingSaturated(ImageWriter.byteCount(size, effort: request.options.effort))
    }

    package mutating func survey(
        _ canvas: Bitmap, rows: Range<Int>, work: inout WorkGuard
    ) throws(ImageError) {
        if survey == nil {
            survey = try AnimationColors(
                width: canvas.width, limit: request.options.gif.colorCount, effort: request.options.effort,
                meter: request.meter)
        }
        try survey?.look(at: canvas, rows: rows, &work)
    }

    package mutating func begin(to sink: EncodedBytesSink, work: inout WorkGuard) throws(ImageError) {
        let isAnimated = animation.frameCount > 1
        let table = try chooseTable(isAnimated: isAnimated, &work)
        indexer = FrameIndexer(globalTable: table, limit: request.options.gif.colorCount, meter: request.meter)
        if !isExact || losesAnyway { shown = try ShownCanvas(animation.picture.size, meter: request.meter, work) }
        file.appendScreen(animation.picture.size, table, isPlain: false, aspectRatio: metadata.aspectRatio)
        let plays = animation.plays(most: Self.mostPlays, request)
        try metadata.write(to: &file, loopCount: isAnimated ? plays : 1, &work)
        try file.pending.sendIfFull(to: sink)
    }

    package mutating func cost(
        of frame: SubFrame, work: inout WorkGuard
    ) throws(ImageError) -> SubFrameCost {
        var image = try exactImage(of: frame, &work)
        if image == nil { image = try reducer.quickImage(of: frame, &work) }
        guard let image else { return SubFrameCost(byteCount: .max) }
        return SubFrameCost(byteCount: try writer.cost(of: image, &work))
    }

    package mutating func write(
        _ planned: PlannedFrame, to sink: EncodedBytesSink, work: inout WorkGuard
    ) throws(ImageError) {
        var image = try image(of: planned.frame, &work)
        let hundredths = rounding.next(planned.duration)
        if Duration.milliseconds(hundredths.multipliedSaturated(by: 10)) != planned.duration {
            request.options.losses?.record(.durations)
        }
        if planned.disposal == .clear || (frameCount == 0 && hasTransparency), image.transparentIndex == nil {
            image.transparentIndex = unusedIndex(image)
        }
        try shown?.draw(
            image, image.localTable ?? indexer.globalTable ?? [], then: planned.disposal, &work)
        let delays = rounding.parts(of: hundredths, largest: Int(UInt16.max))
        for (number, delay) in delays.enumerated() {
            let isLast = number == delays.count - 1
            if number > 0, planned.disposal == .keep {
                try write(Self.nothing(request.meter), .keep, UInt16(delay), to: sink, &work)
            } else {
                // What is taken back has to be drawn again; what leaves a hole is drawn over itself.
                let disposal = isLast || planned.disposal == .restore ? planned.disposal : .keep
                try write(image, disposal, UInt16(delay), to: sink, &work)
            }
        }
        frameCount += 1
    }

    package mutating func finish(to sink: EncodedBytesSink, work: inout WorkGuard) throws(ImageError) {
        request.options.losses?.record(excess: rounding.excess)
        for _ in min(frameCount, animation.frameCount)..<animation.frameCount {
            request.options.losses?.record(.frames)
        }
        file.appendTrailer()
        try file.pending.send(to: sink)
    }

    private mutating func write(
        _ image: IndexedImage, _ disposal: FrameInfo.Disposal, _ delay: UInt16, to sink: EncodedBytesSink,
        _ work: inout WorkGuard
    ) throws(ImageError) {
        var control = GraphicControl()
        control.delay = delay
        control.setDisposal(disposal)
        control.transparentIndex = image.transparentIndex
        file.append(control)
        try writer.write(image, to: &file, sink, &work)
        try file.pending.sendIfFull(to: sink)
    }
}

// MARK: - Images

extension GIFAnimationEncoder {
    /// The color table of the file, if it has one.
    private mutating func chooseTable(isAnimated: Bool, _ work: inout WorkGuard) throws(ImageError) -> [UInt32]? {
        guard var survey = survey.take() else { return nil }
        let tables = request.options.gif.tables
        hasTransparency = survey.hasTransparency
        isExact = survey.fitsTable || (survey.fitsFrameByFrame && tables != .global)
        guard tables != .local else { return nil }
        guard !isExact else {
            let table = survey.table(needsTransparency: isAnimated) ?? (survey.first.isEmpty ? nil : survey.first)
            reducer = FrameReducer(table.map { Palette($0) }, width: animation.picture.size.width, request)
            return table
        }
        let palette = try survey.palette(&work)
        reducer = FrameReducer(palette, width: animation.picture.size.width, request)
        return palette.colors
    }

    /// A frame whose pixels keep their colours if a table holds them.
    private mutating func image(of frame: SubFrame, _ work: inout WorkGuard) throws(ImageError) -> IndexedImage {
        let canvas = frameCount == 0 ? nil : shown?.canvas
        if let image = try exactImage(of: frame, &work) {
            guard losesAnyway, image.localTable == nil else { return image }
            guard let lossy = try reducer.lossyImage(of: frame, over: canvas, &work) else { return image }
            return try writer.shortest([image, lossy], &work) ?? image
        }
        try request.options.gif.checkReduction()
        request.options.losses?.record(.colors)
        let image = try reducer.image(of: frame, over: canvas, &work)
        guard request.options.effort != .fast, frame.mayBeTransparent, frameCount > 0 else { return image }
        return try filled(image, &work)
    }

    /// Whether colours are lost even if a table holds them: only if somebody asks for it.
    private var losesAnyway: Bool { request.options.quality != nil && LZWLoss(request.options) != nil }

    /// An image with as many holes as pay for themselves: all, long ones, or none.
    private mutating func filled(
        _ image: consuming IndexedImage, _ work: inout WorkGuard
    ) throws(ImageError) -> IndexedImage {
        guard let shown, let table = image.localTable ?? indexer.globalTable else { return image }
        let colors = DistinctColors(table)
        var best = image
        var leastCost = try writer.cost(of: best, &work)
        for length in [SubFrame.Content.usualRun, Int.max] {
            var other = best
            try other.indices.makeUnique()
            other.clears = nil
            try shown.fill(&other, colors, runsShorterThan: length, &work)
            let cost = try writer.cost(of: other, &work)
            if cost < leastCost { (best, leastCost) = (other, cost) }
        }
        return best
    }

    /// A frame as an image with the table of the file, or with one of its own where that is shorter; `nil` if it has too many
    /// colours.
    private mutating func exactImage(of frame: SubFrame, _ work: inout WorkGuard) throws(ImageError) -> IndexedImage? {
        guard let own = try indexer.exactImage(of: frame, &work) else { return nil }
        guard let global = indexer.globalPlaces(of: own) else {
            return isExact || request.options.gif.tables != .global || indexer.globalTable == nil ? own : nil
        }
        let mayPay =
            request.options.gif.tables == .automatic && request.options.effort != .fast
            && own.minimumCodeSize < global.minimumCodeSize && own.localTable?.count ?? 0 <= Self.largestShortTable
        let ownCost = mayPay ? try writer.cost(of: own, &work) : .max
        let shared = try indexer.image(consume own, at: global, &work)
        guard ownCost < .max, try writer.cost(of: shared, &work) > ownCost else { return shared }
        return try indexer.exactImage(of: frame, &work)
    }

    /// An index that no pixel of an image has, if there is one.
    ///
    /// Pillow (13.0) clears to transparent pixels only if the frame has a transparent index, and keeps them only if the first frame has.
    private func unusedIndex(_ image: IndexedImage) -> UInt8? {
        guard let table = image.localTable ?? indexer.globalTable else { return nil }
        if let index = table.transparentIndex { return index }
        let isPadded = table.count < 1 << ColorTable.bitCount(entryCount: table.count)
        return isPadded ? UInt8(truncatingIfNeeded: table.count) : nil
    }

    /// An image that changes nothing: one transparent pixel.
    private static func nothing(_ meter: MemoryMeter?) throws(ImageError) -> IndexedImage {
        IndexedImage(
            PixelRect(x: 0, y: 0, width: 1, height: 1), localTable: [0, 0xFF00_0000], transparentIndex: 0,
            minimumCodeSize: 2, indices: try ScratchBuffer(byteCount: 1, filledWith: 0, meter: meter))
    }
}

extension GraphicControl {
    /// Says what becomes of the frame's rectangle.
    mutating func setDisposal(_ disposal: FrameInfo.Disposal) {
        switch disposal {
        case .keep: disposalMethod = 1
        case .clear: disposalMethod = 2
        case .restore: disposalMethod = 3
        }
    }
}
