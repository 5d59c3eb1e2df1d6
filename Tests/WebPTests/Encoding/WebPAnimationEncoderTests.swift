import CodecTestSupport
import ImageCodecsCore
import Testing
import WebPCodec

@Suite struct WebPAnimationEncoderTests {
    private static let size = PixelSize(width: 21, height: 11)
    private let laws = AnimationEncoderLaws(WebPCoder(), writing: .webP, .webP)

    private func frame(
        _ milliseconds: Double = 100, _ color: (_ x: Int, _ y: Int) -> [UInt8]
    ) throws -> ImageFrame {
        let pixels = (0..<11).flatMap { y in (0..<21).flatMap { x in color(x, y) } }
        return ImageFrame(
            bitmap: try Bitmap(packed: pixels, size: Self.size, format: .rgba), duration: .milliseconds(milliseconds))
    }

    /// The head of a frame, by RFC 9649 section 2.7.1.1.
    private struct Head: Equatable {
        var rect: PixelRect
        var milliseconds: Int
        var flags: UInt8

        init(_ body: [UInt8]) {
            func number(_ place: Int) -> Int { WebPChunks.number(body[place..<place + 3]) }
            rect = PixelRect(x: 2 * number(0), y: 2 * number(3), width: number(6) + 1, height: number(9) + 1)
            (milliseconds, flags) = (number(12), body[15])
        }
    }

    private func heads(_ file: [UInt8]) throws -> [Head] {
        try WebPChunks(file).chunks.filter { $0.type == "ANMF" }.map { (chunk) throws -> Head in
            let types = try WebPChunks(frame: chunk.body).types
            #expect(types == ["VP8L"])
            return Head(chunk.body)
        }
    }

    @Test func onlyWhatChangedIsWrittenAtEvenPlaces() throws {
        // Three pixels that move on by three: the old place and the new one.
        let frames = try (0..<3).map { step in
            try frame { x, y in x / 3 == step && y == 5 ? [255, 0, 0, 255] : [UInt8(x), UInt8(y), 9, 255] }
        }
        for effort in EncodingOptions.Effort.allCases {
            var options = EncodingOptions()
            options.effort = effort
            let heads = try heads(laws.file(RandomMovie(frames), options))
            let rects: [PixelRect] = [
                PixelRect(Self.size), PixelRect(x: 0, y: 4, width: 6, height: 2),
                PixelRect(x: 2, y: 4, width: 7, height: 2),
            ]
            #expect(heads.map(\.rect) == rects)
            #expect(heads.allSatisfy { $0.milliseconds == 100 && $0.flags & 0xFC == 0 })
        }
    }

    @Test func whatIsClearedCountsAsAlpha() throws {
        // Both frames may be opaque: a canvas that is cleared, and a pixel.
        let frames = [
            try frame { x, y in [UInt8(x), UInt8(y), 9, 255] }, try frame { x, y in [7, 8, 9, x + y == 0 ? 255 : 0] },
        ]
        for effort in EncodingOptions.Effort.allCases {
            var options = EncodingOptions()
            options.effort = effort
            let head = try #require(try WebPChunks(laws.file(RandomMovie(frames), options)).chunks.first)
            #expect(head.type == "VP8X" && head.body[0] & 0x10 != 0)
        }
    }

    @Test func headersSayWhatIsInTheFile() throws {
        let opaque = try [0, 255].map { level in try frame { _, _ in [level, 0, 0, 255] } }
        var metadata = ImageMetadata()
        metadata.xmp = [60]
        let file = try laws.file(RandomMovie(opaque, loopCount: 3, metadata: metadata), .default)
        let chunks = try WebPChunks(file)
        #expect(chunks.types == ["VP8X", "ANIM", "ANMF", "ANMF", "XMP "])
        #expect(try chunks["VP8X"] == [0x02 | 0x04, 0, 0, 0, 20, 0, 0, 10, 0, 0])
        #expect(try chunks["ANIM"] == [0, 0, 0, 0, 3, 0])
        let hole = try frame { x, _ in [0, 0, 0, x == 0 ? 0 : 255] }
        #expect(try WebPChunks(laws.file(RandomMovie([hole]), .default))["VP8X"][0] == 0x02 | 0x10)
    }

    @Test func playsAreWrittenUpTo65535() throws {
        let frames = try [0, 255].map { level in try frame { _, _ in [level, 0, 0, 255] } }
        for plays in [0, 1, 2, 65_535] {
            #expect(laws.framesComeBack(RandomMovie(frames, loopCount: plays), .default) == [])
        }
        var options = EncodingOptions()
        let losses = LossLog()
        options.losses = losses
        let most = try laws.file(RandomMovie(frames, loopCount: 65_535), options)
        #expect(losses.count(of: .plays) == 0)
        #expect(try laws.file(RandomMovie(frames, loopCount: 65_536), options) == most)
        #expect(losses.count(of: .plays) == 1)
    }

    @Test func durationsKeepTheirSum() throws {
        for (count, duration, sum) in [
            (30, .seconds(1) / 30, 1000), (100, .microseconds(500), 50), (60, .seconds(1) / 60, 1000),
        ] as [(Int, Duration, Int)] {
            let losses = LossLog()
            var options = EncodingOptions()
            options.losses = losses
            let frames = try (0..<count).map { step in
                ImageFrame(bitmap: try frame { x, _ in [UInt8(step), UInt8(x), 0, 255] }.bitmap, duration: duration)
            }
            let heads = try heads(laws.file(RandomMovie(frames), options))
            #expect(heads.count == count && heads.map(\.milliseconds).reduce(0, +) == sum)
            #expect(losses.count(of: .durations) == count)
        }
    }

    @Test func longFramesAreSeveral() throws {
        for hole in [255, 0] as [UInt8] {
            let frames = try [(10, 16_777_216.0), (20, 50), (10, 65_535_000)].map { level, milliseconds in
                try frame(milliseconds) { x, _ in [UInt8(level), UInt8(x), 0, x > 14 && level == 10 ? hole : 255] }
            }
            let file = try laws.file(RandomMovie(frames), .default)
            let heads = try heads(file)
            let sum: Int = heads.map(\.milliseconds).reduce(0, +)
            // 16,777,216, 50 and 65,535,000: two frames, one, and four.
            #expect(sum == 82_312_266)
            #expect(heads.count == 7)
            #expect(try laws.differences(ImageData(file), RandomMovie(frames), loopCount: 0) == [])
        }
    }

    @Test func whatIsLostIsRecorded() throws {
        let losses = LossLog()
        var options = EncodingOptions()
        options.losses = losses
        let still = try frame(33.25) { x, y in [UInt8(x), UInt8(y), 1, 255] }
        let other = try frame(40) { x, y in [UInt8(x), UInt8(y), 2, UInt8(100 + x)] }
        _ = try laws.file(RandomMovie([still, still, other, still]), options)
        #expect(losses.count(of: .frames) == 1)
        // 66.5 ms together, and 33.25 ms.
        #expect(losses.count(of: .durations) == 2)
        #expect(losses.count(of: .translucency) == 0 && losses.count(of: .colors) == 0)
    }

    @Test func holesAreMadeByReplacing() throws {
        let frames = try (0..<4).map { step in
            try frame { x, y in x / 5 == step ? [UInt8(9 * x), UInt8(9 * y), 0, 200] : [0, 0, 0, 0] }
        }
        #expect(laws.framesComeBack(RandomMovie(frames), .default) == [])
        // No frame is laid over: its pixels would be mixed with what is there.
        #expect(try heads(laws.file(RandomMovie(frames), .default)).allSatisfy { $0.flags & 2 != 0 })
    }

    @Test func canvasesThatNoFrameCoversAreRefused() throws {
        let wide = try Bitmap(size: PixelSize(width: 16_385, height: 1), format: .gray)
        let frames = [ImageFrame(bitmap: wide, duration: .zero), ImageFrame(bitmap: wide, duration: .zero)]
        #expect(throws: ImageError.limitExceeded(.dimension, requested: 16_385, allowed: 16_384)) {
            try laws.file(RandomMovie(frames), .default)
        }
    }
}
