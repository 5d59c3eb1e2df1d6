// Parsing: partitions to modes and coefficients of one row of macroblocks.
//
// Parsing knows nothing of samples, reconstruction nothing of bits: parsed rows go from one to the other.

package import ImageCodecsCore

/// Modes and coefficients of one row of macroblocks.
///
/// Coefficients are stored one subblock after the other, those without residue left out: three macroblocks in which five
/// subblocks have residue take five times sixteen numbers.
package struct ParsedRow: Sendable {
    /// A `MacroblockInfo` for each column.
    package var infos: ScratchBuffer
    /// As many as there may be; only the first are set.
    package var coefficients: NumberBuffer<Int16>

    package init(_ workspace: MacroblockWorkspace, meter: MemoryMeter?) throws(ImageError) {
        infos = try ScratchBuffer(zeroedByteCount: Self.infoByteCount(workspace), meter: meter)
        coefficients = try NumberBuffer(count: Self.coefficientCount(workspace), meter: meter)
    }

    private static func infoByteCount(_ workspace: MacroblockWorkspace) -> Int {
        workspace.columnCount * MemoryLayout<MacroblockInfo>.stride
    }

    private static func coefficientCount(_ workspace: MacroblockWorkspace) -> Int {
        workspace.columnCount * TokenKernel.largestCount + TokenKernel.scratchCount
    }

    static func byteCount(_ workspace: MacroblockWorkspace) -> Int {
        infoByteCount(workspace) + 2 * coefficientCount(workspace)
    }

    mutating func makeUnique() throws(ImageError) {
        try infos.makeUnique()
        try coefficients.makeUnique()
    }
}

/// Parses rows of macroblocks, one after the other.
///
/// A value: a copy is a checkpoint.
struct RowParser: Sendable {
    private let modeParameters: ModeParameters
    private let probabilities: [UInt16]
    private let steps: [Int32]
    /// A copy; `nil` if the caller has the bytes.
    private let firstPartition: ScratchBuffer?
    private(set) var partitions: TokenPartitions
    private var modes: ModeState
    /// Modes of the subblocks at the lower edge of the row above, four for each column.
    private var modesAbove: ScratchBuffer
    /// Which subblocks there have coefficients.
    private var contextsAbove: NumberBuffer<UInt16>
    /// Where token decoding stands in the row; `nil` before its modes are decoded.
    private var tokens: TokenState?
    /// The row that is parsed.
    private(set) var row = 0
    private let rowCount: Int

    /// - Parameters:
    ///   - firstPartition: its bytes; `nil` if they come with each call.
    ///   - decoder: after the frame header in it.
    init(
        _ frame: VP8FrameHeader, firstPartition: ScratchBuffer?, decoder: BooleanDecoder, partitions: TokenPartitions,
        workspace: MacroblockWorkspace, meter: MemoryMeter?
    ) throws(ImageError) {
        modeParameters = frame.modeParameters
        probabilities = frame.probabilities.values
        steps = DequantizationFactors(frame.quantizers, frame.segments).values
        self.firstPartition = firstPartition
        self.partitions = partitions
        modes = ModeState(reader: decoder.state)
        modesAbove = try ScratchBuffer(zeroedByteCount: 4 * workspace.columnCount, meter: meter)
        contextsAbove = try NumberBuffer(count: workspace.columnCount, meter: meter)
        rowCount = workspace.rowCount
    }

    /// Bytes held besides the first partition.
    static func byteCount(_ workspace: MacroblockWorkspace) -> Int { 6 * workspace.columnCount }

    mutating func makeUnique() throws(ImageError) {
        try modesAbove.makeUnique()
        try contextsAbove.makeUnique()
    }

    /// Whether every row was parsed.
    var isComplete: Bool { row == rowCount }

    /// The partition that the row's tokens are in.
    var partition: Range<Int> { partitions.ranges[partitions.index(ofRow: row)] }

    /// Where the bytes begin that the next macroblock needs.
    var unitStart: Int { tokens?.reader.next ?? partitions.readers[partitions.index(ofRow: row)].next }

    /// The first byte of the frame that is needed again.
    var firstNeeded: Int {
        var first = partitions.firstNeeded(fromRow: tokens == nil ? row : row + 1, rowCount: rowCount)
        if let tokens { first = min(first, tokens.reader.next) }
        return first
    }

    /// Decodes the modes of the row, if that was not done before.
    ///
    /// - Parameter inPlace: the first partition, if there is no copy.
    /// - Returns: `false` where the first partition ends before them.
    mutating func parseModes(into parsed: inout ParsedRow, inPlace: RawSpan) -> Bool {
        guard tokens == nil else { return true }
        if let firstPartition {
            firstPartition.withBytes { Self.run(&modes, modeParameters, $0, &modesAbove, &parsed.infos) }
        } else {
            Self.run(&modes, modeParameters, inPlace, &modesAbove, &parsed.infos)
        }
        tokens = TokenState(reader: partitions.readers[partitions.index(ofRow: row)])
        return !modes.isDry
    }

    /// Runs the kernel; the parts are passed apart from each other, so that none is copied while another changes.
    private static func run(
        _ state: inout ModeState, _ parameters: ModeParameters, _ input: RawSpan, _ above: inout ScratchBuffer,
        _ infos: inout ScratchBuffer
    ) {
        above.withMutableBytes { above in
            infos.withMutableBytes { bytes in
                bytes.withMacroblocks { infos in
                    ModeKernel.decodeRow(
                        &state, parameters: parameters, input: input,
                        probabilities: SubblockModeProbabilities.scaled, top: &above, infos: &infos)
                }
            }
        }
    }

    /// Decodes tokens of the row as far as there are bytes.
    ///
    /// - Parameters:
    ///   - input: bytes of the frame up to the end of the row's partition, or as far as they are there.
    ///   - start: where they begin in the frame.
    ///   - isAll: whether no more come.
    ///   - work: asked within wide rows.
    /// - Returns: whether the row is complete.
    mutating func parseTokens(
        _ input: RawSpan, start: Int, isAll: Bool, work: WorkGuard, into parsed: inout ParsedRow
    ) throws(ImageError) -> Bool {
        guard var state = tokens else { return false }
        let isFresh = state.reader.count == 0 && state.reader.next == partition.lowerBound
        if isFresh, state.reader.next - start < input.byteCount {
            state.reader.isOverfull = input.byte(at: state.reader.next - start) == OverfullValue.firstByte
        }
        // How such a partition is read depends on where it ends.
        guard isAll || !state.reader.isOverfull else { return false }
        state.reader.next -= start
        let isComplete = try run(&state, input, isAll: isAll, work, &parsed)
        state.reader.next += start
        guard isComplete else {
            tokens = state
            return false
        }
        partitions.readers[partitions.index(ofRow: row)] = state.reader
        tokens = nil
        row += 1
        return true
    }

    /// Macroblocks that are decoded between two looks at the clock: a few milliseconds if each has many tokens.
    private static let columnsPerCheck = 128

    /// Runs the kernel as far as there are bytes.
    ///
    /// - Returns: whether the row is complete.
    private mutating func run(
        _ state: inout TokenState, _ input: RawSpan, isAll: Bool, _ work: WorkGuard, _ parsed: inout ParsedRow
    ) throws(ImageError) -> Bool {
        var isExact = false
        while true {
            let stop = state.column + Self.columnsPerCheck
            let pause = Self.run(
                &state, isExact, stop, probabilities, steps, input, &contextsAbove, &parsed.infos, &parsed.coefficients)
            switch pause {
            case .rowComplete: return true
            case .reachedStop: try work.check()
            case .dry:
                guard isAll, !isExact else { return false }
                isExact = true
            }
        }
    }

    private static func run(
        _ state: inout TokenState, _ isExact: Bool, _ stop: Int, _ probabilities: [UInt16], _ steps: [Int32],
        _ input: RawSpan, _ contexts: inout NumberBuffer<UInt16>, _ infos: inout ScratchBuffer,
        _ coefficients: inout NumberBuffer<Int16>
    ) -> TokenKernel.Pause {
        contexts.withMutableSpan { top in
            infos.withMutableBytes { bytes in
                bytes.withMacroblocks { infos in
                    coefficients.withMutableSpan { coefficients in
                        TokenKernel.decodeRow(
                            &state, isExact: isExact, to: stop, infos: &infos, top: &top,
                            probabilities: probabilities, steps: steps, input: input, coefficients: &coefficients)
                    }
                }
            }
        }
    }
}
