import CodecTestSupport
import Foundation
import Testing

@Suite struct InspectCommandTests {
    private func chunks(_ name: String, status: Int32 = 0) throws -> [[String: Any]] {
        let run = try Tool().run("inspect", "--json", Fixture.folder("png").appendingPathComponent(name).path)
        #expect(run.status == status)
        return try #require(try run.objects().first?["chunks"] as? [[String: Any]])
    }

    @Test func chunksFollowEachOtherFromTheSignatureToTheEnd() throws {
        let chunks = try chunks("landscape.png")
        var offset = 8
        for chunk in chunks {
            #expect(chunk["offset"] as? Int == offset)
            #expect(chunk["isSound"] as? Bool == true)
            offset += try #require(chunk["length"] as? Int) + 12
        }
        #expect(offset == 23574)
        #expect(chunks.first?["type"] as? String == "IHDR")
        #expect(chunks.first?["summary"] as? String == "240x160 pixels, RGB, 8 bits")
        // PNG 3rd ed. §11.2.4 "IEND": an empty chunk, so its checksum never varies.
        #expect(chunks.last?["type"] as? String == "IEND")
        #expect(chunks.last?["crc"] as? String == "ae426082")
    }

    @Test func markersOfAJPEGAreListed() throws {
        let path = Fixture.folder("jpeg").appendingPathComponent("landscape-gray-restart.jpg").path
        let run = try Tool().run("inspect", "--json", path)
        let segments = try #require(try run.objects().first?["segments"] as? [[String: Any]])
        let names = segments.compactMap { $0["marker"] as? String }
        #expect(names == ["SOI", "APP0", "DQT", "SOF0", "DHT", "DHT", "DRI", "SOS", "EOI"])
        // 150x100 gray samples are 19x13 MCUs: 247, a restart marker after every ten but the last seven.
        #expect(segments.first { $0["marker"] as? String == "SOS" }?["restartCount"] as? Int == 24)
    }

    @Test func aWrongChecksumIsMarked() throws {
        let wrong = try chunks("wrong-crc.png", status: 1).filter { $0["isSound"] as? Bool == false }
        #expect(wrong.count == 1)
        #expect(wrong.first?["type"] as? String == "IDAT")
    }

    @Test func aCutChunkHasNoChecksum() throws {
        let last = try #require(try chunks("truncated.png", status: 1).last)
        #expect(last["type"] as? String == "IDAT")
        #expect(last["crc"] is NSNull)
    }

    @Test func damageIsToldInWordsToo() throws {
        let wrong = try Tool().run("inspect", Fixture.folder("png").appendingPathComponent("wrong-crc.png").path)
        #expect(wrong.lines.filter { $0.contains("wrong checksum") }.count == 1)
        let cut = try Tool().run("inspect", Fixture.folder("png").appendingPathComponent("truncated.png").path)
        #expect(cut.lines.contains { $0.hasSuffix("missing   cut off") })
    }

    @Test func everyFormatSaysWhetherAPartIsSound() throws {
        let path = Fixture.folder("jpeg").appendingPathComponent("landscape-gray-restart.jpg").path
        let file = try #require(try Tool().run("inspect", "--json", path).objects().first)
        let segments = try #require(file["segments"] as? [[String: Any]])
        #expect(segments.allSatisfy { $0["isSound"] as? Bool == true })
        #expect(file["isCut"] as? Bool == false && file["strayByteCount"] as? Int == 0)
    }

    @Test func limitsCutTheListingAndEndIt() throws {
        let tool = try Tool()
        let path = tool.path("many.png")
        try Data(PNGBuilder.onePixel(chunks: (0..<4000).map { _ in ("abCd", []) })).write(
            to: URL(fileURLWithPath: path))
        let cut = try tool.run("inspect", "--json", "--max-memory", "64K", path)
        #expect(cut.status == 0)
        let listing = try #require(try cut.objects().first)
        #expect(listing["isListedWhole"] as? Bool == false)
        #expect((1..<1000).contains((listing["chunks"] as? [Any])?.count ?? 0))
        let hurried = try tool.run("inspect", "--max-time", "0.000001", path)
        #expect(hurried.status == 1 && hurried.output.isEmpty)
    }
}
