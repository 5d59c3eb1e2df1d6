import CodecTestSupport
import Foundation
import ImageCodecs
import Testing

// snippet: movie
func convertMovie(_ path: String, to output: String) throws {
    var options = DecodingOptions()
    options.pixelFormat = .rgba
    try AnimatedImage(contentsOfFile: path, options: options).write(toFile: output)
}
// end of snippet

// snippet: frames
func writeClock(to body: EncodedBytesSink) throws(ImageError) {
    let size = PixelSize(width: 64, height: 64)
    var session = try CoderRegistry.shared.makeAnimationEncodingSession(
        to: .apng, size: size, pixelFormat: .rgb, frameCount: 12)
    for hour in 0..<12 {
        var face = try Bitmap(size: size, format: .rgb)
        try face.withMutableRow(5 * hour) { row in row[3 * 32] = 255 }
        try session.write(face, for: .milliseconds(80), to: body)
    }
    try session.finish(to: body)
}
// end of snippet

@Suite struct WritingAnimationsTests {
    private let chain = Fixture.folder("gif").appendingPathComponent("restore-chain.gif").path

    private static func temporaryPath(_ name: String) -> String {
        FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString)-\(name)").path
    }

    /// The frames' pixels, durations and plays of a file.
    private func summary(_ movie: AnimatedImage) throws -> [String] {
        try ["\(movie.loopCount)"]
            + movie.map { try "\($0.duration) \(PixelDigest.crc32(of: $0.decode().bitmap))" }
    }

    private func summary(_ path: String) throws -> [String] {
        var options = DecodingOptions()
        options.pixelFormat = .rgba
        return try summary(AnimatedImage(contentsOfFile: path, options: options))
    }

    @Test(arguments: ["movie.png", "movie.apng"])
    func aMovieKeepsItsFrames(_ name: String) throws {
        let path = Self.temporaryPath(name)
        defer { try? FileManager.default.removeItem(atPath: path) }
        try convertMovie(chain, to: path)
        #expect(try summary(path) == summary(chain))
        #expect(try summary(path).count == 12)
    }

    @Test func anImageWithAnAnimationKeepsItAsAPNG() throws {
        var options = DecodingOptions()
        options.pixelFormat = .rgba
        let image = try RasterImage(contentsOfFile: chain, options: options)
        let file = try image.encoded(as: .apng)
        #expect(try summary(AnimatedImage(file, options: options)) == summary(chain))
        // No format is named, and GIF is not written.
        #expect(try image.encoded() == file)
        #expect(try AnimatedImage(image.encoded(as: .png)).frameCount == 1)
    }

    @Test func bytesAreThoseOfTheFile() throws {
        let path = Self.temporaryPath("movie")
        defer { try? FileManager.default.removeItem(atPath: path) }
        let movie = try AnimatedImage(contentsOfFile: chain)
        try movie.write(toFile: path)
        #expect(try [UInt8](Data(contentsOf: URL(fileURLWithPath: path))) == movie.encoded())
    }

    @Test func formatsWithoutAnimationAreRefusedBeforeTheFileIsTouched() throws {
        let path = Self.temporaryPath("movie.jpg")
        let movie = try AnimatedImage(contentsOfFile: chain)
        let error = #expect(throws: ImageError.self) { try movie.write(toFile: path) }
        #expect(error?.code == "unsupported" && !FileManager.default.fileExists(atPath: path))
        var options = EncodingOptions()
        options.firstFrameOnly = true
        try movie.write(toFile: path, options: options)
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(try ImageInfo(contentsOfFile: path).format == .jpeg)
    }

    @Test func framesMayBeMadeOneByOne() throws {
        var file: [UInt8] = []
        try writeClock { bytes in for index in bytes.indices { file.append(bytes[index]) } }
        let clock = try AnimatedImage(file)
        #expect(clock.frameCount == 12 && clock.loopCount == 0)
        #expect(try clock[3].decode().bitmap[32, 15] == PixelColor(rgba8: SIMD4(255, 0, 0, 255)))
        #expect(try clock[4].decode().bitmap[32, 15] == PixelColor(rgba8: SIMD4(0, 0, 0, 255)))
    }
}
