import CodecTestSupport
import Foundation
import ImageCodecs
import Testing

@Suite struct ChangeOptionTests {
    private let landscape = Fixture.folder("png").appendingPathComponent("landscape.png").path
    private let movie = Fixture.folder("gif").appendingPathComponent("five-frames-120ms.gif").path

    @Test func picturesAreCutThenTurnedThenMirroredThenShrunk() throws {
        let tool = try Tool()
        let output = tool.path("changed.png")
        let arguments = [
            "convert", landscape, "-o", output, "--crop", "80x40+10+20", "--rotate", "90", "--flip", "horizontal",
        ]
        let run = try tool.run(arguments)
        #expect(run.status == 0, "\(run.errors)")
        let whole = try RasterImage(contentsOfFile: landscape)
        let expected = try whole.cropped(to: PixelRect(x: 10, y: 20, width: 80, height: 40)).rotated(.clockwise)
            .flipped(.horizontal)
        #expect(try RasterImage(contentsOfFile: output).bitmap == expected.bitmap)
        _ = try tool.run(arguments + ["--max-size", "20"])
        #expect(try ImageInfo(contentsOfFile: output).size == PixelSize(width: 10, height: 20))
    }

    @Test func aPartOutsideOfThePictureIsRefused() throws {
        let tool = try Tool()
        let run = try tool.run("convert", landscape, "-o", tool.path("a.png"), "--crop", "80x40+200+20")
        #expect(run.status == 1)
        #expect(run.errors.contains("is not within a picture of 240x160 pixels"))
        #expect(try tool.run("convert", landscape, "-o", tool.path("a.png"), "--crop", "80x40").status == 2)
    }

    @Test func oneFrameIsWritten() throws {
        let tool = try Tool()
        let output = tool.path("third.png")
        let run = try tool.run("convert", movie, "-o", output, "--frame", "2", "--rotate", "180")
        #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
        let frame = try AnimatedImage(contentsOfFile: movie)[2].decode()
        let written = try RasterImage(contentsOfFile: output)
        #expect(written.animation == nil)
        #expect(try written.bitmap.converted(to: .rgba) == frame.bitmap.oriented(.down).converted(to: .rgba))
        #expect(
            try tool.run("convert", movie, "-o", output, "--frame", "5").errors.contains("frame 5 of an animation of 5")
        )
        #expect(try tool.run("convert", movie, "-o", output, "--frame", "1", "--first-frame").status == 2)
    }

    @Test func severalPicturesDoNotGoIntoOne() throws {
        let tool = try Tool()
        let run = try tool.run("convert", landscape, movie, "-o", tool.path("both.png"))
        #expect(run.status == 2)
        #expect(run.errors.contains("would be one picture, and there are 2 inputs ("))
        #expect(run.errors.contains("Usage: imagetool convert"))
        #expect(!FileManager.default.fileExists(atPath: tool.path("both.png")))
        #expect(try tool.run("convert", landscape, movie, "-o", tool.path("both")).status == 0)
    }

    @Test func numbersOfFramesHaveAsManyDigitsAsTheLast() throws {
        let tool = try Tool()
        var frames: [String] = []
        for number in 0..<11 {
            let path = tool.path("p\(number).pgm")
            try Data("P5 2 1 255\n".utf8 + [UInt8(number), 255]).write(to: URL(fileURLWithPath: path))
            frames.append(path)
        }
        #expect(try tool.run(["animate"] + frames + ["-o", tool.path("eleven.gif")]).status == 0)
        let run = try tool.run("frames", tool.path("eleven.gif"), "-o", tool.path("out"))
        #expect(run.lines.first?.hasPrefix(tool.path("out/eleven.00.png")) == true)
        #expect(run.lines.last?.hasPrefix(tool.path("out/eleven.10.png")) == true)
        let again = try tool.run("frames", tool.path("eleven.gif"), "-o", tool.path("out"), "--no-clobber")
        #expect(again.lines.isEmpty)
    }

    @Test func profilesThatCannotBeReadAreReported() throws {
        let tool = try Tool()
        var image = try RasterImage(bitmap: Bitmap(size: PixelSize(width: 1, height: 1), format: .rgb))
        var profile = [UInt8](repeating: 0, count: 132)
        profile.replaceSubrange(16..<20, with: Array("RGB ".utf8))
        image.metadata.iccProfile = profile
        try image.write(toFile: tool.path("a.png"))
        try image.write(toFile: tool.path("same.png"))
        profile[131] = 1
        image.metadata.iccProfile = profile
        try image.write(toFile: tool.path("b.png"))
        let commands = [
            ["convert", "-o", tool.path("a.ppm")], ["thumbnail", "--size", "9", "-o", tool.path("b.ppm")],
            ["frames", "--format", "ppm", "-o", tool.path("out")],
            ["stream", "--format", "ppm", "-o", tool.path("out")],
            ["frames", "--sheet", tool.path("frames.png")], ["sheet", "-o", tool.path("sheet.png")],
        ]
        for command in commands {
            let run = try tool.run(command + [tool.path("a.png")])
            #expect(run.status == 0)
            #expect(run.errorLines.count == 1, "\(command)")
            #expect(
                run.errors.hasPrefix(
                    "\(tool.path("a.png")): warning: the colour profile is ignored: this is no ICC profile"),
                "\(command)")
        }
        let animation = [
            "animate", tool.path("a.png"), tool.path("same.png"), tool.path("b.png"), "-o", tool.path("a.webp"),
        ]
        let other = try tool.run(animation)
        #expect(other.status == 0)
        let about = other.errorLines.filter { $0.contains("the colour profile is left out") }
        #expect(about.count == 1 && about[0].hasPrefix("\(tool.path("b.png")): warning: "))
        #expect(try !tool.run(animation + ["--strip-metadata"]).errors.contains("colour profile"))
        let kept = try tool.run("convert", tool.path("a.png"), "-o", tool.path("a.jpg"))
        #expect(kept.errors.isEmpty)
    }
}
