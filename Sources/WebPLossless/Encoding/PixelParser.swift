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

    private let size: PixelSize
    private let effort: Effort
    private let pixelCount: Int
    private var table: NumberBuffer<UInt32>
    private var previous: NumberBuffer<UInt32>
    private var found: NumberBuffer<UInt32>
    private(set) var copies: CopyList
    private var pixelPrices: NumberBuffer<UInt16>
    private var costs: NumberBuffer<UInt32>
    private var steps: NumberBuffer<UInt32>
    /// Distances of the near places that are looked at from each position, and what can be copied from them.
    private let places: [UInt32]
    private var runs: NumberBuffer<UInt32>

    /// Pixels of a segment: a sum of that many prices does not overflow.
    private static let segmentPixelCount = 1 << 20
    /// Pixels between two looks at the clock.
    private static let stepCount = 1 << 12

    init(_ size: PixelSize, effort: Effort, meter: MemoryMeter?) throws(ImageError) {
        self.size = size
        self.effort = effort
        pixelCount = size.width * size.height
        let segmentCount = effort.passCount > 0 ? min(pixelCount, Self.segmentPixelCount) : 0
        table = try NumberBuffer(count: PixelMatchKernel.tableCount(pixelCount), meter: meter)
        previous = try NumberBuffer(count: effort.depth.chainLength > 1 ? pixelCount : 0, meter: meter)
        found = try NumberBuffer(count: effort == .none ? 0 : pixelCount, meter: meter)
        copies = try CopyList(pixelCount: effort == .none ? 0 : pixelCount, meter: meter)
        pixelPrices = try NumberBuffer(count: segmentCount, meter: meter)
        costs = try NumberBuffer(count: segmentCount + 1, meter: meter)
        steps = try NumberBuffer(count: segmentCount, meter: meter)
        places = Array(Set(BackwardReferences.nearDistances(width: size.width)[..<effort.placeCount])).sorted()
        runs = try NumberBuffer(count: max(1, places.count), meter: meter)
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

    /// Makes a first choice.
    ///
    /// - Returns: the symbols that it takes.
    mutating func begin(
        _ pixels: Span<UInt32>, _ plan: inout CodedImagePlan, _ work: inout WorkGuard
    ) throws(ImageError) -> SymbolTotals {
        copies.removeAll()
        guard effort != .none else {
            return try copies.withSpan { (copies) throws(ImageError) in try plan.totals(pixels, copies, work: &work) }
        }
        try findCopies(pixels, &work)
        plan.cacheBits = 0
        if effort.passCount == 0 || effort.beginsWithCopies { try chooseFirst(&work) }
        if effort.passCount > 0 {
            let plain = try copies.withSpan { (copies) throws(ImageError) in
                try plan.totals(pixels, copies, work: &work)
            }
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

    private mutating func findCopies(_ pixels: Span<UInt32>, _ work: inout WorkGuard) throws(ImageError) {
        table.withMutableSpan { table in for index in 0..<table.count { table[index] = 0 } }
        var start = 0
        while start < pixelCount {
            let end = min(start + Self.stepCount / (1 + effort.depth.chainLength / 8), pixelCount)
            try work.spend((end - start) * (2 + effort.depth.chainLength / 4))
            table.withMutableSpan { table in
                previous.withMutableSpan { previous in
                    found.withMutableSpan { found in
                        PixelMatchKernel.find(
                            pixels, start..<end, width: size.width, effort.depth, table: &table, previous: &previous,
                            copies: &found)
                    }
                }
            }
            start = end
        }
    }

    /// Pixels of copies that mostly take fewer bits than the pixels would.
    private static let shortestAtOnce = 5

    /// Takes copies that are long enough, if the one that begins a pixel later is not longer.
    private mutating func chooseFirst(_ work: inout WorkGuard) throws(ImageError) {
        var (position, start) = (0, 0)
        while position < pixelCount {
            let end = min(position + Self.stepCount, pixelCount)
            try work.spend(end - position)
            chooseFirst(from: &position, to: end, &start)
        }
    }

    private mutating func chooseFirst(from position: inout Int, to end: Int, _ start: inout Int) {
        let pixelCount = pixelCount
        var (place, first) = (position, start)
        found.withSpan { found in
            copies.withWords { words, count in
                while place < end {
                    let copy = found[place]
                    let length = PackedCopy.length(copy)
                    guard length >= Self.shortestAtOnce,
                        place + 1 >= pixelCount || PackedCopy.length(found[place + 1]) <= length
                    else {
                        place += 1
                        continue
                    }
                    words[count] =
                        CopyStep(pixelCount: place - first, length: length, distance: PackedCopy.distance(copy)).word
                    count += 1
                    place += length
                    first = place
                }
            }
        }
        (position, start) = (place, first)
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
            let totals = try copies.withSpan { (copies) throws(ImageError) in
                try plan.totals(pixels, copies, work: &work)
            }
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
        copies.removeAll()
        var literalStart = 0
        var start = 0
        while start < pixelCount {
            let segment = start..<min(start + Self.segmentPixelCount, pixelCount)
            try setPixelPrices(pixels, segment, prices, groups, &cache, &work)
            costs.withMutableSpan { $0[segment.count] = 0 }
            runs.withMutableSpan { runs in for index in 0..<runs.count { runs[index] = 0 } }
            var end = segment.count
            while end > 0 {
                let step = max(0, end - Self.stepCount)..<end
                try work.spend(4 * step.count)
                search(pixels, step, segment, prices)
                end = step.lowerBound
            }
            var position = segment.lowerBound
            while position < segment.upperBound {
                let end = min(position + 8 * Self.stepCount, segment.upperBound)
                try work.spend((end - position) / 4)
                collect(segment, from: &position, to: end, &literalStart)
            }
            start = segment.upperBound
        }
    }

    private mutating func setPixelPrices(
        _ pixels: Span<UInt32>, _ segment: Range<Int>, _ prices: PixelPrices, _ groups: GroupPrices?,
        _ cache: inout EncoderColorCache, _ work: inout WorkGuard
    ) throws(ImageError) {
        var position = segment.lowerBound
        guard let groups else {
            while position < segment.upperBound {
                let end = min(position + Self.stepCount, segment.upperBound)
                try work.spend(end - position)
                prices.symbols.withSpan {
                    setPixelPrices(pixels, position..<end, at: segment.lowerBound, $0, prices.usesCache, &cache)
                }
                position = end
            }
            return
        }
        let grid = groups.map.grid
        while position < segment.upperBound {
            let (y, x) = position.quotientAndRemainder(dividingBy: size.width)
            let columns = grid.columns(x >> grid.sizeBits)
            let end = min(segment.upperBound, position + columns.upperBound - x)
            try work.spend(end - position)
            let group = Int(groups.map.groups[(y >> grid.sizeBits) * grid.columnCount + (x >> grid.sizeBits)])
            groups.symbols.withSpan { symbols in
                let symbols = symbols.extracting(group * groups.symbolCount..<(group + 1) * groups.symbolCount)
                setPixelPrices(pixels, position..<end, at: segment.lowerBound, symbols, prices.usesCache, &cache)
            }
            position = end
        }
    }

    private mutating func setPixelPrices(
        _ pixels: Span<UInt32>, _ range: Range<Int>, at start: Int, _ prices: Span<UInt16>, _ usesCache: Bool,
        _ cache: inout EncoderColorCache
    ) {
        pixelPrices.withMutableSpan { target in
            // One that equals the pixel before costs the same, or is in the cache then.
            var (last, lastPrice): (UInt32?, UInt16) = (nil, 0)
            for index in range {
                let pixel = pixels[index]
                guard pixel != last else {
                    target[index - start] = lastPrice
                    continue
                }
                last = pixel
                lastPrice = Self.price(pixel, prices)
                target[index - start] = lastPrice
                guard usesCache else { continue }
                lastPrice = prices[PixelSymbols.cache + cache.place(of: pixel)]
                if cache.find(pixel) != nil { target[index - start] = lastPrice }
            }
        }
    }

    @inline(__always)
    private static func price(_ pixel: UInt32, _ prices: Span<UInt16>) -> UInt16 {
        prices[PixelSymbols.green(of: pixel)] &+ prices[PixelSymbols.red(of: pixel)]
            &+ prices[PixelSymbols.blue(of: pixel)] &+ prices[PixelSymbols.alpha(of: pixel)]
    }

    private mutating func search(
        _ pixels: Span<UInt32>, _ step: Range<Int>, _ segment: Range<Int>, _ prices: PixelPrices
    ) {
        let places = places
        pixelPrices.withSpan { pixelPrices in
            found.withSpan { found in
                prices.lengths.withSpan { lengths in
                    prices.near.withSpan { near in
                        prices.far.withSpan { far in
                            costs.withMutableSpan { costs in
                                steps.withMutableSpan { steps in
                                    places.withSpan { places in
                                        runs.withMutableSpan { runs in
                                            PixelPathKernel.search(
                                                pixels, from: segment.lowerBound, step, end: segment.count,
                                                pixelPrices: pixelPrices,
                                                copies: found.extracting(segment), lengthPrices: lengths,
                                                nearPrices: near,
                                                farPrices: far, places: places, runs: &runs,
                                                triedCount: effort.triedLengthCount, costs: &costs, steps: &steps)
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    private mutating func collect(
        _ segment: Range<Int>, from position: inout Int, to end: Int, _ literalStart: inout Int
    ) {
        var (place, start) = (position, literalStart)
        steps.withSpan { steps in
            copies.withWords { words, count in
                while place < end {
                    let step = steps[place - segment.lowerBound]
                    guard step != 0 else {
                        place += 1
                        continue
                    }
                    words[count] = UInt64(place - start) << 32 | UInt64(step)
                    count += 1
                    place += PackedCopy.length(step)
                    start = place
                }
            }
        }
        (position, literalStart) = (place, start)
    }
}
