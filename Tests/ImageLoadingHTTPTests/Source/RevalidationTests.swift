import ImageCaching
import ImageCodecs
import ImageCodecsCore
import ImageLoading
import ImageLoadingHTTP
import Synchronization
import Testing

/// The source together with a loader and its caches.
@Suite struct RevalidationTests {
    private let address = "http://example.com/a.png"
    private let png: [UInt8]
    private let folder = TemporaryFolder()
    private let time = SettableTime()

    init() throws {
        let size = PixelSize(width: 4, height: 4)
        png = try RasterImage(bitmap: Bitmap(size: size, format: .rgba)).encoded(as: .png)
    }

    private func loader(
        _ source: HTTPSource, memory: Bool = false, observe: (@Sendable (LoadEvent) -> Void)? = nil
    ) throws -> ImageLoader {
        var configuration = ImageLoader.Configuration()
        configuration.sources = [source]
        configuration.disk = try folder.disk(time.clock)
        if memory { configuration.memory = MemoryCache(byteCount: 1 << 20) }
        configuration.wallClock = time.clock
        configuration.retry = .never
        configuration.observe = observe
        return ImageLoader(configuration)
    }

    /// Waits until the bytes of the source were stored a number of times.
    private final class Stores: Sendable {
        private let count = Mutex(0)
        var observe: @Sendable (LoadEvent) -> Void {
            { event in if case .stored = event.kind { self.count.withLock { $0 += 1 } } }
        }
        func wait(_ wanted: Int) async { while count.withLock({ $0 }) < wanted { await Task.yield() } }
    }

    private var date: String { HTTPDate.text(time.now) }

    private func whole(_ control: String, _ tag: String = "\"v1\"", _ more: HeaderFields = [:]) -> FetchResponse {
        var fields: HeaderFields = ["Cache-Control": control, "ETag": tag, "Date": date]
        for line in more.lines { fields[line.name] = line.value }
        return .make(200, fields, [png])
    }

    @Test func freshBytesAreNotAskedFor() async throws {
        let (stores, transport) = (Stores(), ScriptedTransport { _, _ in whole("max-age=60") })
        let loader = try loader(.make(transport, time: time), observe: stores.observe)
        #expect(try await loader.original(for: ImageRequest(address)).origin == .source)
        await stores.wait(1)
        time.advance(by: .seconds(59))
        let second = try await loader.original(for: ImageRequest(address))
        #expect(second.origin == .original)
        #expect(second.attributes["etag"] == "\"v1\"")
        #expect(transport.requests.count == 1)
    }

    @Test func a304RenewsWhatIsStored() async throws {
        let stores = Stores()
        let transport = ScriptedTransport { request, index in
            index == 0
                ? whole("max-age=60") : .make(304, ["Cache-Control": "max-age=600", "Date": date, "ETag": "\"v1\""])
        }
        let loader = try loader(.make(transport, time: time), observe: stores.observe)
        _ = try await loader.original(for: ImageRequest(address))
        await stores.wait(1)
        time.advance(by: .seconds(60))
        let second = try await loader.original(for: ImageRequest(address))
        #expect(second.origin == .revalidated)
        #expect(second.bytes.array == png)
        #expect(transport.requests[1].fields["if-none-match"] == "\"v1\"")
        await stores.wait(2)
        time.advance(by: .seconds(599))
        #expect(try await loader.original(for: ImageRequest(address)).origin == .original)
        #expect(transport.requests.count == 2)
    }

    @Test func a304OfAnotherBodyIsAskedForWhole() async throws {
        let stores = Stores()
        let transport = ScriptedTransport { request, index in
            switch index {
            case 0: whole("max-age=60")
            case 1: .make(304, ["ETag": "\"v2\""])
            default: whole("max-age=60", "\"v2\"")
            }
        }
        let loader = try loader(.make(transport, time: time), observe: stores.observe)
        _ = try await loader.original(for: ImageRequest(address))
        await stores.wait(1)
        time.advance(by: .seconds(60))
        let second = try await loader.original(for: ImageRequest(address))
        #expect(second.origin == .source)
        #expect(second.attributes["etag"] == "\"v2\"")
        #expect(transport.requests[2].fields["if-none-match"] == nil)
    }

    @Test func staleBytesAreDeliveredWhileTheyAreRevalidated() async throws {
        let stores = Stores()
        let transport = ScriptedTransport { _, index in
            whole("max-age=60, stale-while-revalidate=60", index == 0 ? "\"v1\"" : "\"v2\"")
        }
        let loader = try loader(.make(transport, time: time), observe: stores.observe)
        _ = try await loader.original(for: ImageRequest(address))
        await stores.wait(1)
        time.advance(by: .seconds(119))
        let second = try await loader.original(for: ImageRequest(address))
        #expect(second.origin == .stale)
        #expect(second.attributes["etag"] == "\"v1\"")
        await stores.wait(2)
        let third = try await loader.original(for: ImageRequest(address))
        #expect(third.origin == .original)
        #expect(third.attributes["etag"] == "\"v2\"")
    }

    @Test func staleBytesBridgeErrorsForAsLongAsSaid() async throws {
        let stores = Stores()
        let transport = ScriptedTransport { _, index in
            index == 0 ? whole("max-age=60, stale-if-error=60") : .make(503)
        }
        let loader = try loader(.make(transport, time: time), observe: stores.observe)
        _ = try await loader.original(for: ImageRequest(address))
        await stores.wait(1)
        time.advance(by: .seconds(119))
        #expect(try await loader.original(for: ImageRequest(address)).origin == .stale)
        time.advance(by: .seconds(1))
        await #expect(throws: LoadError.self) { try await loader.original(for: ImageRequest(address)) }
    }

    @Test func mustRevalidateBridgesNothing() async throws {
        let stores = Stores()
        let transport = ScriptedTransport { _, index in
            index == 0 ? whole("max-age=60, stale-if-error=60, must-revalidate") : .make(503)
        }
        let loader = try loader(.make(transport, time: time), observe: stores.observe)
        _ = try await loader.original(for: ImageRequest(address))
        await stores.wait(1)
        time.advance(by: .seconds(61))
        await #expect(throws: LoadError.self) { try await loader.original(for: ImageRequest(address)) }
    }

    @Test func picturesInMemoryAreDeliveredWhileTheyAreFresh() async throws {
        let transport = ScriptedTransport { _, _ in whole("max-age=60") }
        let loader = try loader(.make(transport, time: time), memory: true)
        let picture = try await loader.image(for: ImageRequest(address))
        #expect(picture.sourceAttributes["etag"] == "\"v1\"")
        time.advance(by: .seconds(59))
        #expect(loader.cachedImage(for: ImageRequest(address)) != nil)
        time.advance(by: .seconds(1))
        #expect(loader.cachedImage(for: ImageRequest(address)) == nil)
    }

    @Test(arguments: ["no-store", "private, max-age=60"]) func nothingThatIsNotSharedIsKept(_ control: String)
        async throws
    {
        let transport = ScriptedTransport { _, _ in whole(control) }
        let loader = try loader(.make(transport, time: time), memory: true)
        _ = try await loader.image(for: ImageRequest(address))
        #expect(loader.cachedImage(for: ImageRequest(address)) == nil)
        await loader.shutDown()
        #expect(try folder.disk(time.clock).statistics.entryCount == 0)
    }

    @Test func aResponseThatMayNotBeStoredAnyMoreRemovesTheOldOne() async throws {
        let stores = Stores()
        let transport = ScriptedTransport { _, index in whole(index == 0 ? "max-age=60" : "no-store") }
        let loader = try loader(.make(transport, time: time), observe: stores.observe)
        _ = try await loader.original(for: ImageRequest(address))
        await stores.wait(1)
        time.advance(by: .seconds(60))
        _ = try await loader.original(for: ImageRequest(address))
        await loader.shutDown()
        #expect(try folder.disk(time.clock).statistics.entryCount == 0)
    }

    @Test func revalidatingAsksEvenIfBytesAreFreshUnlessTheyNeverChange() async throws {
        let stores = Stores()
        let transport = ScriptedTransport { request, _ in
            request.fields["if-none-match"] != nil
                ? .make(304, ["Date": date])
                : whole(request.url.pathAndQuery == "/a.png" ? "max-age=60" : "max-age=60, immutable")
        }
        let loader = try loader(.make(transport, time: time), observe: stores.observe)
        for (address, origin) in [(address, LoadOrigin.revalidated), ("http://example.com/b", .original)] {
            var request = ImageRequest(address)
            _ = try await loader.original(for: request)
            request.cachePolicy.insert(.revalidates)
            await stores.wait(address == self.address ? 1 : 3)
            #expect(try await loader.original(for: request).origin == origin)
        }
    }

    @Test func requestsWithOtherFieldsThatVaryNamesAskAgain() async throws {
        let stores = Stores()
        let transport = ScriptedTransport { _, _ in whole("max-age=60", "\"v1\"", ["Vary": "Accept"]) }
        let first = HTTPSource.make(transport, time: time)
        _ = try await loader(first, observe: stores.observe).original(for: ImageRequest(address))
        await stores.wait(1)
        let same = try await loader(first).original(for: ImageRequest(address))
        #expect(same.origin == .original)
        let other = HTTPSource.make(transport, time: time) { $0.fields = ["Accept": "image/webp"] }
        #expect(try await loader(other).original(for: ImageRequest(address)).origin == .source)
        // What was stored is no answer to this request, so that its validator is of no use.
        #expect(transport.requests[1].fields["if-none-match"] == nil)
    }

    @Test func onlyCachesDeliversWhatIsFresh() async throws {
        let stores = Stores()
        let transport = ScriptedTransport { _, _ in whole("max-age=60") }
        let loader = try loader(.make(transport, time: time), observe: stores.observe)
        var request = ImageRequest(address)
        _ = try await loader.original(for: request)
        await stores.wait(1)
        request.isOnlyFromCache = true
        #expect(try await loader.original(for: request).origin == .original)
        time.advance(by: .seconds(60))
        await #expect(throws: LoadError.self) { try await loader.original(for: request) }
        #expect(transport.requests.count == 1)
    }

    @Test func aClockSetBackMakesNothingImmortal() async throws {
        let stores = Stores()
        let transport = ScriptedTransport { _, _ in whole("max-age=60") }
        let loader = try loader(.make(transport, time: time), observe: stores.observe)
        _ = try await loader.original(for: ImageRequest(address))
        await stores.wait(1)
        time.advance(by: .seconds(-3600))
        #expect(try await loader.original(for: ImageRequest(address)).origin == .source)
    }
}
