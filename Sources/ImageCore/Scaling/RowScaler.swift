// Scaling as rows arrive: box reducer, Lanczos along the row, Lanczos along the columns.
//
// In: the rows of a picture, top to bottom, 4 bytes per pixel. Out: the rows of the scaled picture, each as soon as
// the last row it depends on has come. Nothing but the rows under the filter is kept.

/// Scales a picture row by row, down or up, each axis on its own.
///
/// ```
/// source row ─▶ BoxRowReducer ─▶ filter along x ─▶ ring of rows ─▶ filter along y ─▶ scaled row
///  4000 x 3000    3 x 3: 1334 x 1000   400 wide        22 rows                       400 x 300
/// ```
///
/// The four bytes of a pixel are filtered alike, so their order does not matter but that alpha comes last. Colours must
/// be premultiplied; they never exceed alpha in the result. A plain colour stays that colour to the last pixel, and a
/// size equal to the source's copies. No push allocates. A copy is a checkpoint.
package struct RowScaler: Sendable {
    /// Size of the picture before anything reduced it.
    package let source: PixelSize
    /// Size of the picture that is pushed: `source`, or smaller if the decoder has reduced it.
    package let pushed: PixelSize
    /// Size of the picture that comes out.
    package let target: PixelSize

    private let alpha: ScaledAlpha
    private var reducer: BoxRowReducer?
    /// Along x: one window of cells per target column.
    private let rowFilter: LanczosFilter
    /// Along y: one window of cell rows per target row.
    private let columnFilter: LanczosFilter

    /// A short row of cells with the padding that `LanczosKernels.filterRow` wants to read; else empty.
    private var paddedCells: ScratchBuffer
    /// `ringRowCount` rows of `rowStride` bytes, already filtered along x; row `y` of the cells is in slot
    /// `y % ringRowCount`.
    private var ring: ScratchBuffer
    /// A weight per slot of the ring: a target row's weights, turned to where their rows are.
    private var slotWeights: NumberBuffer<Int16>
    private var scaledRow: ScratchBuffer

    /// Cell rows filtered along x so far.
    private var cellRowCount = 0
    /// Target rows handed out so far.
    private var scaledRowCount = 0

    /// Creates a scaler; memory is allocated here and never again.
    ///
    /// - Parameters:
    ///   - source: Size of the picture.
    ///   - reduction: Each pixel that will be pushed is the mean of a square of this many pixels of the picture to a side;
    ///     at the right and at the bottom, of what the picture has of it. At least 1.
    ///   - target: Size wanted. Sides of both must be between 1 and 2^31.
    ///   - alpha: What the fourth byte of a pixel is.
    ///   - meter: Counts the buffers and tables.
    ///   - work: Asked while tables are computed.
    /// - Throws: `invalidArgument` for sides beyond 1...2^31, `limitExceeded`, `cancelled`.
    package init(
        source: PixelSize, reduction: Int = 1, target: PixelSize, alpha: ScaledAlpha, meter: MemoryMeter? = nil,
        work: WorkGuard = .unlimited
    ) throws(ImageError) {
        guard Self.isSupported(source), Self.isSupported(target) else {
            throw .invalidArgument("cannot scale \(source) pixels to \(target)")
        }
        self.source = source
        self.target = target
        pushed = source.reduced(by: reduction)
        self.alpha = alpha

        let columnsPerCell = BoxRowReducer.factor(source: pushed.width, target: target.width)
        let rowsPerCell = BoxRowReducer.factor(source: pushed.height, target: target.height)
        if columnsPerCell > 1 || rowsPerCell > 1 {
            reducer = try BoxRowReducer(
                sourceSize: pushed, columnsPerCell: columnsPerCell, rowsPerCell: rowsPerCell, meter: meter)
        }
        // Pixels of the picture, not pushed ones: the last pushed pixel may stand for fewer of them than the others.
        rowFilter = try LanczosFilter(
            sourceCount: source.width, pixelsPerCell: columnsPerCell * reduction, outputCount: target.width,
            layout: .crossedFours, meter: meter, work: work)
        columnFilter = try LanczosFilter(
            sourceCount: source.height, pixelsPerCell: rowsPerCell * reduction, outputCount: target.height,
            layout: .pairs, meter: meter, work: work)

        let rowStride = Self.rowStride(width: target.width)
        let needsPadding = rowFilter.inputCount < rowFilter.tapCount
        paddedCells = try ScratchBuffer(zeroedByteCount: needsPadding ? rowFilter.tapCount * 4 : 0, meter: meter)
        ring = try ScratchBuffer(zeroedByteCount: rowStride * columnFilter.tapCount, meter: meter)
        slotWeights = try NumberBuffer(count: columnFilter.tapCount, meter: meter)
        scaledRow = try ScratchBuffer(zeroedByteCount: rowStride, meter: meter)
    }

    /// Makes the buffers this value's own, so that no push copies them.
    ///
    /// - Throws: `limitExceeded(.memory)`.
    package mutating func makeUnique() throws(ImageError) {
        try reducer?.makeUnique()
        try paddedCells.makeUnique()
        try ring.makeUnique()
        try slotWeights.makeUnique()
        try scaledRow.makeUnique()
    }

    /// Whether every target row has been handed out.
    package var isComplete: Bool { scaledRowCount == target.height }

    /// Takes the next row and hands out the target rows that it completes, in order.
    ///
    /// After the last row every target row has been handed out. Rows beyond the last are ignored.
    ///
    /// - Parameters:
    ///   - row: `pushed.width` pixels of 4 bytes.
    ///   - emit: Called with each finished target row, its number and `target.width` pixels of 4 bytes.
    // Called once a row: inlined, with all of its kernels, it makes callers slower to compile and nothing faster.
    @inline(never)
    package mutating func push(_ row: RawSpan, emit: (_ y: Int, _ row: RawSpan) -> Void) {
        precondition(row.byteCount >= pushed.width * 4, "a row of \(row.byteCount) bytes for \(pushed.width) pixels")
        guard cellRowCount < columnFilter.inputCount else { return }
        if reducer != nil {
            guard reducer?.push(row) == true else { return }
            addReducedRow()
        } else {
            addCells(row)
        }
        while isNextScaledRowReady {
            filterColumns()
            scaledRow.withBytes(0..<target.width * 4) { emit(scaledRowCount, $0) }
            scaledRowCount += 1
        }
    }
}

extension RowScaler {
    private mutating func addReducedRow() {
        guard let reduced = reducer?.reducedRow else { return }
        reduced.withBytes { addCells($0) }
    }

    /// Filters a row of cells along x into its slot of the ring.
    private mutating func addCells(_ cells: RawSpan) {
        let start = cellRowCount % columnFilter.tapCount * scaledRow.byteCount
        if paddedCells.byteCount == 0 {
            ring.withMutableBytes { [rowFilter] ring in
                LanczosKernels.filterRow(cells, filter: rowFilter, into: &ring, from: start)
            }
        } else {
            let byteCount = rowFilter.inputCount * 4
            paddedCells.withMutableBytes { $0.copy(cells.extracting(first: byteCount)) }
            let padded = paddedCells
            padded.withBytes { cells in
                ring.withMutableBytes { [rowFilter] ring in
                    LanczosKernels.filterRow(cells, filter: rowFilter, into: &ring, from: start)
                }
            }
        }
        cellRowCount += 1
    }

    /// Whether every cell row that the next target row depends on is in the ring.
    private var isNextScaledRowReady: Bool {
        scaledRowCount < target.height && columnFilter.end(ofOutput: scaledRowCount) <= cellRowCount
    }

    /// Filters the rows in the ring along y into `scaledRow`.
    ///
    /// The window ends with the newest row, or begins with row 0, so that each of its rows is still in its slot. Slots of
    /// rows yet to come have the weight 0.
    private mutating func filterColumns() {
        let (filter, output) = (columnFilter, scaledRowCount)
        let start = filter.start(ofOutput: output)
        slotWeights.withMutableSpan { weights in
            for tap in 0..<filter.tapCount {
                weights[(start + tap) % filter.tapCount] = filter.weight(ofTap: tap, output: output)
            }
        }
        let (ring, weights) = (ring, slotWeights)
        scaledRow.withMutableBytes { [alpha] row in
            ring.withBytes { ring in
                weights.withSpan { LanczosKernels.filterColumns(ring, weights: $0, alpha: alpha, into: &row) }
            }
        }
    }
}

// MARK: - Memory

extension RowScaler {
    /// Bytes of the buffers and tables held.
    package var memoryByteCount: Int {
        (reducer?.memoryByteCount ?? 0) + rowFilter.memoryByteCount + columnFilter.memoryByteCount
            + paddedCells.byteCount + ring.byteCount + slotWeights.byteCount + scaledRow.byteCount
    }

    /// No less than the `memoryByteCount` of a scaler made from the same arguments; `Int.max` for sizes it does not take.
    package static func memoryByteCount(source: PixelSize, reduction: Int = 1, target: PixelSize) -> Int {
        guard isSupported(source), isSupported(target) else { return .max }
        // Sides are at most 2^31 and taps at most 40: no term reaches 2^40.
        let pushed = source.reduced(by: reduction)
        let columnsPerCell = BoxRowReducer.factor(source: pushed.width, target: target.width)
        let rowsPerCell = BoxRowReducer.factor(source: pushed.height, target: target.height)
        let rowTaps = LanczosFilter.maximumTapCount(
            sourceCount: source.width, pixelsPerCell: columnsPerCell * reduction, outputCount: target.width,
            layout: .crossedFours)
        let columnTaps = LanczosFilter.maximumTapCount(
            sourceCount: source.height, pixelsPerCell: rowsPerCell * reduction, outputCount: target.height,
            layout: .pairs)
        let tables = target.width * (rowTaps * 2 + 8) + target.height * (columnTaps * 2 + 8) + columnTaps * 2
        let rows = rowStride(width: target.width) * (columnTaps + 1) + rowTaps * 4
        let reducer = BoxRowReducer.memoryByteCount(
            sourceSize: pushed, columnsPerCell: columnsPerCell, rowsPerCell: rowsPerCell)
        return tables + rows + reducer
    }

    /// Whether both sides are between 1 and 2^31.
    static func isSupported(_ size: PixelSize) -> Bool {
        let sides = 1...(1 << 31)
        return sides.contains(size.width) && sides.contains(size.height)
    }

    /// Bytes between filtered rows: an odd number of cache lines, lest the rows of a column share a set of the cache.
    private static func rowStride(width: Int) -> Int { (width * 4 + 63) / 128 * 128 + 64 }
}
