// Changes a playback while it runs, from any thread.

public import ImageCodecsCore
internal import Synchronization

/// Pauses, seeks and changes what an ``AnimationPlayer`` plays.
///
/// ``AnimationPlayer/controller`` is one. Mode, rate and pause also hold for iterations that begin later.
public final class PlaybackController: Sendable {
    /// What is done to a schedule, at a time of its own.
    typealias Change = @Sendable (inout PlaybackSchedule, Duration) -> Void

    private struct State {
        var options: PlaybackOptions
        var isPaused = false
        var nextNumber = 0
        /// What is playing now.
        var playbacks: [Int: @Sendable (Change) -> Void] = [:]

        func tellAll(_ change: Change) {
            for tell in playbacks.values { tell(change) }
        }
    }

    private let frameCount: Int
    private let state: Mutex<State>

    init(_ options: PlaybackOptions, frameCount: Int) {
        self.frameCount = frameCount
        state = Mutex(State(options: options))
    }

    // MARK: What it does

    /// Shows frame `index` at once, also in a pause, and goes on from there as if playing had begun there; plays that
    /// were complete still count. What is not played yet begins there.
    ///
    /// - Parameter index: a frame of the animation.
    /// - Throws: `invalidArgument` if there is no such frame.
    public func seek(to index: Int) throws(ImageError) {
        try PlaybackOptions.check(index: index, frameCount: frameCount)
        state.withLock { state in
            if state.playbacks.isEmpty { state.options.startIndex = index }
            state.tellAll { schedule, _ in schedule.seek(to: index) }
        }
    }

    /// Stops at the frame that is shown, which keeps the rest of its time. What was not shown yet at all shows its first
    /// frame.
    public func pause() {
        state.withLock { state in
            state.isPaused = true
            state.tellAll { $0.pause(at: $1) }
        }
    }

    /// Goes on after a pause.
    public func resume() {
        state.withLock { state in
            state.isPaused = false
            state.tellAll { $0.resume(at: $1) }
        }
    }

    /// Whether it is paused.
    public var isPaused: Bool { state.withLock { $0.isPaused } }

    /// How fast it plays.
    public var rate: Double { state.withLock { $0.options.rate } }

    /// Changes how fast it plays, which also shortens or lengthens the rest of the time of the frame that is shown.
    ///
    /// - Parameter rate: in ``PlaybackOptions/rates``.
    /// - Throws: `invalidArgument` for another rate.
    public func setRate(_ rate: Double) throws(ImageError) {
        try PlaybackOptions.check(rate: rate)
        state.withLock { state in
            state.options.rate = rate
            state.tellAll { $0.setRate(rate, at: $1) }
        }
    }

    /// The order of the frames. Set, it changes from the frame that is shown on; the bouncing modes go on in the
    /// direction in which it is being played.
    public var mode: PlaybackMode {
        get { state.withLock { $0.options.mode } }
        set {
            state.withLock { state in
                state.options.mode = newValue
                state.tellAll { schedule, _ in schedule.setMode(newValue) }
            }
        }
    }

    // MARK: The playbacks that it controls

    /// Begins to control a playback, which is made from what is set now.
    ///
    /// - Returns: the playback, and the number with which it leaves.
    func attach<C: Clock>(_ make: (PlaybackOptions) -> Playback<C>) -> (Playback<C>, Int) {
        state.withLock { state in
            let playback = make(state.options)
            if state.isPaused { playback.change { $0.pause(at: $1) } }
            let number = state.nextNumber
            state.nextNumber += 1
            state.playbacks[number] = { playback.change($0) }
            return (playback, number)
        }
    }

    /// Leaves a playback alone, and does not hold it any longer.
    func detach(_ number: Int) { _ = state.withLock { $0.playbacks.removeValue(forKey: number) } }
}
