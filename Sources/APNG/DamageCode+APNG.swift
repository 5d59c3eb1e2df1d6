// What may be wrong with the animation of an APNG file; the rest is that of PNG.

public import ImageCodecsCore

extension DamageCode {
    /// A second acTL, or one that says there are no frames.
    ///
    /// - Source: PNG 3rd ed. §11.3.6.1 "acTL Animation Control Chunk"
    @inlinable public static var apngAnimationControl: DamageCode { DamageCode(rawValue: "apng.animation-control") }

    /// fcTL of another length than 26 bytes, with unknown operations, or with a rectangle that is empty or leaves the canvas.
    ///
    /// - Source: PNG 3rd ed. §11.3.6.2 "fcTL Frame Control Chunk"
    @inlinable public static var apngFrameControl: DamageCode { DamageCode(rawValue: "apng.frame-control") }

    /// An fcTL or fdAT chunk with another sequence number than its turn.
    ///
    /// - Source: PNG 3rd ed. §11.3.6 "Animation information"
    @inlinable public static var apngSequenceNumber: DamageCode { DamageCode(rawValue: "apng.sequence-number") }

    /// fdAT without fcTL before it, or shorter than its sequence number.
    ///
    /// - Source: PNG 3rd ed. §11.3.6.3 "fdAT Frame Data Chunk"
    @inlinable public static var apngFrameData: DamageCode { DamageCode(rawValue: "apng.frame-data") }

    /// The data of a frame end before the last row, or there are none.
    ///
    /// - Source: PNG 3rd ed. §11.3.6.3 "fdAT Frame Data Chunk"
    @inlinable public static var apngFrameDataShort: DamageCode { DamageCode(rawValue: "apng.frame-data-short") }

    /// Another number of frames than acTL says.
    ///
    /// - Source: PNG 3rd ed. §11.3.6.1 "acTL Animation Control Chunk"
    @inlinable public static var apngFrameCount: DamageCode { DamageCode(rawValue: "apng.frame-count") }

    /// Every code of APNG.
    public static let allAPNG: [DamageCode] = [
        .apngAnimationControl, .apngFrameControl, .apngSequenceNumber, .apngFrameData, .apngFrameDataShort,
        .apngFrameCount,
    ]
}
