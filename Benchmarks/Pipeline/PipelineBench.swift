// Times of caches and of the loader without the pixels: one line a figure, the smallest of several rounds.
//
//   pipeline-bench [PART ...] [FOLDER]
//   pipeline-bench --requests COUNT
//
// PART is one of memory, ratio, disk, requests, cancelling, joining; all if none is named. FOLDER, a path with a slash, is for the disk
// cache; a new one in the temporary folder if none is named. With --requests as many requests go through one
// loader, of every kind of outcome, and what the process holds is printed ten times on the way.

import Foundation
import ImageCaching
import ImageCodecs
import ImageCodecsCore
import ImageLoading
import Synchronization

@main
enum PipelineBench {
    static func main() async throws {
        if CommandLine.arguments.count == 3, CommandLine.arguments[1] == "--requests",
            let count = Int(CommandLine.arguments[2])
        {
            return try await endurance(count)
        }
        let (folders, parts) = CommandLine.arguments.dropFirst().reduce(into: ([String](), Set<String>())) {
            named, word in
            if word.contains("/") { named.0.append(word) } else { named.1.insert(word) }
        }
        func isWanted(_ part: String) -> Bool { parts.isEmpty || parts.contains(part) }
        if isWanted("memory") { memory() }
        if isWanted("ratio") { hitRatio() }
        if isWanted("disk") {
            try disk(folders.first ?? NSTemporaryDirectory() + "pipeline-bench-\(UUID().uuidString)")
        }
        if isWanted("requests") { await requests() }
        if isWanted("cancelling") { await cancelling() }
        if isWanted("joining") { try await joining() }
    }

    // MARK: - Measuring

    /// Nanoseconds of a processor for each of `count` steps, in the best of five rounds: other programs do not change them much.
    private static func time(_ count: Int, _ body: () throws -> Void) rethrows -> Double {
        var best = Double.infinity
        for _ in 0..<5 {
            let start = ProcessorStopwatch.ofProcess
            try body()
            best = min(best, Double(ProcessorStopwatch.ofProcess - start))
        }
        return best / Double(count)
    }

    private static func report(_ what: String, _ nanoseconds: Double) {
        let text =
            nanoseconds < 10_000
            ? String(format: "%8.1f ns", nanoseconds) : String(format: "%8.1f us", nanoseconds / 1000)
        FileHandle.standardOutput.write(Data("\(text) \(what)\n".utf8))
    }

    private static func address(_ number: Int) -> String { "https://example.org/pictures/2026/\(number)/large.jpg" }

    // MARK: - Memory

    private final class Value: Sendable {}

    private static func memory() {
        let cache = MemoryCache<Value>(byteCount: 1 << 28, shardCount: 8)
        let keys = (0..<1000).map { CacheKey(source: address($0), variant: "d,400x300 fit best") }
        for key in keys { cache.insert(Value(), for: key, cost: 1000) }
        let lookUp: @Sendable () -> Void = {
            for _ in 0..<100 { for key in keys where cache.value(for: key) == nil { fatalError("lost") } }
        }
        report("memory hit, key at hand", time(100_000, lookUp))
        report(
            "memory hit on each of two threads",
            time(200_000) { DispatchQueue.concurrentPerform(iterations: 2) { _ in lookUp() } })
        let addresses = (0..<1000).map(address)
        report(
            "memory hit, key made for it",
            time(100_000) {
                for _ in 0..<100 {
                    for address in addresses {
                        _ = cache.value(for: CacheKey(source: address, variant: "d,400x300 fit best"))
                    }
                }
            })
        let small = MemoryCache<Value>(byteCount: 1000, shardCount: 1)
        let many = (0..<100_000).map { CacheKey(source: address($0)) }
        let value = Value()
        report("insertion with eviction", time(100_000) { for key in many { small.insert(value, for: key, cost: 1) } })
    }

    private static func hitRatio() {
        var (sum, sums) = (0.0, [Double]())
        for rank in 1...100_000 {
            sum += pow(Double(rank), -0.9)
            sums.append(sum)
        }
        let keys = sums.indices.map { CacheKey(source: "\($0)") }
        let cache = MemoryCache<Value>(byteCount: 1000, shardCount: 1)
        var state: UInt64 = 1
        for _ in 0..<2_000_000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let wanted = Double(state >> 11) / Double(1 << 53) * sum
            var (low, high) = (0, sums.count - 1)
            while low < high {
                let middle = (low + high) / 2
                if sums[middle] > wanted { high = middle } else { low = middle + 1 }
            }
            if cache.value(for: keys[low]) == nil { cache.insert(Value(), for: keys[low], cost: 1) }
        }
        print(
            String(format: "%8.2f %%  hit ratio, Zipf 0.9, one per cent of the keys", cache.statistics.hitRatio * 100))
    }

    // MARK: - Disk

    private static func disk(_ folder: String) throws {
        let cache = try DiskCache(path: folder, byteCount: 1 << 30)
        let entry = DiskEntry(
            bytes: ImageData([UInt8](repeating: 7, count: 20_000)), attributes: ["type": "image/jpeg"])
        let keys = (0..<500).map { CacheKey(source: address($0)) }
        report("disk insertion of 20 kB", try time(500) { for key in keys { try cache.insert(entry, for: key) } })
        report(
            "disk read of 20 kB",
            time(500) { for key in keys where cache.entry(for: key) == nil { fatalError("lost") } })
        let others = (0..<10_000).map { CacheKey(source: address($0 + 1000)) }
        report("disk miss", time(10_000) { for key in others { _ = cache.entry(for: key) } })
        cache.removeAll()
    }

    // MARK: - Requests

    /// Answers at once that there is no network, so that only the way of a request is timed.
    private struct EmptySource: ImageSource {
        func handles(_ address: String) -> Bool { true }
        func open(_ address: String) async throws -> SourceResponse {
            throw LoadError(stage: .transfer, address: address, reason: .unreachable, isRetryable: false)
        }
    }

    /// Never answers.
    private struct SilentSource: ImageSource {
        func handles(_ address: String) -> Bool { true }
        func open(_ address: String) async throws -> SourceResponse {
            await waitUntilCancelled()
            throw CancellationError()
        }
    }

    private static func requests() async {
        for count in [10_000, 100_000, 1_000_000] {
            let control = ProcessorStopwatch.ofProcess
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<count {
                    group.addTask {
                        await withCheckedContinuation { waiting in Task.detached { waiting.resume() } }
                    }
                }
            }
            report(
                "each of \(count) tasks that wait for another task, without a loader",
                Double(ProcessorStopwatch.ofProcess - control) / Double(count))
            let loader = ImageLoader(source: EmptySource())
            let start = ProcessorStopwatch.ofProcess
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<count {
                    group.addTask { _ = try? await loader.image(for: ImageRequest(address(number))) }
                }
            }
            report("each of \(count) distinct requests", Double(ProcessorStopwatch.ofProcess - start) / Double(count))
        }
    }

    private static func cancelling() async {
        let count = 20_000
        let loader = ImageLoader(source: SilentSource())
        let requests = (0..<count).map { ImageRequest(address($0)) }
        for (what, load) in [
            ("task that does nothing", { @Sendable _ in }),
            ("request", { @Sendable number in _ = try? await loader.image(for: requests[number]) }),
        ] as [(String, @Sendable (Int) async -> Void)] {
            let start = ProcessorStopwatch.ofProcess
            for number in 0..<count {
                let task = Task { await load(number) }
                task.cancel()
                await task.value
            }
            report(
                "\(what) created and cancelled before its turn",
                Double(ProcessorStopwatch.ofProcess - start) / Double(count))
        }
        for (what, wait) in [
            ("task that waits until it is cancelled", { @Sendable _ in await waitUntilCancelled() }),
            (
                "task that waits for another one, which waits until it is cancelled",
                { @Sendable _ in
                    let other = Task.detached { await waitUntilCancelled() }
                    await withTaskCancellationHandler {
                        await other.value
                    } onCancel: {
                        other.cancel()
                    }
                }
            ),
            (
                "request that waits for its source",
                { @Sendable number in _ = try? await loader.image(for: requests[number]) }
            ),
        ] as [(String, @Sendable (Int) async -> Void)] {
            let (before, start) = (residentKilobytes, ProcessorStopwatch.ofProcess)
            let tasks = (0..<count).map { number in Task { await wait(number) } }
            // All wait after a while.
            try? await Task.sleep(for: .seconds(2))
            let bytes = max(0, residentKilobytes - before) * 1024 / count
            for task in tasks { task.cancel() }
            for task in tasks { await task.value }
            report(
                "\(what), created and cancelled (about \(bytes) bytes meanwhile)",
                Double(ProcessorStopwatch.ofProcess - start) / Double(count))
        }
    }

    private static func waitUntilCancelled() async {
        let waiting = Mutex<(continuation: CheckedContinuation<Void, Never>?, isCancelled: Bool)>((nil, false))
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isCancelled = waiting.withLock { state in
                    state.continuation = continuation
                    return state.isCancelled
                }
                if isCancelled { continuation.resume() }
            }
        } onCancel: {
            let continuation = waiting.withLock { state in
                state.isCancelled = true
                return state.continuation.take()
            }
            continuation?.resume()
        }
    }

    /// Pictures of 8x8 pixels for most addresses; every tenth is not there, every eleventh takes its time.
    private static func endurance(_ count: Int) async throws {
        let bytes = ImageData(
            try RasterImage(bitmap: Bitmap(size: PixelSize(width: 8, height: 8), format: .rgba)).bytes)
        let source = SchemeSource("https") { address in
            let number = Int(address.split(separator: "/").dropLast().last ?? "") ?? 0
            if number % 10 == 3 {
                throw LoadError(stage: .transfer, address: address, reason: .notFound, isRetryable: false)
            }
            if number % 11 == 5 { try await Task.sleep(for: .milliseconds(5)) }
            return SourceResponse(bytes)
        }
        let loader = ImageLoader(memory: MemoryCache(byteCount: 1 << 20), source: source)
        var state: UInt64 = 1
        var outcomes = [0, 0]
        let atOnce = 1000
        for batch in 1...max(1, count / atOnce) {
            let loaded = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<atOnce {
                    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    // Few addresses are asked for often, a million hardly ever.
                    let number = Int(pow(1e6, Double(state >> 11) / Double(1 << 53)))
                    let isCancelled = state >> 40 & 15 == 0
                    group.addTask {
                        let task = Task { try await loader.image(for: ImageRequest(address(number))) }
                        if isCancelled { task.cancel() }
                        return (try? await task.value) != nil
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            outcomes[0] += loaded
            outcomes[1] += atOnce - loaded
            if batch % max(1, count / atOnce / 10) == 0 {
                print("\(outcomes[0]) pictures, \(outcomes[1]) failed or cancelled: \(residentKilobytes) kB anonymous")
            }
        }
    }

    /// What the process holds that no file holds.
    private static var residentKilobytes: Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
        return line?.split(whereSeparator: \.isWhitespace).dropLast().last.flatMap { Int($0) } ?? 0
    }

    private final class WaitingTasks: Sendable {
        let list = Mutex<[CheckedContinuation<Void, Never>]>([])
    }

    private static func joining() async throws {
        let gate = Mutex<CheckedContinuation<Void, Never>?>(nil)
        let bytes = try RasterImage(bitmap: Bitmap(size: PixelSize(width: 8, height: 8), format: .rgba)).bytes
        let last = Mutex(ContinuousClock.now)
        let source = SchemeSource("https") { _ in
            await withCheckedContinuation { continuation in gate.withLock { $0 = continuation } }
            last.withLock { $0 = .now }
            return SourceResponse(ImageData(bytes))
        }
        let loader = ImageLoader(source: source)
        let callers = 10_000
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<callers { group.addTask { _ = try? await loader.image(for: ImageRequest(address(0))) } }
            // All have joined after a while; the first one opened the source.
            try? await Task.sleep(for: .seconds(2))
            gate.withLock { $0.take() }?.resume()
        }
        report(
            "from the last byte to the last of \(callers) callers",
            last.withLock { $0 }.duration(to: .now) / .nanoseconds(1))
        let waiting = WaitingTasks()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<callers {
                group.addTask {
                    await withCheckedContinuation { continuation in waiting.list.withLock { $0.append(continuation) } }
                }
            }
            try? await Task.sleep(for: .seconds(2))
            last.withLock { $0 = .now }
            for continuation in waiting.list.withLock({ $0 }) { continuation.resume() }
        }
        report(
            "\(callers) waiting tasks resumed, without a loader",
            last.withLock { $0 }.duration(to: .now) / .nanoseconds(1))
    }
}

extension RasterImage {
    /// As PNG.
    fileprivate var bytes: [UInt8] {
        get throws { try CoderRegistry.shared.encode(self, to: .png, options: .default) }
    }
}
