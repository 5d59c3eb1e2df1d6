// The cheapest way to write pixels one by one or as copies, when prices are given: from the end to the begin, each position knows
// what the rest costs from the next one.
//
// That a pixel is in the color cache does not depend on the way, since every pixel gets there: pixels have prices of their own.

/// What the search leaves out.
package protocol PixelPathSearching {}

extension PixelPathSearching {
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
    ///   - range: positions in the segment; the ways from `range.upperBound` on are known.
    ///   - end: positions of the segment; copies are cut off there.
    ///   - pixelPrices: of each position written as a pixel.
    ///   - copies: of each position; see ``PackedCopy``.
    ///   - lengthPrices: by length, 0...4096.
    ///   - nearPrices: of short distances, by distance.
    ///   - farPrices: of the distances that have no near place, by the prefix code of the distance.
    ///   - triedCount: of the lengths shorter than a copy's own, as many are tried.
    ///   - costs: gets what the way from each position costs; one more than there are positions.
    ///   - steps: gets the first step: a packed copy, or 0 for a pixel.
    package static func search(
        _ range: Range<Int>, end: Int, pixelPrices: Span<UInt16>, copies: Span<UInt32>, lengthPrices: Span<UInt32>,
        nearPrices: Span<UInt32>, farPrices: Span<UInt32>, triedCount: Int, costs: inout MutableSpan<UInt32>,
        steps: inout MutableSpan<UInt32>
    ) {
        precondition(range.lowerBound >= 0 && range.upperBound <= end, "no such range")
        precondition(pixelPrices.count >= end && copies.count >= end && steps.count >= end && costs.count > end)
        precondition(lengthPrices.count > BackwardReferences.longestLength && farPrices.count >= 40)
        let lastLengths = Self.lastLengths
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
                                            pixelPrices: pixelPrices.baseAddress!, copies: copies.baseAddress!,
                                            lengthPrices: lengthPrices.baseAddress!, nearPrices: nearPrices,
                                            farPrices: farPrices.baseAddress!, lastLengths: lastLengths,
                                            triedCount: triedCount, costs: costs.baseAddress!, steps: steps.baseAddress!)
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

/// SAFETY, for all of it. Positions are below `end`, which all tables reach, the costs one further. Lengths are at most 4096 and cut
/// off at `end`; distances are at most 2^20, so that their prefix codes are below 40.
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
    let steps: UnsafeMutablePointer<UInt32>

    func search(_ range: Range<Int>, _ end: Int) {
        var index = range.upperBound
        while index > range.lowerBound {
            index &-= 1
            var best = unsafe costs[index &+ 1] &+ UInt32(pixelPrices[index])
            var step: UInt32 = 0
            let copy = unsafe copies[index]
            if copy != 0 {
                let length = min(PackedCopy.length(copy), end &- index)
                let distance = PackedCopy.distance(copy)
                let price = unsafe distancePrice(distance)
                let whole = unsafe costs[index &+ length] &+ lengthPrices[length] &+ price
                if whole < best && length > 1 {
                    best = whole
                    step = PackedCopy.make(length: length, distance: distance)
                }
                unsafe shorter(index, length, distance, price, &best, &step)
            }
            unsafe costs[index] = best
            unsafe steps[index] = step
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
            let cost = unsafe costs[index &+ tried] &+ lengthPrices[tried] &+ price
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
        let value = distance &+ 119
        let exponent = Int.bitWidth &- 1 &- value.leadingZeroBitCount
        let code = 2 &* exponent &+ (value &>> (exponent &- 1)) & 1
        return unsafe farPrices[code]
    }
}
#endif
