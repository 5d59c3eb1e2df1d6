// A frame that comes in several scans: all coefficients are kept, and reconstructed when a picture is asked for.
//
// In: entropy-coded data of one scan after another. Out: a picture of what the scans so far have delivered. Sequential
// frames of several scans and progressive frames differ in their scans alone.

package import ImageCodecsCore

/// One kind of scans that put their coefficients into a store.
package protocol StoredScan: Sendable {
    /// What records the scans of a frame, of which there were none yet.
    static func script(componentCount: Int) -> any StoredScanScript

    /// - Precondition: The script does not refuse the header.
    init(
        header: ScanHeader, frame: FrameGeometry, tables: DecodingTables, strictness: DecodingOptions.Strictness,
        meter: MemoryMeter?, work: inout WorkGuard
    ) throws(ImageError)

    /// Whether the band in a scan header is meant: sequential scans carry all coefficients whatever it says.
    static var selectsBand: Bool { get }

    /// Where the scan stands.
    var control: ScanControl { get }

    /// Whether the scan brings a component's first samples, rather than more precision.
    var isFirst: Bool { get }

    /// Decodes to the end of a row of MCUs; `false` while bytes are missing.
    mutating func decodeRow(
        into store: inout CoefficientStore, input: Span<UInt8>, offset: Int, isFinal: Bool, work: inout WorkGuard
    ) throws(ImageError) -> Bool

    /// Makes every buffer this value's own.
    mutating func makeUnique() throws(ImageError)

    /// Bytes of the input that are not needed again: those before the one that holds the next bit. Bits that were read ahead
    /// keep their bytes in the input, because an error names the place where its MCU ended.
    func consumedCount(of input: Span<UInt8>) -> Int

    /// Goes on in an input whose first `byteCount` bytes are gone.
    mutating func rebase(droppingFirst byteCount: Int)
}

/// What the scans so far have delivered.
package protocol StoredScanScript: Sendable {
    /// What is wrong with the place of a scan after the scans so far, which tolerant decoding puts up with.
    ///
    /// - Throws: `corrupt` for a scan that no script can have.
    func irregularity(of scan: ScanHeader) throws(ImageError) -> ImageError?

    /// Records a scan.
    ///
    /// - Precondition: ``irregularity(of:)`` does not throw.
    mutating func record(_ scan: ScanHeader)

    /// Whether everything is delivered.
    var isComplete: Bool { get }

    /// Whether there are coefficients to estimate, and something to estimate them from.
    var hasEstimates: Bool { get }

    /// Of each component, what there is to estimate missing coefficients from; empty if nothing is estimated.
    var delivered: [DeliveredBits] { get }
}

/// Decodes a frame of several scans.
package struct MultiScanFrame: JPEGFrameDecoder {
    /// What there is of the picture.
    private enum Stage: Sendable {
        /// An inspection: the data of all scans are passed over, and nothing is kept. Headers and tables are checked as for a
        /// decode, so that both accept the same files.
        case inspection
        /// The coefficients so far.
        case coefficients(CoefficientStore)
        /// The finished picture; `isWhole` if the stream has ended as it should: what its scans have not delivered is zero.
        case picture(any FrameOutput, isWhole: Bool)
    }

    /// What is done with the coded data that come next.
    private enum Activity: Sendable {
        case betweenScans
        case decoding(any StoredScan)
        /// Nothing of them is kept.
        case skipping(ScanSkipper)
    }

    package private(set) var plan: PicturePlan
    private let strictness: DecodingOptions.Strictness
    private let meter: MemoryMeter?
    private let observer: ComponentPlanes?
    private var reusable: Bitmap?
    private let process: any StoredScan.Type
    private var script: any StoredScanScript
    private var stage: Stage
    private var activity = Activity.betweenScans
    /// Of each component, from its first scan on: tables may be redefined later.
    private var steps: [DequantizationTable?]
    private var finishedScanCount = 0
    /// Whether coefficients that no scan up to the current one has delivered are estimated.
    private var isEstimating = false
    /// The last MCU row for which the current scan has data; -1 if that is not known.
    private var reachedRow = -1
    private var report: MCURowReport
    /// MCU rows changed since this was last asked for.
    private var changedRows: Range<Int>?
    /// MCU rows from the top that were there when that was last asked for.
    private var knownRowCount = 0
    /// Whether a scan did not follow from those before it: its bits then refine other values than the encoder meant.
    private var isIrregular = false
    package private(set) var damage: ImageError?

    /// - Parameters:
    ///   - process: The kind of its scans.
    ///   - reusable: A bitmap whose memory is reused when it fits; always taken.
    /// - Throws: `limitExceeded`.
    package init(
        _ request: FrameRequest, of process: any StoredScan.Type, reusable: inout Bitmap?
    ) throws(ImageError) {
        self.process = process
        plan = request.plan
        meter = request.meter
        observer = request.observer
        self.reusable = reusable.take()
        strictness = request.options.strictness
        let count = plan.geometry.components.count
        script = process.script(componentCount: count)
        steps = Array(repeating: nil, count: count)
        stage = request.isInspection ? .inspection : .coefficients(try CoefficientStore(plan.geometry, meter: meter))
        report = MCURowReport(plan.geometry, parts: count)
    }

    package mutating func beginScan(
        _ header: ScanHeader, tables: DecodingTables, work: inout WorkGuard
    ) throws(ImageError) -> Bool {
        guard !isComplete else { return false }
        let irregularity = try script.irregularity(of: header)
        if let irregularity, strictness == .strict { throw irregularity }
        // Kept only if the scan can be decoded: one that cannot brings nothing.
        var steps = steps
        for member in header.components where steps[member.index] == nil {
            let slot = plan.geometry.components[member.index].quantizationTable
            steps[member.index] = try DequantizationTable(tables, slot: slot, offset: header.offset)
        }
        // Scans of coefficients that are not kept need no tables.
        let isSkipped =
            process.selectsBand && header.spectralStart > 0
            && header.components.allSatisfy { !plan.geometry.components[$0.index].keepsAC }
        if isSkipped {
            activity = .skipping(ScanSkipper())
        } else {
            let scan = try process.init(
                header: header, frame: plan.geometry, tables: tables, strictness: strictness, meter: meter, work: &work)
            activity = isInspection ? .skipping(ScanSkipper()) : .decoding(scan)
        }
        script.record(header)
        self.steps = steps
        if let irregularity {
            isIrregular = true
            damage = damage ?? irregularity
        }
        updateEstimates()
        if case .decoding = activity { reachedRow = 0 } else { reachedRow = -1 }
        return true
    }

    private var isInspection: Bool { if case .inspection = stage { true } else { false } }
    private var isBetweenScans: Bool { if case .betweenScans = activity { true } else { false } }

    /// What is estimated depends on the scans begun, everywhere in the picture.
    private mutating func updateEstimates() {
        let before = isEstimating
        reachedRow = -1
        isEstimating =
            !isInspection && script.hasEstimates && steps.allSatisfy { BlockSmoothing.canEstimate(from: $0) }
        if before || isEstimating { recordChange(ofFirst: report.deliveredRowCount) }
    }

    package mutating func decode(
        _ input: Span<UInt8>, offset: Int, isFinal: Bool, work: inout WorkGuard
    ) throws(ImageError) -> ScanStep {
        if case .skipping(let skipper) = activity {
            return try skip(input, by: skipper, isFinal: isFinal, work: &work)
        }
        guard case .decoding(var scan) = activity, case .coefficients(var store) = stage else {
            return ScanStep(consumedCount: 0, isScanComplete: true)
        }
        // Out of `self` for the call, so that their buffers are not shared.
        (activity, stage) = (.betweenScans, .inspection)
        var control = scan.control
        defer {
            stage = .coefficients(store)
            reachedRow = frameRow(control, control.lastRowWithData)
            if !control.isComplete { activity = .decoding(scan) }
        }
        while !control.isComplete {
            try work.check()
            let isRowComplete = try scan.decodeRow(
                into: &store, input: input, offset: offset, isFinal: isFinal, work: &work)
            control = scan.control
            guard isRowComplete else {
                let consumed = scan.consumedCount(of: input)
                scan.rebase(droppingFirst: consumed)
                recordChange(frameRow(control, control.mcuRow))
                return ScanStep(consumedCount: consumed, isScanComplete: false)
            }
            recordRow(control, isFirst: scan.isFirst)
        }
        damage = damage ?? control.damage
        finishedScanCount += 1
        return ScanStep(consumedCount: scan.consumedCount(of: input), isScanComplete: true)
    }

    private mutating func skip(
        _ input: Span<UInt8>, by skipper: ScanSkipper, isFinal: Bool, work: inout WorkGuard
    ) throws(ImageError) -> ScanStep {
        var skipper = skipper
        var step = try skipper.passOver(input, work: &work)
        // Where a decode of the scan would end nobody knows without decoding it; an inspection gives it all there is.
        if isInspection && isFinal { step.isScanComplete = true }
        activity = step.isScanComplete ? .betweenScans : .skipping(skipper)
        if step.isScanComplete {
            reachedRow = plan.geometry.mcuRows - 1
            if isEstimating { recordChange(ofFirst: report.deliveredRowCount) }
            finishedScanCount += 1
        }
        return step
    }

    /// The store keeps its rows, of which those below the picture are not looked at any more.
    package mutating func redefine(_ plan: PicturePlan) {
        self.plan = plan
        report.limit(to: plan.geometry.size.height)
        knownRowCount = min(knownRowCount, report.deliveredRowCount)
        changedRows = 0..<report.deliveredRowCount
        reachedRow = min(reachedRow, plan.geometry.mcuRows - 1)
    }

    package mutating func makeUnique() throws(ImageError) {
        // Each out of its place, whose reference is one too many.
        if case .coefficients(var store) = stage {
            stage = .inspection
            defer { stage = .coefficients(store) }
            try store.makeUnique()
        }
        if case .decoding(var scan) = activity {
            activity = .betweenScans
            defer { activity = .decoding(scan) }
            try scan.makeUnique()
        }
    }

    /// Records the frame's MCU row if the row just decoded is its last, or is damaged.
    private mutating func recordRow(_ control: ScanControl, isFirst: Bool) {
        let row = frameRow(control, control.mcuRow - 1)
        let isLast = control.isComplete || control.mcuRow % control.geometry.mcuRowsPerFrameMCURow == 0
        if isLast || !control.isRowDecoded {
            report.record(
                row: row, delivered: control.geometry.components.prefix(isFirst && isLast ? 4 : 0),
                isDecoded: control.isRowDecoded)
        }
        recordChange(row)
    }

    /// The frame's MCU row that a row of the scan belongs to.
    private func frameRow(_ control: ScanControl, _ row: Int) -> Int { row / control.geometry.mcuRowsPerFrameMCURow }

    private mutating func recordChange(_ row: Int) {
        changedRows.formUnion(row..<row + 1)
    }

    private mutating func recordChange(ofFirst mcuRows: Int) {
        if mcuRows > 0 { changedRows.formUnion(0..<mcuRows) }
    }

    package var isComplete: Bool { script.isComplete && isBetweenScans }
    package var hasPicture: Bool {
        if case .picture = stage { return true }
        return report.deliveredRowCount > 0
    }
    package var decodedRows: [Range<Int>] {
        if isIrregular { return [] }
        if case .picture(_, isWhole: true) = stage { return report.rows(isEstimated: isEstimating) }
        // A scan that is still to come may change any row, and the last one those that it has not reached.
        guard script.isComplete else { return [] }
        guard case .decoding(let scan) = activity else { return report.rows() }
        return report.rows(ofFirst: frameRow(scan.control, scan.control.mcuRow))
    }
    package var isWhollyDecoded: Bool {
        guard report.isWhole, !isIrregular else { return false }
        if case .picture(_, isWhole: true) = stage { return true }
        return decodedRows == [0..<plan.geometry.size.height]
    }
    package var completedScans: Int? { finishedScanCount }
    package var planes: [Bitmap] {
        if case .picture(let picture, _) = stage { picture.observer?.bitmaps ?? [] } else { [] }
    }

    package mutating func drainChanges() -> PixelRect? {
        let count = report.deliveredRowCount
        // A row may have been decoded before those above it were.
        if count != knownRowCount {
            recordChange(min(count, knownRowCount))
            recordChange(max(count, knownRowCount) - 1)
            knownRowCount = count
        }
        guard var rows = changedRows.take() else { return nil }
        // Estimates reach two blocks, which may be as many MCU rows; what they are may change for four rows at once.
        if isEstimating { rows = max(0, rows.lowerBound - 4)..<min(rows.upperBound + 4, plan.geometry.mcuRows) }
        guard !plan.output.isScaled else { return PixelRect(plan.output.resultSize) }
        // Vertical interpolation reaches one row beyond.
        let height = plan.geometry.outputRowsPerMCURow
        let first = max(0, rows.lowerBound * height - 1)
        return plan.output.resultRect(ofRows: first..<min(rows.upperBound * height + 1, plan.output.targetSize.height))
    }

    package mutating func finish(isWhole: Bool, work: WorkGuard) throws(ImageError) {
        guard case .coefficients(let store) = stage else { return }
        // Rows that never came are shown now, in gray.
        if report.deliveredRowCount < plan.geometry.mcuRows { changedRows = 0..<plan.geometry.mcuRows }
        var reusable = self.reusable.take()
        let picture = try render(
            store, mcuRows: plan.geometry.mcuRows, observer: observer, reusable: &reusable, work: work)
        stage = .picture(picture, isWhole: isWhole)
    }

    package func finalPicture(work: WorkGuard) throws(ImageError) -> Bitmap {
        guard case .picture(let picture, _) = stage else { return .empty }
        return try picture.result(work: work)
    }

    package mutating func partialPicture(work: WorkGuard) throws(ImageError) -> Bitmap {
        guard case .coefficients(let store) = stage else { return .empty }
        var reusable: Bitmap?
        return try render(store, mcuRows: report.deliveredRowCount, reusable: &reusable, work: work).result(work: work)
    }

    /// Each is a reconstruction of all coefficients so far.
    package var hasCostlyPartialPictures: Bool { true }

    /// Whether the current scan has data for an MCU row. MCU rows are libjpeg's here, which in a frame of one component
    /// has as many rows of blocks in them as the header says.
    private func isReached(_ mcuRow: Int) -> Bool {
        let components = plan.geometry.components
        let height = components.count == 1 ? components[0].statedVerticalSampling : 1
        return reachedRow >= 0 && mcuRow / height <= reachedRow / height
    }

    /// One reconstruction pass over the first `mcuRows` MCU rows; the rest stays black.
    private func render(
        _ store: CoefficientStore, mcuRows: Int, observer: ComponentPlanes? = nil, reusable: inout Bitmap?,
        work: WorkGuard
    ) throws(ImageError) -> any FrameOutput {
        var steps = ContiguousArray<Int16>()
        steps.reserveCapacity(self.steps.count * DequantizationTable.count)
        // A component without a scan is gray whatever its steps are.
        for table in self.steps { steps += (table ?? .ones).values }
        let smoothing = isEstimating ? BlockSmoothing(script.delivered, steps: self.steps) : nil
        var reader = try StoredRowReader(plan.geometry, smoothing: smoothing, meter: meter)
        var output = try makeFrameOutput(
            plan, steps: steps, observer: observer, reusable: &reusable, meter: meter, work: work)
        for mcuRow in 0..<mcuRows {
            try work.check()
            reader.reconstruct(mcuRow, isReached: isReached(mcuRow), of: store, into: &output)
            try output.finishMCURow()
        }
        try output.finish(work: work)
        return output
    }
}
