// A list of coders that acts as one: it asks each in turn until one can handle the file (after SDImageCodersManager).

import Synchronization

/// Coders in the order they are asked: the one added last comes first.
///
/// The registry goes on to the next coder only when one says `unknownFormat` or `unsupported`; damaged data is
/// not offered to others.
public final class CoderRegistry: IncrementalImageCoder, AnimatedImageCoder, IncrementallyInspectingCoder {
    /// Identifies one added coder, so that ``remove(_:)`` can find it again.
    public struct Token: Hashable, Sendable {
        fileprivate let number: Int
    }

    private struct State {
        /// In the order in which they are asked, with their tokens beside them.
        var coders: [any ImageCoder] = []
        var tokens: [Token] = []
        var nextNumber = 0
    }

    private let state = Mutex(State())

    /// What converts the colours of decoded pictures; `nil` leaves those as stored.
    private let colorConverter: ColorConverter?

    /// Creates a registry; the last of `coders` is asked first.
    public convenience init(_ coders: [any ImageCoder] = []) { self.init(coders, colorConverter: nil) }

    /// Creates a registry that converts colours.
    package init(_ coders: [any ImageCoder], colorConverter: ColorConverter?) {
        self.colorConverter = colorConverter
        for coder in coders { _ = insert(coder) }
    }

    /// Adds a coder, which is from now on asked before all others.
    ///
    /// - Parameters:
    ///   - coder: a value; it is asked from any thread.
    ///   - descriptions: names, extensions and media types of its formats, so that messages and file names know them; see
    ///     ``ImageFormat/describe(_:as:)``.
    /// - Returns: the token to pass to ``remove(_:)``.
    @discardableResult
    public func add(
        _ coder: any ImageCoder, describing descriptions: KeyValuePairs<ImageFormat, ImageFormat.Description> = [:]
    )
        -> Token
    {
        for (format, description) in descriptions { ImageFormat.describe(format, as: description) }
        return insert(coder)
    }

    private func insert(_ coder: any ImageCoder) -> Token {
        state.withLock { state in
            let token = Token(number: state.nextNumber)
            state.nextNumber += 1
            state.coders.insert(coder, at: 0)
            state.tokens.insert(token, at: 0)
            return token
        }
    }

    /// Removes the coder that ``add(_:describing:)`` added; does nothing if it was removed already.
    public func remove(_ token: Token) {
        state.withLock { state in
            guard let index = state.tokens.firstIndex(of: token) else { return }
            state.coders.remove(at: index)
            state.tokens.remove(at: index)
        }
    }

    /// The coders in the order in which they are asked.
    public var coders: [any ImageCoder] {
        state.withLock { $0.coders }
    }

    /// Whether any coder decodes files that start with these bytes.
    public func canDecode(_ header: Span<UInt8>) -> Bool {
        for coder in coders where coder.canDecode(header) { return true }
        return false
    }

    /// Whether any coder writes this format.
    public func canEncode(to format: ImageFormat) -> Bool {
        coders.contains { $0.canEncode(to: format) }
    }

    /// The formats of ``ImageFormat/all`` that some coder writes.
    public var encodableFormats: [ImageFormat] { ImageFormat.all.filter { canEncode(to: $0) } }

    /// Reads the headers with the first coder that can.
    public func inspect(_ data: ImageData, options: DecodingOptions) throws(ImageError) -> ImageInfo {
        try ask(data, options) { (coder, options) throws(ImageError) in try coder.inspect(data, options: options) }
    }

    /// Reads the headers up to the first pixel only, for callers that decode the pixels afterwards.
    package func readHeaders(of data: ImageData, options: DecodingOptions) throws(ImageError) -> ImageInfo {
        try ask(data, options) { (coder, options) throws(ImageError) in
            guard let coder = coder.incrementallyInspecting else {
                return try coder.inspect(data, options: options)
            }
            var inspector = coder.makeInspector(options: options, inputByteCount: data.count)
            return try inspector.readHeaders(of: data)
        }
    }

    /// Reads the headers, and if these leave the number of frames open, the whole file to count them.
    package func readFrameCount(of data: ImageData, options: DecodingOptions) throws(ImageError) -> ImageInfo {
        let info = try readHeaders(of: data, options: options)
        let mayHaveFrames = info.animation.map { $0.frameCount == nil } ?? !headersTellAnimations(info.format)
        guard mayHaveFrames, !options.firstFrameOnly else { return info }
        do throws(ImageError) {
            return try inspect(data, options: options)
        } catch {
            // The decode reports damage among the frames. Cancellation and a used-up time limit stop the decode too.
            switch error {
            case .cancelled, .limitExceeded(.time, _, _): throw error
            default: return info
            }
        }
    }

    /// Whether headers of a format say if a file is animated.
    private func headersTellAnimations(_ format: ImageFormat) -> Bool {
        let coder = coders.first { $0.decodableFormats.contains(format) } as? any AnimatedSessionCoder
        return coder?.headersTellAnimations ?? true
    }

    /// Decodes with the first coder that can.
    public func decode(_ data: ImageData, options: DecodingOptions) throws(ImageError) -> RasterImage {
        try ask(data, options) { (coder, options) throws(ImageError) in try coder.decode(data, options: options) }
    }

    /// Decodes with the first coder that can, reusing `bitmap` (see ``ImageCoder``).
    @discardableResult
    public func decode(
        _ data: ImageData, into bitmap: inout Bitmap, options: DecodingOptions
    ) throws(ImageError) -> PartialReport? {
        try ask(data, options) { (coder, options) throws(ImageError) in
            try coder.decode(data, into: &bitmap, options: options)
        }
    }

    /// Opens an animation with the first coder that can; decodes no frame. Stills become animations of one frame.
    public func makeAnimation(
        from data: ImageData, options: DecodingOptions
    ) throws(ImageError) -> any AnimatedImageProvider {
        try ask(data, options) { (coder, options) throws(ImageError) -> any AnimatedImageProvider in
            if let animated = coder as? any AnimatedImageCoder {
                return try options.admit(animated.makeAnimation(from: data, options: options))
            }
            // Decoded by this registry, not by `coder`: if that finds out late that it cannot, the next coder is asked.
            return StillAnimation(
                data, info: try coder.inspect(data, options: options), coder: self, options: options)
        }
    }

    /// Decodes all frames of a file with the first coder that can, in one call; see ``AnimatedImageCoder``.
    @discardableResult
    public func decodeFrames(
        of data: ImageData, options: DecodingOptions = .default,
        _ body: (ImageFrame, Int, ImageInfo) throws(ImageError) -> Void
    ) throws(ImageError) -> DecodedFrames {
        try ask(data, options) { (coder, options) throws(ImageError) -> DecodedFrames in
            if let animated = coder as? any AnimatedImageCoder {
                return try animated.decodeFrames(of: data, options: options, body)
            }
            let image = try coder.decode(data, options: options)
            let info = try coder.inspect(data, options: options)
            try body(ImageFrame(bitmap: image.bitmap, duration: .zero, partial: image.partial), 0, info)
            return DecodedFrames(info: info, partial: image.partial)
        }
    }

    /// Encodes with the first coder that writes `format`.
    public func encode(
        _ image: RasterImage, to format: ImageFormat, options: EncodingOptions
    ) throws(ImageError) -> [UInt8] {
        try coder(writing: format).encode(image, to: format, options: options)
    }

    /// The first coder that writes `format`.
    package func coder(writing format: ImageFormat) throws(ImageError) -> any ImageCoder {
        for coder in coders where coder.canEncode(to: format) { return coder }
        throw .cannotEncode(format, writable: encodableFormats)
    }

    /// The format that suits the image, or while no coder writes that, animated PNG for animations and PNG for others.
    package func formatToWrite(_ image: RasterImage) -> ImageFormat {
        let candidates: [ImageFormat] = [.preferred(for: image)] + (image.animation == nil ? [] : [.apng])
        return candidates.first { canEncode(to: $0) } ?? .png
    }

    /// A decoder that picks its coder once it has seen enough bytes.
    public func makeIncrementalDecoder(options: DecodingOptions) -> any IncrementalImageDecoder {
        RegistryIncrementalDecoder(coders: ordered(options), options: convertingColors(options))
    }

    /// An inspector that picks its coder once it has seen enough bytes.
    package func makeInspector(
        options: DecodingOptions, inputByteCount: Int = .max
    ) -> any IncrementalInspector {
        RegistryInspector(
            coders: ordered(options), options: convertingColors(options), inputByteCount: inputByteCount)
    }

    /// Options with what converts colours, if that is wanted.
    private func convertingColors(_ options: DecodingOptions) -> DecodingOptions {
        guard let colorConverter, options.color != .asStored else { return options }
        var options = options
        options.colorConverter = colorConverter
        return options
    }

    /// Calls `body` with one coder after the other, until one recognises and supports the file.
    package func ask<R>(
        _ data: ImageData, _ options: DecodingOptions,
        _ body: (any ImageCoder, DecodingOptions) throws(ImageError) -> R
    ) throws(ImageError) -> R {
        let options = convertingColors(options)
        try options.limits.check(inputByteCount: data.count)
        var work = WorkGuard(options)
        work.begin()
        var answer: ImageError?
        for coder in ordered(options) {
            let isFor = data.withBytes { coder.canDecode($0.extracting(first: ImageFormat.sniffingByteCount)) }
            guard isFor else { continue }
            do {
                return try body(coder, work.remaining(of: options))
            } catch .unknownFormat {
                answer = answer ?? .unknownFormat
            } catch .unsupported(let format, let feature) {
                answer = .unsupported(format, feature: feature)
                // Once a coder has read the headers no other is asked, as in incremental decoding.
                if Self.readsHeaders(of: data, coder, work.remaining(of: options)) { break }
            } catch {
                throw error
            }
        }
        throw answer ?? data.withBytes { Self.refusal($0) }
    }

    /// Whether a coder that refuses a file has read its headers.
    private static func readsHeaders(
        of data: ImageData, _ coder: any ImageCoder, _ options: DecodingOptions
    ) -> Bool {
        guard var inspector = coder.incrementallyInspecting?.makeInspector(options: options, inputByteCount: data.count)
        else { return false }
        try? data.withBytes { (bytes) throws(ImageError) in try inspector.append(bytes) }
        return inspector.info != nil
    }

    /// The coders in the order they are asked, those for the hinted format first.
    private func ordered(_ options: DecodingOptions) -> [any ImageCoder] {
        let all = coders
        guard let hint = options.formatHint else { return all }
        return all.filter { $0.decodableFormats.contains(hint) } + all.filter { !$0.decodableFormats.contains(hint) }
    }

    /// The error for bytes that no coder recognises.
    package static func refusal(_ header: Span<UInt8>) -> ImageError {
        switch ImageFormat.sniff(header) {
        case .format(let format): .unsupported(format, feature: "decoding")
        case .unknown, .needsMoreBytes: .unknownFormat
        }
    }
}
