import CodecTestSupport
import Foundation
import Testing

/// What inspect finds wrong with the structure of files.
@Suite struct StructureTests {
    private func inspect(_ bytes: [UInt8], _ name: String = "a.png", _ arguments: String...) throws -> ToolRun {
        let tool = try Tool()
        let path = tool.path(name)
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let run = try tool.run(["inspect"] + arguments + [path])
        #expect(run.errorLines.allSatisfy { $0.hasPrefix(path + ": ") })
        return ToolRun(
            status: run.status, output: run.output, errors: run.errors.replacingOccurrences(of: path + ": ", with: ""))
    }

    @Test(arguments: Fixture.sound("png") + Fixture.sound("jpeg"))
    func soundFilesAreFine(_ fixture: Fixture) throws {
        let run = try Tool().run("inspect", fixture.url.path)
        #expect(run.status == 0 && run.errors.isEmpty)
    }

    /// Chunks of one gray pixel in a given order, each with its right checksum.
    private func png(_ names: [String]) -> [UInt8] {
        let bodies: [String: [UInt8]] = [
            "IHDR": [0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0], "gAMA": [0, 0, 0, 1], "PLTE": [1, 2, 3],
            "IDAT": [1], "fcTL": [0, 0, 0, 7], "tIME": [7, 208, 1, 1, 0, 0, 0],
        ]
        var builder = PNGBuilder()
        for name in names { builder.add(name, bodies[name] ?? []) }
        return builder.bytes
    }

    @Test(arguments: [
        (["gAMA", "IHDR", "IDAT", "IEND"], "byte 8: gAMA instead of IHDR comes first"),
        (["IHDR", "IHDR", "IDAT", "IEND"], "byte 33: a second IHDR"),
        (["IHDR", "IDAT", "gAMA", "IEND"], "byte 46: gAMA after IDAT"),
        (["IHDR", "IDAT", "tIME", "IDAT", "IEND"], "byte 65: IDAT chunks do not follow one another"),
        (["IHDR", "tIME", "tIME", "IDAT", "IEND"], "byte 52: a second tIME"),
        (["IHDR", "PLTE", "IDAT", "IEND"], "byte 33: PLTE in a gray picture"),
        (["IHDR", "eXIf", "eXIf", "IDAT", "IEND"], "byte 45: a second eXIf"),
        (["IHDR", "IDAT"], "IEND is missing"),
        (["IHDR", "IEND"], "there is no IDAT"),
        (["IHDR", "IDAT", "fcTL", "IEND"], "byte 46: fcTL has sequence number 7 instead of 0"),
    ])
    func chunksOutOfOrderAreFound(_ names: [String], _ finding: String) throws {
        let run = try inspect(png(names))
        #expect(run.status == 1)
        #expect(run.errorLines == [finding])
    }

    @Test func bytesBehindTheEndAreNoDamage() throws {
        let run = try inspect(png(["IHDR", "tIME", "IDAT", "IEND"]) + [1, 2, 3])
        #expect(run.status == 0 && run.text.contains("3 bytes after the last chunk"))
    }

    @Test func damageIsToldInJSONToo() throws {
        var file = png(["IHDR", "IDAT", "IEND"])
        file[41] ^= 1
        let run = try inspect(file, "a.png", "--json")
        #expect(run.status == 1 && run.errorLines == ["byte 33: IDAT: wrong checksum"])
        #expect(try run.objects().first?["findings"] as? [String] == ["byte 33: IDAT: wrong checksum"])
    }

    @Test func findingsAreBounded() throws {
        let run = try inspect(png(["IHDR"] + Array(repeating: "gAMA", count: 100) + ["IDAT", "IEND"]))
        #expect(run.errorLines.count == 21)
        #expect(run.errorLines.last == "79 more findings")
    }

    /// Segments by letter, of 8x8 gray pixels.
    private static let segments: [Character: [UInt8]] = [
        "F": [0xFF, 0xC0, 0, 11, 8, 0, 8, 0, 8, 1, 1, 0x11, 0],
        "T": [0xFF, 0xDB, 0, 67, 0] + [UInt8](repeating: 1, count: 64),
        "S": [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0, 1, 2, 3],
        "s": [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0],  // without coded data
        "R": [0xFF, 0xD3],
        "L": [0xFF, 0xC3, 0, 11, 8, 0, 8, 0, 8, 1, 1, 0x11, 0],  // lossless
        "D": [0xFF, 0xC5, 0, 11, 8, 0, 8, 0, 8, 1, 1, 0x11, 0],  // differential
        "H": [0xFF, 0xDE, 0, 11, 8, 0, 8, 0, 8, 1, 1, 0x11, 0],  // hierarchical
        "c": [0xFF, 0xFE, 0, 1],  // a comment whose length is wrong
        "x": [9, 9],
        "a": [0xFF, 0xE1, 0xFF, 0xFF, 1],  // a segment that is cut off
        "E": [0xFF, 0xD9],
    ]

    @Test(arguments: [
        ("TFSE", [String]()),
        ("TFS", ["EOI is missing"]),
        ("TSE", ["byte 71: SOS without a frame header in front", "there is no frame header"]),
        ("FSE", ["byte 15: SOS without a DQT in front"]),
        ("TFFSE", ["byte 84: SOF0: a second frame header"]),
        ("TFsE", ["byte 84: SOS without coded data"]),
        ("TFE", ["there is no scan"]),
        ("TFRSE", ["byte 84: RST3 outside coded data"]),
        ("TcFSE", ["byte 71: COM: its length is below 2"]),
        ("TxFSE", []),  // told as a remark
        ("LSE", []),
        ("HTFSFSE", []),
        ("TFSDSE", []),
        ("TFSa", ["byte 97: APP1: cut off", "EOI is missing"]),
    ])
    func segmentsOutOfOrderAreFound(_ letters: String, _ findings: [String]) throws {
        let file: [UInt8] = [0xFF, 0xD8] + letters.flatMap { Self.segments[$0] ?? [] }
        let run = try inspect(file, "a.jpg")
        #expect(run.errorLines == findings)
        #expect(run.status == (findings.isEmpty ? 0 : 1))
    }

    @Test func textsAreShown() throws {
        let path = Fixture.folder("png").appendingPathComponent("landscape.png").path
        let text = try Tool().run("inspect", path).text
        #expect(text.contains("Title: Sunset"))
        #expect(text.contains("Description: Computed by Scripts/make-fixtures"))
        #expect(text.contains("Comment: Grüße aus dem Hafen"))
        let object = try #require(try Tool().run("inspect", "--json", path).objects().first)
        let texts = try #require(object["chunks"] as? [[String: Any]]).compactMap { $0["text"] as? String }
        #expect(texts.contains("Sunset"))
        let comment = Fixture.folder("jpeg").appendingPathComponent("landscape-420.jpg").path
        #expect(try Tool().run("inspect", comment).text.contains("  Sunset\n"))
    }

    @Test func longTextsAreCut() throws {
        let body = Array(("key\0" + String(repeating: "a", count: 5000)).utf8)
        let run = try inspect(PNGBuilder.onePixel(chunks: [("tEXt", body)]))
        #expect(run.status == 0)
        #expect(run.text.contains("key: " + String(repeating: "a", count: 200) + "…\n"))
    }

    /// The compressed text, in blocks that are stored.
    private func compressedText(_ keyword: String, _ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        let sums = bytes.reduce(into: (1, 0)) { sums, byte in
            sums.0 = (sums.0 + Int(byte)) % 65_521
            sums.1 = (sums.1 + sums.0) % 65_521
        }
        let count = UInt8(bytes.count)
        return Array(keyword.utf8) + [0, 0, 0x78, 1, 1, count, 0, ~count, 0xFF] + bytes
            + [sums.1 >> 8, sums.1 & 255, sums.0 >> 8, sums.0 & 255].map { UInt8($0) }
    }

    @Test func compressedTextsOfOneKeywordAreToldApart() throws {
        let run = try inspect(
            PNGBuilder.onePixel(chunks: [
                ("tEXt", Array("Comment\0AAA".utf8)), ("zTXt", compressedText("Comment", "BBB")),
                ("zTXt", compressedText("Comment", "CCC")), ("zTXt", Array("Comment\0\0nonsense".utf8)),
            ]))
        #expect(run.status == 0)
        let texts = run.lines.filter { $0.contains("Xt ") }.map { $0.split(separator: "  ").last ?? "" }
        #expect(texts == [" Comment: AAA", " Comment: BBB", " Comment: CCC", " Comment"].map { $0.dropFirst() })
    }

    @Test func strayBytesAreARemark() throws {
        let file: [UInt8] = [0xFF, 0xD8] + "TxFSE".flatMap { Self.segments[$0] ?? [] }
        #expect(try inspect(file, "a.jpg").text.contains("2 bytes between segments belong to none"))
    }

    @Test func partsBehindTheFirstTenThousandAreNotListed() throws {
        let file: [UInt8] = [0xFF, 0xD8] + (0..<100_000).flatMap { _ in [0xFF, 0x01] as [UInt8] }
        let run = try inspect(file, "a.jpg", "--json")
        let listing = try #require(try run.objects().first)
        #expect((listing["segments"] as? [Any])?.count == 10_000)
        #expect(listing["isListedWhole"] as? Bool == false)
    }

    @Test func theRatioIsTold() throws {
        // 240 x 160 pixels of three bytes.
        let path = Fixture.folder("png").appendingPathComponent("landscape.png").path
        let object = try #require(try Tool().run("inspect", "--json", path).objects().first)
        let compression = try #require(object["compression"] as? [String: Any])
        #expect(compression["rawByteCount"] as? Int == 240 * 160 * 3)
        let chunks = try #require(object["chunks"] as? [[String: Any]]).filter { $0["type"] as? String == "IDAT" }
        #expect(compression["codedByteCount"] as? Int == chunks.compactMap { $0["length"] as? Int }.reduce(0, +))
        #expect(try Tool().run("inspect", path).text.contains("115200 bytes of samples in "))
    }
}
