// What a caller may ask of the PNG encoder alone.

public import ImageCodecsCore
public import ImagePalettes

/// Options of PNG files; `EncodingOptions.png`.
public struct PNGEncodingOptions: FormatEncodingOptions {
    /// Whether the file is interlaced, so that a coarse picture is there after an eighth of it has come. Such files are larger,
    /// and the picture is held while one is written.
    ///
    /// - Source: PNG 3rd ed. §8 "Interlacing and pass extraction".
    public var isInterlaced = false

    /// Colours at most, 2...256: a picture that has more loses some, so that a palette holds them, and sixteen bits a sample become
    /// eight. `nil` loses nothing. The article "Palettes" of module `ImageCodecsCore` says how they are chosen.
    ///
    /// Of pictures, not of animations.
    public var colorCount: Int?

    /// What is done about colours that the palette does not have, if there is a ``colorCount``.
    public var dithering = Dithering.automatic

    /// Whether colours may be lost to meet `EncodingOptions.maxFileByteCount`: 256 are left, or 128, 64, 32 or 16. If that is not
    /// enough, and for other pictures at once, the picture is scaled down if it may be.
    public var mayReduceColors = true

    /// Bytes of a picture up to which it is held, to be looked at as a whole, even with `Effort.fast`; tests lower it.
    package var surveyedByteCount = 1 << 25

    /// Filters of a file that is written anew, scanline by scanline, which are tried beside others with `Effort.best`.
    package var filters: [ScanlineFilter] = []

    /// Not interlaced, and without loss.
    public init() {}
}

extension EncodingOptions {
    /// Options of PNG files.
    public var png: PNGEncodingOptions {
        get { self[PNGEncodingOptions.self] }
        set { self[PNGEncodingOptions.self] = newValue }
    }
}
