// Waiting for something to change, without a thread and without a task that stays behind.

internal import Synchronization

/// Tells tasks that there is something new to look at.
final class ChangeSignal: Sendable {
    private struct State {
        var version = 0
        var nextNumber = 0
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Mutex(State())

    /// Grows with every change. A caller that reads it before looking and passes it to ``wait(since:)`` misses no change.
    var version: Int { state.withLock { $0.version } }

    /// Wakes all who wait.
    func notify() {
        let waiting = state.withLock { state in
            state.version += 1
            let waiting = state.waiting
            state.waiting = [:]
            return waiting
        }
        for continuation in waiting.values { continuation.resume() }
    }

    /// Waits until there was a change after `version`, or the task is cancelled.
    func wait(since version: Int) async {
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.version != version || Task.isCancelled { return true }
                    state.waiting[number] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
        }
    }
}
