import APNGCodec
import CodecTestSupport
import GIFCodec
import ImageCodecsCore
import Testing
import WebPCodec

/// Damaged animations: every frame that can be read, each decoded once, the same in one shot and in pieces.
@Suite struct DamagedAnimationTests {
    private static let files =
        ["gif/gifsicle-optimized.gif", "gif/restore-chain.gif", "gif/first-frame-restore.gif"]
        + ["webp/five-frames-100ms.webp", "webp/durations.webp", "webp/opaque-small-first-frame.webp"]
        + ["apng/default-in-animation.png", "apng/default-outside.png", "apng/adam7.png", "apng/rgb-8.png"]

    private typealias Coder = any AnimatedImageCoder & IncrementalImageCoder

    private func coder(_ name: String) -> Coder {
        if name.hasPrefix("gif") { return GIFCoder() }
        return name.hasPrefix("webp") ? WebPCoder() as Coder : APNGCoder()
    }

    private func file(_ name: String) throws -> [UInt8] { try FixtureBytes.read(name) }

    private func tolerant() -> DecodingOptions {
        var options = DecodingOptions()
        options.strictness = .tolerant
        options.limits = .untrusted
        options.limits.maxTime = nil
        return options
    }

    /// Changes a byte, drops some, or cuts the file off.
    private func damaged(_ file: [UInt8], _ source: inout DecisionSource) -> [UInt8] {
        var bytes = file
        let place = 13 + source.below(file.count - 13)
        switch source.below(4) {
        case 0: bytes.removeLast(file.count - place)
        case 1: bytes.removeSubrange(place..<min(place + 1 + source.below(6), file.count))
        default: bytes[place] ^= UInt8(1 << source.below(8))
        }
        return bytes
    }

    private func inPieces(_ file: [UInt8], of size: Int, _ coder: Coder, _ options: DecodingOptions) -> DamagedOutcome {
        DamagedOutcome { () throws(ImageError) in
            var decoder = coder.makeIncrementalDecoder(options: options)
            for start in stride(from: 0, to: file.count, by: size) {
                _ = try decoder.append(file.span.extracting(start..<min(start + size, file.count)))
            }
            _ = try decoder.finish()
            guard var image = try decoder.image() else { throw .unknownFormat }
            if let animation = try decoder.animation() {
                var frames: [ImageFrame] = []
                for index in 0..<animation.frameCount { frames.append(try animation.frame(at: index)) }
                image.animation = RasterImage.Animation(frames: frames, loopCount: animation.loopCount)
            }
            return image
        }
    }

    @Test(arguments: files)
    func piecesGiveWhatOneShotGives(_ name: String) throws {
        let file = try file(name)
        let coder = coder(name)
        for seed in 0..<60 as Range<UInt64> {
            var source = DecisionSource(seed: seed)
            let bytes = damaged(file, &source)
            for options in [tolerant(), .default] {
                let whole = DamagedOutcome { () throws(ImageError) in
                    try coder.decode(ImageData(bytes), options: options)
                }
                for size in [1 + source.below(40), 700] {
                    let pieces = inPieces(bytes, of: size, coder, options)
                    #expect(pieces == whole, "seed \(seed), pieces of \(size), \(options.strictness)")
                }
            }
        }
    }

    @Test(arguments: files, [true, false])
    func eachFrameIsDecodedOnceByOneCall(_ name: String, _ isDamaged: Bool) throws {
        let file = try file(name)
        for seed in 0..<(isDamaged ? 20 : 1) as Range<UInt64> {
            var source = DecisionSource(seed: seed)
            let bytes = isDamaged ? damaged(file, &source) : file
            for var options in [tolerant(), .default, .thumbnail(width: 9, height: 9)] {
                let log = WorkLog()
                options.workLog = log
                let image = try? coder(name).decode(ImageData(bytes), options: options)
                guard let count = image?.animation?.frames.count else { continue }
                for index in 0..<count {
                    let isInterlacedFirst = index == 0 && image?.isPartial == true
                    let decodes = log.decodeCount(ofFrame: index)
                    // An interlaced first frame that is damaged shows neighbours in the picture and nothing on the canvas.
                    #expect(decodes == 1 || (isInterlacedFirst && decodes == 2), "frame \(index), seed \(seed)")
                }
            }
        }
    }

    @Test(arguments: files)
    func allFramesOfOneCallAreThoseOfADecode(_ name: String) throws {
        let file = try file(name)
        let image = try coder(name).decode(ImageData(file), options: .default)
        var bitmaps: [Bitmap] = []
        let decoded = try coder(name).decodeFrames(of: ImageData(file), options: .default) {
            (frame, index, info) throws(ImageError) in
            #expect(index == bitmaps.count && info.animation != nil)
            bitmaps.append(frame.bitmap)
        }
        #expect(decoded.partial == nil)
        #expect(bitmaps == image.animation?.frames.map(\.bitmap))
    }

    @Test func aLimitOnThePixelsOfAllFramesIsForOneCall() throws {
        let name = "gif/gifsicle-optimized.gif"
        let file = ImageData(try file(name))
        let whole = try GIFCoder().makeAnimation(from: file, options: .default)
        let drawn = try (0..<whole.frameCount).reduce(0) { sum, index in
            let rect = try whole.frameInfo(at: index).rect
            return sum + rect.width * rect.height
        }
        var options = DecodingOptions()
        options.limits.maxFramePixelCount = drawn
        #expect(throws: Never.self) { try GIFCoder().decode(file, options: options) }
        options.limits.maxFramePixelCount = drawn - 1
        let error = #expect(throws: ImageError.self) { try GIFCoder().decode(file, options: options) }
        guard case .limitExceeded(.framePixels, _, _)? = error else {
            Issue.record("\(error as Any)")
            return
        }
        // Each frame of a player is a call of its own.
        let player = try GIFCoder().makeAnimation(from: file, options: options)
        for index in 0..<player.frameCount { _ = try player.frame(at: index) }
    }
}

/// What came of a damaged file, comparable.
struct DamagedOutcome: Equatable {
    struct Frame: Equatable {
        let bitmap: Bitmap
        let duration: Duration
        let isPartial: Bool
    }

    var error: ImageError?
    var bitmap: Bitmap?
    var partial: PartialReport?
    var frames: [Frame]?

    init(_ decode: () throws(ImageError) -> RasterImage) {
        do throws(ImageError) {
            let image = try decode()
            (bitmap, partial) = (image.bitmap, image.partial)
            frames = image.animation?.frames.map {
                Frame(bitmap: $0.bitmap, duration: $0.duration, isPartial: $0.isPartial)
            }
        } catch {
            self.error = error
        }
    }
}
