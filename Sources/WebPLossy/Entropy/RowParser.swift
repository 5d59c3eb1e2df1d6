// Parsing: partitions to modes and coefficients of one row of macroblocks.
//
// Parsing knows nothing of samples, reconstruction nothing of bits: parsed rows go from one to the other.

package import ImageCodecsCore

/// Modes and coefficients of one row of macroblocks.
///
/// Coefficients are stored one subblock after the other, those without residue left out: three macroblocks in which five
/// subblocks have residue take five times sixteen numbers.
package struct ParsedRow: Sendable {
    /// A `MacroblockInfo` for each column, then as many coefficients as there may be; only the first of those are set.
    private var memory: ScratchBuffer
    private let infoByteCount: Int

    package init(_ workspace: MacroblockWorkspace, meter: MemoryMeter?) throws(ImageError) {
        infoByteCount = Self.infoByteCount(workspace)
        memory = try ScratchBuffer(zeroedByteCount: Self.byteCount(workspace), meter: meter)
    }

    private static func infoByteCount(_ workspace: MacroblockWorkspace) -> Int {
        workspace.columnCount * MemoryLayout<MacroblockInfo>.stride
    }

    static func byteCount(_ workspace: MacroblockWorkspace) -> Int {
        infoByteCount(workspace) + 2 * (workspace.columnCount * TokenKernel.largestCount + TokenKernel.scratchCount)
    }

    mutating func makeUnique() throws(ImageError) { try memory.makeUnique() }

    /// The bytes of the macroblocks.
    func withInfoBytes<R>(_ body: (RawSpan) -> R) -> R { memory.withBytes(0..<infoByteCount, body) }

    /// The macroblocks and the coefficients, for reading.
    func withContents<R>(_ body: (_ infos: Span<MacroblockInfo>, _ coefficients: Span<Int16>) -> R) -> R {
        memory.withBytes { bytes in
            bytes.extracting(first: infoByteCount).withMacroblocks { infos in
                body(infos, Span<Int16>(_bytes: bytes.extracting(droppingFirst: infoByteCount)))
            }
        }
    }

    /// The macroblocks and the coefficients, for writing.
    package mutating func withMutableContents<R>(
        _ body: (_ infos: inout MutableSpan<MacroblockInfo>, _ coefficients: inout MutableSpan<Int16>) -> R
    ) -> R {
        let infoByteCount = infoByteCount
        return memory.withMutableBytes { bytes in
            bytes.withSplit(at: infoByteCount) { infos, coefficients in
                infos.withMacroblocks { infos in
                    coefficients.withNumbers(of: Int16.self) { coefficients in body(&infos, &coefficients) }
                }
            }
        }
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
    /// Of the lower edge of the row above: for each column two bytes that say which subblocks have coefficients, then for
    /// each the modes of four subblocks.
    private var above: ScratchBuffer
    private let contextByteCount: Int
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
        contextByteCount = 2 * workspace.columnCount
        above = try ScratchBuffer(zeroedByteCount: Self.byteCount(workspace), meter: meter)
        rowCount = workspace.rowCount
    }

    /// Bytes held besides the first partition.
    static func byteCount(_ workspace: MacroblockWorkspace) -> Int { 6 * workspace.columnCount }

    mutating func makeUnique() throws(ImageError) { try above.makeUnique() }

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
            firstPartition.withBytes { decodeModes($0, &parsed) }
        } else {
            decodeModes(inPlace, &parsed)
        }
        tokens = TokenState(reader: partitions.readers[partitions.index(ofRow: row)])
        return !modes.isDry
    }

    private mutating func decodeModes(_ input: RawSpan, _ parsed: inout ParsedRow) {
        var state = modes
        let (parameters, start) = (modeParameters, contextByteCount)
        above.withMutableBytes(start..<above.byteCount) { above in
            parsed.withMutableContents { infos, _ in
                ModeKernel.decodeRow(
                    &state, parameters: parameters, input: input, probabilities: SubblockModeProbabilities.scaled,
                    top: &above, infos: &infos)
            }
        }
        modes = state
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
        let (probabilities, steps) = (probabilities, steps)
        var isExact = false
        while true {
            let stop = state.column + Self.columnsPerCheck
            let pause = above.withMutableBytes(0..<contextByteCount) { above in
                above.withNumbers(of: UInt16.self) { top in
                    parsed.withMutableContents { infos, coefficients in
                        TokenKernel.decodeRow(
                            &state, isExact: isExact, to: stop, infos: &infos, top: &top,
                            probabilities: probabilities, steps: steps, input: input, coefficients: &coefficients)
                    }
                }
            }
            switch pause {
            case .rowComplete: return true
            case .reachedStop: try work.check()
            case .dry:
                guard isAll, !isExact else { return false }
                isExact = true
            }
        }
    }
}
