// One scan of a sequential frame: MCU after MCU, row after row, interleaved or not.
//
// In: the bytes of the entropy-coded segments that are there so far. Out: the quantised coefficients of one MCU
// row at a time. Suspends between MCUs.

package import ImageCodecsCore

/// Where an MCU row of coefficients goes: for each component of the frame, where its blocks begin.
package struct MCURowLayout: Hashable, Sendable {
    /// Coefficients before the first block of each of the frame's components.
    package let starts: [Int]
    /// Coefficients in all.
    package let count: Int

    /// One MCU row of every component: block rows of padded width, component after component.
    package init(_ geometry: FrameGeometry) {
        var end = 0
        starts = geometry.components.map { component in
            defer { end += component.blocksPerMCURow * 64 }
            return end
        }
        count = end
    }
}

/// Decodes a scan of a sequential frame.
///
/// - Source: ITU-T T.81 (1992) §F.2 "Sequential DCT-based decoding processes".
package struct SequentialScan: Sendable {
    /// Where the scan stands.
    package private(set) var control: ScanControl

    private let blocks: [MCUBlock]
    private let tables: [Int32]
    private var state = EntropyState()

    /// The most bytes of data in an MCU, stuffing and fill not counted: 10 blocks, each a DC symbol of 16 bits with a
    /// difference of 15 bits and 63 AC symbols with as long a coefficient, and what is read ahead.
    package static let longestMCUByteCount =
        (ScanGeometry.maximumBlocksPerMCU * 64 * 31 + EntropyBitReader.readAheadBitCount) / 8 + 1

    /// - Parameters:
    ///   - rows: Where a row of MCUs goes. In a scan of one component that is a row of its blocks, at the start of
    ///     that component.
    package init(
        header: ScanHeader, frame: FrameGeometry, tables decodingTables: DecodingTables, rows: MCURowLayout,
        strictness: DecodingOptions.Strictness, work: inout WorkGuard
    ) throws(ImageError) {
        control = try ScanControl(
            header, frame: frame, restartInterval: decodingTables.restartInterval, strictness: strictness)
        let geometry = control.geometry
        var tables = ScanTables(decodingTables, offset: header.offset)
        var blocks: [MCUBlock] = []
        for (position, member) in header.components.enumerated() {
            let component = frame.components[member.index]
            let dcTable = try tables.start(.dc, slot: member.dcTable, use: .dc, &work)
            let acTable = try tables.start(.ac, slot: member.acTable, use: .sequentialAC, &work)
            let columns = geometry.isInterleaved ? component.horizontalSampling : 1
            for row in 0..<(geometry.isInterleaved ? component.verticalSampling : 1) {
                for column in 0..<columns {
                    let block = row * component.paddedWidthInBlocks + column
                    blocks.append(
                        MCUBlock(
                            predictor: position, dcTable: dcTable, acTable: acTable,
                            base: rows.starts[member.index] + block * 64, step: columns * 64))
                }
            }
        }
        self.tables = tables.entries
        self.blocks = blocks
    }

    /// Bytes of the input that are not needed again; see ``rebase(droppingFirst:)``.
    package func consumedCount(of input: Span<UInt8>) -> Int {
        input.withRawSpan { state.reader.nextBitPosition(in: $0) }
    }

    /// Goes on in an input whose first `byteCount` bytes, at most ``consumedCount(of:)``, are gone.
    package mutating func rebase(droppingFirst byteCount: Int) { state.reader.rebase(droppingFirst: byteCount) }

    /// Decodes MCUs to the end of the row.
    ///
    /// - Parameters:
    ///   - coefficients: What ``MCURowLayout`` says; only the blocks of this scan are written.
    ///   - lastIndices: For each block the zig-zag index of the last coefficient that may differ from zero.
    ///   - input: Unread bytes; `offset` is that of the first, in the file.
    ///   - isFinal: Whether no more bytes will come.
    ///   - work: Asked if the row has many bytes.
    /// - Returns: Whether the row is complete; if not, more bytes are needed. A complete row must be fetched before
    ///   the next call, which begins the next row.
    /// - Throws: under `.strict`, `corrupt` and `truncated`; never under `.tolerant`.
    package mutating func decodeRow(
        _ coefficients: inout MutableSpan<Int16>, lastIndices: inout MutableSpan<UInt8>, input: Span<UInt8>,
        offset: Int, isFinal: Bool, work: inout WorkGuard
    ) throws(ImageError) -> Bool {
        try control.decodeRow(&state, input: input, offset: offset, isFinal: isFinal, work: &work) {
            [blocks, tables] run, state, bytes, isFinal in
            let (column, before) = SequentialBlockKernel.decode(
                run, blocks: blocks, tables: tables, state: &state, input: bytes, coefficients: &coefficients,
                lastIndices: &lastIndices)
            guard column < run.upperBound else { return .complete }
            guard state.reader.hasOverrun, !isFinal, !state.reader.isAtMarker(bytes) else {
                return .damaged(column: column)
            }
            state = before
            return .needsMoreInput(column: column)
        } clear: { [blocks] run in
            Self.clear(run, blocks, &coefficients, &lastIndices)
        }
    }

    /// Makes the blocks of some MCUs zero.
    private static func clear(
        _ columns: Range<Int>, _ blocks: [MCUBlock], _ coefficients: inout MutableSpan<Int16>,
        _ lastIndices: inout MutableSpan<UInt8>
    ) {
        for column in columns {
            for block in blocks {
                let start = block.base + column * block.step
                for index in start..<start + 64 { coefficients[index] = 0 }
                lastIndices[start / 64] = 0
            }
        }
    }
}

/// The Huffman tables of a scan in one array, each once: components share them most often.
private struct ScanTables {
    private(set) var entries: [Int32] = []
    private var starts: [(tableClass: HuffmanSpecification.Class, slot: Int, start: Int)] = []
    private let tables: DecodingTables
    private let offset: Int

    init(_ tables: DecodingTables, offset: Int) {
        (self.tables, self.offset) = (tables, offset)
        // Two of each class are usual.
        entries.reserveCapacity(4 * HuffmanTable.count)
    }

    /// Where the table of a slot begins.
    mutating func start(
        _ tableClass: HuffmanSpecification.Class, slot: Int, use: HuffmanTable.Use, _ work: inout WorkGuard
    ) throws(ImageError) -> Int {
        if let known = starts.first(where: { $0.tableClass == tableClass && $0.slot == slot }) { return known.start }
        let start = entries.count
        entries += try tables.huffmanTable(tableClass, slot: slot, use: use, offset: offset, &work).entries
        starts.append((tableClass, slot, start))
        return start
    }
}
