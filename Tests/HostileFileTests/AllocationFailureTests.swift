import APNGCodec
import CodecTestSupport
import GIFCodec
import HostileFiles
import ImageCodecsCore
import ImageEncoding
import JPEGCodec
import PNGCodec
import Testing
import WebPCodec

/// Every request for memory is refused in turn, in files of every feature read in every way: a typed error, nothing kept,
/// no trap, and afterwards the file decodes as ever.
@Suite struct AllocationFailureTests {
    @Test(arguments: FeatureFile.all)
    func aRefusedRequestIsAnErrorAndKeepsNothing(_ file: FeatureFile) throws {
        let bytes = try file.bytes()
        for way in ReadingWay.all where !way.isForAnimations || file.isAnimation {
            let violations = RefusedMemory.violations("\(file), \(way)") { (meter) throws(ImageError) in
                var options = way.options
                options.memoryMeter = meter
                return try way.read(file.coder, bytes, options)
            }
            #expect(violations == [])
        }
    }

    /// A frame that had no memory comes when it is asked for again.
    @Test(arguments: FeatureFile.all.filter(\.isAnimation))
    func aProviderOutlivesARefusal(_ file: FeatureFile) throws {
        let animated = try #require(file.coder as? any AnimatedImageCoder)
        let data = ImageData(try file.bytes())
        let sound = try animated.makeAnimation(from: data, options: .default)
        let expected = try (0..<sound.frameCount).map { try sound.frame(at: $0).bitmap }
        for index in 0..<60 {
            let failure = AllocationFailure(.reservation, at: index)
            var options = DecodingOptions()
            options.memoryMeter = MemoryMeter(failure: failure)
            guard let animation = try? animated.makeAnimation(from: data, options: options) else { continue }
            for frame in expected.indices.reversed() {
                if let bitmap = try? animation.frame(at: frame).bitmap {
                    #expect(bitmap == expected[frame], "request \(index)")
                } else {
                    #expect(failure.hasHappened)
                    #expect(try animation.frame(at: frame).bitmap == expected[frame], "request \(index), again")
                }
            }
        }
    }

    /// A picture of an unfinished decode that had no memory takes nothing from those that follow.
    @Test(arguments: FeatureFile.all)
    func aDecodeOutlivesARefusedPicture(_ file: FeatureFile) throws {
        let bytes = try file.bytes()
        let expected = try file.coder.decode(ImageData(bytes), options: .default).bitmap
        for index in 0..<40 {
            var options = DecodingOptions()
            options.memoryMeter = MemoryMeter(failure: AllocationFailure(.reservation, at: index))
            var decoder = file.coder.makeIncrementalDecoder(options: options)
            do throws(ImageError) {
                let step = max(1, bytes.count / 7)
                for start in stride(from: 0, to: bytes.count, by: step) {
                    _ = try decoder.append(bytes.span.extracting(start..<min(start + step, bytes.count)))
                    _ = try? decoder.image()
                }
                _ = try decoder.finish()
            } catch {
                // A decode that failed says so again.
                #expect(throws: error) { try decoder.append(Span()) }
                continue
            }
            let picture = (try? decoder.image()) ?? nil
            #expect(try picture?.bitmap ?? decoder.image()?.bitmap == expected, "request \(index)")
        }
    }

    @Test func wholeBitmapsChangeOrThrow() throws {
        var random = SeededRandom(seed: 5)
        let size = PixelSize(width: 21, height: 17)
        let bitmap = try Bitmap(copying: random.bytes(21 * 17 * 4), size: size, format: .rgba)
        let deep = try bitmap.converted(to: .rgba16)
        let violations = RefusedMemory.violations("bitmap") { (meter) throws(ImageError) in
            [
                try bitmap.converted(to: .gray16, meter: meter, work: .unlimited),
                try bitmap.scaled(to: PixelSize(width: 9, height: 30), meter: meter, work: .unlimited),
                try bitmap.oriented(.leftMirrored, meter: meter, work: .unlimited),
                try bitmap.flattened(onto: [1, 2, 3], meter: meter),
                try deep.flattened(onto: [1, 2, 3], meter: meter),
            ]
        }
        #expect(violations == [])
    }

    /// The one write that allocates: through a bitmap that somebody else holds too.
    @Test func aSharedBitmapStaysAsItIsWhereACopyIsRefused() {
        let size = PixelSize(width: 21, height: 17)
        let violations = RefusedMemory.violations("shared") { (meter) throws(ImageError) in
            var bitmap = try Bitmap(cleared: size, format: .gray16, meter: meter, work: .unlimited)
            let kept = bitmap
            do throws(ImageError) {
                try bitmap.withMutableRow(3) { $0[0] = 1 }
            } catch {
                #expect(bitmap == kept)
                throw error
            }
            #expect(bitmap != kept)
            let second = bitmap
            try bitmap.withMutableRow16(4) { $0[2] = 500 }
            let third = bitmap
            try bitmap.withMutableBytes { $0.storeBytes(of: 1, as: UInt8.self) }
            return [kept, second, third, bitmap]
        }
        #expect(violations == [])
    }
}

extension AllocationFailureTests {
    /// Options of an encoder.
    static let encodings: [(String, @Sendable (inout EncodingOptions) -> Void)] = [
        ("plain", { _ in }),
        ("scaled", { $0.maxPixelSize = PixelSize(width: 9, height: 9) }),
        ("on a background", { $0.background = [10, 20, 30] }),
        ("fast", { $0.effort = .fast }),
        ("best", { $0.effort = .best }),
        ("small", { $0.maxFileByteCount = 700 }),
    ]

    @Test(arguments: encodings.indices)
    func aRefusedRequestOfAnEncoderOfAnimationsIsAnError(_ index: Int) throws {
        var source = DecisionSource(seed: 21)
        let movie = RandomMovie(Array(try RandomMovie(&source, format: .rgba).frames.prefix(3)))
        let mixed = try movie.frames.enumerated().map { number, frame in
            ImageFrame(
                bitmap: try number % 2 == 0 ? frame.bitmap : frame.bitmap.converted(to: .bgraPremultiplied),
                duration: frame.duration)
        }
        let (name, change) = Self.encodings[index]
        let violations = RefusedMemory.violations("\(name) \(movie)") { (meter) throws(ImageError) in
            var options = EncodingOptions()
            change(&options)
            options.memoryMeter = meter
            var image = movie.image
            image.animation?.frames = mixed
            let held = try APNGCoder().encode(image, to: .apng, options: options)
            guard options.maxFileByteCount == nil else { return [held] }
            var session = try CoderRegistry([APNGCoder()]).makeAnimationEncodingSession(
                to: .apng, size: movie.info.size, pixelFormat: .rgba, frameCount: movie.frameCount, options: options)
            var file: [UInt8] = []
            for frame in movie.frames {
                try session.write(frame.bitmap, for: frame.duration) { file.append(contentsOf: $0) }
            }
            try session.finish { file.append(contentsOf: $0) }
            return [held, file]
        }
        #expect(violations == [])
    }

    @Test(arguments: encodings.indices)
    func aRefusedRequestOfTheGIFEncoderIsAnError(_ index: Int) throws {
        let size = PixelSize(width: 30, height: 20)
        let still = RasterImage(bitmap: try EncoderPicture(.ramp, size: size, format: .rgba).bitmap)
        var moved = still.bitmap
        for y in 3..<9 { try moved.withMutableRow(y) { row in for x in 4..<60 { row[x] = UInt8((7 * x + y) & 255) } } }
        var movie = still
        movie.animation = RasterImage.Animation(
            frames: [still.bitmap, moved, still.bitmap].map {
                ImageFrame(bitmap: $0, duration: .milliseconds(50))
            }, loopCount: 0)
        let violations = RefusedMemory.violations("gif, \(Self.encodings[index].0)") { (meter) throws(ImageError) in
            var options = EncodingOptions()
            Self.encodings[index].1(&options)
            options.memoryMeter = meter
            return [
                try GIFCoder().encode(still, to: .gif, options: options),
                try GIFCoder().encode(movie, to: .gif, options: options),
            ]
        }
        #expect(violations == [])
    }

    @Test(arguments: PixelFormat.all, encodings.indices)
    func aRefusedRequestOfAnEncoderIsAnError(_ format: PixelFormat, _ index: Int) throws {
        var random = SeededRandom(seed: 8)
        let size = PixelSize(width: 20, height: 14)
        let pixels = try Bitmap(copying: random.bytes(20 * 14 * 4), size: size, format: .rgba)
        var image = RasterImage(bitmap: try pixels.converted(to: format))
        image.metadata.texts = [TextEntry(keyword: "Comment", text: String(repeating: "many words ", count: 200))]
        image.metadata.iccProfile = random.bytes(300)
        image.metadata.comments = ["short"]
        let (name, change) = Self.encodings[index]
        let violations = RefusedMemory.violations("\(name) \(format)") { (meter) throws(ImageError) in
            var options = EncodingOptions()
            change(&options)
            if options.maxFileByteCount != nil { options.metadata = .none }
            options.memoryMeter = meter
            return try PNGCoder().encode(image, to: .png, options: options)
        }
        #expect(violations == [])
    }
}
