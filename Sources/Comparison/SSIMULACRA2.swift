// How much alike two pictures look, as a number.

public import ImageCodecsCore

/// How much alike two pictures look: SSIMULACRA 2, version 2.1.
///
/// ```swift
/// let comparison = try SSIMULACRA2(original.bitmap, other.bitmap)
/// print(comparison.score)  // 100: equal; 90: hard to tell apart side by side; 70: high quality; 50: medium; 30: low
/// ```
///
/// The score says how a picture looks next to its original, at the size that it is shown with one pixel to a pixel; it agrees better
/// with what people say than PSNR and SSIM do. It may be negative. The order matters: what was added to the original weighs other than what
/// is missing.
///
/// Samples are taken for sRGB, whatever a profile says, and are compared with eight bits. Pictures with transparency are laid over black,
/// then over white; the worse score counts. A side of less than eight pixels, for which the metric has no answer, is stretched to eight or
/// more: each pixel is repeated.
///
/// Of pictures whose smaller side has less than 256 pixels fewer than six scales are measured, and scores say less.
///
/// - Note: the score is the same on every machine. It is computed row by row, in memory for a few rows.
public struct SSIMULACRA2: Sendable {
    /// 100 for equal pictures, less for others.
    public let score: Double
    /// Where they differ, if that was asked for.
    public let map: LookMap?

    /// Compares two pictures of one size.
    ///
    /// - Parameters:
    ///   - original: what the other is to look like.
    ///   - other: a picture of the same size.
    ///   - makesMap: whether ``map`` is made; it takes longer.
    ///   - limits: bounds on memory, not counting the pictures, and on time.
    /// - Throws: `invalidArgument` for pictures of different sizes or without pixels; `limitExceeded` for memory or time, `cancelled`.
    public init(
        _ original: Bitmap, _ other: Bitmap, makesMap: Bool = false, limits: DecodingLimits = .default
    ) throws(ImageError) {
        var work = WorkGuard(limits: limits)
        work.begin()
        try self.init(
            original, other, makesMap: makesMap, meter: MemoryMeter(limit: limits.maxMemoryByteCount), work: &work)
    }

    /// The same with a caller's meter and clock.
    package init(
        _ original: Bitmap, _ other: Bitmap, makesMap: Bool = false, meter: MemoryMeter?, work: inout WorkGuard
    ) throws(ImageError) {
        guard original.size == other.size, !original.size.isEmpty else {
            throw .invalidArgument("pictures of \(original.size) and \(other.size) pixels cannot be compared")
        }
        var worst: (score: Double, map: LookMap?) = (.infinity, nil)
        for background: UInt8 in [0, 255] {
            var pass = try LookPass(original, other, over: background, makesMap: makesMap, meter: meter)
            try pass.run(original, other, work: &work)
            if pass.score < worst.score { worst = (pass.score, pass.map) }
            if !pass.isTransparent { break }
        }
        (score, map) = worst
    }

    /// Bytes that comparing pictures of this size takes, without a map and without the pictures. Saturates.
    package static func estimatedByteCount(_ size: PixelSize) -> Int {
        LookPass.byteCount(size)
    }
}
