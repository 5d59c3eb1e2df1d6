// A sequential frame that comes in one scan: entropy decoding, inverse DCT and output row by row.
//
// In: entropy-coded data. Out: picture rows as their MCU rows complete. Memory: one MCU row of coefficients and one of
// samples, besides the result.

package import ImageCodecsCore

/// Decodes a baseline or extended sequential frame whose components all are in its only scan.
package struct SequentialFrame: JPEGFrameDecoder {
    private let plan: PicturePlan
    private let strictness: DecodingOptions.Strictness
    private let meter: MemoryMeter?
    private let observer: ComponentPlanes?
    private var reusable: Bitmap?
    private var scan: SequentialScan?
    private var output: PictureRenderer?
    private var row: MCURowBuffer
    /// Further rows for a second thread; none if one thread does it all.
    private var spareRows: [MCURowBuffer] = []
    private var policy: HelperPolicy
    private var report: MCURowReport
    /// The plan of a picture that has fewer lines than the frame header says, of which all rows are decoded.
    private var shorterPlan: PicturePlan?
    /// Once the frame is finished: how many rows from the top are decoded.
    private var decodedRowCount: Int?

    /// Pictures of fewer pixels are not worth a second thread, nor is input of fewer bytes.
    private static let secondThread = SecondThread(smallestPixelCount: 1 << 20, smallestByteCount: 1 << 14)

    /// - Parameters:
    ///   - reusable: A bitmap whose memory is reused when it fits; always taken.
    /// - Throws: `limitExceeded`, `invalidArgument`, `unsupported`.
    package init(
        _ request: FrameRequest, reusable: inout Bitmap?
    ) throws(ImageError) {
        let (plan, options) = (request.plan, request.options)
        self.plan = plan
        meter = request.meter
        observer = request.observer
        strictness = options.strictness
        self.reusable = reusable.take()
        row = try MCURowBuffer(plan.geometry, meter: meter)
        report = MCURowReport(plan.geometry, parts: 1)
        policy = Self.policy(plan.geometry)
        for _ in 1..<Self.rowCount(plan.geometry, threads: options.maxThreadCount) {
            spareRows.append(try MCURowBuffer(like: row, meter: meter))
        }
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

    package mutating func beginScan(
        _ header: ScanHeader, tables: DecodingTables, work: inout WorkGuard
    ) throws(ImageError) {
        guard scan == nil else { return }
        var steps: [DequantizationTable] = []
        for component in plan.geometry.components {
            let table = try tables.quantizationTable(slot: component.quantizationTable, offset: header.offset)
            steps.append(DequantizationTable(naturalOrder: table.values))
        }
        scan = try SequentialScan(
            header: header, frame: plan.geometry, tables: tables, rows: row.layout, strictness: strictness,
            work: &work)
        output = try PictureRenderer(
            plan: plan, steps: steps, hasAllCoefficients: true, observer: observer, reusable: &reusable, meter: meter,
            work: work)
    }

    package mutating func redefine(_ plan: PicturePlan) {
        shorterPlan = plan
        report.limit(to: plan.geometry.size.height)
    }

    package mutating func makeUnique() throws(ImageError) {
        try row.makeUnique()
        try output?.makeUnique()
    }

    package mutating func decode(
        _ input: Span<UInt8>, offset: Int, isFinal: Bool, work: inout WorkGuard
    ) throws(ImageError) -> ScanStep {
        // Out of `self` for the call, so that their buffers are not shared.
        guard var scan = scan.take() else { return ScanStep(consumedCount: 0, isScanComplete: true) }
        var outputs: [PictureRenderer] = []
        output.take().map { outputs.append($0) }
        defer { (self.scan, self.output) = (scan, outputs.popLast()) }
        if !spareRows.isEmpty && Self.secondThread.isWorthwhile(byteCount: input.count) {
            // There may be dozens of spare rows: they are looked at only here, where they are used.
            for index in spareRows.indices { try spareRows[index].makeUnique() }
            return try decodeInParallel(input, offset: offset, isFinal: isFinal, &work, &scan, &outputs)
        }
        return try decodeRows(input, offset: offset, isFinal: isFinal, &work, &scan) {
            (row) throws(ImageError) in try row.emit(into: &outputs[0])
        }
    }

    /// Decodes rows as far as the input allows, each of which `emit` takes away.
    private mutating func decodeRows(
        _ input: Span<UInt8>, offset: Int, isFinal: Bool, _ work: inout WorkGuard, _ scan: inout SequentialScan,
        _ emit: (inout MCURowBuffer) throws(ImageError) -> Void
    ) throws(ImageError) -> ScanStep {
        while !scan.control.isComplete {
            try work.check()
            guard try row.decode(&scan, input: input, offset: offset, isFinal: isFinal, work: &work) else {
                let consumed = scan.consumedCount(of: input)
                scan.rebase(droppingFirst: consumed)
                return ScanStep(consumedCount: consumed, isScanComplete: false)
            }
            report.record(
                row: scan.control.mcuRow - 1, delivered: CollectionOfOne(0), isDecoded: scan.control.isRowDecoded)
            try emit(&row)
        }
        return ScanStep(consumedCount: scan.consumedCount(of: input), isScanComplete: true)
    }

    /// As ``decodeRows``, while another thread emits the rows.
    private mutating func decodeInParallel(
        _ input: Span<UInt8>, offset: Int, isFinal: Bool, _ work: inout WorkGuard, _ scan: inout SequentialScan,
        _ outputs: inout [PictureRenderer]
    ) throws(ImageError) -> ScanStep {
        let pipeline = RowPipeline<MCURowBuffer>(&outputs, spare: &spareRows, policy: policy)
        var step: Result<ScanStep, ImageError>
        do throws(ImageError) {
            step = .success(
                try decodeRows(input, offset: offset, isFinal: isFinal, &work, &scan) {
                    (row) throws(ImageError) in try pipeline.exchange(&row)
                })
        } catch {
            step = .failure(error)
        }
        do throws(ImageError) {
            try pipeline.finish(&outputs, spare: &spareRows, policy: &policy)
        } catch {
            step = .failure(error)
        }
        return try step.get()
    }

    package var isComplete: Bool { scan?.control.isComplete ?? false }
    package var hasPicture: Bool { output?.hasRows ?? false }
    package var decodedRows: [Range<Int>] { report.rows() }
    package var completedScans: Int? { nil }
    package var damage: ImageError? { scan?.control.damage }
    package mutating func drainChanges() -> PixelRect? { output?.drainChanges() }

    package mutating func finish(isWhole: Bool, work: WorkGuard) throws(ImageError) {
        decodedRowCount = report.rows().first { $0.lowerBound == 0 }?.upperBound ?? 0
        try output?.finish(work: work)
    }

    package func finalPicture(work: WorkGuard) throws(ImageError) -> Bitmap {
        guard let shorterPlan else { return try output?.result(work: work) ?? .empty }
        return try output?.result(shortenedTo: shorterPlan, meter: meter, work: work) ?? .empty
    }

    package mutating func partialPicture(work: WorkGuard) throws(ImageError) -> Bitmap {
        guard shorterPlan == nil else { return try finalPicture(work: work) }
        return try output?.partialPicture(work: work) ?? .empty
    }

    package var hasCostlyPartialPictures: Bool { false }

    package var planes: [Bitmap] { decodedRowCount != nil ? output?.observer?.bitmaps ?? [] : [] }
}

/// The quantised coefficients of one MCU row of all components.
struct MCURowBuffer: PipelinedRow {
    /// Where the components lie.
    let layout: MCURowLayout
    private let components: [FrameGeometry.Component]
    private var coefficients: NumberBuffer<Int16>
    private var lastIndices: NumberBuffer<UInt8>

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
        coefficients = try NumberBuffer(count: layout.count, meter: meter)
        lastIndices = try NumberBuffer(count: layout.count / 64, meter: meter)
    }

    static func byteCount(_ geometry: FrameGeometry) -> Int { geometry.blocksPerMCURow * 129 }

    /// Makes the buffers this value's own, so that no row that follows copies them.
    mutating func makeUnique() throws(ImageError) {
        try coefficients.makeUnique()
        try lastIndices.makeUnique()
    }

    /// Decodes the rest of a row of the scan; see ``SequentialScan/decodeRow(_:lastIndices:input:offset:isFinal:work:)``.
    mutating func decode(
        _ scan: inout SequentialScan, input: Span<UInt8>, offset: Int, isFinal: Bool, work: inout WorkGuard
    ) throws(ImageError) -> Bool {
        try coefficients.withMutableSpan { coefficients throws(ImageError) in
            try lastIndices.withMutableSpan { lastIndices throws(ImageError) in
                try scan.decodeRow(
                    &coefficients, lastIndices: &lastIndices, input: input, offset: offset, isFinal: isFinal,
                    work: &work)
            }
        }
    }

    /// Reconstructs the row and writes the picture rows it finishes.
    func emit(into output: inout PictureRenderer) throws(ImageError) {
        coefficients.withSpan { coefficients in
            lastIndices.withSpan { lastIndices in
                for (index, component) in components.enumerated() {
                    for blockRow in 0..<component.verticalSampling {
                        let count = component.paddedWidthInBlocks
                        let first = layout.starts[index] + blockRow * count * 64
                        output.reconstruct(
                            component: index, blockRow: blockRow,
                            coefficients: coefficients.extracting(first..<first + count * 64),
                            lastIndices: lastIndices.extracting(first / 64..<first / 64 + count))
                    }
                }
            }
        }
        try output.finishMCURow()
    }

    /// Copies one row of blocks of a component to another place.
    func copyBlocks(of component: Int, blockRow: Int, to target: inout CoefficientStore, row: Int) {
        let count = components[component].paddedWidthInBlocks
        let first = layout.starts[component] + blockRow * count * 64
        coefficients.withSpan { coefficients in
            lastIndices.withSpan { lastIndices in
                target.replaceRow(
                    row, of: component, coefficients: coefficients.extracting(first..<first + count * 64),
                    lastIndices: lastIndices.extracting(first / 64..<first / 64 + count))
            }
        }
    }
}
