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

    @Test func whoWaitsCanBeCancelled() async throws {
        let budget = DecodingBudget(byteCount: 10)
        let (gate, opening) = AsyncStream.makeStream(of: Void.self)
        let holder = Task {
            try await budget.withBytes(10) { () async throws(ImageError) in
                for await _ in gate {}
                return 1
            }
        }
        while await budget.bytesInUse == 0 { await Task.yield() }
        let waiter = Task { try await budget.withBytes(1) { () throws(ImageError) in 2 } }
        while await budget.waitingCount == 0 { await Task.yield() }
        waiter.cancel()
        await #expect(throws: ImageError.cancelled) { try await waiter.value }
        #expect(await budget.bytesInUse == 10)
        opening.finish()
        #expect(try await holder.value == 1)
        #expect(await budget.bytesInUse == 0)
    }

    @Test func theExampleOfTheDocumentationDecodes() async throws {
        let image = try await decodeWithinBudget(
            ImageData(Array("P5\n2 1\n255\n".utf8) + [7, 9]), with: CoderRegistry([GraymapCoder()]))
        #expect(image.size == PixelSize(width: 2, height: 1))
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
