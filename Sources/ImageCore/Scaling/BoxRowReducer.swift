// The first stage of scaling down: rows in, fewer and shorter rows out, each pixel the mean of a box.
//
// It is cheap and leaves at least twice the wanted resolution to the Lanczos stage after it.

/// Joins boxes of `columnsPerCell` x `rowsPerCell` pixels into cells by their mean; rows arrive top to bottom.
///
/// The cells of the last column and row hold what is left of a size that is no multiple of the factors: 13x7 pixels in
/// boxes of 5x3 give 3x3 cells, the right ones 3 pixels wide, the bottom ones 1 high. The grid is never stretched; the
/// Lanczos stage knows that the last cell is narrower (`LanczosFilter`).
///
/// Rows are first added up by column in 16 bits, 256 rows at most, and the column sums of a cell are joined when the
/// cell's last row has arrived. A copy is a checkpoint.
package struct BoxRowReducer: Sendable {
    /// Size of the picture that is pushed.
    package let sourceSize: PixelSize
    /// Pixels of a cell from left to right.
    package let columnsPerCell: Int
    /// Pixels of a cell from top to bottom.
    package let rowsPerCell: Int
    /// Size of the reduced picture in cells.
    package let reducedSize: PixelSize
    /// The last finished row: 4 bytes per cell, `rowPadding` bytes of 0 after it.
    package private(set) var reducedRow: ScratchBuffer

    /// Sum over the rows of the present band for every byte of a source row.
    private var columnSums: NumberBuffer<UInt16>
    /// Sum for every byte of a reduced row; empty unless 16-bit columns or 32-bit cells could overflow.
    private var cellSums: NumberBuffer<UInt64>
    private var rowsInColumnSums = 0
    private var rowsInBand = 0
    private var rowCount = 0

    /// Bytes that may be read after a reduced row.
    package static let rowPadding = 16
    /// Rows of bytes whose sum 16 bits hold.
    private static let rowsPerColumnSum = 256
    /// Column sums whose sum 32 bits hold.
    private static let columnsPerNarrowSum = 65536

    /// - Parameters:
    ///   - sourceSize: Sides between 1 and 2^31.
    ///   - columnsPerCell: At least 1.
    ///   - rowsPerCell: At least 1.
    ///   - meter: Counts the buffers.
    /// - Throws: `limitExceeded(.memory)`.
    package init(
        sourceSize: PixelSize, columnsPerCell: Int, rowsPerCell: Int, meter: MemoryMeter? = nil
    ) throws(ImageError) {
        self.sourceSize = sourceSize
        self.columnsPerCell = columnsPerCell
        self.rowsPerCell = rowsPerCell
        reducedSize = PixelSize(
            width: (sourceSize.width - 1) / columnsPerCell + 1, height: (sourceSize.height - 1) / rowsPerCell + 1)
        reducedRow = try ScratchBuffer(zeroedByteCount: reducedSize.width * 4 + Self.rowPadding, meter: meter)
        columnSums = try NumberBuffer(count: sourceSize.width * 4, meter: meter)
        let isWide = Self.isWide(columnsPerCell: columnsPerCell, rowsPerCell: rowsPerCell)
        cellSums = try NumberBuffer(count: isWide ? reducedSize.width * 4 : 0, meter: meter)
    }

    /// Makes the buffers this value's own, so that no push copies them.
    package mutating func makeUnique() throws(ImageError) {
        try reducedRow.makeUnique()
        try columnSums.makeUnique()
        try cellSums.makeUnique()
    }

    /// Cells per output pixel that a factor leaves at least.
    ///
    /// With 2, pictures differ visibly more from those of the whole filter: 40 to 46 dB on photographs and screenshots
    /// in place of 45 to 53 dB, with most of the time still spent on the column sums.
    private static let leastReductionLeft = 3

    /// The factor for one axis: the largest that leaves at least three cells per output pixel, at least 1.
    package static func factor(source: Int, target: Int) -> Int { max(1, source / leastReductionLeft / target) }

    /// Bytes held.
    package var memoryByteCount: Int { reducedRow.byteCount + columnSums.byteCount + cellSums.byteCount }

    /// No less than the `memoryByteCount` of a reducer made from the same arguments; factors of 1 need none.
    package static func memoryByteCount(sourceSize: PixelSize, columnsPerCell: Int, rowsPerCell: Int) -> Int {
        guard columnsPerCell > 1 || rowsPerCell > 1 else { return 0 }
        let cells = (sourceSize.width - 1) / columnsPerCell + 1
        let sums = isWide(columnsPerCell: columnsPerCell, rowsPerCell: rowsPerCell) ? cells * 4 * 8 : 0
        return cells * 4 + rowPadding + sourceSize.width * 4 * 2 + sums
    }

    /// Whether a cell's samples may add up beyond the column sums' 16 bits or a cell's 32.
    private static func isWide(columnsPerCell: Int, rowsPerCell: Int) -> Bool {
        rowsPerCell > rowsPerColumnSum || columnsPerCell > columnsPerNarrowSum
    }

    /// Adds one source row.
    ///
    /// - Parameter row: `sourceSize.width` pixels of 4 bytes.
    /// - Returns: Whether `reducedRow` now holds a new row.
    package mutating func push(_ row: RawSpan) -> Bool {
        guard rowCount < sourceSize.height else { return false }
        let isFirst = rowsInColumnSums == 0
        columnSums.withMutableSpan { sums in
            if isFirst {
                BoxKernels.startColumnSums(row, sums: &sums)
            } else {
                BoxKernels.addToColumnSums(row, sums: &sums)
            }
        }
        rowCount += 1
        rowsInColumnSums += 1
        rowsInBand += 1

        let isBandComplete = rowsInBand == rowsPerCell || rowCount == sourceSize.height
        if cellSums.count == 0 {
            if isBandComplete { finishNarrowBand() }
        } else if isBandComplete || rowsInColumnSums == Self.rowsPerColumnSum {
            foldColumnSums()
            if isBandComplete { finishWideBand() }
        }
        return isBandComplete
    }

    /// Pixels of the last cell from left to right.
    private var columnsOfLastCell: Int { sourceSize.width - (reducedSize.width - 1) * columnsPerCell }

    /// Turns the column sums into means: sums of a cell fit 32 bits.
    private mutating func finishNarrowBand() {
        let wholeCells = reducedSize.width - 1
        let rows = UInt64(rowsInBand)
        let (columnsPerCell, columnsOfLastCell, cellCount) = (columnsPerCell, columnsOfLastCell, reducedSize.width)
        // Out of `self`, so that both buffers can be written to at once.
        var sums = columnSums.handedOver()
        reducedRow.withMutableBytes { row in
            sums.withMutableSpan { sums in
                BoxKernels.averageCells(
                    &sums, from: 0, columnsPerCell: columnsPerCell,
                    mean: RoundedMean(of: rows * UInt64(columnsPerCell)), cells: 0..<wholeCells, into: &row)
                BoxKernels.averageCells(
                    &sums, from: wholeCells * columnsPerCell, columnsPerCell: columnsOfLastCell,
                    mean: RoundedMean(of: rows * UInt64(columnsOfLastCell)), cells: wholeCells..<cellCount, into: &row)
            }
        }
        columnSums = sums
        rowsInBand = 0
        rowsInColumnSums = 0
    }

    /// Adds the column sums to the cells' sums.
    private mutating func foldColumnSums() {
        let (sums, columnsPerCell) = (columnSums, columnsPerCell)
        sums.withSpan { sums in
            cellSums.withMutableSpan { cellSums in
                var cellBase = 0
                var columnInCell = 0
                for column in stride(from: 0, to: sums.count, by: 4) {
                    for channel in 0..<4 {
                        // < 2^64 up to 2^56 pixels per cell; a picture of that many cannot be pushed in anyone's
                        // lifetime.
                        cellSums[cellBase + channel] &+= UInt64(sums[column + channel])
                    }
                    columnInCell += 1
                    if columnInCell == columnsPerCell {
                        columnInCell = 0
                        cellBase += 4
                    }
                }
            }
        }
        rowsInColumnSums = 0
    }

    /// Turns the cells' sums into means and clears them.
    private mutating func finishWideBand() {
        let whole = RoundedMean(of: UInt64(rowsInBand) * UInt64(columnsPerCell))
        let last = RoundedMean(of: UInt64(rowsInBand) * UInt64(columnsOfLastCell))
        var sums = cellSums.handedOver()
        reducedRow.withMutableBytes { row in
            sums.withMutableSpan { sums in
                for index in 0..<sums.count {
                    let mean = index < sums.count - 4 ? whole(sums[index]) : last(sums[index])
                    row.storeBytes(of: mean, toByteOffset: index, as: UInt8.self)
                    sums[index] = 0
                }
            }
        }
        cellSums = sums
        rowsInBand = 0
    }
}
