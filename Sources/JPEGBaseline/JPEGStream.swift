// One JPEG file from its first byte to its picture: the machinery behind the public decoders.
//
//   bytes ──▶ InputBuffer ──▶ FrameDriver (markers) ──▶ FrameDecoder (scans, reconstruction) ──▶ Bitmap
//
// One-shot and incremental decoding are the same machine; one-shot feeds it once and says so.

package import ImageCore

/// Decodes one file, with the frame decoders that it is given.
package struct JPEGStream: Sendable {
    /// How much of a file is wanted.
    package enum Purpose: Hashable, Sendable {
        /// Headers only: entropy-coded data are passed over.
        case inspection
        /// The whole picture at once.
        case oneShot
        /// Pictures before the file is complete.
        case incremental
    }

    /// What a frame decoder is made from.
    package struct FrameRequest: Sendable {
        package let context: FrameContext
        package let plan: PicturePlan
        package let options: DecodingOptions
        package let purpose: Purpose
        package let meter: MemoryMeter
    }

    /// Makes a frame decoder; takes the donor, a bitmap whose memory may be reused.
    package typealias FrameMaker =
        @Sendable (_ request: FrameRequest, _ donor: inout Bitmap?) throws(ImageError) -> any FrameDecoder

    /// Whether the samples of the components are kept; to be set before the first byte.
    package var keepsPlanes = false
    /// The samples of each component, where they are kept.
    package var planes: [Bitmap] { driver.frame?.planes ?? [] }
    /// What the headers say; known once the first scan begins.
    package private(set) var info: ImageInfo?

    private let options: DecodingOptions
    private let purpose: Purpose
    private let meter: MemoryMeter
    private let maker: FrameMaker
    private var donor: Bitmap?
    private var work: WorkGuard
    private var input = InputBuffer()
    private var driver: FrameDriver
    private var trailingByteCount = 0
    /// Whether nothing more is decoded: the picture is finished, or damage was tolerated.
    private var hasEnded = false
    /// The error that every later call throws.
    private var failure: ImageError?
    /// Why a tolerant decode ended early.
    private var damage: ImageError?

    /// - Parameters:
    ///   - donor: A bitmap whose memory is reused when it fits and nobody else holds it.
    ///   - maker: Makes the decoder of the frame.
    package init(
        options: DecodingOptions, purpose: Purpose, donor: consuming Bitmap?, maker: @escaping FrameMaker
    ) {
        self.options = options
        self.purpose = purpose
        self.donor = consume donor
        self.maker = maker
        meter = options.memoryMeter ?? MemoryMeter(limit: options.limits.maxMemory)
        work = WorkGuard(limits: options.limits)
        driver = FrameDriver(options: options)
    }

    /// Decodes as far as `newBytes` allow; see ``IncrementalImageDecoder``.
    package mutating func append(_ newBytes: Span<UInt8>) throws(ImageError) -> DecodingProgress {
        try run(newBytes, isFinal: false)
        return progress()
    }

    /// Says that no more bytes will come; see ``IncrementalImageDecoder``.
    package mutating func finish() throws(ImageError) -> DecodingProgress {
        try decodeRest([UInt8]().span)
        return progress()
    }

    /// Decodes a whole file, or the rest of one.
    package mutating func decodeRest(_ lastBytes: Span<UInt8>) throws(ImageError) {
        try run(lastBytes, isFinal: true)
        if driver.isComplete { info?.trailingByteCount = trailingByteCount }
        guard purpose != .inspection else { return }
        guard driver.frame?.hasPicture == true else {
            let error = damage ?? .truncated(.jpeg, offset: input.totalCount)
            failure = error
            throw error
        }
    }

    /// The picture so far; `nil` until there is a row.
    package func image() throws(ImageError) -> Image? {
        guard let frame = driver.frame, frame.hasPicture else { return nil }
        let metadata = driver.segments.collected
        return Image(
            bitmap: try frame.picture(work: work), scale: options.scaleFactor,
            orientation: options.appliesOrientation ? .up : metadata.orientation, format: .jpeg,
            partial: partialReport(frame), metadata: metadata)
    }

    private func partialReport(_ frame: any FrameDecoder) -> PartialReport? {
        let rows = frame.realRows
        let cause = damage ?? frame.damage
        let isWhole = rows == [0..<(driver.header?.size.height ?? 0)]
        guard !(hasEnded && isWhole && cause == nil) else { return nil }
        return PartialReport(rows: rows, scans: frame.completedScans, cause: cause)
    }

    private mutating func run(_ newBytes: Span<UInt8>, isFinal: Bool) throws(ImageError) {
        if let failure { throw failure }
        work.begin()
        defer { work.end() }
        // Out of `self` for the call, because reading changes the rest of `self`.
        var buffer = input
        input = InputBuffer()
        defer { input = buffer }
        do {
            try buffer.feed(newBytes) { (bytes, offset) throws(ImageError) in
                try consume(bytes, offset: offset, isFinal: isFinal)
            }
        } catch {
            try stop(error)
        }
    }

    private mutating func consume(_ bytes: Span<UInt8>, offset: Int, isFinal: Bool) throws(ImageError) -> Int {
        var used = 0
        if !hasEnded {
            // Out of `self` for the call, which changes the rest of `self`.
            var driver = self.driver
            self.driver = FrameDriver(options: options)
            defer { self.driver = driver }
            used = try driver.advance(bytes, offset: offset, isFinal: isFinal, work: work) {
                (context) throws(ImageError) in try makeFrame(context)
            }
            if driver.isComplete || isFinal {
                hasEnded = true
                try driver.endFrame(work: work, isInspection: purpose == .inspection)
            }
        }
        guard hasEnded else { return used }
        trailingByteCount += bytes.count - used
        return bytes.count
    }

    /// Plans the output and makes the decoder of the frame.
    private mutating func makeFrame(_ context: FrameContext) throws(ImageError) -> any FrameDecoder {
        let plan = try PicturePlan(
            header: context.header, colorModel: context.colorModel, orientation: context.metadata.orientation,
            options: options, keepsPlanes: keepsPlanes)
        let info = describe(context, plan)
        self.info = info
        guard info.peakByteCount <= options.limits.maxMemory else {
            throw .limitExceeded(.memory, requested: info.peakByteCount, allowed: options.limits.maxMemory)
        }
        let request = FrameRequest(
            context: context, plan: plan, options: options, purpose: purpose, meter: meter)
        // Made in an inspection too, but with nothing allocated: it may not be a frame that can be decoded.
        guard purpose != .inspection else { return PassedOverFrame() }
        return try maker(request, &donor)
    }

    private func describe(_ context: FrameContext, _ plan: PicturePlan) -> ImageInfo {
        let frameByteCount =
            context.comesInOneScan
            ? SequentialFrame.byteCount(plan.geometry, threads: options.threads)
            : MultiScanMemory.byteCount(plan.geometry)
        return ImageInfo(
            format: .jpeg, size: context.header.size, hasAlpha: false, bitDepth: 8,
            colorDescription: context.colorModel.description(plan.geometry),
            isProgressive: context.header.isProgressive, orientation: context.metadata.orientation,
            decodedByteCount: plan.output.decodedByteCount,
            peakByteCount: plan.peakByteCount.addingSaturated(frameByteCount), metadata: context.metadata)
    }

    private mutating func progress() -> DecodingProgress {
        let stage = hasEnded ? .complete : driver.frame?.stage ?? .header
        return DecodingProgress(
            stage: stage, changed: driver.frame?.takeChanged(), bytesConsumed: input.consumedCount)
    }

    /// Ends the decode: for good in strict mode, with what is there in tolerant mode where the data, not the caller, is
    /// to blame.
    private mutating func stop(_ error: ImageError) throws(ImageError) {
        switch error {
        case .corrupt, .truncated:
            // An inspection has all it wants once the first scan begins.
            guard options.strictness == .tolerant,
                driver.frame?.hasPicture == true || (purpose == .inspection && info != nil)
            else { break }
            damage = error
            hasEnded = true
            try driver.frame?.finish(isWhole: false, work: work)
            return
        default:
            break
        }
        failure = error
        throw error
    }
}

/// A frame whose data nobody wants: its scans are passed over.
private struct PassedOverFrame: FrameDecoder {
    let isComplete = false
    let hasPicture = false
    var planes: [Bitmap] { [] }
    let realRows: [Range<Int>] = []
    let completedScans: Int? = nil
    let stage = DecodingProgress.Stage.header
    let damage: ImageError? = nil

    private var hasRestarts = false

    mutating func beginScan(_ header: ScanHeader, tables: DecodingTables) {
        hasRestarts = tables.restartInterval > 0
    }

    mutating func decode(_ input: Span<UInt8>, offset: Int, isFinal: Bool, work: WorkGuard) -> ScanStep {
        MarkerReader.passOverScan(input, hasRestarts: hasRestarts)
    }

    mutating func finish(isWhole: Bool, work: WorkGuard) {}
    func picture(work: WorkGuard) -> Bitmap { .empty }
    mutating func takeChanged() -> PixelRect? { nil }
}
