// The cheapest way to write bytes as literals and matches, when prices are given: from the end to the begin, each position knows
// what the rest costs from the next one.

import ImageCodecsCore

#if !ReferenceKernels
enum ShortestPathKernel {
    /// Finds, for each position of a range, the first step of the cheapest way to its end.
    ///
    /// - Parameters:
    ///   - window: the input.
    ///   - range: the positions, a step of the whole work: the ways from `range.upperBound` on are known.
    ///   - end: where ways end; matches are cut off there.
    ///   - first: the position that `ends`, `costs` and `steps` begin with.
    ///   - prices: see ``DeflatePrices``.
    ///   - matches: lengths (low half) and distances (high half), ascending for each position.
    ///   - ends: for each position, how many matches there are up to and with it.
    ///   - costs: gets what the way from each position costs; one more than there are positions, of which that of `end` is 0.
    ///   - steps: gets the first step: length and distance, or 1 for a literal.
    static func search(
        _ window: RawSpan, _ range: Range<Int>, end: Int, from first: Int, prices: Span<UInt32>, matches: Span<UInt32>,
        ends: Span<UInt32>, costs: inout MutableSpan<UInt32>, steps: inout MutableSpan<UInt32>
    ) {
        precondition(range.lowerBound >= first && range.upperBound <= end && end <= window.byteCount, "no such range")
        precondition(first >= 0 && ends.count >= end - first && steps.count >= end - first, "tables that are too small")
        precondition(costs.count > end - first && prices.count >= DeflatePrices.count, "tables that are too small")
        unsafe prices.withUnsafeBufferPointer { prices in
            unsafe costs.withUnsafeMutableBufferPointer { costs in
                // SAFETY: costs are read and written from first to `end`: a length is cut off there. Lengths have nine bits and
                // are 3 at least, below 256 + 3 by what the matches are; both are checked. Slots are at most 31.
                for position in range.reversed() {
                    let index = position &- first
                    var best = unsafe costs[index &+ 1] &+ prices[Int(window.byte(at: position))]
                    var step: UInt32 = 1
                    var length = 3
                    let limit = min(DeflateSymbols.longestMatch, end &- position)
                    let firstMatch = index == 0 ? 0 : Int(ends[index &- 1])
                    for number in firstMatch..<Int(ends[index]) {
                        let match = matches[number]
                        let longest = min(Int(match & 0x1FF), limit)
                        let distance = match &>> 16
                        let slot = DeflateSymbols.distanceSlot(Int(distance))
                        let price = unsafe prices[DeflatePrices.distances &+ slot]
                        while length <= longest {
                            let cost = unsafe costs[index &+ length] &+ prices[DeflatePrices.lengths &- 3 &+ length] &+ price
                            if cost < best {
                                best = cost
                                step = UInt32(truncatingIfNeeded: length) | distance &<< 16
                            }
                            length &+= 1
                        }
                    }
                    unsafe costs[index] = best
                    steps[index] = step
                }
            }
        }
    }
}
#endif
