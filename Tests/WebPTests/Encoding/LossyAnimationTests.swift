import CodecTestSupport
import ImageCodecsCore
import Testing
import WebPCodec

/// Animations with loss: frames are coded against what is shown.
@Suite struct LossyAnimationTests {
    private let laws = AnimationEncoderLaws(WebPCoder(), writing: .webP, .webP)

    private func options(_ quality: Double = 0.75, _ effort: EncodingOptions.Effort = .default) -> EncodingOptions {
        var options = EncodingOptions(quality: quality, effort: effort)
        options.webp.isLossless = false
        return options
    }

    /// What is shown at every 40 ms.
    private func frames(_ file: [UInt8]) throws -> [Bitmap] {
        var options = DecodingOptions()
        options.pixelFormat = .rgba
        let animation = try CoderRegistry([WebPCoder()]).makeAnimation(from: ImageData(file), options: options)
        var shown: [Bitmap] = []
        for index in 0..<animation.frameCount {
            let bitmap = try animation.frame(at: index).bitmap
            let count = try Int(animation.duration(at: index) / .milliseconds(40))
            shown += [Bitmap](repeating: bitmap, count: count)
        }
        return shown
    }

    private func movie(_ bitmaps: [Bitmap]) -> RandomMovie {
        RandomMovie(bitmaps.map { ImageFrame(bitmap: $0, duration: .milliseconds(40)) })
    }

    private func scene(_ content: EncoderPicture.Content = .scene, _ width: Int = 160, _ height: Int = 120) throws
        -> Bitmap
    {
        try EncoderPicture(content, size: PixelSize(width: width, height: height), format: .rgba, seed: 9).bitmap
    }

    /// The bitmap with something added to each red, green and blue.
    private func changed(_ bitmap: Bitmap, _ difference: (_ x: Int, _ y: Int) -> Int) -> Bitmap {
        var result = bitmap
        for y in 0..<bitmap.height {
            result.withMutableRowBytes(y) { row in
                for x in 0..<bitmap.width {
                    let difference = difference(x, y)
                    for channel in 0..<3 {
                        let value = Int(row.byte(at: 4 * x + channel)) + difference
                        row.setByte(UInt8(min(max(value, 0), 255)), at: 4 * x + channel)
                    }
                }
            }
        }
        return result
    }

    /// The mean difference of samples.
    private func error(_ a: Bitmap, _ b: Bitmap) -> Double {
        var sum = 0
        for y in 0..<a.height {
            for x in 0..<a.width {
                let (p, q) = (a[x, y].rgba8, b[x, y].rgba8)
                for channel in 0..<3 { sum += abs(Int(p[channel]) - Int(q[channel])) }
            }
        }
        return Double(sum) / Double(3 * a.width * a.height)
    }

    private func frameChunks(_ file: [UInt8]) throws -> [WebPChunks.Chunk] {
        try WebPChunks(file).chunks.filter { $0.type == "ANMF" }
    }

    @Test(arguments: EncodingOptions.Effort.allCases)
    func noiseBelowTheQuantisersIsNotCodedAgain(_ effort: EncodingOptions.Effort) throws {
        let scene = try scene()
        var random = SeededRandom(seed: 3)
        let bitmaps = (0..<6).map { _ in
            let noise = random.bytes(scene.width * scene.height)
            return changed(scene) { x, y in Int(noise[y * scene.width + x] % 3) - 1 }
        }
        let file = try laws.file(movie(bitmaps), options(0.6, effort))
        let sizes = try frameChunks(file).map(\.body.count)
        #expect(sizes.dropFirst().reduce(0, +) * 4 < sizes[0], "\(sizes)")
        for (shown, wanted) in zip(try frames(file), bitmaps) { #expect(error(shown, wanted) < 8) }
    }

    /// A picture that gets brighter by one at a time stays close to what is wanted: no frame shows what was wanted long ago.
    @Test(arguments: EncodingOptions.Effort.allCases, [0.3, 0.75])
    func slowChangesDoNotStayBehind(_ effort: EncodingOptions.Effort, _ quality: Double) throws {
        let dark = changed(try scene()) { _, _ in -60 }
        let bitmaps = (0..<24).map { index in changed(dark) { x, _ in x < 80 ? 2 * index : 0 } }
        let file = try laws.file(movie(bitmaps), options(quality, effort))
        let single = try frames(laws.file(movie([bitmaps[20], bitmaps[0]]), options(quality, effort)))
        let usual = error(single[0], bitmaps[20])
        let shown = try frames(file)
        #expect(shown.count == bitmaps.count)
        for index in shown.indices { #expect(error(shown[index], bitmaps[index]) < usual + 3, "frame \(index)") }
    }

    @Test func equalFramesBecomeOne() throws {
        let scene = try scene()
        let file = try laws.file(movie([scene, scene, scene]), options())
        let chunks = try frameChunks(file)
        #expect(chunks.count == 1)
        #expect(WebPChunks.number(chunks[0].body[12..<15]) == 120)
    }

    /// Only what moves is drawn.
    @Test func partsThatStandStillAreLeftOut() throws {
        let scene = try scene()
        let second = changed(scene) { x, y in x >= 64 && x < 80 && y >= 32 && y < 48 ? 90 : 0 }
        let frame = try frameChunks(laws.file(movie([scene, second]), options()))[1].body
        #expect(2 * WebPChunks.number(frame[0..<3]) >= 48 && 2 * WebPChunks.number(frame[3..<6]) >= 16)
        #expect(WebPChunks.number(frame[6..<9]) < 48 && WebPChunks.number(frame[9..<12]) < 48)
    }

    /// Each frame is written in the way that is worth more.
    @Test func filesAreMixed() throws {
        let flat = changed(try scene(.scene)) { _, _ in -255 }
        let drawn = changed(flat) { x, y in (x / 8 + y / 8) % 2 == 0 ? 200 : 0 }
        let noise = changed(try scene(.noise)) { _, _ in 0 }
        let chunks = try frameChunks(laws.file(movie([drawn, noise]), options(0.3)))
        #expect(try WebPChunks(frame: chunks[0].body).types == ["VP8L"])
        #expect(try WebPChunks(frame: chunks[1].body).types == ["VP8 "])
        let shown = try frames(laws.file(movie([drawn, noise]), options(0.3)))
        #expect(shown[0] == drawn)
    }

    /// Sharp text under grain: what is lost counts for much in squared errors, and is hardly seen.
    @Test func framesWithoutLossAreAtMostAQuarterLonger() throws {
        let text = try scene(.text, 320, 240)
        var random = SeededRandom(seed: 8)
        let bitmaps = (0..<2).map { _ in
            let grain = random.bytes(text.width * text.height)
            return changed(text) { x, y in Int(grain[y * text.width + x] % 25) - 12 }
        }
        var lossless = EncodingOptions()
        lossless.webp.isLossless = true
        let stills = try bitmaps.reduce(0) {
            try $0 + WebPCoder().encode(RasterImage(bitmap: $1), to: .webP, options: options(0.4)).count
        }
        #expect(try laws.file(movie(bitmaps), lossless).count > stills / 4 * 5, "a picture that is dear without loss")
        let chunks = try frameChunks(laws.file(movie(bitmaps), options(0.4)))
        #expect(try WebPChunks(frame: chunks[0].body).types == ["VP8 "])
    }

    /// Alpha loses nothing, whatever moves and vanishes; so canvases are composed as the encoder thinks.
    @Test(arguments: EncodingOptions.Effort.allCases)
    func alphaComesBackExactly(_ effort: EncodingOptions.Effort) throws {
        for seed in 0..<(effort == .best ? 20 : 60) as Range<UInt64> {
            var source = DecisionSource(seed: seed)
            let random = try RandomMovie(&source, format: .rgba)
            let wanted = try random.frames.indices.map { index throws(ImageError) in
                try random.expectedPixels(at: index)
            }
            let shown = try frames(laws.file(movie(wanted), options(Double(seed % 5) / 4, effort)))
            #expect(shown.count == wanted.count)
            for (shown, wanted) in zip(shown, wanted) {
                let isExact = (0..<wanted.height).allSatisfy { y in
                    (0..<wanted.width).allSatisfy { shown[$0, y].rgba8.w == wanted[$0, y].rgba8.w }
                }
                #expect(isExact, "seed \(seed)")
            }
        }
    }

    /// Every law but those that frames come back exactly.
    @Test(arguments: EncodingOptions.Effort.allCases)
    func lawsHold(_ effort: EncodingOptions.Effort) throws {
        for seed in 0..<3 as Range<UInt64> {
            var source = DecisionSource(seed: seed)
            let movie = try RandomMovie(&source, format: .rgba)
            let options = options(0.6, effort)
            #expect(laws.memoryStaysWithinTheEstimate(movie, options) == [])
            #expect(laws.limitsAreCheckedFirst(movie, options) == [])
            #expect(laws.theClockIsAsked(movie, options) == [])
        }
    }

    @Test func memoryOfLargeCanvasesStaysWithinTheEstimate() throws {
        let frames = try (0..<3).map { try scene($0 == 2 ? .cutout : .noise, 700, 500) }
        for quality in [0.3, 1] {
            #expect(laws.memoryStaysWithinTheEstimate(movie(frames), options(quality)) == [])
        }
    }

    @Test func filesAreNoLongerThanIsAllowed() throws {
        let bitmaps = try (0..<4).map { index in changed(try scene()) { x, y in (x * y + 31 * index) % 50 } }
        let whole = try laws.file(movie(bitmaps), options(0.9)).count
        var limited = options(0.9)
        limited.maxFileByteCount = whole / 3
        let file = try laws.file(movie(bitmaps), limited)
        #expect(file.count <= whole / 3 && file.count > whole / 5)
        #expect(try frames(file)[0].size == bitmaps[0].size)
    }
}
