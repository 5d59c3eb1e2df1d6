import CodecTestSupport
import ImageCaching
import ImageCodecs
import ImageCodecsCore
import ImageLoading
import Synchronization
import Testing

/// Contracts 1 to 3: one transfer, one decode, one answer.
@Suite struct SharedWorkTests {
    @Test func tenThousandCallersOfTwentyPicturesCauseOneTransferEach() async throws {
        let source = CountingSource { address in
            try await Task.sleep(for: .milliseconds(30))
            return SourceResponse(ImageData(try Picture.png(Int(address.dropFirst(5)) ?? 1)))
        }
        let log = EventLog()
        let loader = ImageLoader.make(source, memory: true) { $0.observe = log.observe }
        let answers = try await withThrowingTaskGroup(of: Int.self) { group in
            for caller in 0..<10_000 {
                let width = 1 + caller * 7 % 20
                group.addTask {
                    let picture = try await loader.image(for: ImageRequest("test:\(width)"))
                    #expect(picture.image.width == width)
                    return width
                }
            }
            return try await group.reduce(into: 0) { sum, _ in sum += 1 }
        }
        #expect(answers == 10_000)
        for width in 1...20 { #expect(source.count("test:\(width)") == 1) }
        let decodeCount = log.all.count { if case .began(.decode) = $0.kind { true } else { false } }
        #expect(decodeCount == 20)
    }

    @Test func sizesShareATransferAndEachIsDecodedOnce() async throws {
        let source = SteppedSource()
        let log = EventLog()
        let loader = ImageLoader.make(source) { $0.observe = log.observe }
        let bytes = try Picture.png(64, 64)
        async let whole = loader.image(for: ImageRequest("test:a"))
        async let small = loader.image(for: ImageRequest("test:a", options: .thumbnail(16)))
        async let again = loader.image(for: ImageRequest("test:a", options: .thumbnail(16)))
        await source.waitUntilOpen()
        while log.all.count(where: { if case .joined = $0.kind { true } else { false } }) < 1 { await Task.yield() }
        source.send(bytes)
        source.end()
        let widths = try await [whole.image.width, small.image.width, again.image.width]
        #expect(widths == [64, 16, 16])
        #expect(source.openCount == 1)
        #expect(log.all.count { if case .began(.decode) = $0.kind { true } else { false } } == 2)
    }

    @Test func cancellingOneCallerLeavesTheOthersAndTheLastOneEndsTheWork() async throws {
        let source = SteppedSource()
        let loader = ImageLoader.make(source)
        let first = Task { try await loader.image(for: ImageRequest("test:a")) }
        let second = Task { try await loader.image(for: ImageRequest("test:a")) }
        await source.waitUntilOpen()
        first.cancel()
        await #expect(throws: LoadError(stage: .lookup, address: "test:a", reason: .cancelled)) {
            try await first.value
        }
        #expect(source.cancelledCount == 0)
        second.cancel()
        _ = await second.result
        while source.cancelledCount < 1 { await Task.yield() }
        // Who comes now gets a new transfer.
        let third = Task { try await loader.image(for: ImageRequest("test:a")) }
        await source.waitUntilOpen(2)
        source.send(try Picture.png(3), to: 1)
        source.end(1)
        #expect(try await third.value.image.width == 3)
    }

    @Test func aTaskThatIsCancelledAlreadyOpensNothing() async throws {
        let source = SteppedSource()
        let loader = ImageLoader.make(source)
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await loader.image(for: ImageRequest("test:a"))
        }
        await #expect(throws: LoadError.self) { try await task.value }
        #expect(source.openCount == 0)
    }

    @Test func theMoreUrgentIsServedFirst() async throws {
        let order = Mutex<[String]>([])
        let source = CountingSource { address in
            order.withLock { $0.append(address) }
            if address == "test:first" { try await Task.sleep(for: .milliseconds(50)) }
            return SourceResponse(ImageData(try Picture.png(1)))
        }
        let loader = ImageLoader.make(source) { $0.maxTransferCount = 1 }
        async let first = loader.image(for: ImageRequest("test:first"))
        while order.withLock({ $0.isEmpty }) { await Task.yield() }
        let waiting = [("low", ImageRequest.Priority.low), ("high", .high), ("normal", .normal)].map { name, priority in
            Task { try await loader.image(for: ImageRequest("test:\(name)", priority: priority)) }
        }
        _ = try await first
        for task in waiting { _ = try await task.value }
        #expect(order.withLock { $0 } == ["test:first", "test:high", "test:normal", "test:low"])
    }

    @Test func noMoreSourcesAreOpenThanAllowedUntilTheirPicturesAreDecoded() async throws {
        let open = Mutex((now: 0, most: 0))
        let bytes = try Picture.png(200, 200)
        let source = CountingSource { _ in
            open.withLock { open in
                open.now += 1
                open.most = max(open.most, open.now)
            }
            return SourceResponse(ImageData(bytes))
        }
        let loader = ImageLoader.make(source) { configuration in
            configuration.maxTransferCount = 3
            configuration.observe = { event in
                if case .ended(.decode, _) = event.kind { open.withLock { $0.now -= 1 } }
            }
        }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<60 {
                group.addTask { _ = try? await loader.image(for: ImageRequest("test:\(number)")) }
            }
        }
        #expect(source.total == 60)
        #expect(open.withLock { $0.now } == 0)
        #expect((1...3).contains(open.withLock { $0.most }))
    }

    @Test func aSourceIsAskedForAPieceWhenTheLastOneIsDealtWith() async throws {
        let asked = Mutex((now: 0, most: 0, count: 0))
        let bytes = try Picture.png(40, 40)
        let source = CountingSource { _ in
            SourceResponse {
                let number = asked.withLock { asked in
                    asked.now += 1
                    asked.most = max(asked.most, asked.now)
                    asked.count += 1
                    return asked.count
                }
                for _ in 0..<3 { await Task.yield() }
                asked.withLock { $0.now -= 1 }
                return number <= bytes.count ? ImageData([bytes[number - 1]]) : nil
            }
        }
        let loader = ImageLoader.make(source)
        // Two who read what comes: one as it comes, one when it is whole.
        async let whole = loader.image(for: ImageRequest("test:a"))
        for try await _ in loader.pictures(for: ImageRequest("test:a")) {}
        #expect(try await whole.image.width == 40)
        #expect(asked.withLock { $0.most } == 1)
    }

    @Test func bytesAreReportedAtMostOnceInAWhileAndInTheEnd() async throws {
        let (clock, log) = (JumpingClock(), EventLog())
        let bytes = try Picture.png(40, 40)
        let next = Mutex(0)
        let source = CountingSource { _ in
            SourceResponse(byteCount: bytes.count) {
                // Every byte takes 30 ms.
                clock.advance(by: .milliseconds(30))
                return next.withLock { next in
                    defer { next += 1 }
                    return next < bytes.count ? ImageData([bytes[next]]) : nil
                }
            }
        }
        let loader = ImageLoader.make(source) { ($0.observe, $0.clock) = (log.observe, clock.clock) }
        _ = try await loader.image(for: ImageRequest("test:a"))
        let received = log.all.compactMap { event in
            if case .received(let count, of: let total) = event.kind { total == bytes.count ? count : nil } else { nil }
        }
        // The first, each fourth after it, the last.
        #expect(received == Array(Set(stride(from: 1, through: bytes.count, by: 4)).union([bytes.count])).sorted())
    }

    @Test func cancelAllAnswersEverybodyAndShuttingDownRefusesTheNext() async throws {
        let source = SteppedSource()
        let loader = ImageLoader.make(source)
        let tasks = (0..<20).map { number in Task { try await loader.image(for: ImageRequest("test:\(number % 5)")) } }
        await source.waitUntilOpen(5)
        loader.cancelAll()
        for task in tasks {
            guard case .failure(let error as LoadError) = await task.result else { Issue.record("an answer"); continue }
            #expect(error.reason == .cancelled)
        }
        await loader.shutDown()
        await #expect(throws: LoadError.self) { try await loader.image(for: ImageRequest("test:a")) }
    }

    /// Callers that come and go at random, of a source that delivers or fails at random.
    @Test(arguments: 0..<10)
    func atRandomEachCallerIsAnsweredOnce(_ seed: Int) async throws {
        let source = CountingSource { address in
            var random = SeededRandom(seed: UInt64(address.utf8.reduce(seed) { $0 &* 31 &+ Int($1) }))
            if Bool.random(using: &random) { await Task.yield() }
            if Int.random(in: 0..<5, using: &random) == 0 {
                throw LoadError(stage: .transfer, address: "", reason: .unreachable)
            }
            return SourceResponse(ImageData(try Picture.png(2)))
        }
        let loader = ImageLoader.make(source) { $0.maxTransferCount = 2 }
        await withTaskGroup(of: Void.self) { group in
            for caller in 0..<300 {
                group.addTask {
                    var random = SeededRandom(seed: UInt64(seed * 1000 + caller))
                    let request = ImageRequest(
                        "test:\(Int.random(in: 0..<6, using: &random))",
                        options: Bool.random(using: &random) ? .loading : .thumbnail(1),
                        transformations: Bool.random(using: &random) ? [.flipped(.vertical)] : [])
                    let isToCancel = Bool.random(using: &random)
                    let task = Task { try await loader.image(for: request) }
                    if isToCancel {
                        for _ in 0..<Int.random(in: 0..<20, using: &random) { await Task.yield() }
                        task.cancel()
                    }
                    switch await task.result {
                    case .success(let picture): #expect(picture.image.width <= 2)
                    case .failure(let error as LoadError):
                        #expect(error.reason == .unreachable || isToCancel && error.reason == .cancelled)
                    case .failure: Issue.record("another error")
                    }
                }
            }
        }
        await loader.shutDown()
    }

    /// Begins, and does not end before it is let go, cancelled or not.
    private final class DeafSource: ImageSource {
        private let waiting = Mutex<(list: [CheckedContinuation<Void, Never>], count: Int)>(([], 0))

        func handles(_ address: String) -> Bool { true }

        func open(_ address: String) async throws -> SourceResponse {
            await withCheckedContinuation { continuation in
                waiting.withLock { waiting in
                    waiting.list.append(continuation)
                    waiting.count += 1
                }
            }
            return SourceResponse([])
        }

        func waitUntilOpen() async { while waiting.withLock({ $0.count }) == 0 { await Task.yield() } }

        func letGo() {
            let list = waiting.withLock { waiting in
                defer { waiting.list = [] }
                return waiting.list
            }
            for continuation in list { continuation.resume() }
        }
    }

    @Test func shuttingDownDoesNotWaitForeverForASourceThatIgnoresIt() async throws {
        let (source, clock) = (DeafSource(), JumpingClock())
        let loader = ImageLoader.make(source) { $0.clock = clock.clock }
        let task = Task { try await loader.image(for: ImageRequest("test:a")) }
        await source.waitUntilOpen()
        #expect(await loader.shutDown(waitingAtMost: .seconds(7)) == false)
        #expect(clock.sleeps == [.seconds(7)])
        await #expect(throws: LoadError(stage: .lookup, address: "test:a", reason: .cancelled)) { try await task.value }
        source.letGo()
        // What it makes now is for nobody; the loader is at rest after it.
        while await loader.shutDown() == false { await Task.yield() }
        await #expect(throws: LoadError.self) { try await loader.image(for: ImageRequest("test:a")) }
    }

    @Test func whatEndedAfterACallerLookedIsTakenFromMemory() async throws {
        let source = CountingSource(try Picture.png(3))
        let picture = try await ImageLoader.make(source).image(for: ImageRequest("test:a"))
        let memory = MemoryCache<LoadedImage>(byteCount: 1 << 20)
        let loader = ImageLoader.make(source) { configuration in
            configuration.memory = memory
            // Asked for the time between the look into memory and the decision who shares what.
            configuration.clock = LoadClock(
                now: {
                    memory.insert(picture, for: CacheKey(source: "test:a", variant: "d"), cost: 1)
                    return .zero
                }, sleep: { _ in })
        }
        #expect(try await loader.image(for: ImageRequest("test:a")) === picture)
        #expect(source.total == 1)
    }

    @Test func bytesAndPicturesOfOneAddressShareATransfer() async throws {
        let source = SteppedSource()
        let log = EventLog()
        let loader = ImageLoader.make(source) { $0.observe = log.observe }
        let bytes = try Picture.png(7)
        async let picture = loader.image(for: ImageRequest("test:a"))
        await source.waitUntilOpen()
        async let original = loader.original(for: ImageRequest("test:a"))
        while !log.all.contains(where: { if case .joined = $0.kind { true } else { false } }) { await Task.yield() }
        source.send(bytes)
        source.end()
        #expect(try await picture.image.width == 7)
        let delivered = try await original
        #expect(delivered.bytes.withBytes { span in span.indices.map { span[$0] } } == bytes)
        #expect(delivered.origin == .source && source.openCount == 1)
    }

    @Test func whatWasAskedForIsInMemoryAndNoStepOnTheWay() async throws {
        let source = SteppedSource()
        let memory = MemoryCache<LoadedImage>(byteCount: 1 << 20)
        let loader = ImageLoader.make(source) { $0.memory = memory }
        let flipped = ImageRequest("test:a", transformations: [.flipped(.vertical), .flipped(.horizontal)])
        let turned = ImageRequest("test:a", transformations: [.flipped(.vertical), .rotated(.clockwise)])
        async let first = loader.image(for: flipped)
        async let second = loader.image(for: turned)
        await source.waitUntilOpen()
        source.send(try Picture.png(8, 4))
        source.end()
        let pictures = try await [first, second]
        #expect(pictures.map(\.image.width) == [8, 4])
        #expect(loader.cachedImage(for: flipped) === pictures[0] && loader.cachedImage(for: turned) === pictures[1])
        #expect(memory.statistics.entryCount == 2)
        #expect(loader.cachedImage(for: ImageRequest("test:a")) == nil)
    }

    @Test func aLoaderIsAtRestAfterEveryKindOfAnswer() async throws {
        let clock = JumpingClock()
        let source = CountingSource { address in
            if address == "test:missing" { throw LoadError(stage: .transfer, address: "", reason: .notFound) }
            return SourceResponse(ImageData(try Picture.png(2)))
        }
        let loader = ImageLoader.make(source, memory: true) { $0.clock = clock.clock }
        for _ in 0..<2 { _ = try await loader.image(for: ImageRequest("test:a")) }
        var cached = ImageRequest("test:b")
        cached.isOnlyFromCache = true
        for request in [cached, ImageRequest("test:missing"), ImageRequest("other:a"), ImageRequest("/no/such/file")] {
            await #expect(throws: LoadError.self) { try await loader.image(for: request) }
        }
        // Steps end a moment after their callers were answered.
        while await loader.shutDown() == false { await Task.yield() }
        #expect(source.total == 2)
    }

    @Test func eachRequestIsAdjustedOnce() async throws {
        let source = CountingSource(try Picture.png(9, 3))
        let count = Mutex(0)
        let loader = ImageLoader.make(source, memory: true) { configuration in
            configuration.adjust = { request in
                count.withLock { $0 += 1 }
                var request = request
                request.transformations.append(.rotated(.clockwise))
                return request
            }
        }
        let picture = try await loader.image(for: ImageRequest("test:a"))
        #expect(picture.image.width == 3 && count.withLock { $0 } == 1)
        #expect(loader.cachedImage(for: ImageRequest("test:a")) === picture)
        for try await again in loader.pictures(for: ImageRequest("test:a")) { #expect(again === picture) }
        #expect(count.withLock { $0 } == 3 && source.total == 1)
    }
}
