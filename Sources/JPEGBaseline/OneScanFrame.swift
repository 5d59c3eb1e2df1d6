// A sequential frame that comes in one scan of arithmetic coding or of twelve bits a sample: row by row.
//
// In: entropy-coded data. Out: picture rows as their MCU rows complete. Memory: one MCU row of coefficients and one or two of
// samples, besides the result. `SequentialFrame` decodes what is usual, Huffman codes and eight bits, faster.

package import ImageCodecsCore

/// Decodes a sequential frame whose components all are in its only scan, through a store of one MCU row.
package struct OneScanFrame: JPEGFrameDecoder {
    private let meter: MemoryMeter?
    private var scan: any StoredScan
    /// Of the MCU row under way; zero when it begins.
    private var store: CoefficientStore
    private var reader: StoredRowReader
    private var output: any FrameOutput
    private var report: MCURowReport
    /// The plan of a picture that has fewer lines than the frame header says, of which all rows are decoded.
    private var shorterPlan: PicturePlan?
    private var isFinished = false

    private static let keptMCURows = 1

    /// - Parameters:
    ///   - process: The kind of its scan.
    ///   - reusable: A bitmap whose memory is reused when it fits; always taken.
    ///   - work: Making tables counts.
    /// - Throws: `limitExceeded`, `invalidArgument`, `unsupported`; `corrupt` if the scan has no tables.
    package init(
        _ request: FrameRequest, of process: any StoredScan.Type, reusable: inout Bitmap?, work: inout WorkGuard
    ) throws(ImageError) {
        let (plan, header, tables) = (request.plan, request.firstScan, request.tables)
        var reusable = reusable.take()
        meter = request.meter
        let steps = try request.steps
        scan = try process.init(
            header: header, frame: plan.geometry, tables: tables, strictness: request.options.strictness, meter: meter,
            work: &work)
        store = try CoefficientStore(plan.geometry, mcuRows: Self.keptMCURows, meter: meter)
        reader = try StoredRowReader(plan.geometry, smoothing: nil, meter: meter)
        output = try makeFrameOutput(
            plan, steps: steps, observer: request.observer, reusable: &reusable, meter: meter, work: work)
        report = MCURowReport(plan.geometry, parts: 1)
    }

    /// Bytes held besides the output side. Saturates.
    static func byteCount(_ geometry: FrameGeometry) -> Int {
        CoefficientStore.frameByteCount(geometry, mcuRows: keptMCURows, isProgressive: false)
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
        try scan.makeUnique()
        try store.makeUnique()
        try reader.makeUnique()
        try output.makeUnique()
    }

    package mutating func decode(
        _ input: Span<UInt8>, offset: Int, isFinal: Bool, work: inout WorkGuard
    ) throws(ImageError) -> ScanStep {
        while !scan.control.isComplete {
            try work.check()
            guard
                try scan.decodeRow(into: &store, input: input, offset: offset, isFinal: isFinal, work: &work)
            else {
                let consumed = scan.consumedCount(of: input)
                scan.rebase(droppingFirst: consumed)
                return ScanStep(consumedCount: consumed, isScanComplete: false)
            }
            let control = scan.control
            report.record(
                row: control.mcuRow - 1, delivered: CollectionOfOne(0), isDecoded: control.isRowDecoded)
            reader.reconstruct(control.mcuRow - 1, isReached: true, of: store, into: &output)
            try output.finishMCURow()
            store.clear()
        }
        return ScanStep(consumedCount: scan.consumedCount(of: input), isScanComplete: true)
    }

    package var plan: PicturePlan { shorterPlan ?? output.plan }
    package var isComplete: Bool { scan.control.isComplete }
    package var hasPicture: Bool { output.hasRows }
    package var decodedRows: [Range<Int>] { report.rows() }
    package var isWhollyDecoded: Bool { report.isWhole }
    package var completedScans: Int? { nil }
    package var damage: ImageError? { scan.control.damage }
    package mutating func drainChanges() -> PixelRect? { output.drainChanges() }

    package mutating func finish(isWhole: Bool, work: WorkGuard) throws(ImageError) {
        isFinished = true
        try output.finish(work: work)
    }

    package func finalPicture(work: WorkGuard) throws(ImageError) -> Bitmap {
        guard let shorterPlan else { return try output.result(work: work) }
        return try output.result(shortenedTo: shorterPlan, meter: meter, work: work)
    }

    package mutating func partialPicture(work: WorkGuard) throws(ImageError) -> Bitmap {
        guard shorterPlan == nil else { return try finalPicture(work: work) }
        return try output.partialPicture(work: work)
    }

    package var hasCostlyPartialPictures: Bool { false }

    package var planes: [Bitmap] { isFinished ? output.observer?.bitmaps ?? [] : [] }
}
