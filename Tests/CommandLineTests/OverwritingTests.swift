import CodecTestSupport
import Foundation
import Testing

/// Results never take the place of originals, and older results stay when the new ones cannot be written.
@Suite struct OverwritingTests {
    private let original = Fixture.folder("png").appendingPathComponent("landscape.png")

    /// Puts a copy of the original into the tool's folder and answers its path.
    private func copy(_ tool: borrowing Tool, as name: String = "a.png") throws -> String {
        let url = tool.folder.appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.copyItem(at: original, to: url)
        return url.path
    }

    private func isUntouched(_ path: String) throws -> Bool {
        try Data(contentsOf: URL(fileURLWithPath: path)) == Data(contentsOf: original)
    }

    private func expectRefusal(_ run: ToolRun, of path: String) throws {
        #expect(run.status == 2)
        #expect(run.errorLines.first?.hasPrefix("Error: would overwrite ") == true)
        #expect(run.errorLines.first?.contains("--force") == true)
        #expect(try isUntouched(path))
    }

    @Test func aFolderOfInputsIsNoPlaceForTheirResults() throws {
        let tool = try Tool()
        let first = try copy(tool, as: "d/a.png")
        let second = try copy(tool, as: "d/b.png")
        for command in [["thumbnail", "--size", "20x20"], ["convert"]] {
            let run = try tool.run(command + [first, second, "-o", tool.path("d")])
            try expectRefusal(run, of: first)
            #expect(try isUntouched(second))
        }
        // Names that differ from all inputs are fine.
        let run = try tool.run("thumbnail", "--size", "20x20", first, second, "-o", tool.path("d"), "--format", "ppm")
        #expect(run.status == 0)
    }

    @Test func theSameFileUnderAnotherNameIsTheSameFile() throws {
        let tool = try Tool()
        let path = try copy(tool, as: "d/a.png")
        try FileManager.default.createSymbolicLink(
            atPath: tool.path("soft.png"), withDestinationPath: "d/a.png")
        try FileManager.default.linkItem(atPath: path, toPath: tool.path("hard.png"))
        for output in [tool.path("d/../d/./a.png"), tool.path("soft.png"), tool.path("hard.png")] {
            try expectRefusal(tool.run("convert", path, "-o", output), of: path)
            try expectRefusal(tool.run("convert", output, "-o", path), of: path)
        }
        let run = try tool.run("convert", "-", "-o", path, input: URL(fileURLWithPath: path))
        try expectRefusal(run, of: path)
    }

    @Test func namesDerivedFromInputsAreCheckedToo() throws {
        let tool = try Tool()
        let path = try copy(tool)
        for name in ["a.0.png", "a.0001.png", "a.png.0.rgba"] {
            try FileManager.default.linkItem(atPath: path, toPath: tool.path("out-\(name)/\(name)").creatingFolder())
        }
        try expectRefusal(tool.run("frames", path, "-o", tool.path("out-a.0.png")), of: path)
        try expectRefusal(tool.run("stream", path, "-o", tool.path("out-a.0001.png")), of: path)
        try expectRefusal(tool.run("checksum", path, "--raw", tool.path("out-a.png.0.rgba")), of: path)
    }

    @Test func aNameThatIsKnownOnlyLaterIsRefusedWhenItComes() throws {
        let tool = try Tool()
        let path = try copy(tool)
        try FileManager.default.linkItem(atPath: path, toPath: tool.path("s/a.0002.png").creatingFolder())
        let run = try tool.run("stream", path, "--chunk", "2000", "-o", tool.path("s"))
        #expect(run.status == 1)
        #expect(run.errorLines.first?.contains("would overwrite") == true)
        #expect(run.lines.count == 1)
        #expect(try isUntouched(path))
    }

    @Test func forceReplacesInputs() throws {
        let tool = try Tool()
        let path = try copy(tool)
        #expect(try tool.run("thumbnail", path, "--size", "24x24", "-o", path, "--force").status == 0)
        #expect(try tool.run("info", path).text.contains("24x16 pixels"))
    }

    @Test(arguments: [["--jobs", "1"], ["--jobs", "4"]])
    func forceReplacesNoOtherInput(_ jobs: [String]) throws {
        let tool = try Tool()
        let jpeg = tool.path("d/x.jpg")
        let picture = try copy(tool, as: "d/x.png")
        let other = Fixture.folder("jpeg").appendingPathComponent("landscape-420.jpg")
        try FileManager.default.copyItem(at: other, to: URL(fileURLWithPath: jpeg))
        for output in [["", "--format", "png"], ["{stem}.png"]] {
            let run = try tool.run(
                ["convert", "--force", jpeg, picture, "-o", tool.path("d/") + output[0]] + output.dropFirst() + jobs)
            #expect(run.status == 0 && run.errors.isEmpty)
            #expect(try tool.run("info", "--format", "{width}", picture).text == "240\n")
            #expect(try tool.run("info", "--format", "{width}", tool.path("d/x.jpg.png")).text == "150\n")
        }
        // Names that tell sizes are known late, and one file for all is not given another name.
        let sized = try copy(tool, as: "d/x-150.png")
        let late = try tool.run(["convert", "--force", jpeg, sized, "-o", tool.path("d/x-{width}.png")] + jobs)
        #expect(late.status == 0 && late.errors.isEmpty)
        #expect(try isUntouched(sized))
        #expect(try tool.run("info", "--format", "{width}", tool.path("d/x-150.jpg.png")).text == "150\n")
        let frame = try copy(tool, as: "d/x.0.png")
        let frames = try tool.run(["frames", "--force", picture, frame, "-o", tool.path("d")] + jobs)
        #expect(frames.status == 2 && frames.errors.contains("which is another input"))
        #expect(try isUntouched(frame))
    }

    @Test func whatCannotBeWrittenWholeIsNotWrittenAtAll() throws {
        let tool = try Tool()
        let path = try copy(tool, as: "d/a.png")
        let old = Data([1, 2, 3])
        try old.write(to: tool.folder.appendingPathComponent("d/b.ppm"))
        // 115 200 bytes of pixels, if files may have 16 KiB at most.
        let run = try tool.runWithSmallFiles(["convert", path, "-o", tool.path("d/b.ppm")])
        #expect(run.status == 1)
        #expect(run.errorLines.count == 1)
        #expect(run.errorLines.first?.hasPrefix(path + ": ") == true)
        #expect(try tool.contents("d/b.ppm") == old)
        #expect(try FileManager.default.contentsOfDirectory(atPath: tool.path("d")).sorted() == ["a.png", "b.ppm"])
    }
}

extension String {
    /// The path, its folder created.
    fileprivate func creatingFolder() throws -> String {
        try FileManager.default.createDirectory(
            at: URL(fileURLWithPath: self).deletingLastPathComponent(), withIntermediateDirectories: true)
        return self
    }
}
