// A number of places, of bytes or of threads, that tasks share: first come, first served.

/// Lets tasks wait for places without blocking a thread.
package actor AdmissionQueue {
    package nonisolated let placeCount: Int
    package private(set) var usedCount = 0
    private var waiting: [Request] = []
    private var nextNumber = 0

    private struct Request {
        let number: Int
        let count: Int
        let continuation: CheckedContinuation<Bool, Never>
    }

    package init(placeCount: Int) { self.placeCount = max(1, placeCount) }

    /// Tasks that wait for their turn.
    package var waitingCount: Int { waiting.count }

    /// Runs `body`, outside of the actor, once `count` places are free, and gives them back afterwards. Who asks for more
    /// than there are gets all.
    ///
    /// - Throws: `cancelled` as soon as the task is cancelled while it waits, and whatever `body` throws.
    package nonisolated func withPlaces<R: Sendable>(
        _ count: Int, _ body: @Sendable () async throws(ImageError) -> R
    ) async throws(ImageError) -> R {
        let share = min(max(0, count), placeCount)
        guard await acquire(share) else { throw .cancelled }
        do throws(ImageError) {
            let result = try await body()
            await release(share)
            return result
        } catch {
            await release(share)
            throw error
        }
    }

    /// Waits for places; `false` when the task was cancelled instead.
    private func acquire(_ share: Int) async -> Bool {
        if Task.isCancelled { return false }
        if waiting.isEmpty && share <= placeCount - usedCount {
            usedCount += share
            return true
        }
        let number = nextNumber
        nextNumber += 1
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled {
                    continuation.resume(returning: false)
                } else {
                    waiting.append(Request(number: number, count: share, continuation: continuation))
                }
            }
        } onCancel: {
            Task { await self.cancel(number) }
        }
    }

    private func release(_ share: Int) {
        usedCount -= share
        serve()
    }

    private func cancel(_ number: Int) {
        guard let index = waiting.firstIndex(where: { $0.number == number }) else { return }
        waiting.remove(at: index).continuation.resume(returning: false)
        serve()
    }

    private func serve() {
        while let first = waiting.first, first.count <= placeCount - usedCount {
            usedCount += first.count
            waiting.removeFirst().continuation.resume(returning: true)
        }
    }
}
