// Incremental decoding and inspection for coders that only take whole files.

/// Collects a file, and decodes it when it is complete.
struct CollectingDecoder: IncrementalImageDecoder {
    private let coder: any ImageCoder
    private let options: DecodingOptions
    private var file: CollectedFile
    private var result: RasterImage?
    /// The error that every later call throws.
    private var failure: ImageError?
    private(set) var info: ImageInfo?

    init(coder: any ImageCoder, options: DecodingOptions) {
        self.coder = coder
        self.options = options
        file = CollectedFile(options)
    }

    mutating func append(_ newBytes: Span<UInt8>) throws(ImageError) -> DecodingProgress {
        if let failure { throw failure }
        guard result == nil else { return progress }
        try failing { (decoder) throws(ImageError) in
            try decoder.file.append(newBytes)
            if decoder.info == nil { decoder.info = try decoder.file.inspect(with: decoder.coder, decoder.options) }
        }
        return progress
    }

    mutating func finish() throws(ImageError) -> DecodingProgress {
        if let failure { throw failure }
        guard result == nil else { return progress }
        try failing { (decoder) throws(ImageError) in
            let data = decoder.file.data
            let image = try decoder.coder.decode(data, options: decoder.options)
            if decoder.info == nil { decoder.info = try? decoder.coder.inspect(data, options: decoder.options) }
            decoder.result = image
        }
        var progress = progress
        progress.changedRect = result.map { PixelRect($0.size) }
        return progress
    }

    /// Calls `body`, and keeps the error it throws for all later calls.
    private mutating func failing(_ body: (inout Self) throws(ImageError) -> Void) throws(ImageError) {
        do throws(ImageError) {
            try body(&self)
        } catch {
            failure = error
            throw error
        }
    }

    mutating func image() throws(ImageError) -> RasterImage? { result }

    /// `nil` until the file is complete, because nothing is decoded before.
    mutating func animation() throws(ImageError) -> (any AnimatedImageProvider)? {
        guard result != nil, info?.animation != nil, let animated = coder as? any AnimatedImageCoder else { return nil }
        return try options.admit(animated.makeAnimation(from: file.data, options: options))
    }

    private var progress: DecodingProgress {
        DecodingProgress(
            isComplete: result.map { $0.partial?.cause == nil } ?? false,
            consumedByteCount: result == nil ? 0 : file.byteCount)
    }
}

/// Collects a file, and inspects it when it is complete.
struct CollectingInspector: IncrementalInspector {
    private let coder: any ImageCoder
    private let options: DecodingOptions
    private var file: CollectedFile
    private(set) var info: ImageInfo?

    init(coder: any ImageCoder, options: DecodingOptions) {
        self.coder = coder
        self.options = options
        file = CollectedFile(options)
    }

    mutating func append(_ newBytes: Span<UInt8>) throws(ImageError) {
        try file.append(newBytes)
        if info == nil { info = try file.inspect(with: coder, options) }
    }

    mutating func finish() throws(ImageError) -> ImageInfo { try coder.inspect(file.data, options: options) }
}

/// The bytes of a file so far, up to the limit on input.
private struct CollectedFile: Sendable {
    private var bytes: ByteCollector
    private let limits: DecodingLimits
    private var work: WorkGuard
    /// The number of bytes at which the headers are looked for again: twice that of the last time, so that looking stays in
    /// proportion to collecting.
    private var nextInspection = 1

    init(_ options: DecodingOptions) {
        bytes = ByteCollector(meter: options.memoryMeter ?? MemoryMeter(limit: options.limits.maxMemoryByteCount))
        limits = options.limits
        work = WorkGuard(options)
    }

    var byteCount: Int { bytes.count }

    var data: ImageData { bytes.withBytes { ImageData(copying: $0) } }

    mutating func append(_ newBytes: Span<UInt8>) throws(ImageError) {
        try limits.check(inputByteCount: bytes.count.addingSaturated(newBytes.count))
        work.begin()
        defer { work.end() }
        try work.check()
        try bytes.append(newBytes, work: work)
    }

    /// What the headers say, `nil` while they are not complete or were looked for a short while ago.
    ///
    /// - Throws: what says that this coder cannot decode the file, so that another is asked.
    mutating func inspect(
        with coder: any ImageCoder, _ options: DecodingOptions
    ) throws(ImageError) -> ImageInfo? {
        guard bytes.count >= nextInspection else { return nil }
        nextInspection = bytes.count.multipliedSaturated(by: 2)
        do throws(ImageError) {
            return try coder.inspect(data, options: options)
        } catch .unknownFormat {
            throw .unknownFormat
        } catch .unsupported(let format, let feature) {
            throw .unsupported(format, feature: feature)
        } catch {
            return nil
        }
    }
}
