// The coder: what a registry asks.

// snippet: coder
public import ImageCodecsCore
public import ImageEncoding

/// Decodes and encodes QOI, the Quite OK Image Format.
///
/// - Source: The Quite OK Image Format, specification version 1.0 (2022).
public struct QOICoder: RowImageCoder, RowImageEncodingCoder {
    /// The format; it has no uniform type identifier of its own.
    public static let format = ImageFormat(rawValue: "org.qoiformat.qoi")

    /// What people and file systems call it.
    public static let description = ImageFormat.Description(name: "QOI", fileExtensions: ["qoi"], mimeType: "image/qoi")

    /// Creates the coder; it has no settings.
    public init() {}

    /// QOI.
    public var decodableFormats: [ImageFormat] { [Self.format] }

    /// Whether `header` starts with `qoif`.
    public func canDecode(_ header: Span<UInt8>) -> Bool { QOIHeader.hasSignature(header) }

    /// The decoder of one file.
    public func makeRowDecoder(options: DecodingOptions) -> QOIDecoder { QOIDecoder() }

    /// Whether `format` is QOI.
    public func canEncode(to format: ImageFormat) -> Bool { format == Self.format }

    /// None: a QOI file is its pixels.
    public func metadataKinds(writing format: ImageFormat) -> Set<ImageMetadata.Kind> { [] }

    /// The encoder of one picture, which keeps all bits of colour, but for samples of sixteen bits, which become eight.
    ///
    /// `EncodingOptions.effort` and `embedsThumbnail` have nothing to choose from. QOI has no orientation: turn a picture that still
    /// has one before it is written.
    public func makeRowEncoder(
        of picture: EncodedPicture, format: ImageFormat, options: EncodingOptions
    ) throws(ImageError) -> QOIEncoder {
        try QOIEncoder(picture)
    }
}
// end of snippet

// snippet: registration
extension CoderRegistry {
    /// Lets this registry read and write QOI; the format's name and extension are known from then on.
    @discardableResult
    public func addQOI() -> Token { add(QOICoder(), describing: [QOICoder.format: QOICoder.description]) }
}
// end of snippet

extension DamageCode {
    /// A size of 0.
    public static let qoiSize = DamageCode(rawValue: "qoi.size")
    /// Neither three channels nor four, or a colour space that is not defined.
    public static let qoiHeader = DamageCode(rawValue: "qoi.header")
    /// The bytes after the pixels are not the end marker.
    public static let qoiEnd = DamageCode(rawValue: "qoi.end")
}
