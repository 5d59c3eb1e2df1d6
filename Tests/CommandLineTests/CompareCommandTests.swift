import CodecTestSupport
import Foundation
import ImageCodecs
import Testing

@Suite struct CompareCommandTests {
    private let landscape = Fixture.folder("png").appendingPathComponent("landscape.png").path

    /// Writes a PPM file of one colour with some pixels of another.
    private func write(_ pixels: [[UInt8]], width: Int, to path: String) throws {
        let header = Data("P6 \(width) \(pixels.count / width) 255\n".utf8)
        try (header + Data(pixels.joined())).write(to: URL(fileURLWithPath: path))
    }

    @Test func equalPicturesAreEqual() throws {
        let tool = try Tool()
        let run = try tool.run("compare", landscape, landscape, "--json")
        #expect(run.status == 0)
        let frame = try #require(run.objects().first)
        #expect(frame["largestDifference"] as? Int == 0)
        #expect(frame["psnr"] is NSNull)
        #expect(frame["ssim"] as? Double == 1)
        #expect(frame["ssimulacra2"] as? Double == 100)
        #expect(frame["isWithinThresholds"] as? Bool == true)
        let text = try tool.run("compare", landscape, landscape).lines
        #expect(text == ["largest difference 0, 0 pixels of 38400 differ, PSNR inf, SSIM 1.00000, SSIMULACRA 2 100.00"])
    }

    @Test func theDifferenceIsSummedOverAllSamples() throws {
        let tool = try Tool()
        try write(Array(repeating: [100, 100, 100], count: 64), width: 8, to: tool.path("a.ppm"))
        var other: [[UInt8]] = Array(repeating: [100, 100, 100], count: 64)
        other[9] = [100, 116, 100]
        try write(other, width: 8, to: tool.path("b.ppm"))
        let run = try tool.run("compare", tool.path("a.ppm"), tool.path("b.ppm"), "--json")
        #expect(run.status == 1)
        let frame = try #require(run.objects().first)
        #expect(frame["largestDifference"] as? Int == 16)
        #expect(frame["differentPixelCount"] as? Int == 1)
        // 16 squared over 256 samples is 1; 20 log 255 = 48.13.
        #expect(frame["psnr"] as? Double == 48.13)
        #expect(try tool.run("compare", tool.path("a.ppm"), tool.path("b.ppm"), "--max-difference", "16").status == 0)
        #expect(try tool.run("compare", tool.path("a.ppm"), tool.path("b.ppm"), "--max-difference", "15").status == 1)
        #expect(try tool.run("compare", tool.path("a.ppm"), tool.path("b.ppm"), "--min-psnr", "48.2").status == 1)
        #expect(try tool.run("compare", tool.path("a.ppm"), tool.path("b.ppm"), "--min-psnr", "48").status == 0)
    }

    @Test func theDifferenceIsDrawn() throws {
        let tool = try Tool()
        try write([[0, 0, 0], [10, 20, 30]], width: 2, to: tool.path("a.ppm"))
        try write([[0, 0, 0], [10, 10, 26]], width: 2, to: tool.path("b.ppm"))
        let output = tool.path("difference.png")
        let run = try tool.run("compare", tool.path("a.ppm"), tool.path("b.ppm"), "--difference", output)
        #expect(run.status == 1)
        let picture = try RasterImage(contentsOfFile: output).bitmap
        #expect(picture[0, 0].rgba8 == SIMD4(0, 0, 0, 255))
        #expect(picture[1, 0].rgba8 == SIMD4(0, 255, 102, 255))
    }

    @Test func whereThePictureLooksWorseIsDrawn() throws {
        let tool = try Tool()
        let gray: [[UInt8]] = Array(repeating: [100, 100, 100], count: 256 * 256)
        var other = gray
        other[20 * 256 + 36] = [200, 100, 0]
        try write(gray, width: 256, to: tool.path("a.ppm"))
        try write(other, width: 256, to: tool.path("b.ppm"))
        let (one, two, output) = (tool.path("a.ppm"), tool.path("b.ppm"), tool.path("worse.png"))
        let run = try tool.run("compare", one, two, "--json", "--picture", output, "--min-ssimulacra2", "99")
        #expect(run.status == 1)
        let score = try #require(run.objects().first?["ssimulacra2"] as? Double)
        #expect(score < 99)
        #expect(try tool.run("compare", one, two, "--min-ssimulacra2=-500").status == 0)
        let picture = try RasterImage(contentsOfFile: output).bitmap
        #expect(picture.size == PixelSize(width: 256, height: 256))
        #expect(picture[36, 20].rgba8.x > 50 && picture[200, 200].rgba8.x < 5)
    }

    @Test func picturesOfDifferentSizesOrFrameCountsFail() throws {
        let tool = try Tool()
        try write([[0, 0, 0]], width: 1, to: tool.path("one.ppm"))
        let run = try tool.run("compare", landscape, tool.path("one.ppm"))
        #expect(run.status == 1)
        #expect(run.errors.contains("240x160 and 1x1 pixels cannot be compared"))
        let movie = Fixture.folder("gif").appendingPathComponent("five-frames-120ms.gif").path
        let frames = try tool.run("compare", movie, movie)
        #expect(frames.status == 0 && frames.lines.count == 5)
        #expect(frames.lines.last?.hasPrefix("frame 4: largest difference 0") == true)
        #expect(try tool.run("compare", movie, landscape).errors.contains("5 frames and 1 frame cannot be compared"))
    }

    @Test func missingFilesAreNamed() throws {
        let tool = try Tool()
        let run = try tool.run("compare", landscape, "/nowhere/b.png")
        #expect(run.status == 1)
        #expect(run.errors == "/nowhere/b.png: No such file or directory\n")
    }
}
