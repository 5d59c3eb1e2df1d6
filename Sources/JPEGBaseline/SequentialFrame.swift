// A sequential frame that comes in one scan: entropy decoding, inverse DCT and output row by row.
//
// In: entropy-coded data. Out: picture rows as their MCU rows complete. Memory: one MCU row of coefficients and one of
// samples, besides the result.

package import ImageCodecsCore

/// Decodes a baseline or extended sequential frame whose components all are in its only scan.
package struct SequentialFrame: JPEGFrameDecoder {
    private let meter: MemoryMeter?
    private var scan: SequentialScan
    /// The only output. In an array, so that another thread can be given it whole.
    private var outputs: [Indirect<PictureRenderer>]
    private var row: MCURowBuffer
    /// Further rows for a second thread; none if one thread does it all.
    private var spareRows: [MCURowBuffer]
    private var policy: HelperPolicy
    private var report: MCURowReport
    /// The plan of a picture that has fewer lines than the frame header says, of which all rows are decoded.
    private var shorterPlan: PicturePlan?
    private var isFinished = false

    /// Pictures of fewer pixels are not worth a second thread, nor is input of fewer bytes.
    private static let secondThread = SecondThread(smallestPixelCount: 1 << 20, smallestByteCount: 1 << 14)

    /// Not an initialiser: those copy large values when they hand them over, reference by reference.
    ///
    /// - Parameters:
    ///   - reusable: A bitmap whose memory is reused when it fits; always taken.
    ///   - work: Making tables counts.
    /// - Throws: `limitExceeded`, `invalidArgument`, `unsupported`; `corrupt` if the scan has no tables.
    package static func make(
        _ request: FrameRequest, reusable: inout Bitmap?, work: inout WorkGuard
    ) throws(ImageError) -> SequentialFrame {
        let (plan, meter) = (request.plan, request.meter)
        var reusable = reusable.take()
        let row = try MCURowBuffer(plan.geometry, meter: meter)
        var spareRows: [MCURowBuffer] = []
        for _ in 1..<rowCount(plan.geometry, threads: request.options.maxThreadCount) {
            spareRows.append(try MCURowBuffer(like: row, meter: meter))
        }
        let steps = try request.steps
        let scan = try SequentialScan(
            header: request.firstScan, frame: plan.geometry, tables: request.tables, rows: row.layout,
            strictness: request.options.strictness, work: &work)
        let output = Indirect(
            try PictureRenderer.make(
                plan: plan, steps: steps, hasAllCoefficients: true, observer: request.observer, reusable: &reusable,
                meter: meter, work: work))
        return SequentialFrame(
            meter: meter, scan: scan, outputs: [output], row: row, spareRows: spareRows, policy: policy(plan.geometry),
            report: MCURowReport(plan.geometry, parts: 1))
    }

    /// Bytes held besides the output side. Saturates.
    package static func byteCount(_ geometry: FrameGeometry, threads: Int) -> Int {
        MCURowBuffer.byteCount(geometry).multipliedSaturated(by: rowCount(geometry, threads: threads))
    }

    private static func rowCount(_ geometry: FrameGeometry, threads: Int) -> Int {
        guard secondThread.isPossible(geometry.size, threads: threads) else { return 1 }
        return 1 + RowPipeline<MCURowBuffer>.bufferCount(policy(geometry))
    }

    private static func policy(_ geometry: FrameGeometry) -> HelperPolicy {
        HelperPolicy(
            pixelsPerRow: geometry.mcusPerRow * 64 * geometry.maximumHorizontalSampling
                * geometry.maximumVerticalSampling)
    }

    /// The only scan is known already, and further ones bring nothing.
    package mutating func beginScan(_ header: ScanHeader, tables: DecodingTables, work: inout WorkGuard) -> Bool {
        !isComplete
    }

    package mutating func redefine(_ plan: PicturePlan) {
        shorterPlan = plan
        report.limit(to: plan.geometry.size.height)
    }

    package mutating func makeUnique() throws(ImageError) {
        try row.makeUnique()
        for index in outputs.indices { try outputs[index].value.makeUnique() }
    }

    package mutating func decode(
        _ input: Span<UInt8>, offset: Int, isFinal: Bool, work: inout WorkGuard
    ) throws(ImageError) -> ScanStep {
        if !spareRows.isEmpty && Self.secondThread.isWorthwhile(byteCount: input.count) {
            return try decodeInParallel(input, offset: offset, isFinal: isFinal, &work)
        }
        while try scan.decodeNextRow(&row, &report, input, offset: offset, isFinal: isFinal, &work) {
            try row.emit(into: &outputs[0])
        }
        return scan.finishStep(input)
    }

    /// Decodes rows as far as the input allows, while another thread emits them.
    private mutating func decodeInParallel(
        _ input: Span<UInt8>, offset: Int, isFinal: Bool, _ work: inout WorkGuard
    ) throws(ImageError) -> ScanStep {
        // There may be dozens of spare rows: they are looked at only here, where they are used.
        for index in spareRows.indices { try spareRows[index].makeUnique() }
        let pipeline = RowPipeline<MCURowBuffer>(&outputs, spare: &spareRows, policy: policy)
        var failure: ImageError?
        do throws(ImageError) {
            while try scan.decodeNextRow(&row, &report, input, offset: offset, isFinal: isFinal, &work) {
                try pipeline.exchange(&row)
            }
        } catch {
            failure = error
        }
        do throws(ImageError) {
            try pipeline.finish(&outputs, spare: &spareRows, policy: &policy)
        } catch {
            failure = error
        }
        if let failure { throw failure }
        return scan.finishStep(input)
    }

    package var plan: PicturePlan { shorterPlan ?? outputs[0].value.plan }
    package var isComplete: Bool { scan.control.isComplete }
    package var hasPicture: Bool { outputs[0].value.hasRows }
    package var decodedRows: [Range<Int>] { report.rows() }
    package var isWhollyDecoded: Bool { report.isWhole }
    package var completedScans: Int? { nil }
    package var damage: ImageError? { scan.control.damage }
    package mutating func drainChanges() -> PixelRect? { outputs[0].value.drainChanges() }

    package mutating func finish(isWhole: Bool, work: WorkGuard) throws(ImageError) {
        isFinished = true
        try outputs[0].value.finish(work: work)
    }

    package func finalPicture(work: WorkGuard) throws(ImageError) -> Bitmap {
        guard let shorterPlan else { return try outputs[0].value.sink.result(work: work) }
        return try outputs[0].value.result(shortenedTo: shorterPlan, meter: meter, work: work)
    }

    package mutating func partialPicture(work: WorkGuard) throws(ImageError) -> Bitmap {
        guard shorterPlan == nil else { return try finalPicture(work: work) }
        return try outputs[0].value.partialPicture(work: work)
    }

    package var hasCostlyPartialPictures: Bool { false }

    package var planes: [Bitmap] { isFinished ? outputs[0].value.observer?.bitmaps ?? [] : [] }
}

extension SequentialScan {
    /// Decodes to the end of a row and records it; `false` if there is none, or while bytes are missing.
    fileprivate mutating func decodeNextRow(
        _ row: inout MCURowBuffer, _ report: inout MCURowReport, _ input: Span<UInt8>, offset: Int, isFinal: Bool,
        _ work: inout WorkGuard
    ) throws(ImageError) -> Bool {
        guard !control.isComplete else { return false }
        try work.check()
        guard try row.decode(&self, input: input, offset: offset, isFinal: isFinal, work: &work) else { return false }
        report.record(row: control.mcuRow - 1, delivered: CollectionOfOne(0), isDecoded: control.isRowDecoded)
        return true
    }

    /// What was done with an input of which no more rows can be decoded.
    fileprivate mutating func finishStep(_ input: Span<UInt8>) -> ScanStep {
        let step = ScanStep(consumedCount: consumedCount(of: input), isScanComplete: control.isComplete)
        if !step.isScanComplete { rebase(droppingFirst: step.consumedCount) }
        return step
    }
}

/// The quantised coefficients of one MCU row of all components.
struct MCURowBuffer: PipelinedRow {
    /// Where the components lie.
    let layout: MCURowLayout
    private let components: [FrameGeometry.Component]
    /// All coefficients, two bytes each, and then the last index of each block.
    private var buffer: ScratchBuffer

    init(_ geometry: FrameGeometry, meter: MemoryMeter?) throws(ImageError) {
        try self.init(MCURowLayout(geometry), geometry.components, meter)
    }

    /// Another row of the same frame.
    init(like row: MCURowBuffer, meter: MemoryMeter?) throws(ImageError) {
        try self.init(row.layout, row.components, meter)
    }

    private init(
        _ layout: MCURowLayout, _ components: [FrameGeometry.Component], _ meter: MemoryMeter?
    ) throws(ImageError) {
        (self.layout, self.components) = (layout, components)
        buffer = try ScratchBuffer(zeroedByteCount: layout.count / 64 * 129, meter: meter)
    }

    static func byteCount(_ geometry: FrameGeometry) -> Int { geometry.blocksPerMCURow * 129 }

    /// Makes the buffers this value's own, so that no row that follows copies them.
    mutating func makeUnique() throws(ImageError) {
        try buffer.makeUnique()
    }

    /// Decodes the rest of a row of the scan; see ``SequentialScan/decodeRow(_:lastIndices:input:offset:isFinal:work:)``.
    mutating func decode(
        _ scan: inout SequentialScan, input: Span<UInt8>, offset: Int, isFinal: Bool, work: inout WorkGuard
    ) throws(ImageError) -> Bool {
        try buffer.withMutableBytes { (bytes) throws(ImageError) in
            try bytes.withSplit(at: 2 * layout.count) { (coefficients, lastIndices) throws(ImageError) in
                try coefficients.withNumbers(of: Int16.self) { (coefficients) throws(ImageError) in
                    try lastIndices.withNumbers(of: UInt8.self) { (lastIndices) throws(ImageError) in
                        try scan.decodeRow(
                            &coefficients, lastIndices: &lastIndices, input: input, offset: offset, isFinal: isFinal,
                            work: &work)
                    }
                }
            }
        }
    }

    /// The blocks of one row of blocks of a component.
    private func withBlocks(
        _ component: Int, blockRow: Int, _ body: (_ coefficients: Span<Int16>, _ lastIndices: Span<UInt8>) -> Void
    ) {
        let count = components[component].paddedWidthInBlocks
        let first = layout.starts[component] / 64 + blockRow * count
        buffer.withBytes { bytes in
            let coefficients = bytes.extracting(128 * first..<128 * (first + count))
            let lastIndices = bytes.extracting(2 * layout.count + first..<2 * layout.count + first + count)
            body(Span<Int16>(_bytes: coefficients), Span<UInt8>(_bytes: lastIndices))
        }
    }

    /// Reconstructs the row and writes the picture rows it finishes.
    func emit(into output: inout Indirect<PictureRenderer>) throws(ImageError) { try render(into: &output.value) }

    private func render(into output: inout PictureRenderer) throws(ImageError) {
        for (index, component) in components.enumerated() {
            for blockRow in 0..<component.verticalSampling {
                withBlocks(index, blockRow: blockRow) { coefficients, lastIndices in
                    output.reconstruct(
                        component: index, blockRow: blockRow, coefficients: coefficients, lastIndices: lastIndices)
                }
            }
        }
        try output.finishMCURow()
    }

    /// Copies one row of blocks of a component to another place.
    func copyBlocks(of component: Int, blockRow: Int, to target: inout CoefficientStore, row: Int) {
        withBlocks(component, blockRow: blockRow) { coefficients, lastIndices in
            target.replaceRow(row, of: component, coefficients: coefficients, lastIndices: lastIndices)
        }
    }
}
