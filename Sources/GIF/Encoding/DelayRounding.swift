// How long frames are shown, in the hundredths of a second that graphic control extensions hold.

import ImageCodecsCore

/// Rounds durations one after another so that their sum stays within half a hundredth.
///
/// What rounding one frame takes or adds, the next makes up for: three frames of 33.3 ms are 3, 4 and 3 hundredths.
///
/// Decoders show frames of 0 and 1 hundredths for a tenth of a second, and those of 10 ms or less in other formats too. So a longer
/// duration is 2 hundredths at least, which nothing makes up for (frames of 60 a second are shown for 20 ms each), and a
/// duration of 10 ms or less is 1 at most.
package struct DelayRounding: Hashable, Sendable {
    /// What frames so far were shown too short, in nanoseconds; negative if too long.
    private var owed: Int64 = 0

    private static let hundredth: Int64 = 10_000_000
    /// The longest duration, 65,535 s, as in animated PNG files.
    private static let longest = Duration.seconds(65_535)
    private static let most = 6_553_500

    package init() {}

    /// Hundredths of a second of the next frame, at most 6,553,500.
    package mutating func next(_ duration: Duration) -> Int {
        guard duration > .zero else { return 0 }
        let (seconds, attoseconds) = min(duration, Self.longest).components
        let wanted = seconds * 1_000_000_000 + attoseconds / 1_000_000_000 + owed
        let nearest = max(0, wanted + Self.hundredth / 2) / Self.hundredth
        let isShort = duration <= .milliseconds(10)
        let count = isShort ? min(1, nearest) : max(2, nearest)
        owed = min(max(wanted - count * Self.hundredth, -Self.hundredth / 2), Self.hundredth / 2)
        return min(Int(count), Self.most)
    }
}

/// A number of hundredths as those of one or more frames: each has at most 65,535.
package func delays(ofHundredths count: Int) -> [UInt16] {
    let largest = Int(UInt16.max)
    let full = [UInt16](repeating: .max, count: count / largest)
    let rest = UInt16(count % largest)
    guard rest > 0 || full.isEmpty else { return full }
    // A frame of 1 would be shown for a tenth of a second.
    return rest == 1 && !full.isEmpty ? full.dropLast() + [.max - 1, 2] : full + [rest]
}
