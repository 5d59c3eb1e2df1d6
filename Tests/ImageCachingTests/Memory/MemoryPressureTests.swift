#if os(Linux)
import CodecTestSupport
import Foundation
import ImageCaching
import Synchronization
import Testing

@Suite struct MemoryPressureTests {
    private let counts = "low 0\nhigh 1\nmax 0\noom 0\noom_kill 0\n"

    @Test func aGroupThatPassesItsLimitIsReportedUntilTheWatcherIsGone() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("memory-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(counts.utf8).write(to: file)
        let calls = Mutex(0)
        var pressure = MemoryPressure(groupEventsPath: file.path, pressurePath: nil) { calls.withLock { $0 += 1 } }
        #expect(pressure != nil)
        // Written in place, as the system changes such a file.
        let handle = try FileHandle(forWritingTo: file)
        try handle.write(contentsOf: Data("low 5\nhigh 1".utf8))
        try handle.seek(toOffset: 0)
        usleep(50_000)
        #expect(calls.withLock { $0 } == 0)
        try handle.write(contentsOf: Data("low 5\nhigh 2".utf8))
        Pause.until { calls.withLock { $0 } == 1 }
        #expect(calls.withLock { $0 } == 1)
        pressure = nil
        usleep(50_000)
        try handle.write(contentsOf: Data("\nmax 7".utf8))
        usleep(50_000)
        #expect(calls.withLock { $0 } == 1)
    }

    @Test func aSystemThatSaysNothingHasNoWatcher() {
        #expect(MemoryPressure(groupEventsPath: "/nowhere/memory.events", pressurePath: "/nowhere") {} == nil)
    }

    @Test func pressureHalvesACache() throws {
        let cache = MemoryCache<Int>(byteCount: 1000, shardCount: 1)
        for number in 0..<100 { cache.insert(number, for: CacheKey(source: "\(number)"), cost: 10) }
        cache.trim(to: cache.statistics.byteCount / 2)
        #expect(cache.statistics.byteCount == 500)
    }
}
#endif
