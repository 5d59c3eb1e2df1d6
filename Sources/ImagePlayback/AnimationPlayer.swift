// Plays an animation: frames as an asynchronous sequence, each when it is time to show it.

public import ImageCodecsCore

/// The frames of an animation, one after the other, each when it is to be shown.
///
/// <!-- snippet: Tests/ImagePlaybackTests/PlayingExampleTests.swift play -->
/// ```swift
/// let player = try AnimationPlayer(animation)
/// for try await played in player { show(played.frame.bitmap) }
/// ```
///
/// The sequence ends when the time of the last frame is over; an error of decoding ends it if the broken frame would
/// be shown, and cancelling the task ends it at once with `cancelled`.
///
/// Frames are decoded on threads made for it, some of them ahead (``PlaybackOptions/lookAhead``). Each iteration plays on
/// its own, from the beginning. When its iterator goes away it stops: nothing is decoded any longer, and no task, timer or
/// decoded frame is left.
///
/// Times are those of `ImageFrame.effectiveDuration`, 100 ms for frames of 10 ms or less. More in
/// <doc:PlayingAnimations>.
public struct AnimationPlayer<C: Clock>: AsyncSequence, Sendable where C.Duration == Duration {
    /// A frame, and when to show it.
    public typealias Element = PlayedFrame<C.Instant>
    /// What ends the sequence early.
    public typealias Failure = ImageError

    /// Seeks, pauses, and changes mode and rate while it plays.
    public let controller: PlaybackController
    private let animation: any AnimatedImageProvider
    private let durations: [Duration]
    private let clock: C

    /// Plays on a clock of the caller's.
    ///
    /// - Parameters:
    ///   - animation: What is to be played; a still picture is an animation of one frame.
    ///   - options: How it is played.
    ///   - clock: Tells the time and waits.
    /// - Throws: `invalidArgument` for options that make no sense for this animation.
    public init(
        _ animation: any AnimatedImageProvider, options: PlaybackOptions = PlaybackOptions(), clock: C
    ) throws(ImageError) {
        let frameCount = animation.frameCount
        try options.check(frameCount: frameCount)
        var durations: [Duration] = []
        durations.reserveCapacity(frameCount)
        for index in 0..<frameCount { durations.append(try animation.duration(at: index)) }
        self.animation = animation
        self.durations = durations
        self.clock = clock
        controller = PlaybackController(options, frameCount: frameCount)
    }

    /// Begins to play. The first frame is decoded when it is asked for.
    public func makeAsyncIterator() -> Iterator {
        let (playback, number) = controller.attach { options in
            let schedule = PlaybackSchedule(durations: durations, options: options, playCount: animation.loopCount)
            return Playback(animation, schedule, options, clock: clock)
        }
        return Iterator(run: Run(playback, controller, number))
    }

    /// Stops the playback when nobody iterates any longer.
    final class Run: Sendable {
        let playback: Playback<C>
        private let controller: PlaybackController
        private let number: Int

        init(_ playback: Playback<C>, _ controller: PlaybackController, _ number: Int) {
            self.playback = playback
            self.controller = controller
            self.number = number
        }

        deinit {
            controller.detach(number)
            playback.stop()
        }
    }

    /// One playing of the animation; copies play the same.
    public struct Iterator: AsyncIteratorProtocol {
        let run: Run

        /// Waits until the next frame is to be shown.
        ///
        /// - Parameter actor: Where it is called; playing does not need it.
        /// - Returns: The frame; `nil` when the time of the last one is over, and after an error.
        /// - Throws: What decoding the frame throws, and `cancelled` when the task is.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(ImageError) -> PlayedFrame<C.Instant>? {
            try await run.playback.next()
        }
    }
}

extension AnimationPlayer where C == ContinuousClock {
    /// Plays in real time.
    ///
    /// - Parameters:
    ///   - animation: What is to be played; a still picture is an animation of one frame.
    ///   - options: How it is played.
    /// - Throws: `invalidArgument` for options that make no sense for this animation.
    public init(
        _ animation: any AnimatedImageProvider, options: PlaybackOptions = PlaybackOptions()
    ) throws(ImageError) {
        try self.init(animation, options: options, clock: ContinuousClock())
    }
}
