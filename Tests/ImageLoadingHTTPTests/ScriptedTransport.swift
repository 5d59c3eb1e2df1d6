import Foundation
import ImageCaching
import ImageCodecs
import ImageCodecsCore
import ImageLoading
import ImageLoadingHTTP
import Synchronization

/// Answers as a closure says, and remembers what was sent.
final class ScriptedTransport: HTTPTransport {
    typealias Script = @Sendable (_ request: FetchRequest, _ index: Int) async throws -> FetchResponse
    private let script: Script
    private let sent = Mutex<[FetchRequest]>([])

    init(_ script: @escaping Script) { self.script = script }

    /// The same response to each request.
    convenience init(_ response: @autoclosure @escaping @Sendable () -> FetchResponse) {
        self.init { _, _ in response() }
    }

    func send(_ request: FetchRequest) async throws -> FetchResponse {
        let index = sent.withLock { sent in
            sent.append(request)
            return sent.count - 1
        }
        return try await script(request, index)
    }

    var requests: [FetchRequest] { sent.withLock { $0 } }
    var urls: [String] { requests.map(\.url.text) }
}

extension FetchResponse {
    /// A response whose body is some pieces, and then an error or, if `hangs`, nothing.
    static func make(
        _ status: Int = 200, _ fields: HeaderFields = [:], _ pieces: [[UInt8]] = [], then error: (any Error)? = nil,
        hangs: Bool = false, remote: IPAddress? = nil
    ) -> FetchResponse {
        let rest = Pieces(pieces)
        return FetchResponse(status: status, fields: fields, remoteAddress: remote) {
            if let piece = rest.take() { return ImageData(piece) }
            if let error { throw error }
            if hangs { try await Task.sleep(for: .seconds(100_000)) }
            return nil
        }
    }
}

private final class Pieces: Sendable {
    private let rest: Mutex<[[UInt8]]>
    init(_ pieces: [[UInt8]]) { rest = Mutex(pieces) }
    func take() -> [UInt8]? { rest.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
}

/// A clock that stands still. Who sleeps for one of some durations is woken at once, others when they are cancelled.
func stillClock(waking durations: Set<Duration> = []) -> LoadClock {
    LoadClock(
        now: { .zero },
        sleep: { duration in
            if !durations.contains(duration) { try await Task.sleep(for: .seconds(100_000)) }
        })
}

/// The time of day, as a test sets it.
final class SettableTime: Sendable {
    private let time: Mutex<Duration>
    init(_ time: Duration = .seconds(1_800_000_000)) { self.time = Mutex(time) }
    func advance(by duration: Duration) { time.withLock { $0 += duration } }
    var now: Duration { time.withLock { $0 } }
    var clock: WallClock { WallClock { self.now } }
}

extension HTTPSource {
    /// A source for tests: a clock that stands still, names that lead to a public address.
    static func make(
        _ transport: any HTTPTransport, time: SettableTime = SettableTime(),
        _ change: (inout Configuration) -> Void = { _ in }
    ) -> HTTPSource {
        var configuration = Configuration()
        configuration.clock = stillClock()
        configuration.wallClock = time.clock
        configuration.resolve = { _ in [IPAddress(version4: 0x5DB8_D822)] }
        configuration.acceptedTypes = nil
        change(&configuration)
        return HTTPSource(transport, configuration)
    }

    /// All bytes at an address.
    func bytes(_ address: String) async throws -> [UInt8] { try await open(address).bytes() }

    /// Why there are none.
    func failure(_ address: String = "http://example.com/a.png") async -> LoadError? {
        do {
            _ = try await bytes(address)
            return nil
        } catch {
            return error as? LoadError
        }
    }
}

extension SourceResponse {
    func bytes() async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let piece = try await next() { bytes += piece.array }
        return bytes
    }
}

extension ImageData {
    var array: [UInt8] { withBytes { bytes in bytes.indices.map { bytes[$0] } } }
}

extension [String] {
    /// `Name: value` lines as fields.
    var fields: HeaderFields {
        HeaderFields(
            map { line in
                let parts = line.split(separator: ":", maxSplits: 1)
                return (String(parts[0]), String(parts[1]))
            })
    }
}

/// A folder that is removed afterwards.
final class TemporaryFolder: Sendable {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("http-\(UUID().uuidString)")
    deinit { try? FileManager.default.removeItem(at: url) }
    func disk(_ clock: WallClock = .system) throws -> DiskCache {
        try DiskCache(path: url.path, byteCount: 64 << 20, maxAge: nil, clock: clock)
    }
}
