// One scan of a sequential frame: MCU after MCU, row after row, interleaved or not.
//
// In: the bytes of the entropy-coded segments that are there so far. Out: the quantised coefficients of one MCU
// row at a time. Suspends between MCUs.

package import ImageCodecsCore

/// Where an MCU row of coefficients goes: for each component of the frame, where its blocks begin.
package struct MCURowLayout: Hashable, Sendable {
    /// Coefficients before the first block of each of the frame's components, of which there are at most four.
    package let starts: SIMD4<Int>
    /// Coefficients in all.
    package let count: Int

    /// One MCU row of every component: block rows of padded width, component after component.
    package init(_ geometry: FrameGeometry) {
        var starts = SIMD4<Int>()
        var end = 0
        for (index, component) in geometry.components.enumerated() {
            starts[index] = end
            end += component.blocksPerMCURow * 64
        }
        self.starts = starts
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
    /// The same if DC coefficients of some components are enough, for all MCUs but the last of a row and those of the last row, of
    /// whose blocks `PictureEdges` wants everything. Empty if all coefficients of all components are wanted.
    private let passingBlocks: [MCUBlock]
    private let tables: [Int32]
    private let lookupBits: Int
    private var state = EntropyState()

    /// The most bytes of data in an MCU, stuffing and fill not counted: 10 blocks, each a DC symbol of 16 bits with a
    /// difference of 15 bits and 63 AC symbols with as long a coefficient, and what is read ahead.
    package static let longestMCUByteCount =
        (ScanGeometry.maximumBlocksPerMCU * 64 * 31 + EntropyBitReader.readAheadBitCount) / 8 + 1
}

extension SequentialScan {
    /// - Parameters:
    ///   - rows: Where a row of MCUs goes. In a scan of one component that is a row of its blocks, at the start of
    ///     that component.
    package init(
        header: ScanHeader, frame: FrameGeometry, tables decodingTables: DecodingTables, rows: MCURowLayout,
        strictness: DecodingOptions.Strictness, work: inout WorkGuard
    ) throws(ImageError) {
        let control = try ScanControl(
            header, frame: frame, restartInterval: decodingTables.restartInterval, strictness: strictness)
        let geometry = control.geometry
        let tables = try ScanTables(decodingTables, header, frame, &work)
        var blocks: [MCUBlock] = []
        blocks.reserveCapacity(geometry.blocksPerMCU)
        for (position, member) in header.components.enumerated() {
            let component = frame.components[member.index]
            let (dcTable, acTable) = (tables.dcStarts[position], tables.acStarts[position])
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
        let passingBlocks: [MCUBlock] =
            tables.passingStarts == SIMD4(repeating: -1)
            ? []
            : blocks.map { block in
                var block = block
                let start = tables.passingStarts[block.predictor]
                block.passingLookUp = start < 0 ? nil : start
                return block
            }
        // All at once: a value that is made member by member is copied when it is whole.
        self = SequentialScan(
            control: control, blocks: blocks, passingBlocks: passingBlocks, tables: tables.entries,
            lookupBits: tables.lookupBits)
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
        // The first MCU of the row that is decoded whole.
        let isLastRow = control.mcuRow == control.geometry.mcuRows - 1
        let firstWhole = passingBlocks.isEmpty || isLastRow ? 0 : control.geometry.mcusPerRow - 1
        return try control.decodeRow(&state, input: input, offset: offset, isFinal: isFinal, work: &work) {
            [blocks, passingBlocks, tables, lookupBits] run, state, bytes, isFinal in
            var (column, before) = (run.lowerBound, state)
            if column < firstWhole {
                (column, before) = SequentialBlockKernel.decode(
                    column..<min(firstWhole, run.upperBound), blocks: passingBlocks, tables: tables,
                    lookupBits: lookupBits, state: &state, input: bytes, coefficients: &coefficients,
                    lastIndices: &lastIndices)
            }
            if column >= firstWhole {
                (column, before) = SequentialBlockKernel.decode(
                    column..<run.upperBound, blocks: blocks, tables: tables, lookupBits: lookupBits, state: &state,
                    input: bytes, coefficients: &coefficients, lastIndices: &lastIndices)
            }
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
    private(set) var entries: [Int32]
    private(set) var lookupBits = HuffmanTable.lookupBits
    /// Where the tables of each component of the scan begin.
    private(set) var dcStarts = SIMD4<Int>()
    private(set) var acStarts = SIMD4<Int>()
    /// Where look-ups that pass over AC coefficients begin, for each component of the scan; -1 for those that need none.
    private(set) var passingStarts = SIMD4<Int>(repeating: -1)

    /// Frames of fewer blocks do not make up for what making a ``PassingLookUp`` takes.
    private static let smallestPassingBlockCount = 2048

    /// Tables for frames of fewer blocks have small look-ups: filling four large ones takes as much longer as they save in the
    /// decode of some 150 blocks.
    private static let smallestBlockCount = 128

    init(
        _ tables: DecodingTables, _ header: ScanHeader, _ frame: FrameGeometry, _ work: inout WorkGuard
    ) throws(ImageError) {
        entries = HuffmanTable.standard
        if !findStandardTables(tables, header) { try writeTables(tables, header, frame, &work) }
        if frame.paddedBlockCount >= Self.smallestPassingBlockCount { try appendPassingLookUps(header, frame, &work) }
    }

    /// Look-ups for the components whose DC coefficients alone are wanted.
    private mutating func appendPassingLookUps(
        _ header: ScanHeader, _ frame: FrameGeometry, _ work: inout WorkGuard
    ) throws(ImageError) {
        for (position, member) in header.components.enumerated() where !frame.components[member.index].keepsAC {
            let others = 0..<position
            if let same = others.first(where: { passingStarts[$0] >= 0 && acStarts[$0] == acStarts[position] }) {
                passingStarts[position] = passingStarts[same]
            } else {
                try work.spend(PassingLookUp.count)
                passingStarts[position] = entries.count
                PassingLookUp.append(forTableAt: acStarts[position], to: &entries)
            }
        }
    }

    /// Makes the tables that the file defines.
    private mutating func writeTables(
        _ tables: DecodingTables, _ header: ScanHeader, _ frame: FrameGeometry, _ work: inout WorkGuard
    ) throws(ImageError) {
        if frame.paddedBlockCount < Self.smallestBlockCount { lookupBits = HuffmanTable.smallLookupBits }
        let count = HuffmanTable.count(lookupBits: lookupBits)
        // Two of each class are usual; no slot is outside 0...15.
        var slots = (dc: UInt16(0), ac: UInt16(0))
        for member in header.components {
            slots.dc |= 1 << UInt16(member.dcTable)
            slots.ac |= 1 << UInt16(member.acTable)
        }
        entries = Array(repeating: 0, count: (slots.dc.nonzeroBitCount + slots.ac.nonzeroBitCount) * count)
        var end = 0
        for (position, member) in header.components.enumerated() {
            let others = header.components.prefix(position)
            if let same = others.firstIndex(where: { $0.dcTable == member.dcTable }) {
                dcStarts[position] = dcStarts[same]
            } else {
                dcStarts[position] = end
                try tables.writeHuffmanTable(
                    .dc, slot: member.dcTable, use: .dc, offset: header.offset, lookupBits: lookupBits, to: &entries,
                    at: end, &work)
                end += count
            }
            if let same = others.firstIndex(where: { $0.acTable == member.acTable }) {
                acStarts[position] = acStarts[same]
            } else {
                acStarts[position] = end
                try tables.writeHuffmanTable(
                    .ac, slot: member.acTable, use: .sequentialAC, offset: header.offset, lookupBits: lookupBits,
                    to: &entries, at: end, &work)
                end += count
            }
        }
    }

    /// Whether all tables are the standard's, which are there already.
    private mutating func findStandardTables(_ tables: DecodingTables, _ header: ScanHeader) -> Bool {
        for (position, member) in header.components.enumerated() {
            if position > 0, member.hasTables(of: header.components[position - 1]) {
                dcStarts[position] = dcStarts[position - 1]
                acStarts[position] = acStarts[position - 1]
                continue
            }
            guard let dc = tables.standardTable(.dc, slot: member.dcTable),
                let ac = tables.standardTable(.ac, slot: member.acTable)
            else { return false }
            dcStarts[position] = dc.position * HuffmanTable.count
            acStarts[position] = ac.position * HuffmanTable.count
        }
        return true
    }
}
