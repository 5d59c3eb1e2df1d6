import CodecTestSupport
import Foundation
import ImageCaching
import ImageCodecs
import ImageCodecsCore
import ImageLoading
import Testing

@Suite struct PreviewTests {
    /// A photograph in a format.
    private static func file(_ format: String) throws -> [UInt8] {
        let photo = Fixture.folder("png").appendingPathComponent("landscape.png")
        let bytes = [UInt8](try Data(contentsOf: photo))
        guard let wanted = ImageFormat.all.first(where: { $0.name.lowercased() == format }), format != "png" else {
            return bytes
        }
        return try CoderRegistry.shared.encode(RasterImage(ImageData(bytes)), to: wanted, options: .default)
    }

    @Test(arguments: ["png", "jpeg", "gif", "webp"])
    func previewsComeBeforeTheWholePictureAndAreNotCached(_ format: String) async throws {
        let bytes = try Self.file(format)
        let source = SteppedSource()
        let loader = ImageLoader.make(source, memory: true)
        var request = ImageRequest("test:a", options: .thumbnail(40))
        request.partialInterval = .zero
        let (seen, report) = AsyncStream.makeStream(of: LoadedImage.self)
        let task = Task { [request] in
            for try await picture in loader.pictures(for: request) { report.yield(picture) }
            report.finish()
        }
        await source.waitUntilOpen()
        // Half of the bytes show something, of every format.
        for start in stride(from: 0, to: bytes.count * 3 / 4, by: 512) {
            source.send(bytes[start..<min(start + 512, bytes.count * 3 / 4)])
        }
        var pictures: [LoadedImage] = []
        var iterator = seen.makeAsyncIterator()
        if let first = await iterator.next() {
            pictures.append(first)
            #expect(first.isPreview)
            #expect(loader.cachedImage(for: request) == nil)
        }
        source.send(bytes[(bytes.count * 3 / 4)...])
        source.end()
        while let next = await iterator.next() { pictures.append(next) }
        try await task.value
        #expect(pictures.last?.isPreview == false)
        let previewCount = pictures.count { $0.isPreview }
        #expect(previewCount == pictures.count - 1)
        let expected = try RasterImage(
            ImageData(bytes),
            options: {
                var options = request.options
                options.firstFrameOnly = true
                return options
            }())
        #expect(pictures.last?.image.size == expected.size)
        #expect(loader.cachedImage(for: request)?.isPreview == false)
        #expect(source.openCount == 1)
    }

    @Test func previewsAreAtMostOneInAWhile() async throws {
        let bytes = try Self.file("png")
        let source = SteppedSource()
        let clock = JumpingClock()
        let loader = ImageLoader.make(source) { $0.clock = clock.clock }
        var request = ImageRequest("test:a")
        request.partialInterval = .milliseconds(250)
        let task = Task { [request] in
            var count = 0
            for try await _ in loader.pictures(for: request) { count += 1 }
            return count
        }
        await source.waitUntilOpen()
        for start in stride(from: 0, to: bytes.count, by: 100) {
            source.send(bytes[start..<min(start + 100, bytes.count)])
        }
        source.end()
        let count = try await task.value
        #expect(count >= 1 && count <= clock.sleeps.count + 2)
        #expect(clock.sleeps.allSatisfy { $0 <= .milliseconds(250) })
    }

    @Test func aPictureInMemoryComesAlone() async throws {
        let loader = ImageLoader.make(CountingSource(try Picture.png(3)), memory: true)
        _ = try await loader.image(for: ImageRequest("test:a"))
        var count = 0
        for try await picture in loader.pictures(for: ImageRequest("test:a")) {
            #expect(!picture.isPreview)
            count += 1
        }
        #expect(count == 1)
    }

    @Test func lettingGoOfTheIteratorEndsTheWork() async throws {
        let source = SteppedSource()
        let loader = ImageLoader.make(source)
        let bytes = try Self.file("png")
        do {
            var request = ImageRequest("test:a")
            request.partialInterval = .zero
            var iterator = loader.pictures(for: request).makeAsyncIterator()
            let sender = Task {
                await source.waitUntilOpen()
                source.send(bytes.prefix(bytes.count / 2))
            }
            let first = try await iterator.next()
            #expect(first?.isPreview == true)
            await sender.value
        }
        while source.cancelledCount == 0 { await Task.yield() }
    }

    @Test func cancellingTheTaskEndsTheWaitAtOnce() async throws {
        let source = SteppedSource()
        let loader = ImageLoader.make(source)
        let task = Task { for try await _ in loader.pictures(for: ImageRequest("test:a")) {} }
        await source.waitUntilOpen()
        task.cancel()
        await #expect(throws: LoadError(stage: .lookup, address: "test:a", reason: .cancelled)) { try await task.value }
    }

    @Test func aCutTransferFailsAfterItsPreviews() async throws {
        let source = SteppedSource()
        let loader = ImageLoader.make(source)
        let bytes = try Self.file("png")
        var request = ImageRequest("test:a")
        request.partialInterval = .zero
        var iterator = loader.pictures(for: request).makeAsyncIterator()
        let sender = Task {
            await source.waitUntilOpen()
            source.send(bytes.prefix(bytes.count / 2))
        }
        #expect(try await iterator.next()?.isPreview == true)
        await sender.value
        source.fail(0, LoadError(stage: .transfer, address: "", reason: .unreachable))
        do {
            while try await iterator.next() != nil {}
            Issue.record("no error")
        } catch {
            #expect(error.reason == .unreachable && error.stage == .transfer)
        }
        #expect(try await iterator.next() == nil)
    }

    @Test func whatDoesNotDecodeOnTheDiskGivesWayToTheSourceWithPreviewsToo() async throws {
        let folder = try TemporaryFolder()
        let disk = try DiskCache(path: folder.path("cache"), byteCount: 1 << 20)
        try disk.insert(DiskEntry(bytes: [1, 2, 3]), for: CacheKey(source: "test:a"))
        let source = CountingSource(try Picture.png(7))
        let log = EventLog()
        let loader = ImageLoader.make(source, disk: disk) { $0.observe = log.observe }
        var whole: LoadedImage?
        for try await picture in loader.pictures(for: ImageRequest("test:a")) { whole = picture }
        #expect(whole?.image.width == 7 && whole?.isPreview == false && source.total == 1)
        await loader.shutDown()
        // What the disk has now is shown as what it is.
        let next = ImageLoader.make(source, disk: disk) { $0.observe = log.observe }
        for try await picture in next.pictures(for: ImageRequest("test:a")) { whole = picture }
        #expect(whole?.image.width == 7 && source.total == 1)
        let origins = log.all.compactMap { event -> LoadOrigin? in
            if case .ended(.decode, let origin) = event.kind { origin } else { nil }
        }
        #expect(origins == [.source, .original])
    }

    /// A picture comes into view, or leaves it, while it waits.
    @Test(arguments: [ImageRequest.Priority.veryHigh, .veryLow])
    func theNewPriorityOfASequenceHolds(_ priority: ImageRequest.Priority) async throws {
        let (gate, log, bytes) = (SteppedSource(), EventLog(), try Picture.png(2))
        let source = CountingSource { address in
            address == "test:first" ? try await gate.open(address) : SourceResponse(ImageData(bytes))
        }
        let loader = ImageLoader.make(source) { configuration in
            configuration.maxTransferCount = 1
            configuration.observe = log.observe
        }
        let first = Task { try await loader.image(for: ImageRequest("test:first")) }
        await gate.waitUntilOpen()
        // Each twice, so that the second one says that both wait.
        var tasks: [Task<Void, any Error>] = []
        var pictures: [LoadedPictures] = []
        for (index, name) in ["a", "b", "c"].enumerated() {
            for _ in 0..<2 {
                let sequence = loader.pictures(for: ImageRequest("test:\(name)"))
                if name == "b" { pictures.append(sequence) }
                tasks.append(Task { for try await _ in sequence {} })
            }
            await log.waitUntilJoined(index + 1)
        }
        for sequence in pictures { sequence.setPriority(priority) }
        gate.send(bytes)
        gate.end()
        _ = try await first.value
        for task in tasks { try await task.value }
        let order = log.all.compactMap { event -> String? in
            if case .began(.transfer) = event.kind { event.address } else { nil }
        }
        let others = ["test:a", "test:c"]
        #expect(order == ["test:first"] + (priority == .veryHigh ? ["test:b"] + others : others + ["test:b"]))
    }

    @Test func aPriorityThatChangedBeforeTheFirstElementHolds() async throws {
        let (source, log) = (SteppedSource(), EventLog())
        let loader = ImageLoader.make(source) { configuration in
            configuration.maxTransferCount = 1
            configuration.observe = log.observe
        }
        let first = Task { try await loader.image(for: ImageRequest("test:first")) }
        await source.waitUntilOpen()
        let sequences = [ImageRequest.Priority.low, .high].map { priority in
            (0..<2).map { _ in
                let sequence = loader.pictures(for: ImageRequest("test:\(priority)"))
                sequence.setPriority(priority)
                return sequence
            }
        }
        var tasks: [Task<Void, any Error>] = []
        for (index, equal) in sequences.enumerated() {
            for sequence in equal { tasks.append(Task { for try await _ in sequence {} }) }
            await log.waitUntilJoined(index + 1)
        }
        let bytes = try Picture.png(2)
        for index in 0..<3 {
            await source.waitUntilOpen(index + 1)
            source.send(bytes, to: index)
            source.end(index)
        }
        _ = try await first.value
        for task in tasks { try await task.value }
        let order = log.all.compactMap { event -> String? in
            if case .began(.transfer) = event.kind { event.address } else { nil }
        }
        #expect(order == ["test:first", "test:high", "test:low"])
    }
}
