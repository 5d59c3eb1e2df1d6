// What may be wrong with the lossless bitstream of a WebP file.

public import ImageCodecsCore

extension DamageCode {
    /// The bitstream does not begin with 0x2F.
    ///
    /// - Source: RFC 9649 section 3.4 "RIFF Header"
    @inlinable public static var vp8lSignature: DamageCode { DamageCode(rawValue: "webp.vp8l-signature") }

    /// A version other than 0.
    ///
    /// - Source: RFC 9649 section 3.4 "RIFF Header"
    @inlinable public static var vp8lVersion: DamageCode { DamageCode(rawValue: "webp.vp8l-version") }

    /// A transform that was there before.
    ///
    /// - Source: RFC 9649 section 3.5 "Transforms"
    @inlinable public static var vp8lTransformRepeated: DamageCode {
        DamageCode(rawValue: "webp.vp8l-transform-repeated")
    }

    /// A color cache of 0 or more than 11 bits.
    ///
    /// - Source: RFC 9649 section 3.6.2.3 "Color Cache Coding"
    @inlinable public static var vp8lColorCache: DamageCode { DamageCode(rawValue: "webp.vp8l-color-cache") }

    /// More code lengths than the alphabet has symbols.
    ///
    /// - Source: RFC 9649 section 3.7.2.1.2 "Normal Code Length Code"
    @inlinable public static var vp8lCodeLengths: DamageCode { DamageCode(rawValue: "webp.vp8l-code-lengths") }

    /// A prefix code with more codes than its lengths have room for.
    ///
    /// - Source: RFC 9649 section 3.7.2.1 "Decoding and Building the Prefix Codes"
    @inlinable public static var vp8lPrefixCodeOverfull: DamageCode {
        DamageCode(rawValue: "webp.vp8l-prefix-code-overfull")
    }

    /// A prefix code without symbols, or with several that leave room for more.
    ///
    /// - Source: RFC 9649 section 3.7.2.1 "Decoding and Building the Prefix Codes"
    @inlinable public static var vp8lPrefixCodeIncomplete: DamageCode {
        DamageCode(rawValue: "webp.vp8l-prefix-code-incomplete")
    }

    /// A copy from before the first pixel, or beyond the last.
    ///
    /// - Source: RFC 9649 section 3.6.2.2 "LZ77 Backward Reference"
    @inlinable public static var vp8lBackwardReference: DamageCode {
        DamageCode(rawValue: "webp.vp8l-backward-reference")
    }

    /// Every code of VP8L.
    public static let allVP8L: [DamageCode] = [
        .vp8lSignature, .vp8lVersion, .vp8lTransformRepeated, .vp8lColorCache, .vp8lCodeLengths,
        .vp8lPrefixCodeOverfull, .vp8lPrefixCodeIncomplete, .vp8lBackwardReference,
    ]
}
