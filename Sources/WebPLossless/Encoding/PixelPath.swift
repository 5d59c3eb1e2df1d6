// What the search for the cheapest way through a segment of an image holds.

import ImageCodecsCore

/// The cheapest way through one segment after the other: what pixels cost, and the first step from each position.
struct PixelPath: Sendable {
    private var pixelPrices: NumberBuffer<UInt16>
    private var steps: NumberBuffer<UInt32>
    /// What the ways from the positions of a step cost, and from those that their copies reach.
    private var costs: NumberBuffer<UInt32>
    /// Distances of near places, and what can be copied from them.
    private let places: [UInt32]
    private var runs: NumberBuffer<UInt32>

    /// - Parameters:
    ///   - pixelCount: of the longest segment.
    ///   - places: distances from which a copy is looked for at each position.
    init(pixelCount: Int, _ places: [UInt32], meter: MemoryMeter?) throws(ImageError) {
        pixelPrices = try NumberBuffer(count: pixelCount, meter: meter)
        steps = try NumberBuffer(count: pixelCount, meter: meter)
        costs = try NumberBuffer(count: Self.costCount(pixelCount), meter: meter)
        self.places = places
        runs = try NumberBuffer(count: max(1, places.count), meter: meter)
    }

    private static func costCount(_ pixelCount: Int) -> Int {
        min(pixelCount, CopyList.stepPixelCount + BackwardReferences.longestLength) + 1
    }

    /// Bytes held for segments of this many pixels; there are 120 near places at most.
    static func byteCount(pixelCount: Int) -> Int { 6 * pixelCount + 4 * costCount(pixelCount) + 4 * 120 }

    /// Begins at the end of a segment.
    mutating func begin() {
        costs.withMutableSpan { $0[0] = 0 }
        runs.withMutableSpan { runs in for index in 0..<runs.count { runs[index] = 0 } }
    }

    /// Finds the first steps from the positions before those of the last call.
    ///
    /// - Parameters:
    ///   - step: positions in the segment, at most ``CopyList/stepPixelCount``.
    ///   - found: copies from each pixel of the image on.
    ///   - triedCount: of the lengths shorter than a copy's own, as many are tried.
    mutating func search(
        _ pixels: Span<UInt32>, _ step: Range<Int>, _ segment: Range<Int>, _ found: Span<UInt32>, triedCount: Int,
        _ prices: PixelPrices
    ) {
        costs.withMutableSpan { costs in
            let known = min(segment.count - step.upperBound, BackwardReferences.longestLength)
            for index in (0...known).reversed() { costs[index + step.count] = costs[index] }
        }
        let places = places
        pixelPrices.withSpan { pixelPrices in
            prices.lengths.withSpan { lengths in
                prices.near.withSpan { near in
                    prices.far.withSpan { far in
                        costs.withMutableSpan { costs in
                            steps.withMutableSpan { steps in
                                places.withSpan { places in
                                    runs.withMutableSpan { runs in
                                        PixelPathKernel.search(
                                            pixels, from: segment.lowerBound, step, end: segment.count,
                                            pixelPrices: pixelPrices, copies: found.extracting(segment),
                                            lengthPrices: lengths, nearPrices: near, farPrices: far, places: places,
                                            runs: &runs, triedCount: triedCount, costs: &costs, steps: &steps)
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /// Takes the copies of the way.
    ///
    /// - Parameters:
    ///   - position: where the way goes on; afterwards it is `end` at least.
    ///   - end: at most ``CopyList/stepPixelCount`` pixels after it.
    ///   - literalStart: the first pixel that is in no copy yet.
    mutating func collect(
        _ segment: Range<Int>, from position: inout Int, to end: Int, _ literalStart: inout Int,
        into copies: inout CopyList
    ) throws(ImageError) {
        var (place, start) = (position, literalStart)
        try steps.withSpan { (steps) throws(ImageError) in
            try copies.append(end - place) { words, count in
                while place < end {
                    let step = steps[place - segment.lowerBound]
                    guard step != 0 else {
                        place += 1
                        continue
                    }
                    CopyList.append(step, after: place - start, to: &words, at: &count)
                    place += PackedCopy.length(step)
                    start = place
                }
            }
        }
        (position, literalStart) = (place, start)
    }
}

extension PixelPath {
    /// Sets what the pixels of a segment cost.
    mutating func setPixelPrices(
        _ pixels: Span<UInt32>, _ segment: Range<Int>, width: Int, _ prices: PixelPrices, _ groups: GroupPrices?,
        _ cache: inout EncoderColorCache, _ work: inout WorkGuard
    ) throws(ImageError) {
        var position = segment.lowerBound
        guard let groups else {
            while position < segment.upperBound {
                let end = min(position + CopyList.stepPixelCount, segment.upperBound)
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
            let (y, x) = position.quotientAndRemainder(dividingBy: width)
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
}
