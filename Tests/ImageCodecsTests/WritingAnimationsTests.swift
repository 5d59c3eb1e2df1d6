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

    @Test func anImageWithAnAnimationKeepsItInEveryFormatOfAnimations() throws {
        var options = DecodingOptions()
        options.pixelFormat = .rgba
        let image = try RasterImage(contentsOfFile: chain, options: options)
        let file = try image.encoded(as: .apng)
        #expect(try summary(AnimatedImage(file, options: options)) == summary(chain))
        // No format is named: it stays what it was.
        let sameFormat = try AnimatedImage(image.encoded(), options: options)
        #expect(sameFormat.info.format == .gif)
        #expect(try summary(sameFormat) == summary(chain))
        #expect(try AnimatedImage(image.encoded(as: .png)).frameCount == 1)
    }

    @Test func framesKeepTheirTransparencyWithoutOptions() throws {
        // The first frame is opaque, others are not.
        let image = try RasterImage(contentsOfFile: chain)
        #expect(image.bitmap.format == .bgrx && image.frames[4].bitmap.format == .bgraPremultiplied)
        var options = DecodingOptions()
        options.pixelFormat = .rgba
        #expect(try summary(AnimatedImage(image.encoded(as: .apng), options: options)) == summary(chain))
    }

    @Test func framesHaveTheirOwnSize() throws {
        var options = DecodingOptions()
        options.size = .atMost(byteCount: 11 * 16 * 12 * 4)
        let image = try RasterImage(contentsOfFile: chain, options: options)
        let size = image.frames[0].bitmap.size
        #expect(size.width < 32)
        #expect(try AnimatedImage(image.encoded(as: .apng)).info.size == size)
    }

    @Test func framesOfSeveralFormatsAreConverted() throws {
        var image = try RasterImage(contentsOfFile: chain)
        for index in image.frames.indices where index % 2 == 1 {
            let bitmap = image.frames[index].bitmap
            image.animation?.frames[index].bitmap = try bitmap.converted(to: .rgba)
        }
        var options = DecodingOptions()
        options.pixelFormat = .rgba
        #expect(try summary(AnimatedImage(image.encoded(as: .apng), options: options)) == summary(chain))
    }

    /// 32x24 pixels and ten frames of 101 to 121.
    @Test(arguments: [(1000, false), (2000, true)])
    func aLimitOnFramePixelsIsForAllFrames(_ limit: Int, _ isEnough: Bool) throws {
        var options = DecodingOptions()
        options.limits.maxFramePixelCount = limit
        let movie = try AnimatedImage(contentsOfFile: chain, options: options)
        if isEnough {
            #expect(try AnimatedImage(movie.encoded(as: .apng)).frameCount == 11)
        } else {
            let error = #expect(throws: ImageError.self) { _ = try movie.encoded(as: .apng) }
            #expect(error?.code == "limitExceeded")
        }
    }

    @Test func orientationIsWrittenIfItWasNotApplied() throws {
        let movie = try AnimatedImage(contentsOfFile: chain)
        let turned = try movie.encoded(as: .apng, orientation: .right)
        #expect(try ImageInfo(ImageData(turned)).orientation == .right)
        let path = Self.temporaryPath("turned.png")
        defer { try? FileManager.default.removeItem(atPath: path) }
        var options = DecodingOptions()
        options.appliesOrientation = false
        let stored = try AnimatedImage(turned, options: options)
        try stored.write(toFile: path, orientation: stored.info.orientation)
        #expect(try ImageInfo(contentsOfFile: path).orientation == .right)
        #expect(try AnimatedImage(contentsOfFile: path).info.decodedSize == PixelSize(width: 24, height: 32))
    }

    @Test func aPreviewIsLeftOutIfFramesAreTurnedOrScaled() throws {
        let preview: [UInt8] = [0xFF, 0xD8, 0xFF, 0xD9]
        var image = try RasterImage(contentsOfFile: chain)
        // Big-endian, one directory that says how the picture lies: a preview that lies otherwise would go.
        let turned: [UInt8] = [
            0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0,
        ]
        image.metadata.exif = ExifThumbnail.embed(jpeg: preview, into: turned, byteCount: 1000)
        image.orientation = .right
        let file = try image.encoded(as: .apng)
        func hasPreview(_ change: (inout DecodingOptions) -> Void) throws -> Bool {
            var options = DecodingOptions()
            options.inspectsAllMetadata = true
            change(&options)
            let movie = try AnimatedImage(file, options: options)
            let orientation = options.appliesOrientation ? .up : movie.info.orientation
            let exif = try RasterImage(movie.encoded(as: .apng, orientation: orientation)).metadata.exif
            return exif.flatMap { ExifThumbnail.jpeg(in: $0) } != nil
        }
        #expect(try hasPreview { $0.appliesOrientation = false })
        #expect(try !hasPreview { _ in })
        #expect(
            try !hasPreview {
                $0.appliesOrientation = false
                $0.size = .fitting(PixelSize(width: 9, height: 9), .fit)
            })
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
