// The cheapest way to write pixels one by one or as copies, when prices are given: from the end to the begin, each position knows
// what the rest costs from the next one.
//
// That a pixel is in the color cache does not depend on the way, since every pixel gets there: pixels have prices of their own.

/// What the search leaves out.
package protocol PixelPathSearching {}

extension PixelPathSearching {
    /// Pixels from which on a copy is not taken apart.
    package static var longStep: Int { 24 }

    /// Lengths that are the last with their prefix code: the shorter ones cost the same and reach less far.
    ///
    /// - Source: RFC 9649 section 3.6.2.2 "LZ77 Backward Reference".
    package static var lastLengths: [Int] {
        [2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096]
    }
}

#if !ReferenceKernels
package enum PixelPathKernel: PixelPathSearching {
    /// Finds, for each position of a range, the first step of the cheapest way to the end of its segment.
    ///
    /// - Parameters:
    ///   - pixels: the picture.
    ///   - start: the segment's first pixel.
    ///   - range: positions in the segment; the ways from `range.upperBound` on are known.
    ///   - end: positions of the segment; copies are cut off there.
    ///   - pixelPrices: of each position written as a pixel.
    ///   - copies: of each position; see ``PackedCopy``.
    ///   - lengthPrices: by length, 0...4096.
    ///   - nearPrices: of short distances, by distance.
    ///   - farPrices: of the distances that have no near place, by the prefix code of the distance's code.
    ///   - places: distances from which a copy is looked for at each position, each one that `nearPrices` has.
    ///   - runs: for each of them, how many pixels from `range.upperBound` on can be copied; 0 at the end of the segment.
    ///   - triedCount: of the lengths shorter than a copy's own, as many are tried.
    ///   - costs: gets what the way from each position of the range costs, then has those of the positions after it that copies
    ///     reach, and of the end.
    ///   - steps: gets the first step: a packed copy, or 0 for a pixel.
    package static func search(
        _ pixels: Span<UInt32>, from start: Int, _ range: Range<Int>, end: Int, pixelPrices: Span<UInt16>,
        copies: Span<UInt32>, lengthPrices: Span<UInt32>,
        nearPrices: Span<UInt32>, farPrices: Span<UInt32>, places: Span<UInt32>, runs: inout MutableSpan<UInt32>,
        triedCount: Int, costs: inout MutableSpan<UInt32>, steps: inout MutableSpan<UInt32>
    ) {
        precondition(range.lowerBound >= 0 && range.upperBound <= end, "no such range")
        precondition(pixelPrices.count >= end && copies.count >= end && steps.count >= end)
        precondition(
            costs.count > min(end - range.lowerBound, range.count + BackwardReferences.longestLength),
            "costs that are missing")
        precondition(
            lengthPrices.count > BackwardReferences.longestLength && farPrices.count >= PrefixAlphabet.distanceCount)
        precondition(start >= 0 && start + end <= pixels.count && runs.count >= places.count)
        for index in places.indices { precondition(places[index] > 0 && Int(places[index]) < nearPrices.count) }
        let lastLengths = Self.lastLengths
        unsafe pixels.withUnsafeBufferPointer { pixels in
            unsafe places.withUnsafeBufferPointer { places in
                unsafe runs.withUnsafeMutableBufferPointer { runs in
                    unsafe pixelPrices.withUnsafeBufferPointer { pixelPrices in
                        unsafe copies.withUnsafeBufferPointer { copies in
                            unsafe lengthPrices.withUnsafeBufferPointer { lengthPrices in
                                unsafe costs.withUnsafeMutableBufferPointer { costs in
                                    unsafe steps.withUnsafeMutableBufferPointer { steps in
                                        unsafe lastLengths.withUnsafeBufferPointer { lastLengths in
                                            unsafe nearPrices.withUnsafeBufferPointer { nearPrices in
                                                unsafe farPrices.withUnsafeBufferPointer { farPrices in
                                                    guard !range.isEmpty else { return }
                                                    let paths = unsafe PixelPaths(
                                                        pixelPrices: pixelPrices.baseAddress!,
                                                        copies: copies.baseAddress!,
                                                        lengthPrices: lengthPrices.baseAddress!, nearPrices: nearPrices,
                                                        farPrices: farPrices.baseAddress!, lastLengths: lastLengths,
                                                        triedCount: triedCount, costs: costs.baseAddress!,
                                                        first: range.lowerBound, steps: steps.baseAddress!,
                                                        pixels: pixels.baseAddress! + start, start: start,
                                                        places: places, runs: runs)
                                                    unsafe paths.search(range, end)
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
        }
    }
}

/// SAFETY, for all of it. Positions are below `end`, which all tables reach. Lengths are at most 4096 and cut off at `end`, and costs
/// reach as far from the range's first position on, one further than its last and the longest; prefix codes of distances are cut off
/// at the last.
@unsafe
private struct PixelPaths {
    let pixelPrices: UnsafePointer<UInt16>
    let copies: UnsafePointer<UInt32>
    let lengthPrices: UnsafePointer<UInt32>
    let nearPrices: UnsafeBufferPointer<UInt32>
    let farPrices: UnsafePointer<UInt32>
    let lastLengths: UnsafeBufferPointer<Int>
    let triedCount: Int
    let costs: UnsafeMutablePointer<UInt32>
    /// The position that costs begin with.
    let first: Int
    let steps: UnsafeMutablePointer<UInt32>
    /// Of the segment, whose first has the index `start` in the picture.
    let pixels: UnsafePointer<UInt32>
    let start: Int
    let places: UnsafeBufferPointer<UInt32>
    let runs: UnsafeMutableBufferPointer<UInt32>

    func search(_ range: Range<Int>, _ end: Int) {
        var index = range.upperBound
        while index > range.lowerBound {
            index = unsafe goOn(from: index, range.lowerBound, end)
            guard index > range.lowerBound else { break }
            index &-= 1
            var best = unsafe costs[index &+ 1 &- first] &+ UInt32(pixelPrices[index])
            var step: UInt32 = 0
            let copy = unsafe copies[index]
            if copy != 0 {
                let length = min(PackedCopy.length(copy), end &- index)
                let distance = PackedCopy.distance(copy)
                let price = unsafe distancePrice(distance)
                let whole = unsafe costs[index &+ length &- first] &+ lengthPrices[length] &+ price
                if whole < best && length > 1 {
                    best = whole
                    step = PackedCopy.make(length: length, distance: distance)
                }
                unsafe shorter(index, length, distance, price, &best, &step)
            }
            unsafe lookNear(index, end, &best, &step)
            unsafe costs[index &- first] = best
            unsafe steps[index] = step
        }
    }

    /// If a long copy begins at `index`, the pixels before it that belong to it are taken as they are: nothing is tried within it, and
    /// one longer than a copy may be is several.
    ///
    /// - Returns: where the copy begins then.
    @inline(__always)
    private func goOn(from index: Int, _ least: Int, _ end: Int) -> Int {
        guard index < end else { return index }
        let step = unsafe steps[index]
        var length = min(PackedCopy.length(step), end &- index)
        guard length >= PixelPathKernel.longStep else { return index }
        let distance = PackedCopy.distance(step)
        // As far as the pixels have ones before them.
        let nearest = unsafe max(least, distance &- start)
        let longest = BackwardReferences.longestLength
        let rest = unsafe costs[index &- first] &- lengthPrices[length]
        let price = unsafe lengthPrices[longest] &+ distancePrice(distance)
        var position = index
        while unsafe position > nearest && pixels[position &- 1] == pixels[position &- 1 &- distance] {
            position &-= 1
            if length < longest {
                length &+= 1
                unsafe costs[position &- first] = rest &+ lengthPrices[length]
            } else {
                unsafe costs[position &- first] = costs[position &+ longest &- first] &+ price
            }
            unsafe steps[position] = PackedCopy.make(length: length, distance: distance)
        }
        guard position < index else { return index }
        // What other places repeat here is not asked: their copies end where this one begins.
        var place = 0
        while unsafe place < places.count {
            unsafe runs[place] =
                Int(places[place]) == distance ? min(runs[place] &+ UInt32(index &- position), 4096) : 0
            place &+= 1
        }
        return position
    }

    /// Tries copies from the near places: what can be copied from each is known from the position after.
    @inline(__always)
    private func lookNear(_ index: Int, _ end: Int, _ best: inout UInt32, _ step: inout UInt32) {
        var place = 0
        while unsafe place < places.count {
            let distance = unsafe Int(places[place])
            if unsafe distance <= start &+ index && pixels[index] == pixels[index &- distance] {
                let run = unsafe min(runs[place] &+ 1, 4096, UInt32(truncatingIfNeeded: end &- index))
                unsafe runs[place] = run
                let length = Int(run)
                let price = unsafe nearPrices[distance]
                let cost = unsafe costs[index &+ length &- first] &+ lengthPrices[length] &+ price
                if cost < best && length > 1 {
                    best = cost
                    step = PackedCopy.make(length: length, distance: distance)
                }
            } else {
                unsafe runs[place] = 0
            }
            place &+= 1
        }
    }

    /// Tries shorter copies from the same place, the longest first.
    @inline(__always)
    private func shorter(
        _ index: Int, _ length: Int, _ distance: Int, _ price: UInt32, _ best: inout UInt32, _ step: inout UInt32
    ) {
        // The last of the lengths that are shorter: there are two for each power of two, from 2 and 3 on.
        let exponent = Int.bitWidth &- 1 &- (length &- 1).leadingZeroBitCount
        guard length > 2 else { return }
        var place = 2 &* exponent &- 1
        while place >= 0, unsafe lastLengths[place] >= length { place &-= 1 }
        var left = unsafe triedCount
        while place >= 0 && left > 0 {
            let tried = unsafe lastLengths[place]
            let cost = unsafe costs[index &+ tried &- first] &+ lengthPrices[tried] &+ price
            if cost < best {
                best = cost
                step = PackedCopy.make(length: tried, distance: distance)
            }
            place &-= 1
            left &-= 1
        }
    }

    @inline(__always)
    private func distancePrice(_ distance: Int) -> UInt32 {
        if unsafe distance < nearPrices.count { return unsafe nearPrices[distance] }
        return unsafe farPrices[
            min(PrefixAlphabet.distanceCount - 1, PixelSymbols.prefix(distance &+ BackwardReferences.nearCount).symbol)]
    }
}
#endif
