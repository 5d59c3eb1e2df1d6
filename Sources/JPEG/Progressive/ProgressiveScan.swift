// One progressive scan: MCU after MCU, row after row, through one of four procedures.
//
// In: the bytes of the entropy-coded segments that are there so far. Out: bits of coefficients, in the store.
// Suspends between MCUs.

package import ImageCodecsCore
package import JPEGBaselineCodec

/// Decodes a scan of a progressive frame.
///
/// - Source: ITU-T T.81 (1992) §G.2 "Progressive decoding of the DCT".
package struct ProgressiveScan: StoredScan {
    /// Where the scan stands.
    package private(set) var control: ScanControl

    private let procedure: ScanProcedure
    private var state = ProgressiveState()

    /// - Precondition: `ScanScript` does not refuse the header.
    package init(
        header: ScanHeader, frame: FrameGeometry, tables decodingTables: DecodingTables,
        strictness: DecodingOptions.Strictness, meter: MemoryMeter?, work: inout WorkGuard
    ) throws(ImageError) {
        let control = try ScanControl(
            header, frame: frame, restartInterval: decodingTables.restartInterval, strictness: strictness)
        let kind = ScanKind(spectralStart: header.spectralStart, approximationHigh: header.approximationHigh)
        // DC tables have few symbols. For AC tables small look-ups cost 2 % of a decode of many pixels.
        let lookupBits = kind == .dcFirst ? HuffmanTable.smallLookupBits : HuffmanTable.lookupBits
        let count = HuffmanTable.count(lookupBits: lookupBits)
        var tables = [Int32](repeating: 0, count: kind == .dcRefinement ? 0 : header.components.count * count)
        var tableStarts = SIMD4<Int>()
        for (position, member) in header.components.enumerated() {
            if position > 0, member.hasTables(of: header.components[position - 1]) {
                tableStarts[position] = tableStarts[position - 1]
                continue
            }
            let start = position * count
            tableStarts[position] = start
            switch kind {
            case .dcFirst:
                try decodingTables.writeHuffmanTable(
                    .dc, slot: member.dcTable, use: .dc, offset: header.offset, lookupBits: lookupBits, to: &tables,
                    at: start, &work)
            case .dcRefinement: break
            case .acFirst, .acRefinement:
                try decodingTables.writeHuffmanTable(
                    .ac, slot: member.acTable, use: kind == .acFirst ? .progressiveAC : .symbols,
                    offset: header.offset, lookupBits: lookupBits, to: &tables, at: start, &work)
            }
        }
        self.control = control
        procedure = ScanProcedure(
            kind: kind, band: Band(start: header.spectralStart, end: header.spectralEnd, low: header.approximationLow),
            geometry: control.geometry, frame: frame, tables: tables, tableStarts: tableStarts)
    }

    /// A progressive scan carries the band that its header names.
    package static var selectsBand: Bool { true }

    /// What is known from the scans so far: nothing yet.
    package static func script(componentCount: Int) -> any StoredScanScript {
        ScanScript(componentCount: componentCount)
    }

    /// Whether the scan brings a component's first samples.
    package var isFirst: Bool { procedure.kind == .dcFirst }

    /// Bytes of the input that are not needed again; see ``rebase(droppingFirst:)``.
    package func consumedCount(of input: Span<UInt8>) -> Int {
        input.withRawSpan { state.reader.nextBitPosition(in: $0) }
    }

    /// There are no buffers here: coefficients go straight to the store.
    package mutating func makeUnique() {}

    /// Goes on in an input whose first `byteCount` bytes, at most ``consumedCount(of:)``, are gone.
    package mutating func rebase(droppingFirst byteCount: Int) { state.reader.rebase(droppingFirst: byteCount) }

    /// Decodes MCUs to the end of the row.
    ///
    /// - Parameters:
    ///   - store: The coefficients of the frame; AC coefficients of the scan's component are kept.
    ///   - input: Unread bytes; `offset` is that of the first, in the file.
    ///   - isFinal: Whether no more bytes will come.
    ///   - work: Asked if the row has many bytes.
    /// - Returns: Whether the row is complete; if not, more bytes are needed.
    /// - Throws: under `.strict`, `corrupt` and `truncated`; never under `.tolerant`.
    package mutating func decodeRow(
        into store: inout CoefficientStore, input: Span<UInt8>, offset: Int, isFinal: Bool, work: inout WorkGuard
    ) throws(ImageError) -> Bool {
        let mcuRow = control.mcuRow
        return try control.decodeRow(&state, input: input, offset: offset, isFinal: isFinal, work: &work) {
            [procedure] run, state, bytes, isFinal in
            procedure.decode(run, mcuRow: mcuRow, into: &store, &state, input: bytes, isFinal: isFinal)
        } clear: { _ in
            // What no scan has delivered is zero already.
        }
    }
}

/// How the runs of a scan are decoded.
private struct ScanProcedure: Sendable {
    let kind: ScanKind
    let band: Band
    let geometry: ScanGeometry
    let frame: FrameGeometry
    /// Huffman tables, with room for one for each component, or none if the scan needs none; and where that of each begins.
    let tables: [Int32]
    let tableStarts: SIMD4<Int>

    func decode(
        _ run: Range<Int>, mcuRow: Int, into store: inout CoefficientStore, _ state: inout ProgressiveState,
        input: RawSpan, isFinal: Bool
    ) -> RunResult {
        switch kind {
        case .dcFirst:
            let blocks = blocks(ofRow: mcuRow, in: store)
            return store.coefficients.withMutableSpan { coefficients in
                DCKernels.decodeFirst(
                    run, blocks: blocks, tables: tables, low: band.low, state: &state, input: input,
                    isFinal: isFinal, coefficients: &coefficients)
            }
        case .dcRefinement:
            let blocks = blocks(ofRow: mcuRow, in: store)
            return store.coefficients.withMutableSpan { coefficients in
                DCKernels.refine(
                    run, blocks: blocks, low: band.low, state: &state, input: input, isFinal: isFinal,
                    coefficients: &coefficients)
            }
        case .acFirst, .acRefinement:
            return decodeBand(run, mcuRow: mcuRow, into: &store, &state, input: input, isFinal: isFinal)
        }
    }

    private func decodeBand(
        _ run: Range<Int>, mcuRow: Int, into store: inout CoefficientStore, _ state: inout ProgressiveState,
        input: RawSpan, isFinal: Bool
    ) -> RunResult {
        let plane = store.planes[geometry.components[0]]
        let firstBlock = mcuRow * plane.blocksPerRow
        let row = ACKernels.BlockRow(
            firstMask: plane.firstBlock + firstBlock, firstCoefficient: plane.start + firstBlock * 64)
        return store.masks.withMutableSpan { masks in
            store.coefficients.withMutableSpan { coefficients in
                kind == .acFirst
                    ? ACKernels.decodeFirst(
                        run, band: band, table: tables, state: &state, input: input, isFinal: isFinal, row: row,
                        coefficients: &coefficients, masks: &masks)
                    : ACKernels.refine(
                        run, band: band, table: tables, state: &state, input: input, isFinal: isFinal, row: row,
                        coefficients: &coefficients, masks: &masks)
            }
        }
    }

    /// The blocks of an MCU in an MCU row of the scan.
    private func blocks(ofRow mcuRow: Int, in store: CoefficientStore) -> [DCBlock] {
        var blocks: [DCBlock] = []
        blocks.reserveCapacity(geometry.blocksPerMCU)
        for (position, index) in geometry.components.enumerated() {
            let component = frame.components[index]
            let plane = store.planes[index]
            let isInterleaved = geometry.isInterleaved
            let across = isInterleaved ? component.horizontalSampling : 1
            let down = isInterleaved ? component.verticalSampling : 1
            for row in 0..<down {
                for column in 0..<across {
                    let block = (mcuRow * down + row) * plane.blocksPerRow + column
                    blocks.append(
                        DCBlock(
                            predictor: position, table: tableStarts[position],
                            base: plane.start + block * plane.coefficientsPerBlock,
                            step: across * plane.coefficientsPerBlock))
                }
            }
        }
        return blocks
    }
}
