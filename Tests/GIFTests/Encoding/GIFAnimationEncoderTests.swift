import CodecTestSupport
import GIFCodec
import ImageCodecsCore
import Testing

@Suite struct GIFAnimationEncoderTests {
    private static let size = PixelSize(width: 20, height: 10)

    private func frame(
        _ milliseconds: Int = 100, _ color: (_ x: Int, _ y: Int) -> [UInt8]
    ) throws -> ImageFrame {
        let pixels = (0..<10).flatMap { y in (0..<20).flatMap { x in color(x, y) } }
        return ImageFrame(
            bitmap: try Bitmap(packed: pixels, size: Self.size, format: .rgba), duration: .milliseconds(milliseconds))
    }

    private func file(
        _ frames: [ImageFrame], loopCount: Int = 0, _ options: EncodingOptions = .default
    ) throws -> [UInt8] {
        try AnimationEncoderLaws(GIFCoder(), writing: .gif, .gif()).file(
            RandomMovie(frames, loopCount: loopCount), options)
    }

    /// Blocks of a file: images with the delay and disposal before them.
    private func images(_ file: [UInt8]) throws -> [(image: BlockReader.Image, control: GraphicControl)] {
        var (reader, position, work) = (BlockReader(), 0, WorkGuard.unlimited)
        var images: [(BlockReader.Image, GraphicControl)] = []
        var control = GraphicControl()
        var isControl = false
        while let step = try file.withSpan({ (bytes) throws(ImageError) in
            try reader.next(in: bytes, from: &position, offset: 0, work: &work)
        }) {
            switch step {
            case .begins(let label, _): isControl = label == 0xF9
            case .subBlocks(let range) where isControl:
                control =
                    file.withSpan { GraphicControl($0.extracting(range.lowerBound + 1..<range.upperBound)) } ?? control
            case .image(let image):
                isControl = false
                images.append((image, control))
            default: break
            }
        }
        return images
    }

    @Test func onlyWhatChangedIsWritten() throws {
        // Three pixels that move on by three: the old place and the new one.
        let frames = try (0..<3).map { step in
            try frame { x, y in x / 3 == step && y == 4 ? [255, 0, 0, 255] : [UInt8(x), UInt8(y), 9, 255] }
        }
        let images = try images(file(frames))
        #expect(
            images.map(\.image.descriptor.rect.size) == [
                Self.size, PixelSize(width: 6, height: 1), PixelSize(width: 6, height: 1),
            ])
        #expect(images.allSatisfy { $0.control.delay == 10 })
        #expect(images.allSatisfy { $0.image.localTable.isEmpty || $0.image.descriptor.localTableCount <= 4 })
    }

    @Test func playsAreOneMoreThanRepetitions() throws {
        let frames = try [0, 255].map { level in try frame { _, _ in [level, 0, 0, 255] } }
        for (plays, stored) in [(0, [1, 0, 0]), (2, [1, 1, 0]), (65_536, [1, 255, 255])] as [(Int, [UInt8])] {
            let bytes = try file(frames, loopCount: plays)
            let name = Array("NETSCAPE2.0".utf8) + [3] + stored + [0]
            #expect(bytes.indices.contains { bytes[$0...].starts(with: name) })
        }
        let once = try file(frames, loopCount: 1)
        #expect(!once.indices.contains { once[$0...].starts(with: "NETSCAPE".utf8) })
        var options = EncodingOptions()
        let losses = LossLog()
        options.losses = losses
        let most = try file(frames, loopCount: 65_536, options)
        #expect(losses.count(of: .plays) == 0)
        #expect(try file(frames, loopCount: 65_537, options) == most)
        #expect(losses.count(of: .plays) == 1)
    }

    @Test func longFramesAreSeveral() throws {
        let frames = try [(10, 700_000), (20, 50), (10, 655_350)].map { level, milliseconds in
            try frame(milliseconds) { x, _ in [UInt8(level), UInt8(x), 0, x > 14 && level == 10 ? 0 : 255] }
        }
        let bytes = try file(frames)
        let delays = try images(bytes).map { Int($0.control.delay) }
        #expect(delays.reduce(0, +) == 70_000 + 5 + 65_535 && delays.count == 4)
        #expect(
            AnimationEncoderLaws(GIFCoder(), writing: .gif, .gif()).framesComeBack(RandomMovie(frames), .default) == [])
    }

    @Test func whatIsLostIsRecorded() throws {
        let losses = LossLog()
        var options = EncodingOptions()
        options.losses = losses
        let still = try frame(33) { x, y in [UInt8(x), UInt8(y), 1, 255] }
        let other = try frame(40) { x, y in [UInt8(x), UInt8(y), 2, UInt8(100 + x)] }
        _ = try file([still, still, other, still], options)
        #expect(losses.count(of: .frames) == 1)
        // 66 ms together, and 33 ms.
        #expect(losses.count(of: .durations) == 2)
        #expect(losses.count(of: .translucency) > 0 && losses.count(of: .colors) == 0)
    }

    @Test func durationsKeepTheirSum() throws {
        for (count, duration, sum) in [
            (30, .seconds(1) / 30, 100), (100, .microseconds(500), 5), (24, .seconds(1001) / 24000, 100),
        ] as [(Int, Duration, Int)] {
            let losses = LossLog()
            var options = EncodingOptions()
            options.losses = losses
            let frames = try (0..<count).map { step in
                ImageFrame(bitmap: try frame { x, _ in [UInt8(step), UInt8(x), 0, 255] }.bitmap, duration: duration)
            }
            let delays = try images(file(frames, options)).map { Int($0.control.delay) }
            #expect(delays.count == count && delays.reduce(0, +) == sum)
            #expect(losses.count(of: .durations) == count)
        }
    }

    @Test func translucentPixelsAreRefusedIfNothingMayBeLost() throws {
        var options = EncodingOptions()
        options.gif.mayReduceColors = false
        let opaque = try frame { x, y in [UInt8(x), UInt8(y), 1, x == 0 ? 0 : 255] }
        let other = try frame { x, y in [UInt8(x), UInt8(y), 2, UInt8(100 + x)] }
        _ = try file([opaque, opaque], options)
        #expect(throws: ImageError.unsupported(.gif, feature: "translucent pixels without loss")) {
            try file([opaque, other], options)
        }
        options.background = SIMD3(255, 255, 255)
        _ = try file([opaque, other], options)
    }

    @Test func everyFrameMayHaveItsOwn256Colors() throws {
        let frames = try (0..<3).map { step in
            try frame { x, y in [UInt8(x), UInt8(y), UInt8(80 * step), 255] }
        }
        var options = EncodingOptions()
        let laws = AnimationEncoderLaws(GIFCoder(), writing: .gif, .gif())
        for tables in [.automatic, .local] as [GIFEncodingOptions.Tables] {
            options.gif.tables = tables
            #expect(laws.framesComeBack(RandomMovie(frames), options) == [])
        }
        #expect(try images(file(frames, options)).allSatisfy { $0.image.descriptor.localTableCount == 256 })
        options.gif.tables = .global
        #expect(try images(file(frames, options)).allSatisfy { $0.image.descriptor.localTableCount == 0 })
    }

    /// Tables without room for a transparent colour: what does not change cannot be left out, and is not painted over.
    @Test(arguments: [0, 0.5, 0.9, 1])
    func aQualityKeepsWhatDoesNotChange(_ quality: Double) throws {
        let twoColors = try (0..<4).map { step in
            try frame { x, y in x < 5 * step && y < 7 ? [255, 255, 255, 255] : [0, 0, 0, 255] }
        }
        let grays = try [0, 1, 0].map { step in
            try frame { x, y in
                let level = UInt8(20 * y + x + (x == 7 && step == 1 ? 3 : 0))
                return step == 0 ? [level, level, level, 255] : [level, level, level / 2, 255]
            }
        }
        let full = try (0..<3).map { step in
            try frame { x, y in
                let level = UInt8((20 * y + x + 28 * (y / 9) + (y == 4 ? step : 0)) & 255)
                return [level, level, level, 255]
            }
        }
        for (frames, count) in [(twoColors, 2), (grays, 200), (full, 256), (full, 228)] {
            for effort in EncodingOptions.Effort.allCases {
                var options = EncodingOptions()
                (options.quality, options.effort, options.gif.colorCount) = (quality, effort, count)
                var decoding = DecodingOptions()
                decoding.pixelFormat = .rgba
                let read = try GIFCoder().makeAnimation(from: ImageData(file(frames, options)), options: decoding)
                for index in 0..<read.frameCount {
                    let bytes = try read.frame(at: index).bitmap.packedBytes()
                    #expect((0..<200).allSatisfy { bytes[4 * $0 + 3] == 255 })
                }
            }
        }
    }

    /// Where colours are reduced, pixels that do not change in the source do not change in the file.
    @Test func whatStandsStillDoesNotFlicker() throws {
        let size = PixelSize(width: 120, height: 80)
        let back = try EncoderPicture(.ramp, size: size, format: .rgba).bitmap
        let frames = try (0..<5).map { step in
            var bitmap = back
            for y in 30..<50 {
                try bitmap.withMutableRow(y) { row in
                    for x in 20 * step..<20 * step + 20 { row[4 * x] = UInt8(7 * x & 255) }
                }
            }
            return ImageFrame(bitmap: bitmap, duration: .milliseconds(50))
        }
        for effort in EncodingOptions.Effort.allCases {
            var options = EncodingOptions()
            options.effort = effort
            let bytes = try file(frames, options)
            var decoding = DecodingOptions()
            decoding.pixelFormat = .rgba
            let read = try GIFCoder().makeAnimation(from: ImageData(bytes), options: decoding)
            let first = try read.frame(at: 0).bitmap
            for index in 1..<5 {
                let bitmap = try read.frame(at: index).bitmap
                for y in [0, 10, 29, 50, 79] {
                    #expect(bitmap.withRow(y) { Array($0) } == first.withRow(y) { Array($0) }, "\(effort), row \(y)")
                }
            }
        }
    }
}
