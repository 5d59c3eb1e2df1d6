import CodecTestSupport
import Foundation
import Testing

@Suite struct ProgressTests {
    /// A picture of noise, which takes seconds to write as well as it gets.
    private func slowPicture(_ tool: borrowing Tool) throws -> String {
        var random = SeededRandom(seed: 7)
        let path = tool.path("noise.ppm")
        try Data(Array("P6\n1200 800\n255\n".utf8) + random.bytes(3 * 1200 * 800))
            .write(to: URL(fileURLWithPath: path))
        return path
    }

    @Test func oneFileThatTakesLongShowsHowFarItHasCome() throws {
        #if os(Linux)
        let hasTerminal = FileManager.default.isExecutableFile(atPath: "/usr/bin/script")
        #else
        // That of other systems has other options.
        let hasTerminal = false
        #endif
        guard hasTerminal else {
            print("skipped: no /usr/bin/script of util-linux, which gives a terminal")
            return
        }
        let tool = try Tool()
        let path = try slowPicture(tool)
        let run = try tool.runWithErrorsOnTerminal(
            ["convert", path, "-o", tool.path("noise.webp"), "--lossless", "--effort", "best"])
        #expect(run.status == 0)
        let text = run.text
        #expect(text.contains("compressing, ") || text.contains("writing, "), "\(text.debugDescription)")
        // The line is gone in the end.
        #expect(text.hasSuffix("\r\u{1B}[K"), "\(text.debugDescription)")
        // Nobody looks: nothing is shown.
        let quiet = try tool.run("convert", path, "-o", tool.path("quiet.webp"), "--effort", "fast")
        #expect(quiet.status == 0 && quiet.errors.isEmpty && quiet.output.isEmpty)
    }
}
