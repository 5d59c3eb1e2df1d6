// From the coefficients of a whole picture to the bytes of a file.
//
//   1. choose      which scans                                    ProgressiveScript
//   2. tokens      the coefficients of a scan as symbols          ScanTokens
//   3. count       how often each occurs                          SymbolStatistics
//   4. tables      the best codes                                 OptimalHuffmanTable
//   5. write       headers; tokens once more, as codes            MarkerWriter, ScanBitWriter
//
// Steps 2 to 4 are done once for each scan, and for those that a choice compares; sizes need no step 5, but for the
// zero bytes after 0xFF.

package import ImageCodecsCore
package import JPEGBaselineCodec

/// Writes a file from coefficients, with Huffman tables made for it.
package struct CoefficientFileWriter: Sendable {
    /// How the coefficients are coded.
    package enum Process: Hashable, Sendable {
        /// One scan (or one for each component, if an MCU had more than ten blocks).
        case sequential
        /// Several scans, each of some coefficients.
        case progressive(ProgressiveScriptChoice)

        /// Whether the frame is progressive.
        package var isProgressive: Bool { self != .sequential }
    }

    /// A scan's tables, and what its segments take.
    private struct ScanCoding: Sendable {
        var tables: [HuffmanTableSlot] = []
        /// Bytes of headers and coded data, without the zero bytes after 0xFF.
        var byteCount = 0
    }

    private let picture: CoefficientPicture
    private var process: Process
    private let segments: [UInt8]
    private let restartInterval: Int?
    private let meter: MemoryMeter?
    private var tokens: ScanTokens
    private var codings: [ScanSpecification: ScanCoding] = [:]
    /// Bytes of scans that were sampled.
    private var estimates: [ScanSpecification: Int] = [:]

    /// - Parameters:
    ///   - segments: what stands between SOI and the tables: application segments and comments, as ``MetadataSegments``
    ///     makes them.
    ///   - restartInterval: MCUs between restart markers in every scan, 1...65535; `nil` for none.
    /// - Throws: `limitExceeded(.memory)`, and as `work`.
    package init(
        _ picture: CoefficientPicture, process: Process, segments: [UInt8], restartInterval: Int? = nil,
        meter: MemoryMeter?, work: inout WorkGuard
    ) throws(ImageError) {
        self.picture = picture
        self.process = process
        self.segments = segments
        self.restartInterval = restartInterval
        self.meter = meter
        tokens = try ScanTokens(picture, restartInterval: restartInterval, meter: meter, work: &work)
    }

    /// Bytes that writing takes besides the coefficients; saturates.
    package static func memoryByteCount(_ geometry: FrameGeometry, _ process: Process) -> Int {
        ScanTokens.byteCount(geometry, isProgressive: process.isProgressive)
            .addingSaturated(ScanBitWriter.memoryByteCount)
    }

    /// Chooses the process of the file; the first of several that take as many bytes.
    ///
    /// - Parameters:
    ///   - processes: at least one.
    ///   - blockCount: about how many blocks are counted.
    /// - Throws: as `work`; `limitExceeded(.memory)`.
    mutating func useSmallest(
        of processes: [Process], sampling blockCount: Int, work: inout WorkGuard
    ) throws(ImageError) {
        process = processes[0]
        guard processes.count > 1 else { return }
        var best = (process: process, byteCount: Int.max)
        for candidate in processes {
            process = candidate
            var byteCount = 0
            for scan in try scans(work: &work) {
                byteCount += try self.byteCount(of: scan, sampling: blockCount, work: &work)
            }
            if byteCount < best.byteCount { best = (candidate, byteCount) }
        }
        process = best.process
    }

    /// Writes the file.
    ///
    /// - Parameter sink: takes bytes as they come, at most some tens of thousands at once, besides the metadata.
    /// - Throws: what `sink` throws; as `work`; `limitExceeded(.memory)`.
    package mutating func write(
        work: inout WorkGuard, to sink: (RawSpan) throws(ImageError) -> Void
    ) throws(ImageError) {
        let scans = try scans(work: &work)
        try head.withRawSpan(sink)
        for scan in scans { try write(scan, work: &work, to: sink) }
        var end = MarkerWriter()
        end.append(.eoi)
        try end.drain(sink)
    }

    // MARK: Headers

    /// Everything before the first scan.
    private var head: [UInt8] {
        var markers = MarkerWriter()
        markers.append(.soi)
        markers.append(segments: segments)
        markers.appendQuantizationTables(picture.quantizationTables)
        let isBaseline = picture.quantizationTables.allSatisfy(\.isEightBit)
        markers.appendFrame(
            picture.geometry, marker: process.isProgressive ? .sof2 : isBaseline ? .sof0 : .sof1)
        if let restartInterval { markers.appendRestartInterval(restartInterval) }
        return markers.bytes
    }

    /// The tables and the header of a scan.
    private func header(of scan: ScanSpecification, tables: [HuffmanTableSlot]) -> [UInt8] {
        var markers = MarkerWriter()
        markers.appendHuffmanTables(tables)
        let slots = scan.components.map { picture.huffmanTable(ofComponent: $0) }
        let first = slots.min() ?? 0
        let hasDC = scan.spectralStart == 0 && scan.approximationHigh == 0
        let hasAC = scan.spectralEnd > 0
        markers.appendScan(
            scan, of: picture.geometry,
            tables: slots.map {
                (dc: hasDC ? $0 - first : 0, ac: hasAC ? (scan.isProgressive ? 0 : $0 - first) : 0)
            })
        return markers.bytes
    }

    // MARK: Scans

    private mutating func scans(work: inout WorkGuard) throws(ImageError) -> [ScanSpecification] {
        switch process {
        case .sequential:
            return picture.interleavable(Array(picture.geometry.components.indices)).map { .sequential($0) }
        case .progressive(let choice):
            return ProgressiveScript(picture, divisions: try divisions(choice, work: &work)).scans
        }
    }

    private mutating func divisions(
        _ choice: ProgressiveScriptChoice, work: inout WorkGuard
    ) throws(ImageError) -> [BandDivision] {
        let (coarse, fine) = (ProgressiveScript.coarse(picture), ProgressiveScript.fine(picture))
        switch choice {
        case .coarse: return coarse
        case .fine: return fine
        case .uniform(let division): return coarse.map { _ in division }
        case .smallerOfTwo:
            return try smallest(zip(coarse, fine).map { [$0, $1] }, sampling: Self.countedBlocks, work: &work)
        case .smallest:
            return try smallest(coarse.map { _ in BandDivision.all }, sampling: Self.countedBlocks, work: &work)
        case .sampled(let blockCount):
            return try smallest(coarse.map { _ in BandDivision.grid }, sampling: blockCount, work: &work)
        }
    }

    /// About how many blocks of a picture are counted to choose its scans, if it has twice as many or more. Counting all of 12
    /// megapixels took a tenth of their encode, and changed no file of six by more than 0.005 %.
    private static let countedBlocks = 1 << 14

    /// Of each component the candidate that takes the fewest bytes; the first of several.
    ///
    /// - Parameter blockCount: about how many blocks are counted.
    private mutating func smallest(
        _ candidates: [[BandDivision]], sampling blockCount: Int, work: inout WorkGuard
    ) throws(ImageError) -> [BandDivision] {
        var result: [BandDivision] = []
        for (component, candidates) in candidates.enumerated() {
            var best = (division: candidates[0], byteCount: Int.max)
            for division in candidates {
                var byteCount = 0
                for scan in division.scans(ofComponent: component) {
                    byteCount += try self.byteCount(of: scan, sampling: blockCount, work: &work)
                }
                if byteCount < best.byteCount { best = (division, byteCount) }
            }
            result.append(best.division)
        }
        return result
    }

    /// Bytes of a scan.
    ///
    /// - Parameter blockCount: about how many blocks are counted, and stand for the others.
    private mutating func byteCount(
        of scan: ScanSpecification, sampling blockCount: Int, work: inout WorkGuard
    ) throws(ImageError) -> Int {
        let step = min(picture.geometry.mcuRows, Int(picture.geometry.paddedBlockCount) / blockCount)
        guard step > 1 else { return try coding(of: scan, work: &work).byteCount }
        if let known = estimates[scan] { return known }
        var counter = TokenCounter()
        let rows = try tokens.walk(scan, every: step, work: &work, into: &counter)
        let rowCount = ScanGeometry(components: scan.components, in: picture.geometry).mcuRows
        let byteCount = counter.statistics.best().bitCount / 8 * rowCount / max(1, rows)
        estimates[scan] = byteCount
        return byteCount
    }

    /// Counts the symbols of a scan, unless that was done.
    private mutating func coding(
        of scan: ScanSpecification, work: inout WorkGuard
    ) throws(ImageError) -> ScanCoding {
        if let known = codings[scan] { return known }
        var counter = TokenCounter()
        try tokens.walk(scan, work: &work, into: &counter)
        let best = counter.statistics.best()
        var coding = ScanCoding()
        for slot in 0..<2 {
            if let table = best.tables[EntropyToken.dcTable + slot] {
                coding.tables.append(HuffmanTableSlot(.dc, slot: slot, table))
            }
            if let table = best.tables[EntropyToken.acTable + slot] {
                coding.tables.append(HuffmanTableSlot(.ac, slot: slot, table))
            }
        }
        coding.byteCount =
            header(of: scan, tables: coding.tables).count + (best.bitCount + 7) / 8 + counter.restartCount * 2
        codings[scan] = coding
        return coding
    }

    private mutating func write(
        _ scan: ScanSpecification, work: inout WorkGuard, to sink: (RawSpan) throws(ImageError) -> Void
    ) throws(ImageError) {
        let coding = try coding(of: scan, work: &work)
        try header(of: scan, tables: coding.tables).withRawSpan(sink)
        var tables = [HuffmanSpecification?](repeating: nil, count: EntropyToken.rawTable)
        for table in coding.tables {
            let first = table.tableClass == .dc ? EntropyToken.dcTable : EntropyToken.acTable
            tables[first + table.slot] = table.specification
        }
        try withoutActuallyEscaping(sink) { (sink) throws(ImageError) in
            var writer = TokenWriter(writer: try ScanBitWriter(tables: tables, meter: meter), sink: sink)
            try tokens.walk(scan, work: &work, into: &writer)
            try writer.finish()
        }
    }
}

/// Counts tokens and restart intervals.
private struct TokenCounter: TokenConsumer {
    var statistics = SymbolStatistics()
    var restartCount = 0

    mutating func consume(_ tokens: Span<UInt32>) { statistics.add(tokens) }

    mutating func restart() { restartCount += 1 }
}

/// Writes tokens.
private struct TokenWriter: TokenConsumer {
    var writer: ScanBitWriter
    let sink: (RawSpan) throws(ImageError) -> Void

    mutating func consume(_ tokens: Span<UInt32>) throws(ImageError) {
        writer.write(tokens)
        try writer.drain(sink)
    }

    mutating func restart() throws(ImageError) {
        writer.restart()
        try writer.drain(sink)
    }

    mutating func finish() throws(ImageError) {
        writer.fillLastByte()
        try writer.drain(sink)
    }
}
