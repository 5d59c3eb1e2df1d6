// What a caller may ask of the APNG encoder alone.

public import ImageCodecsCore

/// Options of animated PNG files; `EncodingOptions.apng`.
public struct APNGEncodingOptions: FormatEncodingOptions {
    /// A picture that viewers without animation show, and that is no frame; `nil` makes the first frame that picture.
    ///
    /// As large as the frames, and scaled with them.
    ///
    /// - Source: PNG 3rd ed. §4.9 "APNG: frame-based animation"
    public var defaultPicture: Bitmap?

    /// The first frame is the default picture.
    public init() {}

    /// Whether both ask for the same.
    public static func == (first: Self, second: Self) -> Bool { first.defaultPicture == second.defaultPicture }

    /// Hashes the size of the default picture.
    public func hash(into hasher: inout Hasher) { hasher.combine(defaultPicture?.size) }
}

extension EncodingOptions {
    /// Options of animated PNG files.
    public var apng: APNGEncodingOptions {
        get { self[APNGEncodingOptions.self] }
        set { self[APNGEncodingOptions.self] = newValue }
    }
}
