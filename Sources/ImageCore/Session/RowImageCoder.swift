// For formats from outside of this package: a still picture whose pixels come row by row.
//
// Such a coder says what the headers say and turns bytes into pixels. Limits, the clock, memory, strict and tolerant
// decoding, input in pieces, thumbnails, pixel formats and orientation are done here, as for the formats of this package.

/// A coder of still pictures whose rows come from the top down.
///
/// ``makeRowDecoder(options:)`` is all that decoding needs: inspection, decoding in one shot, into a bitmap and in pieces
/// come with it. The article <doc:WritingACodec> builds one.
public protocol RowImageCoder: IncrementalImageCoder {
    /// The format's own part.
    associatedtype RowDecoder: RowImageDecoder

    /// The decoder of one file, which has seen nothing yet.
    func makeRowDecoder(options: DecodingOptions) -> RowDecoder
}

/// What the headers of a picture say, as far as all formats have it.
public struct RowImageHeader: Hashable, Sendable {
    /// Bytes of the headers: where the pixels begin.
    public var byteCount: Int
    /// Width and height as stored.
    public var size: PixelSize
    /// What the decoder makes rows of; samples of sixteen bits in the machine's byte order.
    public var pixelFormat: PixelFormat
    /// Bits of a sample in the file.
    public var bitDepth: Int
    /// Whether the file stores samples with loss; see ``ImageInfo/isLossy``.
    public var isLossy = false
    /// The kind of samples in the format's own words.
    public var colorDescription: String
    /// What the file says about its picture; bounded by the decoder, which says with ``workingByteCount`` what it takes.
    public var metadata: ImageMetadata
    /// Bytes that the decoder holds besides itself: tables, metadata.
    public var workingByteCount: Int

    /// Creates a description.
    public init(
        byteCount: Int, size: PixelSize, pixelFormat: PixelFormat, bitDepth: Int = 8, colorDescription: String,
        metadata: ImageMetadata = ImageMetadata(), workingByteCount: Int = 0
    ) {
        self.byteCount = byteCount
        self.size = size
        self.pixelFormat = pixelFormat
        self.bitDepth = bitDepth
        self.colorDescription = colorDescription
        self.metadata = metadata
        self.workingByteCount = workingByteCount
    }
}

/// The state machine of one format: bytes in, headers and rows out.
///
/// A value: a copy is a checkpoint. How often a function is called, and with how many bytes, must not change what comes
/// out. Errors are permanent. What is valid and not implemented is `unsupported`, thrown by ``readHeader(_:)``.
public protocol RowImageDecoder: Sendable {
    /// The format.
    static var format: ImageFormat { get }

    /// The most bytes headers may have; a file whose headers are not complete by then is damaged. 4096 if nothing is said.
    static var maxHeaderByteCount: Int { get }

    /// The most bytes that ``readPixels(_:offset:into:filledByteCount:)`` has to see to get on, and the most that
    /// ``readTrailer(_:offset:)`` reads. 64 if nothing is said.
    static var maxUnitByteCount: Int { get }

    /// Reads what stands before the pixels; called again with more bytes, from the start of the file, until it answers.
    ///
    /// - Returns: `nil` while the headers are not complete.
    /// - Throws: `unknownFormat`, `unsupported` or `corrupt`.
    mutating func readHeader(_ bytes: Span<UInt8>) throws(ImageError) -> RowImageHeader?

    /// Reads pixels of one row, as far as the bytes and the room go.
    ///
    /// A decoder whose blocks have several rows uses bytes and writes nothing until it has a row: it keeps the rows itself,
    /// and counts them in ``RowImageHeader/workingByteCount``.
    ///
    /// - Parameters:
    ///   - bytes: bytes that were not used yet; those left over come again, with more after them.
    ///   - offset: where they begin in the file, for errors.
    ///   - pixels: room for the row's next pixels, in the header's pixel format: whole pixels, to the end of the row if
    ///     that is not too far away.
    ///   - filledByteCount: bytes of that room that are written, 0 at first; to be moved on.
    /// - Returns: how many bytes are used. None, with nothing written, asks for more bytes.
    /// - Throws: `corrupt`.
    mutating func readPixels(
        _ bytes: Span<UInt8>, offset: Int, into pixels: inout MutableSpan<UInt8>, filledByteCount: inout Int
    ) throws(ImageError) -> Int

    /// Reads what stands after the pixels and belongs to the picture; nothing if nothing is said.
    ///
    /// - Returns: how many bytes are used, `nil` when more are needed.
    /// - Throws: `corrupt`.
    mutating func readTrailer(_ bytes: Span<UInt8>, offset: Int) throws(ImageError) -> Int?
}

extension RowImageDecoder {
    /// 4096.
    public static var maxHeaderByteCount: Int { 4096 }

    /// 64.
    public static var maxUnitByteCount: Int { 64 }

    /// Nothing stands after the pixels.
    public mutating func readTrailer(_ bytes: Span<UInt8>, offset: Int) throws(ImageError) -> Int? { 0 }
}

extension RowImageCoder {
    /// Reads the headers.
    public func inspect(_ data: ImageData, options: DecodingOptions) throws(ImageError) -> ImageInfo {
        try sessions.inspect(data, options: options)
    }

    /// Decodes a whole file.
    public func decode(_ data: ImageData, options: DecodingOptions) throws(ImageError) -> RasterImage {
        try sessions.decode(data, options: options)
    }

    /// Decodes a whole file into the memory of `bitmap` if it fits; see ``ImageCoder``.
    @discardableResult
    public func decode(
        _ data: ImageData, into bitmap: inout Bitmap, options: DecodingOptions
    ) throws(ImageError) -> PartialReport? {
        try sessions.decode(data, into: &bitmap, options: options)
    }

    /// A decoder that has seen nothing yet.
    public func makeIncrementalDecoder(options: DecodingOptions) -> any IncrementalImageDecoder {
        sessions.makeIncrementalDecoder(options: options)
    }

    private var sessions: RowSessionCoder<Self> { RowSessionCoder(coder: self) }

    /// The same coder as one that inspects piece by piece.
    var inspectingCoder: any IncrementallyInspectingCoder { sessions }
}

extension ImageCoder {
    /// This coder as one that inspects a file piece by piece, if it can.
    package var incrementallyInspecting: (any IncrementallyInspectingCoder)? {
        if let coder = self as? any IncrementallyInspectingCoder { return coder }
        return (self as? any RowImageCoder)?.inspectingCoder
    }
}

/// Drives a coder's row decoders with sessions.
private struct RowSessionCoder<Coder: RowImageCoder>: SessionCoder {
    let coder: Coder

    func canDecode(_ header: Span<UInt8>) -> Bool { coder.canDecode(header) }

    func makeStream(_ request: DecodingRequest, reusable: consuming Bitmap?) -> RowStream<Coder.RowDecoder> {
        RowStream(request, coder.makeRowDecoder(options: request.options), reusable: reusable)
    }
}
