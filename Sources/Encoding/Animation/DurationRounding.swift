// How long frames are shown, in the units that a format has: hundredths of a second, milliseconds.

/// Rounds durations one after another so that their sum stays within half a unit.
///
/// What rounding one frame takes or adds, the next make up for: three frames of 33.3 ms are 3, 4 and 3 hundredths.
///
/// Decoders show frames of 10 ms or less for a tenth of a second. So a longer duration stays longer (in hundredths, frames of 60 a second are
/// shown for 20 ms each), and the next frames are shorter for it, as far as they can be; what is left of it at the end is ``excess``. A
/// duration of 10 ms or less does not become longer than that.
package struct DurationRounding: Hashable, Sendable {
    /// Nanoseconds of a unit.
    private let unit: Int64
    /// The most units that decoders show for a tenth of a second.
    private let mostOfShort: Int64
    /// What frames so far were shown too short, in nanoseconds; negative if too long.
    private var owed: Int64 = 0

    private static let millisecond: Int64 = 1_000_000
    /// The longest duration, 65,535 s, as in animated PNG files.
    private static let longest = Duration.seconds(65_535)

    /// - Parameter unitMilliseconds: what the format counts: 1, 2, 5 or 10 milliseconds.
    package init(unitMilliseconds: Int) {
        precondition([1, 2, 5, 10].contains(unitMilliseconds), "a unit of which 10 ms are no whole number")
        unit = Int64(unitMilliseconds) * Self.millisecond
        mostOfShort = 10 * Self.millisecond / unit
    }

    /// Units of the next frame: 0 ms to 65,535 s.
    package mutating func next(_ duration: Duration) -> Int {
        guard duration > .zero else { return 0 }
        let (seconds, attoseconds) = min(duration, Self.longest).components
        let wanted = seconds * 1_000_000_000 + attoseconds / 1_000_000_000 + owed
        let nearest = max(0, wanted + unit / 2) / unit
        let isShort = duration <= .milliseconds(10)
        let count = isShort ? min(mostOfShort, nearest) : max(mostOfShort + 1, nearest)
        owed = min(wanted - count * unit, unit / 2)
        return Int(min(count, 65_535_000_000_000 / unit))
    }

    /// By how much all frames together are shown longer than they should be, if it is more than half a unit.
    package var excess: Duration { owed < -unit / 2 ? .nanoseconds(-owed) : .zero }

    /// A number of units as those of one or more frames, none of which is shown for a tenth of a second because it is the rest.
    ///
    /// - Parameters:
    ///   - count: 0 or more.
    ///   - largest: the most that one frame has.
    package func parts(of count: Int, largest: Int) -> [Int] {
        let full = [Int](repeating: largest, count: count / largest)
        let rest = count % largest
        guard rest > 0 || full.isEmpty else { return full }
        let least = Int(mostOfShort) + 1
        guard !full.isEmpty, rest < least else { return full + [rest] }
        return full.dropLast() + [largest - (least - rest), least]
    }
}
