// Image file formats, known by their uniform type identifier and recognised by their first bytes.

import Synchronization

/// An image file format.
///
/// The raw value is a uniform type identifier, so that code outside this package can add formats of its own.
public struct ImageFormat: RawRepresentable, Hashable, Sendable {
    /// The uniform type identifier, such as `public.png`.
    public let rawValue: String

    /// A format by its uniform type identifier; any string is accepted.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Portable Network Graphics.
    public static let png = ImageFormat(rawValue: "public.png")
    /// Animated PNG; shares PNG's signature, so sniffing answers ``png`` (see ``init(sniffing:)``).
    public static let apng = ImageFormat(rawValue: "org.w3.apng")
    /// JPEG (ITU-T T.81).
    public static let jpeg = ImageFormat(rawValue: "public.jpeg")
    /// Graphics Interchange Format.
    public static let gif = ImageFormat(rawValue: "com.compuserve.gif")
    /// WebP, lossy, lossless or animated.
    public static let webP = ImageFormat(rawValue: "org.webmproject.webp")
    /// ``webP``, as Swift writes names of cases.
    public static let webp = webP
    /// TIFF; recognised, not decoded.
    public static let tiff = ImageFormat(rawValue: "public.tiff")
    /// Windows bitmap; recognised, not decoded.
    public static let bmp = ImageFormat(rawValue: "com.microsoft.bmp")
    /// HEIC, an HEIF file with HEVC pictures; recognised, not decoded.
    public static let heic = ImageFormat(rawValue: "public.heic")
    /// Any other HEIF file; recognised, not decoded.
    public static let heif = ImageFormat(rawValue: "public.heif")
    /// AVIF, still or sequence; recognised, not decoded.
    public static let avif = ImageFormat(rawValue: "public.avif")
    /// JPEG XL, bare codestream or container; recognised, not decoded.
    public static let jpegXL = ImageFormat(rawValue: "public.jpeg-xl")
    /// PDF; recognised, not decoded.
    public static let pdf = ImageFormat(rawValue: "com.adobe.pdf")
    /// SVG text; recognised, not decoded.
    public static let svg = ImageFormat(rawValue: "public.svg-image")

    private typealias Traits = Description

    private var traits: Traits? { builtInTraits ?? FormatDescriptions.shared[self] }

    private var builtInTraits: Traits? {
        switch self {
        case .png: Traits(name: "PNG", fileExtensions: ["png"], mimeType: "image/png")
        case .apng: Traits(name: "APNG", fileExtensions: ["apng", "png"], mimeType: "image/apng")
        case .jpeg: Traits(name: "JPEG", fileExtensions: ["jpg", "jpeg", "jpe", "jfif"], mimeType: "image/jpeg")
        case .gif: Traits(name: "GIF", fileExtensions: ["gif"], mimeType: "image/gif")
        case .webP: Traits(name: "WebP", fileExtensions: ["webp"], mimeType: "image/webp")
        case .tiff: Traits(name: "TIFF", fileExtensions: ["tiff", "tif"], mimeType: "image/tiff")
        case .bmp: Traits(name: "BMP", fileExtensions: ["bmp", "dib"], mimeType: "image/bmp")
        case .heic: Traits(name: "HEIC", fileExtensions: ["heic"], mimeType: "image/heic")
        case .heif: Traits(name: "HEIF", fileExtensions: ["heif", "hif"], mimeType: "image/heif")
        case .avif: Traits(name: "AVIF", fileExtensions: ["avif"], mimeType: "image/avif")
        case .jpegXL: Traits(name: "JPEG XL", fileExtensions: ["jxl"], mimeType: "image/jxl")
        case .pdf: Traits(name: "PDF", fileExtensions: ["pdf"], mimeType: "application/pdf")
        case .svg: Traits(name: "SVG", fileExtensions: ["svg"], mimeType: "image/svg+xml")
        default: nil
        }
    }

    /// The name people use, such as `PNG`; the identifier for formats this package does not know.
    public var name: String { traits?.name ?? rawValue }

    /// File name extensions without the dot, the usual one first; lower case.
    public var fileExtensions: [String] { traits?.fileExtensions ?? [] }

    /// The media type, such as `image/png`.
    public var mimeType: String { traits?.mimeType ?? "application/octet-stream" }

    /// Every format that has a name: those of this package, then those described with ``describe(_:as:)``.
    public static var all: [ImageFormat] { builtIn + FormatDescriptions.shared.formats }

    fileprivate static let builtIn: [ImageFormat] = [
        .png, .apng, .jpeg, .gif, .webP, .tiff, .bmp, .heic, .heif, .avif, .jpegXL, .pdf, .svg,
    ]

    /// The format whose usual or other extension this is, without the dot and in any case.
    public init?(fileExtension: String) {
        let wanted = fileExtension.lowercased()
        guard
            let match = Self.all.first(where: { $0.traits?.fileExtensions.first == wanted })
                ?? Self.all.first(where: { $0.fileExtensions.contains(wanted) })
        else { return nil }
        self = match
    }
}

extension ImageFormat {
    /// What people and file systems call a format.
    public struct Description: Hashable, Sendable {
        /// The name people use, such as `QOI`.
        public let name: String
        /// File name extensions without the dot, the usual one first; lower case.
        public let fileExtensions: [String]
        /// The media type, such as `image/qoi`.
        public let mimeType: String

        /// Creates a description; extensions become lower case.
        public init(name: String, fileExtensions: [String], mimeType: String) {
            self.name = name
            self.fileExtensions = fileExtensions.map { $0.lowercased() }
            self.mimeType = mimeType
        }
    }

    /// Gives a format from outside of this package its name, extensions and media type, everywhere in the process.
    ///
    /// A second description replaces the first. Formats of this package keep theirs, and their extensions: if two
    /// formats share an extension, one of this package wins, else the one described earlier.
    public static func describe(_ format: ImageFormat, as description: Description) {
        FormatDescriptions.shared[format] = description
    }
}

/// Descriptions of formats from outside of this package.
private final class FormatDescriptions: Sendable {
    static let shared = FormatDescriptions()

    private let described = Mutex<[(format: ImageFormat, description: ImageFormat.Description)]>([])

    var formats: [ImageFormat] { described.withLock { $0.map(\.format) } }

    subscript(format: ImageFormat) -> ImageFormat.Description? {
        get { described.withLock { $0.first { $0.format == format }?.description } }
        set {
            guard let newValue, !ImageFormat.builtIn.contains(format) else { return }
            described.withLock { described in
                if let index = described.firstIndex(where: { $0.format == format }) {
                    described[index].description = newValue
                } else {
                    described.append((format, newValue))
                }
            }
        }
    }
}

extension ImageFormat {
    /// The format to write an image in when the caller names none: an animated format for animations, PNG for pictures
    /// with alpha, JPEG for opaque ones.
    public static func preferred(for image: RasterImage) -> ImageFormat {
        if image.animation != nil {
            return image.format == .apng || image.format == .webP ? image.format! : .gif
        }
        return image.bitmap.format.hasAlpha ? .png : .jpeg
    }
}
