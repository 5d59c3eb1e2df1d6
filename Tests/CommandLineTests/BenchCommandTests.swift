import CodecTestSupport
import Foundation
import Testing

@Suite struct BenchCommandTests {
    private let landscape = Fixture.folder("png").appendingPathComponent("landscape.png").path

    @Test func printsTheDocumentedKeysInOrder() throws {
        let run = try Tool().run("bench", "--seconds", "0.05", landscape)
        #expect(run.status == 0)
        let line = try #require(run.lines.first)
        let keys = [
            "path", "format", "width", "height", "frames", "runs", "medianMS", "minMS", "megapixelsPerSecond",
            "peakByteCount",
        ]
        let places = keys.compactMap { line.range(of: "\"\($0)\":")?.lowerBound }
        #expect(places.count == keys.count)
        #expect(places == places.sorted())
        let object = try #require(try run.objects().first)
        #expect(object.count == keys.count)
        #expect(try #require(object["minMS"] as? Double) <= (try #require(object["medianMS"] as? Double)))
        #expect(try #require(object["runs"] as? Int) >= 5)
    }

    @Test func printsTheLineFormatOfTheComparisonPrograms() throws {
        let run = try Tool().run("bench", "--tsv", "--name", "ours", "-t", "0.05", landscape, landscape)
        #expect(run.status == 0)
        #expect(run.lines.count == 2)
        for line in run.lines {
            let fields = line.split(separator: "\t").map(String.init)
            #expect(fields.count == 6)
            #expect(fields.prefix(2) == ["ours", "landscape.png"])
            #expect(fields[2...4].allSatisfy { Double($0) != nil })
            #expect(Int(fields[5]) ?? 0 > 0)
        }
    }

    @Test func aFailureIsStatusOne() throws {
        let run = try Tool().run("bench", "--tsv", "-t", "0", "/nonexistent/x.png")
        #expect(run.status == 1)
        #expect(run.output.isEmpty)
        #expect(run.errorLines == ["/nonexistent/x.png: No such file or directory"])
    }
}
