// Rows in, the entropy-coded data of one interleaved baseline scan out: the pipeline of the fastest effort.
//
//   rows -> Samples/PixelRowCollector -> Transform/MCURowBlocks -> Kernels/BlockCodingKernels -> ByteStuffingKernels
//
// Nothing larger than an MCU row is kept.

package import ImageCodecsCore
package import JPEGBaselineCodec

/// Huffman tables of a scan, one per slot that a component uses: for luma and inks, for chroma.
package struct ScanHuffmanTables: Sendable {
    /// ``BlockCodes`` of the slots, one after another.
    let entries: [UInt32]

    package init(dc: [HuffmanSpecification], ac: [HuffmanSpecification]) {
        entries = zip(dc, ac).flatMap { dc, ac in
            BlockCodes(dc: HuffmanEncodingTable(dc), ac: HuffmanEncodingTable(ac)).entries
        }
    }

    /// Those of T.81 §K.3 "Huffman tables", which have a code for every symbol of a baseline frame.
    package static let standard = ScanHuffmanTables(dc: StandardTables.dc, ac: StandardTables.ac)
}

/// Codes a picture in one pass.
package struct BaselineScanEncoder: Sendable {
    package let frame: EncoderFrame
    /// MCUs between restart markers; 0 for none.
    package let restartInterval: Int

    private var collector: PixelRowCollector
    private var blocks: MCURowBlocks
    private var mcuRow = 0
    private let codedBlocks: [CodedBlock]
    private let codes: [UInt32]
    private var state = BlockCodingState()
    private var coded: ScratchBuffer
    private var stuffed: ScratchBuffer
    /// MCUs before the next restart marker, and its number.
    private var mcusUntilRestart: Int
    private var restartNumber: UInt8 = 0

    /// - Parameters:
    ///   - format: Of the rows; see ``PixelRowCollector/canRead(_:as:)``.
    ///   - tables: Have a code for every symbol of a baseline frame.
    ///   - restartInterval: 0...65535.
    ///   - meter: Counts the buffers.
    package init(
        _ frame: EncoderFrame, format: PixelFormat, tables: ScanHuffmanTables = .standard, restartInterval: Int = 0,
        meter: MemoryMeter?
    ) throws(ImageError) {
        precondition((0...65535).contains(restartInterval))
        self.frame = frame
        self.restartInterval = restartInterval
        mcusUntilRestart = restartInterval == 0 ? .max : restartInterval
        collector = try PixelRowCollector(frame, format: format, meter: meter)
        blocks = try MCURowBlocks(frame, meter: meter)
        codedBlocks = Self.blocks(ofMCU: frame)
        codes = tables.entries
        let byteCount = blocks.capacity * blocks.blocksPerMCU * BlockCodingKernels.bytesPerBlock
        coded = try ScratchBuffer(byteCount: byteCount, meter: meter)
        stuffed = try ScratchBuffer(byteCount: 2 * byteCount + 8, meter: meter)
    }

    /// The most bytes that are coded at once: each may need a zero after it.
    package static let mostBytesAtOnce = 2 * MCURowBlocks.blocksAtOnce * BlockCodingKernels.bytesPerBlock + 8

    /// Bytes that an encoder for `geometry` holds.
    package static func byteCount(_ geometry: FrameGeometry) -> Int {
        PixelRowCollector.byteCount(geometry) + MCURowBlocks.byteCount + mostBytesAtOnce * 3 / 2
    }

    /// Adds the next row of the picture, of its width in pixels.
    ///
    /// - Parameter sink: gets entropy-coded bytes, restart markers among them: at most ``mostBytesAtOnce`` at once.
    package mutating func write(
        _ row: RawSpan, to sink: (RawSpan) throws(ImageError) -> Void
    ) throws(ImageError) {
        guard collector.write(row) else { return }
        try codeMCURow(to: sink)
        mcuRow += 1
    }

    /// Ends the scan after the last row: fills the last byte.
    package mutating func finish(to sink: (RawSpan) throws(ImageError) -> Void) throws(ImageError) {
        precondition(collector.isComplete, "rows are missing")
        try align().withRawSpan(sink)
    }

    private mutating func codeMCURow(to sink: (RawSpan) throws(ImageError) -> Void) throws(ImageError) {
        var column = 0
        while column < frame.geometry.mcusPerRow {
            if mcusUntilRestart == 0 { try restart().withRawSpan(sink) }
            let count = min(blocks.capacity, frame.geometry.mcusPerRow - column, mcusUntilRestart)
            blocks.transform(column..<column + count, ofRow: mcuRow, from: collector.planes)
            try code(count, to: sink)
            column += count
            if restartInterval > 0 { mcusUntilRestart -= count }
        }
    }

    /// Codes the first `count` MCUs of ``blocks``.
    private mutating func code(_ count: Int, to sink: (RawSpan) throws(ImageError) -> Void) throws(ImageError) {
        let written = blocks.coefficients.withSpan { coefficients in
            blocks.masks.withSpan { masks in
                coded.withMutableBytes { coded in
                    BlockCodingKernels.encode(
                        count * codedBlocks.count, blocks: codedBlocks, tables: codes, state: &state,
                        coefficients: coefficients, masks: masks, into: &coded)
                }
            }
        }
        let stuffedCount = coded.withBytes(0..<written) { coded in
            stuffed.withMutableBytes { ByteStuffingKernels.stuff(coded, into: &$0) }
        }
        try stuffed.withBytes(0..<stuffedCount, sink)
    }

    /// The last bytes, the last of them filled with ones.
    private mutating func align() -> [UInt8] {
        var last: [UInt8] = []
        state.writer.alignWithOnes(into: &last)
        return last.flatMap { $0 == 0xFF ? [$0, 0] : [$0] }
    }

    /// Ends a restart interval.
    ///
    /// - Source: T.81 §E.1.4 "Control procedure for encoding a restart interval".
    private mutating func restart() -> [UInt8] {
        let bytes = align() + [0xFF, 0xD0 + restartNumber]
        restartNumber = (restartNumber + 1) & 7
        mcusUntilRestart = restartInterval
        state.predictors = SIMD4(repeating: 0)
        return bytes
    }

    /// The blocks of an MCU.
    private static func blocks(ofMCU frame: EncoderFrame) -> [CodedBlock] {
        var blocks: [CodedBlock] = []
        for (index, component) in frame.geometry.components.enumerated() {
            let block = CodedBlock(predictor: index, codes: frame.huffmanSlot(index) * BlockCodes.count)
            let count = component.horizontalSampling * component.verticalSampling
            blocks.append(contentsOf: repeatElement(block, count: count))
        }
        return blocks
    }
}
