// Scaling in proportion to light, as rows arrive: what `RowScaler` does, on samples that the curve of sRGB was taken from.
//
//   row ──▶ LightCurve ──▶ means of boxes ──▶ filter along x ──▶ ring of rows ──▶ filter along y ──▶ LightCurve ──▶ scaled row

/// Scales a picture row by row in linear light.
///
/// Windows, weights and boxes are those of ``RowScaler``; samples are numbers of 15 bits that are in proportion to light, by the curve of
/// sRGB (IEC 61966-2-1 §5.2 "Transformation from RGB values to CIE 1931 XYZ values"). Nothing is cut off between the two filters. Pixels have four bytes, alpha last, premultiplied in
/// bytes as they are stored; in between colours are premultiplied in proportion to light. No push allocates. A copy is a checkpoint.
package struct LinearRowScaler: Sendable {
    private let source: PixelSize
    private let target: PixelSize
    private let isOpaque: Bool
    private let columnsPerCell: Int
    private let rowsPerCell: Int
    private let rowFilter: LanczosFilter
    private let columnFilter: LanczosFilter

    /// Sums of a row of cells, four for each.
    private var cells: NumberBuffer<Int64>
    /// Their means.
    private var means: NumberBuffer<Int32>
    /// As many rows as a window has, filtered along x; row `y` of the cells is in slot `y % tapCount`.
    private var ring: NumberBuffer<Int32>
    /// Sums of a target row, four for each of its pixels.
    private var sums: NumberBuffer<Int32>
    private var scaledRow: ScratchBuffer
    private var rowCount = 0
    private var cellRowCount = 0
    private var scaledRowCount = 0

    /// - Parameters:
    ///   - source: size of the picture, both sides between 1 and 2^31.
    ///   - target: size wanted, the same.
    ///   - isOpaque: whether the fourth byte of a pixel says nothing; it becomes 255.
    ///   - meter: counts buffers and tables.
    ///   - work: asked while tables are computed.
    package init(
        source: PixelSize, target: PixelSize, isOpaque: Bool, meter: MemoryMeter? = nil, work: WorkGuard = .unlimited
    ) throws(ImageError) {
        guard RowScaler.isSupported(source), RowScaler.isSupported(target) else {
            throw .invalidArgument("cannot scale \(source) pixels to \(target)")
        }
        (self.source, self.target, self.isOpaque) = (source, target, isOpaque)
        columnsPerCell = BoxRowReducer.factor(source: source.width, target: target.width)
        rowsPerCell = BoxRowReducer.factor(source: source.height, target: target.height)
        rowFilter = try LanczosFilter(
            sourceCount: source.width, pixelsPerCell: columnsPerCell, outputCount: target.width, layout: .pairs,
            meter: meter, work: work)
        columnFilter = try LanczosFilter(
            sourceCount: source.height, pixelsPerCell: rowsPerCell, outputCount: target.height, layout: .pairs,
            meter: meter, work: work)
        // A window may be longer than the line is; its weights there are 0.
        let cellCount = max(rowFilter.inputCount, rowFilter.tapCount)
        cells = try NumberBuffer(count: rowFilter.inputCount * 4, meter: meter)
        means = try NumberBuffer(count: cellCount * 4, meter: meter)
        ring = try NumberBuffer(
            count: (target.width * 4).multipliedSaturated(by: columnFilter.tapCount), meter: meter)
        sums = try NumberBuffer(count: target.width * 4, meter: meter)
        scaledRow = try ScratchBuffer(zeroedByteCount: target.width * 4, meter: meter)
    }

    /// Makes the buffers this value's own, so that no push copies them.
    package mutating func makeUnique() throws(ImageError) {
        try cells.makeUnique()
        try means.makeUnique()
        try ring.makeUnique()
        try sums.makeUnique()
        try scaledRow.makeUnique()
    }

    /// Takes the next row and hands out the target rows that it completes, in order.
    ///
    /// - Parameters:
    ///   - row: `source.width` pixels of 4 bytes.
    ///   - emit: called with each finished target row, its number and `target.width` pixels of 4 bytes.
    @inline(never)
    package mutating func push(_ row: RawSpan, emit: (_ y: Int, _ row: RawSpan) -> Void) {
        precondition(row.byteCount >= source.width * 4, "a row of \(row.byteCount) bytes for \(source.width) pixels")
        guard rowCount < source.height else { return }
        let isFirst = rowCount % rowsPerCell == 0
        cells.withMutableSpan { [isOpaque, columnsPerCell, source] cells in
            if isFirst { for place in cells.indices { cells[place] = 0 } }
            LightCurve.add(row, width: source.width, columnsPerCell: columnsPerCell, isOpaque: isOpaque, to: &cells)
        }
        rowCount += 1
        guard rowCount % rowsPerCell == 0 || rowCount == source.height else { return }
        takeMeans(rowCount: (rowCount - 1) % rowsPerCell + 1)
        filterRow()
        while scaledRowCount < target.height, columnFilter.end(ofOutput: scaledRowCount) <= cellRowCount {
            filterColumns()
            scaledRow.withBytes(0..<target.width * 4) { emit(scaledRowCount, $0) }
            scaledRowCount += 1
        }
    }

    private mutating func takeMeans(rowCount: Int) {
        let (cells, last) = (cells, rowFilter.inputCount - 1)
        let lastColumnCount = source.width - last * columnsPerCell
        means.withMutableSpan { [columnsPerCell] means in
            cells.withSpan { cells in
                for cell in 0...last {
                    let count = Int64((cell == last ? lastColumnCount : columnsPerCell) * rowCount)
                    for place in cell * 4..<cell * 4 + 4 {
                        means[place] = Int32(truncatingIfNeeded: (cells[place] + count / 2) / count)
                    }
                }
            }
        }
    }

    /// Filters the means along x into their slot of the ring.
    ///
    /// Weights of an output have the sum 2^14, and without their signs less than 1.8 times that. So no sum here is beyond 1.8 * 2^29, and none
    /// along y beyond 1.8 * 1.8 * 2^29, which 32 bits hold.
    private mutating func filterRow() {
        let (means, filter) = (means, rowFilter)
        let start = cellRowCount % columnFilter.tapCount * target.width * 4
        ring.withMutableSpan { ring in
            means.withSpan { means in
                filter.weights.withSpan { weights in
                    for x in 0..<filter.outputCount {
                        var (first, second, third, alpha): (Int32, Int32, Int32, Int32) = (half, half, half, half)
                        var place = filter.start(ofOutput: x) * 4
                        for tap in x * filter.tapCount..<(x + 1) * filter.tapCount {
                            let weight = Int32(weights[tap])
                            first &+= means[place] &* weight
                            second &+= means[place + 1] &* weight
                            third &+= means[place + 2] &* weight
                            alpha &+= means[place + 3] &* weight
                            place += 4
                        }
                        place = start + x * 4
                        ring[place] = first >> 14
                        ring[place + 1] = second >> 14
                        ring[place + 2] = third >> 14
                        ring[place + 3] = alpha >> 14
                    }
                }
            }
        }
        cellRowCount += 1
    }

    /// Filters the rows in the ring along y into `scaledRow`.
    private mutating func filterColumns() {
        let (ring, filter, output, count) = (ring, columnFilter, scaledRowCount, target.width * 4)
        let start = filter.start(ofOutput: output)
        sums.withMutableSpan { sums in
            ring.withSpan { ring in
                for tap in 0..<filter.tapCount {
                    let weight = Int32(filter.weight(ofTap: tap, output: output))
                    let slot = (start + tap) % filter.tapCount * count
                    let row = ring.extracting(slot..<slot + count)
                    if tap == 0 {
                        for place in 0..<count { sums[place] = half &+ row[place] &* weight }
                    } else {
                        for place in 0..<count { sums[place] &+= row[place] &* weight }
                    }
                }
            }
        }
        let sums = sums
        scaledRow.withMutableBytes { [isOpaque] row in
            sums.withSpan { sums in
                for offset in stride(from: 0, to: count, by: 4) {
                    let light = SIMD4(sums[offset], sums[offset + 1], sums[offset + 2], sums[offset + 3]) &>> 14
                    let pixel = LightCurve.bytes(light, isOpaque: isOpaque)
                    for channel in 0..<4 {
                        row.storeBytes(of: pixel[channel], toByteOffset: offset + channel, as: UInt8.self)
                    }
                }
            }
        }
    }

    /// No less than what a scaler made from the same arguments holds; `Int.max` for sizes it does not take.
    package static func memoryByteCount(source: PixelSize, target: PixelSize) -> Int {
        guard RowScaler.isSupported(source), RowScaler.isSupported(target) else { return .max }
        // Sides are at most 2^31 and taps at most 40: no term reaches 2^41.
        let columnsPerCell = BoxRowReducer.factor(source: source.width, target: target.width)
        let rowsPerCell = BoxRowReducer.factor(source: source.height, target: target.height)
        let rowTaps = LanczosFilter.maximumTapCount(
            sourceCount: source.width, pixelsPerCell: columnsPerCell, outputCount: target.width, layout: .pairs)
        let columnTaps = LanczosFilter.maximumTapCount(
            sourceCount: source.height, pixelsPerCell: rowsPerCell, outputCount: target.height, layout: .pairs)
        let cellCount = (source.width - 1) / columnsPerCell + 1
        let tables = target.width * (rowTaps * 2 + 8) + target.height * (columnTaps * 2 + 8)
        return tables + cellCount * 48 + rowTaps * 16 + target.width * 16 * columnTaps + target.width * 20 + 256
    }
}

/// One half in the numbers that filters add up.
private let half: Int32 = 1 << 13
