import CodecTestSupport
import ImageCodecsCore
import ImagePipeline
import Synchronization
import Testing

@Suite struct DecodingExecutorTests {
    /// A value that several threads look at.
    private final class Shared<Value: Sendable>: Sendable {
        private let state: Mutex<Value>
        init(_ value: Value) { state = Mutex(value) }
        var value: Value { state.withLock { $0 } }
        func change(_ body: (inout Value) -> Void) { state.withLock { body(&$0) } }
    }

    @Test func everyJobRunsOnce() async throws {
        let executor = DecodingExecutor(threadCount: 3)
        let sum = Shared(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...500 {
                group.addTask {
                    try await executor.run { () throws(ImageError) in sum.change { $0 += number } }
                }
            }
            try await group.waitForAll()
        }
        #expect(sum.value == 500 * 501 / 2)
    }

    @Test func noMoreJobsRunAtOnceThanThereAreThreads() async throws {
        let executor = DecodingExecutor(threadCount: 2)
        let (now, most) = (Shared(0), Shared(0))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    try await executor.run { () throws(ImageError) in
                        now.change { count in
                            count += 1
                            most.change { $0 = max($0, count) }
                        }
                        Pause.briefly()
                        now.change { $0 -= 1 }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect((1...2).contains(most.value))
    }

    @Test func valuesAndErrorsComeBack() async throws {
        let executor = DecodingExecutor(threadCount: 1)
        #expect(try await executor.run { () throws(ImageError) in 42 } == 42)
        await #expect(throws: ImageError.unknownFormat) {
            try await executor.run { () throws(ImageError) -> Int in throw .unknownFormat }
        }
    }

    /// Would wait for ever if the job ran on a thread that tasks share, once all of those were taken.
    @Test func tasksGoOnWhileEveryThreadOfTheExecutorIsTaken() async throws {
        let executor = DecodingExecutor(threadCount: 64)
        let isOpen = Shared(false)
        let openings = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<64 {
                group.addTask {
                    try await executor.run { () throws(ImageError) in
                        Pause.until { isOpen.value }
                    }
                }
            }
            for _ in 0..<10 { await Task {}.value }
            isOpen.change { $0 = true }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(openings == Array(repeating: true, count: 64))
    }

    @Test func aJobSeesThatItsTaskIsCancelled() async throws {
        let executor = DecodingExecutor(threadCount: 1)
        let hasBegun = Shared(false)
        let task = Task {
            try await executor.run { () throws(ImageError) in
                hasBegun.change { $0 = true }
                let guarded = WorkGuard.unlimited
                var failure: ImageError?
                Pause.until {
                    do throws(ImageError) { try guarded.check() } catch { failure = error }
                    return failure != nil
                }
                if let failure { throw failure }
            }
        }
        while !hasBegun.value { await Task.yield() }
        task.cancel()
        await #expect(throws: ImageError.cancelled) { try await task.value }
    }

    @Test func waitingForAThreadEndsWhenTheTaskIsCancelled() async throws {
        let executor = DecodingExecutor(threadCount: 1)
        let (hasBegun, isOpen) = (Shared(false), Shared(false))
        let busy = Task {
            try await executor.run { () throws(ImageError) in
                hasBegun.change { $0 = true }
                Pause.until { isOpen.value }
            }
        }
        while !hasBegun.value { await Task.yield() }
        let waiting = Task { try await executor.run { () throws(ImageError) in } }
        waiting.cancel()
        // The only thread is still busy.
        await #expect(throws: ImageError.cancelled) { try await waiting.value }
        isOpen.change { $0 = true }
        _ = try await busy.value
    }
}
