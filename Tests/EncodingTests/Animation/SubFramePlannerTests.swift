import CodecTestSupport
import ImageCodecsCore
import ImageEncoding
import Testing

/// Plays what it is given, as plainly as can be; bytes are counted by pixels that change.
private struct PlayingEncoder: AnimationEncoder {
    let abilities: FrameAbilities
    let estimatedByteCount = 0
    var canvas: PlainCanvas
    var shown: [[UInt8]] = []
    var frames: [PlannedFrame] = []

    init(_ abilities: FrameAbilities, _ size: PixelSize) {
        self.abilities = abilities
        canvas = PlainCanvas(size: size, isStraight: true)
    }

    mutating func survey(_ canvas: Bitmap, rows: Range<Int>, work: inout WorkGuard) throws(ImageError) {}
    mutating func begin(to sink: EncodedBytesSink, work: inout WorkGuard) throws(ImageError) {}

    mutating func cost(of frame: SubFrame, work: inout WorkGuard) throws(ImageError) -> SubFrameCost {
        let count = pixels(of: frame).enumerated().reduce(0) { $1.offset % 4 == 3 && $1.element > 0 ? $0 + 4 : $0 }
        return SubFrameCost(byteCount: count + frame.rect.width * frame.rect.height / 8)
    }

    func pixels(of frame: SubFrame) -> [UInt8] {
        (0..<frame.rect.height).flatMap { y in
            var row = [UInt8](repeating: 1, count: 4 * frame.rect.width)
            row.withMutableRawSpan { frame.copyRow(y, into: &$0) }
            return row
        }
    }

    mutating func write(
        _ planned: PlannedFrame, to sink: EncodedBytesSink, work: inout WorkGuard
    ) throws(ImageError) {
        let frame = planned.frame
        canvas.show(
            FrameInfo(
                rect: frame.rect, duration: planned.duration, disposal: planned.disposal, blending: frame.blending),
            pixels(of: frame))
        shown.append(canvas.pixels)
        frames.append(planned)
    }

    mutating func finish(to sink: EncodedBytesSink, work: inout WorkGuard) throws(ImageError) {}
}

@Suite struct SubFramePlannerTests {
    /// What APNG, GIF and WebP can do.
    static let formats: [(name: String, abilities: FrameAbilities)] = [
        ("APNG", FrameAbilities(restoresAfterOver: false, firstFrameCoversCanvas: true)),
        ("APNG without transparency", FrameAbilities(laysOver: false)),
        ("GIF", FrameAbilities(replaces: false)),
        ("WebP", FrameAbilities(disposals: [.keep, .clear], offsetMultiple: 2)),
        ("GIF of fewer colours", FrameAbilities(replaces: false, redrawsUnchanged: false)),
    ]

    private func play(
        _ movie: RandomMovie, _ abilities: FrameAbilities, _ effort: EncodingOptions.Effort
    ) throws -> PlayingEncoder {
        var work = WorkGuard.unlimited
        var encoder: any AnimationEncoder = PlayingEncoder(abilities, movie.info.size)
        var planner = SubFramePlanner(size: movie.info.size, abilities, effort: effort, meter: nil)
        for index in movie.frames.indices {
            var canvas = try planner.makeCanvas()
            let wanted = try movie.expectedPixels(at: index)
            for y in 0..<wanted.height {
                wanted.withRowBytes(y) { row in canvas.withMutableRowBytes(y) { $0.copy(row) } }
            }
            try planner.add(
                canvas, for: movie.duration(at: index), &encoder, to: { (_) throws(ImageError) in }, work: &work)
        }
        try planner.finish(&encoder, to: { (_) throws(ImageError) in }, work: &work)
        return try #require(encoder as? PlayingEncoder)
    }

    @Test(arguments: 0..<5, EncodingOptions.Effort.allCases)
    func everyDecoderComposesTheFrames(_ format: Int, _ effort: EncodingOptions.Effort) throws {
        let (name, abilities) = Self.formats[format]
        for seed in 0..<250 as Range<UInt64> {
            var source = DecisionSource(seed: seed)
            var movie = try RandomMovie(&source, format: .rgba)
            if !abilities.replaces { movie = try movie.withoutTranslucency() }
            let played = try play(movie, abilities, effort)
            let expected = try movie.frames.indices.map { try movie.expectedPixels(at: $0).packedBytes() }
            #expect(played.shown == expected, "\(name), seed \(seed)")
            for planned in played.frames {
                #expect(abilities.disposals.contains(planned.disposal))
                let rect = planned.frame.rect
                #expect(rect.x % abilities.offsetMultiple == 0 && rect.y % abilities.offsetMultiple == 0)
                #expect(abilities.replaces || planned.frame.blending == .over)
                #expect(
                    abilities.restoresAfterOver || planned.disposal != .restore || planned.frame.blending == .replace)
            }
        }
    }

    @Test func aFrameThatEqualsTheLastIsOnePixel() throws {
        let bitmap = try EncoderPicture(.noise, size: PixelSize(width: 9, height: 5), format: .rgba).bitmap
        let frame = ImageFrame(bitmap: bitmap, duration: .milliseconds(1))
        let played = try play(RandomMovie([frame, frame, frame]), FrameAbilities(), .default)
        #expect(
            played.frames.map(\.frame.rect.size) == [(9, 5), (1, 1), (1, 1)].map { PixelSize(width: $0, height: $1) })
    }

    @Test func equalFramesBecomeOneIfDecodersShowThemAsLong() throws {
        let bitmap = try EncoderPicture(.noise, size: PixelSize(width: 9, height: 5), format: .rgba).bitmap
        let frames = [20, 30, 0, 10, 40, 50].map { ImageFrame(bitmap: bitmap, duration: .milliseconds($0)) }
        let played = try play(RandomMovie(frames), FrameAbilities(replaces: false, mergesEqualFrames: true), .default)
        #expect(played.frames.map(\.duration) == [50, 0, 10, 90].map { .milliseconds($0) })
    }

    @Test func pixelsThatDoNotChangeAreNotDrawnAgainWhereColorsAreReduced() throws {
        let size = PixelSize(width: 40, height: 3)
        let first = try EncoderPicture(.noise, size: size, format: .rgba).bitmap
        var second = first
        try second.withMutableRow(1) { row in
            for x in stride(from: 0, to: 40, by: 2) { row[4 * x] ^= 1 }
        }
        let frames = [first, second].map { ImageFrame(bitmap: $0, duration: .milliseconds(50)) }
        let abilities = FrameAbilities(replaces: false, redrawsUnchanged: false)
        for effort in EncodingOptions.Effort.allCases {
            let played = try play(RandomMovie(frames), abilities, effort)
            let last = try #require(played.frames.last)
            let alphas = played.pixels(of: last.frame).enumerated().filter { $0.offset % 4 == 3 }.map(\.element)
            #expect(alphas.filter { $0 == 255 }.count == 20)
        }
    }

    @Test func whatComesBackIsRestored() throws {
        // A small picture passes over a background that is not of one colour.
        let size = PixelSize(width: 30, height: 20)
        let back = try EncoderPicture(.noise, size: size, format: .rgba).bitmap
        let frames = try (0..<4).map { index in
            var bitmap = back
            for y in 3..<12 {
                try bitmap.withMutableRow(y) { row in
                    for x in 5 * index..<5 * index + 9 { for c in 0..<3 { row[4 * x + c] = UInt8(17 * y + c) } }
                }
            }
            return ImageFrame(bitmap: index == 0 ? back : bitmap, duration: .milliseconds(1))
        }
        let played = try play(RandomMovie(frames), FrameAbilities(), .default)
        #expect(played.frames.map(\.disposal) == [.keep, .restore, .restore, .keep])
        #expect(played.frames.dropFirst().allSatisfy { $0.frame.rect.size == PixelSize(width: 9, height: 9) })
    }

    @Test func shapesThatMoveOnNothingAreCleared() throws {
        let size = PixelSize(width: 30, height: 20)
        let frames = try (0..<3).map { index in
            var bitmap = try Bitmap(size: size, format: .rgba)
            for y in 3..<12 {
                try bitmap.withMutableRow(y) { row in
                    for x in 9 * index..<9 * index + 9 { for c in 0..<4 { row[4 * x + c] = 255 } }
                }
            }
            return ImageFrame(bitmap: bitmap, duration: .milliseconds(1))
        }
        let played = try play(
            RandomMovie(frames), FrameAbilities(disposals: [.keep, .clear]), .default)
        #expect(played.frames.map(\.disposal) == [.clear, .clear, .keep])
        #expect(played.frames.allSatisfy { $0.frame.rect.size == PixelSize(width: 9, height: 9) })
    }
}

extension RandomMovie {
    /// The same with pixels that are opaque or transparent.
    fileprivate func withoutTranslucency() throws -> RandomMovie {
        RandomMovie(
            try frames.map { frame in
                var bitmap = frame.bitmap
                for y in 0..<bitmap.height {
                    try bitmap.withMutableRow(y) { row in
                        for x in 0..<row.count / 4 where row[4 * x + 3] > 0 { row[4 * x + 3] = 255 }
                    }
                }
                return ImageFrame(bitmap: bitmap, duration: frame.duration)
            }, loopCount: loopCount)
    }
}
