// Inner loops of the row scaler: column sums and means of boxes, Lanczos along rows and along columns.
//
// Every pixel is 4 bytes. `ScalingKernelsReference` says the same without pointers.

/// The row scaler's loops over one row.
package enum ScalingKernels {
    /// Sets `sums[i]` to `row[i]` for every byte of a row; `sums.count <= row.byteCount`.
    package static func startColumnSums(_ row: RawSpan, sums: inout [UInt16]) {
        precondition(row.byteCount >= sums.count)
        unsafe row.withUnsafeBytes { bytes in
            unsafe sums.withUnsafeMutableBufferPointer { sums in
                // SAFETY: i < sums.count <= bytes.count, by the precondition.
                for i in 0..<sums.count { unsafe sums[i] = UInt16(bytes[i]) }
            }
        }
    }

    /// Copies a row to the beginning of an array that is no shorter.
    package static func copy(_ row: RawSpan, into bytes: inout [UInt8]) {
        precondition(bytes.count >= row.byteCount)
        unsafe row.withUnsafeBytes { source in
            // SAFETY: The precondition leaves room for every source byte.
            unsafe bytes.withUnsafeMutableBytes { unsafe $0.copyMemory(from: source) }
        }
    }

    /// Adds `row[i]` to `sums[i]` for every byte of a row; `sums.count <= row.byteCount`, at most 257 rows in all.
    package static func addToColumnSums(_ row: RawSpan, sums: inout [UInt16]) {
        precondition(row.byteCount >= sums.count)
        unsafe row.withUnsafeBytes { bytes in
            unsafe sums.withUnsafeMutableBufferPointer { sums in
                // SAFETY: i < sums.count <= bytes.count, by the precondition.
                for i in 0..<sums.count { unsafe sums[i] &+= UInt16(bytes[i]) }
            }
        }
    }

    /// Joins the column sums of `columnsPerCell` pixels at a time and writes their mean.
    ///
    /// - Parameters:
    ///   - columnSums: 4 sums per pixel; the sums of a cell stay below 2^32.
    ///   - firstColumn: The pixel that the first cell begins with.
    ///   - columnsPerCell: Pixels per cell, at least 1.
    ///   - mean: Division by the samples of a cell.
    ///   - cells: Which cells of `row` (4 bytes each) to write.
    ///   - row: A reduced row.
    package static func averageCells(
        _ columnSums: [UInt16], from firstColumn: Int, columnsPerCell: Int, mean: RoundedMean, cells: Range<Int>,
        into row: inout [UInt8]
    ) {
        ScalingKernelsReference.averageCells(
            columnSums, from: firstColumn, columnsPerCell: columnsPerCell, mean: mean, cells: cells, into: &row)
    }

    /// Filters one row of pixels along x.
    ///
    /// - Parameters:
    ///   - row: At least `max(filter.inputCount, filter.tapCount)` pixels.
    ///   - filter: Windows and weights; `tapCount` is a multiple of 4.
    ///   - output: `filter.outputCount` pixels are written,
    ///   - offset: beginning here.
    package static func filterRow(
        _ row: RawSpan, filter: LanczosFilter, into output: inout [UInt8], from offset: Int
    ) {
        unsafe row.withUnsafeBytes { bytes in
            // SAFETY: The span covers the row and is used inside the closure only.
            let bytes = unsafe Span<UInt8>(_unsafeElements: bytes.bindMemory(to: UInt8.self))
            ScalingKernelsReference.filterRow(bytes, filter: filter, into: &output, from: offset)
        }
    }

    /// Filters a stack of rows along y.
    ///
    /// - Parameters:
    ///   - rows: `weights.count` rows of `output.count` bytes, one after the other; 16 divides `output.count`.
    ///   - weights: One weight per row; even in number.
    ///   - alpha: What becomes of every fourth byte and what the others may not exceed.
    ///   - output: The sum.
    package static func filterColumns(
        _ rows: [UInt8], weights: [Int16], alpha: ScaledAlpha, into output: inout [UInt8]
    ) {
        ScalingKernelsReference.filterColumns(rows, weights: weights, alpha: alpha, into: &output)
    }
}

/// The fourth byte of a scaled pixel.
package enum ScaledAlpha: Sendable {
    /// Premultiplied alpha: filtered like the rest; no other byte of the pixel may be greater.
    case premultiplied
    /// There is none: 255.
    case opaque
}
