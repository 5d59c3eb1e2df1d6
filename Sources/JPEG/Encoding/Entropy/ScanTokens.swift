// Walks the blocks of a scan and makes its tokens, as often as they are wanted: once to be counted, once to be written.
//
// In: the coefficients of a picture. Out: tokens in pieces of some thousands, and the places of restart markers. Making
// tokens twice takes less memory than keeping them, which may be twice that of the coefficients.

package import ImageCodecsCore
package import JPEGBaselineCodec

/// Takes the tokens of a scan.
protocol TokenConsumer {
    /// Takes at most ``ScanTokens/bufferCount`` tokens.
    mutating func consume(_ tokens: Span<UInt32>) throws(ImageError)

    /// Takes the end of a restart interval that another one follows.
    mutating func restart() throws(ImageError)
}

/// The tokens of the scans of one picture.
package struct ScanTokens: Sendable {
    /// The most tokens of a piece: 16 KiB stay in the nearest cache until they are counted or written.
    package static let bufferCount = 4096

    private let picture: CoefficientPicture
    /// MCUs of a restart interval, in every scan; `nil` if there are none.
    private let restartInterval: Int?
    /// Of each component one mask a block: bit k where the coefficient at position k is not zero.
    private let masks: [NumberBuffer<UInt64>]
    private let meter: MemoryMeter?
    private var tokens: NumberBuffer<UInt32>
    private var count = 0
    /// Masks of one row of blocks, for coefficients without their lowest bits.
    private var rowMasks: NumberBuffer<UInt64>
    private var knownMasks: NumberBuffer<UInt64>

    /// - Throws: `limitExceeded(.memory)`, and as `work`.
    package init(
        _ picture: CoefficientPicture, restartInterval: Int?, meter: MemoryMeter?, work: inout WorkGuard
    ) throws(ImageError) {
        self.picture = picture
        self.restartInterval = restartInterval
        self.meter = meter
        var masks: [NumberBuffer<UInt64>] = []
        for component in picture.coefficients {
            masks.append(try Self.masks(of: component, meter: meter, work: &work))
        }
        self.masks = masks
        tokens = try NumberBuffer(count: Self.bufferCount, meter: meter)
        let width = picture.geometry.components.reduce(0) { max($0, $1.paddedWidthInBlocks) }
        rowMasks = try NumberBuffer(count: width, meter: meter)
        knownMasks = try NumberBuffer(count: width, meter: meter)
    }

    /// Bytes that walking takes besides the coefficients; saturates.
    package static func byteCount(_ geometry: FrameGeometry, isProgressive: Bool) -> Int {
        let width = geometry.components.reduce(0) { max($0, $1.paddedWidthInBlocks) }
        // At most 2^33 blocks.
        return Int(geometry.paddedBlockCount) * 8 + bufferCount * 4 + width * 16
            + InterleavedRow.byteCount(geometry, isProgressive: isProgressive)
    }

    private static func masks(
        of component: QuantizedCoefficients, meter: MemoryMeter?, work: inout WorkGuard
    ) throws(ImageError) -> NumberBuffer<UInt64> {
        let width = component.widthInBlocks
        var masks = try NumberBuffer<UInt64>(count: width * component.heightInBlocks, meter: meter)
        for row in 0..<component.heightInBlocks {
            try work.check()
            masks.withMutableSpan { masks in
                component.withBytes(component.bytes(ofRow: row)) { values in
                    NonZeroMaskKernel.fill(&masks, row * width..<(row + 1) * width, from: values, low: 0)
                }
            }
        }
        return masks
    }

    /// Makes the tokens of a scan.
    ///
    /// - Parameters:
    ///   - step: 1 for all rows of MCUs; otherwise one in this many of the frame's MCU rows stands for the others.
    ///   - work: asked once per row of MCUs.
    /// - Returns: how many rows of the scan there were.
    @discardableResult
    mutating func walk(
        _ scan: ScanSpecification, every step: Int = 1, work: inout WorkGuard, into consumer: inout some TokenConsumer
    ) throws(ImageError) -> Int {
        var state = try ScanState(scan, of: picture, meter: meter)
        let geometry = ScanGeometry(components: scan.components, in: picture.geometry)
        var left = restartInterval ?? .max
        var rowCount = 0
        for row in 0..<geometry.mcuRows {
            let frameRow = row / geometry.mcuRowsPerFrameMCURow
            // The last row may have blocks beyond the picture, in some scans.
            guard step == 1 || frameRow % step == (step - 1) / 2 && frameRow < picture.geometry.mcuRows - 1 else {
                continue
            }
            rowCount += 1
            try work.check()
            load(row, scan, &state)
            var column = 0
            while column < geometry.mcusPerRow {
                if left == 0 {
                    try endInterval(&state, into: &consumer)
                    try consumer.restart()
                    left = restartInterval ?? .max
                }
                let end = column + min(geometry.mcusPerRow - column, left)
                let next = append(column..<end, ofRow: row, scan, &state)
                // Where the buffer is full, the column is not the end.
                if next < end { try flush(into: &consumer) }
                left -= next - column
                column = next
            }
        }
        try endInterval(&state, into: &consumer)
        return rowCount
    }

    private mutating func flush(into consumer: inout some TokenConsumer) throws(ImageError) {
        let count = count
        self.count = 0
        try tokens.withSpan { (tokens) throws(ImageError) in try consumer.consume(tokens.extracting(0..<count)) }
    }

    /// Ends runs, and gives all tokens away.
    private mutating func endInterval(
        _ state: inout ScanState, into consumer: inout some TokenConsumer
    ) throws(ImageError) {
        if count > Self.bufferCount - EntropyToken.largestBlock { try flush(into: &consumer) }
        var end = count
        tokens.withMutableSpan { tokens in
            if state.run > 0 {
                tokens[end] = EntropyToken.endOfBand(run: state.run, table: EntropyToken.acTable)
                end += 1
            }
            state.refinement?.endRun(tokens: &tokens, count: &end)
        }
        count = end
        state.run = 0
        state.predictors = SIMD4(repeating: 0)
        try flush(into: &consumer)
    }

    /// Makes what a row needs besides its coefficients.
    private mutating func load(_ row: Int, _ scan: ScanSpecification, _ state: inout ScanState) {
        state.interleaved?.load(row, of: picture, masks: masks)
        guard let band = state.band else { return }
        if band.low > 0 { fill(&rowMasks, row, of: scan.components[0], low: band.low) }
        if state.refinement != nil { fill(&knownMasks, row, of: scan.components[0], low: band.low + 1) }
    }

    private func fill(_ masks: inout NumberBuffer<UInt64>, _ row: Int, of index: Int, low: Int) {
        let component = picture.coefficients[index]
        masks.withMutableSpan { masks in
            component.withBytes(component.bytes(ofRow: row)) { values in
                NonZeroMaskKernel.fill(&masks, 0..<component.widthInBlocks, from: values, low: low)
            }
        }
    }

    /// Makes the tokens of MCUs until the buffer is full; the column that comes next.
    private mutating func append(
        _ columns: Range<Int>, ofRow row: Int, _ scan: ScanSpecification, _ state: inout ScanState
    ) -> Int {
        var end = count
        var next = columns.lowerBound
        if let interleaved = state.interleaved {
            tokens.withMutableSpan { tokens in
                next = interleaved.append(columns, of: scan, &state.predictors, &tokens, &end)
            }
        } else if let band = state.band {
            let component = picture.coefficients[scan.components[0]]
            let known = knownMasks
            // Whole pictures have masks of coefficients that are not zero; the rest is made row by row.
            let width = component.widthInBlocks
            let rowOfMasks = band.low == 0 ? masks[scan.components[0]] : rowMasks
            let first = band.low == 0 ? row * width : 0
            tokens.withMutableSpan { tokens in
                component.withBytes(component.bytes(ofRow: row)) { values in
                    rowOfMasks.withSpan { masks in
                        let masks = masks.extracting(first..<first + width)
                        guard state.refinement != nil else {
                            next = CoefficientTokenKernel.band(
                                band, columns: columns, coefficients: values, masks: masks, run: &state.run,
                                tokens: &tokens, count: &end)
                            return
                        }
                        known.withSpan { known in
                            next =
                                state.refinement?.append(
                                    columns: columns, coefficients: values, masks: masks, known: known,
                                    tokens: &tokens, count: &end) ?? columns.upperBound
                        }
                    }
                }
            }
        }
        count = end
        return next
    }
}

/// Where a scan stands.
private struct ScanState {
    /// In scans with DC coefficients, the row of MCUs.
    var interleaved: InterleavedRow?
    /// In scans without, what they carry.
    var band: Band?
    /// The last DC coefficients.
    var predictors = SIMD4<Int32>(repeating: 0)
    /// In a first scan, bands that ended and have no token yet.
    var run = 0
    var refinement: RefinementTokens?

    init(_ scan: ScanSpecification, of picture: CoefficientPicture, meter: MemoryMeter?) throws(ImageError) {
        guard scan.spectralStart > 0 else {
            interleaved = try InterleavedRow(scan, of: picture, meter: meter)
            return
        }
        let band = Band(
            start: scan.spectralStart, end: scan.spectralEnd, low: scan.approximationLow)
        self.band = band
        if scan.kind == .acRefinement { refinement = RefinementTokens(band) }
    }
}

extension InterleavedRow {
    /// Makes the tokens of MCUs of the row; the column that comes next.
    fileprivate func append(
        _ columns: Range<Int>, of scan: ScanSpecification, _ predictors: inout SIMD4<Int32>,
        _ tokens: inout MutableSpan<UInt32>, _ count: inout Int
    ) -> Int {
        guard scan.isProgressive else {
            return coefficients.withBytes { coefficients in
                masks.withSpan { masks in
                    CoefficientTokenKernel.sequential(
                        columns: columns, blocks: blocks, coefficients: coefficients, masks: masks,
                        predictors: &predictors, tokens: &tokens, count: &count)
                }
            }
        }
        return values.withSpan { values in
            scan.kind == .dcFirst
                ? DCTokens.first(
                    columns: columns, blocks: blocks, values: values, low: scan.approximationLow,
                    predictors: &predictors, tokens: &tokens, count: &count)
                : DCTokens.refinement(
                    columns: columns, blocksPerMCU: blocks.count, values: values, low: scan.approximationLow,
                    tokens: &tokens, count: &count)
        }
    }
}

extension QuantizedCoefficients {
    /// Where the blocks of a row are.
    fileprivate func bytes(ofRow row: Int) -> Range<Int> {
        byteOffset(column: 0, row: row)..<byteOffset(column: 0, row: row + 1)
    }
}
