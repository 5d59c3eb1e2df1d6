// What a caller may ask of an encoder.

/// How an image is written.
///
/// What belongs to one format alone has a place of its own, which the format's module declares: `options.jpeg.subsampling`.
/// See ``FormatEncodingOptions``.
public struct EncodingOptions: Hashable, Sendable {
    /// How much time an encoder takes to make the file smaller.
    public enum Effort: String, Hashable, Sendable, CaseIterable {
        /// The least: rows of a large picture are written as they come, if the format allows it, and it is not held.
        case fast
        /// What most files are written with.
        case `default`
        /// The smallest file; it takes several times as long as `default`.
        case best
    }

    /// What of an image's metadata is written.
    ///
    /// The orientation is no metadata in this sense: it belongs to the picture, and is written by every policy.
    public enum MetadataPolicy: String, Hashable, Sendable, CaseIterable {
        /// All that the format has a place for.
        case all
        /// What says how the samples are meant as colours; see ``ImageMetadata/colors``.
        case colors
        /// None.
        case none
    }

    /// How much a lossy format may lose: 0 (most) ... 1 (least); `nil` is the format's usual setting.
    ///
    /// A hundredth of the number that other programs take: 0.8 of JPEG means what libjpeg's 80 does. Of GIF it is how much strings of
    /// colours may differ from the picture. A format that loses nothing with these options, named by the caller, is refused with a quality;
    /// if the image or its file decides on the format (`CoderRegistry.encode(_:options:)`), the quality is for those that use it.
    public var quality: Double?
    /// How much time the encoder takes. Pixels of formats without loss never change by it.
    public var effort = Effort.default
    /// The colour that transparent pixels are laid over, straight red, green, blue; `nil` keeps transparency
    /// if the format has it and means white if it has not.
    public var background: (SIMD3<UInt8>)?
    /// The image is scaled down to fit into this box before it is written; a side of zero or less does not bind.
    public var maxPixelSize: PixelSize?
    /// The most bytes the file may have, at least 1: met by lowering the quality of lossy formats or the number of colours of formats
    /// with palettes first, then by scaling the picture down if ``mayScaleDown``; see ``keepsPixels``.
    public var maxFileByteCount: Int?
    /// Whether the picture may be scaled down to meet ``maxFileByteCount``.
    public var mayScaleDown = true
    /// Whether every pixel has to be kept as it is. Formats that always lose something are refused then, and so are pictures with samples of
    /// sixteen bits for formats of eight, unless they are bytes repeated; ``maxFileByteCount`` is met by
    /// more effort alone; if none is enough, the error says how small the file gets.
    public var keepsPixels = false
    /// Whether only the first frame of an animation is written.
    public var firstFrameOnly = false
    /// Total number of plays of an animation, 0 for ever; `nil` is that of the image. More than the format can say become the most that
    /// it can.
    public var loopCount: Int?
    /// Whether a small preview is embedded, if the format has a place for one.
    public var embedsThumbnail = false
    /// What of the image's metadata is written.
    ///
    /// An ICC profile is written only with pixels of its own channels: a gray one with gray pictures, an RGB one with
    /// RGB (also if all pixels are gray), a CMYK one never with RGB pictures. What EXIF data and XMP packet say of the picture's size is made
    /// true, and a preview of what it was before it was changed is left out.
    public var metadata = MetadataPolicy.all
    /// Bounds on memory and time.
    public var limits = EncodingLimits.default

    /// Counts the memory that encoding holds; tests read it, or make it refuse memory.
    package var memoryMeter: MemoryMeter?
    /// Counts the work of encoding, for tests and reports.
    package var workLog: WorkLog?
    /// Counts the processor time that encoding takes, if somebody wants to know.
    package var stopwatch: ProcessorStopwatch?
    /// Records what the format could not keep, if somebody wants to know.
    package var losses: LossLog?
    /// Records how far encoding has come, if somebody wants to know.
    package var progress: ProgressLog?
    /// By their type.
    private var formatOptions: [ObjectIdentifier: AnyFormatOptions] = [:]

    /// Options with every property at its default.
    public init() {}

    /// Options with a quality and an effort, and every other property at its default.
    public init(quality: Double, effort: Effort = .default) {
        self.quality = quality
        self.effort = effort
    }

    /// Options with an effort, and every other property at its default.
    public init(effort: Effort) { self.effort = effort }

    /// The format's usual settings.
    public static let `default` = EncodingOptions()

    /// The smallest file; it takes several times as long as `default`.
    public static var best: EncodingOptions { EncodingOptions(effort: .best) }

    /// The options of one format, at their defaults until they are set.
    ///
    /// Modules of formats give it a name: `options.jpeg`.
    public subscript<Options: FormatEncodingOptions>(_ type: Options.Type) -> Options {
        get { formatOptions[ObjectIdentifier(type)]?.value as? Options ?? Options() }
        set { formatOptions[ObjectIdentifier(type)] = AnyFormatOptions(value: newValue) }
    }
}

/// Options that one format alone has.
///
/// ```swift
/// public struct QOIEncodingOptions: FormatEncodingOptions {
///     public var marksColorsAsLinear = false
///     public init() {}
/// }
///
/// extension EncodingOptions {
///     public var qoi: QOIEncodingOptions {
///         get { self[QOIEncodingOptions.self] }
///         set { self[QOIEncodingOptions.self] = newValue }
///     }
/// }
/// ```
public protocol FormatEncodingOptions: Hashable, Sendable {
    /// Every option at its default.
    init()
}

/// Options of some format, as a value that can be compared.
private struct AnyFormatOptions: Hashable, Sendable {
    let value: any FormatEncodingOptions

    static func == (lhs: Self, rhs: Self) -> Bool { isEqual(lhs.value, rhs.value) }

    private static func isEqual<Options: FormatEncodingOptions>(
        _ first: Options, _ second: any FormatEncodingOptions
    ) -> Bool {
        second as? Options == first
    }

    func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
}

/// Bounds on what writing one image may cost.
public struct EncodingLimits: Hashable, Sendable {
    /// Bytes that an encoder may hold at once: rows, coefficients, copies of the picture; not the image it is given.
    ///
    /// What needs more is refused before it begins; see `EncodingSession.estimatedPeakByteCount`.
    public var maxMemoryByteCount: Int
    /// Time spent encoding, not counting the time between two calls of a session.
    public var maxTime: Duration?

    /// Creates limits.
    public init(maxMemoryByteCount: Int, maxTime: Duration? = nil) {
        self.maxMemoryByteCount = maxMemoryByteCount
        self.maxTime = maxTime
    }

    /// 2 GiB of memory, no time limit.
    public static let `default` = EncodingLimits(maxMemoryByteCount: 2 << 30)

    /// No limit but the machine's.
    public static let unlimited = EncodingLimits(maxMemoryByteCount: .max)
}
