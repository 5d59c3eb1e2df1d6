// A clock that tests move, so that nobody waits in real time.

import ImagePlayback
import Synchronization

final class ManualClock: Clock {
    struct Instant: InstantProtocol {
        var offset: Duration

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.offset < rhs.offset }
    }

    private struct Sleeper {
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant(offset: .zero)
        var nextNumber = 0
        var sleepers: [Int: Sleeper] = [:]
    }

    /// Whether time jumps to where somebody wants to sleep until.
    let isAutomatic: Bool
    private let state = Mutex(State())

    init(isAutomatic: Bool) { self.isAutomatic = isAutomatic }

    var now: Instant { state.withLock { $0.now } }
    var minimumResolution: Duration { .zero }
    var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    func advance(by duration: Duration) {
        let woken = state.withLock { state in
            let now = state.now.advanced(by: duration)
            state.now = now
            let woken = state.sleepers.filter { $0.value.deadline <= now }
            for number in woken.keys { state.sleepers[number] = nil }
            return woken.values.map(\.continuation)
        }
        for continuation in woken { continuation.resume() }
    }

    /// Waits until somebody sleeps until `deadline`.
    func waitForSleeper(until deadline: Duration) async {
        while !state.withLock({ $0.sleepers.values.contains { $0.deadline.offset == deadline } }) { await Task.yield() }
    }

    /// Waits until nobody sleeps.
    func waitForNoSleeper() async {
        while sleeperCount > 0 { await Task.yield() }
    }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        if isAutomatic { return state.withLock { $0.now = max($0.now, deadline) } }
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                enter(number, Sleeper(deadline: deadline, continuation: continuation))
            }
        } onCancel: {
            state.withLock { $0.sleepers.removeValue(forKey: number) }?.continuation
                .resume(throwing: CancellationError())
        }
    }

    private func enter(_ number: Int, _ sleeper: Sleeper) {
        let isOver = state.withLock { state in
            if state.now >= sleeper.deadline || Task.isCancelled { return true }
            state.sleepers[number] = sleeper
            return false
        }
        if isOver { sleeper.continuation.resume() }
    }
}
