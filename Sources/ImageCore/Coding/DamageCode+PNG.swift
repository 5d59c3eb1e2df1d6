// What may be wrong with a PNG file.

extension DamageCode {
    /// Four bytes that should be a chunk type are not four letters.
    ///
    /// - Source: PNG 3rd ed. §5.3 "Chunk layout"
    public static let pngChunkType = DamageCode(rawValue: "png.chunk-type")

    /// A chunk claims more than 2^31 - 1 bytes.
    ///
    /// - Source: PNG 3rd ed. §5.3 "Chunk layout"
    public static let pngChunkLength = DamageCode(rawValue: "png.chunk-length")

    /// The CRC of a critical chunk is wrong.
    ///
    /// - Source: PNG 3rd ed. §5.5 "CRC algorithm"
    public static let pngChunkCRC = DamageCode(rawValue: "png.chunk-crc")

    /// A critical chunk stands where it must not, or a second time.
    ///
    /// - Source: PNG 3rd ed. §5.6 "Chunk ordering"
    public static let pngChunkOrder = DamageCode(rawValue: "png.chunk-order")

    /// IHDR has not 13 bytes.
    ///
    /// - Source: PNG 3rd ed. §11.2.1 "IHDR Image header"
    public static let pngHeaderLength = DamageCode(rawValue: "png.header-length")

    /// Width or height is 0 or more than 2^31 - 1.
    ///
    /// - Source: PNG 3rd ed. §11.2.1 "IHDR Image header"
    public static let pngHeaderSize = DamageCode(rawValue: "png.header-size")

    /// The bit depth does not go with the color type, or there is no such color type.
    ///
    /// - Source: PNG 3rd ed. §11.2.1 "IHDR Image header"
    public static let pngHeaderDepth = DamageCode(rawValue: "png.header-depth")

    /// An unknown compression, filter or interlace method.
    ///
    /// - Source: PNG 3rd ed. §11.2.1 "IHDR Image header"
    public static let pngHeaderMethod = DamageCode(rawValue: "png.header-method")

    /// Indexed colour without PLTE in front of the image data.
    ///
    /// - Source: PNG 3rd ed. §11.2.2 "PLTE Palette"
    public static let pngPaletteMissing = DamageCode(rawValue: "png.palette-missing")

    /// PLTE has not 1 to 256 entries of three bytes.
    ///
    /// - Source: PNG 3rd ed. §11.2.2 "PLTE Palette"
    public static let pngPaletteLength = DamageCode(rawValue: "png.palette-length")

    /// A pixel names an entry that the palette has not.
    ///
    /// - Source: PNG 3rd ed. §11.2.2 "PLTE Palette"
    public static let pngPaletteIndex = DamageCode(rawValue: "png.palette-index")

    /// IEND without IDAT before it.
    ///
    /// - Source: PNG 3rd ed. §11.2.3 "IDAT Image data"
    public static let pngImageDataMissing = DamageCode(rawValue: "png.image-data-missing")

    /// The image data end before the last row.
    ///
    /// - Source: PNG 3rd ed. §11.2.3 "IDAT Image data"
    public static let pngImageDataShort = DamageCode(rawValue: "png.image-data-short")

    /// The zlib stream of the image data is damaged.
    ///
    /// - Source: PNG 3rd ed. §10 "Compression"
    public static let pngImageDataStream = DamageCode(rawValue: "png.image-data-stream")

    /// The Adler-32 checksum behind the image data is wrong.
    ///
    /// - Source: PNG 3rd ed. §10 "Compression"
    public static let pngImageDataChecksum = DamageCode(rawValue: "png.image-data-checksum")

    /// A row with a filter type above 4.
    ///
    /// - Source: PNG 3rd ed. §9.2 "Filter types for filter method 0"
    public static let pngFilterType = DamageCode(rawValue: "png.filter-type")

    /// Every code of PNG.
    public static let allPNG: [DamageCode] = [
        .pngChunkType, .pngChunkLength, .pngChunkCRC, .pngChunkOrder, .pngHeaderLength, .pngHeaderSize, .pngHeaderDepth,
        .pngHeaderMethod, .pngPaletteMissing, .pngPaletteLength, .pngPaletteIndex, .pngImageDataMissing,
        .pngImageDataShort, .pngImageDataStream, .pngImageDataChecksum, .pngFilterType,
    ]
}
