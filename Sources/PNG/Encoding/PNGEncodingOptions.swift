// What a caller may ask of the PNG encoder alone.

public import ImageCodecsCore

/// Options of PNG files; `EncodingOptions.png`.
public struct PNGEncodingOptions: FormatEncodingOptions {
    /// Whether the file is interlaced, so that a coarse picture is there after an eighth of it has come. Such files are larger,
    /// and the picture is held while one is written.
    ///
    /// - Source: PNG 3rd ed. §8 "Interlacing and pass extraction".
    public var isInterlaced = false

    /// Bytes of a picture up to which it is held, to be looked at as a whole, even with `Effort.fast`; tests lower it.
    package var surveyedByteCount = 1 << 25

    /// Filters of a file that is written anew, scanline by scanline, which are tried beside others with `Effort.best`.
    package var filters: [ScanlineFilter] = []

    /// Not interlaced.
    public init() {}
}

extension EncodingOptions {
    /// Options of PNG files.
    public var png: PNGEncodingOptions {
        get { self[PNGEncodingOptions.self] }
        set { self[PNGEncodingOptions.self] = newValue }
    }
}
