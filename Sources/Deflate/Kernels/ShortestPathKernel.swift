// The cheapest way to write bytes as literals and matches, when prices are given: from the end to the begin, each position knows
// what the rest costs from the next one.

import ImageCodecsCore

/// What the search leaves out.
package protocol ShortestPathSearching {}

extension ShortestPathSearching {
    /// Of the lengths of a match that are longer than those of nearer ones, this many of the shortest and of the longest are
    /// considered.
    package static var shortestTried: Int { 4 }
    package static var longestTried: Int { 8 }
}

#if !ReferenceKernels
package enum ShortestPathKernel: ShortestPathSearching {
    /// Finds, for each position of a range, the first step of the cheapest way to its end.
    ///
    /// - Parameters:
    ///   - window: the input.
    ///   - range: the positions, a step of the whole work: the ways from `range.upperBound` on are known.
    ///   - end: where ways end; matches are cut off there.
    ///   - first: the position that `ends`, `costs` and `steps` begin with.
    ///   - prices: see ``DeflatePrices``.
    ///   - matches: words of ``PackedMatch``, by ascending length for each position.
    ///   - ends: for each position, how many matches there are up to and with it.
    ///   - costs: gets what the way from each position costs; one more than there are positions, of which that of `end` is 0.
    ///   - steps: gets the first step: length and distance, or 1 for a literal.
    package static func search(
        _ window: RawSpan, _ range: Range<Int>, end: Int, from first: Int, prices: Span<UInt32>, matches: Span<UInt32>,
        ends: Span<UInt32>, costs: inout MutableSpan<UInt32>, steps: inout MutableSpan<UInt32>
    ) {
        precondition(range.lowerBound >= first && range.upperBound <= end && end <= window.byteCount, "no such range")
        precondition(first >= 0 && ends.count >= end - first && steps.count >= end - first, "tables that are too small")
        precondition(costs.count > end - first && prices.count >= DeflatePrices.count, "tables that are too small")
        precondition(
            ends.isEmpty || Int(ends[range.upperBound - first - 1]) <= matches.count, "matches that are missing")
        unsafe window.withUnsafeBytes { window in
            unsafe prices.withUnsafeBufferPointer { prices in
                unsafe matches.withUnsafeBufferPointer { matches in
                    unsafe ends.withUnsafeBufferPointer { ends in
                        unsafe costs.withUnsafeMutableBufferPointer { costs in
                            unsafe steps.withUnsafeMutableBufferPointer { steps in
                                let paths = unsafe Paths(
                                    window: window.baseAddress! + first, prices: prices.baseAddress!,
                                    matches: matches, ends: ends.baseAddress!, costs: costs.baseAddress!,
                                    steps: steps.baseAddress!)
                                unsafe paths.search(range.lowerBound - first..<range.upperBound - first, end - first)
                            }
                        }
                    }
                }
            }
        }
    }
}

/// SAFETY, for all of it. Positions count from the first of the tables, all of which reach to `end`, the costs one further: a length
/// is cut off there. Lengths are at most 258, slots at most 31. Matches are read up to `ends`, which is checked against their number
/// where a position begins.
@unsafe
private struct Paths {
    let window: UnsafeRawPointer
    let prices: UnsafePointer<UInt32>
    let matches: UnsafeBufferPointer<UInt32>
    let ends: UnsafePointer<UInt32>
    let costs: UnsafeMutablePointer<UInt32>
    let steps: UnsafeMutablePointer<UInt32>

    func search(_ range: Range<Int>, _ end: Int) {
        var index = range.upperBound
        while index > range.lowerBound {
            index &-= 1
            let byte = unsafe window.load(fromByteOffset: index, as: UInt8.self)
            var best = unsafe costs[index &+ 1] &+ prices[Int(byte)]
            var step: UInt32 = 1
            var length = 3
            let limit = min(DeflateSymbols.longestMatch, end &- index)
            var number = unsafe index == 0 ? 0 : Int(ends[index &- 1])
            let stop = unsafe min(Int(ends[index]), matches.count)
            while number < stop {
                let match = unsafe matches.baseAddress.unsafelyUnwrapped[number]
                number &+= 1
                let longest = min(PackedMatch.length(match), limit)
                let price = unsafe prices[DeflatePrices.distances &+ PackedMatch.slot(match)]
                var pause = length &+ ShortestPathKernel.shortestTried
                if pause &+ ShortestPathKernel.longestTried > longest { pause = longest &+ 1 }
                while length <= longest {
                    if length == pause { length = longest &+ 1 &- ShortestPathKernel.longestTried }
                    let cost = unsafe costs[index &+ length] &+ prices[DeflatePrices.lengths &- 3 &+ length] &+ price
                    if cost < best {
                        best = cost
                        step = UInt32(truncatingIfNeeded: length) | PackedMatch.distance(match) &<< 16
                    }
                    length &+= 1
                }
            }
            unsafe costs[index] = best
            unsafe steps[index] = step
        }
    }
}
#endif
