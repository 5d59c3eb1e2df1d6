// One progressive scan: MCU after MCU, row after row, through one of four procedures.
//
// In: the bytes of the entropy-coded segments that are there so far. Out: bits of coefficients, in the store.
// Suspends between MCUs.

package import ImageCore
package import JPEGBaseline

/// Decodes a scan of a progressive frame.
///
/// - Source: ITU-T T.81 (1992) §G.2 "Progressive decoding of the DCT".
package struct ProgressiveScan: StoredScan {
    /// Where the scan stands.
    package private(set) var control: ScanControl

    private let kind: ScanKind
    private let band: Band
    /// The components of the scan.
    private let members: [ScanHeader.Component]
    private let frame: FrameGeometry
    /// One Huffman table for each component, or none where the scan needs none.
    private let tables: [Int32]
    private var state = ProgressiveState()

    /// - Precondition: `ScanScript` has accepted the header.
    package init(
        header: ScanHeader, frame: FrameGeometry, tables decodingTables: DecodingTables,
        strictness: DecodingOptions.Strictness, meter: MemoryMeter?
    ) throws(ImageError) {
        let geometry = ScanGeometry(components: header.components.map(\.index), in: frame)
        guard geometry.blocksPerMCU <= 10 else {
            throw .corruptJPEG(header.offset, "more than 10 blocks in an MCU")
        }
        let kind = ScanKind(spectralStart: header.spectralStart, approximationHigh: header.approximationHigh)
        var tables: [Int32] = []
        for member in header.components {
            switch kind {
            case .dcFirst:
                tables += try decodingTables.huffmanTable(
                    .dc, slot: member.dcTable, use: .dc, offset: header.offset
                ).entries
            case .dcRefinement: break
            case .acFirst, .acRefinement:
                tables += try decodingTables.huffmanTable(
                    .ac, slot: member.acTable, use: kind == .acFirst ? .progressiveAC : .symbols,
                    offset: header.offset
                ).entries
            }
        }
        control = ScanControl(
            geometry: geometry, restartInterval: decodingTables.restartInterval, strictness: strictness)
        self.kind = kind
        self.tables = tables
        self.frame = frame
        members = header.components
        band = Band(start: header.spectralStart, end: header.spectralEnd, low: header.approximationLow)
    }

    /// A progressive scan carries the band that its header tells.
    package static var selectsBand: Bool { true }

    /// What is known from the scans so far.
    package typealias Script = ScanScript

    /// Whether the scan brings a component's first samples.
    package var isFirst: Bool { kind == .dcFirst }

    /// Bytes of the input that are not needed again; see ``rebase(droppingFirst:)``.
    package var consumedCount: Int { state.reader.position }

    /// There are no buffers here: coefficients go straight to the store.
    package mutating func makeUnique() {}

    /// Goes on in an input whose first `byteCount` bytes, at most ``consumedCount``, are gone.
    package mutating func rebase(droppingFirst byteCount: Int) { state.reader.rebase(droppingFirst: byteCount) }

    /// Decodes MCUs to the end of the row.
    ///
    /// - Parameters:
    ///   - store: The coefficients of the frame; AC coefficients of the scan's component are kept.
    ///   - input: Unread bytes; `offset` is that of the first, in the file.
    ///   - isFinal: Whether no more bytes will come.
    ///   - work: Asked where the row has many bytes.
    /// - Returns: Whether the row is complete; if not, more bytes are needed.
    /// - Throws: under `.strict`, `corrupt` and `truncated`; never under `.tolerant`.
    package mutating func decodeRow(
        into store: inout CoefficientStore, input: Span<UInt8>, offset: Int, isFinal: Bool, work: inout WorkGuard
    ) throws(ImageError) -> Bool {
        control.enterRow()
        while control.mcuColumn < control.geometry.mcusPerRow {
            if control.isRestartDue {
                guard
                    try control.restart(
                        reader: &state.reader, input: input, offset: offset, isFinal: isFinal, work: &work)
                else { return false }
                state.predictors = SIMD4(repeating: 0)
                state.endOfBandRun = 0
            }
            let run = control.nextRun
            if control.isExhausted {
                control.skip(to: run.upperBound)
                continue
            }
            let window = EntropyWindow(from: state.reader.position, inputCount: input.count)
            let result = input.extracting(first: window.end).withRawSpan { bytes in
                decodeRun(run, into: &store, input: bytes, isFinal: isFinal && !window.isCut)
            }
            try window.leave(&state.reader, work: work)
            switch result {
            case .complete:
                control.advance(to: run.upperBound)
            case .needsMoreInput(let column):
                control.advance(to: column)
                guard window.isCut else { return false }
            case .damaged(let column):
                control.advance(to: column)
                state.isDamaged = false
                try control.acceptDamage(at: column, reader: &state.reader, input: input, offset: offset)
            }
        }
        control.finishRow()
        return true
    }

    private mutating func decodeRun(
        _ run: Range<Int>, into store: inout CoefficientStore, input: RawSpan, isFinal: Bool
    ) -> RunResult {
        switch kind {
        case .dcFirst:
            let blocks = blocks(in: store)
            return store.coefficients.withMutableSpan { [tables, band] coefficients in
                DCKernels.decodeFirst(
                    run, blocks: blocks, tables: tables, low: band.low, state: &state, input: input,
                    isFinal: isFinal, coefficients: &coefficients)
            }
        case .dcRefinement:
            let blocks = blocks(in: store)
            return store.coefficients.withMutableSpan { [band] coefficients in
                DCKernels.refine(
                    run, blocks: blocks, low: band.low, state: &state, input: input, isFinal: isFinal,
                    coefficients: &coefficients)
            }
        case .acFirst, .acRefinement:
            return decodeBand(run, into: &store, input: input, isFinal: isFinal)
        }
    }

    private mutating func decodeBand(
        _ run: Range<Int>, into store: inout CoefficientStore, input: RawSpan, isFinal: Bool
    ) -> RunResult {
        let plane = store.planes[members[0].index]
        let firstBlock = control.mcuRow * plane.blocksPerRow
        let row = ACKernels.BlockRow(
            firstMask: plane.firstBlock + firstBlock, firstCoefficient: plane.start + firstBlock * 64)
        return store.masks.withMutableSpan { [kind, band, tables] masks in
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

    /// The blocks of an MCU in the current MCU row.
    private func blocks(in store: CoefficientStore) -> [DCBlock] {
        var blocks: [DCBlock] = []
        for (position, member) in members.enumerated() {
            let component = frame.components[member.index]
            let plane = store.planes[member.index]
            let isInterleaved = control.geometry.isInterleaved
            let across = isInterleaved ? component.horizontalSampling : 1
            let down = isInterleaved ? component.verticalSampling : 1
            for row in 0..<down {
                for column in 0..<across {
                    let block = (control.mcuRow * down + row) * plane.blocksPerRow + column
                    blocks.append(
                        DCBlock(
                            predictor: position, table: position * HuffmanTable.count,
                            base: plane.start + block * plane.coefficientsPerBlock,
                            step: across * plane.coefficientsPerBlock))
                }
            }
        }
        return blocks
    }
}
