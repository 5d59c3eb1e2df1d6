// A lossless frame: rows are finished as they come if one scan has all components, else all samples are kept.
//
//   bits ──▶ differences (DifferenceDecoding) ──▶ samples (Prediction) ──▶ SamplePlanes ──▶ SampleRowEmitter

package import ImageCodecsCore
package import JPEGBaselineCodec

/// Decodes a lossless frame, of 2 to 16 bits a sample.
///
/// - Source: ITU-T T.81 (1992) annex H "Lossless mode of operation".
package struct LosslessFrame: JPEGFrameDecoder {
    /// What is done with the coded data that come next.
    private enum Activity: Sendable {
        case betweenScans
        case decoding(LosslessScan)
        /// An inspection: nothing of them is kept.
        case skipping(ScanSkipper)
    }

    package private(set) var plan: PicturePlan
    private let strictness: DecodingOptions.Strictness
    private let meter: MemoryMeter?
    private var reusable: Bitmap?
    private let comesInOneScan: Bool
    private let isInspection: Bool
    private var script: any StoredScanScript
    private var activity = Activity.betweenScans
    /// The samples so far; none in an inspection, and once the picture is finished.
    private var samples: SamplePlanes?
    /// Where rows go; of a frame of several scans, once it is finished.
    private var output: SampleRowEmitter?
    /// `Pt` of each component.
    private var pointTransforms = SIMD4<UInt8>()
    private var finishedScanCount = 0
    private var report: MCURowReport
    private var hasChanged = false
    /// Whether a component came twice.
    private var isIrregular = false
    /// Whether there are fewer lines than the frame header says.
    private var isShortened = false
    package private(set) var damage: ImageError?

    /// - Parameter reusable: A bitmap whose memory is reused when it fits; always taken.
    /// - Throws: `limitExceeded`.
    package init(
        _ request: FrameRequest, reusable: inout Bitmap?, work: inout WorkGuard
    ) throws(ImageError) {
        plan = request.plan
        meter = request.meter
        strictness = request.options.strictness
        comesInOneScan = request.comesInOneScan
        isInspection = request.isInspection
        let count = plan.geometry.components.count
        script = BufferedSequentialScan.script(componentCount: count)
        report = MCURowReport(plan.geometry, parts: count)
        self.reusable = reusable.take()
        guard !isInspection else { return }
        samples = try SamplePlanes(plan.geometry, mcuRows: comesInOneScan ? 1 : nil, meter: meter)
        if comesInOneScan { output = try makeOutput(work) }
    }

    private mutating func makeOutput(_ work: WorkGuard) throws(ImageError) -> SampleRowEmitter {
        var reusable = self.reusable.take()
        return try SampleRowEmitter(plan, reusable: &reusable, meter: meter, work: work)
    }

    package mutating func beginScan(
        _ header: ScanHeader, tables: DecodingTables, work: inout WorkGuard
    ) throws(ImageError) -> Bool {
        guard !isComplete else { return false }
        let irregularity = try script.irregularity(of: header)
        if let irregularity, strictness == .strict { throw irregularity }
        let scan = try LosslessScan(
            header: header, plan: plan, tables: tables, strictness: strictness, meter: meter,
            work: &work)
        script.record(header)
        for member in header.components { pointTransforms[member.index] = scan.pointTransform }
        activity = isInspection ? .skipping(ScanSkipper()) : .decoding(scan)
        if let irregularity {
            isIrregular = true
            damage = damage ?? irregularity
        }
        return true
    }

    package mutating func decode(
        _ input: Span<UInt8>, offset: Int, isFinal: Bool, work: inout WorkGuard
    ) throws(ImageError) -> ScanStep {
        switch activity {
        case .betweenScans: return ScanStep(consumedCount: 0, isScanComplete: true)
        case .skipping(var skipper):
            var step = try skipper.passOver(input, work: &work)
            // The end of the scan is known only by decoding it; an inspection gives it all there is.
            if isFinal { step.isScanComplete = true }
            activity = step.isScanComplete ? .betweenScans : .skipping(skipper)
            return step
        case .decoding(var scan):
            // Out of `self` for the call, so that its buffer is not shared.
            activity = .betweenScans
            defer { if !scan.control.isComplete { activity = .decoding(scan) } }
            guard try decodeRows(of: &scan, input, offset: offset, isFinal: isFinal, &work) else {
                let consumed = scan.consumedCount(of: input)
                scan.rebase(droppingFirst: consumed)
                return ScanStep(consumedCount: consumed, isScanComplete: false)
            }
            damage = damage ?? scan.control.damage
            finishedScanCount += 1
            return ScanStep(consumedCount: scan.consumedCount(of: input), isScanComplete: true)
        }
    }

    /// Decodes to the end of the scan; `false` while bytes are missing.
    private mutating func decodeRows(
        of scan: inout LosslessScan, _ input: Span<UInt8>, offset: Int, isFinal: Bool, _ work: inout WorkGuard
    ) throws(ImageError) -> Bool {
        guard var planes = samples.take() else { return true }
        defer { samples = planes }
        while !scan.control.isComplete {
            try work.check()
            guard try scan.decodeRow(into: &planes, input: input, offset: offset, isFinal: isFinal, work: &work) else {
                return false
            }
            record(scan.control)
            try output?.emit(
                planes, upTo: scan.control.mcuRow * plan.geometry.outputRowsPerMCURow,
                pointTransforms: pointTransforms)
            planes.carryLastRows()
        }
        return true
    }

    /// Records the frame's MCU row if the row just decoded is its last, or is damaged.
    private mutating func record(_ control: ScanControl) {
        let isLast = control.isComplete || control.mcuRow % control.geometry.mcuRowsPerFrameMCURow == 0
        if isLast || !control.isRowDecoded {
            report.record(
                row: (control.mcuRow - 1) / control.geometry.mcuRowsPerFrameMCURow,
                delivered: control.geometry.components.prefix(isLast ? 4 : 0), isDecoded: control.isRowDecoded)
        }
        hasChanged = true
    }

    package mutating func redefine(_ plan: PicturePlan) {
        self.plan = plan
        isShortened = true
        hasChanged = true
        report.limit(to: plan.geometry.size.height)
    }

    package mutating func makeUnique() throws(ImageError) {
        try samples?.samples.makeUnique()
        try output?.makeUnique()
        if case .decoding(var scan) = activity {
            // Out of its place, whose reference is one too many.
            activity = .betweenScans
            defer { activity = .decoding(scan) }
            try scan.makeUnique()
        }
    }

    package var isComplete: Bool {
        guard script.isComplete, case .betweenScans = activity else { return false }
        return true
    }
    package var hasPicture: Bool { output?.hasRows ?? (report.deliveredRowCount > 0) }
    package var decodedRows: [Range<Int>] { isIrregular ? [] : report.rows() }
    package var isWhollyDecoded: Bool { !isIrregular && report.isWhole }
    package var completedScans: Int? { comesInOneScan ? nil : finishedScanCount }
    package var hasCostlyPartialPictures: Bool { !comesInOneScan }
    /// Only samples of eight bits that an inverse DCT has made are kept besides the picture.
    package var planes: [Bitmap] { [] }

    package mutating func drainChanges() -> PixelRect? {
        if comesInOneScan { return output?.drainChanges() }
        defer { hasChanged = false }
        return hasChanged ? PixelRect(plan.output.resultSize) : nil
    }

    package mutating func finish(isWhole: Bool, work: WorkGuard) throws(ImageError) {
        guard let planes = samples.take() else { return }
        if comesInOneScan {
            try output?.finish(work: work)
        } else {
            if report.deliveredRowCount < plan.geometry.mcuRows { hasChanged = true }
            var output = try makeOutput(work)
            try render(planes, plan.geometry.mcuRows, into: &output, work)
            self.output = output
        }
    }

    package func finalPicture(work: WorkGuard) throws(ImageError) -> Bitmap {
        guard let output else { return .empty }
        // Rows of a single scan were emitted as the frame header has them.
        guard isShortened && comesInOneScan else { return try output.result(work: work) }
        return try output.result(shortenedTo: plan, meter: meter, work: work)
    }

    package mutating func partialPicture(work: WorkGuard) throws(ImageError) -> Bitmap {
        guard let planes = samples, !comesInOneScan else {
            if isShortened { return try finalPicture(work: work) }
            return try output?.partialPicture(work: work) ?? .empty
        }
        var reusable: Bitmap?
        var output = try SampleRowEmitter(plan, reusable: &reusable, meter: meter, work: work)
        try render(planes, report.deliveredRowCount, into: &output, work)
        return try output.result(work: work)
    }

    /// Emits the first `mcuRows` MCU rows of what is kept; the rest stays black.
    private func render(
        _ planes: SamplePlanes, _ mcuRows: Int, into output: inout SampleRowEmitter, _ work: WorkGuard
    ) throws(ImageError) {
        for mcuRow in 0..<mcuRows {
            try work.check()
            try output.emit(
                planes, upTo: (mcuRow + 1) * plan.geometry.outputRowsPerMCURow, pointTransforms: pointTransforms)
        }
        try output.finish(work: work)
    }
}
