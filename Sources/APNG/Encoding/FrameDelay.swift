// How long a frame is shown, as the fraction that fcTL holds.

import ImageCodecsCore

/// A fraction of a second whose numerator and denominator have sixteen bits.
///
/// Source: PNG 3rd ed. §11.3.6.2 "fcTL Frame Control Chunk".
package struct FrameDelay: Hashable, Sendable {
    package let numerator: UInt16
    /// At least 1.
    package let denominator: UInt16

    /// The duration if a fraction can say it, else the nearest fraction.
    ///
    /// Whole milliseconds up to 65,535 are over 1000. Other durations are the nearest of all fractions, found among the convergents of
    /// their continued fraction and what lies between: 1/30 s is 1/30, 100 s is 100/1. Negative ones are zero, and the longest is
    /// 65,535 s.
    package init(_ duration: Duration) {
        guard duration > .zero else {
            self.init(numerator: 0, denominator: 1000)
            return
        }
        let (seconds, attoseconds) = duration.components
        guard seconds < Self.largest else {
            self.init(numerator: Self.largest, denominator: 1)
            return
        }
        let (milliseconds, rest) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000_000_000)
        let whole = seconds * 1000 + milliseconds
        if rest == 0, whole <= Self.largest {
            self.init(numerator: whole, denominator: 1000)
            return
        }
        self = Self.nearest(seconds, attoseconds)
    }

    /// How long decoders show the frame.
    package var duration: Duration {
        FrameControl.duration(numerator: Int(numerator), denominator: Int(denominator))
    }

    /// Whether nobody can tell it from a duration, over some thousand frames together.
    func isWithinMicrosecond(of other: Duration) -> Bool {
        let difference = duration - other
        return difference < .microseconds(1) && difference > .microseconds(-1)
    }

    private init(numerator: Int64, denominator: Int64) {
        self.numerator = UInt16(clamping: numerator)
        self.denominator = UInt16(clamping: max(1, denominator))
    }

    private static let largest: Int64 = 65535

    /// The nearest fraction to `seconds + attoseconds / 10^18`.
    private static func nearest(_ seconds: Int64, _ attoseconds: Int64) -> FrameDelay {
        // Convergents h/k of the part below a second; the numerator of the whole is seconds * k + h.
        var (h, k): (Int64, Int64) = (0, 1)
        var (lastH, lastK): (Int64, Int64) = (1, 0)
        // 1 / x is dividend / divisor.
        var (dividend, divisor): (Int64, Int64) = (1_000_000_000_000_000_000, attoseconds)
        while divisor > 0 {
            let quotient = dividend / divisor
            // The most steps towards the next convergent for which both numbers are small enough.
            let byDenominator = (largest - lastK) / k
            let step = seconds * k + h
            let byNumerator = step == 0 ? Int64.max : (largest - (seconds * lastK + lastH)) / step
            let most = max(0, min(quotient, byDenominator, byNumerator))
            let (nextH, nextK) = (lastH + most * h, lastK + most * k)
            guard most == quotient else {
                let between = FrameDelay(numerator: seconds * nextK + nextH, denominator: nextK)
                let last = FrameDelay(numerator: step, denominator: k)
                let wanted = Double(seconds) + Double(attoseconds) / 1e18
                return nextK > 0 && abs(between.seconds - wanted) < abs(last.seconds - wanted) ? between : last
            }
            (lastH, lastK, h, k) = (h, k, nextH, nextK)
            (dividend, divisor) = (divisor, dividend % divisor)
        }
        return FrameDelay(numerator: seconds * k + h, denominator: k)
    }

    private var seconds: Double { Double(numerator) / Double(denominator) }
}
