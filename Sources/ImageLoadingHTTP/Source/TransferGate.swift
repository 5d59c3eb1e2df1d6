// At most so many transfers at once, for each host and in all.

import Synchronization

/// Lets transfers begin, the longest waiting first among those whose host has room.
final class TransferGate: Sendable {
    private struct Waiter: Sendable {
        let id: Int
        let host: String
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State: Sendable {
        var counts: [String: Int] = [:]
        var total = 0
        var waiters: [Waiter] = []
        var lastID = 0
    }

    private let state = Mutex(State())
    private let maxCountPerHost: Int
    private let maxCount: Int

    init(maxCountPerHost: Int, maxCount: Int) {
        (self.maxCountPerHost, self.maxCount) = (max(1, maxCountPerHost), max(1, maxCount))
    }

    /// Waits for a place.
    ///
    /// - Throws: `CancellationError`.
    func enter(_ host: String) async throws -> TransferPlace {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let isIn = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // Decided under the lock: a cancellation either is seen here or finds the waiter.
                let answer = state.withLock { state -> Bool? in
                    if Task.isCancelled { return false }
                    if take(host, &state) { return true }
                    state.waiters.append(Waiter(id: id, host: host, continuation: continuation))
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
            }
            waiter?.continuation.resume(returning: false)
        }
        guard isIn else { throw CancellationError() }
        return TransferPlace(gate: self, host: host)
    }

    private func take(_ host: String, _ state: inout State) -> Bool {
        guard state.total < maxCount, state.counts[host, default: 0] < maxCountPerHost else { return false }
        state.counts[host, default: 0] += 1
        state.total += 1
        return true
    }

    fileprivate func leave(_ host: String) {
        let next = state.withLock { state in
            state.total -= 1
            let count = state.counts[host, default: 1] - 1
            state.counts[host] = count == 0 ? nil : count
            let index = state.waiters.firstIndex { take($0.host, &state) }
            return index.map { state.waiters.remove(at: $0) }
        }
        next?.continuation.resume(returning: true)
    }
}

/// A place in a gate, given back once: when that is said, or with the last reference.
final class TransferPlace: Sendable {
    private let gate: TransferGate
    private let host: String
    private let isGivenBack = Mutex(false)

    fileprivate init(gate: TransferGate, host: String) { (self.gate, self.host) = (gate, host) }

    deinit { giveBack() }

    func giveBack() {
        let isFirst = isGivenBack.withLock { isGivenBack in
            defer { isGivenBack = true }
            return !isGivenBack
        }
        if isFirst { gate.leave(host) }
    }
}
