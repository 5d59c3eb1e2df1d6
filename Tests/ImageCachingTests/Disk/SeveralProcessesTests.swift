import CodecTestSupport
import Foundation
import ImageCaching
import Testing

/// Processes that write to one folder, some of them killed.
@Suite struct SeveralProcessesTests {
    private static let limit = 1 << 20

    /// The built helper, beside the test bundle.
    private func start(_ folder: borrowing CacheFolderForTests, seed: Int, seconds: String = "60") throws -> (
        Process, Pipe
    ) {
        var place = Bundle.main.bundleURL
        while place.path != "/",
            !FileManager.default.isExecutableFile(atPath: place.appendingPathComponent("cache-writer").path)
        {
            place.deleteLastPathComponent()
        }
        let process = Process()
        process.executableURL = place.appendingPathComponent("cache-writer")
        process.arguments = [folder.path, "\(Self.limit)", "\(seed)", seconds]
        let errors = Pipe()
        process.standardError = errors
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        return (process, errors)
    }

    /// What holds for a folder whatever happened to its writers.
    private func check(_ folder: borrowing CacheFolderForTests) throws {
        #expect(folder.allocatedByteCount <= Self.limit)
        let cache = try DiskCache(path: folder.path, byteCount: Self.limit)
        #expect(cache.statistics.byteCount == folder.allocatedByteCount)
        #expect(folder.files.allSatisfy { !$0.lastPathComponent.hasPrefix("part-") })
        for number in 0..<200 {
            guard let entry = cache.entry(for: CacheKey(source: "picture \(number)")) else { continue }
            #expect(entry.attributes["number"] == "\(number)")
            #expect(entry.array.allSatisfy { $0 == UInt8(number) })
        }
        #expect(cache.statistics.damageCount == 0)
    }

    /// `$CACHE_KILLS` sets how often.
    @Test func aWriterKilledAtAnyMomentLeavesWholeEntriesAndNoRest() throws {
        let count = ProcessInfo.processInfo.environment["CACHE_KILLS"].flatMap { Int($0) } ?? 15
        let folder = CacheFolderForTests()
        var random = SeededRandom(seed: 4)
        for round in 0..<count {
            let (process, errors) = try start(folder, seed: round)
            #expect(errors.fileHandleForReading.availableData == Data("ready\n".utf8))
            usleep(UInt32.random(in: 0..<8000, using: &random))
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            #expect(process.terminationReason == .uncaughtSignal)
            if round % 5 == 4 { try check(folder) }
        }
        try check(folder)
    }

    @Test func fourProcessesShareAFolderAndItsLimit() throws {
        let folder = CacheFolderForTests()
        let processes = try (0..<4).map { try start(folder, seed: $0, seconds: "1").0 }
        let cache = try DiskCache(path: folder.path, byteCount: Self.limit)
        var seen = Set<Int>()
        while processes.contains(where: \.isRunning) {
            #expect(folder.allocatedByteCount <= Self.limit)
            for number in 0..<200 {
                guard let entry = cache.entry(for: CacheKey(source: "picture \(number)")) else { continue }
                #expect(entry.array.allSatisfy { $0 == UInt8(number) })
                seen.insert(number)
            }
        }
        for process in processes { #expect(process.terminationStatus == 0) }
        // What other processes stored is found without a restart.
        #expect(!seen.isEmpty)
        #expect(cache.statistics.damageCount == 0)
        try check(folder)
    }
}
