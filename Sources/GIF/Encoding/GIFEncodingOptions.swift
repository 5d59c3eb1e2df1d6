// What a caller may ask of the GIF encoder alone.

public import ImageCodecsCore
public import ImagePalettes

/// Options of GIF files; `EncodingOptions.gif`.
///
/// `EncodingOptions.quality` says how much colours may differ to make a file smaller: 0.75 is usual for pictures that have more
/// colours than a table, and 1 for others. See <doc:WritingGIF>.
public struct GIFEncodingOptions: FormatEncodingOptions {
    /// Which color tables an animation has.
    public enum Tables: String, Hashable, Sendable, CaseIterable {
        /// One for all frames, and one of its own for each frame that gets smaller or better by it.
        case automatic
        /// One for all frames; colours are reduced if there are more.
        case global
        /// Each frame has its own.
        case local
    }

    /// The most colours of a table, 2...256, transparency included.
    public var colorCount = 256
    /// Whether colours may be lost if there are more than a table holds, or to meet `EncodingOptions.maxFileByteCount`: 128 are left
    /// then, or 64, 32 or 16, before the picture is scaled down. If not, `unsupported` is thrown for pictures that have more, and for
    /// translucent pixels, which have no place in a file.
    public var mayReduceColors = true
    /// What is done about colours that a table does not have, if there are more.
    public var dithering = Dithering.default
    /// Whether the rows of a still picture come in four passes, so that a coarse one is there early; the file gets larger, and
    /// `EncodingOptions.quality` has no effect.
    public var isInterlaced = false
    /// Which color tables an animation has.
    public var tables = Tables.automatic

    /// The usual settings.
    public init() {}
}

extension EncodingOptions {
    /// Options of GIF files.
    public var gif: GIFEncodingOptions {
        get { self[GIFEncodingOptions.self] }
        set { self[GIFEncodingOptions.self] = newValue }
    }
}
