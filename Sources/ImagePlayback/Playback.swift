// Performs a schedule: decodes ahead, waits, hands out. All decisions are those of `PlaybackSchedule` and `FrameLookAhead`.
//
//   next() ──▶ step() ──show──▶ the caller
//     ▲          │ wait: until it is due, a frame was decoded, or a controller changed something
//     └──────────┘
//   fill(): a task that lives while there is something to decode, one frame at a time, on the threads that decode

import ImageCodecsCore
internal import ImagePipeline
internal import Synchronization

/// One run of an animation.
final class Playback<C: Clock>: Sendable where C.Duration == Duration {
    private struct State {
        var schedule: PlaybackSchedule
        var lookAhead: FrameLookAhead
        let lookAheadCount: Int
        /// Whether somebody waits for the next frame.
        var isAwaited = false
        var isStopped = false
        /// When the first frame was shown.
        var firstTime: Duration?
        /// The task that decodes.
        var filler: Task<Void, Never>?
    }

    private enum Step {
        case show(PlayedFrame<C.Instant>)
        case wait(until: Duration?)
        case fail(ImageError)
        case end
    }

    private let animation: any AnimatedImageProvider
    private let clock: C
    /// Where times of the schedule count from.
    private let origin: C.Instant
    private let state: Mutex<State>
    private let changes = ChangeSignal()

    init(_ animation: any AnimatedImageProvider, _ schedule: PlaybackSchedule, _ options: PlaybackOptions, clock: C) {
        self.animation = animation
        self.clock = clock
        origin = clock.now
        let lookAhead = FrameLookAhead(
            maxFrameCount: options.lookAhead, maxByteCount: options.maxLookAheadByteCount,
            frameByteCount: animation.info.decodedByteCount)
        state = Mutex(State(schedule: schedule, lookAhead: lookAhead, lookAheadCount: options.lookAhead))
    }

    private var now: Duration { origin.duration(to: clock.now) }

    // MARK: For who shows the frames

    /// The next frame, when it is to be shown; `nil` when the time of the last one is over.
    func next() async throws(ImageError) -> PlayedFrame<C.Instant>? {
        let now = now
        state.withLock { $0.schedule.skip(to: now) }
        while true {
            let version = changes.version
            let isCancelled = Task.isCancelled
            switch step(isCancelled: isCancelled) {
            case .show(let frame): return frame
            case .wait(let due): await wait(since: version, until: due)
            case .fail(let error):
                stop()
                throw error
            case .end:
                stop()
                return nil
            }
        }
    }

    private func step(isCancelled: Bool) -> Step {
        let now = now
        return state.withLock { state in
            if state.isStopped { return .end }
            if isCancelled { return .fail(.cancelled) }
            let due = state.schedule.due
            guard let position = state.schedule.next else {
                if state.schedule.isHeld { return .wait(until: nil) }
                return if let due, due > now { .wait(until: due) } else { .end }
            }
            state.isAwaited = true
            refill(&state)
            guard !state.schedule.isHeld, let result = state.lookAhead[position.index] else { return .wait(until: nil) }
            if let due, due > now { return .wait(until: due) }
            switch result {
            case .failure(let error): return .fail(error)
            case .success(let frame): return show(frame, at: now, &state)
            }
        }
    }

    private func show(_ frame: ImageFrame, at now: Duration, _ state: inout State) -> Step {
        guard let showing = state.schedule.show(at: now) else { return .end }
        let first = state.firstTime ?? showing.time
        state.firstTime = first
        state.isAwaited = false
        refill(&state)
        return .show(
            PlayedFrame(
                frame: frame, index: showing.position.index, instant: origin.advanced(by: showing.time),
                offset: showing.time - first, duration: showing.duration,
                completedPlayCount: showing.position.completedPlayCount))
    }

    /// Waits for a change or a time; both are child tasks, so neither is left when this returns.
    private func wait(since version: Int, until due: Duration?) async {
        guard let due else { return await changes.wait(since: version) }
        let instant = origin.advanced(by: due)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await self.clock.sleep(until: instant, tolerance: nil) }
            group.addTask { await self.changes.wait(since: version) }
            await group.next()
            group.cancelAll()
        }
    }

    /// Ends the playback: decoding stops, decoded frames are released, and no frame comes any more.
    func stop() {
        let filler = state.withLock { state in
            state.isStopped = true
            state.lookAhead.want([], needsFirst: false)
            return state.filler.take()
        }
        filler?.cancel()
        changes.notify()
    }

    // MARK: For the controller

    /// Changes the schedule, which gets the time.
    func change(_ body: (inout PlaybackSchedule, Duration) -> Void) {
        let now = now
        state.withLock { state in
            guard !state.isStopped else { return }
            body(&state.schedule, now)
            // What nobody has asked for yet is not decoded.
            if state.isAwaited || state.firstTime != nil { refill(&state) }
        }
        changes.notify()
    }

    // MARK: Decoding ahead

    /// Tells the look-ahead what comes, and sees to it that somebody decodes what is missing.
    private func refill(_ state: inout State) {
        let count = state.isAwaited ? max(1, state.lookAheadCount) : state.lookAheadCount
        state.lookAhead.want(state.schedule.upcoming(count), needsFirst: state.isAwaited)
        if state.lookAhead.isDecodingInVain { state.filler?.cancel() }
        startFiller(&state)
    }

    private func startFiller(_ state: inout State) {
        guard state.filler == nil, !state.isStopped, state.lookAhead.candidate != nil else { return }
        state.filler = Task { await self.fill() }
    }

    /// Decodes until there is nothing to decode. A task that was cancelled leaves the rest to another one.
    private func fill() async {
        let animation = animation
        while let index = nextToDecode() {
            let result: Result<ImageFrame, ImageError>
            do throws(ImageError) {
                let frame = try await DecodingExecutor.shared.run { () throws(ImageError) in
                    try animation.frame(at: index)
                }
                result = .success(frame)
            } catch {
                result = .failure(error)
            }
            let wasCancelled = Task.isCancelled
            state.withLock { $0.lookAhead.finish(result, wasCancelled: wasCancelled) }
            changes.notify()
        }
    }

    private func nextToDecode() -> Int? {
        let isCancelled = Task.isCancelled
        return state.withLock { state in
            if state.isStopped { return nil }
            if !isCancelled, let index = state.lookAhead.beginDecoding() { return index }
            state.filler = nil
            startFiller(&state)
            return nil
        }
    }
}
