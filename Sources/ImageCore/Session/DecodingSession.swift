// One file from its first byte to its picture: clock, meter, input, damage and progress, the same for every format.
//
//   bytes ──▶ InputBuffer ──▶ StreamDecoder (headers, pixels) ──▶ RasterImage
//
// One-shot and incremental decoding are the same machine; one-shot feeds it once and says so.

/// Where a decode stands. Outside of the session, for what is nested in a generic type is generic, and looked up when it is used.
private enum SessionStatus: Sendable {
    case running
    /// The picture will not change any more; `isTruncated` if the bytes ended before the picture did.
    case ended(isTruncated: Bool)
    case failed(ImageError)
}

/// What was made when this many bytes were consumed.
private struct Dated<Value: Sendable>: Sendable {
    let value: Value
    let consumedCount: Int
}

/// Drives the decoder of one format.
///
/// The states in their usual order: `running` until the file is read as far as it is wanted, then `ended`; `failed`
/// after an error, which every later call throws again.
package struct DecodingSession<Decoder: StreamDecoder>: IncrementalImageDecoder {
    let request: DecodingRequest
    private var status = SessionStatus.running
    /// Checks time and cancellation for the whole decode.
    private(set) var work: WorkGuard
    private var input: InputBuffer
    /// The state machine of the format. Large, so it is asked and changed in its place: where a closure or a class holds a value
    /// of a type that is not known here, the compiler copies it for every question.
    package private(set) var decoder: Decoder
    /// Bytes fed so far, and how many of them come after the picture.
    private var fedByteCount = 0
    private var trailingByteCount = 0
    /// Whether the headers are read and there is enough memory for the picture.
    private var isAdmitted = false
    /// What the decoder says of the file. Callers may hold it while metadata grow, which then are copied; so it is renewed now and
    /// then only, and not at all if the file comes in one call.
    private var description: Indirect<Dated<ImageInfo>>?
    /// The finished picture of a file that came in pieces, once it was asked for.
    private var result: Indirect<RasterImage>?
    /// The last picture of an unfinished decode whose pictures are costly.
    private var preview: Indirect<Dated<RasterImage>>?

    package init(_ request: DecodingRequest, _ decoder: consuming Decoder) {
        self.request = request
        self.decoder = decoder
        work = WorkGuard(request.options)
        input = InputBuffer(meter: request.meter)
    }

    /// What the headers say, once they are complete.
    package var info: ImageInfo? { request.purpose.comesInPieces ? description?.value.value : resultInfo }

    /// Decodes as far as `newBytes` allow; see ``IncrementalImageDecoder``.
    package mutating func append(_ newBytes: Span<UInt8>) throws(ImageError) -> DecodingProgress {
        try run(newBytes, isFinal: false)
        return progress()
    }

    /// Says that no more bytes will come; see ``IncrementalImageDecoder``.
    package mutating func finish() throws(ImageError) -> DecodingProgress {
        try run(Span(), isFinal: true)
        return progress()
    }

    /// The picture so far; see ``IncrementalImageDecoder``.
    package mutating func image() throws(ImageError) -> RasterImage? {
        if let result { return result.value }
        guard decoder.hasPicture, request.purpose.decodesPixels else { return nil }
        work.begin()
        defer { work.end() }
        switch status {
        case .failed: return nil
        case .ended:
            let image = try finalImage()
            result = Indirect(image)
            return image
        case .running: break
        }
        let isCostly = hasCostlyPictures
        if isCostly, let preview, !isPreviewDue { return preview.value.value }
        preview = nil
        // Not as an argument of `image`, for which `self` is copied first: its pictures would be held twice, and none
        // of them be free to be used again.
        let bitmap = try decoder.partialPicture(work: work)
        let image = try image(bitmap, isEnded: false)
        if isCostly { preview = Indirect(Dated(value: image, consumedCount: input.consumedCount)) }
        return image
    }

    /// The picture of a decode that has ended.
    @inline(__always)
    private func finalImage() throws(ImageError) -> RasterImage {
        try image(decoder.finalPicture(work: work), isEnded: true)
    }

    /// The whole frames so far; see ``IncrementalImageDecoder``.
    package mutating func animation() throws(ImageError) -> (any AnimatedImageProvider)? {
        guard decoder.info?.animation != nil, request.purpose.decodesPixels else { return nil }
        if case .failed = status { return nil }
        work.begin()
        defer { work.end() }
        return try decoder.animation(work: work).map { (animation) throws(ImageError) in
            try request.options.admit(converted(animation))
        }
    }

    /// An animation in the colours wanted.
    func converted(_ animation: any AnimatedImageProvider) throws(ImageError) -> any AnimatedImageProvider {
        try colors(animation.info.decodedFormat).map { ConvertedAnimation(animation, $0, request) } ?? animation
    }

    /// What happens to the colours of pictures that were decoded in `format`.
    func colors(_ format: PixelFormat) throws(ImageError) -> ColorTreatment? {
        guard request.options.convertsColors else { return nil }
        return try request.options.colors(
            decoder.metadata, isCMYK: format == .cmyk, decoder.info?.format ?? Decoder.format)
    }

    /// Whether a picture of an unfinished decode is made as a whole: by the decoder, or because its colours are converted.
    private var hasCostlyPictures: Bool { decoder.hasCostlyPartialPictures || request.options.convertsColors }

    /// What the headers say of the result.
    @inline(__always)
    private var resultInfo: ImageInfo? {
        request.options.convertsColors ? request.options.describingColors(decoder.info) : decoder.info
    }

    /// Bytes that the result takes at most, once the headers say.
    private var resultPeakByteCount: Int? {
        request.options.convertsColors
            ? resultInfo?.estimatedPeakByteCount : decoder.description?.value.estimatedPeakByteCount
    }

    private func image(_ bitmap: Bitmap, isEnded: Bool) throws(ImageError) -> RasterImage {
        let said = decoder.description
        let stored = decoder.metadata
        // Pixels that are turned need not be turned again.
        let orientation = request.options.appliesOrientation ? .up : stored.orientation
        var metadata = isEnded ? stored : description?.value.value.metadata ?? stored
        if metadata.orientation != orientation { metadata.orientation = orientation }
        var image = RasterImage(
            bitmap: bitmap, scale: request.options.scaleFactor, orientation: orientation,
            format: said?.value.format ?? Decoder.format,
            partial: decoder.partialReport(isEnded: isEnded), metadata: metadata)
        try colors(bitmap.format)?.convert(&image, meter: request.meter, work: work)
        image.isLossy = said?.value.isLossy ?? false
        return image
    }

    /// Pictures that cost as much as the whole are made anew when the bytes read have grown by an eighth: for a file of
    /// any length that is a few dozen times, so that however often a caller asks, pictures cost no more than in
    /// proportion to what is decoded.
    private var isPreviewDue: Bool { preview.map { isDue(after: $0.value.consumedCount) } ?? true }

    /// Whether the bytes read have grown by an eighth.
    private func isDue(after consumedCount: Int) -> Bool {
        input.consumedCount - consumedCount >= max(1, consumedCount / 8)
    }

    /// Renews the description of the file.
    @inline(__always)
    private mutating func describe() {
        guard request.purpose.comesInPieces else { return }
        if case .running = status, let description, !isDue(after: description.value.consumedCount) { return }
        description = resultInfo.map { Indirect(Dated(value: $0, consumedCount: input.consumedCount)) }
    }

    private mutating func progress() -> DecodingProgress {
        var isComplete = false
        var showsChanges = true
        switch status {
        case .ended(let isTruncated):
            // A decoder may have gone on after the end of the bytes, to fill the picture.
            isComplete = decoder.isComplete && !isTruncated
        case .running:
            // Changes that the last picture does not show are reported when the next one is due.
            showsChanges = !hasCostlyPictures || isPreviewDue
        case .failed: break
        }
        return DecodingProgress(
            isComplete: isComplete, changedRect: showsChanges ? decoder.drainChanges() : nil,
            consumedByteCount: input.consumedCount)
    }

    private mutating func run(_ newBytes: Span<UInt8>, isFinal: Bool) throws(ImageError) {
        switch status {
        case .failed(let error): throw error
        case .ended, .running: break
        }
        work.begin()
        defer { work.end() }
        do throws(ImageError) {
            fedByteCount = fedByteCount.addingSaturated(newBytes.count)
            try request.options.limits.check(inputByteCount: fedByteCount)
            if case .ended = status {
                trailingByteCount = trailingByteCount.addingSaturated(newBytes.count)
                decoder.recordTrailing(byteCount: trailingByteCount)
                return describe()
            }
            try work.check()
            try decoder.makeUnique()
            let trailing = try Self.feed(newBytes, isFinal: isFinal, to: &decoder, &input, &work)
            if !isAdmitted, let byteCount = resultPeakByteCount {
                try request.admit(byteCount)
                isAdmitted = true
            }
            if decoder.isComplete {
                try end(damage: nil)
                trailingByteCount = trailing
                decoder.recordTrailing(byteCount: trailing)
            } else if isFinal {
                throw .truncated(Decoder.format, offset: input.totalCount)
            }
            describe()
        } catch {
            try stop(error)
        }
    }

    /// Lets the decoder read; bytes after the picture are dropped.
    ///
    /// The parts are passed apart from each other, so that none is copied while another changes.
    ///
    /// - Returns: how many bytes were dropped.
    private static func feed(
        _ newBytes: Span<UInt8>, isFinal: Bool, to decoder: inout Decoder, _ input: inout InputBuffer,
        _ work: inout WorkGuard
    ) throws(ImageError) -> Int {
        var droppedCount = 0
        try input.feed(newBytes, work: work) { (bytes, offset, isAll) throws(ImageError) in
            let used = try read(bytes, offset: offset, isFinal: isFinal && isAll, by: &decoder, &work)
            guard used.isLast else { return used.count }
            droppedCount += bytes.count - used.count
            return bytes.count
        }
        return droppedCount
    }

    /// Lets the decoder read, unless it has read all it wants.
    private static func read(
        _ bytes: Span<UInt8>, offset: Int, isFinal: Bool, by decoder: inout Decoder, _ work: inout WorkGuard
    ) throws(ImageError) -> (count: Int, isLast: Bool) {
        if decoder.isComplete { return (0, true) }
        let count = try decoder.consume(bytes, offset: offset, isFinal: isFinal, work: &work)
        return (count, decoder.isComplete)
    }

    /// Ends the decode: for good in strict mode, with what is there in tolerant mode if the data, not the caller, are
    /// to blame and there is something to show.
    private mutating func stop(_ error: ImageError) throws(ImageError) {
        var error = error
        if error.isDamage, request.options.strictness == .tolerant, decoder.hasPicture {
            do throws(ImageError) {
                try end(damage: error)
                return describe()
            } catch let other {
                error = other
            }
        }
        if error.isDamage, request.options.strictness == .tolerant {
            // The earlier of this error and the damage tolerated before.
            error = ImageError.earlier(decoder.toleratedDamage, error) ?? error
        }
        status = .failed(error)
        (preview, result) = (nil, nil)
        describe()
        throw error
    }

    @inline(__always)
    private mutating func end(damage: ImageError?) throws(ImageError) {
        preview = nil
        try decoder.end(damage: damage, work: work)
        // The report is made once, not for each piece that follows: it may list thousands of rows.
        let cause = decoder.partialReport(isEnded: true)?.cause
        // A file that was read to its end, and of which nothing can be shown.
        if damage == nil, request.purpose.decodesPixels, !decoder.hasPicture, let damage = decoder.toleratedDamage {
            throw damage
        }
        status = .ended(isTruncated: cause?.isTruncation == true)
    }
}

// MARK: - Whole files

extension DecodingSession {
    /// Decodes a whole file in one call.
    package mutating func decodeAll(_ bytes: Span<UInt8>) throws(ImageError) -> RasterImage {
        try run(bytes, isFinal: true)
        guard decoder.hasPicture, request.purpose.decodesPixels else {
            throw .truncated(Decoder.format, offset: bytes.count)
        }
        work.begin()
        defer { work.end() }
        return try finalImage()
    }

    /// The same for a file in memory.
    package mutating func decodeAll(_ data: ImageData) throws(ImageError) -> RasterImage {
        try data.withBytes { (bytes) throws(ImageError) in try decodeAll(bytes) }
    }

    /// Decodes a whole file in memory into `bitmap`.
    ///
    /// - Returns: which part of the picture is decoded if it is partial.
    package mutating func decodeAll(
        _ data: ImageData, into bitmap: inout Bitmap
    ) throws(ImageError) -> PartialReport? {
        let image = try decodeAll(data)
        bitmap = image.bitmap
        return image.partial
    }

    /// Reads the headers of a file in memory.
    package mutating func inspectAll(_ data: ImageData) throws(ImageError) -> ImageInfo {
        try data.withBytes { (bytes) throws(ImageError) in try inspectAll(bytes) }
    }

    /// Reads the headers of a file in memory; also throws for damage after the headers.
    mutating func inspectToTheEnd(_ data: ImageData) throws(ImageError) -> ImageInfo {
        try data.withBytes { (bytes) throws(ImageError) in try run(bytes, isFinal: true) }
        guard let info = decoder.info else { throw .truncated(Decoder.format, offset: input.totalCount) }
        return info
    }

    /// Ends a decode with an error, keeping what was read before it.
    mutating func endDamaged(_ error: ImageError) throws(ImageError) { try decoder.end(damage: error, work: work) }

    /// Reads the headers of a whole file in one call.
    package mutating func inspectAll(_ bytes: Span<UInt8>) throws(ImageError) -> ImageInfo {
        try inspect { (session) throws(ImageError) in try session.run(bytes, isFinal: true) }
    }

    /// Returns what the headers say after `read` has fed the file. Damage after them is left to the decode, which reports
    /// it strictly or tolerantly; limits and unsupported features throw here.
    fileprivate mutating func inspect(
        _ read: (inout Self) throws(ImageError) -> Void
    ) throws(ImageError) -> ImageInfo {
        do throws(ImageError) {
            try read(&self)
        } catch {
            guard error.isDamage, decoder.info != nil else { throw error }
            try decoder.end(damage: error, work: work)
        }
        guard let info = resultInfo else { throw .truncated(Decoder.format, offset: input.totalCount) }
        return info
    }
}

extension DecodingSession where Decoder: AnimatedStreamDecoder {
    /// The canvas as it shows the first frame, made of the rows that were decoded already.
    mutating func handOverFirstCanvas(_ format: PixelFormat) throws(ImageError) -> AnimationCanvas? {
        try decoder.handOverFirstCanvas(format, work: work)
    }
}

/// An inspection whose bytes come piece by piece.
package struct SessionInspector<Decoder: StreamDecoder>: IncrementalInspector {
    private var session: DecodingSession<Decoder>
    /// Damage after the headers, after which nothing more is read.
    private var isDone = false

    /// - Parameter session: One made for ``DecodingPurpose/inspection``.
    package init(_ session: DecodingSession<Decoder>) { self.session = session }

    package var info: ImageInfo? { session.info }

    package mutating func append(_ newBytes: Span<UInt8>) throws(ImageError) {
        guard !isDone else { return }
        do throws(ImageError) {
            _ = try session.append(newBytes)
        } catch {
            guard error.isDamage, session.info != nil else { throw error }
            isDone = true
        }
    }

    package mutating func finish() throws(ImageError) -> ImageInfo {
        try session.inspect { (session) throws(ImageError) in _ = try session.finish() }
    }
}

extension ImageError {
    /// Whether the data end too early.
    fileprivate var isTruncation: Bool {
        if case .truncated = self { true } else { false }
    }

    /// Whether the data are to blame: what tolerant decoding puts up with.
    package var isDamage: Bool {
        switch self {
        case .corrupt, .truncated: true
        case .unknownFormat, .unsupported, .limitExceeded, .cancelled, .invalidArgument, .inputOutput: false
        }
    }
}
