#if HTTP
import ImageCaching
import ImageCodecsCore
import ImageLoading
import ImageLoadingFoundation
import ImageLoadingHTTP
import Testing

/// Over URLSession, against a server on the loopback.
@Suite struct URLSessionTransportTests {
    private func source(_ change: (inout HTTPSource.Configuration) -> Void = { _ in }) -> HTTPSource {
        var configuration = HTTPSource.Configuration()
        configuration.addresses = .any
        configuration.acceptedTypes = nil
        change(&configuration)
        return HTTPSource(URLSessionTransport(), configuration)
    }

    @Test func bodiesWithLengthAndInChunksAreRead() async throws {
        let origin = try await LoopbackOrigin.hello()
        let source = source()
        let response = try await source.open(origin.url("/length?q"))
        #expect(response.byteCount == 5)
        #expect(response.attributes["etag"] == "\"a\"")
        #expect(try await response.bytes() == Array("hello".utf8))
        #expect(try await source.bytes(origin.url("/chunks")) == Array("hello".utf8))
    }

    @Test func redirectsAreFollowedByTheSource() async throws {
        let origin = try await LoopbackOrigin.redirecting()
        let source = source()
        #expect(try await source.bytes(origin.url("/a")) == Array("ok".utf8))
        #expect(await source.failure(origin.url("/loop"))?.reason == .refused("redirects go round"))
    }

    @Test func conditionsBring304s() async throws {
        let origin = try await LoopbackOrigin { head, _ in
            head.lowercased().contains("if-none-match: \"a\"\r\n")
                ? [.send("HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\nCache-Control: max-age=9\r\n\r\n")]
                : [.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nETag: \"a\"\r\n\r\nhello")]
        }
        let source = source()
        let first = try await source.open(origin.url("/"))
        let stored = DiskEntry(bytes: ImageData(try await first.bytes()), attributes: first.attributes)
        let second = try await source.open(origin.url("/"), replacing: stored)
        #expect(second.isUnchanged)
    }

    @Test func aPortWhereNobodyListensIsUnreachable() async throws {
        let origin = try await LoopbackOrigin { _, _ in [] }
        try await origin.close()
        let failure = await source { $0.responseTimeout = .seconds(5) }.failure(origin.url("/"))
        #expect(failure?.reason == .unreachable)
    }

    @Test func delaysEndByTimeouts() async throws {
        let origin = try await LoopbackOrigin { _, _ in [.hang] }
        let source = source { $0.responseTimeout = .milliseconds(300) }
        #expect(await source.failure(origin.url("/silent"))?.detail == "first byte")
    }

    @Test func aCutBodyIsAnError() async throws {
        let origin = try await LoopbackOrigin { _, _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"), .bytes([1, 2, 3])]
        }
        let failure = await source().failure(origin.url("/"))
        #expect(failure?.isRetryable == true)
    }
}
#endif
