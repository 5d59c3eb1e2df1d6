// Which frame comes next, and when: a value without effects. Times count from any fixed moment.
//
//   shown ──its time at the rate──▶ due: next is shown ──...──▶ due: over
//              pause: due moves by as long as it lasts
//              seek:  next is another one, due at once

import ImageCodecsCore

/// The schedule of a playback.
package struct PlaybackSchedule: Hashable, Sendable {
    /// A frame that was shown.
    package struct Showing: Hashable, Sendable {
        /// Which it is.
        package let position: PlaybackOrder.Position
        /// Since when it is shown.
        package let time: Duration
        /// How long it is to be shown.
        package let duration: Duration
    }

    /// The order of the frames.
    package private(set) var order: PlaybackOrder
    /// How fast.
    package private(set) var rate: Double
    /// The frame to be shown next; `nil` when the one shown is the last.
    package private(set) var next: PlaybackOrder.Position?
    /// When that is, or when the last frame's time is over; `nil`: at once.
    package private(set) var due: Duration?
    /// How long each frame is shown at a rate of 1.
    private let durations: [Duration]
    private let lateFrames: LateFramePolicy
    private var shown: PlaybackOrder.Position?
    /// The frame that was asked for to be shown at once; `nil` for the one with which the mode begins.
    private var wantedIndex: Int?
    /// Since when it is paused; later than that, when a frame was shown meanwhile.
    private var pausedSince: Duration?

    /// No frame is shown for longer: eleven days, so that no sum of times overflows.
    private static let longestDuration = Duration.seconds(1_000_000)

    /// A schedule that begins at once.
    ///
    /// - Parameters:
    ///   - durations: what the file says, for each frame.
    ///   - options: checked before.
    ///   - playCount: as often as the file says, 0 for ever.
    package init(durations: [Duration], options: PlaybackOptions, playCount: Int) {
        self.durations = durations.map {
            min(ImageFrame(bitmap: .empty, duration: $0).effectiveDuration, Self.longestDuration)
        }
        order = PlaybackOrder(
            mode: options.mode, frameCount: durations.count, playCount: max(0, options.playCount ?? playCount))
        rate = options.rate
        lateFrames = options.lateFrames
        wantedIndex = options.startIndex
        next = order.start(at: options.startIndex)
    }

    /// Whether it is paused.
    package var isPaused: Bool { pausedSince != nil }

    /// Whether nothing happens before ``resume(at:)`` or ``seek(to:)``: what was asked for is shown in a pause too.
    package var isHeld: Bool { isPaused && due != nil }

    /// The next frames in order, each once.
    ///
    /// - Parameter count: the number of steps that are looked at.
    package func upcoming(_ count: Int) -> [Int] {
        var indices: [Int] = []
        var known: Set<Int> = []
        var position = next
        for _ in 0..<min(count, 2 * order.frameCount) {
            guard let here = position else { break }
            if known.insert(here.index).inserted { indices.append(here.index) }
            position = order.position(after: here)
        }
        return indices
    }

    // MARK: Time goes by

    /// Passes over frames whose time is over at `now`, if that is wanted. Called once for each frame that is asked
    /// for: what is next then is shown however long decoding takes, so that there always is something to see.
    package mutating func skip(to now: Duration) {
        guard lateFrames == .skipped, !isPaused, due != nil else { return }
        skipPlays(to: now)
        while let position = next, let start = due, let following = order.position(after: position) {
            let end = start + time(of: position)
            guard end <= now else { return }
            next = following
            due = end
        }
    }

    /// Passes over whole plays by one division, but for the last two.
    private mutating func skipPlays(to now: Duration) {
        guard let start = due, next != nil else { return }
        let play = scaled(order.playDuration(durations))
        guard play > .zero, now - start > play * 2 else { return }
        // The bound 1e9 is far below a count that overflows, alone or times 11 days.
        var count = Int(min((now - start) / play, 1e9)) - 1
        if order.playCount > 0, let completed = next?.completedPlayCount {
            count = min(count, order.playCount - 1 - completed)
        }
        guard count > 0 else { return }
        next?.completedPlayCount += count
        due = start + play * count
    }

    /// Shows what is next.
    ///
    /// - Parameter now: when the frame is there and due.
    package mutating func show(at now: Duration) -> Showing? {
        guard let position = next else { return nil }
        let duration = time(of: position)
        let start = startTime(now, duration)
        shown = position
        next = order.position(after: position)
        wantedIndex = nil
        due = start + duration
        if isPaused { pausedSince = now }
        return Showing(position: position, time: start, duration: duration)
    }

    private func startTime(_ now: Duration, _ duration: Duration) -> Duration {
        guard let due else { return now }
        switch lateFrames {
        case .skipped: return due
        case .shown: return now - due <= duration / 4 ? due : now
        }
    }

    private func time(of position: PlaybackOrder.Position) -> Duration { scaled(durations[position.index]) }

    /// Exact at a rate of 1.
    private func scaled(_ duration: Duration) -> Duration { rate == 1 ? duration : duration / rate }

    // MARK: What a controller does

    /// Stops where it is: the frame shown keeps the rest of its time.
    package mutating func pause(at now: Duration) { pausedSince = pausedSince ?? now }

    /// Goes on.
    package mutating func resume(at now: Duration) {
        guard let since = pausedSince else { return }
        pausedSince = nil
        if let due { self.due = due + (now - since) }
    }

    /// Shows a frame at once, and goes on from there as if it had begun there; plays count on.
    package mutating func seek(to index: Int) {
        wantedIndex = index
        next = order.start(at: index, completedPlayCount: (shown ?? next)?.completedPlayCount ?? 0)
        due = nil
    }

    /// Changes the speed; the rest of the time of the frame shown too.
    package mutating func setRate(_ rate: Double, at now: Duration) {
        let now = pausedSince ?? now
        if let due, due > now { self.due = now + (due - now) * (self.rate / rate) }
        self.rate = rate
    }

    /// Changes the order from the frame shown on; bouncing goes on in the direction that it has.
    package mutating func setMode(_ mode: PlaybackMode) {
        order.mode = mode
        shown = shown.map(order.adopting)
        if due == nil {
            next = order.start(at: wantedIndex, completedPlayCount: next?.completedPlayCount ?? 0)
        } else if let position = shown {
            next = order.position(after: position)
        }
    }
}
