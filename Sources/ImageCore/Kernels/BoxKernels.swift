// Inner loops of the box reducer: column sums of rows, means of cells. Every pixel is 4 bytes.
//
// `BoxKernelsReference` says the same without pointers.

#if !ReferenceKernels
/// The box reducer's loops over one row.
package enum BoxKernels {
    /// Sets `sums[i]` to `row[i]` for every byte of a row; `sums.count <= row.byteCount`.
    package static func startColumnSums(_ row: RawSpan, sums: inout MutableSpan<UInt16>) {
        precondition(row.byteCount >= sums.count)
        unsafe row.withUnsafeBytes { bytes in
            unsafe sums.withUnsafeMutableBufferPointer { sums in
                // SAFETY: i < sums.count <= bytes.count, by the precondition.
                for i in 0..<sums.count { unsafe sums[i] = UInt16(truncatingIfNeeded: bytes[i]) }
            }
        }
    }

    /// Adds `row[i]` to `sums[i]` for every byte of a row; `sums.count <= row.byteCount`, at most 257 rows in all.
    package static func addToColumnSums(_ row: RawSpan, sums: inout MutableSpan<UInt16>) {
        precondition(row.byteCount >= sums.count)
        unsafe row.withUnsafeBytes { bytes in
            unsafe sums.withUnsafeMutableBufferPointer { sums in
                // SAFETY: i < sums.count <= bytes.count, by the precondition.
                for i in 0..<sums.count { unsafe sums[i] &+= UInt16(truncatingIfNeeded: bytes[i]) }
            }
        }
    }

    /// Joins the column sums of `columnsPerCell` pixels at a time and writes their mean.
    ///
    /// - Parameters:
    ///   - columnSums: 4 sums per pixel; the sums of a cell stay below 2^32. Those up to the last cell's are used up.
    ///   - firstColumn: The pixel that the first cell begins with.
    ///   - columnsPerCell: Pixels per cell, at least 1.
    ///   - mean: Division by the samples of a cell.
    ///   - cells: Which cells of `row` (4 bytes each) to write.
    ///   - row: A reduced row.
    package static func averageCells(
        _ columnSums: inout MutableSpan<UInt16>, from firstColumn: Int, columnsPerCell: Int, mean: RoundedMean,
        cells: Range<Int>, into row: inout MutableRawSpan
    ) {
        precondition(firstColumn >= 0 && columnsPerCell > 0 && cells.lowerBound >= 0)
        precondition((firstColumn + cells.count * columnsPerCell) * 4 <= columnSums.count)
        precondition(cells.upperBound * 4 <= row.byteCount)
        guard !cells.isEmpty else { return }
        unsafe columnSums.withUnsafeMutableBytes { sums in
            unsafe row.withUnsafeMutableBytes { row in
                guard let sumsBase = sums.baseAddress, let rowBase = row.baseAddress else { return }
                // SAFETY: `cells.count` cells of `columnsPerCell` columns (8 bytes each) follow here, and as many cells
                // (4 bytes each) in the row, by the preconditions.
                let columns = unsafe sumsBase + firstColumn &* 8
                let cellBytes = unsafe rowBase + cells.lowerBound &* 4
                if let short = mean.shortForm {
                    unsafe joinColumns(columns, columnsPerCell, count: cells.count)
                    let sums = unsafe columns.assumingMemoryBound(to: UInt16.self)
                    for i in 0..<cells.count &* 4 {
                        unsafe cellBytes.storeBytes(of: short(sums[i]), toByteOffset: i, as: UInt8.self)
                    }
                } else {
                    unsafe averageLargeCells(columns, columnsPerCell, mean, into: cellBytes, count: cells.count)
                }
            }
        }
    }

    /// Adds up the columns of cells whose sums fit 16 bits; the sums take the place of the first columns.
    private static func joinColumns(_ columns: UnsafeMutableRawPointer, _ columnsPerCell: Int, count: Int) {
        // Loops of known length for the factors that thumbnails need most.
        switch columnsPerCell {
        case 1: break
        case 2: unsafe joinColumns(columns, each: 2, count: count)
        case 3: unsafe joinColumns(columns, each: 3, count: count)
        case 4: unsafe joinColumns(columns, each: 4, count: count)
        default: unsafe joinColumns(columns, each: columnsPerCell, count: count)
        }
    }

    @inline(__always)
    private static func joinColumns(_ columns: UnsafeMutableRawPointer, each columnsPerCell: Int, count: Int) {
        var cell = UnsafeRawPointer(columns)
        for index in 0..<count {
            var sum: SIMD4<UInt16> = unsafe load(cell, 0)
            for column in 1..<columnsPerCell { sum &+= unsafe load(cell, column &* 8, as: SIMD4<UInt16>.self) }
            // A cell's sum goes no further than its first column, which has been read.
            unsafe store(columns, index &* 8, sum)
            unsafe cell += columnsPerCell &* 8
        }
    }

    /// Cells whose sums fit 32 bits.
    private static func averageLargeCells(
        _ columns: UnsafeRawPointer, _ columnsPerCell: Int, _ mean: RoundedMean, into cells: UnsafeMutableRawPointer,
        count: Int
    ) {
        for cell in 0..<count {
            var sum = SIMD4<UInt32>()
            for column in cell &* columnsPerCell..<(cell &+ 1) &* columnsPerCell {
                sum &+= unsafe widened(load(columns, column &* 8))
            }
            for channel in 0..<4 {
                let mean = mean(UInt64(sum[channel]))
                unsafe storeByte(cells, cell &* 4 &+ channel, UInt32(mean))
            }
        }
    }

    @inline(__always)
    private static func widened(_ sums: SIMD4<UInt16>) -> SIMD4<UInt32> {
        SIMD4(UInt32(sums[0]), UInt32(sums[1]), UInt32(sums[2]), UInt32(sums[3]))
    }
}
#endif
