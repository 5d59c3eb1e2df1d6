// From pixels to copies: which stretches of an image are written as copies of earlier ones.
//
//   pixels ──▶ copies at each position ──▶ a first choice of them ──▶ prices ──▶ the cheapest way, if there is time
//                                                     └──▶ color cache

import ImageCodecsCore

/// Chooses the copies of an image, and its color cache.
struct PixelParser: Sendable {
    /// How much is tried.
    struct Effort: Hashable, Sendable {
        var depth: PixelSearchDepth
        /// Ways that are looked for with prices; 0 for the first choice.
        var passCount: Int
        /// Of the lengths that are shorter than a copy's own, this many are tried.
        var triedLengthCount: Int
        /// Near places that copies are looked for at each position, at most 120.
        var placeCount: Int
        /// Sizes of the color cache that are tried, as bits.
        var cacheBits: [Int]
        /// Whether the first prices are those of copies that are long enough, instead of guesses.
        var beginsWithCopies = false

        /// No copies.
        static let none = Effort(
            depth: PixelSearchDepth(chainLength: 0, niceLength: 0), passCount: 0, triedLengthCount: 0, placeCount: 0,
            cacheBits: [0])
        static let fast = Effort(
            depth: PixelSearchDepth(chainLength: 1, niceLength: 32), passCount: 0, triedLengthCount: 0,
            placeCount: 0, cacheBits: [0, 8])
        /// ``fast`` for small pictures of few colours, where pixels take so few bits that copies must be chosen by what they take.
        static let fastOfSmall = Effort(
            depth: PixelSearchDepth(chainLength: 4, niceLength: 32), passCount: 1, triedLengthCount: 2,
            placeCount: 2, cacheBits: [0, 8])
        /// ``fastOfSmall`` for what predictions leave of smooth pictures.
        static let fastOfSmooth = Effort(
            depth: PixelSearchDepth(chainLength: 16, niceLength: 64), passCount: 1, triedLengthCount: 2,
            placeCount: 2, cacheBits: [0, 8])
        static let `default` = Effort(
            depth: PixelSearchDepth(chainLength: 16, niceLength: 32), passCount: 1, triedLengthCount: 4,
            placeCount: 4, cacheBits: [0, 4, 7, 8, 10])
        static let best = Effort(
            depth: PixelSearchDepth(chainLength: 64, niceLength: 128), passCount: 3, triedLengthCount: 24,
            placeCount: 32, cacheBits: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
        /// ``best`` for what repeats so much that more would find next to nothing.
        static let bestOfDrawings = Effort(
            depth: PixelSearchDepth(chainLength: 64, niceLength: 64), passCount: 2, triedLengthCount: 8,
            placeCount: 16, cacheBits: best.cacheBits)
    }

    /// The largest color cache that is tried for a picture, as bits.
    static func largestCacheBits(_ effort: EncodingOptions.Effort) -> Int {
        let effort = effort == .fast ? Effort.fast : .default
        return effort.cacheBits.max() ?? 0
    }

    private let size: PixelSize
    private let effort: Effort
    private let pixelCount: Int
    private let meter: MemoryMeter?
    /// Copies from each position on: of all pixels, or, if they are chosen at once, of a window.
    private var found: NumberBuffer<UInt32>
    private(set) var copies: CopyList
    /// Distances of the near places that are looked at from each position.
    private let places: [UInt32]

    /// Pixels of a segment: a sum of that many prices does not overflow.
    static let segmentPixelCount = 1 << 20
    /// Pixels between two looks at the clock.
    private static let stepCount = CopyList.stepPixelCount
    /// Pixels of which copies are held if they are chosen at once.
    static let windowPixelCount = 1 << 14

    init(_ size: PixelSize, effort: Effort, meter: MemoryMeter?) throws(ImageError) {
        self.size = size
        self.effort = effort
        self.meter = meter
        pixelCount = size.width * size.height
        let foundCount =
            effort == .none ? 0 : effort.passCount > 0 ? pixelCount : min(pixelCount, Self.windowPixelCount)
        found = try NumberBuffer(count: foundCount, meter: meter)
        copies = CopyList(pixelCount: pixelCount, meter: meter)
        places = Array(Set(BackwardReferences.nearDistances(width: size.width)[..<effort.placeCount])).sorted()
    }

    /// Chooses by prices of all pixels; the copies are in ``copies`` afterwards.
    ///
    /// - Returns: the symbols that it takes.
    mutating func parse(
        _ pixels: Span<UInt32>, _ plan: inout CodedImagePlan, _ work: inout WorkGuard
    ) throws(ImageError) -> SymbolTotals {
        var totals = try begin(pixels, &plan, &work)
        for _ in 0..<effort.passCount {
            try improve(pixels, plan, totals, nil, &work)
            totals = try chooseCache(pixels, &plan, &work)
        }
        return totals
    }

    /// Takes no copies.
    mutating func dropCopies() { copies.removeAll() }

    /// Gives back what only another choice would need.
    mutating func endSearch() { _ = found.handedOver() }

    /// Makes a first choice.
    ///
    /// - Returns: the symbols that it takes.
    mutating func begin(
        _ pixels: Span<UInt32>, _ plan: inout CodedImagePlan, _ work: inout WorkGuard
    ) throws(ImageError) -> SymbolTotals {
        copies.removeAll()
        guard effort != .none else { return try plan.totals(pixels, copies, work: &work) }
        try findCopies(pixels, &work)
        plan.cacheBits = 0
        if effort.passCount > 0 {
            let plain = try plan.totals(pixels, copies, work: &work)
            let prices = PixelPrices(plain, plan.distanceCodes, isFirst: !effort.beginsWithCopies)
            try findWay(pixels, plan, prices, nil, &work)
        }
        return try chooseCache(pixels, &plan, &work)
    }

    /// Chooses copies again, by prices that follow from the last choice.
    mutating func improve(
        _ pixels: Span<UInt32>, _ plan: CodedImagePlan, _ totals: SymbolTotals, _ groups: GroupPrices?,
        _ work: inout WorkGuard
    ) throws(ImageError) {
        try findWay(pixels, plan, PixelPrices(totals, plan.distanceCodes), groups, &work)
    }

    /// Finds copies from each position on, and takes those that are long enough if there is no other choice or it begins with them.
    private mutating func findCopies(_ pixels: Span<UInt32>, _ work: inout WorkGuard) throws(ImageError) {
        var table = try NumberBuffer<UInt32>(count: PixelMatchKernel.tableCount(pixelCount), meter: meter)
        let chainCount = effort.depth.chainLength > 1 ? PixelMatchKernel.chainCount(pixelCount) : 0
        var previous = try NumberBuffer<UInt32>(count: chainCount, meter: meter)
        let choosesAtOnce = effort.passCount == 0 || effort.beginsWithCopies
        var chosen = ChosenPixels()
        var (start, first) = (0, 0)
        while start < pixelCount {
            let end = min(start + Self.stepCount / (1 + effort.depth.chainLength / 8), pixelCount)
            try work.spend((end - start) * (2 + effort.depth.chainLength / 4))
            if end - first > found.count { move(from: &first, to: start) }
            let (range, from) = (start..<end, first)
            table.withMutableSpan { table in
                previous.withMutableSpan { previous in
                    found.withMutableSpan { found in
                        PixelMatchKernel.find(
                            pixels, range, width: size.width, effort.depth, table: &table, previous: &previous,
                            copies: &found, from: from)
                    }
                }
            }
            start = end
            // Those of the last positions may become longer.
            let known = end == pixelCount ? end : end - PixelMatchKernel.longestWayBack - 1
            if choosesAtOnce { try choose(&chosen, upTo: known, from: first, &work) }
        }
    }

    /// Moves the copies that are still asked for to the begin of the window.
    private mutating func move(from first: inout Int, to position: Int) {
        let next = position - PixelMatchKernel.longestWayBack - 2
        let distance = next - first
        let kept = position - next
        found.withMutableSpan { found in for index in 0..<kept { found[index] = found[index + distance] } }
        first = next
    }

    /// How far copies are chosen that are long enough.
    private struct ChosenPixels {
        /// Before it all is chosen, and up to this, which is no greater, all is in copies or before one.
        var position = 0, start = 0
    }

    /// Pixels of copies that mostly take fewer bits than the pixels would.
    private static let shortestAtOnce = 5

    /// Takes copies that are long enough, if the one that begins a pixel later is not longer.
    ///
    /// - Parameter first: the position that ``found`` begins with.
    private mutating func choose(
        _ chosen: inout ChosenPixels, upTo end: Int, from first: Int, _ work: inout WorkGuard
    ) throws(ImageError) {
        let pixelCount = pixelCount
        while chosen.position < end {
            let end = min(chosen.position + Self.stepCount, end)
            try work.spend(end - chosen.position)
            var (place, start) = (chosen.position, chosen.start)
            try found.withSpan { (found) throws(ImageError) in
                try copies.append(end - place) { words, count in
                    while place < end {
                        let copy = found[place - first]
                        let length = PackedCopy.length(copy)
                        guard length >= Self.shortestAtOnce,
                            place + 1 >= pixelCount || PackedCopy.length(found[place + 1 - first]) <= length
                        else {
                            place += 1
                            continue
                        }
                        CopyList.append(copy, after: place - start, to: &words, at: &count)
                        place += length
                        start = place
                    }
                }
            }
            chosen = ChosenPixels(position: place, start: start)
        }
    }

    /// Chooses the size of the color cache by what the image takes then.
    ///
    /// - Returns: the symbols that it takes.
    mutating func chooseCache(
        _ pixels: Span<UInt32>, _ plan: inout CodedImagePlan, _ work: inout WorkGuard
    ) throws(ImageError) -> SymbolTotals {
        var best: SymbolTotals?
        for bits in effort.cacheBits {
            plan.cacheBits = bits
            let totals = try plan.totals(pixels, copies, work: &work)
            if best.map({ totals.bitCount < $0.bitCount }) ?? true { best = totals }
        }
        let chosen = best ?? SymbolTotals(cacheBits: 0)
        plan.cacheBits = chosen.cacheBits
        return chosen
    }

    /// Takes the cheapest way at prices that follow from totals.
    private mutating func findWay(
        _ pixels: Span<UInt32>, _ plan: CodedImagePlan, _ prices: PixelPrices, _ groups: GroupPrices?,
        _ work: inout WorkGuard
    ) throws(ImageError) {
        var cache = EncoderColorCache(bitCount: plan.cacheBits)
        var path = try PixelPath(pixelCount: min(pixelCount, Self.segmentPixelCount), places, meter: meter)
        copies.removeAll()
        var literalStart = 0
        var start = 0
        while start < pixelCount {
            let segment = start..<min(start + Self.segmentPixelCount, pixelCount)
            try path.setPixelPrices(pixels, segment, width: size.width, prices, groups, &cache, &work)
            path.begin()
            var end = segment.count
            while end > 0 {
                let step = max(0, end - Self.stepCount)..<end
                try work.spend(4 * step.count)
                found.withSpan {
                    path.search(pixels, step, segment, $0, triedCount: effort.triedLengthCount, prices)
                }
                end = step.lowerBound
            }
            var position = segment.lowerBound
            while position < segment.upperBound {
                let end = min(position + Self.stepCount, segment.upperBound)
                try work.spend((end - position) / 4)
                try path.collect(segment, from: &position, to: end, &literalStart, into: &copies)
            }
            start = segment.upperBound
        }
    }
}
