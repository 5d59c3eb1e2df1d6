import CodecTestSupport
import Foundation
import Testing

@Suite struct ChecksumCommandTests {
    private static func line(_ fixture: Fixture, path: String, format: String = "png") throws -> String {
        let crc = try #require(fixture.crc)
        let width = try #require(fixture.width)
        let height = try #require(fixture.height)
        return #"{"path":"\#(path)","format":"\#(format)","width":\#(width),"height":\#(height),"loopCount":null,"#
            + #""frames":[{"index":0,"durationMS":null,"rgbaCRC32":"\#(crc)"}]}"#
    }

    @Test(arguments: Fixture.sound("png"))
    func printsOneObjectWithKeysInTheDocumentedOrder(_ fixture: Fixture) throws {
        let run = try Tool().run("checksum", fixture.url.path)
        #expect(run.status == 0)
        #expect(run.errors.isEmpty)
        #expect(run.lines == [try Self.line(fixture, path: fixture.url.path)])
    }

    @Test(arguments: Fixture.sound("jpeg"))
    func everyFormatPrintsTheSameShape(_ fixture: Fixture) throws {
        let run = try Tool().run("checksum", fixture.url.path)
        #expect(run.lines == [try Self.line(fixture, path: fixture.url.path, format: "jpeg")])
        let fed = try Tool().run("checksum", "--chunk", "1", fixture.url.path)
        #expect(fed.lines == run.lines)
    }

    @Test(arguments: Fixture.sound("png"), [1, 7, 4096])
    func feedingPiecesGivesTheSameLine(_ fixture: Fixture, pieceSize: Int) throws {
        let run = try Tool().run("checksum", "--chunk", "\(pieceSize)", fixture.url.path)
        #expect(run.status == 0)
        #expect(run.lines == [try Self.line(fixture, path: fixture.url.path)])
    }

    @Test func readsStandardInput() throws {
        let fixture = try #require(Fixture.sound("png").first)
        let run = try Tool().run("checksum", "-", input: fixture.url)
        #expect(run.status == 0)
        #expect(run.lines == [try Self.line(fixture, path: "-")])
    }

    @Test(arguments: Fixture.damaged("png") + Fixture.damaged("jpeg"))
    func damageGivesAnErrorObjectAndOneLineOnStandardError(_ fixture: Fixture) throws {
        let run = try Tool().run("checksum", fixture.url.path)
        #expect(run.status == 1)
        let error = try #require(try run.objects().first?["error"] as? [String: Any])
        #expect(error["code"] as? String == fixture.errorCode)
        #expect(error["offset"] as? Int != nil)
        #expect(run.errorLines.count == 1)
        #expect(run.errorLines.first?.hasPrefix(fixture.url.path + ": ") == true)
    }

    @Test func tolerantDecodingMarksWhatIsPartial() throws {
        let file = Fixture.folder("png").appendingPathComponent("truncated.png").path
        let run = try Tool().run("checksum", "--tolerant", file)
        #expect(run.status == 0)
        #expect(try run.objects().first?["partial"] as? Bool == true)
    }

    @Test func rawFilesHoldTheBytesThatWereSummed() throws {
        let fixture = try #require(Fixture.sound("png").first { $0.name == "badge@2x.png" })
        let tool = try Tool()
        let run = try tool.run("checksum", "--raw", tool.path("raw"), fixture.url.path)
        #expect(run.status == 0)
        let bytes = try tool.contents("raw/badge@2x.png.0.rgba")
        #expect(bytes.count == 64 * 64 * 4)
        #expect(PixelDigest.crc32(Array(bytes)) == fixture.crc)
    }

    @Test func rawFilesOfInputsWithOneNameDoNotReplaceEachOther() throws {
        let tool = try Tool()
        var inputs: [String] = []
        for (folder, name) in [("a", "landscape.png"), ("b", "badge@2x.png"), ("c", "landscape.png")] {
            let url = tool.folder.appendingPathComponent("\(folder)/x.png")
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try FileManager.default.copyItem(at: Fixture.folder("png").appendingPathComponent(name), to: url)
            inputs.append(url.path)
        }
        #expect(try tool.run(["checksum", "--raw", tool.path("raw")] + inputs).status == 0)
        let names = ["x.png-2.0.rgba", "x.png.0.rgba", "x.png.png.0.rgba"]
        #expect(try FileManager.default.contentsOfDirectory(atPath: tool.path("raw")).sorted() == names)
        #expect(try tool.contents("raw/x.png.0.rgba").count == 240 * 160 * 4)
        #expect(try tool.contents("raw/x.png.png.0.rgba").count == 64 * 64 * 4)
    }

    @Test func thumbnailsStateTheirOwnSize() throws {
        let file = Fixture.folder("png").appendingPathComponent("landscape.png").path
        let object = try #require(try Tool().run("checksum", "--thumbnail", "100x100", file).objects().first)
        #expect(object["width"] as? Int == 100)
        #expect(object["height"] as? Int == 67)
    }
}
