// Coders of other packages that encode rows as they come, and what makes one of this package's coders of them.

public import ImageCodecsCore
import ImagePhotoMetadata

/// Encodes one picture from its rows: what a format's own part is if a session does the rest.
///
/// The session scales rows, lays them over a background, converts them, asks the clock and counts memory. Nothing has to be allocated
/// before the first row.
public protocol RowImageEncoder: Sendable {
    /// What rows have to hold; the session converts them.
    var rowFormat: PixelFormat { get }

    /// Bytes of the file that do not depend on the number of pixels: if a file has to be small, a smaller picture saves none of them.
    var overheadByteCount: Int { get }

    /// Bytes of memory that the encoder holds at most, without those that it appends.
    var heldByteCount: Int { get }

    /// Encodes the next row.
    ///
    /// - Parameters:
    ///   - row: pixels from left to right, of ``rowFormat``, without padding.
    ///   - bytes: what the encoder appends the next bytes of the file to. Earlier ones may be gone from it.
    mutating func write(_ row: Span<UInt8>, to bytes: inout [UInt8]) throws(ImageError)

    /// Ends the file, after the last row.
    ///
    /// - Parameter bytes: what the encoder appends the last bytes of the file to.
    mutating func finish(to bytes: inout [UInt8]) throws(ImageError)
}

extension RowImageEncoder {
    /// Next to nothing.
    public var heldByteCount: Int { 0 }
}

/// A coder whose files are written row by row: a picture that comes as rows is not held for it.
public protocol RowImageEncodingCoder: ImageCoder {
    /// What encodes one picture.
    associatedtype RowEncoding: RowImageEncoder

    /// Whether `format` has alpha; pictures are laid over a colour if it has not.
    func keepsAlpha(writing format: ImageFormat) -> Bool

    /// Whether `EncodingOptions.quality` means something for `format`; if not, a quality is refused.
    ///
    /// If it does, `EncodingOptions.targetQuality` tries qualities from 1 to 0, and `EncodingOptions.maxFileByteCount` lower ones than is
    /// asked for before the picture gets smaller. ``makeRowEncoder(of:format:options:)`` gets 0...1, or `nil` for the usual one.
    func usesQuality(writing format: ImageFormat) -> Bool

    /// The kinds of metadata that files of `format` can hold. The encoder does not get the others; the session says which of them were
    /// lost (`EncodingSession.lostMetadata`). All kinds if nothing is said: then nothing counts as lost.
    func metadataKinds(writing format: ImageFormat) -> Set<ImageMetadata.Kind>

    /// Makes the encoder of one picture.
    ///
    /// - Parameters:
    ///   - picture: what is known of it before its rows come.
    ///   - format: what to write.
    ///   - options: those of the format; the session does what the others ask for.
    /// - Throws: `invalidArgument` for options that make no sense; `unsupported` for `EncodingOptions.keepsPixels` if the format always
    ///   loses something; `limitExceeded(.dimension)` if it cannot hold the picture.
    func makeRowEncoder(
        of picture: EncodedPicture, format: ImageFormat, options: EncodingOptions
    ) throws(ImageError) -> RowEncoding
}

extension RowImageEncodingCoder {
    /// Most formats have alpha.
    public func keepsAlpha(writing format: ImageFormat) -> Bool { true }

    /// Formats without loss have none.
    public func usesQuality(writing format: ImageFormat) -> Bool { false }

    /// Nothing is known of the format: its encoder gets all.
    public func metadataKinds(writing format: ImageFormat) -> Set<ImageMetadata.Kind> { MetadataPlaces.unknown.kinds }

    /// Writes `image` as a file of `format`; see `ImageCoder`.
    public func encode(
        _ image: RasterImage, to format: ImageFormat, options: EncodingOptions
    ) throws(ImageError) -> [UInt8] {
        guard canEncode(to: format) else { throw .unsupported(format, feature: ImageError.encoding) }
        return try RowImageCoderAdapter(coder: self).encode(image, to: format, options: options)
    }
}

extension ImageCoder {
    /// The coder as one that encodes rows, if it is one.
    var encodingRows: (any RowEncodingCoder)? {
        if let coder = self as? any RowEncodingCoder { return coder }
        return (self as? any RowImageEncodingCoder).map { RowImageCoderAdapter(coder: $0) }
    }
}

/// A coder of another package, for sessions.
private struct RowImageCoderAdapter: ForeignCoder {
    let coder: any RowImageEncodingCoder
    var foreign: any ImageCoder { coder }

    func traits(writing format: ImageFormat, _ options: EncodingOptions) -> EncoderTraits {
        let usesQuality = coder.usesQuality(writing: format)
        return EncoderTraits(
            keepsAlpha: coder.keepsAlpha(writing: format),
            metadataPlaces: MetadataPlaces(coder.metadataKinds(writing: format)),
            quality: usesQuality ? .limitsLoss : .meaningless,
            lossLadder: usesQuality ? .qualities(options) : nil)
    }

    func makeRowEncoder(
        _ picture: EncodedPicture, format: ImageFormat, _ request: EncodingRequest
    ) throws(ImageError) -> any RowEncoder {
        _ = try request.options.checkedQuality(usually: 1)
        return RowImageEncoderAdapter(
            try coder.makeRowEncoder(of: picture, format: format, options: request.options), width: picture.size.width)
    }
}

/// Hands rows to the encoder of another package, and what it appends to the sink.
private struct RowImageEncoderAdapter: RowEncoder {
    private var encoder: any RowImageEncoder
    private let width: Int
    private var pending = PendingBytes()

    init(_ encoder: any RowImageEncoder, width: Int) {
        self.encoder = encoder
        self.width = width
    }

    var rowFormat: PixelFormat { encoder.rowFormat }
    var fixedByteCount: Int { encoder.overheadByteCount }

    /// What waits for the sink is a piece at most, and what a row appends, for which its bytes are taken twice.
    var estimatedByteCount: Int {
        let row = width.multipliedSaturated(by: encoder.rowFormat.bytesPerPixel)
        return encoder.heldByteCount.addingSaturated(PendingBytes.pieceByteCount)
            .addingSaturated(row.multipliedSaturated(by: 3))
    }

    mutating func write(_ row: RawSpan, to sink: EncodedBytesSink, work: inout WorkGuard) throws(ImageError) {
        try work.spend(row.byteCount)
        let bytes = row.copiedBytes()
        try bytes.withSpan { (bytes) throws(ImageError) in try encoder.write(bytes, to: &pending.bytes) }
        try pending.sendIfFull(to: sink)
    }

    mutating func finish(to sink: EncodedBytesSink, work: inout WorkGuard) throws(ImageError) {
        try encoder.finish(to: &pending.bytes)
        try pending.send(to: sink)
    }
}
