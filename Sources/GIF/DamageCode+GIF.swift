// What may be wrong with a GIF file.

public import ImageCodecsCore

extension DamageCode {
    /// A byte where a block should begin that begins none.
    ///
    /// - Source: GIF89a Appendix B "GIF Grammar"
    @inlinable public static var gifBlockUnknown: DamageCode { DamageCode(rawValue: "gif.block-unknown") }

    /// Neither the logical screen nor the first image has a width and a height.
    ///
    /// - Source: GIF89a section 18 "Logical Screen Descriptor"
    @inlinable public static var gifScreenSize: DamageCode { DamageCode(rawValue: "gif.screen-size") }

    /// The trailer comes before any image.
    ///
    /// - Source: GIF89a Appendix B "GIF Grammar"
    @inlinable public static var gifImageMissing: DamageCode { DamageCode(rawValue: "gif.image-missing") }

    /// A minimum code size outside 1...8.
    ///
    /// - Source: GIF89a section 22 "Table Based Image Data"
    @inlinable public static var gifCodeSize: DamageCode { DamageCode(rawValue: "gif.code-size") }

    /// A code that no string has.
    ///
    /// - Source: GIF89a Appendix F "Variable-Length-Code LZW Compression"
    @inlinable public static var gifImageDataCode: DamageCode { DamageCode(rawValue: "gif.image-data-code") }

    /// The image data end before the last pixel.
    ///
    /// - Source: GIF89a section 22 "Table Based Image Data"
    @inlinable public static var gifImageDataShort: DamageCode { DamageCode(rawValue: "gif.image-data-short") }

    /// Every code of GIF.
    public static let allGIF: [DamageCode] = [
        .gifBlockUnknown, .gifScreenSize, .gifImageMissing, .gifCodeSize, .gifImageDataCode, .gifImageDataShort,
    ]
}
