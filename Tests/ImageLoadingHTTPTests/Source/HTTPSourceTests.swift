import ImageCaching
import ImageCodecsCore
import ImageLoading
import ImageLoadingHTTP
import Testing

@Suite struct HTTPSourceTests {
    private let body: [UInt8] = Array(0..<200)
    private let address = "http://example.com/a.png"

    @Test func piecesComeAsTheyAreSent() async throws {
        let transport = ScriptedTransport(
            .make(200, ["Content-Length": "4", "Content-Type": "image/png"], [[1, 2], [3, 4]]))
        let response = try await HTTPSource.make(transport).open(address)
        #expect(response.byteCount == 4)
        #expect(response.attributes["content-type"] == "image/png")
        #expect(try await response.bytes() == [1, 2, 3, 4])
        #expect(transport.requests[0].fields["accept-encoding"] == "identity")
    }

    // MARK: - Limits

    @Test func aLengthOverTheLimitIsRefusedBeforeTheBodyIsRead() async throws {
        let transport = ScriptedTransport(.make(200, ["Content-Length": "11"], [[1]], hangs: true))
        let failure = await HTTPSource.make(transport) { $0.maxByteCount = 10 }.failure()
        #expect(failure?.reason == .tooLarge(limit: 10))
    }

    @Test func moreBytesThanTheLimitEndABodyWithoutLength() async throws {
        let transport = ScriptedTransport(.make(200, [:], [[1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5]], hangs: true))
        let failure = await HTTPSource.make(transport) { $0.maxByteCount = 10 }.failure()
        #expect(failure?.reason == .tooLarge(limit: 10))
    }

    @Test(arguments: ["5, 6", "-1", "x", "", "+4"]) func badLengthsAreErrors(_ length: String) async {
        let transport = ScriptedTransport(.make(200, ["Content-Length": length], [[1, 2, 3, 4]]))
        #expect(await HTTPSource.make(transport).failure()?.reason == .unavailable("bad Content-Length"))
    }

    @Test func aLengthOfManyDigitsIsTooLarge() async {
        let transport = ScriptedTransport(.make(200, ["Content-Length": "99999999999999999999"], []))
        #expect(await HTTPSource.make(transport).failure()?.reason == .tooLarge(limit: 64 << 20))
    }

    @Test func fewerAndMoreBytesThanSaidAreErrors() async {
        let short = ScriptedTransport(.make(200, ["Content-Length": "4"], [[1, 2, 3]]))
        let failure = await HTTPSource.make(short).failure()
        #expect(failure?.detail == "3 of 4 bytes came")
        #expect(failure?.isRetryable == true)
        let long = ScriptedTransport(.make(200, ["Content-Length": "4"], [[1, 2, 3, 4, 5]]))
        #expect(await HTTPSource.make(long).failure()?.reason == .unavailable("more than the 4 bytes announced"))
    }

    @Test func typesThatAreNoPicturesAreRefused() async throws {
        let html = ScriptedTransport(.make(200, ["Content-Type": "text/html; charset=utf-8"], [[1]]))
        let failure = await HTTPSource.make(html) { $0.acceptedTypes = ["image/*"] }.failure()
        #expect(failure?.reason == .refused("type text/html is no picture"))
        let png = ScriptedTransport(.make(200, ["Content-Type": "Image/PNG; x"], [[1]]))
        #expect(try await HTTPSource.make(png, { $0.acceptedTypes = ["image/*"] }).bytes(address) == [1])
    }

    // MARK: - Times

    /// What takes too long, the duration that the clock ends at once, and the step that the error names.
    @Test func eachTimeoutNamesItsStep() async {
        let silent = ScriptedTransport { _, _ in
            try await Task.sleep(for: .seconds(100_000))
            return .make()
        }
        let first = await HTTPSource.make(silent) { $0.clock = stillClock(waking: [.seconds(20)]) }.failure()
        #expect(first?.reason == .timedOut && first?.detail == "first byte" && first?.isRetryable == true)
        let stuck = ScriptedTransport(.make(200, [:], [[1]], hangs: true))
        let idle = await HTTPSource.make(stuck) { $0.clock = stillClock(waking: [.seconds(10)]) }.failure()
        #expect(idle?.reason == .timedOut && idle?.detail == "next bytes")
        let whole = await HTTPSource.make(stuck) {
            ($0.clock, $0.totalTimeout) = (stillClock(waking: [.seconds(5)]), .seconds(5))
            $0.responseTimeout = .seconds(4)
        }.failure()
        #expect(whole?.reason == .timedOut && whole?.detail == "whole transfer")
        let connect = ScriptedTransport { _, _ in throw TransportError.connectTimedOut }
        #expect(await HTTPSource.make(connect).failure()?.detail == "connect")
    }

    @Test func cancellingEndsARequest() async {
        let silent = ScriptedTransport { _, _ in
            try await Task.sleep(for: .seconds(100_000))
            return .make()
        }
        let source = HTTPSource.make(silent)
        let task = Task { try await source.bytes(address) }
        while silent.requests.isEmpty { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    // MARK: - Statuses

    @Test(arguments: [
        (404, LoadError.Reason.notFound, false), (410, .notFound, false), (403, .rejected(status: 403), false),
        (401, .rejected(status: 401), false), (500, .unavailable("status 500"), true),
        (503, .unavailable("status 503"), true), (429, .unavailable("status 429"), true),
        (408, .unavailable("status 408"), true), (501, .unavailable("status 501"), false),
    ])
    func statusesSayWhetherTryingAgainHelps(_ status: Int, _ reason: LoadError.Reason, _ isRetryable: Bool) async {
        let failure = await HTTPSource.make(ScriptedTransport(.make(status))).failure(
            "http://user:secret@example.com/a")
        #expect(failure?.reason == reason)
        #expect(failure?.isRetryable == isRetryable)
        #expect(failure?.address == "http://example.com/a")
    }

    @Test(
        arguments: [
            (503, ["Retry-After: 120"], 120), (429, ["Retry-After: 99999999999"], 86_400),
            (503, ["Retry-After: x"], nil),
            (503, ["Retry-After: Fri, 15 Jan 2027 08:01:00 GMT"], 60), (404, ["Cache-Control: max-age=30"], 30),
            (404, ["Cache-Control: no-store"], 0), (404, [], nil),
        ] as [(Int, [String], Int?)])
    func failuresAreRememberedAsTheHeadersSay(_ status: Int, _ lines: [String], _ seconds: Int?) async {
        let failure = await HTTPSource.make(ScriptedTransport(.make(status, lines.fields))).failure()
        #expect(failure?.retryAfter == seconds.map { .seconds($0) })
    }

    @Test func connectionsThatFailAreUnreachable() async {
        let dead = ScriptedTransport { _, _ in throw TransportError.noConnection("refused") }
        #expect(await HTTPSource.make(dead).failure()?.reason == .unreachable)
        let nameless = HTTPSource.make(ScriptedTransport(.make())) { $0.resolve = { _ in [] } }
        #expect(await nameless.failure()?.reason == .unreachable)
    }

    // MARK: - Addresses

    @Test func namesThatLeadInsideAreRefusedBeforeARequest() async {
        let transport = ScriptedTransport(.make(200, [:], [[1]]))
        let source = HTTPSource.make(transport) {
            $0.resolve = { _ in [IPAddress(version4: 0x5DB8_D822), IPAddress(version4: 0x0A00_0001)] }
        }
        #expect(await source.failure()?.reason == .refused("address 10.0.0.1 is not allowed"))
        #expect(transport.requests.isEmpty)
    }

    @Test func connectionsThatLeadInsideAreRefused() async {
        let reported = ScriptedTransport(.make(200, [:], [[1]], remote: IPAddress(version4: 0x7F00_0001)))
        #expect(await HTTPSource.make(reported).failure()?.reason == .refused("address 127.0.0.1 is not allowed"))
        let checked = ScriptedTransport { _, _ in throw TransportError.addressRefused(IPAddress(version6: 1)) }
        let failure = await HTTPSource.make(checked).failure()
        #expect(failure?.reason == .refused("address ::1 is not allowed"))
        #expect(failure?.isRetryable == false)
    }

    @Test func addressesThatAreNoneAreRefused() async {
        let failure = await HTTPSource.make(ScriptedTransport(.make())).failure("http://a b/")
        #expect(failure?.reason == .refused("address: badCharacter"))
    }

    // MARK: - Redirects

    private func redirecting(_ status: Int, _ targets: [String: String]) -> ScriptedTransport {
        ScriptedTransport { request, _ in
            targets[request.url.text].map { .make(status, ["Location": $0]) } ?? .make(200, [:], [[7]])
        }
    }

    @Test(arguments: [301, 302, 303, 307, 308]) func redirectsAreFollowed(_ status: Int) async throws {
        let transport = redirecting(status, [address: "/b", "http://example.com/b": "https://other.com/c?d"])
        #expect(try await HTTPSource.make(transport).bytes(address) == [7])
        #expect(transport.urls == [address, "http://example.com/b", "https://other.com/c?d"])
    }

    @Test(arguments: [
        "http://127.0.0.1/", "http://localhost/", "http://[::ffff:10.0.0.1]/", "file:///etc/passwd",
        "ftp://example.com:80/",
        "//169.254.169.254/", "http://a b/", "gopher:x",
    ])
    func eachRedirectIsChecked(_ target: String) async {
        let transport = redirecting(302, [address: target])
        guard case .refused = await HTTPSource.make(transport).failure()?.reason else {
            Issue.record("not refused")
            return
        }
        #expect(transport.requests.count == 1)
    }

    @Test func redirectsThatGoRoundAreRefused() async {
        let transport = redirecting(302, [address: "/b", "http://example.com/b": "/a.png"])
        #expect(await HTTPSource.make(transport).failure()?.reason == .refused("redirects go round"))
        #expect(transport.requests.count == 2)
    }

    @Test func redirectsAreCounted() async throws {
        let transport = ScriptedTransport { request, index in
            index < 3 ? .make(302, ["Location": "/\(index)"]) : .make(200, [:], [[7]])
        }
        #expect(try await HTTPSource.make(transport, { $0.maxRedirectCount = 3 }).bytes(address) == [7])
        let endless = ScriptedTransport { _, index in .make(302, ["Location": "/\(index)"]) }
        let failure = await HTTPSource.make(endless) { $0.maxRedirectCount = 3 }.failure()
        #expect(failure?.reason == .refused("more than 3 redirects"))
        #expect(endless.requests.count == 4)
    }

    @Test func credentialsStayWithTheirOrigin() async throws {
        let transport = redirecting(302, [address: "/b", "http://example.com/b": "https://example.com/c"])
        let source = HTTPSource.make(transport).adding(["Authorization": "x", "Cookie": "y", "Referer": "z"])
        _ = try await source.bytes(address)
        #expect(transport.requests.map { $0.fields["authorization"] } == ["x", "x", nil])
        #expect(transport.requests.map { $0.fields["cookie"] } == ["y", "y", nil])
        #expect(transport.requests.map { $0.fields["referer"] } == ["z", "z", "z"])
    }

    /// The example of RFC 7617, §2.
    @Test func userAndPasswordOfAnAddressAreSent() async throws {
        let transport = ScriptedTransport(.make(200, [:], [[1]]))
        let response = try await HTTPSource.make(transport).open("http://Aladdin:open%20sesame@example.com/")
        #expect(transport.requests[0].fields["authorization"] == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
        #expect(!response.isStorable)
        #expect(!response.attributes.values.contains { $0.contains("sesame") || $0.contains("Aladdin") })
    }

    @Test func aTemporaryRedirectIsNotFreshAndAPermanentOneDoesNotMatter() async throws {
        let script = { (status: Int, control: String?) in
            ScriptedTransport { _, index in
                var fields: HeaderFields = ["Location": "/b"]
                fields["cache-control"] = control
                return index == 0 ? .make(status, fields) : .make(200, ["Cache-Control": "max-age=100"], [[1]])
            }
        }
        let freshness = { (status: Int, control: String?) in
            try await HTTPSource.make(script(status, control)).open(address).freshFor
        }
        #expect(try await freshness(302, nil) == .zero)
        #expect(try await freshness(302, "max-age=10") == .seconds(10))
        #expect(try await freshness(301, nil) == .seconds(100))
        #expect(try await freshness(301, "no-cache") == .zero)
        #expect(try await !HTTPSource.make(script(302, "no-store")).open(address).isStorable)
    }

    // MARK: - Requests

    @Test func requestsAreModifiedBeforeTheyAreSent() async throws {
        let transport = ScriptedTransport(.make(200, ["Cache-Control": "max-age=9"], [[1]]))
        let source = HTTPSource.make(transport) {
            $0.modify = { request in request.fields["authorization"] = "signed \(request.url.pathAndQuery)" }
        }
        let response = try await source.open(address)
        #expect(transport.requests[0].fields["authorization"] == "signed /a.png")
        #expect(!response.isStorable)
    }

    @Test func addedFieldsHaveCacheKeysOfTheirOwn() {
        let source = HTTPSource.make(ScriptedTransport(.make()))
        let (a, b) = (source.adding(["authorization": "a"]), source.adding(["Authorization": "b"]))
        #expect(source.version(of: address) == nil)
        #expect(a.version(of: address) != b.version(of: address))
        #expect(a.version(of: address) == source.adding(["AUTHORIZATION": "a"]).version(of: address))
        #expect(a.version(of: address)?.contains("a:") == false)
    }

    @Test func schemesOfTheWebAreHandled() {
        let source = HTTPSource.make(ScriptedTransport(.make()))
        #expect(source.handles("http://a") && source.handles("HTTPS://a"))
        #expect(!source.handles("file:///a") && !source.handles("/a") && !source.handles("httpx://a"))
    }

    // MARK: - Transfers at once

    @Test func transfersWaitForAPlace() async throws {
        let transport = ScriptedTransport(.make(200, [:], [[1]]))
        let source = HTTPSource.make(transport) { $0.maxTransferCountPerHost = 1 }
        var first: SourceResponse? = try await source.open(address)
        let second = Task { try await source.bytes("http://example.com/b") }
        let other = try await source.bytes("http://other.com/")
        #expect(other == [1])
        #expect(transport.urls == [address, "http://other.com/"])
        // Released without being read to its end.
        _ = first
        first = nil
        #expect(try await second.value == [1])
    }

    @Test func cancellingEndsTheWaitForAPlace() async throws {
        let source = HTTPSource.make(ScriptedTransport(.make(200, [:], [[1]]))) { $0.maxTransferCount = 1 }
        let first = try await source.open(address)
        let second = Task { try await source.bytes("http://other.com/") }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        #expect(try await first.bytes() == [1])
        #expect(try await source.bytes("http://other.com/") == [1])
    }
}
