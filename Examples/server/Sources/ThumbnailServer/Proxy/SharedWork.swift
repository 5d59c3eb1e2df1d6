// Work that several requests wait for is done once.

import Synchronization

/// Runs work by keys: who asks for a key whose work is under way gets its value too.
///
/// The work has a task of its own, which is cancelled when nobody waits for it any more.
final class SharedWork<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Work: Sendable {
        let number: Int
        let task: Task<Value, any Error>
        var waiterCount = 1
    }

    private struct State: Sendable {
        var works: [Key: Work] = [:]
        var lastNumber = 0
    }

    private let state = Mutex(State())

    /// Works under way.
    var count: Int { state.withLock { $0.works.count } }

    /// The value for a key, and whether others had asked for it before.
    func value(
        for key: Key, _ make: @escaping @Sendable () async throws -> Value
    ) async throws -> (value: Value, isJoined: Bool) {
        let (work, isJoined) = state.withLock { state -> (Work, Bool) in
            if state.works[key] != nil {
                state.works[key]?.waiterCount += 1
                return (state.works[key]!, true)
            }
            state.lastNumber += 1
            let number = state.lastNumber
            let work = Work(
                number: number,
                task: Task { [self] in
                    defer { end(key, number) }
                    return try await make()
                })
            state.works[key] = work
            return (work, false)
        }
        return try await withTaskCancellationHandler {
            (try await work.task.value, isJoined)
        } onCancel: {
            leave(key, work.number)
        }
    }

    private func end(_ key: Key, _ number: Int) {
        state.withLock { state in
            if state.works[key]?.number == number { state.works[key] = nil }
        }
    }

    /// Whoever asks later gets new work, not that which ends.
    private func leave(_ key: Key, _ number: Int) {
        let task = state.withLock { state -> Task<Value, any Error>? in
            guard let work = state.works[key], work.number == number else { return nil }
            state.works[key]?.waiterCount -= 1
            guard work.waiterCount == 1 else { return nil }
            state.works[key] = nil
            return work.task
        }
        task?.cancel()
    }
}
