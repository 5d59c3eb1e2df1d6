import CodecTestSupport
import Foundation
import ImageCodecs
import Testing

// snippet: frames
func showAll(_ path: String, _ show: (Bitmap, _ duration: Duration) -> Void) throws {
    let movie = try AnimatedImage(contentsOfFile: path)
    for frame in movie { show(try frame.decode().bitmap, frame.duration) }
}
// end of snippet

@Suite struct AnimatedImageTests {
    @Test(arguments: ["gif", "apng", "webp"])
    func framesAreThoseOfTheRegistry(_ folder: String) throws {
        for fixture in Fixture.sound(folder) {
            let data = try ImageData(contentsOfFile: fixture.url.path)
            let movie = try AnimatedImage(contentsOfFile: fixture.url.path)
            var (count, isSame) = (0, true)
            try CoderRegistry.shared.decodeFrames(of: data) { (frame, index, _) throws(ImageError) in
                count += 1
                guard index < movie.count else { return }
                let own = try movie[index].decode()
                isSame = isSame && own.bitmap == frame.bitmap && movie[index].duration == frame.duration
            }
            #expect(isSame && count == movie.count && movie.frameCount == count, "\(fixture.name)")
        }
    }

    @Test func aStillPictureIsAnAnimationOfOneFrame() throws {
        let path = Fixture.folder("png").appendingPathComponent("landscape.png").path
        let movie = try AnimatedImage(contentsOfFile: path)
        #expect(movie.count == 1 && movie.first?.duration == .zero && movie.loopCount == 1)
        #expect(try movie[0].decode().bitmap == RasterImage(contentsOfFile: path).bitmap)
        #expect(try AnimatedImage([UInt8](Data(contentsOf: URL(fileURLWithPath: path)))).count == 1)
    }

    @Test func whatIsNoImageIsRefused() throws {
        #expect(throws: ImageError.unknownFormat) { try AnimatedImage(Array("no image".utf8)) }
        #expect(throws: ImageError.self) { try AnimatedImage(contentsOfFile: "/nonexistent.gif") }
    }

    @Test func theExampleShowsEveryFrame() throws {
        let fixture = try #require(
            Fixture.sound("gif").first { $0.name.contains("anim") } ?? Fixture.sound("gif").first)
        var durations: [Duration] = []
        try showAll(fixture.url.path) { bitmap, duration in
            #expect(!bitmap.size.isEmpty)
            durations.append(duration)
        }
        let movie = try AnimatedImage(contentsOfFile: fixture.url.path)
        #expect(durations == movie.map(\.duration) && !durations.isEmpty)
    }
}
