// The encoder's filters as the standard writes them: one byte after another, bounds-checked. Plain twin of
// FilterSelectionKernels.

import ImageCodecsCore

package enum FilterSelectionKernelsReference: FilterSelectionBuffer {
    /// See ``FilterSelectionKernels/bitLengthSums(_:above:byteCount:distance:step:)``.
    ///
    /// - Source: PNG 3rd ed. §12.7 "Filter selection", for the idea.
    package static func bitLengthSums(
        _ row: RawSpan, above: RawSpan, byteCount: Int, distance: Int, step: Int
    ) -> SIMD8<Int> {
        var sums = SIMD8<Int>()
        let wholeCount = byteCount & ~15
        for filter in ScanlineFilter.allCases {
            var sum = 0
            for index in 0..<byteCount {
                let isLookedAt = index < wholeCount ? index / 16 % step == 0 : step == 1 || wholeCount == 0
                guard isLookedAt else { continue }
                sum += bitLength(magnitude(residual(filter, row, above, index, distance)))
            }
            sums[Int(filter.rawValue)] = sum
        }
        return sums
    }

    /// See ``FilterSelectionKernels/apply(_:_:above:byteCount:distance:into:)``.
    ///
    /// - Source: PNG 3rd ed. §9.2 "Filter types for filter method 0".
    package static func apply(
        _ filter: ScanlineFilter, _ row: RawSpan, above: RawSpan, byteCount: Int, distance: Int,
        into destination: inout MutableRawSpan
    ) {
        for index in 0..<byteCount { destination.setByte(residual(filter, row, above, index, distance), at: index) }
    }

    /// A filtered byte; the margin stands for the pixel left of the first one.
    private static func residual(
        _ filter: ScanlineFilter, _ row: RawSpan, _ above: RawSpan, _ index: Int, _ distance: Int
    ) -> UInt8 {
        let a = row.byte(at: margin + index - distance)
        let b = above.byte(at: margin + index)
        let c = above.byte(at: margin + index - distance)
        let prediction: UInt8 =
            switch filter {
            case .none: 0
            case .sub: a
            case .up: b
            case .average: UInt8((Int(a) + Int(b)) / 2)
            case .paeth: paethReference(a, b, c)
            }
        return row.byte(at: margin + index) &- prediction
    }

    /// How many bits a number takes without leading zeros, at most 6.
    package static func bitLength(_ number: Int) -> Int { min(6, Int.bitWidth - number.leadingZeroBitCount) }

    /// The absolute value of a byte taken as signed.
    package static func magnitude(_ byte: UInt8) -> Int { abs(Int(Int8(bitPattern: byte))) }
}

#if ReferenceKernels
package typealias FilterSelectionKernels = FilterSelectionKernelsReference
#endif
