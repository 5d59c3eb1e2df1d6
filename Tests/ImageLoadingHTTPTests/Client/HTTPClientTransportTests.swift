#if HTTP
import ImageCaching
import ImageCodecsCore
import ImageLoading
import ImageLoadingHTTP
import Logging
import Synchronization
import Testing

/// Over async-http-client, against a server on the loopback.
@Suite struct HTTPClientTransportTests {
    /// A source that may ask this machine, and closes its connections afterwards.
    private func source(
        _ connections: AddressPolicy = .any, _ change: (inout HTTPSource.Configuration) -> Void = { _ in }
    ) -> HTTPSource {
        var configuration = HTTPSource.Configuration()
        configuration.addresses = .any
        configuration.acceptedTypes = nil
        change(&configuration)
        let transport = HTTPClientTransport(addresses: connections, connectTimeout: .seconds(5), usesEnvironment: false)
        return HTTPSource(transport, configuration)
    }

    @Test func bodiesWithLengthAndInChunksAreRead() async throws {
        let origin = try await LoopbackOrigin.hello()
        let response = try await source().open(origin.url("/length?q"))
        #expect(response.byteCount == 5)
        #expect(response.attributes["etag"] == "\"a\"")
        #expect(try await response.bytes() == Array("hello".utf8))
        #expect(try await source().bytes(origin.url("/chunks")) == Array("hello".utf8))
        #expect(origin.heads[0].lowercased().contains("accept-encoding: identity\r\n"))
    }

    @Test func aCutBodyIsAnErrorAndGoneOnWithIfItMayBe() async throws {
        let body = (0..<1000).map { UInt8($0 % 251) }
        let origin = try await LoopbackOrigin { head, _ in
            let fields = head.hasPrefix("GET /weak") ? "" : "ETag: \"v1\"\r\n"
            guard head.lowercased().contains("range: bytes=400-\r\n") else {
                return [
                    .send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\(fields)\r\n"), .bytes(Array(body[..<400])),
                ]
            }
            return [
                .send(
                    "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 400-999/1000\r\nContent-Length: 600\r\n\(fields)\r\n"
                ),
                .bytes(Array(body[400...])),
            ]
        }
        #expect(try await source().bytes(origin.url("/strong")) == body)
        let failure = await source().failure(origin.url("/weak"))
        #expect(failure?.reason == .unavailable("connection broke"))
        #expect(failure?.isRetryable == true)
    }

    @Test func moreThanTheLengthIsNotRead() async throws {
        let origin = try await LoopbackOrigin { _, _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nhello")] }
        // Bytes after the length belong to no response; the client may call them an error.
        let bytes = try? await source().bytes(origin.url("/"))
        #expect(bytes == nil || bytes == Array("hel".utf8))
    }

    @Test func conditionsBring304s() async throws {
        let origin = try await LoopbackOrigin { head, _ in
            head.lowercased().contains("if-none-match: \"a\"\r\n")
                ? [
                    .send(
                        "HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\nLocation: /x\r\nCache-Control: max-age=9\r\n\r\n")
                ]
                : [.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nETag: \"a\"\r\n\r\nhello")]
        }
        let source = source()
        let first = try await source.open(origin.url("/"))
        let stored = DiskEntry(bytes: ImageData(try await first.bytes()), attributes: first.attributes)
        let second = try await source.open(origin.url("/"), replacing: stored)
        #expect(second.isUnchanged)
        #expect(second.freshFor.map { $0 > .seconds(7) } == true)
    }

    @Test func redirectsAreFollowedByTheSource() async throws {
        let origin = try await LoopbackOrigin.redirecting()
        #expect(try await source().bytes(origin.url("/a")) == Array("ok".utf8))
        #expect(await source().failure(origin.url("/loop"))?.reason == .refused("redirects go round"))
    }

    @Test func delaysEndByTimeouts() async throws {
        let origin = try await LoopbackOrigin { head, _ in
            head.hasPrefix("GET /silent ") ? [.hang] : [.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe"), .hang]
        }
        let source = source { ($0.responseTimeout, $0.idleTimeout) = (.milliseconds(300), .milliseconds(200)) }
        #expect(await source.failure(origin.url("/silent"))?.detail == "first byte")
        #expect(await source.failure(origin.url("/slow"))?.detail == "next bytes")
    }

    /// The name resolves to a public address when it is checked, and to this machine when the client asks.
    @Test func aNameThatLeadsElsewhereAtTheConnectionIsRefusedBeforeARequest() async throws {
        let origin = try await LoopbackOrigin { _, _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")] }
        let rebinding = source(.publicOnly) {
            $0.resolve = { _ in [IPAddress(version4: 0x5DB8_D822)] }
        }
        let failure = await rebinding.failure(origin.url("/", host: "localhost"))
        guard case .refused(let rule) = failure?.reason else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(rule.hasSuffix("is not allowed"))
        #expect(failure?.isRetryable == false)
        #expect(origin.heads.isEmpty)
    }

    @Test func aPortWhereNobodyListensIsUnreachable() async throws {
        let origin = try await LoopbackOrigin { _, _ in [] }
        try await origin.close()
        let failure = await source { $0.responseTimeout = .seconds(5) }.failure(origin.url("/"))
        #expect(failure?.reason == .unreachable)
    }

    @Test func aSlowReaderSlowsTheServer() async throws {
        let piece = [UInt8](repeating: 7, count: 1 << 20)
        let origin = try await LoopbackOrigin { _, _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: \(64 << 20)\r\n\r\n")] + (0..<64).map { _ in .bytes(piece) }
        }
        let response = try await source { $0.maxByteCount = 128 << 20 }.open(origin.url("/"))
        let first = try await response.next()
        // Buffers of two sockets and of the client; nobody reads more.
        var (before, now) = (-1, origin.sentByteCount)
        while before != now {
            try await Task.sleep(for: .milliseconds(200))
            (before, now) = (now, origin.sentByteCount)
        }
        #expect(now < 32 << 20)
        var count = first?.count ?? 0
        while let next = try await response.next() { count += next.count }
        #expect(count == 64 << 20)
    }

    @Test func aReleasedResponseClosesItsConnection() async throws {
        let origin = try await LoopbackOrigin { _, _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello"), .hang]
        }
        var response: SourceResponse? = try await source().open(origin.url("/"))
        _ = try await response?.next()
        response = nil
        while origin.closedCount == 0 { try await Task.sleep(for: .milliseconds(5)) }
        #expect(origin.connectionCount == 1)
    }

    @Test func transfersWaitForAPlace() async throws {
        let origin = try await LoopbackOrigin { _, _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")] }
        let source = source { $0.maxTransferCountPerHost = 2 }
        try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for index in 0..<20 { group.addTask { try await source.bytes(origin.url("/\(index)")) } }
            for try await bytes in group { #expect(bytes == Array("ok".utf8)) }
        }
        #expect(origin.heads.count == 20)
    }
}

@Suite struct LoadLogTests {
    private final class Lines: LogHandler, @unchecked Sendable {
        let lines = Mutex<[String]>([])
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace
        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }
        func log(event: LogEvent) {
            let address = event.metadata?["address"].map { "\($0)" } ?? ""
            lines.withLock { $0.append("\(event.level) \(event.message) \(address)") }
        }
    }

    @Test func eventsOfALoaderAreWritten() async {
        let lines = Lines()
        var configuration = ImageLoader.Configuration()
        configuration.sources = [HTTPSource.make(ScriptedTransport(.make(404)))]
        configuration.observe = LoadLog(Logger(label: "test") { _ in lines }).observe
        _ = try? await ImageLoader(configuration).image(for: ImageRequest("http://user:secret@example.com/a"))
        let written = lines.lines.withLock { $0 }
        #expect(written.contains("warning picture failed http://example.com/a"))
        #expect(!written.contains { $0.contains("secret") })
    }
}
#endif
