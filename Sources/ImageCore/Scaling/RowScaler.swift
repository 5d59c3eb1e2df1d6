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
    /// Size of the picture that is pushed.
    package let source: PixelSize
    /// Size of the picture that comes out.
    package let target: PixelSize

    private let alpha: ScaledAlpha
    private var reducer: BoxRowReducer?
    /// Along x: one window of cells per target column.
    private let rowFilter: LanczosFilter
    /// Along y: one window of cell rows per target row.
    private let columnFilter: LanczosFilter

    /// A short row of cells with the padding that `LanczosKernels.filterRow` wants to read; else empty.
    private var paddedCells: [UInt8]
    /// `ringRowCount` rows of `rowStride` bytes, already filtered along x; row `y` of the cells is in slot
    /// `y % ringRowCount`.
    private var ring: [UInt8]
    /// A weight per slot of the ring: a target row's weights, turned to where their rows are.
    private var slotWeights: [Int16]
    private var scaledRow: [UInt8]

    /// Cell rows filtered along x so far.
    private var cellRowCount = 0
    /// Target rows handed out so far.
    private var scaledRowCount = 0

    /// Creates a scaler; memory is allocated here and never again.
    ///
    /// - Parameters:
    ///   - source: Size of the picture that will be pushed.
    ///   - target: Size wanted. Sides of both must be between 1 and 2^31.
    ///   - opaque: The fourth byte of a source pixel means nothing, and is 255 in every target pixel.
    package init(source: PixelSize, target: PixelSize, opaque: Bool) {
        precondition(Self.isSupported(source) && Self.isSupported(target), "\(source) to \(target)")
        self.source = source
        self.target = target
        alpha = opaque ? .opaque : .premultiplied

        let columnsPerCell = BoxRowReducer.factor(source: source.width, target: target.width)
        let rowsPerCell = BoxRowReducer.factor(source: source.height, target: target.height)
        if columnsPerCell > 1 || rowsPerCell > 1 {
            reducer = BoxRowReducer(sourceSize: source, columnsPerCell: columnsPerCell, rowsPerCell: rowsPerCell)
        }
        rowFilter = LanczosFilter(
            sourceCount: source.width, pixelsPerCell: columnsPerCell, outputCount: target.width,
            layout: .crossedFours)
        columnFilter = LanczosFilter(
            sourceCount: source.height, pixelsPerCell: rowsPerCell, outputCount: target.height,
            layout: .pairs)

        let rowStride = Self.rowStride(width: target.width)
        let needsPadding = rowFilter.inputCount < rowFilter.tapCount
        paddedCells = [UInt8](repeating: 0, count: needsPadding ? rowFilter.tapCount * 4 : 0)
        ring = [UInt8](repeating: 0, count: rowStride * columnFilter.tapCount)
        slotWeights = [Int16](repeating: 0, count: columnFilter.tapCount)
        scaledRow = [UInt8](repeating: 0, count: rowStride)
    }

    /// Whether every target row has been handed out.
    package var isComplete: Bool { scaledRowCount == target.height }

    /// Takes the next source row and hands out the target rows that it completes, in order.
    ///
    /// After the last source row every target row has been handed out. Rows beyond the last are ignored.
    ///
    /// - Parameters:
    ///   - row: `source.width` pixels of 4 bytes.
    ///   - emit: Called with each finished target row, its number and `target.width` pixels of 4 bytes.
    package mutating func push(_ row: RawSpan, emit: (_ y: Int, _ row: RawSpan) -> Void) {
        precondition(row.byteCount >= source.width * 4, "a row of \(row.byteCount) bytes for \(source.width) pixels")
        guard cellRowCount < columnFilter.inputCount else { return }
        if reducer != nil {
            guard reducer?.push(row) == true else { return }
            takeReducedRow()
        } else {
            takeCells(row)
        }
        while isNextScaledRowReady {
            filterColumns()
            scaledRow.withRawSpan(first: target.width * 4) { emit(scaledRowCount, $0) }
            scaledRowCount += 1
        }
    }
}

extension RowScaler {
    private mutating func takeReducedRow() {
        guard let reduced = reducer?.reducedRow else { return }
        reduced.withRawSpan(first: reduced.count) { takeCells($0) }
    }

    /// Filters a row of cells along x into its slot of the ring.
    private mutating func takeCells(_ cells: RawSpan) {
        let rowStride = scaledRow.count
        let slot = cellRowCount % columnFilter.tapCount
        if paddedCells.isEmpty {
            LanczosKernels.filterRow(cells, filter: rowFilter, into: &ring, from: slot * rowStride)
        } else {
            for index in 0..<rowFilter.inputCount * 4 { paddedCells[index] = cells.byte(at: index) }
            let padded = paddedCells
            padded.withRawSpan(first: padded.count) {
                LanczosKernels.filterRow($0, filter: rowFilter, into: &ring, from: slot * rowStride)
            }
        }
        cellRowCount += 1
    }

    /// Whether every cell row that the next target row depends on is in the ring.
    private var isNextScaledRowReady: Bool {
        scaledRowCount < target.height && Int(columnFilter.ends[scaledRowCount]) <= cellRowCount
    }

    /// Filters the rows in the ring along y into `scaledRow`.
    ///
    /// The window ends with the newest row, or begins with row 0, so that each of its rows is still in its slot. Slots of
    /// rows yet to come have the weight 0.
    private mutating func filterColumns() {
        let tapCount = columnFilter.tapCount
        let start = Int(columnFilter.starts[scaledRowCount])
        for tap in 0..<tapCount {
            slotWeights[(start + tap) % tapCount] = columnFilter.weight(ofTap: tap, output: scaledRowCount)
        }
        LanczosKernels.filterColumns(ring, weights: slotWeights, alpha: alpha, into: &scaledRow)
    }
}

// MARK: - Memory

extension RowScaler {
    /// Bytes of the buffers and tables held.
    package var memoryByteCount: Int {
        (reducer?.memoryByteCount ?? 0) + rowFilter.memoryByteCount + columnFilter.memoryByteCount
            + paddedCells.count + ring.count + slotWeights.count * 2 + scaledRow.count
    }

    /// No less than the `memoryByteCount` of a scaler for these sizes; `Int.max` for sizes it does not take.
    package static func memoryByteCount(source: PixelSize, target: PixelSize) -> Int {
        guard isSupported(source), isSupported(target) else { return .max }
        // Sides are at most 2^31 and taps at most 40: no term reaches 2^40.
        let columnsPerCell = BoxRowReducer.factor(source: source.width, target: target.width)
        let rowsPerCell = BoxRowReducer.factor(source: source.height, target: target.height)
        let rowTaps = LanczosFilter.maximumTapCount(
            sourceCount: source.width, pixelsPerCell: columnsPerCell, outputCount: target.width,
            layout: .crossedFours)
        let columnTaps = LanczosFilter.maximumTapCount(
            sourceCount: source.height, pixelsPerCell: rowsPerCell, outputCount: target.height,
            layout: .pairs)
        let tables = target.width * (rowTaps * 2 + 8) + target.height * (columnTaps * 2 + 8) + columnTaps * 2
        let rows = rowStride(width: target.width) * (columnTaps + 1) + rowTaps * 4
        let reducer = BoxRowReducer.memoryByteCount(
            sourceSize: source, columnsPerCell: columnsPerCell, rowsPerCell: rowsPerCell)
        return tables + rows + reducer
    }

    /// Whether both sides are between 1 and 2^31.
    private static func isSupported(_ size: PixelSize) -> Bool {
        let sides = 1...(1 << 31)
        return sides.contains(size.width) && sides.contains(size.height)
    }

    /// Bytes between filtered rows: an odd number of cache lines, lest the rows of a column share a set of the cache.
    private static func rowStride(width: Int) -> Int { (width * 4 + 63) / 128 * 128 + 64 }
}
