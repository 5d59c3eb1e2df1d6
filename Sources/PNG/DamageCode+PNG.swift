// What may be wrong with a PNG file.

public import ImageCodecsCore

extension DamageCode {
    /// Four bytes that should be a chunk type are not four letters. An ancillary chunk of such a type is passed over under tolerant
    /// decoding.
    ///
    /// - Source: PNG 3rd ed. §5.3 "Chunk layout"
    @inlinable public static var pngChunkType: DamageCode { DamageCode(rawValue: "png.chunk-type") }

    /// A chunk claims more than 2^31 - 1 bytes.
    ///
    /// - Source: PNG 3rd ed. §5.3 "Chunk layout"
    @inlinable public static var pngChunkLength: DamageCode { DamageCode(rawValue: "png.chunk-length") }

    /// The CRC of a critical chunk is wrong.
    ///
    /// - Source: PNG 3rd ed. §5.5 "CRC algorithm"
    @inlinable public static var pngChunkCRC: DamageCode { DamageCode(rawValue: "png.chunk-crc") }

    /// A critical chunk stands where it must not, or a second time.
    ///
    /// - Source: PNG 3rd ed. §5.6 "Chunk ordering"
    @inlinable public static var pngChunkOrder: DamageCode { DamageCode(rawValue: "png.chunk-order") }

    /// IHDR has not 13 bytes.
    ///
    /// - Source: PNG 3rd ed. §11.2.1 "IHDR Image header"
    @inlinable public static var pngHeaderLength: DamageCode { DamageCode(rawValue: "png.header-length") }

    /// Width or height is 0 or more than 2^31 - 1.
    ///
    /// - Source: PNG 3rd ed. §11.2.1 "IHDR Image header"
    @inlinable public static var pngHeaderSize: DamageCode { DamageCode(rawValue: "png.header-size") }

    /// The bit depth does not go with the color type, or there is no such color type.
    ///
    /// - Source: PNG 3rd ed. §11.2.1 "IHDR Image header"
    @inlinable public static var pngHeaderDepth: DamageCode { DamageCode(rawValue: "png.header-depth") }

    /// An unknown compression, filter or interlace method.
    ///
    /// - Source: PNG 3rd ed. §11.2.1 "IHDR Image header"
    @inlinable public static var pngHeaderMethod: DamageCode { DamageCode(rawValue: "png.header-method") }

    /// Indexed colour without PLTE before the image data.
    ///
    /// - Source: PNG 3rd ed. §11.2.2 "PLTE Palette"
    @inlinable public static var pngPaletteMissing: DamageCode { DamageCode(rawValue: "png.palette-missing") }

    /// PLTE has not 1 to 256 entries of three bytes.
    ///
    /// - Source: PNG 3rd ed. §11.2.2 "PLTE Palette"
    @inlinable public static var pngPaletteLength: DamageCode { DamageCode(rawValue: "png.palette-length") }

    /// IEND without IDAT before it.
    ///
    /// - Source: PNG 3rd ed. §11.2.3 "IDAT Image data"
    @inlinable public static var pngImageDataMissing: DamageCode { DamageCode(rawValue: "png.image-data-missing") }

    /// The image data end before the last row.
    ///
    /// - Source: PNG 3rd ed. §11.2.3 "IDAT Image data"
    @inlinable public static var pngImageDataShort: DamageCode { DamageCode(rawValue: "png.image-data-short") }

    /// The zlib stream of the image data is damaged.
    ///
    /// - Source: PNG 3rd ed. §10 "Compression"
    @inlinable public static var pngImageDataStream: DamageCode { DamageCode(rawValue: "png.image-data-stream") }

    /// The Adler-32 checksum after the image data is wrong.
    ///
    /// - Source: PNG 3rd ed. §10 "Compression"
    @inlinable public static var pngImageDataChecksum: DamageCode { DamageCode(rawValue: "png.image-data-checksum") }

    /// A row with a filter type above 4.
    ///
    /// - Source: PNG 3rd ed. §9.2 "Filter types for filter method 0"
    @inlinable public static var pngFilterType: DamageCode { DamageCode(rawValue: "png.filter-type") }

    /// Every code of PNG.
    public static let allPNG: [DamageCode] = [
        .pngChunkType, .pngChunkLength, .pngChunkCRC, .pngChunkOrder, .pngHeaderLength, .pngHeaderSize, .pngHeaderDepth,
        .pngHeaderMethod, .pngPaletteMissing, .pngPaletteLength, .pngImageDataMissing, .pngImageDataShort,
        .pngImageDataStream, .pngImageDataChecksum, .pngFilterType,
    ]
}
