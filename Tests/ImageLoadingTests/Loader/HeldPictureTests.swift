import Foundation
import ImageCaching
import ImageCodecs
import ImageCodecsCore
import ImageLoading
import Testing

/// What a loader and its memory cache hold of pictures that were delivered.
@Suite struct HeldPictureTests {
    @Test func aLoaderWithoutMemoryHoldsNoPictureThatWasDelivered() async throws {
        let folder = try TemporaryFolder()
        let disk = try DiskCache(path: folder.path("cache"), byteCount: 1 << 20)
        let path = folder.path("a.png")
        try Data(Picture.png(3)).write(to: URL(fileURLWithPath: path))
        let source = CountingSource(try Picture.png(3))
        let loader = ImageLoader.make(source, disk: disk)
        // From the source, from the disk, from a file.
        for address in ["test:a", "test:a", path] {
            weak let picture = try await loader.image(for: ImageRequest(address))
            while picture != nil { await Task.yield() }
            while disk.statistics.insertionCount == 0 { await Task.yield() }
        }
        _ = try await loader.original(for: ImageRequest("test:a"))
        _ = try await loader.original(for: ImageRequest(path))
        while await loader.shutDown() == false { await Task.yield() }
        #expect(source.total == 1)
    }

    @Test func whatMemoryLetGoNobodyHolds() async throws {
        let memory = MemoryCache<LoadedImage>(byteCount: 1 << 20)
        let source = CountingSource(try Picture.png(3))
        let loader = ImageLoader.make(source) { $0.memory = memory }
        weak var picture: LoadedImage?
        for _ in 0..<10 { picture = try await loader.image(for: ImageRequest("test:a")) }
        #expect(picture != nil && source.total == 1)
        memory.removeAll()
        while picture != nil { await Task.yield() }
        _ = try await loader.image(for: ImageRequest("test:a"))
        #expect(source.total == 2)
    }

    @Test func aLoaderThatDidNothingIsAtRestAtOnce() async {
        let clock = JumpingClock()
        let loader = ImageLoader.make(SteppedSource()) { $0.clock = clock.clock }
        #expect(await loader.shutDown())
        #expect(clock.sleeps.isEmpty)
    }

    @Test func picturesInMemoryCostWhatTheySay() async throws {
        let memory = MemoryCache<LoadedImage>(byteCount: 1 << 20, shardCount: 1)
        let source = CountingSource { address in
            SourceResponse(ImageData(try address == "test:a" ? Picture.png(10, 20) : Picture.png(30, 10)))
        }
        let loader = ImageLoader.make(source) { $0.memory = memory }
        let first = try await loader.image(for: ImageRequest("test:a"))
        #expect(first.byteCount >= 10 * 20 * 4 && memory.statistics.byteCount == first.byteCount)
        let second = try await loader.image(for: ImageRequest("test:b"))
        #expect(second.byteCount >= 30 * 10 * 4)
        #expect(memory.statistics.byteCount == first.byteCount + second.byteCount)
        // The same picture again costs no more.
        var again = ImageRequest("test:b")
        again.cachePolicy = .reload
        let third = try await loader.image(for: again)
        #expect(third !== second && memory.statistics.entryCount == 2)
        #expect(memory.statistics.byteCount == first.byteCount + third.byteCount)
        memory.removeAll()
        #expect(memory.statistics.byteCount == 0)
    }

    @Test func aPictureTooLargeForMemoryIsDeliveredAndNotKept() async throws {
        let memory = MemoryCache<LoadedImage>(byteCount: 40_000, maxEntryByteCount: 10_000, shardCount: 1)
        let source = CountingSource(try Picture.png(64, 64))
        let loader = ImageLoader.make(source) { $0.memory = memory }
        for count in 1...2 {
            #expect(try await loader.image(for: ImageRequest("test:a")).image.width == 64)
            #expect(source.total == count && memory.statistics.entryCount == 0)
        }
        // A smaller one of it is.
        let thumbnail = ImageRequest("test:a", options: .thumbnail(16))
        let picture = try await loader.image(for: thumbnail)
        #expect(loader.cachedImage(for: thumbnail) === picture)
    }
}
