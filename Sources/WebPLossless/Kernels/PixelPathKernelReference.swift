// The plain twin of PixelPathKernel.

/// Finds the cheapest way, with plain loops.
package enum PixelPathKernelReference: PixelPathSearching {
    /// See `PixelPathKernel`.
    package static func search(
        _ pixels: Span<UInt32>, from start: Int, _ range: Range<Int>, end: Int, pixelPrices: Span<UInt16>,
        copies: Span<UInt32>, lengthPrices: Span<UInt32>, nearPrices: Span<UInt32>, farPrices: Span<UInt32>,
        places: Span<UInt32>, runs: inout MutableSpan<UInt32>, triedCount: Int, costs: inout MutableSpan<UInt32>,
        steps: inout MutableSpan<UInt32>
    ) {
        let first = range.lowerBound
        for index in range.reversed() {
            if let next = index + 1 < end ? steps[index + 1] : nil {
                let (length, distance) = (PackedCopy.length(next), PackedCopy.distance(next))
                if length >= longStep, repeats(pixels, start + index, distance) {
                    for place in places.indices {
                        runs[place] = Int(places[place]) == distance ? min(runs[place] + 1, 4096) : 0
                    }
                    let longer = min(length + 1, BackwardReferences.longestLength)
                    let rest =
                        longer > length
                        ? costs[index + 1 - first] - lengthPrices[length]
                        : costs[index + longer - first] + price(ofDistance: distance, nearPrices, farPrices)
                    costs[index - first] = rest + lengthPrices[longer]
                    steps[index] = PackedCopy.make(length: longer, distance: distance)
                    continue
                }
            }
            for place in places.indices {
                let isSame = repeats(pixels, start + index, Int(places[place]))
                runs[place] = isSame ? min(runs[place] + 1, 4096) : 0
            }
            var (best, step) = (costs[index + 1 - first] + UInt32(pixelPrices[index]), UInt32(0))
            func look(_ length: Int, _ distance: Int, _ costs: borrowing MutableSpan<UInt32>) {
                let cost =
                    costs[index + length - first] + lengthPrices[length]
                    + price(ofDistance: distance, nearPrices, farPrices)
                if length > 1, cost < best {
                    (best, step) = (cost, PackedCopy.make(length: length, distance: distance))
                }
            }
            if copies[index] != 0 {
                let length = min(PackedCopy.length(copies[index]), end - index)
                let distance = PackedCopy.distance(copies[index])
                look(length, distance, costs)
                for tried in lastLengths.filter({ $0 < length }).reversed().prefix(triedCount) {
                    look(tried, distance, costs)
                }
            }
            for place in places.indices where runs[place] > 1 { look(Int(runs[place]), Int(places[place]), costs) }
            costs[index - first] = best
            steps[index] = step
        }
    }

    private static func price(ofDistance distance: Int, _ near: Span<UInt32>, _ far: Span<UInt32>) -> UInt32 {
        distance < near.count
            ? near[distance]
            : far[
                min(
                    PrefixAlphabet.distanceCount - 1,
                    PixelSymbols.prefix(distance + BackwardReferences.nearCount).symbol)]
    }

    private static func repeats(_ pixels: Span<UInt32>, _ index: Int, _ distance: Int) -> Bool {
        distance <= index && pixels[index] == pixels[index - distance]
    }
}

#if ReferenceKernels
package typealias PixelPathKernel = PixelPathKernelReference
#endif
