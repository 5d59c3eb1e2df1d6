// One file from its first row to its last byte: clock, meter, preparation, the same for every format.
//
//   rows ──▶ RowPreparation ──▶ RowEncoder ──▶ sink                          one pass, some rows held
//   rows ──▶ RowPreparation ──▶ Bitmap ──▶ RowEncoder, as often as it takes ──▶ sink
//
// The second way is taken if an encoder looks at all rows before it writes one, or if the length of the file is
// limited. A bitmap of the caller's that needs no preparation is not copied for it.

public import ImageCodecsCore
import ImagePhotoMetadata

/// Writes one picture: rows in, bytes out.
///
/// ```swift
/// var session = try CoderRegistry.shared.makeEncodingSession(
///     to: .jpeg, size: PixelSize(width: 640, height: 480), pixelFormat: .rgb)
/// for y in 0..<480 { try session.write(row(y).span) { bytes in try body.write(bytes) } }
/// try session.finish { bytes in try body.write(bytes) }
/// ```
///
/// Whether rows are written as they come or held until the last is there is the format's business and that of
/// `EncodingOptions.effort`; ``estimatedPeakByteCount`` tells. An error is permanent: every later call throws it again.
public struct EncodingSession: ~Copyable, ClockedSession, Sendable {
    /// How the rows of a picture get here.
    package enum Source {
        /// One after the other.
        case rows
        /// As a bitmap that the caller holds.
        case bitmap
    }

    private enum State: Sendable {
        case streaming(RowPreparation, any RowEncoder)
        /// `preparation` is made with the first row.
        case collecting(Bitmap, RowPreparation, filledRowCount: Int, any RowEncoder)
        /// No row has come; the first encoder is made, for what it takes had to be known.
        case ready(any RowEncoder)
        case ended
    }

    /// Bytes that encoding takes at most: rows on their way, and what the encoder and this effort hold. Saturates.
    ///
    /// Not counted are the rows and the bitmap of the caller, the bytes that the sink has got, and metadata.
    public let estimatedPeakByteCount: Int

    /// Whether rows go to the encoder as they come; it may still hold a small picture, which ``estimatedPeakByteCount`` counts.
    public let isStreaming: Bool

    /// Width and height of the picture in the file: smaller than the rows if `EncodingOptions.maxPixelSize` asks for it, and
    /// once the file is written also if `EncodingOptions.maxFileByteCount` did.
    public internal(set) var writtenSize: PixelSize

    /// What the file that was written scores, if `EncodingOptions.targetQuality` asked for a look and no limit of its length was in the way.
    public internal(set) var reachedQuality: Double?

    /// Kinds of metadata of which something has no place in the file; complete once that is written.
    public var lostMetadata: Set<ImageMetadata.Kind> { request.options.losses?.lostMetadata ?? [] }

    let coder: any RowEncodingCoder
    let traits: EncoderTraits
    let format: ImageFormat
    var request: EncodingRequest
    let plan: RowPreparationPlan
    let picture: EncodedPicture
    private var state: State
    private var rowCount = 0
    var clock: EncodingClock

    /// - Throws: `invalidArgument` for an empty picture or options that make no sense, `limitExceeded` for a picture that is too
    ///   large for the format or the limits.
    init(
        _ coder: any RowEncodingCoder, to format: ImageFormat, _ source: EncodedPicture, from origin: Source,
        options: EncodingOptions
    ) throws(ImageError) {
        guard !source.size.isEmpty else { throw .invalidArgument("cannot write a picture of \(source.size) pixels") }
        try options.checkFileByteCount()
        try options.checkTargetQuality()
        let traits = coder.traits(writing: format, options)
        try traits.check(options, writing: format)
        var options = options
        let losses = options.losses ?? LossLog()
        options.losses = losses
        let request = EncodingRequest(options: options)
        let plan = RowPreparationPlan(
            size: source.size, format: source.format, orientation: source.orientation,
            keepsAlpha: traits.keepsAlpha, options: options)
        let picture = source.prepared(plan, options.metadata, traits.metadataPlaces, losses)
        let encoder = try coder.makeRowEncoder(picture, format: format, request)
        var encoders: [any RowEncoder] = [encoder]
        if options.targetQuality != nil {
            let steps = coder.lookOptions(options, writing: format)
            guard let most = steps.last else { throw .losesNothing(format) }
            for options in [steps[0], steps[steps.count / 2], most] {
                encoders.append(try coder.makeRowEncoder(picture, format: format, EncodingRequest(options: options)))
            }
        }
        if options.maxFileByteCount != nil {
            for options in options.keepsPixels ? options.withMoreEffort : traits.lossLadder?.ends ?? [] {
                encoders.append(try coder.makeRowEncoder(picture, format: format, EncodingRequest(options: options)))
            }
        }
        let isStreaming =
            !encoder.surveysRows && options.maxFileByteCount == nil && options.targetQuality == nil
        let estimate = Self.estimate(
            plan, encoders, holdsPicture: !isStreaming && (origin == .rows || !plan.isIdentity), options)
        try Self.admit(estimate, options.limits)
        state = .ready(encoder)
        self.coder = coder
        self.traits = traits
        self.format = format
        self.request = request
        self.plan = plan
        self.picture = picture
        self.isStreaming = isStreaming
        estimatedPeakByteCount = estimate
        writtenSize = plan.targetSize
        clock = EncodingClock(options)
    }

    private static func estimate(
        _ plan: RowPreparationPlan, _ encoders: [any RowEncoder], holdsPicture: Bool, _ options: EncodingOptions
    ) -> Int {
        // One encoder at a time.
        var count = encoders.map { plan.byteCount(to: $0.rowFormat).addingSaturated($0.estimatedByteCount) }.max() ?? 0
        let pictureByteCount = Bitmap.byteCount(size: plan.targetSize, format: plan.preparedFormat) ?? .max
        if holdsPicture { count = count.addingSaturated(pictureByteCount) }
        if options.targetQuality != nil {
            // Two files, of which one is read and measured.
            count = count.addingSaturated(pictureByteCount.addingSaturated(1 << 16).multipliedSaturated(by: 4))
                .addingSaturated(DecodingOptions.measuringByteCount(plan.targetSize))
        }
        if let most = options.maxFileByteCount {
            // The file, and the best one before it, of which no more than is allowed is kept: seldom more than twice the picture's bytes.
            count = count.addingSaturated(
                min(most, pictureByteCount.multipliedSaturated(by: 2).addingSaturated(1 << 16))
                    .multipliedSaturated(by: 2))
            guard options.mayScaleDown, !options.keepsPixels else { return count }
            // A smaller picture, and what scaling to it takes.
            count = count.addingSaturated(pictureByteCount)
                .addingSaturated(
                    ScalingStage.byteCount(
                        sourceSize: plan.targetSize, reduction: 1,
                        targetSize: PixelSize(
                            width: max(1, plan.targetSize.width - 1), height: max(1, plan.targetSize.height - 1))))
        }
        return count
    }

    /// Refuses a picture before memory is touched for which there is not enough.
    private static func admit(_ byteCount: Int, _ limits: EncodingLimits) throws(ImageError) {
        guard byteCount < .max, byteCount <= limits.maxMemoryByteCount else {
            throw .limitExceeded(.encodingMemory, requested: byteCount, allowed: limits.maxMemoryByteCount)
        }
    }

    /// Takes the next row, from the top.
    ///
    /// - Parameters:
    ///   - row: as many bytes as a row of the picture has, without padding.
    ///   - sink: gets bytes of the file, if there are new ones. What it throws ends the session.
    /// - Throws: `invalidArgument` for a row of another length or one too many; what encoding and `sink` throw.
    public mutating func write(_ row: Span<UInt8>, to sink: EncodedBytesSink) throws(ImageError) {
        try row.withRawBytes { (row) throws(ImageError) in try write(row, to: sink) }
    }

    /// Takes the next row.
    package mutating func write(_ row: RawSpan, to sink: EncodedBytesSink) throws(ImageError) {
        try working { (session) throws(ImageError) in try session.take(row, to: sink) }
    }

    /// Takes the next rows, one after the other without padding.
    package mutating func write(rows: RawSpan, to sink: EncodedBytesSink) throws(ImageError) {
        let byteCount = plan.sourceSize.width * plan.sourceFormat.bytesPerPixel
        guard rows.byteCount % byteCount == 0 else {
            throw .invalidArgument("\(rows.byteCount) bytes are no whole rows; one has \(byteCount)")
        }
        try working { (session) throws(ImageError) in
            for start in stride(from: 0, to: rows.byteCount, by: byteCount) {
                try session.take(rows.extracting(start..<start + byteCount), to: sink)
            }
        }
    }

    /// Takes all rows of a picture, and ends the file.
    ///
    /// - Throws: `invalidArgument` for a bitmap of another size or format than the session was made for; what encoding and
    ///   `sink` throw.
    /// - Precondition: no row was written.
    package mutating func encode(_ bitmap: Bitmap, to sink: EncodedBytesSink) throws(ImageError) {
        guard bitmap.size == plan.sourceSize, bitmap.format == plan.sourceFormat else {
            throw .invalidArgument(
                "a picture of \(bitmap.size) pixels (\(bitmap.format)) in place of \(plan.sourceSize) (\(plan.sourceFormat))"
            )
        }
        guard !isStreaming else {
            for y in 0..<bitmap.height {
                try bitmap.withRowBytes(y) { (row) throws(ImageError) in try write(row, to: sink) }
            }
            return try finish(to: sink)
        }
        try working { (session) throws(ImageError) in
            guard case .ready(let encoder) = session.state else {
                throw .invalidArgument("rows were written before the whole picture")
            }
            session.state = .ended
            let prepared = try session.plan.prepare(
                bitmap, meter: session.request.meter, work: session.clock.work, watch: session.watch)
            try session.encodeWhole(prepared, by: encoder, to: sink)
        }
    }

    /// Ends the file, after the last row.
    ///
    /// - Throws: `invalidArgument` if rows are missing; what encoding and `sink` throw.
    public mutating func finish(to sink: EncodedBytesSink) throws(ImageError) {
        try working { (session) throws(ImageError) in try session.end(to: sink) }
    }

    mutating func letGo() { state = .ended }

    private mutating func take(_ row: RawSpan, to sink: EncodedBytesSink) throws(ImageError) {
        guard rowCount < plan.sourceSize.height else {
            throw .invalidArgument("more rows than the \(plan.sourceSize.height) of the picture")
        }
        let byteCount = plan.sourceSize.width * plan.sourceFormat.bytesPerPixel
        guard row.byteCount == byteCount else {
            throw .invalidArgument("a row of \(row.byteCount) bytes; rows of this picture have \(byteCount)")
        }
        try clock.work.spend(plan.sourceSize.width)
        if rowCount == 0, case .ready(let encoder) = state { try begin(encoder) }
        rowCount += 1
        // Taken out of the state for the call, so that nothing is copied.
        var taken = State.ended
        swap(&taken, &state)
        switch consume taken {
        case .streaming(var preparation, var encoder):
            try preparation.push(row) { (row) throws(ImageError) in
                try encoder.write(row, to: sink, work: &clock.work)
            }
            state = .streaming(preparation, encoder)
        case .collecting(var bitmap, var preparation, var filledRowCount, let encoder):
            try preparation.push(row) { row in
                bitmap.withMutableRowBytes(filledRowCount) { $0.copy(row) }
                filledRowCount += 1
            }
            state = .collecting(bitmap, preparation, filledRowCount: filledRowCount, encoder)
        case .ready, .ended: break
        }
    }

    /// Looks for what rows lose before the encoder sees them.
    var watch: PreparationWatch { PreparationWatch(request.options, writing: format) }

    private mutating func begin(_ encoder: any RowEncoder) throws(ImageError) {
        let meter = request.meter
        guard isStreaming else {
            state = .collecting(
                try Bitmap(uninitialized: plan.targetSize, format: plan.preparedFormat, meter: meter),
                try RowPreparation(plan, to: plan.preparedFormat, meter: meter, work: clock.work, watch: watch),
                filledRowCount: 0, encoder)
            return
        }
        state = .streaming(
            try RowPreparation(plan, to: encoder.rowFormat, meter: meter, work: clock.work, watch: watch), encoder)
    }

    private mutating func end(to sink: EncodedBytesSink) throws(ImageError) {
        guard rowCount == plan.sourceSize.height else {
            throw .invalidArgument("the picture has \(plan.sourceSize.height) rows, \(rowCount) were written")
        }
        switch state {
        case .streaming(_, var encoder):
            state = .ended
            try encoder.finish(to: sink, work: &clock.work)
        case .collecting(let bitmap, _, _, let encoder):
            state = .ended
            try encodeWhole(bitmap, by: encoder, to: sink)
        case .ready, .ended: break
        }
    }
}

// MARK: - Images

extension EncodingSession {
    /// Writes an image that is held as a whole: an animation with all its frames if the coder writes those.
    package static func encode(
        _ image: RasterImage, to format: ImageFormat, by coder: any RowEncodingCoder, options: EncodingOptions,
        _ sink: EncodedBytesSink
    ) throws(ImageError) {
        guard coder.canEncode(to: format) else { throw .unsupported(format, feature: "encoding by this coder") }
        if let animation = image.animation, !options.firstFrameOnly,
            let coder = coder as? any AnimationEncodingCoder, coder.canEncodeAnimation(to: format)
        {
            var source = AnimationSource(image, animation)
            _ = try AnimationEncodingSession.encode(&source, to: format, by: coder, options: options, sink)
            return
        }
        var session = try EncodingSession(
            coder, to: format, EncodedPicture(image), from: .bitmap, options: options)
        try session.encode(image.bitmap, to: sink)
    }
}

extension EncodedPicture {
    /// An image as it is, of an animation its first frame.
    package init(_ image: RasterImage) {
        self.init(
            size: image.size, format: image.bitmap.format, orientation: image.orientation, metadata: image.metadata)
        isLossy = image.isLossy
    }

    /// The picture as it is once its rows are prepared, with the metadata that are to be written.
    ///
    /// - Parameters:
    ///   - places: where the format has places for metadata.
    ///   - losses: records what has none.
    func prepared(
        _ plan: RowPreparationPlan, _ policy: EncodingOptions.MetadataPolicy, _ places: MetadataPlaces,
        _ losses: LossLog
    ) -> EncodedPicture {
        var picture = self
        (picture.size, picture.format) = (plan.targetSize, plan.preparedFormat)
        switch policy {
        case .all: break
        case .colors: picture.metadata = metadata.colors
        case .none: picture.metadata = ImageMetadata()
        }
        if picture.size != size { picture.metadata.follow(.geometry) }
        picture.metadata.describe(picture.size, orientation: picture.orientation)
        let fitted = picture.metadata.fitted(to: places)
        picture.metadata = fitted.metadata
        losses.record(fitted.lost)
        losses.record(partlyKept: fitted.partlyKept)
        return picture
    }
}
