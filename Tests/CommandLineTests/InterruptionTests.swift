import CodecTestSupport
import Foundation
import Testing

/// What is left of files that were half written when the process had to end.
@Suite struct InterruptionTests {
    /// Pictures of noise, which take seconds to write as well as it gets.
    private func slowPictures(_ tool: borrowing Tool) throws -> [String] {
        var random = SeededRandom(seed: 46)
        let bytes = Data(Array("P6\n1200 800\n255\n".utf8) + random.bytes(3 * 1200 * 800))
        return try (0..<3).map { number in
            let path = tool.path("\(number).ppm")
            try bytes.write(to: URL(fileURLWithPath: path))
            return path
        }
    }

    private func names(_ tool: borrowing Tool) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: tool.path("out")).sorted()
    }

    /// Begins to write several files and sends a signal in the middle; answers the signal that the process ended by.
    private func interrupt(_ tool: borrowing Tool, _ signal: Int32) throws -> Int32 {
        try FileManager.default.createDirectory(atPath: tool.path("out"), withIntermediateDirectories: true)
        let (process, _, _) = try tool.start(
            ["convert", "--format", "png", "--effort", "best", "--jobs", "3", "-o", tool.path("out")]
                + slowPictures(tool))
        let end = ContinuousClock.now + .seconds(20)
        while try !names(tool).contains(where: { $0.hasSuffix(".part") }), ContinuousClock.now < end { usleep(1000) }
        #expect(try names(tool).contains { $0.hasPrefix(".image-") && $0.hasSuffix(".part") })
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        #expect(process.terminationReason == .uncaughtSignal)
        return process.terminationStatus
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU])
    func halfWrittenFilesAreRemovedAtSignals(_ signal: Int32) throws {
        let tool = try Tool()
        #expect(try interrupt(tool, signal) == signal)
        #expect(try names(tool).filter { $0.hasPrefix(".") } == [])
    }

    @Test func theNextRunRemovesWhatAKilledOneLeft() throws {
        let tool = try Tool()
        #expect(try interrupt(tool, SIGKILL) == SIGKILL)
        let left = try names(tool).filter { $0.hasPrefix(".") }
        #expect(!left.isEmpty)
        // Files of a process that runs, and of another host, stay.
        let parts = try #require(left.first).split(separator: "-")
        let others = [
            "\(parts[0])-\(parts[1])-\(getpid())-abc.part", "\(parts[0])-elsewhere-\(parts[2])-abc.part",
            ".image-abc.part",
        ]
        for name in others { try Data([1]).write(to: URL(fileURLWithPath: tool.path("out/\(name)"))) }
        let picture = Fixture.folder("png").appendingPathComponent("landscape.png").path
        #expect(try tool.run("convert", picture, "-o", tool.path("out/x.png")).status == 0)
        #expect(try names(tool).filter { $0.hasPrefix(".") } == others.sorted())
    }
}
