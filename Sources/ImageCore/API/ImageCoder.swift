// The coder protocols: decode and encode, and decode while bytes arrive.

/// Decodes, and perhaps encodes, one format or several.
public protocol ImageCoder: Sendable {
    /// The formats this coder decodes, for ``DecodingOptions/formatHint``; need not be complete.
    var decodableFormats: [ImageFormat] { get }

    /// Whether a file that starts with `header` is for this coder. Cheap; reads no further than a signature.
    func canDecode(_ header: Span<UInt8>) -> Bool

    /// Reads the headers: allocates and decodes no pixel, and keeps little of the metadata if there is much of it
    /// (see ``ImageInfo/metadata``).
    ///
    /// Damage after the headers is not looked for; whatever a decode with these options would refuse (a feature, a
    /// limit), an inspection refuses too.
    ///
    /// - Throws: `unknownFormat`, `unsupported`, `corrupt` or `truncated` when the headers are not readable,
    ///   `limitExceeded` when a decode with these options would be refused.
    func inspect(_ data: ImageData, options: DecodingOptions) throws(ImageError) -> ImageInfo

    /// Decodes a whole file.
    func decode(_ data: ImageData, options: DecodingOptions) throws(ImageError) -> RasterImage

    /// Decodes a whole file into `bitmap`, reusing its memory when it is uniquely held and has the size and
    /// format of the result; otherwise it is replaced. After an error its content is unspecified.
    ///
    /// - Returns: Which part of the picture is decoded if it is partial, as ``RasterImage/partial`` says it; `nil` for a whole
    ///   picture, and so always under ``DecodingOptions/Strictness/strict``.
    @discardableResult
    func decode(
        _ data: ImageData, into bitmap: inout Bitmap, options: DecodingOptions
    ) throws(ImageError) -> PartialReport?

    /// Whether ``encode(_:to:options:)`` writes this format.
    func canEncode(to format: ImageFormat) -> Bool

    /// Writes `image` as a file of `format`.
    ///
    /// - Throws: `unsupported` for a format this coder does not write, `invalidArgument` for an empty picture,
    ///   `limitExceeded` if the format cannot hold one this large.
    func encode(_ image: RasterImage, to format: ImageFormat, options: EncodingOptions) throws(ImageError) -> [UInt8]
}

extension ImageCoder {
    /// No formats: a coder that lists none is never preferred by a format hint, and is asked in its turn.
    public var decodableFormats: [ImageFormat] { [] }

    /// `false`, so that a coder that only decodes need not implement this.
    public func canEncode(to format: ImageFormat) -> Bool { false }

    /// Throws `unsupported`, so that a coder that only decodes need not implement this.
    public func encode(
        _ image: RasterImage, to format: ImageFormat, options: EncodingOptions
    ) throws(ImageError) -> [UInt8] {
        throw .unsupported(format, feature: "encoding")
    }

    /// Decodes without reusing memory, for coders that cannot.
    @discardableResult
    public func decode(
        _ data: ImageData, into bitmap: inout Bitmap, options: DecodingOptions
    ) throws(ImageError) -> PartialReport? {
        let image = try decode(data, options: options)
        bitmap = image.bitmap
        return image.partial
    }
}

/// A coder that can also decode while the bytes arrive.
public protocol IncrementalImageCoder: ImageCoder {
    /// Makes the decoder of one file, which has not got any bytes yet.
    func makeIncrementalDecoder(options: DecodingOptions) -> any IncrementalImageDecoder
}

/// Decodes one file piece by piece.
///
/// A decoder is a value: a copy is a checkpoint from which both go on independently. How the bytes are cut
/// into pieces never changes a result.
///
/// **Errors and damage.** An error is permanent: every later call throws it again. Under
/// ``DecodingOptions/Strictness/strict`` all damage is an error. Under ``DecodingOptions/Strictness/tolerant`` damage
/// (`corrupt`, or `truncated` at ``finish()``) is an error as long as no row of the result is decoded: a file with damaged
/// headers throws what it throws under strict decoding. From the first row on, damage ends the decode with the rows so far:
/// the call returns, further bytes are ignored, ``image()`` says what is decoded and why it ended
/// (``PartialReport/cause``).
/// ``DecodingProgress/isComplete`` is set only when the file was read to the end of its picture.
public protocol IncrementalImageDecoder: Sendable {
    /// What the headers say, once they are complete. Metadata that follow them, here and in partial pictures,
    /// are reported when the bytes read have grown by an eighth, and all of them at the end.
    var info: ImageInfo? { get }

    /// Decodes as far as `newBytes` (only what was not fed before) allow. Work over all calls is linear in the
    /// bytes fed and the pixels decoded.
    ///
    /// - Throws: also `limitExceeded(.memory)` when this decoder is a copy and there is no memory to make it independent.
    mutating func append(_ newBytes: Span<UInt8>) throws(ImageError) -> DecodingProgress

    /// Says that no more bytes will come.
    ///
    /// - Throws: `truncated` when the picture is not complete, unless decoding is tolerant and there is a row.
    mutating func finish() throws(ImageError) -> DecodingProgress

    /// The picture so far, `nil` until a row is decoded. Of an animation it is the frame that is being read, on the
    /// canvas of those before (with alpha, also if the first frame has none), and at the end the first picture. ``RasterImage/partial`` says what of it is decoded.
    ///
    /// A picture handed out never changes. Asking after every piece is cheap when the caller keeps only the newest one:
    /// two bitmaps take turns, and only rows that changed are copied. If a picture has to be made as a whole
    /// (interlaced PNG, JPEG of several scans) a new one is made when the bytes read have grown by an eighth, and the
    /// last one is returned until then; ``DecodingProgress/changedRect`` tells when there is something new. Each picture
    /// takes memory of its own, beyond ``ImageInfo/estimatedPeakByteCount``, and its making counts against
    /// ``DecodingLimits/maxTime``.
    ///
    /// - Throws: `limitExceeded` when memory or time for it are not to be had, `cancelled`; decoding can go on.
    mutating func image() throws(ImageError) -> RasterImage?

    /// The frames that were read to their end, `nil` while there is none and for still pictures. After a tolerant decode
    /// has ended, also the frame in which the data ended.
    ///
    /// A snapshot, which decoding on does not change. From one call to the next the number of its frames never goes down;
    /// once ``DecodingProgress/isComplete`` is set they are all there are.
    ///
    /// - Throws: `limitExceeded` when memory or time for it are not to be had, `cancelled`; decoding can go on.
    mutating func animation() throws(ImageError) -> (any AnimatedImageProvider)?
}

extension IncrementalImageDecoder {
    /// `nil`, so that a decoder of a format without animations need not implement this.
    public mutating func animation() throws(ImageError) -> (any AnimatedImageProvider)? { nil }
}

/// How far an incremental decode has come.
public struct DecodingProgress: Hashable, Sendable {
    /// Whether the file was read to the end of its picture. Until then, how much is decoded, in rows, passes, scans
    /// and frames, is in ``RasterImage/partial`` of ``IncrementalImageDecoder/image()``.
    public var isComplete: Bool
    /// The pixels that changed since the last call, as a rectangle in ``IncrementalImageDecoder/image()``.
    public var changedRect: PixelRect?
    /// Bytes consumed so far, over all calls.
    public var consumedByteCount: Int

    /// Creates a progress.
    public init(isComplete: Bool = false, changedRect: PixelRect? = nil, consumedByteCount: Int) {
        self.isComplete = isComplete
        self.changedRect = changedRect
        self.consumedByteCount = consumedByteCount
    }
}
