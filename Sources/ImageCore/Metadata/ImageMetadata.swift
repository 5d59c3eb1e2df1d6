// What a file says about its picture besides the pixels: carried, never interpreted.

/// Metadata of an image: typed values and raw bytes, as the file holds them.
///
/// What is said about colours is here if samples are as stored; a decode that converts them (``DecodingOptions/color``) takes it out.
public struct ImageMetadata: Hashable, Sendable {
    /// Everything that is said. Behind one reference, for descriptions of pictures are copied often, and most say little.
    private var contents: Indirect<MetadataContents>?

    /// Metadata that says nothing.
    public init() {}

    private var values: MetadataContents {
        _read {
            // One place to yield from: two would need memory for the values that say nothing.
            let contents = contents ?? MetadataContents.nothing
            yield contents.value
        }
        _modify {
            var value = contents.take() ?? Indirect(MetadataContents())
            defer { contents = value }
            yield &value.value
        }
    }

    /// Whether nothing was ever said, as with most small pictures: answered at once.
    package var isUntouched: Bool { contents == nil }

    /// Whether both say the same; it does not matter whether something was said and taken back.
    public static func == (a: ImageMetadata, b: ImageMetadata) -> Bool { a.values == b.values }

    /// Hashes what is said.
    public func hash(into hasher: inout Hasher) { values.hash(into: &hasher) }
}

extension ImageMetadata {
    /// How the pixels still have to be turned for viewing, from EXIF: ``Orientation/up`` once that was applied, whatever
    /// the EXIF block says.
    public var orientation: Orientation {
        _read { yield values.orientation }
        _modify { yield &values.orientation }
    }
    /// The EXIF block: a TIFF structure starting with its byte order mark. `photo` and `ExifBlock` read it, `editExif(_:)` changes it.
    public var exif: [UInt8]? {
        _read { yield values.exif }
        _modify { yield &values.exif }
    }
    /// The ICC profile, uncompressed.
    public var iccProfile: [UInt8]? {
        _read { yield values.iccProfile }
        _modify { yield &values.iccProfile }
    }
    /// The name the file gives its ICC profile (PNG only).
    public var iccProfileName: String? {
        _read { yield values.iccProfileName }
        _modify { yield &values.iccProfileName }
    }
    /// The XMP packet, UTF-8 XML. `xmpPacket` reads it.
    public var xmp: [UInt8]? {
        _read { yield values.xmp }
        _modify { yield &values.xmp }
    }
    /// IPTC data: the Photoshop image resource block of a JPEG file.
    public var iptc: [UInt8]? {
        _read { yield values.iptc }
        _modify { yield &values.iptc }
    }
    /// Pixel density or aspect ratio.
    public var density: PixelDensity? {
        _read { yield values.density }
        _modify { yield &values.density }
    }
    /// Keyword and text pairs.
    public var texts: [TextEntry] {
        _read { yield values.texts }
        _modify { yield &values.texts }
    }
    /// Comments without a keyword.
    public var comments: [String] {
        _read { yield values.comments }
        _modify { yield &values.comments }
    }
    /// The image gamma times 100000 (PNG gAMA): 45455 for 1/2.2.
    public var gamma: UInt32? {
        _read { yield values.gamma }
        _modify { yield &values.gamma }
    }
    /// White point and primaries (PNG cHRM).
    public var chromaticities: Chromaticities? {
        _read { yield values.chromaticities }
        _modify { yield &values.chromaticities }
    }
    /// The picture is in sRGB, with this rendering intent (PNG sRGB).
    public var renderingIntent: RenderingIntent? {
        _read { yield values.renderingIntent }
        _modify { yield &values.renderingIntent }
    }
    /// Coding-independent code points (PNG cICP).
    public var codePoints: CodingIndependentCodePoints? {
        _read { yield values.codePoints }
        _modify { yield &values.codePoints }
    }
    /// The display on which the picture was mastered (PNG mDCV).
    public var masteringDisplay: MasteringDisplay? {
        _read { yield values.masteringDisplay }
        _modify { yield &values.masteringDisplay }
    }
    /// How bright the picture gets (PNG cLLI).
    public var contentLight: ContentLightLevel? {
        _read { yield values.contentLight }
        _modify { yield &values.contentLight }
    }
    /// Bits of the original samples, one number per channel (PNG sBIT).
    public var significantBits: [UInt8]? {
        _read { yield values.significantBits }
        _modify { yield &values.significantBits }
    }
    /// The background colour the file suggests (PNG bKGD). Never painted.
    public var background: BackgroundColor? {
        _read { yield values.background }
        _modify { yield &values.background }
    }
    /// How often each palette entry is used, approximately (PNG hIST).
    public var histogram: [UInt16]? {
        _read { yield values.histogram }
        _modify { yield &values.histogram }
    }
    /// Palettes for displays with few colours (PNG sPLT).
    public var suggestedPalettes: [SuggestedPalette] {
        _read { yield values.suggestedPalettes }
        _modify { yield &values.suggestedPalettes }
    }
    /// When the picture was last changed, in UTC (PNG tIME).
    public var modificationTime: ModificationTime? {
        _read { yield values.modificationTime }
        _modify { yield &values.modificationTime }
    }
    /// Where the picture lies on a page or a screen (PNG oFFs).
    public var placement: PicturePlacement? {
        _read { yield values.placement }
        _modify { yield &values.placement }
    }
    /// How two pictures for two eyes lie beside each other in this one (PNG sTER).
    public var stereoLayout: StereoLayout? {
        _read { yield values.stereoLayout }
        _modify { yield &values.stereoLayout }
    }
    /// How large what the picture shows is: the body of PNG's sCAL, a unit (1 for metres, 2 for radians) and the width and the height of a pixel
    /// as texts, with a zero byte between them.
    public var physicalScale: [UInt8]? {
        _read { yield values.physicalScale }
        _modify { yield &values.physicalScale }
    }
    /// Which physical quantity samples stand for: the body of PNG's pCAL.
    public var calibration: [UInt8]? {
        _read { yield values.calibration }
        _modify { yield &values.calibration }
    }
    /// The index of further pictures that the file has after this one: the MPF segment of a JPEG file. Pictures that are written have none;
    /// if it is removed from a file, so are the pictures (see `MetadataReplacingCoder`).
    public var furtherPictures: [UInt8]? {
        _read { yield values.furtherPictures }
        _modify { yield &values.furtherPictures }
    }
}

/// Pixels per unit of length, or only their ratio.
public struct PixelDensity: Hashable, Sendable {
    /// What the numbers count per.
    public enum Unit: String, Hashable, Sendable {
        /// Only the ratio of the two numbers means something.
        case aspectRatio
        case inch, centimeter, meter
    }

    /// Pixels per unit, horizontally.
    public var x: UInt32
    /// Pixels per unit, vertically.
    public var y: UInt32
    /// The unit.
    public var unit: Unit

    /// Creates a density.
    public init(x: UInt32, y: UInt32, unit: Unit) {
        self.x = x
        self.y = y
        self.unit = unit
    }
}

/// A keyword with its text (PNG 3rd ed. §11.3.3 "Textual information").
public struct TextEntry: Hashable, Sendable {
    /// The keyword: `Title`, `Author`, `Description`, `Software`, ...
    public var keyword: String
    /// The text itself.
    public var text: String
    /// The language, an RFC 5646 tag; empty if the file does not say.
    public var language: String
    /// The keyword in that language; empty if the file does not say.
    public var translatedKeyword: String

    /// Creates an entry.
    public init(keyword: String, text: String, language: String = "", translatedKeyword: String = "") {
        self.keyword = keyword
        self.text = text
        self.language = language
        self.translatedKeyword = translatedKeyword
    }
}

/// White point and primaries as CIE 1931 x and y times 100000 (PNG 3rd ed. §11.3.2.1 "cHRM").
public struct Chromaticities: Hashable, Sendable {
    /// One chromaticity.
    public struct Point: Hashable, Sendable {
        /// x times 100000.
        public var x: UInt32
        /// y times 100000.
        public var y: UInt32
        /// Creates a chromaticity.
        public init(x: UInt32, y: UInt32) {
            self.x = x
            self.y = y
        }
    }

    /// The white point.
    public var white: Point
    /// The red primary.
    public var red: Point
    /// The green primary.
    public var green: Point
    /// The blue primary.
    public var blue: Point

    /// Creates a set of chromaticities.
    public init(white: Point, red: Point, green: Point, blue: Point) {
        self.white = white
        self.red = red
        self.green = green
        self.blue = blue
    }
}

/// ICC rendering intents (PNG 3rd ed. §11.3.2.5 "sRGB").
public enum RenderingIntent: UInt8, Hashable, Sendable {
    case perceptual, relativeColorimetric, saturation, absoluteColorimetric
}

/// Coding-independent code points (ITU-T H.273; PNG 3rd ed. §11.3.2.6 "cICP").
public struct CodingIndependentCodePoints: Hashable, Sendable {
    /// Colour primaries.
    public var primaries: UInt8
    /// Transfer function.
    public var transfer: UInt8
    /// Matrix coefficients; 0 for RGB.
    public var matrix: UInt8
    /// Whether samples use the full range.
    public var isFullRange: Bool

    /// Creates code points.
    public init(primaries: UInt8, transfer: UInt8, matrix: UInt8, isFullRange: Bool) {
        self.primaries = primaries
        self.transfer = transfer
        self.matrix = matrix
        self.isFullRange = isFullRange
    }
}

/// A suggested background, at the file's own depth (PNG 3rd ed. §11.3.4.1 "bKGD").
public enum BackgroundColor: Hashable, Sendable {
    case gray(UInt16)
    case rgb(red: UInt16, green: UInt16, blue: UInt16)
    case paletteIndex(UInt8)
}

/// A reduced palette (PNG 3rd ed. §11.3.4.4 "sPLT").
public struct SuggestedPalette: Hashable, Sendable {
    /// One colour and how often it is used.
    public struct Entry: Hashable, Sendable {
        /// Red, green, blue, alpha at the palette's depth.
        public var red: UInt16, green: UInt16, blue: UInt16, alpha: UInt16
        /// Relative frequency.
        public var frequency: UInt16
        /// Creates an entry.
        public init(red: UInt16, green: UInt16, blue: UInt16, alpha: UInt16, frequency: UInt16) {
            self.red = red
            self.green = green
            self.blue = blue
            self.alpha = alpha
            self.frequency = frequency
        }
    }

    /// The palette's name.
    public var name: String
    /// Bits of a sample: 8 or 16.
    public var sampleDepth: Int
    /// The colours, most used first.
    public var entries: [Entry]

    /// Creates a palette.
    public init(name: String, sampleDepth: Int, entries: [Entry]) {
        self.name = name
        self.sampleDepth = sampleDepth
        self.entries = entries
    }
}

/// A moment in UTC (PNG 3rd ed. §11.3.4.5 "tIME").
public struct ModificationTime: Hashable, Sendable {
    /// The complete year, such as 1995.
    public var year: UInt16
    /// 1...12.
    public var month: UInt8
    /// 1...31.
    public var day: UInt8
    /// 0...23.
    public var hour: UInt8
    /// 0...59.
    public var minute: UInt8
    /// 0...60, leap seconds included.
    public var second: UInt8

    /// Creates a moment; values are not checked.
    public init(year: UInt16, month: UInt8, day: UInt8, hour: UInt8, minute: UInt8, second: UInt8) {
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = second
    }
}

/// The values of ``ImageMetadata``, which says what they are.
private struct MetadataContents: Hashable, Sendable {
    static let nothing = Indirect(MetadataContents())

    var orientation = Orientation.up
    var exif: [UInt8]?
    var iccProfile: [UInt8]?
    var iccProfileName: String?
    var xmp: [UInt8]?
    var iptc: [UInt8]?
    var density: PixelDensity?
    var texts: [TextEntry] = []
    var comments: [String] = []
    var gamma: UInt32?
    var chromaticities: Chromaticities?
    var renderingIntent: RenderingIntent?
    var codePoints: CodingIndependentCodePoints?
    var masteringDisplay: MasteringDisplay?
    var contentLight: ContentLightLevel?
    var significantBits: [UInt8]?
    var background: BackgroundColor?
    var histogram: [UInt16]?
    var suggestedPalettes: [SuggestedPalette] = []
    var modificationTime: ModificationTime?
    var placement: PicturePlacement?
    var stereoLayout: StereoLayout?
    var physicalScale: [UInt8]?
    var calibration: [UInt8]?
    var furtherPictures: [UInt8]?
}
