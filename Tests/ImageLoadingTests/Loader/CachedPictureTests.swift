import CodecTestSupport
import Foundation
import ImageCaching
import ImageCodecs
import ImageCodecsCore
import ImageLoading
import Testing

@Suite struct CachedPictureTests {
    @Test func aPictureInMemoryIsThereAtOnce() async throws {
        let source = CountingSource(try Picture.png(5))
        let loader = ImageLoader.make(source, memory: true)
        let request = ImageRequest("test:a")
        #expect(loader.cachedImage(for: request) == nil)
        let loaded = try await loader.image(for: request)
        #expect(loader.cachedImage(for: request) === loaded)
        #expect(loader.cachedImage(for: ImageRequest("test:a", options: .thumbnail(2))) == nil)
        _ = try await loader.image(for: request)
        #expect(source.total == 1)
        var again = request
        again.cachePolicy = .reload
        #expect(loader.cachedImage(for: again) == nil)
        _ = try await loader.image(for: again)
        #expect(source.total == 2)
    }

    @Test func originalsComeFromTheDiskAndSizesAreMadeOfThem() async throws {
        let folder = try TemporaryFolder()
        let disk = try DiskCache(path: folder.path("cache"), byteCount: 1 << 20)
        let source = CountingSource(try Picture.png(40, 40))
        let first = ImageLoader.make(source, disk: disk)
        _ = try await first.image(for: ImageRequest("test:a"))
        await first.shutDown()
        let second = ImageLoader.make(source, disk: disk)
        #expect(try await second.image(for: ImageRequest("test:a", options: .thumbnail(10))).image.width == 10)
        #expect(source.total == 1)
        var only = ImageRequest("test:a")
        only.isOnlyFromCache = true
        #expect(try await second.image(for: only).image.width == 40)
        only.address = "test:b"
        await #expect(throws: LoadError(stage: .lookup, address: "test:b", reason: .notInCache)) {
            try await second.image(for: only)
        }
        #expect(source.total == 1)
    }

    @Test func whatIsMadeOfAPictureInMemoryBeginsWithIt() async throws {
        let (source, changes, log) = (CountingSource(try Picture.png(5)), CountedTransformations(), EventLog())
        let loader = ImageLoader.make(source, memory: true) { $0.observe = log.observe }
        _ = try await loader.image(for: ImageRequest("test:a"))
        let first = ImageRequest("test:a", transformations: [changes["a"]])
        _ = try await loader.image(for: first)
        var second = ImageRequest("test:a", transformations: [changes["a"], changes["b"]])
        second.isOnlyFromCache = true
        #expect(try await loader.image(for: second).image.width == 5)
        #expect(source.total == 1 && changes.done == ["a": 1, "b": 1])
        #expect(loader.cachedImage(for: second) != nil)
        let origins = log.all.compactMap { event -> LoadOrigin? in
            if case .ended(.transformation, let origin) = event.kind { origin } else { nil }
        }
        #expect(origins == [.memory, .memory])
        // Another size is another picture, and whoever reloads wants nothing from memory.
        _ = try await loader.image(
            for: ImageRequest("test:a", options: .thumbnail(2), transformations: [changes["a"]]))
        #expect(source.total == 2 && changes.done == ["a": 2, "b": 1])
        var again = ImageRequest("test:a", transformations: [changes["a"], changes["b"]])
        again.cachePolicy = .reload
        _ = try await loader.image(for: again)
        #expect(source.total == 3 && changes.done == ["a": 3, "b": 2])
    }

    @Test func sharedWorkIsKeptIfOneOfThoseWhoWaitWantsItKept() async throws {
        let folder = try TemporaryFolder()
        let disk = try DiskCache(path: folder.path("cache"), byteCount: 1 << 20)
        let source = SteppedSource()
        let log = EventLog()
        let loader = ImageLoader.make(source, memory: true, disk: disk) { $0.observe = log.observe }
        var passing = ImageRequest("test:a")
        passing.cachePolicy = [.readsMemory, .readsOriginals]
        let first = Task { [passing] in try await loader.image(for: passing) }
        await source.waitUntilOpen()
        let second = Task { try await loader.image(for: ImageRequest("test:a")) }
        while !log.all.contains(where: { if case .joined = $0.kind { true } else { false } }) { await Task.yield() }
        source.send(try Picture.png(6))
        source.end()
        #expect(try await first.value === second.value)
        await loader.shutDown()
        #expect(source.openCount == 1 && loader.cachedImage(for: passing)?.image.width == 6)
        let next = try DiskCache(path: folder.path("cache"), byteCount: 1 << 20)
        #expect(next.entry(for: CacheKey(source: "test:a")) != nil)
    }

    @Test func whatNobodyWantsKeptIsNotKept() async throws {
        let folder = try TemporaryFolder()
        let disk = try DiskCache(path: folder.path("cache"), byteCount: 1 << 20)
        let loader = ImageLoader.make(CountingSource(try Picture.png(6)), memory: true, disk: disk)
        var passing = ImageRequest("test:a")
        passing.cachePolicy = [.readsMemory, .readsOriginals]
        weak let picture = try await loader.image(for: passing)
        await loader.shutDown()
        #expect(picture == nil && loader.cachedImage(for: passing) == nil)
        let next = try DiskCache(path: folder.path("cache"), byteCount: 1 << 20)
        #expect(next.statistics.entryCount == 0)
    }

    @Test func aPictureThatHadToGoIsFreedUnlessSomebodyHoldsIt() async throws {
        let source = CountingSource(try Picture.png(64, 64))
        let loader = ImageLoader.make(source) { $0.memory = MemoryCache(byteCount: 5 * 64 * 64 * 4, shardCount: 1) }
        let held = try await loader.image(for: ImageRequest("test:held"))
        weak let free = try await loader.image(for: ImageRequest("test:free"))
        #expect(free != nil)
        for number in 0..<8 { _ = try await loader.image(for: ImageRequest("test:\(number)")) }
        while free != nil { await Task.yield() }
        #expect(loader.cachedImage(for: ImageRequest("test:held")) == nil)
        #expect(held.image.width == 64)
        #expect(try await loader.image(for: ImageRequest("test:held")) !== held)
        #expect(source.count("test:held") == 2)
    }

    @Test func onlyCachesThatARequestReadsAnswerIt() async throws {
        let folder = try TemporaryFolder()
        let disk = try DiskCache(path: folder.path("cache"), byteCount: 1 << 20)
        let loader = ImageLoader.make(CountingSource(try Picture.png(5)), memory: true, disk: disk)
        let inMemory = try await loader.image(for: ImageRequest("test:a"))
        while disk.entry(for: CacheKey(source: "test:a")) == nil { await Task.yield() }
        var request = ImageRequest("test:a")
        request.isOnlyFromCache = true
        request.cachePolicy = [.readsOriginals]
        let fromDisk = try await loader.image(for: request)
        #expect(fromDisk !== inMemory && fromDisk.image.width == 5)
        request.cachePolicy = [.readsMemory]
        #expect(try await loader.image(for: request) === inMemory)
        request.options = .thumbnail(2)
        await #expect(throws: LoadError(stage: .lookup, address: "test:a", reason: .notInCache)) {
            try await loader.image(for: request)
        }
    }

    @Test func anOriginalThatDoesNotDecodeIsRemovedAndTheSourceAsked() async throws {
        let folder = try TemporaryFolder()
        let disk = try DiskCache(path: folder.path("cache"), byteCount: 1 << 20)
        try disk.insert(DiskEntry(bytes: [1, 2, 3]), for: CacheKey(source: "test:a"))
        let source = CountingSource(try Picture.png(7))
        let loader = ImageLoader.make(source, disk: disk)
        #expect(try await loader.image(for: ImageRequest("test:a")).image.width == 7)
        await loader.shutDown()
        #expect(disk.entry(for: CacheKey(source: "test:a"))?.bytes.count == (try Picture.png(7)).count)
    }

    @Test func whatChangesInAnAddressDoesNotChangeItsKey() async throws {
        let source = CountingSource(try Picture.png(5))
        let loader = ImageLoader.make(source, memory: true) { configuration in
            configuration.sourceKey = { address in String(address.prefix { $0 != "?" }) }
        }
        _ = try await loader.image(for: ImageRequest("test:a?signature=1"))
        #expect(loader.cachedImage(for: ImageRequest("test:a?signature=2")) != nil)
    }

    /// Delivers a picture whose width is the version, and says so only of addresses without a NUL.
    private struct VersionedSource: ImageSource {
        func handles(_ address: String) -> Bool { true }
        func version(of address: String) -> String? { address.utf8.contains(0) ? nil : "7" }
        func open(_ address: String) async throws -> SourceResponse {
            SourceResponse(ImageData(try Picture.png(version(of: address) == nil ? 3 : 7)))
        }
    }

    @Test func anAddressThatLooksLikeAnotherWithItsVersionIsAnotherKey() async throws {
        let loader = ImageLoader.make(VersionedSource(), memory: true)
        #expect(try await loader.image(for: ImageRequest("a")).image.width == 7)
        #expect(loader.cachedImage(for: ImageRequest("a\u{0}7")) == nil)
        #expect(try await loader.image(for: ImageRequest("a\u{0}7")).image.width == 3)
        #expect(try await loader.image(for: ImageRequest("a")).image.width == 7)
    }

    @Test func finishedPicturesAreKeptAsTheSerializerSays() async throws {
        let folder = try TemporaryFolder()
        let disk = try DiskCache(path: folder.path("cache"), byteCount: 1 << 20)
        let source = CountingSource(try Picture.png(40, 20))
        let make = {
            ImageLoader.make(source, disk: disk) { configuration in
                configuration.serializer = { picture, _ in ImageData(try picture.image.encodedBytes()) }
            }
        }
        var request = ImageRequest("test:a", transformations: [.rotated(.clockwise)])
        request.cachePolicy = [.readsResults, .writesResults]
        let first = make()
        #expect(try await first.image(for: request).image.size == PixelSize(width: 20, height: 40))
        await first.shutDown()
        let log = EventLog()
        let second = ImageLoader.make(source, disk: disk) { configuration in
            configuration.serializer = { _, _ in nil }
            configuration.observe = log.observe
        }
        #expect(try await second.image(for: request).image.size == PixelSize(width: 20, height: 40))
        #expect(source.total == 1)
        #expect(log.all.contains { if case .ended(.lookup, .result) = $0.kind { true } else { false } })
    }

    @Test func aFileThatChangesIsLoadedAgain() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.png")
        try Data(Picture.png(5)).write(to: URL(fileURLWithPath: path))
        let loader = ImageLoader.make(FileSource(), memory: true)
        #expect(try await loader.image(for: ImageRequest(path)).image.width == 5)
        #expect(loader.cachedImage(for: ImageRequest(path)) != nil)
        #expect(loader.cachedImage(for: ImageRequest("file://" + path)) == nil)
        #expect(try await loader.image(for: ImageRequest("file://" + path)).image.width == 5)
        try Data(Picture.png(6, 60)).write(to: URL(fileURLWithPath: path))
        #expect(loader.cachedImage(for: ImageRequest(path)) == nil)
        #expect(try await loader.image(for: ImageRequest(path)).image.width == 6)
    }

    @Test func bytesInMemoryAndClosuresAreSourcesToo() async throws {
        let loader = ImageLoader.make(
            SchemeSource("zip") { address in SourceResponse(ImageData(try Picture.png(address.utf8.count))) })
        #expect(try await loader.image(for: ImageRequest("zip:abc")).image.width == 7)
        #expect(try await loader.image(for: ImageRequest(ImageData(try Picture.png(9)), name: "nine")).image.width == 9)
        await #expect(throws: LoadError(stage: .lookup, address: "ftp://x", reason: .noSource)) {
            try await loader.image(for: ImageRequest("ftp://x"))
        }
    }

    @Test func transformationsAreDoneInOrderAndCached() async throws {
        let loader = ImageLoader.make(CountingSource(try Picture.png(40, 20)), memory: true)
        let request = ImageRequest(
            "test:a",
            transformations: [
                .fit(width: 20, height: 20), .rotated(.clockwise), .crop(PixelRect(x: 1, y: 1, width: 4, height: 5)),
            ])
        #expect(try await loader.image(for: request).image.size == PixelSize(width: 4, height: 5))
        #expect(loader.cachedImage(for: request) != nil)
        var shorter = request
        shorter.transformations.removeLast()
        #expect(loader.cachedImage(for: shorter) == nil)
        #expect(try await loader.image(for: shorter).image.size == PixelSize(width: 10, height: 20))
        await #expect(throws: LoadError.self) {
            try await loader.image(
                for: ImageRequest("test:a", transformations: [.crop(PixelRect(x: 0, y: 0, width: 99, height: 1))]))
        }
    }

    @Test func keysOfDifferentPicturesDiffer() throws {
        let changes: [ImageTransformation] = [
            .fit(width: 1, height: 2), .fill(width: 1, height: 2), .crop(PixelRect(x: 0, y: 0, width: 1, height: 2)),
            .rotated(.half), .rotated(.clockwise), .flipped(.horizontal), .roundedCorners(radius: 2),
            .roundedCorners(radius: 2, .topLeft), .tinted(PixelColor(red: 1, green: 2, blue: 3)), .blurred(radius: 2),
            .custom(name: "a") { $0 }, .custom(name: "a|blur 2.0") { $0 }, .custom(name: "") { $0 },
        ]
        #expect(Set(changes.map(\.key)).count == changes.count)
    }

    @Test func framesOfAnAnimationAreLazyUntilAskedFor() async throws {
        let fixture = try #require(AnimationFixture.sound("gif").first)
        let bytes = try fixture.bytes()
        let loader = ImageLoader.make(CountingSource(bytes), memory: true)
        let lazy = try await loader.image(for: ImageRequest("test:a"))
        let animation = try #require(lazy.animation)
        #expect(animation.frameCount > 1 && lazy.image.animation == nil)
        #expect(try animation.frame(at: 0).bitmap.converted(to: .rgba) == lazy.image.bitmap.converted(to: .rgba))
        var request = ImageRequest("test:a")
        request.frames = .preloaded
        let preloaded = try await loader.image(for: request)
        #expect(preloaded.animation == nil && preloaded.image.animation?.frames.count == animation.frameCount)
        #expect(preloaded.byteCount > lazy.image.bitmap.byteCount * animation.frameCount)
        request.frames = .first
        let first = try await loader.image(for: request)
        #expect(first.animation == nil && first.image.animation == nil && first.image.bitmap == lazy.image.bitmap)
        let canvas = animation.info.size.width * animation.info.size.height * 4
        #expect(lazy.byteCount >= first.byteCount + bytes.count + 2 * canvas)
    }

    @Test func metadataCountsLikePixels() async throws {
        var image = RasterImage(bitmap: try Bitmap(size: PixelSize(width: 4, height: 4), format: .rgba))
        let plain = try await ImageLoader.make(CountingSource(image.encoded(as: .png))).image(
            for: ImageRequest("test:a"))
        image.metadata.comments = [String(repeating: "long ", count: 2_000)]
        let long = try await ImageLoader.make(CountingSource(image.encoded(as: .png))).image(
            for: ImageRequest("test:b"))
        #expect(long.byteCount >= plain.byteCount + 10_000)
        let bytes = ImageData(try Picture.png(4))
        let source = CountingSource { _ in
            SourceResponse(bytes, attributes: ["type": String(repeating: "long ", count: 2_000)])
        }
        let said = try await ImageLoader.make(source).image(for: ImageRequest("test:c"))
        #expect(said.byteCount >= plain.byteCount + 10_000)
    }
}

extension RasterImage {
    /// As PNG, on the calling thread.
    func encodedBytes() throws(ImageError) -> [UInt8] {
        try CoderRegistry.shared.encode(self, to: .png, options: .default)
    }
}
