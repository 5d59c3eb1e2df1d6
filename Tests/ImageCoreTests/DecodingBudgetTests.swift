import ImageCore
import Synchronization
import Testing

@Suite struct DecodingBudgetTests {
    /// Counts how many bodies run at once.
    private final class Gauge: Sendable {
        private let state = Mutex((now: 0, most: 0))
        var most: Int { state.withLock { $0.most } }
        func enter(_ bytes: Int) {
            state.withLock {
                $0.now += bytes
                $0.most = max($0.most, $0.now)
            }
        }
        func leave(_ bytes: Int) { state.withLock { $0.now -= bytes } }
    }

    @Test func concurrentDecodesStayWithinTheBudget() async throws {
        let budget = DecodingBudget(byteCount: 100)
        let gauge = Gauge()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<60 {
                let bytes = 10 + index % 7 * 15
                group.addTask {
                    try await budget.withBytes(bytes) { () throws(ImageError) in
                        gauge.enter(min(bytes, 100))
                        for _ in 0..<1000 where Task.isCancelled { break }
                        gauge.leave(min(bytes, 100))
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(gauge.most > 0 && gauge.most <= 100)
        #expect(await budget.bytesInUse == 0)
        #expect(await budget.waitingCount == 0)
    }

    @Test func aDecodeLargerThanTheBudgetRunsAlone() async throws {
        let budget = DecodingBudget(byteCount: 10)
        let answer = try await budget.withBytes(.max) { () throws(ImageError) in 42 }
        #expect(answer == 42)
    }

    @Test func errorsGiveTheBytesBack() async throws {
        let budget = DecodingBudget(byteCount: 10)
        await #expect(throws: ImageError.unknownFormat) {
            try await budget.withBytes(10) { () throws(ImageError) -> Void in throw .unknownFormat }
        }
        #expect(await budget.bytesInUse == 0)
    }

    @Test func aCancelledTaskStopsWaiting() async throws {
        let budget = DecodingBudget(byteCount: 1)
        let task = Task {
            unsafe withUnsafeCurrentTask { task in unsafe task?.cancel() }
            return try await budget.withBytes(1) { () throws(ImageError) in 1 }
        }
        await #expect(throws: ImageError.cancelled) { try await task.value }
        #expect(await budget.bytesInUse == 0)
    }
}
