// How a picture is written: which colour type, which order of a palette, which filters. What may pay is tried on rows that were kept.

import DeflateCodec
import ImageCodecsCore
import ImagePalettes

/// Chooses the encoding of a picture whose pixels were surveyed, and how its scanlines are filtered.
struct EncodingChoice {
    let survey: PixelSurvey
    let size: PixelSize
    let grayUse: PixelEncoding.GrayUse
    let effort: EncodingOptions.Effort
    /// Whether there is time to try several ways of filtering on all of it.
    let isSmall: Bool
    /// Filters that are tried beside others with the best effort, scanline by scanline; may be empty.
    let ownFilters: [ScanlineFilter]
    let meter: MemoryMeter?

    /// Of this many stretches of a scanline one decides about its filter, if little time is to be spent.
    static let fastStep = 4
    /// The share of pixels that equal the one to their left from which on a picture may be a drawing, whose repetitions
    /// filters destroy. Of photographs it is a tenth at most.
    private static let drawingShare = 0.25
    /// Bits of a byte that filters leave, up to which one filter for all scanlines may be better than the one that leaves the fewest
    /// bits of each. Photographs have more.
    private static let smoothBits = 1.5

    /// The same for small pictures, and the part of their bytes that is left without filters up to which several ways are tried.
    private static let smoothBitsOfSmall = 1.5, repeatingShare = 2.0 / 3

    /// The part of a picture without filters by which effort default makes it smaller than one with filters, compared with `fast`.
    private static let searchShare = 10
    /// The same for one filter for all scanlines, compared with one chosen for each.
    private static let fixedShare = 20

    /// A colour that more than this part of all pixels has is a background: as the number zero it equals what is left of the first pixel.
    private static let backgroundPart = 4

    /// The bits of differences of indices, as a share of those of the indices themselves, up to which filters are tried.
    private static let differenceShare = 0.85

    /// Files are tried without a palette of which it would be more than this part.
    private static let palettePart = 4
    /// About what the header of a block takes.
    private static let headerByteCount = 64

    private var fewestBits: FilterStrategy { .fewestBits(step: effort == .fast ? Self.fastStep : 1) }
    /// How filters are chosen for each scanline where that pays: in photographs others leave hardly less than the fewest bits.
    private var byScanline: FilterStrategy { effort == .fast ? fewestBits : .shortest }
    private var mayBeDrawing: Bool { survey.samples.repeatedShare >= Self.drawingShare }

    /// Whether all scanlines are held, so that several ways of filtering can be tried on them.
    private var isHeld: Bool { effort == .best || effort == .default && isSmall }

    /// The encoding, and the ways of filtering its scanlines of which one is the best: one only if scanlines are not held.
    func choose(_ work: inout WorkGuard) throws(ImageError) -> (PixelEncoding, [FilterStrategy]) {
        let encoding = PixelEncoding(survey, size: size, grayUse: grayUse)
        if encoding.colorType == .indexed { return try choosePalette(encoding, &work) }
        if effort == .best { return (encoding, strategies(encoding)) }
        guard encoding.isFiltered else { return (encoding, isHeld ? strategies(encoding) : [.fixed(.none)]) }
        return (encoding, try chooseStrategies(encoding, &work))
    }

    /// Ways of filtering samples of which all rows are held, the likeliest first.
    private func strategies(_ encoding: PixelEncoding) -> [FilterStrategy] {
        let (unfiltered, fixed) = (FilterStrategy.fixed(.none), [FilterStrategy.fixed(.sub), .fixed(.up)])
        // Samples that share a byte are filtered only if the whole picture shows whether that pays.
        guard encoding.isFiltered else { return withOwn([unfiltered, byScanline] + fixed.reversed()) }
        return withOwn([byScanline, fewestBits, .leastPairEntropy] + fixed + [.fixed(.paeth), unfiltered])
    }

    /// The ways of filtering samples among which the best is, as far as some rows tell.
    private func chooseStrategies(
        _ encoding: PixelEncoding, _ work: inout WorkGuard
    ) throws(ImageError) -> [FilterStrategy] {
        let samples = try samples(encoding)
        guard isHeld else { return [try chooseStrategy(samples, &work)] }
        if mayBeDrawing { return strategies(encoding) }
        let unfiltered = try samples.bestStrategy(of: [.fixed(.none)], .fast, meter: meter, work: &work).byteCount
        let isRepeating = Double(unfiltered) < Self.repeatingShare * Double(samples.filteredByteCount)
        let isSmooth = try samples.residualBits(meter: meter, work: &work) < Self.smoothBitsOfSmall
        return isRepeating || isSmooth ? strategies(encoding) : [fewestBits]
    }

    /// The way of filtering samples of which only some rows are held.
    private func chooseStrategy(
        _ samples: ScanlineStore, _ work: inout WorkGuard
    ) throws(ImageError) -> FilterStrategy {
        func byteCount(
            _ strategies: [FilterStrategy], _ work: inout WorkGuard
        ) throws(ImageError) -> (strategy: FilterStrategy, byteCount: Int) {
            try samples.bestStrategy(of: strategies, .fast, meter: meter, work: &work)
        }
        var filtered: Int?
        let unfiltered = mayBeDrawing || effort != .fast || isSmall ? try byteCount([.fixed(.none)], &work) : nil
        if let unfiltered, mayBeDrawing || unfiltered.byteCount < samples.filteredByteCount / 2 {
            let count = try byteCount([byScanline], &work).byteCount
            // More search finds more in what is not filtered.
            let share = effort == .fast || !mayBeDrawing ? 0 : unfiltered.byteCount / Self.searchShare
            if unfiltered.byteCount - share < count { return unfiltered.strategy }
            filtered = count
        }
        guard try samples.residualBits(meter: meter, work: &work) < Self.smoothBits else {
            return mayBeDrawing ? byScanline : fewestBits
        }
        let fixed = try byteCount([.fixed(.sub), .fixed(.up)], &work)
        let count = if let filtered { filtered } else { try byteCount([byScanline], &work).byteCount }
        let share = effort == .fast ? 0 : fixed.byteCount / Self.fixedShare
        return fixed.byteCount - share < count ? fixed.strategy : byScanline
    }

    private func withOwn(_ strategies: [FilterStrategy]) -> [FilterStrategy] {
        strategies + (ownFilters.isEmpty ? [] : [.given(ownFilters)])
    }

    private func samples(_ encoding: PixelEncoding) throws(ImageError) -> ScanlineStore {
        try survey.samples.scanlines(encoding, meter: meter)
    }

    // MARK: - Palettes

    /// A palette by popularity needs no filters. Others leave indices that filters make small.
    private func choosePalette(
        _ encoding: PixelEncoding, _ work: inout WorkGuard
    ) throws(ImageError) -> (PixelEncoding, [FilterStrategy]) {
        let unfiltered = FilterStrategy.fixed(.none)
        let filtered: [FilterStrategy] = [.fixed(.sub), byScanline, .fixed(.up)]
        let isBest = effort == .best
        let trying: CompressionEffort = effort == .fast ? .fast : .default
        var best = (encoding: encoding, strategy: unfiltered, byteCount: Int.max, palette: 0)
        func consider(
            _ encoding: PixelEncoding, _ strategies: [FilterStrategy], _ work: inout WorkGuard
        ) throws(ImageError) {
            let store = try samples(encoding)
            let found = try store.bestStrategy(of: strategies, trying, meter: meter, work: &work)
            // What is not filtered repeats more in the whole picture than in parts of it.
            let penalty = isBest || found.strategy == unfiltered ? 0 : found.byteCount / 32
            let palette = encoding.paletteBody.count + encoding.transparencyBody.count
            let byteCount = estimatedByteCount(encoding, found.byteCount + penalty, of: store) + palette
            if byteCount < best.byteCount { best = (encoding, found.strategy, byteCount, palette) }
        }
        let orders = try orders(encoding, &work)
        // What repeats begins at any pixel, not at those alone that begin a byte.
        let triesUnpacked = isHeld && encoding.bitDepth < 8 && (isBest || encoding.bitDepth == 4)
        guard !orders.isEmpty || triesUnpacked else {
            return (encoding, isHeld ? paletteStrategies([unfiltered]) : [unfiltered])
        }
        try consider(encoding, isBest ? [unfiltered, byScanline] : [unfiltered], &work)
        for order in orders {
            let sorted = PixelEncoding(survey, size: size, grayUse: grayUse, paletteOrder: order)
            try consider(sorted, filtered, &work)
        }
        if isBest || best.byteCount < Self.palettePart * best.palette {
            let direct = PixelEncoding(survey, size: size, grayUse: grayUse, paletteOrder: nil)
            try consider(direct, filtered, &work)
        }
        guard isHeld else { return (best.encoding, [best.strategy]) }
        if triesUnpacked, let colors = survey.counted.colors {
            let unpacked = PixelEncoding(palette: colors, .popularity, survey.counted.counts, isPacked: false)
            try consider(unpacked, [unfiltered], &work)
        }
        return (best.encoding, paletteStrategies([best.strategy]))
    }

    /// About how many bytes image data has of which some scanlines became `byteCount`: the header of a block is there once.
    private func estimatedByteCount(_ encoding: PixelEncoding, _ byteCount: Int, of scanlines: ScanlineStore) -> Int {
        let all = Double(encoding.bytesPerScanline(width: size.width)) * Double(size.height)
        let rest = Double(max(0, byteCount - Self.headerByteCount))
        return min(byteCount, Self.headerByteCount) + Int(rest * max(1, all / Double(scanlines.filteredByteCount)))
    }

    /// Ways of filtering indices all of which are held, these first.
    private func paletteStrategies(_ first: [FilterStrategy]) -> [FilterStrategy] {
        let all: [FilterStrategy] = [.fixed(.none), byScanline, .fixed(.sub), .fixed(.up), .leastPairEntropy]
        let more = effort == .best ? [fewestBits] : []
        return withOwn(first + (all + more).filter { !first.contains($0) })
    }

    /// Orders of a palette by which neighbours in the picture have numbers near each other, the best first; none if little time is
    /// to be spent and their differences have hardly less variety than the indices.
    private func orders(
        _ encoding: PixelEncoding, _ work: inout WorkGuard
    ) throws(ImageError) -> [PixelEncoding.PaletteOrder] {
        guard let colors = survey.counted.colors, effort != .fast else { return [.luminance] }
        let byNumber = PixelEncoding(
            palette: colors, .numbers(Array(colors.colors.indices)), survey.counted.counts, isPacked: false)
        // Colours with alpha come first, whatever the order is.
        let sorted = byNumber.palette?.colors ?? []
        let numbers = sorted.map { color in colors.colors.firstIndex(of: color) ?? 0 }
        var neighbors = try NeighborOrder(colorCount: sorted.count, meter: meter)
        let rowStep = effort == .best ? 1 : 4
        try survey.samples.forEachScanline(byNumber, step: rowStep, meter: meter, work: &work) { neighbors.add($0) }
        try work.spend(2 * sorted.count * sorted.count)
        let order = neighbors.order
        let byNeighbors = PixelEncoding.PaletteOrder.numbers(order.map { numbers[$0] })
        let popular = survey.counted.counts.indices.max { survey.counted.counts[$0] < survey.counted.counts[$1] } ?? 0
        let popularFirst = PixelEncoding.PaletteOrder.numbers(
            [popular] + order.map { numbers[$0] }.filter { $0 != popular })
        let luminance = PixelEncoding(palette: colors, .luminance, survey.counted.counts).palette?.colors ?? []
        let places = luminance.map { color in sorted.firstIndex(of: color) ?? 0 }
        let isBetter = neighbors.bitCount(order) < neighbors.bitCount(places)
        if effort != .best, neighbors.differenceShare(isBetter ? order : places) > Self.differenceShare { return [] }
        let both = isBetter ? [byNeighbors, .luminance] : [.luminance, byNeighbors]
        if effort == .best { return both + [popularFirst] }
        let isBackground = survey.counted.counts[popular] > survey.counted.counts.reduce(0, +) / Self.backgroundPart
        return both.prefix(1) + (isBackground ? [popularFirst] : [])
    }
}
