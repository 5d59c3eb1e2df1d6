// Threads that decode for tasks, so that decoding does not occupy the threads all tasks share.

package import ImageCodecsCore

/// Runs jobs of tasks on threads of its own, first come, first served.
///
/// Threads are started as they are needed, and stay; there are at most as many as was said.
// SAFETY: @unchecked because the state is only looked at while the monitor's lock is held.
@safe
package final class DecodingExecutor: TaskExecutor, @unchecked Sendable {
    /// One thread for each processor.
    package static let shared = DecodingExecutor(threadCount: onlineProcessorCount())

    /// Threads there are at most.
    package let threadCount: Int

    /// A place for each thread: who waits for one holds no thread, and can be cancelled.
    private let places: AdmissionQueue
    private let monitor = ThreadMonitor()
    private var startedCount = 0
    private var idleCount = 0
    /// Jobs to be run, the next one last; when there is none left, those of `arrived` come here.
    private var next: [UnownedJob] = []
    /// Jobs that came since, the newest last.
    private var arrived: [UnownedJob] = []

    package init(threadCount: Int) {
        self.threadCount = max(1, threadCount)
        places = AdmissionQueue(placeCount: threadCount)
    }

    /// Takes a job, which a thread runs soon.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // If there is no thread to be had at all, the threads that all tasks share have to do.
        if !add(job) { globalConcurrentExecutor.enqueue(job) }
    }

    /// Puts a job in line; `false` when nobody would ever run it.
    private func add(_ job: UnownedJob) -> Bool {
        let isTaken = monitor.withLock {
            let waitingCount = next.count + arrived.count
            if waitingCount >= idleCount, startedCount < threadCount, EndlessThread.start({ self.run() }) {
                startedCount += 1
            }
            guard startedCount > 0 else { return false }
            arrived.append(job)
            return true
        }
        if isTaken { monitor.signal() }
        return isTaken
    }

    /// Runs jobs until the process ends; the body of each thread.
    private func run() {
        while true {
            let job = monitor.withLock { waitForJob() }
            // SAFETY: the reference to the executor does not outlive the call, in which `self` is held.
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    private func waitForJob() -> UnownedJob {
        while true {
            if next.isEmpty {
                next = arrived.reversed()
                arrived.removeAll(keepingCapacity: true)
            }
            if let job = next.popLast() { return job }
            idleCount += 1
            monitor.wait()
            idleCount -= 1
        }
    }
}

extension DecodingExecutor {
    /// Runs `body` in the calling task, on one of the executor's threads: who calls is suspended meanwhile, and when the
    /// task is cancelled, `body` can see that it is.
    ///
    /// - Throws: `cancelled` as soon as the task is cancelled while all threads are busy; what `body` throws.
    @concurrent
    package func run<R: Sendable>(
        _ body: @Sendable () throws(ImageError) -> R
    ) async throws(ImageError) -> R {
        try await places.withPlaces(1) { () async throws(ImageError) -> R in
            try await withTaskExecutorPreference(self) { () async throws(ImageError) -> R in
                try await Self.call(body)
            }
        }
    }

    /// Begins on the executor that the task prefers.
    @concurrent
    private static func call<R: Sendable>(
        _ body: @Sendable () throws(ImageError) -> R
    ) async throws(ImageError) -> R { try body() }
}
