import CodecTestSupport
import Foundation
import ImageCodecs
import Testing

/// `imagetool inspect --html`, `--coding` and `--picture --map`.
@Suite struct InspectionPageTests {
    private func path(_ name: String) -> String { Fixture.folder(name).path }

    private func page(_ path: String, status: Int32 = 0) throws -> String {
        let run = try Tool().run("inspect", path, "--html", "-")
        #expect(run.status == status, "\(run.errors)")
        return run.text
    }

    @Test(arguments: [
        "png/landscape.png", "apng/adam7.png", "gif/five-frames-120ms.gif", "jpeg/landscape-progressive.jpg",
        "webp/lossy.webp", "webp/tiny-animation.webp",
    ])
    func aPageHoldsEverythingItself(_ name: String) throws {
        let page = try page(path(name))
        #expect(page.hasPrefix("<!doctype html>") && page.contains("</html>"))
        #expect(page.utf8.count < 5_000_000)
        for address in ["http:", "https:", "src=\"/", "url(", "@import", "<link"] {
            #expect(!page.contains(address), "\(address)")
        }
        // The picture and a figure for each layer, all with a text.
        let pictures = page.components(separatedBy: "<img ").dropFirst()
        #expect(pictures.count >= 3)
        #expect(pictures.allSatisfy { $0.contains("alt=\"") && $0.contains("src=\"data:image/png;base64,") })
        for heading in ["Findings", "Picture", "Where the bits go", "Layers", "The file"] {
            #expect(page.contains(">\(heading)</h2>"))
        }
    }

    @Test func textsOfAFileAreNoMarkup() throws {
        let tool = try Tool()
        let file = tool.path("<img src=x onerror=alert(1)>.png")
        let text = "Comment\u{0}</td></table><script>alert('&')</script>\"'"
        let bytes = PNGBuilder.onePixel(chunks: [("tEXt", Array(text.utf8)), ("<b>x", [])])
        try Data(bytes).write(to: URL(fileURLWithPath: file))
        let run = try tool.run("inspect", file, "--html", tool.path("page.html"))
        // A chunk of that name is none.
        #expect(run.status == 1)
        guard let page = try? String(decoding: tool.contents("page.html"), as: UTF8.self) else { return }
        #expect(!page.contains("<script>alert") && !page.contains("<img src=x") && !page.contains("<b>x"))
        #expect(
            page.contains("&lt;/td&gt;&lt;/table&gt;&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;&quot;&#39;"))
        #expect(page.contains("<h1>&lt;img src=x onerror=alert(1)&gt;.png</h1>"))
    }

    @Test func damageIsOnThePageAndInTheStatus() throws {
        let page = try page(path("png/truncated.png"), status: 1)
        #expect(page.contains("Problem:") && page.contains("cut off"))
    }

    @Test func codingIsAddedToTheObject() throws {
        let file = path("png/landscape.png")
        let plain = try #require(try Tool().run("inspect", "--json", file).objects().first)
        let object = try #require(try Tool().run("inspect", "--json", "--coding", file).objects().first)
        #expect(plain["coding"] == nil && Set(object.keys) == Set(plain.keys).union(["coding"]))
        let coding = try #require(object["coding"] as? [String: Any])
        #expect(
            Set(coding.keys) == [
                "width", "height", "bits", "regions", "sections", "block", "layers", "frames", "remarks",
            ])
        #expect(coding["block"] is NSNull)
        let bits = try #require(coding["bits"] as? [[String: Any]])
        // The fixture has 23574 bytes.
        #expect(bits.reduce(0) { $0 + ($1["bitCount"] as? Int ?? 0) } == 8 * 23574)
        let layers = try #require(coding["layers"] as? [[String: Any]])
        #expect(layers.compactMap { $0["key"] as? String } == ["bits", "source", "filter", "distance", "block"])
        #expect((layers[2]["values"] as? [Int])?.count == 160)
    }

    /// Those of Documentation/inspecting.md: names stay.
    @Test(arguments: [
        "png/landscape.png", "gif/restore-chain.gif", "jpeg/landscape-420.jpg", "webp/lossless/groups.webp",
        "webp/lossy/four-segments.webp", "jpeg/truncated.jpg",
    ])
    func theNamesOfTheDataAreThoseOfTheGuide(_ name: String) throws {
        let object = try #require(try Tool().run("inspect", "--json", "--coding", path(name)).objects().first)
        let coding = try #require(object["coding"] as? [String: Any])
        func check(_ list: String, _ names: Set<String>, optional: Set<String> = []) throws {
            for entry in try #require(coding[list] as? [[String: Any]]) {
                #expect(Set(entry.keys).subtracting(optional) == names, "\(list)")
            }
        }
        try check("bits", ["kind", "name", "bitCount"])
        try check("regions", ["offset", "byteCount", "name", "kind"])
        try check("sections", ["title", "figures", "tables"])
        try check("remarks", ["isProblem", "text", "advice"])
        try check(
            "frames",
            ["index", "x", "y", "width", "height", "durationMS", "disposal", "blending", "composedFrom"])
        try check(
            "layers",
            [
                "key", "name", "unit", "kind", "width", "height", "cellWidth", "cellHeight", "columns", "rows",
                "values",
            ], optional: ["partsPerUnit", "classes"])
        for section in coding["sections"] as? [[String: Any]] ?? [] {
            for figure in section["figures"] as? [[String: Any]] ?? [] {
                #expect(Set(figure.keys) == ["name", "value"])
            }
            for table in section["tables"] as? [[String: Any]] ?? [] {
                #expect(Set(table.keys) == ["title", "columns", "rows", "omittedRowCount"])
            }
        }
    }

    @Test func codingIsToldInWordsToo() throws {
        let run = try Tool().run("inspect", "--coding", path("jpeg/landscape-420.jpg"))
        #expect(run.status == 0)
        #expect(run.lines.contains { $0.contains("AC coefficients") })
        #expect(run.lines.contains { $0.hasPrefix("  layers: bits, ") })
    }

    @Test func aLayerIsDrawnInTheSizeOfThePicture() throws {
        let tool = try Tool()
        let run = try tool.run(
            "inspect", path("png/landscape.png"), "--picture", tool.path("bits.png"), "--map", "filter")
        #expect(run.status == 0 && run.errors == "")
        // 240x160 pixels six times: 1600 has no more.
        let bitmap = try RasterImage(contentsOfFile: tool.path("bits.png")).bitmap
        #expect(bitmap.size == PixelSize(width: 1440, height: 960))
        // A row has one filter.
        for y in stride(from: 3, to: 960, by: 6) { #expect(bitmap[0, y] == bitmap[1439, y]) }
    }

    @Test func aBlockOfAJPEGFileIsTakenApart() throws {
        let tool = try Tool()
        let file = path("jpeg/landscape-420.jpg")
        let object = try #require(
            try tool.run("inspect", "--json", "--coding", file, "--block", "30,9").objects().first)
        let coding = try #require(object["coding"] as? [String: Any])
        let block = try #require(coding["block"] as? [String: Any])
        #expect(block["x"] as? Int == 24 && block["y"] as? Int == 8)
        for key in ["coefficients", "steps", "samples"] { #expect((block[key] as? [Int])?.count == 64) }
        let symbols = try #require(block["symbols"] as? [[String: Any]])
        let sum = symbols.reduce(0) { sum, symbol in
            sum + (symbol["codeBitCount"] as? Int ?? 0) + (symbol["valueBitCount"] as? Int ?? 0)
        }
        #expect(sum > 0 && block["bitCount"] as? Int == sum)
        #expect(try tool.run("inspect", file, "--html", tool.path("a.html"), "--block", "30,9").status == 0)
        let page = String(decoding: try tool.contents("a.html"), as: UTF8.self)
        #expect(page.contains("The block at column 24, row 8") && page.contains("What the block is coded as"))
    }

    @Test func thePatternsOfABlockAreAPicture() throws {
        let tool = try Tool()
        let run = try tool.run(
            "inspect", path("jpeg/landscape-420.jpg"), "--picture", tool.path("a.png"), "--map", "patterns")
        #expect(run.status == 0 && run.errors == "")
        #expect(try RasterImage(contentsOfFile: tool.path("a.png")).bitmap.size.height == 274)
        let other = try tool.run(
            "inspect", path("png/landscape.png"), "--picture", tool.path("b.png"), "--map", "patterns")
        #expect(other.status == 1 && other.errors.contains("there is no layer patterns"))
    }

    @Test func anUnknownLayerIsAnErrorThatNamesTheOthers() throws {
        let tool = try Tool()
        let run = try tool.run(
            "inspect", path("gif/interlaced.gif"), "--picture", tool.path("a.png"), "--map", "filter")
        #expect(run.status == 1 && run.errors.contains("bits, run and code-size"))
    }

    @Test(arguments: [
        ["--html", "a.html", "--picture", "a.png"], ["--html", "-", "--json"], ["--map", "bits"],
        ["--picture", "a.png", "--map", "bits", "--layer", "modes"], ["--html", "a.html", "--coding"],
        ["--compare", "b.png"], ["--block", "1,1"], ["--html", "a.html", "--block", "1"],
        ["--html", "a.html", "--block", "-1,1"], ["--picture", "a.png", "--map", "bits", "--block", "1,1"],
    ])
    func optionsThatDoNotGoTogetherAreWrongUsage(_ options: [String]) throws {
        let tool = try Tool()
        let arguments = options.map { $0.hasPrefix("a.") ? tool.path($0) : $0 }
        #expect(try tool.run(["inspect", path("png/landscape.png")] + arguments).status == 2)
    }

    @Test func twoFilesAreComparedOnOnePage() throws {
        let tool = try Tool()
        let run = try tool.run(
            "inspect", path("jpeg/landscape-420.jpg"), "--compare", path("png/landscape.png"), "--html",
            tool.path("a.html"))
        #expect(run.status == 0 && run.errors == "")
        let page = String(decoding: try tool.contents("a.html"), as: UTF8.self)
        #expect(page.contains("<h1>landscape-420.jpg and landscape.png</h1>"))
        // Two pictures and two layers of bits; the bits of both files are in one table.
        #expect(page.components(separatedBy: "<img ").count == 5)
        #expect(page.contains("<td>\(8 * 23574)</td>"))
    }

    @Test func limitsHold() throws {
        let tool = try Tool()
        for limit in [["--max-time", "0.000001"], ["--max-memory", "64K"], ["--max-pixels", "10"]] {
            let run = try tool.run(["inspect", path("png/landscape.png"), "--html", tool.path("a.html")] + limit)
            #expect(run.status == 1 && run.errors != "")
        }
        #expect(!FileManager.default.fileExists(atPath: tool.path("a.html")))
    }
}
