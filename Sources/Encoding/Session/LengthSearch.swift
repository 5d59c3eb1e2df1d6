// The highest quality whose file has no more bytes than are allowed, found in a few attempts.

import ImageCodecsCore

/// Looks for a quality with which a file is just short enough.
///
/// The logarithm of a file's length is nearly a line over the quality, so the next attempt is where the line through the last ones says that the
/// file is as long as is allowed, a little less. Between a quality that fits and one that does not the answer comes nearer whatever lengths do.
///
/// ```
///  log2 of bytes │                     ╱× too long
///        allowed ┼┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄╱┄┄┄
///                │       fits  ×╱   ▲ next
///                └──────────────────┴─────── quality
/// ```
package struct LengthSearch {
    /// The most attempts. Of photographs three or four do.
    package static let attemptCount = 12
    /// A file that leaves no more than this share of what is allowed is good enough.
    private static let unusedShare = 200
    /// Qualities that are no further apart are as good as one.
    private static let resolution = 1.0 / 4096
    /// What two qualities that are 1 apart usually do: 32 times as many bytes.
    private static let usualSlope = 5.0

    private let limit: Int
    private let lowest: Double
    private let first: Double
    /// The highest quality that fits.
    package private(set) var best: (quality: Double, byteCount: Int)?
    /// The lowest quality that does not, and how long its file is; if that is not known, the highest of all, which may fit.
    private var tooHigh: (quality: Double, byteCount: Int?)
    /// What was found before that.
    private var before: (quality: Double, byteCount: Int)?
    private var count = 0

    /// - Parameters:
    ///   - limit: the most bytes of a file.
    ///   - qualities: 0...1.
    ///   - byteCount: how long the file of the highest quality is, if it is known to be too long; it is not tried then.
    ///   - first: what to try first if that is not known.
    package init(limit: Int, qualities: ClosedRange<Double>, byteCount: Int?, first: Double) {
        self.limit = limit
        self.first = first
        lowest = qualities.lowerBound
        tooHigh = (qualities.upperBound, byteCount)
    }

    /// Records how long a file is.
    package mutating func record(_ quality: Double, byteCount: Int) {
        count += 1
        if byteCount <= limit {
            best = (quality, byteCount)
        } else {
            before = tooHigh.byteCount.map { (tooHigh.quality, $0) }
            tooHigh = (quality, byteCount)
        }
    }

    /// The quality to try next; `nil` if enough is known, or if none fits.
    package var next: Double? {
        guard count < Self.attemptCount else { return nil }
        let target = ReproduciblePowers.log2(Double(limit) * (1 - 0.5 / Double(Self.unusedShare)))
        guard let best else {
            guard tooHigh.quality > lowest || tooHigh.byteCount == nil else { return nil }
            // If even that does not fit, nothing does.
            guard count < 3 else { return lowest }
            return min(max(lowest, guessBelow(target)), tooHigh.quality)
        }
        let width = tooHigh.quality - best.quality
        guard best.byteCount < limit - limit / Self.unusedShare, width > Self.resolution else { return nil }
        // Now and then the middle, for lengths that go by steps.
        if count % 3 == 0 { return best.quality + width / 2 }
        let length = ReproduciblePowers.log2(Double(max(1, best.byteCount)))
        var slope = Self.usualSlope
        if let byteCount = tooHigh.byteCount { slope = (ReproduciblePowers.log2(Double(byteCount)) - length) / width }
        let guess = best.quality + (target - length) / max(slope, 0.1)
        if tooHigh.byteCount == nil, guess >= tooHigh.quality { return tooHigh.quality }
        return min(max(guess, best.quality + width / 32), tooHigh.quality - width / 32)
    }

    /// A quality that should fit, by those that do not.
    private func guessBelow(_ target: Double) -> Double {
        guard let byteCount = tooHigh.byteCount else { return first }
        let length = ReproduciblePowers.log2(Double(byteCount))
        guard let before, before.quality > tooHigh.quality else {
            return tooHigh.quality - (length - target) / Self.usualSlope
        }
        let slope = (ReproduciblePowers.log2(Double(before.byteCount)) - length) / (before.quality - tooHigh.quality)
        // A little further each time: from there on it is between two.
        return tooHigh.quality - max(1.25 * (length - target) / max(slope, 0.5), 1.0 / 128)
    }
}
