// What a player hands out.

public import ImageCodecsCore

/// A frame of an ``AnimationPlayer``, to be shown now.
public struct PlayedFrame<Instant: InstantProtocol>: Sendable where Instant.Duration == Duration {
    /// The picture, with the duration that the file says.
    public var frame: ImageFrame
    /// Which frame of the animation it is.
    public var index: Int
    /// When it is to be shown: now, or a little earlier if it comes late.
    public var instant: Instant
    /// The same, counted from when the first frame was shown; pauses count.
    public var offset: Duration
    /// How long it is to be shown at the rate of playing, if nothing is changed meanwhile.
    public var duration: Duration
    /// How often the animation was played to its end before.
    public var completedPlayCount: Int

    /// Creates a frame.
    ///
    /// - Parameters:
    ///   - frame: The picture.
    ///   - index: Which frame of the animation it is.
    ///   - instant: When it is to be shown.
    ///   - offset: The same, counted from when the first frame was shown.
    ///   - duration: How long it is to be shown.
    ///   - completedPlayCount: How often the animation was played to its end before.
    public init(
        frame: ImageFrame, index: Int, instant: Instant, offset: Duration, duration: Duration, completedPlayCount: Int
    ) {
        self.frame = frame
        self.index = index
        self.instant = instant
        self.offset = offset
        self.duration = duration
        self.completedPlayCount = completedPlayCount
    }
}
