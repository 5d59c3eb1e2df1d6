import ImageCaching
import ImageCodecsCore
import ImageLoading
import Synchronization
import Testing

@Suite struct ImagePrefetcherTests {
    @Test func picturesAreInMemoryAfterwards() async throws {
        let source = CountingSource(try Picture.png(2))
        let loader = ImageLoader.make(source, memory: true)
        let requests = (0..<20).map { ImageRequest("test:\($0)") }
        let prefetcher = loader.prefetch(requests, atOnce: 3)
        await prefetcher.waitUntilDone()
        #expect(prefetcher.progress.count == 20 && prefetcher.progress.loadedCount == 20)
        #expect(requests.allSatisfy { loader.cachedImage(for: $0) != nil })
    }

    @Test func originalsAreOnTheDiskAfterwardsUndecoded() async throws {
        let folder = try TemporaryFolder()
        let disk = try DiskCache(path: folder.path("cache"), byteCount: 1 << 20)
        let log = EventLog()
        let loader = ImageLoader.make(CountingSource([1, 2, 3]), disk: disk) { $0.observe = log.observe }
        let prefetcher = loader.prefetch((0..<10).map { ImageRequest("test:\($0)") }, to: .disk)
        await prefetcher.waitUntilDone()
        await loader.shutDown()
        #expect(disk.statistics.entryCount == 10)
        #expect(!log.all.contains { if case .began(.decode) = $0.kind { true } else { false } })
    }

    @Test func noMoreThanAskedForRunAtOnceAndFailuresAreCounted() async throws {
        let running = Mutex((now: 0, most: 0))
        let source = CountingSource { address in
            running.withLock {
                $0.now += 1; $0.most = max($0.most, $0.now)
            }
            await Task.yield()
            running.withLock { $0.now -= 1 }
            if address.hasSuffix("7") { throw LoadError(stage: .transfer, address: "", reason: .notFound) }
            return SourceResponse(ImageData(try Picture.png(1)))
        }
        let prefetcher = ImageLoader.make(source).prefetch((0..<30).map { ImageRequest("test:\($0)") }, atOnce: 2)
        await prefetcher.waitUntilDone()
        #expect(running.withLock { $0.most } <= 2)
        #expect(prefetcher.progress.failedCount == 3 && prefetcher.progress.loadedCount == 27)
    }

    @Test func anEmptyListIsDone() async {
        let prefetcher = ImageLoader.make(SteppedSource()).prefetch([])
        await prefetcher.waitUntilDone()
        #expect(prefetcher.progress.count == 0 && prefetcher.progress.loadedCount == 0)
    }

    @Test func twoPrefetchersShareWhatBothAskFor() async throws {
        let source = CountingSource(try Picture.png(2))
        let loader = ImageLoader.make(source, memory: true)
        let prefetchers = [0..<20, 10..<30].map { numbers in loader.prefetch(numbers.map { ImageRequest("test:\($0)") })
        }
        for prefetcher in prefetchers {
            await prefetcher.waitUntilDone()
            #expect(prefetcher.progress.loadedCount == 20)
        }
        #expect((0..<30).allSatisfy { source.count("test:\($0)") == 1 })
    }

    @Test func cancellingEverythingDoesNotLeaveItWaiting() async throws {
        let source = SteppedSource()
        let loader = ImageLoader.make(source)
        let prefetcher = loader.prefetch((0..<3).map { ImageRequest("test:\($0)") }, atOnce: 3)
        await source.waitUntilOpen(3)
        loader.cancelAll()
        await prefetcher.waitUntilDone()
        #expect(prefetcher.progress.loadedCount == 0 && prefetcher.progress.failedCount == 0)
    }

    @Test func itStopsWhenItIsReleased() async throws {
        let source = SteppedSource()
        let loader = ImageLoader.make(source)
        var prefetcher: ImagePrefetcher? = loader.prefetch((0..<10).map { ImageRequest("test:\($0)") })
        await source.waitUntilOpen(2)
        #expect(prefetcher != nil)
        prefetcher = nil
        while source.cancelledCount < 2 { await Task.yield() }
        #expect(source.openCount == 2)
    }

    @Test func anAddressTwiceInAListIsLoadedOnce() async throws {
        let source = CountingSource(try Picture.png(2))
        let loader = ImageLoader.make(source, memory: true)
        let prefetcher = loader.prefetch((0..<20).map { ImageRequest("test:\($0 / 2)") }, atOnce: 4)
        await prefetcher.waitUntilDone()
        #expect(prefetcher.progress.loadedCount == 20)
        #expect(source.total == 10)
        // What is in memory is not loaded again.
        let again = loader.prefetch((0..<10).map { ImageRequest("test:\($0)") })
        await again.waitUntilDone()
        #expect(again.progress.loadedCount == 10 && source.total == 10)
    }

    @Test func whatSomebodyWaitsForComesBeforeWhatIsLoadedAhead() async throws {
        let order = Mutex<[String]>([])
        let gate = SteppedSource()
        let bytes = try Picture.png(2)
        let source = CountingSource { address in
            order.withLock { $0.append(address) }
            return address == "test:first" ? try await gate.open(address) : SourceResponse(ImageData(bytes))
        }
        let log = EventLog()
        let loader = ImageLoader.make(source, memory: true) { configuration in
            configuration.maxTransferCount = 1
            configuration.observe = log.observe
        }
        let first = Task { try await loader.image(for: ImageRequest("test:first")) }
        await gate.waitUntilOpen()
        let prefetcher = loader.prefetch((0..<4).map { ImageRequest("test:\($0)") }, atOnce: 4)
        let urgent = Task { try await loader.image(for: ImageRequest("test:3")) }
        // Both wait for the last one then.
        while !log.all.contains(where: { if case .joined = $0.kind { $0.address == "test:3" } else { false } }) {
            await Task.yield()
        }
        gate.send(bytes)
        gate.end()
        _ = try await (first.value, urgent.value)
        await prefetcher.waitUntilDone()
        #expect(order.withLock { $0 }.prefix(2) == ["test:first", "test:3"])
        #expect(prefetcher.progress.loadedCount == 4 && source.total == 5)
    }

    @Test func whatIsLoadedAheadIsOnTheDiskToo() async throws {
        let folder = try TemporaryFolder()
        let disk = try DiskCache(path: folder.path("cache"), byteCount: 1 << 20)
        let loader = ImageLoader.make(CountingSource(try Picture.png(2)), memory: true, disk: disk)
        let requests = (0..<3).map { ImageRequest("test:\($0)") }
        let prefetcher = loader.prefetch(requests)
        await prefetcher.waitUntilDone()
        await loader.shutDown()
        #expect(prefetcher.progress.loadedCount == 3)
        #expect(requests.allSatisfy { loader.cachedImage(for: $0) != nil })
        #expect(requests.allSatisfy { disk.contains(CacheKey(source: $0.address)) })
    }

    @Test func cancellingEndsWhatRunsAndBeginsNoMore() async throws {
        let source = SteppedSource()
        let loader = ImageLoader.make(source)
        let prefetcher = loader.prefetch((0..<10).map { ImageRequest("test:\($0)") }, atOnce: 2)
        await source.waitUntilOpen(2)
        prefetcher.cancel()
        prefetcher.cancel()
        await prefetcher.waitUntilDone()
        while source.cancelledCount < 2 { await Task.yield() }
        while await loader.shutDown() == false { await Task.yield() }
        #expect(source.openCount == 2)
        let progress = prefetcher.progress
        #expect(progress.count == 10 && progress.loadedCount == 0 && progress.failedCount == 0)
    }

    @Test func whatIsCancelledBeforeItsTurnIsNotAskedFor() async throws {
        let source = SteppedSource()
        let loader = ImageLoader.make(source) { $0.maxTransferCount = 1 }
        let first = Task { try await loader.image(for: ImageRequest("test:first")) }
        await source.waitUntilOpen()
        let prefetcher = loader.prefetch((0..<5).map { ImageRequest("test:\($0)") }, atOnce: 5)
        prefetcher.cancel()
        await prefetcher.waitUntilDone()
        source.send(try Picture.png(3))
        source.end()
        #expect(try await first.value.image.width == 3)
        while await loader.shutDown() == false { await Task.yield() }
        #expect(source.openCount == 1 && prefetcher.progress.loadedCount == 0)
    }

    @Test func whatIsLoadedAheadHasALowPriorityWhateverItsRequestSays() async throws {
        let order = Mutex<[String]>([])
        let (gate, log) = (SteppedSource(), EventLog())
        let bytes = try Picture.png(2)
        let source = CountingSource { address in
            order.withLock { $0.append(address) }
            return address == "test:first" ? try await gate.open(address) : SourceResponse(ImageData(bytes))
        }
        let loader = ImageLoader.make(source) { configuration in
            configuration.maxTransferCount = 1
            configuration.observe = log.observe
        }
        let first = Task<LoadedImage, any Error> { try await loader.image(for: ImageRequest("test:first")) }
        await gate.waitUntilOpen()
        func askTwice(_ address: String, _ priority: ImageRequest.Priority) -> [Task<LoadedImage, any Error>] {
            (0..<2).map { _ in
                Task<LoadedImage, any Error> { try await loader.image(for: ImageRequest(address, priority: priority)) }
            }
        }
        var tasks = askTwice("test:last", .veryLow)
        await log.waitUntilJoined(1)
        let prefetcher = loader.prefetch(
            [ImageRequest("test:ahead", priority: .veryHigh), ImageRequest("test:ahead", priority: .veryLow)])
        await log.waitUntilJoined(2)
        tasks += askTwice("test:usual", .normal)
        await log.waitUntilJoined(3)
        gate.send(bytes)
        gate.end()
        for task in [first] + tasks { _ = try await task.value }
        await prefetcher.waitUntilDone()
        #expect(order.withLock { $0 } == ["test:first", "test:usual", "test:ahead", "test:last"])
    }
}
