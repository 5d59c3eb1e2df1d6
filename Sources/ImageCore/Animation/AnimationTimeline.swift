// Animations for players that only know equal intervals (after SDWebImage).

/// An animation as ticks of equal length.
public struct AnimationTimeline: Hashable, Sendable {
    /// The length of a tick: the greatest common divisor of all frame durations.
    public var tick: Duration
    /// For how many ticks each frame is shown.
    public var repeatCounts: [Int]

    /// Creates a timeline.
    public init(tick: Duration, repeatCounts: [Int]) {
        self.tick = tick
        self.repeatCounts = repeatCounts
    }
}

extension [ImageFrame] {
    /// The frames' effective durations as counts of one tick.
    ///
    /// Frames are counted, never copied. Durations are taken in whole milliseconds.
    public var timeline: AnimationTimeline {
        let milliseconds = map { Swift.max(1, $0.effectiveDuration.wholeMilliseconds) }
        guard let first = milliseconds.first else { return AnimationTimeline(tick: .zero, repeatCounts: []) }
        let divisor = milliseconds.reduce(first, greatestCommonDivisor)
        return AnimationTimeline(tick: .milliseconds(divisor), repeatCounts: milliseconds.map { $0 / divisor })
    }
}

private func greatestCommonDivisor(_ a: Int, _ b: Int) -> Int {
    var (a, b) = (a, b)
    while b != 0 { (a, b) = (b, a % b) }
    return a
}
