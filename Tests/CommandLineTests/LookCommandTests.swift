import CodecTestSupport
import Foundation
import ImageCodecs
import Testing

/// What files are to look like, by `--look`.
@Suite struct LookCommandTests {
    /// 240x160 pixels, red, green, blue.
    private let path = Fixture.folder("png").appendingPathComponent("landscape.png").path

    /// The score of a file next to the picture that it was made of.
    private func score(_ file: String, _ tool: borrowing Tool) throws -> Double {
        let run = try tool.run("compare", path, file, "--json", "--min-ssimulacra2=-1000")
        return try #require(run.objects().first?["ssimulacra2"] as? Double)
    }

    @Test(arguments: [("x.jpg", []), ("x.webp", ["--lossy"])])
    func aFileLooksAsWasAskedFor(_ name: String, _ options: [String]) throws {
        let tool = try Tool()
        let output = tool.path(name)
        #expect(try tool.run(["convert", path, "-o", output, "--look", "70"] + options).status == 0)
        #expect(try abs(score(output, tool) - 70) <= 1.5)
        #expect(try tool.run(["convert", path, "-o", output, "--force", "--look", "20"] + options).status == 0)
        #expect(try score(output, tool) < 60)
    }

    @Test func aThumbnailIsComparedAsItIsThen() throws {
        let tool = try Tool()
        let whole = tool.path("whole.png")
        let output = tool.path("x.jpg")
        let size = ["thumbnail", path, "--size", "200", "-o"]
        #expect(try tool.run(size + [whole]).status == 0)
        #expect(try tool.run(size + [output, "--look", "80"]).status == 0)
        let run = try tool.run("compare", whole, output, "--json", "--min-ssimulacra2", "78.5")
        #expect(run.status == 0)
    }

    @Test func aWorkerIsAskedWithTheSameWord() throws {
        let tool = try Tool()
        let input = tool.folder.appendingPathComponent("jobs.jsonl")
        let output = tool.path("x.jpg")
        let job = #"{"operation":"convert","path":"\#(path)","output":"\#(output)","look":70}"#
        try Data(job.utf8).write(to: input)
        #expect(try tool.run(["batch"], input: input).status == 0)
        #expect(try abs(score(output, tool) - 70) <= 1.5)
    }

    @Test(arguments: [
        (["--look", "101"], "x.jpg", "--look must be from 0 to 100"),
        (["--look", "80", "--quality", "80"], "x.jpg", "--look and --quality exclude each other"),
        (["--look", "80", "--lossless"], "x.webp", "--look and --lossless exclude each other"),
        (["--look", "80"], "x.ppm", "--look means nothing for it"),
    ])
    func looksThatMakeNoSenseAreWrongUsage(_ options: [String], _ name: String, _ message: String) throws {
        let tool = try Tool()
        let run = try tool.run(["convert", path, "-o", tool.path(name)] + options)
        #expect(run.status == 2 && run.errors.contains(message), "\(run.errors)")
    }

    @Test func whatNoFileLooksLikeIsSaid() throws {
        let tool = try Tool()
        var random = SeededRandom(seed: 8)
        let noise = tool.path("noise.ppm")
        let pixels = random.bytes(3 * 64 * 64)
        try (Data("P6 64 64 255\n".utf8) + Data(pixels)).write(to: URL(fileURLWithPath: noise))
        let run = try tool.run("convert", noise, "-o", tool.path("x.gif"), "--look", "99")
        #expect(run.status == 0)
        #expect(run.errors.contains("where 99.0 was asked for"), "\(run.errors)")
    }
}
