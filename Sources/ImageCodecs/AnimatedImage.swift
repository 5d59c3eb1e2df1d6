// An animation in one line: any file, any bytes, its frames as a collection.

public import ImageCodecsCore

/// The frames of an animated image file, each decoded when it is asked for.
///
/// <!-- snippet: Tests/ImageCodecsTests/AnimatedImageTests.swift frames -->
/// ```swift
/// func showAll(_ path: String, _ show: (Bitmap, _ duration: Duration) -> Void) throws {
///     let movie = try AnimatedImage(contentsOfFile: path)
///     for frame in movie { show(try frame.decode().bitmap, frame.duration) }
/// }
/// ```
///
/// Opening reads the whole file and decodes no frame. A still picture is an animation of one frame. Frames may be asked for in
/// any order and from any thread; in file order each is decoded once. `CoderRegistry.decodeFrames(of:options:_:)` hands out
/// all of them in one call with one time limit, and `AnimationPlayer` (module `ImagePlayback`) each when it is time to show it.
public struct AnimatedImage: Sendable {
    package let provider: any AnimatedImageProvider

    /// Opens the image file at `path`; the format is recognised by its first bytes.
    ///
    /// - Parameters:
    ///   - path: Relative paths start at the current directory; `-` is standard input.
    ///   - options: Size, pixel format, strictness and limits of each frame.
    /// - Throws: `inputOutput` if the file cannot be read, `limitExceeded(.input)` if it is too long, otherwise what
    ///   ``init(_:options:)-(ImageData,_)`` throws.
    public init(contentsOfFile path: String, options: DecodingOptions = .default) throws(ImageError) {
        var reader = try FileReader(imageFile: path, limits: options.limits)
        try self.init(reader.readToEnd(), options: options)
    }

    /// Opens the bytes of an image file: an array, a slice of one, or any other sequence, which is copied; see
    /// ``init(_:options:)-(ImageData,_)``.
    public init(_ bytes: some Sequence<UInt8>, options: DecodingOptions = .default) throws(ImageError) {
        try self.init(ImageData(bytes), options: options)
    }

    /// Opens the bytes of an image file.
    ///
    /// - Throws: `unknownFormat` if no coder of `CoderRegistry.shared` recognises the bytes; `limitExceeded(.frames)` for more
    ///   frames than `DecodingLimits.maxFrameCount`; `unsupported`, `corrupt` or `truncated` if the headers cannot be read, and
    ///   under strict decoding also if the list of frames cannot.
    public init(_ data: ImageData, options: DecodingOptions = .default) throws(ImageError) {
        provider = try CoderRegistry.shared.makeAnimation(from: data, options: options)
    }
}

extension AnimatedImage: RandomAccessCollection {
    /// One frame, not decoded yet.
    public struct Frame: Sendable {
        private let provider: any AnimatedImageProvider
        /// Its number, from 0.
        public let index: Int

        fileprivate init(_ provider: any AnimatedImageProvider, _ index: Int) {
            (self.provider, self.index) = (provider, index)
        }

        /// How long it is shown, as the file says; zero for a still picture.
        public var duration: Duration {
            // Only an index outside the animation makes this fail, and the collection makes none.
            (try? provider.duration(at: index)) ?? .zero
        }

        /// The whole canvas as it looks while this frame is shown.
        ///
        /// - Throws: What decoding throws: `corrupt` and `truncated` under strict decoding, `limitExceeded`, `cancelled`.
        public func decode() throws(ImageError) -> ImageFrame { try provider.frame(at: index) }
    }

    /// The first frame's number: 0.
    public var startIndex: Int { 0 }

    /// The number of frames.
    public var endIndex: Int { provider.frameCount }

    /// Frame `index`.
    ///
    /// - Precondition: `index` is in `0..<count`.
    public subscript(index: Int) -> Frame {
        precondition(index >= 0 && index < provider.frameCount, "no such frame")
        return Frame(provider, index)
    }
}

extension AnimatedImage: FrameForwarder {
    /// What the headers say.
    public var info: ImageInfo { provider.info }

    /// Which frames are missing or incomplete, as far as reading the file has shown; `nil` if none is.
    public var partial: PartialReport? { provider.partial }

    /// The number of frames.
    public var frameCount: Int { provider.frameCount }

    /// How long frame `index` is shown, as the file says; zero for a still picture.
    public func duration(at index: Int) throws(ImageError) -> Duration { try provider.duration(at: index) }

    /// What the file says about frame `index`, before scaling and orientation; no pixel is decoded.
    public func frameInfo(at index: Int) throws(ImageError) -> FrameInfo { try provider.frameInfo(at: index) }

    /// Frame `index`, composited on the full canvas.
    public func frame(at index: Int) throws(ImageError) -> ImageFrame { try provider.frame(at: index) }

    /// The pixels that the file has for frame `index`, neither composited nor scaled nor turned.
    public func subFrame(at index: Int) throws(ImageError) -> ImageFrame { try provider.subFrame(at: index) }

    /// Frame `index`, in the memory of `bitmap` if it can be reused.
    @discardableResult
    public func frame(at index: Int, into bitmap: inout Bitmap) throws(ImageError) -> PartialReport? {
        try provider.frame(at: index, into: &bitmap)
    }
}
