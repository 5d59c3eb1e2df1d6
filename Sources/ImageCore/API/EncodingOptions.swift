// What a caller may ask of an encoder.

/// How an image is written.
public struct EncodingOptions: Hashable, Sendable {
    /// 0 (smallest file for lossy formats, fastest for lossless ones) ... 1 (best, slowest); `nil` is the
    /// format's usual setting.
    ///
    /// In lossless formats it sets the compression effort; pixels never change.
    public var quality: Double?
    /// The colour that transparent pixels are laid over, straight red, green, blue; `nil` keeps transparency
    /// if the format has it and means white if it has not.
    public var background: (SIMD3<UInt8>)?
    /// The image is scaled down to fit into this box before it is written; a side of zero or less does not bind.
    public var maxPixelSize: PixelSize?
    /// The most bytes the file may have, at least 1; lossy formats lower the quality, others scale down.
    public var maxFileByteCount: Int?
    /// Whether only the first frame of an animation is written.
    public var firstFrameOnly = false
    /// Whether a small preview is embedded, if the format has a place for one.
    public var embedsThumbnail = false
    /// Whether metadata of the image is written; ``ImageMetadata/colors`` selects what belongs to the colours.
    ///
    /// An ICC profile is written only with pixels of its own channels: a gray one with gray pictures, an RGB one with
    /// RGB (also if all pixels are gray), a CMYK one never with RGB pictures.
    public var writesMetadata = true

    /// Counts the memory that encoding holds; tests read it, or make it refuse memory.
    package var memoryMeter: MemoryMeter?

    /// Options with every property at its default.
    public init() {}

    /// The format's usual settings.
    public static let `default` = EncodingOptions()
}
