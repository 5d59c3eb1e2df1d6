// What may be wrong with the container of a WebP file; bitstreams have codes of their own.

public import ImageCodecsCore

extension DamageCode {
    /// A RIFF chunk too short for a picture, or longer than any may be.
    ///
    /// - Source: RFC 9649 §2.4 "WebP File Header"
    @inlinable public static var webpFileSize: DamageCode { DamageCode(rawValue: "webp.file-size") }

    /// A chunk that does not fit into the file or the frame that it is in, or too short for what it has to hold.
    ///
    /// - Source: RFC 9649 §2.3 "RIFF File Format"
    @inlinable public static var webpChunkSize: DamageCode { DamageCode(rawValue: "webp.chunk-size") }

    /// A chunk where it must not stand, or twice.
    ///
    /// - Source: RFC 9649 §2.7 "Extended File Format"
    @inlinable public static var webpChunkOrder: DamageCode { DamageCode(rawValue: "webp.chunk-order") }

    /// A canvas of 2^32 pixels or more, or of another size than its picture.
    ///
    /// - Source: RFC 9649 §2.7 "Extended File Format"
    @inlinable public static var webpCanvasSize: DamageCode { DamageCode(rawValue: "webp.canvas-size") }

    /// The file ends without a picture.
    ///
    /// - Source: RFC 9649 §2.7 "Extended File Format"
    @inlinable public static var webpImageMissing: DamageCode { DamageCode(rawValue: "webp.image-missing") }

    /// The payload of a picture is shorter than the header of its bitstream.
    ///
    /// - Source: RFC 6386 §9.1 "Uncompressed Data Chunk", RFC 9649 §3.4 "RIFF Header"
    @inlinable public static var webpImageHeader: DamageCode { DamageCode(rawValue: "webp.image-header") }

    /// The data of a picture end before its last row.
    ///
    /// - Source: RFC 9649 §2.7.1.3 "Bitstream (VP8/VP8L)"
    @inlinable public static var webpImageDataShort: DamageCode { DamageCode(rawValue: "webp.image-data-short") }

    /// A frame that leaves the canvas, or of another size than its alpha.
    ///
    /// - Source: RFC 9649 §2.7.1.1 "Animation"
    @inlinable public static var webpFrameRectangle: DamageCode { DamageCode(rawValue: "webp.frame-rectangle") }

    /// Alpha compressed or preprocessed in a way that is not defined.
    ///
    /// - Source: RFC 9649 §2.7.1.2 "Alpha"
    @inlinable public static var webpAlphaHeader: DamageCode { DamageCode(rawValue: "webp.alpha-header") }

    /// The alpha of a picture ends before its last row.
    ///
    /// - Source: RFC 9649 §2.7.1.2 "Alpha"
    @inlinable public static var webpAlphaShort: DamageCode { DamageCode(rawValue: "webp.alpha-short") }

    /// Every code of the WebP container.
    public static let allWebP: [DamageCode] = [
        .webpFileSize, .webpChunkSize, .webpChunkOrder, .webpCanvasSize, .webpImageMissing, .webpImageHeader,
        .webpImageDataShort, .webpFrameRectangle, .webpAlphaHeader, .webpAlphaShort,
    ]
}
