// A number of places, of bytes or of threads, that tasks and threads share: first come, first served.

internal import ImageCodecsCore
internal import Synchronization

/// Lets tasks wait for places without blocking a thread, and threads that belong to their caller wait blocked.
final class AdmissionQueue: Sendable {
    /// Who waits.
    private enum Waiter {
        case task(CheckedContinuation<Bool, Never>)
        case thread(ThreadSignal)

        /// Ends its wait: admitted with its places, or cancelled without them.
        func resume(isAdmitted: Bool) {
            switch self {
            case .task(let continuation): continuation.resume(returning: isAdmitted)
            case .thread(let signal): signal.send()
            }
        }
    }

    /// How many places somebody waits for.
    private struct Request {
        let number: Int
        let count: Int
    }

    private struct State {
        var usedCount = 0
        /// In the order in which they came, from `head` on. Requests that were cancelled have no waiter any more.
        var requests: [Request] = []
        var head = 0
        /// By the numbers of their requests.
        var waiters: [Int: Waiter] = [:]
        var nextNumber = 0

        mutating func makeNumber() -> Int {
            nextNumber += 1
            return nextNumber
        }

        mutating func append(_ number: Int, count: Int, _ waiter: Waiter) {
            requests.append(Request(number: number, count: count))
            waiters[number] = waiter
        }

        /// Gives places to those who have waited longest, as long as there are enough, and returns them.
        mutating func removeAdmitted(placeCount: Int) -> [Waiter] {
            var admitted: [Waiter] = []
            while head < requests.count {
                let first = requests[head]
                if let waiter = waiters[first.number] {
                    guard first.count <= placeCount - usedCount else { break }
                    usedCount += first.count
                    waiters[first.number] = nil
                    admitted.append(waiter)
                }
                head += 1
            }
            dropOldRequests()
            return admitted
        }

        /// Keeps the list no longer than in proportion to those who wait, at a constant cost for each request.
        private mutating func dropOldRequests() {
            guard requests.count > 2 * waiters.count + 32 else { return }
            requests = requests[head...].filter { waiters[$0.number] != nil }
            head = 0
        }
    }

    let placeCount: Int
    private let state = Mutex(State())

    init(placeCount: Int) { self.placeCount = max(1, placeCount) }

    /// Places in use.
    var usedCount: Int { state.withLock { $0.usedCount } }

    /// Tasks and threads that wait for their turn.
    var waitingCount: Int { state.withLock { $0.waiters.count } }

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

    /// Places that are kept until the last reference to them is gone.
    final class Share: Sendable {
        private let queue: AdmissionQueue
        private let count: Int

        fileprivate init(_ queue: AdmissionQueue, _ count: Int) { (self.queue, self.count) = (queue, count) }

        deinit { queue.release(count) }
    }

    /// Waits until `count` places are free, or all of them if there are fewer.
    ///
    /// - Throws: `cancelled` as soon as the task is cancelled while it waits.
    func hold(_ count: Int) async throws(ImageError) -> Share {
        let share = share(count)
        guard await acquire(share) else { throw .cancelled }
        return Share(self, share)
    }

    /// The same as ``withPlaces(_:_:)`` for a thread, which is blocked until the places are free.
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
        let number = state.withLock { $0.makeNumber() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // Decided under the lock: a cancellation either is seen here or finds the request in the queue.
                let answer: Bool? = state.withLock { state in
                    if Task.isCancelled { return false }
                    if admit(share, &state) { return true }
                    state.append(number, count: share, .task(continuation))
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
            state.append(state.makeNumber(), count: share, .thread(signal))
            return false
        }
        if !isAdmitted { signal.wait() }
    }

    /// Takes places if they are free and nobody has waited longer.
    private func admit(_ share: Int, _ state: inout State) -> Bool {
        guard state.waiters.isEmpty, share <= placeCount - state.usedCount else { return false }
        state.usedCount += share
        return true
    }

    private func release(_ share: Int) {
        let admitted = state.withLock { state in
            state.usedCount -= share
            return state.removeAdmitted(placeCount: placeCount)
        }
        for waiter in admitted { waiter.resume(isAdmitted: true) }
    }

    /// Ends the wait of a task. Those after it may be admitted then.
    private func cancel(_ number: Int) {
        let (cancelled, admitted) = state.withLock { state -> (Waiter?, [Waiter]) in
            guard let cancelled = state.waiters.removeValue(forKey: number) else { return (nil, []) }
            return (cancelled, state.removeAdmitted(placeCount: placeCount))
        }
        cancelled?.resume(isAdmitted: false)
        for waiter in admitted { waiter.resume(isAdmitted: true) }
    }
}
