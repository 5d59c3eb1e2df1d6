import APNGCodec
import CodecTestSupport
import ImageCodecsCore
import ImageEncoding
import Testing

@Suite struct APNGEncoderTests {
    private let coder = APNGCoder()
    private let size = PixelSize(width: 24, height: 16)

    /// The chunks of a file: type and body.
    private func chunks(_ file: [UInt8]) -> [(type: String, body: [UInt8])] {
        var chunks: [(type: String, body: [UInt8])] = []
        var position = 8
        while position + 12 <= file.count {
            let length = Int(file.span.bigEndianUInt32(at: position))
            let type = String(decoding: file[position + 4..<position + 8], as: UTF8.self)
            chunks.append((type, Array(file[position + 8..<position + 8 + length])))
            position += 12 + length
        }
        return chunks
    }

    /// Frames with a rectangle of another colour in each.
    private func movie(_ colors: [[UInt8]], on background: [UInt8] = [9, 9, 9, 255]) throws -> RandomMovie {
        let frames = try colors.enumerated().map { index, color in
            var pixels = [[UInt8]](repeating: background, count: 24 * 16)
            for y in 4..<9 { for x in index..<index + 7 { pixels[24 * y + x] = color } }
            return ImageFrame(
                bitmap: try Bitmap(packed: Array(pixels.joined()), size: size, format: .rgba),
                duration: .milliseconds(20 + index))
        }
        return RandomMovie(frames, loopCount: 7)
    }

    private func file(_ movie: RandomMovie, _ change: (inout EncodingOptions) -> Void = { _ in }) throws -> [UInt8] {
        var options = EncodingOptions()
        change(&options)
        return try AnimationEncoderLaws(coder, writing: .apng).file(movie, options)
    }

    @Test func chunksAreInTheirOrderAndNumbered() throws {
        let file = try file(movie([[1, 2, 3, 255], [4, 5, 6, 255], [7, 8, 9, 255]]))
        let chunks = chunks(file)
        let types = chunks.map(\.type).filter { $0 != "PLTE" && $0 != "tRNS" }
        #expect(types == ["IHDR", "acTL", "fcTL", "IDAT", "fcTL", "fdAT", "fcTL", "fdAT", "IEND"])
        #expect(chunks.first { $0.type == "acTL" }?.body == [0, 0, 0, 3, 0, 0, 0, 7])
        let numbers = chunks.filter { $0.type == "fcTL" || $0.type == "fdAT" }.map { $0.body[3] }
        #expect(numbers == [0, 1, 2, 3, 4])
    }

    @Test func aDefaultPictureIsNoFrame() throws {
        let movie = try movie([[1, 2, 3, 255], [4, 5, 6, 255]])
        let picture = try EncoderPicture(.noise, size: size, format: .rgb).bitmap
        let file = try file(movie) { $0.apng.defaultPicture = picture }
        let types = chunks(file).map(\.type).filter { $0 != "PLTE" && $0 != "tRNS" }
        #expect(types == ["IHDR", "acTL", "IDAT", "fcTL", "fdAT", "fcTL", "fdAT", "IEND"])
        #expect(try AnimationEncoderLaws(coder, writing: .apng).differences(ImageData(file), movie, loopCount: 7) == [])
        var decoding = DecodingOptions()
        decoding.pixelFormat = .rgb
        #expect(try coder.decode(ImageData(file), options: decoding).bitmap == picture)
        #expect(throws: ImageError.self) {
            try self.file(movie) {
                $0.apng.defaultPicture = try? Bitmap(size: PixelSize(width: 3, height: 3), format: .rgb)
            }
        }
    }

    @Test func framesThatWereNotSurveyedAreRefused() throws {
        func noise(_ seed: UInt64, _ format: PixelFormat) throws -> Bitmap {
            try EncoderPicture(.noise, size: size, format: format, seed: seed).bitmap.converted(to: .rgba)
        }
        let red = try Bitmap(packed: [UInt8](repeating: 255, count: 4 * 24 * 16), size: size, format: .rgba)
        let blue = try Bitmap(cleared: size, format: .rgba, meter: nil, work: .unlimited)
        // A palette, gray samples, colours with one that is transparent.
        for (surveyed, other) in [(red, blue), (try noise(1, .gray), try noise(1, .rgb)), (try noise(1, .rgb), blue)] {
            var session = try CoderRegistry([coder]).makeAnimationEncodingSession(
                to: .apng, size: size, pixelFormat: .rgba, frameCount: 2)
            for _ in 0..<2 { try session.survey(surveyed) }
            try session.write(surveyed, for: .zero) { _ in }
            let expected = ImageError.invalidArgument("frame 1 is not the one that was surveyed")
            #expect(throws: expected) { try session.write(other, for: .zero) { _ in } }
            #expect(throws: expected) { try session.write(surveyed, for: .zero) { _ in } }
        }
    }

    @Test func longFramesTakeSeveralChunks() throws {
        let frames = try (0..<3 as Range<UInt64>).map { seed in
            let picture = try EncoderPicture(.noise, size: PixelSize(width: 200, height: 150), format: .rgb, seed: seed)
            return ImageFrame(bitmap: picture.bitmap, duration: .zero)
        }
        let file = try file(RandomMovie(frames))
        let types = chunks(file).map(\.type).filter { $0 != "tRNS" }
        let others = ["fcTL", "fdAT", "fdAT"]
        #expect(types == ["IHDR", "acTL", "fcTL", "IDAT", "IDAT"] + others + others + ["IEND"])
        let laws = AnimationEncoderLaws(coder, writing: .apng)
        #expect(try laws.differences(ImageData(file), RandomMovie(frames), loopCount: 0) == [])
    }

    /// Frames that are counted when they are asked for.
    private struct CountedMovie: AnimatedImageProvider {
        let movie: RandomMovie
        let asked = SharedCounter()
        var info: ImageInfo { movie.info }
        var frameCount: Int { movie.frameCount }

        func duration(at index: Int) throws(ImageError) -> Duration { try movie.duration(at: index) }

        func frame(at index: Int) throws(ImageError) -> ImageFrame {
            asked.increment()
            return try movie.frame(at: index)
        }
    }

    @Test func hopelessLimitsOnBytesAreRefusedAtOnce() throws {
        var metadata = ImageMetadata()
        var random = SeededRandom(seed: 4)
        metadata.comments = [String(decoding: random.bytes(300).map { 97 + $0 % 26 }, as: UTF8.self)]
        let frames = try movie((0..<20).map { [UInt8($0), 0, 0, 255] }).frames
        // 20 frames take 1265 bytes if each is one pixel; metadata are known once they are written.
        for (most, passCount) in [(1264, 0), (1400, 2)] {
            let movie = CountedMovie(movie: RandomMovie(frames, metadata: metadata))
            var options = EncodingOptions()
            options.maxFileByteCount = most
            let error = #expect(throws: ImageError.self) {
                try CoderRegistry([coder]).encode(movie, to: .apng, options: options) { _ in }
            }
            #expect(error?.description.contains("\(most)") == true)
            #expect(movie.asked.value == passCount * 20)
        }
    }

    @Test func aFileThatHasToBeShortIsHeldWithinTheEstimate() throws {
        let frames = try (0..<4 as Range<UInt64>).map { seed in
            try ImageFrame(
                bitmap: EncoderPicture(.noise, size: PixelSize(width: 160, height: 120), seed: seed).bitmap,
                duration: .zero)
        }
        var options = EncodingOptions()
        options.maxFileByteCount = 150_000
        options.limits = EncodingLimits(maxMemoryByteCount: 1)
        let error = #expect(throws: ImageError.self) {
            try CoderRegistry([coder]).encode(RandomMovie(frames), to: .apng, options: options) { _ in }
        }
        guard case .limitExceeded(.encodingMemory, let estimate, 1) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        let meter = MemoryMeter()
        options.limits = EncodingLimits(maxMemoryByteCount: estimate)
        options.memoryMeter = meter
        var byteCount = 0
        try CoderRegistry([coder]).encode(RandomMovie(frames), to: .apng, options: options) { byteCount += $0.count }
        #expect(byteCount <= 150_000 && byteCount > 50_000 && meter.peak <= estimate && meter.current == 0)
    }

    @Test func oneColourTypeServesAllFrames() throws {
        func colorType(_ movie: RandomMovie) throws -> [UInt8] {
            Array(chunks(try file(movie))[0].body[8..<10])
        }
        // Indices do not share bytes, unless there is one frame.
        #expect(try colorType(movie([[1, 2, 3, 255]])) == [1, 3])
        #expect(try colorType(movie([[1, 2, 3, 255], [4, 5, 6, 255]])) == [8, 3])
        // Many colours: samples, with alpha only if some pixel is translucent.
        func noise(_ content: EncoderPicture.Content, _ format: PixelFormat) throws -> RandomMovie {
            let frames = try [1, 2].map { seed in
                try EncoderPicture(content, size: size, format: format, seed: seed).bitmap.converted(to: .rgba)
            }
            return RandomMovie(frames.map { ImageFrame(bitmap: $0, duration: .zero) })
        }
        #expect(try colorType(noise(.noise, .rgb)) == [8, 2])
        #expect(try colorType(noise(.noise, .gray)) == [8, 0])
        #expect(try colorType(noise(.cutout, .rgba)) == [8, 6])
    }

    @Test func onlyTheChangedRectangleIsWritten() throws {
        let file = try file(movie([[1, 2, 3, 255], [4, 5, 6, 255]]))
        let control = try #require(chunks(file).last { $0.type == "fcTL" }).body
        // 8x5 at 0,4.
        #expect(control[4..<20].map { Int($0) } == [0, 0, 0, 8, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 4])
    }

    @Test func metadataAreWrittenAsPNGDoes() throws {
        var metadata = ImageMetadata()
        metadata.comments = ["a comment"]
        metadata.density = PixelDensity(x: 2835, y: 2835, unit: .meter)
        let frames = try movie([[1, 2, 3, 255], [4, 5, 6, 255]]).frames
        let written = try file(RandomMovie(frames, metadata: metadata))
        let read = try coder.inspect(ImageData(written), options: .default).metadata
        #expect(read.density == metadata.density)
        #expect(
            try coder.decode(ImageData(written), options: .default).metadata.comments.isEmpty == false
                || coder.decode(ImageData(written), options: .default).metadata.texts.contains {
                    $0.text == "a comment"
                })
        let bare = try file(RandomMovie(frames, metadata: metadata)) { $0.metadata = .none }
        #expect(try coder.inspect(ImageData(bare), options: .default).metadata.density == nil)
    }

    @Test func framesAreScaledAndLaidOverAColour() throws {
        let movie = try movie([[200, 0, 0, 255], [0, 200, 0, 128]], on: [0, 0, 0, 0])
        let small = try file(movie) {
            $0.maxPixelSize = PixelSize(width: 12, height: 12)
            $0.background = SIMD3(255, 255, 255)
        }
        let read = try coder.makeAnimation(from: ImageData(small), options: .default)
        #expect(read.info.size == PixelSize(width: 12, height: 8) && read.frameCount == 2)
        #expect(try read.frame(at: 1).bitmap[11, 7] == PixelColor(rgba8: SIMD4(255, 255, 255, 255)))
    }

    @Test func theFirstFrameAloneIsAStillPicture() throws {
        let movie = try movie([[1, 2, 3, 255], [4, 5, 6, 255]])
        let still = try file(movie) { $0.firstFrameOnly = true }
        #expect(!chunks(still).contains { $0.type == "acTL" })
        var options = EncodingOptions()
        options.firstFrameOnly = true
        #expect(try coder.encode(movie.image, to: .apng, options: options) == still)
        var image = movie.image
        image.animation = nil
        #expect(try coder.encode(image, to: .apng, options: .default) == still)
    }

    @Test func morePlaysThanAFileSaysAreTheMostItSays() throws {
        let movie = try movie([[1, 2, 3, 255], [4, 5, 6, 255]])
        let losses = LossLog()
        let most = try file(movie) { ($0.loopCount, $0.losses) = (Int(Int32.max), losses) }
        #expect(losses.count(of: .plays) == 0)
        #expect(try file(movie) { ($0.loopCount, $0.losses) = (1 << 31, losses) } == most)
        #expect(losses.count(of: .plays) == 1)
    }

    @Test func requestsThatMakeNoSenseAreRefused() throws {
        let movie = try movie([[1, 2, 3, 255]])
        #expect(throws: ImageError.self) { try file(movie) { $0.loopCount = -1 } }
        let registry = CoderRegistry([coder])
        for (count, width) in [(0, 4), (-1, 4), (2, 0)] {
            #expect(throws: ImageError.self) {
                _ = try registry.makeAnimationEncodingSession(
                    to: .apng, size: PixelSize(width: width, height: 4), pixelFormat: .rgb, frameCount: count)
            }
        }
        #expect(throws: ImageError.self) {
            var options = EncodingOptions()
            options.maxFileByteCount = 1000
            _ = try registry.makeAnimationEncodingSession(
                to: .apng, size: PixelSize(width: 4, height: 4), pixelFormat: .rgb, frameCount: 1, options: options)
        }
        #expect(throws: ImageError.self) { try registry.encode(movie, to: .jpeg) { _ in } }
    }
}
