import CodecTestSupport
import ImageCaching
import ImageCodecs
import ImageCodecsCore
import ImageLoading
import ImageLoadingHTTP
import Synchronization
import Testing

@Suite struct ResumingTests {
    private let address = "http://example.com/a.png"
    private let body: [UInt8] = Array(0..<100)
    private static let strong: HeaderFields = [
        "ETag": "\"v1\"", "Content-Length": "100", "Cache-Control": "max-age=60",
    ]

    private func rest(_ start: Int, _ tag: String = "\"v1\"", range: String? = nil) -> FetchResponse {
        .make(
            206, ["ETag": tag, "Content-Range": range ?? "bytes \(start)-99/100"], [Array(body[start...])])
    }

    @Test func aBrokenTransferIsGoneOnWith() async throws {
        let transport = ScriptedTransport { [body] request, index in
            index == 0
                ? .make(200, Self.strong, [Array(body[..<40])], then: TransportError.broken("reset")) : rest(40)
        }
        #expect(try await HTTPSource.make(transport).bytes(address) == body)
        #expect(transport.requests[1].fields["range"] == "bytes=40-")
        #expect(transport.requests[1].fields["if-range"] == "\"v1\"")
    }

    /// RFC 9112 section 8 "Handling Incomplete Messages".
    @Test func aConnectionThatBreaksAfterTheLastByteBreaksNothing() async throws {
        let transport = ScriptedTransport(.make(200, Self.strong, [body], then: TransportError.broken("reset")))
        #expect(try await HTTPSource.make(transport).bytes(address) == body)
        #expect(transport.requests.count == 1)
    }

    @Test func aBodyThatEndsEarlyIsGoneOnWithToo() async throws {
        let transport = ScriptedTransport { [body] _, index in
            index == 0 ? .make(200, Self.strong, [Array(body[..<40])]) : rest(40)
        }
        #expect(try await HTTPSource.make(transport).bytes(address) == body)
    }

    /// Responses to the request for the rest that must not be joined.
    @Test(arguments: [
        (206, "\"v2\"", "bytes 40-99/100"), (206, "W/\"v1\"", "bytes 40-99/100"), (206, "\"v1\"", "bytes 39-99/100"),
        (206, "\"v1\"", "bytes 40-98/100"), (206, "\"v1\"", "bytes 40-99/101"), (206, "\"v1\"", "bytes 40-99/*"),
        (206, "\"v1\"", "x"), (200, "\"v1\"", "bytes 40-99/100"), (416, "\"v1\"", "bytes */100"),
    ])
    func otherRestsAreNotJoined(_ status: Int, _ tag: String, _ range: String) async {
        let transport = ScriptedTransport { [body] _, index in
            index == 0
                ? .make(200, Self.strong, [Array(body[..<40])], then: TransportError.broken("reset"))
                : .make(status, ["ETag": tag, "Content-Range": range], [Array(body[40...])])
        }
        let failure = await HTTPSource.make(transport).failure()
        #expect(failure?.reason == .unavailable("connection broke"))
        #expect(transport.requests.count == 2)
    }

    @Test(
        arguments: [
            ["ETag": "W/\"v1\"", "Content-Length": "100"], ["Content-Length": "100"], ["ETag": "\"v1\""],
            ["ETag": "\"v1\"", "Content-Length": "100", "Accept-Ranges": "none"],
        ] as [HeaderFields])
    func withoutStrongValidatorLengthOrRangesNothingIsResumed(_ fields: HeaderFields) async {
        let transport = ScriptedTransport(.make(200, fields, [[1, 2]], then: TransportError.broken("reset")))
        _ = await HTTPSource.make(transport).failure()
        #expect(transport.requests.count == 1)
    }

    @Test func resumingIsCounted() async {
        let transport = ScriptedTransport { [body] _, index in
            let start = index * 10
            let piece = Array(body[start..<(start + 10)])
            let broken = TransportError.broken("reset")
            return index == 0
                ? .make(200, Self.strong, [piece], then: broken)
                : .make(206, ["ETag": "\"v1\"", "Content-Range": "bytes \(start)-99/100"], [piece], then: broken)
        }
        let failure = await HTTPSource.make(transport) { $0.maxResumeCount = 2 }.failure()
        #expect(failure?.isRetryable == true)
        #expect(transport.requests.count == 3)
    }

    private func source(_ transport: ScriptedTransport, _ disk: DiskCache) -> HTTPSource {
        HTTPSource.make(transport) { ($0.partials, $0.minPartialByteCount, $0.maxResumeCount) = (disk, 1, 0) }
    }

    /// Two sources over one folder are a program before and after a restart.
    @Test func aPartIsGoneOnWithAfterARestart() async throws {
        let folder = TemporaryFolder()
        let broken = ScriptedTransport(
            .make(200, Self.strong, [Array(body[..<40])], then: TransportError.broken("reset")))
        _ = await source(broken, try folder.disk()).failure()
        let transport = ScriptedTransport(rest(40))
        let disk = try folder.disk()
        let response = try await source(transport, disk).open(address)
        #expect(response.byteCount == 100)
        #expect(try await response.bytes() == body)
        #expect(transport.requests[0].fields["if-range"] == "\"v1\"")
        // What is whole needs no part.
        #expect(disk.statistics.byteCount == 0)
    }

    @Test func aPartOfAnotherVersionIsNotUsed() async throws {
        let folder = TemporaryFolder()
        let disk = try folder.disk()
        let transport = ScriptedTransport { [body] _, index in
            switch index {
            case 0: .make(200, Self.strong, [Array(body[..<40])], then: TransportError.broken("reset"))
            case 1: .make(200, ["ETag": "\"v2\""], [[9, 9]])
            default: .make(500)
            }
        }
        let source = source(transport, disk)
        _ = await source.failure()
        #expect(try await source.bytes(address) == [9, 9])
    }

    @Test func aRestThatDoesNotFitIsAskedForWhole() async throws {
        let folder = TemporaryFolder()
        let transport = ScriptedTransport { [body] _, index in
            switch index {
            case 0: .make(200, Self.strong, [Array(body[..<40])], then: TransportError.broken("reset"))
            case 1: rest(40, "\"v2\"")
            default: .make(200, ["ETag": "\"v2\""], [[9, 9]])
            }
        }
        let source = source(transport, try folder.disk())
        _ = await source.failure()
        #expect(try await source.bytes(address) == [9, 9])
        #expect(transport.requests[2].fields["range"] == nil)
    }

    @Test func whatMayNotBeStoredLeavesNoPart() async throws {
        let folder = TemporaryFolder()
        let disk = try folder.disk()
        let fields: HeaderFields = ["ETag": "\"v1\"", "Content-Length": "100", "Cache-Control": "private"]
        let transport = ScriptedTransport(
            .make(200, fields, [Array(body[..<40])], then: TransportError.broken("reset")))
        _ = await source(transport, disk).failure()
        #expect(disk.statistics.entryCount == 0)
    }

    @Test func whatWasChangedLongAgoIsGoneOnWithWithoutATag() async throws {
        let changed: HeaderFields = [
            "Last-Modified": "Thu, 31 Dec 2026 00:00:00 GMT", "Date": "Fri, 15 Jan 2027 08:00:00 GMT",
        ]
        let transport = ScriptedTransport { [body] _, index in
            var fields = changed
            fields[index == 0 ? "content-length" : "content-range"] = index == 0 ? "100" : "bytes 40-99/100"
            return index == 0
                ? .make(200, fields, [Array(body[..<40])], then: TransportError.broken("reset"))
                : .make(206, fields, [Array(body[40...])])
        }
        #expect(try await HTTPSource.make(transport).bytes(address) == body)
        #expect(transport.requests[1].fields["range"] == "bytes=40-")
        #expect(transport.requests[1].fields["if-range"] == "Thu, 31 Dec 2026 00:00:00 GMT")
    }

    @Test func ofABodyThatBrokeBeforeItsFirstByteNothingIsKept() async throws {
        let folder = TemporaryFolder()
        let disk = try folder.disk()
        let transport = ScriptedTransport(.make(200, Self.strong, [], then: TransportError.broken("reset")))
        let source = HTTPSource.make(transport) { ($0.partials, $0.minPartialByteCount) = (disk, 1) }
        for count in 1...2 {
            #expect(await source.failure()?.isRetryable == true)
            #expect(transport.requests.count == count && transport.requests[count - 1].fields["range"] == nil)
        }
        #expect(disk.statistics.entryCount == 0)
    }

    @Test func aPartGrowsWithEachTransferThatBreaks() async throws {
        let folder = TemporaryFolder()
        let disk = try folder.disk()
        let transport = ScriptedTransport { [body] _, index in
            let broken = TransportError.broken("reset")
            switch index {
            case 0: return .make(200, Self.strong, [Array(body[..<40])], then: broken)
            case 1:
                let fields: HeaderFields = ["ETag": "\"v1\"", "Content-Range": "bytes 40-99/100"]
                return .make(206, fields, [Array(body[40..<70])], then: broken)
            default: return rest(70)
            }
        }
        let source = source(transport, disk)
        for _ in 0..<2 { #expect(await source.failure()?.reason == .unavailable("connection broke")) }
        #expect(try await source.bytes(address) == body)
        #expect(transport.requests.map { $0.fields["range"] } == [nil, "bytes=40-", "bytes=70-"])
        #expect(disk.statistics.byteCount == 0)
    }

    @Test func aPartOutlivesAnAttemptThatGetsNoResponse() async throws {
        let folder = TemporaryFolder()
        let transport = ScriptedTransport { [body] _, index in
            switch index {
            case 0: return .make(200, Self.strong, [Array(body[..<40])], then: TransportError.broken("reset"))
            case 1: throw TransportError.noConnection("refused")
            default: return rest(40)
            }
        }
        let source = source(transport, try folder.disk())
        _ = await source.failure()
        #expect(await source.failure()?.reason == .unreachable)
        #expect(try await source.bytes(address) == body)
        #expect(transport.requests[1].fields["range"] == "bytes=40-")
        #expect(transport.requests[2].fields["range"] == "bytes=40-")
    }

    /// The first bytes, of which nothing can be shown; after the break as many as show something, and the rest when it was shown.
    @Test func picturesAreShownWhileARestComes() async throws {
        let bytes = try FixtureBytes.read("png/landscape.png")
        let (shown, report) = AsyncStream.makeStream(of: Void.self)
        let transport = ScriptedTransport { _, index in
            guard index > 0 else {
                let fields: HeaderFields = ["ETag": "\"v1\"", "Content-Length": "\(bytes.count)"]
                return .make(200, fields, [Array(bytes[..<60])], then: TransportError.broken("reset"))
            }
            let fields: HeaderFields = [
                "ETag": "\"v1\"", "Content-Range": "bytes 60-\(bytes.count - 1)/\(bytes.count)",
            ]
            let pieceCount = Mutex(0)
            return FetchResponse(status: 206, fields: fields) {
                let number = pieceCount.withLock { count in
                    count += 1
                    return count
                }
                switch number {
                case 1: return ImageData(bytes[60..<(bytes.count / 2)])
                case 2:
                    for await _ in shown {}
                    return ImageData(bytes[(bytes.count / 2)...])
                default: return nil
                }
            }
        }
        var configuration = ImageLoader.Configuration()
        configuration.sources = [HTTPSource.make(transport)]
        var request = ImageRequest(address)
        request.partialInterval = .zero
        var iterator = ImageLoader(configuration).pictures(for: request).makeAsyncIterator()
        #expect(try await iterator.next()?.isPreview == true)
        report.finish()
        var last: LoadedImage?
        while let next = try await iterator.next() { last = next }
        let size = try RasterImage(ImageData(bytes)).size
        #expect(last?.isPreview == false && last?.image.size == size)
        #expect(transport.requests.map { $0.fields["range"] } == [nil, "bytes=60-"])
    }
}
