import Foundation
import ImageCaching
import ImageCodecs
import ImageCodecsCore
import ImageLoading
import Synchronization

/// Delivers what a closure says and counts how often it is asked.
final class CountingSource: ImageSource {
    private let deliver: @Sendable (String) async throws -> SourceResponse
    private let counts = Mutex<[String: Int]>([:])

    init(_ deliver: @escaping @Sendable (String) async throws -> SourceResponse) { self.deliver = deliver }

    /// The same picture everywhere.
    convenience init(_ bytes: [UInt8]) { self.init { _ in SourceResponse(ImageData(bytes)) } }

    func handles(_ address: String) -> Bool { address.hasPrefix("test:") }

    func open(_ address: String) async throws -> SourceResponse {
        counts.withLock { $0[address, default: 0] += 1 }
        return try await deliver(address)
    }

    func count(_ address: String) -> Int { counts.withLock { $0[address] ?? 0 } }
    var total: Int { counts.withLock { $0.values.reduce(0, +) } }
}

/// Delivers pieces when a test says so.
final class SteppedSource: ImageSource {
    typealias Pieces = AsyncThrowingStream<[UInt8], any Error>
    private let state = Mutex<(openings: [Pieces.Continuation], cancelledCount: Int)>(([], 0))

    func handles(_ address: String) -> Bool { address.hasPrefix("test:") }

    func open(_ address: String) async throws -> SourceResponse {
        let (pieces, continuation) = Pieces.makeStream()
        continuation.onTermination = { reason in
            if case .cancelled = reason { self.state.withLock { $0.cancelledCount += 1 } }
        }
        state.withLock { $0.openings.append(continuation) }
        return SourceResponse(pieces: pieces)
    }

    var openCount: Int { state.withLock { $0.openings.count } }
    var cancelledCount: Int { state.withLock { $0.cancelledCount } }
    func send(_ bytes: some Sequence<UInt8>, to index: Int = 0) {
        state.withLock { _ = $0.openings[index].yield(Array(bytes)) }
    }
    func end(_ index: Int = 0) { state.withLock { $0.openings[index].finish() } }
    func fail(_ index: Int = 0, _ error: any Error) { state.withLock { $0.openings[index].finish(throwing: error) } }

    func waitUntilOpen(_ count: Int = 1) async { while openCount < count { await Task.yield() } }
}

/// Time that a test moves; whoever sleeps is woken at once, and the time is as late as it wanted.
final class JumpingClock: Sendable {
    private let state = Mutex<(now: Duration, sleeps: [Duration])>((.zero, []))

    func advance(by duration: Duration) { state.withLock { $0.now += duration } }
    var sleeps: [Duration] { state.withLock { $0.sleeps } }

    var clock: LoadClock {
        LoadClock(
            now: { self.state.withLock { $0.now } },
            sleep: { duration in
                try Task.checkCancellation()
                self.state.withLock { state in
                    state.now += duration
                    state.sleeps.append(duration)
                }
            })
    }
}

enum Picture {
    /// A PNG of one colour.
    static func png(_ width: Int, _ height: Int = 4) throws -> [UInt8] {
        try RasterImage(bitmap: Bitmap(size: PixelSize(width: width, height: height), format: .rgba)).encoded(as: .png)
    }
}

extension ImageLoader {
    /// A loader of one source.
    static func make(
        _ source: any ImageSource, memory: Bool = false, disk: DiskCache? = nil,
        _ change: (inout Configuration) -> Void = { _ in }
    ) -> ImageLoader {
        var configuration = Configuration()
        configuration.sources = [source, FileSource()]
        if memory { configuration.memory = MemoryCache(byteCount: 64 << 20) }
        configuration.disk = disk
        configuration.retry = .never
        change(&configuration)
        return ImageLoader(configuration)
    }
}

/// A folder that is removed afterwards.
struct TemporaryFolder: ~Copyable {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("loading-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appendingPathComponent(name).path }
}

/// What happened, in order.
final class EventLog: Sendable {
    private let events = Mutex<[LoadEvent]>([])
    var all: [LoadEvent] { events.withLock { $0 } }
    var observe: @Sendable (LoadEvent) -> Void { { event in self.events.withLock { $0.append(event) } } }

    /// Waits until this many requests were made that others waited for: a request made twice waits when this counts one more.
    func waitUntilJoined(_ count: Int) async {
        while all.count(where: { if case .joined = $0.kind { true } else { false } }) < count { await Task.yield() }
    }
}

/// Transformations that leave a picture as it is, and how often each was done.
final class CountedTransformations: Sendable {
    private let counts = Mutex<[String: Int]>([:])

    subscript(name: String) -> ImageTransformation {
        .custom(name: name) { (image) throws(ImageError) in
            self.counts.withLock { $0[name, default: 0] += 1 }
            return image
        }
    }

    var done: [String: Int] { counts.withLock { $0 } }
}
