import CodecTestSupport
import Foundation
import ImageCaching
import ImageCodecs
import ImageCodecsCore
import ImageLoading
import Synchronization
import Testing

@Suite struct FailureTests {
    private func failing(_ reason: LoadError.Reason, retryAfter: Duration? = nil) -> CountingSource {
        CountingSource { _ in throw LoadError(stage: .transfer, address: "", reason: reason, retryAfter: retryAfter) }
    }

    private func load(_ loader: ImageLoader, _ address: String = "test:a") async -> LoadError? {
        do throws(LoadError) {
            _ = try await loader.image(for: ImageRequest(address))
            return nil
        } catch {
            return error
        }
    }

    @Test func anErrorSaysStageAddressAndWhetherTryingAgainHelps() async {
        let error = await load(ImageLoader.make(failing(.timedOut)), "test://user:secret@host/a?b=@")
        #expect(error?.stage == .transfer && error?.reason == .timedOut && error?.isRetryable == true)
        #expect(error?.address == "test://host/a?b=@")
        #expect(error?.description == "test://host/a?b=@: no answer in time (transfer)")
        let undecodable = await load(ImageLoader.make(CountingSource(Array("no picture at all, really none".utf8))))
        #expect(undecodable?.stage == .decode && undecodable?.reason == .image(.unknownFormat))
        #expect(undecodable?.isRetryable == false)
    }

    @Test func whatIsNotThereIsNotAskedForAgainForTenMinutes() async {
        let (source, clock) = (failing(.notFound), JumpingClock())
        let loader = ImageLoader.make(source) { $0.clock = clock.clock }
        for _ in 0..<3 { #expect(await load(loader)?.reason == .notFound) }
        #expect(source.total == 1)
        clock.advance(by: .seconds(599))
        _ = await load(loader)
        #expect(source.total == 1)
        clock.advance(by: .seconds(2))
        _ = await load(loader)
        #expect(source.total == 2)
        var request = ImageRequest("test:a")
        request.cachePolicy = .reload
        _ = try? await loader.image(for: request)
        #expect(source.total == 3)
    }

    @Test func aSourceThatFailsIsLeftAloneTwiceAsLongEachTimeUpToAMinute() async {
        let (source, clock) = (failing(.unavailable("500")), JumpingClock())
        let loader = ImageLoader.make(source) { $0.clock = clock.clock }
        for (index, seconds) in [1, 2, 4, 8, 16, 32, 60, 60].enumerated() {
            _ = await load(loader)
            #expect(source.total == index + 1)
            clock.advance(by: .seconds(seconds) - .milliseconds(1))
            _ = await load(loader)
            #expect(source.total == index + 1)
            clock.advance(by: .milliseconds(1))
        }
    }

    @Test func cancellationAndALostNetworkAreNotRemembered() async {
        let source = failing(.unreachable)
        let loader = ImageLoader.make(source)
        _ = await load(loader)
        _ = await load(loader)
        #expect(source.total == 2)
    }

    @Test func aTransferIsTriedAgainIfThatMayHelp() async throws {
        let attempts = Mutex(0)
        let bytes = try Picture.png(3)
        let source = CountingSource { _ in
            let attempt = attempts.withLock {
                $0 += 1; return $0
            }
            guard attempt == 3 else { throw LoadError(stage: .transfer, address: "", reason: .unavailable("503")) }
            return SourceResponse(ImageData(bytes))
        }
        let clock = JumpingClock()
        let loader = ImageLoader.make(source) { configuration in
            configuration.retry = RetryPolicy(maxAttemptCount: 3, delay: .seconds(1))
            configuration.clock = clock.clock
        }
        #expect(try await loader.image(for: ImageRequest("test:a")).image.width == 3)
        #expect(clock.sleeps.count == 2)
        #expect(clock.sleeps[0] >= .milliseconds(750) && clock.sleeps[0] <= .seconds(1))
        #expect(clock.sleeps[1] >= .milliseconds(1500) && clock.sleeps[1] <= .seconds(2))
    }

    @Test func aSourceThatSaysWhenIsAskedThen() async throws {
        let clock = JumpingClock()
        let loader = ImageLoader.make(failing(.unavailable("503"), retryAfter: .seconds(20))) { configuration in
            configuration.retry = RetryPolicy(maxAttemptCount: 2, delay: .seconds(1))
            configuration.clock = clock.clock
        }
        _ = await load(loader)
        #expect(clock.sleeps == [.seconds(20)])
    }

    @Test func lengthsAreChecked() async throws {
        let bytes = try Picture.png(3)
        let folder = try TemporaryFolder()
        let disk = try DiskCache(path: folder.path("cache"), byteCount: 1 << 20)
        let short = CountingSource { _ in
            SourceResponse(
                pieces: AsyncStream { stream in
                    stream.yield(bytes)
                    stream.finish()
                }, byteCount: bytes.count + 1)
        }
        let error = await load(ImageLoader.make(short, disk: disk))
        #expect(error?.reason == .unavailable("\(bytes.count) of \(bytes.count + 1) bytes came"))
        #expect(disk.statistics.insertionCount == 0)
        let endless = CountingSource { _ in SourceResponse { [UInt8](repeating: 0, count: 1000).imageData } }
        let large = await load(ImageLoader.make(endless) { $0.maxByteCount = 100_000 })
        #expect(large?.reason == .tooLarge(limit: 100_000))
    }

    @Test func aFileThatIsTooLongIsNotRead() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("large.png")
        try Data().write(to: URL(fileURLWithPath: path))
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        // Eight gibibytes that take no room.
        try file.truncate(atOffset: 1 << 33)
        try file.close()
        let error = await load(ImageLoader.make(FileSource()) { $0.maxByteCount = 1000 }, path)
        #expect(error?.reason == .tooLarge(limit: 1000) && error?.stage == .transfer)
    }

    private final class Sentinel: Sendable {}

    @Test func aLoaderKeepsNothingOfARequestThatFailedOrWasCancelledBeforeItsTurn() async throws {
        let source = CountingSource { address in
            if address == "test:slow" { try await Task.sleep(for: .seconds(3600)) }
            throw LoadError(stage: .transfer, address: address, reason: .notFound)
        }
        let loader = ImageLoader.make(source) { $0.maxTransferCount = 1 }
        weak var sentinel: Sentinel?
        func request(_ address: String) -> ImageRequest {
            let kept = Sentinel()
            sentinel = kept
            let change = ImageTransformation.custom(name: "keeps") { (image) throws(ImageError) in
                withExtendedLifetime(kept) { image }
            }
            return ImageRequest(address, transformations: [change])
        }
        func waitUntilReleased() async throws {
            for _ in 0..<2000 where sentinel != nil { try await Task.sleep(for: .milliseconds(5)) }
        }
        _ = try? await loader.image(for: request("test:missing"))
        try await waitUntilReleased()
        #expect(sentinel == nil)
        // The only place is taken, so that the next one has to wait.
        let slow = Task { _ = try? await loader.image(for: ImageRequest("test:slow")) }
        while source.count("test:slow") == 0 { try await Task.sleep(for: .milliseconds(1)) }
        var waiting: Task<Void, Never>? = Task { [request = request("test:waits")] in
            _ = try? await loader.image(for: request)
        }
        try await Task.sleep(for: .milliseconds(20))
        waiting?.cancel()
        await waiting?.value
        waiting = nil
        try await waitUntilReleased()
        #expect(sentinel == nil)
        slow.cancel()
        await slow.value
    }

    @Test func whoIsCancelledWhileItWaitsForTheNextAttemptMakesNone() async throws {
        let source = failing(.unavailable("500"))
        let gate = Mutex<CheckedContinuation<Void, Never>?>(nil)
        let log = EventLog()
        let loader = ImageLoader.make(source) { configuration in
            configuration.retry = RetryPolicy(maxAttemptCount: 3)
            configuration.observe = log.observe
            // A clock that does not notice that its task was cancelled.
            configuration.clock = LoadClock(
                now: { .zero },
                sleep: { _ in
                    await withCheckedContinuation { continuation in gate.withLock { $0 = continuation } }
                })
        }
        let task = Task { try await loader.image(for: ImageRequest("test:a")) }
        while gate.withLock({ $0 == nil }) { await Task.yield() }
        task.cancel()
        _ = await task.result
        gate.withLock { $0.take() }?.resume()
        await loader.shutDown()
        // The clock of the wait for that.
        gate.withLock { $0.take() }?.resume()
        #expect(source.total == 1)
        // Giving up was reported by whoever did; the step says no more.
        #expect(!log.all.contains { if case .failed = $0.kind { true } else { false } })
    }

    @Test func failuresThatAreRememberedAreBounded() {
        var memory = FailureMemory(FailureLifetimes(), maxCount: 100)
        for number in 0..<1000 {
            memory.record(LoadError(stage: .transfer, address: "", reason: .notFound), "\(number)", now: .zero)
            #expect(memory.count <= 100)
        }
        // The last half at least is remembered, until its time is over.
        for number in 950..<1000 {
            #expect(memory.failure("\(number)", now: .seconds(599)) != nil)
            #expect(memory.failure("\(number)", now: .seconds(600)) == nil)
        }
        memory.forget("999")
        memory.forget("960")
        #expect(memory.failure("999", now: .zero) == nil && memory.failure("960", now: .zero) == nil)
    }
}

extension [UInt8] {
    var imageData: ImageData { ImageData(self) }
}
