import Dispatch
import Foundation
import ImageCaching
import ImageCodecs
import ImageCodecsCore
import ImageLoading
import Synchronization
import Testing

/// What is on the disk after a request, and what that is good for.
@Suite struct KeptOnDiskTests {
    private let original = CacheKey(source: "test:a")

    @Test(
        arguments: [
            .all, .writesOriginals, .writesResults, [.writesOriginals, .readsResults], .none,
        ] as [CachePolicy])
    func theDiskKeepsWhatThePolicySays(_ policy: CachePolicy) async throws {
        let folder = try TemporaryFolder()
        let disk = try DiskCache(path: folder.path("cache"), byteCount: 1 << 20)
        let encoded = Mutex<[CacheKey]>([])
        let loader = ImageLoader.make(CountingSource(try Picture.png(40, 20)), disk: disk) { configuration in
            configuration.serializer = { picture, key in
                encoded.withLock { $0.append(key) }
                return ImageData(try picture.image.encodedBytes())
            }
        }
        var request = ImageRequest("test:a", transformations: [.rotated(.clockwise)])
        request.cachePolicy = policy
        #expect(try await loader.image(for: request).image.width == 20)
        await loader.shutDown()
        let keys = encoded.withLock { $0 }
        // Nothing is encoded that is not kept.
        #expect(keys.count == (policy.contains(.writesResults) ? 1 : 0))
        #expect(keys.allSatisfy { disk.contains($0) && $0.source == "test:a" && $0 != original })
        #expect(disk.contains(original) == policy.contains(.writesOriginals))
        #expect(disk.statistics.insertionCount == keys.count + (policy.contains(.writesOriginals) ? 1 : 0))
    }

    @Test func ofAPictureThatIsNotEncodedTheDiskKeepsTheOriginal() async throws {
        let folder = try TemporaryFolder()
        let disk = try DiskCache(path: folder.path("cache"), byteCount: 1 << 20)
        let source = CountingSource(try Picture.png(4))
        let loader = ImageLoader.make(source, disk: disk) { $0.serializer = { _, _ in nil } }
        _ = try await loader.image(for: ImageRequest("test:a"))
        await loader.shutDown()
        #expect(disk.contains(original) && disk.statistics.insertionCount == 1)
    }

    @Test func aFinishedPictureFromTheDiskIsNotMadeAgainAndIsInMemory() async throws {
        let folder = try TemporaryFolder()
        let disk = try DiskCache(path: folder.path("cache"), byteCount: 1 << 20)
        let (source, changes) = (CountingSource(try Picture.png(9)), CountedTransformations())
        let make = {
            ImageLoader.make(source, memory: true, disk: disk) { configuration in
                configuration.serializer = { picture, _ in ImageData(try picture.image.encodedBytes()) }
            }
        }
        let request = ImageRequest("test:a", transformations: [changes["a"]])
        let first = make()
        _ = try await first.image(for: request)
        await first.shutDown()
        let second = make()
        let picture = try await second.image(for: request)
        #expect(picture.image.width == 9 && second.cachedImage(for: request) === picture)
        #expect(changes.done == ["a": 1] && source.total == 1)
    }

    @Test func ofAThumbnailTheDiskKeepsTheOriginalAndMemoryTheThumbnail() async throws {
        let folder = try TemporaryFolder()
        let disk = try DiskCache(path: folder.path("cache"), byteCount: 1 << 20)
        let bytes = try Picture.png(40, 40)
        let source = CountingSource(bytes)
        let loader = ImageLoader.make(source, memory: true, disk: disk)
        let thumbnail = ImageRequest("test:a", options: .thumbnail(10))
        #expect(try await loader.image(for: thumbnail).image.width == 10)
        while disk.statistics.insertionCount == 0 { await Task.yield() }
        #expect(disk.entry(for: original)?.bytes.count == bytes.count && disk.statistics.entryCount == 1)
        #expect(loader.cachedImage(for: thumbnail) != nil && loader.cachedImage(for: ImageRequest("test:a")) == nil)
        // The whole picture is made of what the thumbnail was made of.
        #expect(try await loader.image(for: ImageRequest("test:a")).image.width == 40)
        #expect(source.total == 1)
    }

    @Test func whatIsNearIsNotCopiedToTheDiskButWhatIsMadeOfItIs() async throws {
        let folder = try TemporaryFolder()
        let disk = try DiskCache(path: folder.path("cache"), byteCount: 1 << 20)
        let path = folder.path("a.png")
        try Data(Picture.png(40, 40)).write(to: URL(fileURLWithPath: path))
        let plain = ImageLoader.make(FileSource(), disk: disk)
        #expect(try await plain.image(for: ImageRequest(path)).image.width == 40)
        #expect(try await plain.original(for: ImageRequest(path)).bytes.count > 0)
        #expect(try await plain.image(for: ImageRequest(ImageData(try Picture.png(9)), name: "nine")).image.width == 9)
        await plain.shutDown()
        #expect(disk.statistics.insertionCount == 0)
        let log = EventLog()
        let make = {
            ImageLoader.make(FileSource(), disk: disk) { configuration in
                configuration.serializer = { picture, _ in ImageData(try picture.image.encodedBytes()) }
                configuration.observe = log.observe
            }
        }
        let thumbnail = ImageRequest(path, options: .thumbnail(10))
        for _ in 0..<2 {
            let loader = make()
            #expect(try await loader.image(for: thumbnail).image.width == 10)
            await loader.shutDown()
            #expect(disk.statistics.insertionCount == 1)
        }
        #expect(log.all.contains { if case .ended(.lookup, .result) = $0.kind { true } else { false } })
    }

    @Test func bytesComeFromTheDiskUnlessTheyAreAskedForAgain() async throws {
        let folder = try TemporaryFolder()
        let disk = try DiskCache(path: folder.path("cache"), byteCount: 1 << 20)
        // Bytes that are no picture: none is made of them.
        let source = CountingSource([1, 2, 3])
        let loader = ImageLoader.make(source, disk: disk)
        var request = ImageRequest("test:a")
        #expect(try await loader.original(for: request).origin == .source)
        while disk.statistics.insertionCount < 1 { await Task.yield() }
        request.isOnlyFromCache = true
        let stored = try await loader.original(for: request)
        #expect(stored.origin == .original && stored.bytes.count == 3 && source.total == 1)
        request.address = "test:b"
        await #expect(throws: LoadError(stage: .lookup, address: "test:b", reason: .notInCache)) {
            try await loader.original(for: request)
        }
        let hitCount = disk.statistics.hitCount
        request = ImageRequest("test:a")
        request.cachePolicy = .reload
        #expect(try await loader.original(for: request).origin == .source)
        while disk.statistics.insertionCount < 2 { await Task.yield() }
        #expect(source.total == 2 && source.count("test:b") == 0)
        #expect(disk.statistics.hitCount == hitCount)
    }

    @Test func bytesAreThoseOfTheSourceWhateverIsToBeMadeOfThem() async throws {
        let folder = try TemporaryFolder()
        let disk = try DiskCache(path: folder.path("cache"), byteCount: 1 << 20)
        let (bytes, changes) = (try Picture.png(5), CountedTransformations())
        let encodedCount = Mutex(0)
        let loader = ImageLoader.make(CountingSource(bytes), memory: true, disk: disk) { configuration in
            configuration.serializer = { _, _ in
                encodedCount.withLock { $0 += 1 }
                return nil
            }
        }
        let request = ImageRequest("test:a", options: .thumbnail(2), transformations: [changes["a"]])
        let delivered = try await loader.original(for: request)
        #expect(delivered.bytes.withBytes { span in span.indices.map { span[$0] } } == bytes)
        await loader.shutDown()
        #expect(disk.contains(original) && disk.statistics.insertionCount == 1)
        #expect(changes.done.isEmpty && encodedCount.withLock { $0 } == 0)
        #expect(loader.cachedImage(for: request) == nil)
    }

    @Test func bytesThatCameBeforeSomebodyWantedThemKeptAreKept() async throws {
        let folder = try TemporaryFolder()
        let disk = try DiskCache(path: folder.path("cache"), byteCount: 1 << 20)
        let (log, gate) = (EventLog(), DispatchSemaphore(value: 0))
        let (began, report) = AsyncStream.makeStream(of: Void.self)
        let slow = ImageTransformation.custom(name: "slow") { (image) throws(ImageError) in
            report.yield()
            gate.wait()
            return image
        }
        let loader = ImageLoader.make(CountingSource(try Picture.png(4)), disk: disk) { $0.observe = log.observe }
        var request = ImageRequest("test:a", transformations: [slow])
        request.cachePolicy = .none
        let first = Task { [request] in try await loader.image(for: request) }
        for await _ in began { break }
        // The transfer is over, and nothing of it was to be kept.
        request.cachePolicy = [.writesOriginals]
        let second = Task { [request] in try await loader.image(for: request) }
        await log.waitUntilJoined(1)
        gate.signal()
        #expect(try await first.value === second.value)
        await loader.shutDown()
        let next = try DiskCache(path: folder.path("cache"), byteCount: 1 << 20)
        #expect(next.contains(original) && next.statistics.entryCount == 1)
    }

    @Test func aFinishedPictureSaysWhereItsBytesCameFrom() async throws {
        let folder = try TemporaryFolder()
        let disk = try DiskCache(path: folder.path("cache"), byteCount: 1 << 20)
        try disk.insert(DiskEntry(bytes: ImageData(try Picture.png(4))), for: original)
        let log = EventLog()
        let loader = ImageLoader.make(CountingSource([]), disk: disk) { configuration in
            configuration.observe = log.observe
            configuration.serializer = { picture, _ in ImageData(try picture.image.encodedBytes()) }
        }
        for _ in 0..<2 {
            _ = try await loader.image(for: ImageRequest("test:a"))
            // The picture goes to the disk after it was delivered.
            while disk.statistics.entryCount < 2 { await Task.yield() }
        }
        await loader.shutDown()
        let origins = log.all.compactMap { event -> LoadOrigin? in
            if case .ended(.lookup, let origin) = event.kind { origin } else { nil }
        }
        #expect(origins == [.original, .result])
    }
}
