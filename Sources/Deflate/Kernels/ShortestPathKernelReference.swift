// The cheapest way to write bytes, without pointers. Plain twin of ShortestPathKernel.

import ImageCodecsCore

package enum ShortestPathKernelReference: ShortestPathSearching {
    /// See ``ShortestPathKernel/search(_:_:end:from:prices:matches:ends:costs:steps:)``.
    package static func search(
        _ window: RawSpan, _ range: Range<Int>, end: Int, from first: Int, prices: Span<UInt32>, matches: Span<UInt32>,
        ends: Span<UInt32>, costs: inout MutableSpan<UInt32>, steps: inout MutableSpan<UInt32>
    ) {
        for position in range.reversed() {
            let index = position - first
            costs[index] = costs[index + 1] + prices[Int(window.byte(at: position))]
            steps[index] = 1
            var length = 3
            for number in (index == 0 ? 0 : Int(ends[index - 1]))..<Int(ends[index]) {
                let match = matches[number]
                let longest = min(PackedMatch.length(match), DeflateSymbols.longestMatch, end - position)
                let shortest = length
                while length <= longest {
                    if length == shortest + shortestTried, longest - length >= longestTried {
                        length = longest + 1 - longestTried
                    }
                    let cost =
                        costs[index + length] + prices[DeflatePrices.lengths + length - 3]
                        + prices[DeflatePrices.distances + PackedMatch.slot(match)]
                    if cost < costs[index] {
                        costs[index] = cost
                        steps[index] = UInt32(length) | PackedMatch.distance(match) << 16
                    }
                    length += 1
                }
            }
        }
    }
}

#if ReferenceKernels
package typealias ShortestPathKernel = ShortestPathKernelReference
#endif
