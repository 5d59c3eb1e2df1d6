import CodecTestSupport
import Foundation
import Testing

/// A tool that is started without standard input, output and error.
@Suite struct ClosedDescriptorTests {
    @Test func nothingIsPrintedIntoResults() throws {
        let tool = try Tool()
        let path = tool.path("one.png")
        try Data(PNGBuilder.onePixel()).write(to: URL(fileURLWithPath: path))
        #expect(try tool.run("frames", path, "-o", tool.path("open")).status == 0)
        _ = try tool.runWithNothingOpen(["frames", path, "-o", tool.path("closed")])
        #expect(try tool.contents("closed/one.0.png") == tool.contents("open/one.0.png"))
    }
}
