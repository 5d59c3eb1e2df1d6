// One arithmetic-coded scan, sequential or progressive: MCU after MCU, row after row.
//
// In: the bytes of the entropy-coded segments that are there so far. Out: coefficients, or bits of them, in the store.
// Suspends between MCUs.

import ImageCodecsCore
package import JPEGBaselineCodec

extension MultiScanFrame {
    /// The scans of a frame with arithmetic coding.
    ///
    /// - Source: ITU-T T.81 (1992) annex D "Arithmetic coding", §F.2.4, §G.2.
    package static func arithmeticScans(isProgressive: Bool) -> any StoredScan.Type {
        isProgressive ? ProgressiveArithmeticScan.self : SequentialArithmeticScan.self
    }
}

/// A scan of SOF9: all coefficients of its components.
struct SequentialArithmeticScan: ArithmeticScan {
    var core: ArithmeticScanCore

    init(_ core: ArithmeticScanCore) { self.core = core }

    static var selectsBand: Bool { false }

    static func script(componentCount: Int) -> any StoredScanScript {
        BufferedSequentialScan.script(componentCount: componentCount)
    }
}

/// A scan of SOF10: a band of coefficients, or one more bit of each.
struct ProgressiveArithmeticScan: ArithmeticScan {
    var core: ArithmeticScanCore

    init(_ core: ArithmeticScanCore) { self.core = core }

    static var selectsBand: Bool { true }

    static func script(componentCount: Int) -> any StoredScanScript {
        ProgressiveScan.script(componentCount: componentCount)
    }
}

/// What both kinds of arithmetic-coded scan have in common.
protocol ArithmeticScan: StoredScan {
    var core: ArithmeticScanCore { get set }

    init(_ core: ArithmeticScanCore)
}

extension ArithmeticScan {
    init(
        header: ScanHeader, frame: FrameGeometry, tables: DecodingTables, strictness: DecodingOptions.Strictness,
        meter: MemoryMeter?, work: inout WorkGuard
    ) throws(ImageError) {
        self.init(
            try ArithmeticScanCore(
                header: header, isSequential: !Self.selectsBand, frame: frame, tables: tables, strictness: strictness))
    }

    var control: ScanControl { core.control }
    var isFirst: Bool { core.isFirst }
    mutating func makeUnique() {}
    func consumedCount(of input: Span<UInt8>) -> Int { core.consumedCount(of: input) }
    mutating func rebase(droppingFirst byteCount: Int) { core.rebase(droppingFirst: byteCount) }

    mutating func decodeRow(
        into store: inout CoefficientStore, input: Span<UInt8>, offset: Int, isFinal: Bool, work: inout WorkGuard
    ) throws(ImageError) -> Bool {
        try core.decodeRow(into: &store, input: input, offset: offset, isFinal: isFinal, work: &work)
    }
}

/// Decodes the MCUs of an arithmetic-coded scan.
struct ArithmeticScanCore: Sendable {
    /// Where the scan stands.
    private(set) var control: ScanControl
    private var state = ArithmeticState()
    private let procedure: ArithmeticProcedure

    /// - Precondition: The script of the process does not refuse the header.
    /// - Throws: `corrupt` for a table outside 0...3.
    init(
        header: ScanHeader, isSequential: Bool, frame: FrameGeometry, tables: DecodingTables,
        strictness: DecodingOptions.Strictness
    ) throws(ImageError) {
        control = try ScanControl(
            header, frame: frame, restartInterval: tables.restartInterval, strictness: strictness)
        guard header.components.allSatisfy({ $0.dcTable < 4 && $0.acTable < 4 }) else {
            throw .corruptJPEG(.jpegConditioning, header.offset, "conditioning table outside 0...3")
        }
        procedure = ArithmeticProcedure(
            kind: isSequential
                ? .dcFirst
                : ScanKind(spectralStart: header.spectralStart, approximationHigh: header.approximationHigh),
            isSequential: isSequential,
            band: isSequential
                ? Band(start: 1, end: 63, low: 0)
                : Band(start: header.spectralStart, end: header.spectralEnd, low: header.approximationLow),
            members: header.components, geometry: control.geometry, frame: frame, conditioning: tables.conditioning)
    }

    /// Whether the scan brings a component's first samples.
    var isFirst: Bool { procedure.kind == .dcFirst }

    func consumedCount(of input: Span<UInt8>) -> Int {
        input.withRawSpan { state.reader.nextBitPosition(in: $0) }
    }

    mutating func rebase(droppingFirst byteCount: Int) {
        if state.reader.hasOverrun {
            // At a marker, which is not gone: the zeros that were used in place of bytes stay.
            state.decoder.reader.position -= byteCount
        } else {
            state.decoder.reader.rebase(droppingFirst: byteCount)
        }
    }

    mutating func decodeRow(
        into store: inout CoefficientStore, input: Span<UInt8>, offset: Int, isFinal: Bool, work: inout WorkGuard
    ) throws(ImageError) -> Bool {
        let mcuRow = store.row(control.mcuRow, of: control.geometry)
        return try control.decodeRow(&state, input: input, offset: offset, isFinal: isFinal, work: &work) {
            [procedure] run, state, bytes, isFinal in
            procedure.decode(run, mcuRow: mcuRow, into: &store, &state, input: bytes, isFinal: isFinal)
        } clear: { _ in
            // What no scan has delivered is zero already.
        }
    }
}

/// How the runs of a scan are decoded.
private struct ArithmeticProcedure: Sendable {
    let kind: ScanKind
    /// Whether each block's band follows its DC difference.
    let isSequential: Bool
    let band: Band
    let members: PerComponent<ScanHeader.Component>
    let geometry: ScanGeometry
    let frame: FrameGeometry
    let conditioning: ArithmeticConditioning

    /// An MCU of more bytes is damaged: 10 blocks of 64 coefficients of some thirty decisions each do not make as many.
    private static let longestMCUByteCount = 1 << 16

    func decode(
        _ run: Range<Int>, mcuRow: Int, into store: inout CoefficientStore, _ state: inout ArithmeticState,
        input: RawSpan, isFinal: Bool
    ) -> RunResult {
        if state.isStopped { return .complete }
        let blocks = blocks(ofRow: mcuRow, in: store)
        return store.masks.withMutableSpan { masks in
            store.coefficients.withMutableSpan { coefficients in
                ProbabilityEstimation.bins.withSpan { transitions in
                    ZigZagOrder.natural.withSpan { order in
                        decode(
                            run, blocks, &state, transitions, order, input, isFinal: isFinal,
                            coefficients: &coefficients, masks: &masks)
                    }
                }
            }
        }
    }

    private func decode(
        _ run: Range<Int>, _ blocks: [ArithmeticBlock], _ state: inout ArithmeticState, _ transitions: Span<UInt32>,
        _ order: Span<UInt8>, _ input: RawSpan, isFinal: Bool, coefficients: inout MutableSpan<Int16>,
        masks: inout MutableSpan<UInt64>
    ) -> RunResult {
        var column = run.lowerBound
        while column < run.upperBound {
            // Where the input may end within an MCU, a few are decoded so that they can be decoded again.
            let isAtEnd = state.reader.hasOverrun && state.reader.isAtMarker(input)
            let isCertain = isFinal || isAtEnd || holdsLongestMCU(input, state.reader)
            let attempt = column..<(isCertain ? run.upperBound : min(run.upperBound, column + attemptedCount(blocks)))
            let before = isCertain ? nil : MCUCopy(state, blocks, attempt, coefficients, masks)
            var start = 0
            column = decodeMCUs(
                attempt, blocks, &state, transitions, order, input, isAll: isFinal || isAtEnd || !isCertain,
                start: &start,
                &coefficients, &masks)
            if state.reader.hasOverrun, !state.reader.isAtMarker(input) {
                if let before {
                    state = before.state
                    before.restore(blocks, &coefficients, &masks)
                    if column - 1 > attempt.lowerBound {
                        _ = decodeMCUs(
                            attempt.lowerBound..<column - 1, blocks, &state, transitions, order, input, isAll: true,
                            start: &start, &coefficients, &masks)
                    }
                    return .needsMoreInput(column: column - 1)
                }
                if !isFinal { state.decoder.reader.restart(at: start + Self.longestMCUByteCount) }
                state.isDamaged = true
            }
            if state.isDamaged {
                state.isStopped = true
                return .damaged(column: column - 1)
            }
        }
        return .complete
    }

    /// MCUs that are copied before they are decoded: a number at which this costs little, and decoding them again too.
    private func attemptedCount(_ blocks: [ArithmeticBlock]) -> Int { 1 + 16 / blocks.count }

    private func holdsLongestMCU(_ input: RawSpan, _ reader: EntropyBitReader) -> Bool {
        input.byteCount - reader.position >= Self.longestMCUByteCount
    }

    /// Decodes MCUs, up to one that is damaged or for which bytes were missing, or after which it is not certain any more that the
    /// input holds the next one.
    ///
    /// - Parameters:
    ///   - isAll: Whether they are decoded even if that is not certain.
    ///   - start: Gets the place where the last of them began.
    /// - Returns: The column after the last of them; at least one is decoded.
    private func decodeMCUs(
        _ columns: Range<Int>, _ blocks: [ArithmeticBlock], _ state: inout ArithmeticState, _ transitions: Span<UInt32>,
        _ order: Span<UInt8>, _ input: RawSpan, isAll: Bool, start: inout Int,
        _ coefficients: inout MutableSpan<Int16>, _ masks: inout MutableSpan<UInt64>
    ) -> Int {
        var decoder = state.decoder
        decoder.start(input)
        var (predictors, contexts, isWhole) = (state.predictors, state.contexts, true)
        var column = columns.lowerBound
        state.statistics.withMutableBytes { bytes in
            bytes.withNumbers(of: UInt8.self) { bins in
                repeat {
                    start = decoder.reader.position
                    for block in blocks where isWhole {
                        isWhole = decode(
                            block, column, &decoder, &bins, &predictors, &contexts, transitions, order, input,
                            &coefficients, &masks)
                    }
                    column += 1
                } while column < columns.upperBound && isWhole && !decoder.reader.hasOverrun
                    && (isAll || holdsLongestMCU(input, decoder.reader))
            }
        }
        (state.decoder, state.predictors, state.contexts) = (decoder, predictors, contexts)
        state.isDamaged = !isWhole
        return column
    }

    /// Decodes what the scan has of a block.
    ///
    /// - Returns: Whether it is undamaged.
    @inline(__always)
    private func decode(
        _ block: ArithmeticBlock, _ column: Int, _ decoder: inout ArithmeticDecoder, _ bins: inout MutableSpan<UInt8>,
        _ predictors: inout SIMD4<Int32>, _ contexts: inout SIMD4<UInt8>, _ transitions: Span<UInt32>,
        _ order: Span<UInt8>, _ input: RawSpan, _ coefficients: inout MutableSpan<Int16>,
        _ masks: inout MutableSpan<UInt64>
    ) -> Bool {
        let first = block.coefficient + column * block.coefficientStep
        let mask = block.mask + column * block.maskStep
        switch kind {
        case .dcFirst:
            guard
                let difference = ArithmeticBlocks.difference(
                    &decoder, &bins, table: block.dcBins, context: &contexts[block.member], bounds: block.bounds,
                    transitions, input)
            else { return false }
            predictors[block.member] &+= difference
            let low = isSequential ? 0 : Int32(band.low)
            coefficients[first] = Int16(truncatingIfNeeded: predictors[block.member] &<< low)
            guard isSequential else { return true }
            // The component may have had a scan before.
            if masks[mask] != 0 {
                for place in first + 1..<first + 64 { coefficients[place] = 0 }
                masks[mask] = 0
            }
            return ArithmeticBlocks.firstBand(
                &decoder, &bins, table: block.acBins, lastLow: block.lastLow, band: band, transitions,
                order: order, input, first: block.keepsAC ? first : nil, coefficients: &coefficients,
                mask: &masks[mask])
        case .dcRefinement:
            if decoder.decideEvenly(transitions, input) { coefficients[first] |= 1 << Int16(band.low) }
            return true
        case .acFirst:
            return ArithmeticBlocks.firstBand(
                &decoder, &bins, table: block.acBins, lastLow: block.lastLow, band: band, transitions,
                order: order, input, first: first, coefficients: &coefficients, mask: &masks[mask])
        case .acRefinement:
            return ArithmeticBlocks.refineBand(
                &decoder, &bins, table: block.acBins, band: band, transitions, order: order, input,
                first: first, coefficients: &coefficients, mask: &masks[mask])
        }
    }

    /// The blocks of an MCU in an MCU row of the scan.
    private func blocks(ofRow mcuRow: Int, in store: CoefficientStore) -> [ArithmeticBlock] {
        var blocks: [ArithmeticBlock] = []
        for (position, member) in members.enumerated() {
            let component = frame.components[member.index]
            let plane = store.planes[member.index]
            let across = geometry.isInterleaved ? component.horizontalSampling : 1
            let down = geometry.isInterleaved ? component.verticalSampling : 1
            for row in 0..<down {
                for column in 0..<across {
                    let block = (mcuRow * down + row) * plane.blocksPerRow + column
                    blocks.append(
                        ArithmeticBlock(
                            member: position, dcBins: StatisticsLayout.dc(member.dcTable),
                            acBins: StatisticsLayout.ac(member.acTable),
                            bounds: (conditioning.lower[member.dcTable], conditioning.upper[member.dcTable]),
                            lastLow: Int(conditioning.lastLow[member.acTable]), keepsAC: plane.keepsAC,
                            mask: plane.firstBlock + block, maskStep: across,
                            coefficient: plane.start + block * plane.coefficientsPerBlock,
                            coefficientStep: across * plane.coefficientsPerBlock))
                }
            }
        }
        return blocks
    }
}
