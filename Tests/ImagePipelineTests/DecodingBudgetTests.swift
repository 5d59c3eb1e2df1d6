import CodecTestSupport
import Foundation
import ImageCodecs
import ImageCodecsCore
import ImagePipeline
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
        #expect(budget.bytesInUse == 0)
        #expect(budget.waitingCount == 0)
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
        #expect(budget.bytesInUse == 0)
    }

    @Test func aCancelledTaskStopsWaiting() async throws {
        let budget = DecodingBudget(byteCount: 1)
        let task = Task {
            unsafe withUnsafeCurrentTask { task in unsafe task?.cancel() }
            return try await budget.withBytes(1) { () throws(ImageError) in 1 }
        }
        await #expect(throws: ImageError.cancelled) { try await task.value }
        #expect(budget.bytesInUse == 0)
    }

    /// Holds bytes of a budget until the stream is finished.
    private func hold(
        _ byteCount: Int, of budget: DecodingBudget
    ) async -> (holder: Task<Int, any Error>, opening: AsyncStream<Void>.Continuation) {
        let (gate, opening) = AsyncStream.makeStream(of: Void.self)
        let holder = Task<Int, any Error> {
            try await budget.withBytes(byteCount) { () async throws(ImageError) in
                for await _ in gate {}
                return 1
            }
        }
        while budget.bytesInUse == 0 { await Task.yield() }
        return (holder, opening)
    }

    @Test func whoWaitsCanBeCancelled() async throws {
        let budget = DecodingBudget(byteCount: 10)
        let (holder, opening) = await hold(10, of: budget)
        let waiter = Task { try await budget.withBytes(1) { () throws(ImageError) in 2 } }
        while budget.waitingCount == 0 { await Task.yield() }
        waiter.cancel()
        await #expect(throws: ImageError.cancelled) { try await waiter.value }
        #expect(budget.bytesInUse == 10)
        opening.finish()
        #expect(try await holder.value == 1)
        #expect(budget.bytesInUse == 0)
    }

    @Test func threadsWaitTheirTurnAmongTasks() async throws {
        let budget = DecodingBudget(byteCount: 10)
        let (holder, opening) = await hold(10, of: budget)
        let order = Mutex<[Int]>([])
        let waitingThread = Thread {
            try? budget.withBytes(blockingFor: 6) { () throws(ImageError) in
                order.withLock { $0.append(1) }
            }
        }
        waitingThread.start()
        while budget.waitingCount < 1 { await Task.yield() }
        let task = Task {
            try await budget.withBytes(6) { () throws(ImageError) in order.withLock { $0.append(2) } }
        }
        while budget.waitingCount < 2 { await Task.yield() }
        #expect(order.withLock { $0 } == [])
        opening.finish()
        #expect(try await holder.value == 1)
        try await task.value
        #expect(order.withLock { $0 } == [1, 2])
        #expect(budget.bytesInUse == 0 && budget.waitingCount == 0)
    }

    @Test func manyWhoGiveUpLeaveTheQueueInOrder() async throws {
        let budget = DecodingBudget(byteCount: 10)
        let (holder, opening) = await hold(10, of: budget)
        let order = SharedValue<[Int]>([])
        var waiters: [Task<Void, any Error>] = []
        for number in 0..<200 {
            waiters.append(
                Task {
                    try await budget.withBytes(10) { () throws(ImageError) in order.change { $0.append(number) } }
                })
            while budget.waitingCount <= number { await Task.yield() }
        }
        for number in 0..<200 where number % 50 != 7 { waiters[number].cancel() }
        while budget.waitingCount > 4 { await Task.yield() }
        opening.finish()
        #expect(try await holder.value == 1)
        for number in [7, 57, 107, 157] { try await waiters[number].value }
        #expect(order.value == [7, 57, 107, 157])
        #expect(budget.bytesInUse == 0 && budget.waitingCount == 0)
    }

    @Test func aThreadIsGivenTheBytesBackAfterAnError() throws {
        let budget = DecodingBudget(byteCount: 10)
        #expect(throws: ImageError.unknownFormat) {
            try budget.withBytes(blockingFor: .max) { () throws(ImageError) -> Void in
                #expect(budget.bytesInUse == 10)
                throw .unknownFormat
            }
        }
        #expect(budget.bytesInUse == 0)
    }

    @Test func theExampleOfTheDocumentationDecodes() async throws {
        let landscape = Fixture.folder("png").appendingPathComponent("landscape.png").path
        let image = try await decodeWithinBudget(ImageData(contentsOfFile: landscape), with: .shared)
        #expect(image.size == PixelSize(width: 240, height: 160))
    }

    private func decodeWithinBudget(_ data: ImageData, with registry: CoderRegistry) async throws -> RasterImage {
        let options = DecodingOptions.default
        // snippet: budget
        let budget = DecodingBudget(byteCount: 256 << 20)
        let info = try registry.inspect(data, options: options)
        let image = try await budget.withBytes(info.estimatedPeakByteCount) { () throws(ImageError) in
            try registry.decode(data, options: options)
        }
        // end of snippet
        return image
    }
}
