// What may be wrong with a VP8 key frame in a WebP file.

public import ImageCodecsCore

extension DamageCode {
    /// A frame that is not a key frame, or of an unknown profile.
    ///
    /// - Source: RFC 6386 section 9.1 "Uncompressed Data Chunk"
    @inlinable public static var vp8FrameTag: DamageCode { DamageCode(rawValue: "webp.vp8-frame-tag") }

    /// The three bytes after the frame tag are not 9D 01 2A.
    ///
    /// - Source: RFC 6386 section 9.1 "Uncompressed Data Chunk"
    @inlinable public static var vp8StartCode: DamageCode { DamageCode(rawValue: "webp.vp8-start-code") }

    /// A picture without width or height.
    ///
    /// - Source: RFC 6386 section 9.1 "Uncompressed Data Chunk"
    @inlinable public static var vp8FrameSize: DamageCode { DamageCode(rawValue: "webp.vp8-frame-size") }

    /// The first partition goes beyond the frame, or ends before the modes of all macroblocks.
    ///
    /// - Source: RFC 6386 section 9.2 "Color Space and Pixel Type" and following
    @inlinable public static var vp8FirstPartition: DamageCode { DamageCode(rawValue: "webp.vp8-first-partition") }

    /// The sizes of the token partitions go beyond the frame, or leave nothing for the last.
    ///
    /// - Source: RFC 6386 section 9.5 "Token Partition and Partition Data Offsets"
    @inlinable public static var vp8Partitions: DamageCode { DamageCode(rawValue: "webp.vp8-partitions") }

    /// A token partition ends before the coefficients of all its macroblocks.
    ///
    /// - Source: RFC 6386 section 13 "DCT Coefficient Decoding"
    @inlinable public static var vp8TokensShort: DamageCode { DamageCode(rawValue: "webp.vp8-tokens-short") }

    /// Every code of VP8.
    public static let allVP8: [DamageCode] = [
        .vp8FrameTag, .vp8StartCode, .vp8FrameSize, .vp8FirstPartition, .vp8Partitions, .vp8TokensShort,
    ]
}
