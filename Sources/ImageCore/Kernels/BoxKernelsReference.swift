// The box reducer's inner loops in plain Swift, as definition of what `BoxKernels` computes.

/// Safe twins of `BoxKernels`, byte by byte.
package enum BoxKernelsReference {
    /// See `BoxKernels.startColumnSums`.
    package static func startColumnSums(_ row: RawSpan, sums: inout MutableSpan<UInt16>) {
        for i in 0..<sums.count { sums[i] = UInt16(row.byte(at: i)) }
    }

    /// See `BoxKernels.addToColumnSums`.
    package static func addToColumnSums(_ row: RawSpan, sums: inout MutableSpan<UInt16>) {
        for i in 0..<sums.count { sums[i] &+= UInt16(row.byte(at: i)) }
    }

    /// See `BoxKernels.averageCells`; the sums are left as they are.
    package static func averageCells(
        _ columnSums: inout MutableSpan<UInt16>, from firstColumn: Int, columnsPerCell: Int, mean: RoundedMean,
        cells: Range<Int>, into row: inout MutableRawSpan
    ) {
        for cell in cells {
            let column = firstColumn + (cell - cells.lowerBound) * columnsPerCell
            for channel in 0..<4 {
                var sum: UInt64 = 0
                for offset in 0..<columnsPerCell { sum &+= UInt64(columnSums[(column + offset) * 4 + channel]) }
                row.setByte(mean(sum), at: cell * 4 + channel)
            }
        }
    }
}

#if ReferenceKernels
package typealias BoxKernels = BoxKernelsReference
#endif
