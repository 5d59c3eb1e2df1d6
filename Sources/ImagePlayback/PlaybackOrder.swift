// Which frame comes after which: arithmetic on indices, no time.
//
//   bounce, 4 frames, 2 plays:   0 1 2 3 2 1 0 | 1 2 3 2 1 0
//                                ──────▶──────   the bar: here the second play begins

/// The order of the frames in a playback.
package struct PlaybackOrder: Hashable, Sendable {
    /// How it goes.
    package var mode: PlaybackMode
    /// Frames of the animation.
    package let frameCount: Int
    /// How often it is played, 0 for ever.
    package let playCount: Int

    /// A place in the order.
    package struct Position: Hashable, Sendable {
        /// The frame.
        package var index: Int
        /// Whether indices grow here; in the bouncing modes, if the frame is a turn, whether they grew to get here.
        package var isAscending: Bool
        /// Plays that were complete before.
        package var completedPlayCount: Int

        package init(index: Int, isAscending: Bool, completedPlayCount: Int) {
            self.index = index
            self.isAscending = isAscending
            self.completedPlayCount = completedPlayCount
        }
    }

    package init(mode: PlaybackMode, frameCount: Int, playCount: Int) {
        self.mode = mode
        self.frameCount = frameCount
        self.playCount = playCount
    }

    /// Where playing begins; `nil` if there is no frame.
    ///
    /// - Parameter index: a frame of the animation; `nil`: the one with which the mode begins.
    package func start(at index: Int? = nil, completedPlayCount: Int = 0) -> Position? {
        guard frameCount > 0 else { return nil }
        return Position(
            index: index ?? (mode.beginsAscending ? 0 : frameCount - 1), isAscending: mode.beginsAscending,
            completedPlayCount: completedPlayCount)
    }

    /// What comes after `position`; `nil` after the last.
    package func position(after position: Position) -> Position? {
        var next = position
        let end = position.isAscending ? frameCount - 1 : 0
        if position.index != end {
            next.index += position.isAscending ? 1 : -1
            return next
        }
        let isTurn = mode.bounces && position.isAscending == mode.beginsAscending && frameCount > 1
        if !isTurn {
            next.completedPlayCount += 1
            guard playCount == 0 || next.completedPlayCount < playCount else { return nil }
        }
        if mode.bounces {
            next.isAscending = frameCount > 1 ? !position.isAscending : position.isAscending
            if frameCount > 1 { next.index += next.isAscending ? 1 : -1 }
        } else {
            next.index = position.isAscending ? 0 : frameCount - 1
        }
        return next
    }

    /// The same frame with the direction of ``mode``; the bouncing modes keep the direction of `position`.
    package func adopting(_ position: Position) -> Position {
        var adopted = position
        if !mode.bounces { adopted.isAscending = mode.beginsAscending }
        return adopted
    }

    /// How long it takes to come back to the same place one play later.
    package func playDuration(_ durations: [Duration]) -> Duration {
        let sum = durations.reduce(.zero, +)
        guard mode.bounces, durations.count > 1 else { return sum }
        // Each frame twice, but those at the turns.
        return sum * 2 - durations[0] - durations[durations.count - 1]
    }
}

extension PlaybackMode {
    /// Whether indices grow at the beginning of a play.
    fileprivate var beginsAscending: Bool { self == .normal || self == .bounce }
    /// Whether a play comes back to where it began.
    fileprivate var bounces: Bool { self == .bounce || self == .reversedBounce }
}
