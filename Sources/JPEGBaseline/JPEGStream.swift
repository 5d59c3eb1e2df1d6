// One JPEG file from its first byte to its picture; `DecodingSession` drives it.
//
//   bytes ──▶ FrameDriver (markers, tables) ──▶ JPEGFrameDecoder (scans, reconstruction) ──▶ Bitmap
//
// This file performs the driver's steps: when the first scan begins it plans the output and makes the decoder of the
// frame, to which it then hands coded data.

package import ImageCodecsCore

/// Makes the decoder of a frame; takes the reusable, a bitmap whose memory may be reused.
package typealias FrameFactory =
    @Sendable (
        _ request: FrameRequest, _ reusable: inout Bitmap?, _ work: inout WorkGuard
    ) throws(ImageError) -> any JPEGFrameDecoder

/// Decodes one file, with the frame decoders that a factory makes.
package struct JPEGStream: StreamDecoder {
    package static var format: ImageFormat { .jpeg }

    private let request: DecodingRequest
    private let observer: ComponentPlanes?
    private let makeFrame: FrameFactory
    private var reusable: Bitmap?
    private var driver: FrameDriver
    /// The decoder of the frame, once the first scan began.
    private var frame: (any JPEGFrameDecoder)?
    /// What ``info`` returns, without metadata.
    package private(set) var description: Indirect<ImageInfo>?
    /// Whether the frame got fewer lines while it was decoded.
    private var isShortened = false
    /// Decides when an MCU whose bytes were not all there is decoded again.
    private var reattempt = Reattempt()
    /// Whether the input ended without EOI after the whole picture was decoded.
    private var hasEnded = false
    /// Why a tolerant decode ended early.
    private var damage: ImageError?

    /// - Parameters:
    ///   - observer: Sees the samples of the components, if they are wanted.
    ///   - reusable: A bitmap whose memory is reused when it fits and nobody else holds it.
    ///   - makeFrame: Makes the decoder of the frame.
    package init(
        _ request: DecodingRequest, observer: ComponentPlanes? = nil, reusable: consuming Bitmap? = nil,
        makeFrame: @escaping FrameFactory
    ) {
        self.request = request
        self.observer = observer
        self.reusable = reusable
        self.makeFrame = makeFrame
        driver = FrameDriver(request)
    }

    /// The samples of each component, if they are kept and the picture is finished.
    package var planes: [Bitmap] { frame?.planes ?? [] }

    package var metadata: ImageMetadata { driver.segments.metadata }

    /// What the headers say; known once the first scan begins.
    package var info: ImageInfo? {
        guard var info = description?.value else { return nil }
        info.metadata = driver.segments.metadata
        return info
    }

    package var isComplete: Bool { driver.isComplete || hasEnded }
    package var hasPicture: Bool { frame?.hasPicture == true }
    package var hasCostlyPartialPictures: Bool { frame?.hasCostlyPartialPictures ?? false }

    package mutating func consume(
        _ bytes: Span<UInt8>, offset: Int, isFinal: Bool, work: inout WorkGuard
    ) throws(ImageError) -> Int {
        var position = 0
        steps: while true {
            switch try driver.next(bytes, offset: offset, &position, work: &work) {
            case .scan(let scan): try beginScan(scan, &work)
            case .codedData:
                guard try decodeScan(bytes, offset: offset, isFinal: isFinal, &position, &work) else { break steps }
            case .height(let height, let heightOffset):
                if try redefine(height, offset: heightOffset, isAtStart: offset == 0) { position = 0 }
            case .needsMoreInput: break steps
            case .end: return position
            }
        }
        guard isFinal else { return position }
        guard frame?.isComplete == true else { throw .truncated(.jpeg, offset: offset + bytes.count) }
        hasEnded = true
        return position
    }

    private mutating func beginScan(_ scan: ScanHeader, _ work: inout WorkGuard) throws(ImageError) {
        try work.check()
        if frame == nil { frame = try plan(firstScan: scan, &work) }
        guard try frame?.beginScan(scan, tables: driver.tables, work: &work) == true else { return }
        driver.beginCodedData()
        reattempt = Reattempt()
    }

    /// Takes the height that a DNL segment states in place of the frame header's.
    ///
    /// If the bytes are all there from the start of the file, it is read again with that height, so that everything is as in a
    /// file whose header is right. Otherwise the picture loses lines; it cannot get more, because data beyond the lines of the
    /// header were passed over.
    ///
    /// - Returns: Whether the file is to be read again.
    private mutating func redefine(_ height: Int, offset: Int, isAtStart: Bool) throws(ImageError) -> Bool {
        let isReceived = frame?.plan.output.receiver != nil
        if isAtStart && !isReceived {
            driver = FrameDriver(request, height: height)
            frame = nil
            reattempt = Reattempt()
            return true
        }
        guard !isReceived, let first = frame?.plan, height < first.geometry.size.height else {
            guard request.options.strictness == .tolerant else {
                throw .corruptJPEG(.jpegFrameSize, offset, "the picture has another height than its frame header says")
            }
            return false
        }
        try driver.redefine(height: height)
        var options = request.options
        options.pixelFormat = first.output.format
        let plan = try PicturePlan(replacing: first, height: height, options: options)
        frame?.redefine(plan)
        isShortened = true
        description?.value.size = plan.output.sourceSize
        description?.value.decodedSize = plan.output.resultSize
        return false
    }

    /// Decodes as far as the bytes allow, and answers whether the scan is complete.
    private mutating func decodeScan(
        _ input: Span<UInt8>, offset: Int, isFinal: Bool, _ position: inout Int, _ work: inout WorkGuard
    ) throws(ImageError) -> Bool {
        let rest = input.extracting(droppingFirst: position)
        guard isFinal || reattempt.isDue(rest),
            let step = try frame?.decode(rest, offset: offset + position, isFinal: isFinal, work: &work)
        else { return false }
        position += step.consumedCount
        if step.isScanComplete {
            driver.endCodedData()
        } else {
            reattempt.recordFailure(byteCount: rest.count - step.consumedCount)
        }
        return step.isScanComplete
    }

    package mutating func makeUnique() throws(ImageError) { try frame?.makeUnique() }

    package mutating func end(damage: ImageError?, work: WorkGuard) throws(ImageError) {
        self.damage = damage
        if damage == nil {
            var work = work
            try driver.segments.assemble(work: &work)
        }
        guard request.purpose != .inspection else { return }
        try frame?.finish(isWhole: damage == nil, work: work)
        guard damage == nil, request.options.strictness == .strict, let frame else { return }
        guard frame.isWhollyDecoded else {
            throw .corruptJPEG(.jpegScanMissing, 0, "the scans leave out part of the picture")
        }
    }

    package func finalPicture(work: WorkGuard) throws(ImageError) -> Bitmap {
        try frame?.finalPicture(work: work) ?? .empty
    }

    package mutating func partialPicture(work: WorkGuard) throws(ImageError) -> Bitmap {
        try frame?.partialPicture(work: work) ?? .empty
    }

    package mutating func drainChanges() -> PixelRect? {
        let changes = frame?.drainChanges()
        guard isShortened, changes != nil, let frame else { return changes }
        return PixelRect(frame.plan.output.resultSize)
    }

    package func partialReport(isEnded: Bool) -> PartialReport? {
        guard let frame else { return nil }
        let isWhole = frame.isWhollyDecoded
        // A scan that a DNL segment ended left out no line of the picture.
        let cause = damage ?? (isShortened && isWhole ? nil : frame.damage)
        guard !(isEnded && isWhole && cause == nil) else { return nil }
        return PartialReport(rows: frame.decodedRows, scans: frame.completedScans, cause: cause)
    }

    package mutating func recordTrailing(byteCount: Int) {
        if driver.isComplete { description?.value.trailingByteCount = byteCount }
    }
}

// MARK: - Planning

extension JPEGStream {
    /// Plans the output, describes the picture and makes the decoder of the frame.
    ///
    /// - Throws: `limitExceeded`, `invalidArgument`, `unsupported`.
    private mutating func plan(
        firstScan: ScanHeader, _ work: inout WorkGuard
    ) throws(ImageError) -> (any JPEGFrameDecoder)? {
        guard let header = driver.header else { return nil }
        try driver.segments.assemble(work: &work)
        let metadata = driver.segments.metadata
        let frame = try FrameRequest(
            header: header, firstScan: firstScan, tables: driver.tables,
            colorModel: JPEGColorModel(header, segments: driver.segments), metadata: metadata, observer: observer,
            request)
        // That of a first reading stays: it was held.
        let estimate = MemoryEstimate(
            byteCount: max(frame.peakByteCount, description?.value.estimatedPeakByteCount ?? 0))
        try request.admit(estimate.byteCount)
        var info = ImageInfo(
            format: .jpeg, size: header.size, hasAlpha: false, bitDepth: header.precision,
            colorDescription: frame.plan.colorModel.description(frame.plan.geometry),
            isProgressive: header.isProgressive, orientation: metadata.orientation,
            decodedSize: frame.plan.output.resultSize, decodedFormat: frame.plan.output.format,
            estimatedPeakByteCount: estimate.byteCount)
        info.isLossy = !header.isLossless || firstScan.approximationLow > 0
        description = Indirect(info)
        return try makeFrame(frame, &reusable, &work)
    }
}
