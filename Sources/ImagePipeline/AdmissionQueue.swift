// A number of places, of bytes or of threads, that tasks and threads share: first come, first served.

internal import ImageCodecsCore
internal import Synchronization

/// Lets tasks wait for places without blocking a thread, and threads that belong to their caller wait blocked.
final class AdmissionQueue: Sendable {
    /// Who waits.
    private enum Waiter {
        case task(CheckedContinuation<Bool, Never>)
        case thread(ThreadSignal)

        /// Lets it go on, with its places or without.
        func resume(isAdmitted: Bool) {
            switch self {
            case .task(let continuation): continuation.resume(returning: isAdmitted)
            case .thread(let signal): signal.send()
            }
        }
    }

    private struct Request {
        let number: Int
        let count: Int
        let waiter: Waiter
    }

    private struct State {
        var usedCount = 0
        var waiting: [Request] = []
        var nextNumber = 0
    }

    let placeCount: Int
    private let state = Mutex(State())

    init(placeCount: Int) { self.placeCount = max(1, placeCount) }

    /// Places in use.
    var usedCount: Int { state.withLock { $0.usedCount } }

    /// Tasks and threads that wait for their turn.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Runs `body` once `count` places are free, and gives them back afterwards. A caller that asks for more places than
    /// there are gets all of them.
    ///
    /// - Throws: `cancelled` as soon as the task is cancelled while it waits, and whatever `body` throws.
    func withPlaces<R: Sendable>(
        _ count: Int, _ body: @Sendable () async throws(ImageError) -> R
    ) async throws(ImageError) -> R {
        let share = share(count)
        guard await acquire(share) else { throw .cancelled }
        defer { release(share) }
        return try await body()
    }

    /// The same for a thread, which is blocked until the places are free.
    func withPlaces<R>(
        blockingFor count: Int, _ body: () throws(ImageError) -> R
    ) throws(ImageError) -> R {
        let share = share(count)
        acquireBlocking(share)
        defer { release(share) }
        return try body()
    }

    private func share(_ count: Int) -> Int { min(max(0, count), placeCount) }

    /// Waits for places; `false` if the task was cancelled first.
    private func acquire(_ share: Int) async -> Bool {
        if Task.isCancelled { return false }
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // Decided under the lock: a cancellation either is seen here or finds the request in the queue.
                let answer: Bool? = state.withLock { state in
                    if Task.isCancelled { return false }
                    if admit(share, &state) { return true }
                    state.waiting.append(Request(number: number, count: share, waiter: .task(continuation)))
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            cancel(number)
        }
    }

    private func acquireBlocking(_ share: Int) {
        let signal = ThreadSignal()
        let isAdmitted = state.withLock { state in
            if admit(share, &state) { return true }
            state.nextNumber += 1
            state.waiting.append(Request(number: state.nextNumber, count: share, waiter: .thread(signal)))
            return false
        }
        if !isAdmitted { signal.wait() }
    }

    /// Takes places if they are free and nobody has waited longer.
    private func admit(_ share: Int, _ state: inout State) -> Bool {
        guard state.waiting.isEmpty, share <= placeCount - state.usedCount else { return false }
        state.usedCount += share
        return true
    }

    private func release(_ share: Int) {
        let admitted = state.withLock { state in
            state.usedCount -= share
            return removeAdmitted(&state)
        }
        for request in admitted { request.waiter.resume(isAdmitted: true) }
    }

    /// Ends the wait of a task. Those after it may be admitted then.
    private func cancel(_ number: Int) {
        let (cancelled, admitted) = state.withLock { state -> (Request?, [Request]) in
            guard let index = state.waiting.firstIndex(where: { $0.number == number }) else { return (nil, []) }
            let cancelled = state.waiting.remove(at: index)
            return (cancelled, removeAdmitted(&state))
        }
        cancelled?.waiter.resume(isAdmitted: false)
        for request in admitted { request.waiter.resume(isAdmitted: true) }
    }

    /// Takes places for those who waited longest, as long as there are enough.
    private func removeAdmitted(_ state: inout State) -> [Request] {
        var admitted: [Request] = []
        while let first = state.waiting.first, first.count <= placeCount - state.usedCount {
            state.usedCount += first.count
            admitted.append(state.waiting.removeFirst())
        }
        return admitted
    }
}
