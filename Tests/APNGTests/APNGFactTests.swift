import APNGCodec
import CodecTestSupport
import ImageCodecsCore
import Testing

/// Facts about playing that callers rely on.
@Suite struct APNGFactTests {
    private func file(_ name: String) throws -> [UInt8] { try AnimationFixture.named(name, "apng") }

    private func open(_ name: String, _ options: DecodingOptions = .default) throws -> any AnimatedImageProvider {
        try APNGCoder().makeAnimation(from: ImageData(file(name)), options: options)
    }

    @Test func framesAppearWhileAFileComesInThirds() throws {
        let file = try file("default-in-animation.png")
        var decoder = APNGCoder().makeIncrementalDecoder(options: .default)
        var counts: [Int] = []
        for part in 0..<3 {
            _ = try decoder.append(file.span.extracting(file.count * part / 3..<file.count * (part + 1) / 3))
            counts.append(try decoder.animation()?.frameCount ?? 0)
        }
        #expect(counts == counts.sorted())
        #expect(counts[0] < 3 && counts[2] == 3)
        let whole = try open("default-in-animation.png")
        let last = try #require(try decoder.animation())
        for index in 0..<3 { #expect(try last.frame(at: index).bitmap == whole.frame(at: index).bitmap) }
    }

    @Test func framesOfAThirdOfASecondKeepTheirDurations() throws {
        let image = try APNGCoder().decode(ImageData(file("sixteen-frames.png")), options: .default)
        #expect(image.frames.count == 16)
        #expect(Set(image.frames.map(\.duration)) == [.milliseconds(333), .milliseconds(334)])
    }

    @Test func aFirstFrameThatIsTakenBackIsCleared() throws {
        let animation = try open("first-frame-dispose-previous.png")
        #expect(try animation.frameInfo(at: 0).disposal != .keep)
        #expect(try animation.frameInfo(at: 1).composedFromIndex == 1)
    }

    @Test func aFrameIsDisposedOfBeforeTheNextIsBlended() throws {
        for name in ["dispose-mixed.png", "dispose-previous-blend-over.png", "dispose-background-blend-source.png"] {
            let animation = try open(name)
            var canvas = PlainCanvas(size: animation.info.size, isStraight: false)
            for index in 0..<animation.frameCount {
                canvas.show(try animation.frameInfo(at: index), try animation.subFrame(at: index).bitmap.packedBytes())
                #expect(try animation.frame(at: index).bitmap == (try canvas.bitmap()), "\(name), frame \(index)")
            }
        }
    }

    @Test func transparentPixelsReplaceWhatIsThereWithoutBlending() throws {
        let animation = try open("dispose-none-blend-source.png")
        let info = try animation.frameInfo(at: 1)
        #expect(info.blending == .replace)
        let (alone, frame) = (try animation.subFrame(at: 1).bitmap, try animation.frame(at: 1).bitmap)
        for y in 0..<info.rect.height {
            alone.withRowBytes(y) { mine in
                frame.withRowBytes(info.rect.y + y) { row in
                    let part = row.extracting(4 * info.rect.x..<4 * (info.rect.x + info.rect.width))
                    let isSame = part.hasSameBytes(as: mine)
                    #expect(isSame)
                }
            }
        }
    }

    @Test func playsAreCountedInTotal() throws {
        #expect(try (open("plays-0.png").loopCount, open("plays-1.png").loopCount) == (0, 1))
        #expect(try open("plays-3.png").loopCount == 3)
    }

    @Test func oneFrameIsAnAnimation() throws {
        let image = try APNGCoder().decode(ImageData(file("one-frame.png")), options: .default)
        #expect(image.animation?.frames.count == 1)
        #expect(try open("one-frame.png").frameCount == 1)
    }

    @Test func theFirstFrameAloneIsFrameZeroOnTheCanvas() throws {
        var options = DecodingOptions()
        options.firstFrameOnly = true
        for name in ["default-outside.png", "default-outside-small-first.png", "default-in-animation.png"] {
            let first = try open(name).frame(at: 0).bitmap
            let image = try APNGCoder().decode(ImageData(file(name)), options: options)
            #expect(try image.bitmap.converted(to: first.format) == first, "\(name)")
            let alone = try open(name, options)
            #expect(alone.frameCount == 1)
            #expect(try alone.frame(at: 0).bitmap == first)
        }
    }

    @Test(arguments: [Orientation.down, .left], [Int?.none, 10])
    func anOrientationAfterTheFramesTurnsAllOfThem(_ orientation: Orientation, longestSide: Int?) throws {
        let sound = try file("sixteen-frames.png")
        var chunk = PNGBuilder()
        let start = chunk.bytes.count
        chunk.add("eXIf", try #require(ExifBlock.bytes(nil, orientation: orientation)))
        let turned = sound.dropLast(12) + chunk.bytes.dropFirst(start) + sound.suffix(12)
        var options = DecodingOptions()
        if let longestSide { options.size = .fitting(PixelSize(width: longestSide, height: longestSide)) }
        let whole = try APNGCoder().decode(ImageData(Array(turned)), options: options)
        var decoder = APNGCoder().makeIncrementalDecoder(options: options)
        _ = try decoder.append(Array(turned.prefix(sound.count - 12)).span)
        let before = try #require(try decoder.animation())
        #expect(before.info.orientation == .up)
        let upright = try before.frame(at: 3).bitmap
        #expect(try upright.oriented(orientation) == whole.frames[3].bitmap)
        _ = try decoder.append(Array(turned.suffix(chunk.bytes.count - start + 12)).span)
        for isFinished in [false, true] {
            if isFinished { _ = try decoder.finish() }
            let after = try #require(try decoder.animation())
            for index in 0..<16 { #expect(try after.frame(at: index).bitmap == whole.frames[index].bitmap) }
        }
        #expect(try before.frame(at: 3).bitmap == upright)
    }

    /// The first frame's canvas is made before it is known how the picture is scaled.
    @Test(arguments: [PixelFormat.rgba, .grayAlpha, .bgraPremultiplied])
    func framesThatAreScaledOnlyIfTheyAreTurnedAreTheSameInAnyOrder(_ format: PixelFormat) throws {
        for name in ["sixteen-frames.png", "dispose-mixed.png"] {
            let sound = try file(name)
            var options = DecodingOptions()
            options.pixelFormat = format
            let size = try APNGCoder().inspect(ImageData(sound), options: options).size
            var chunk = PNGBuilder()
            let start = chunk.bytes.count
            chunk.add("eXIf", try #require(ExifBlock.bytes(nil, orientation: .left)))
            let exif = chunk.bytes.dropFirst(start)
            options.size = .fitting(PixelSize(width: size.width, height: size.height / 2), .stretch)
            for turned in [sound.prefix(33) + exif + sound.dropFirst(33), sound.dropLast(12) + exif + sound.suffix(12)]
            {
                let file = ImageData(Array(turned))
                let whole = try APNGCoder().decode(file, options: options)
                let animation = try APNGCoder().makeAnimation(from: file, options: options)
                for index in whole.frames.indices.reversed() {
                    #expect(try animation.frame(at: index).bitmap == whole.frames[index].bitmap, "\(name) \(index)")
                }
            }
        }
    }

    /// All rows of an interlaced first frame come, and nothing after them: it is damaged, and shown whole.
    @Test func aFrameWithoutTheEndOfItsDataIsShown() throws {
        let (width, height) = (5, 6)
        var lines: [UInt8] = []
        for pass in [(1, 1), (1, 1), (2, 1), (1, 2), (3, 1), (2, 3), (5, 3)] {
            for y in 0..<pass.1 { lines += [0] + (0..<pass.0).map { UInt8(40 * pass.0 + 10 * y + $0 + 1) } }
        }
        let data = PNGBuilder.stored(lines).dropLast(4)
        func control(_ number: UInt32) -> [UInt8] {
            PNGBuilder.bigEndian(number) + PNGBuilder.bigEndian(UInt32(width)) + PNGBuilder.bigEndian(UInt32(height))
                + [UInt8](repeating: 0, count: 8) + [0, 1, 0, 10, 0, 1]
        }
        var builder = PNGBuilder()
        builder.addHeader(width: width, height: height, colorType: 0, interlaced: true)
        builder.add("acTL", PNGBuilder.bigEndian(2) + PNGBuilder.bigEndian(0))
        builder.add("fcTL", control(0))
        builder.addImageData(Array(data))
        builder.add("fcTL", control(1))
        builder.add("fdAT", PNGBuilder.bigEndian(2) + data)
        builder.add("IEND")
        var options = DecodingOptions()
        options.strictness = .tolerant
        let image = try APNGCoder().decode(ImageData(builder.bytes), options: options)
        #expect(image.partial?.frameDamages.map(\.index) == [0, 1])
        let pieces = try #require(try APNGCoder().decode(builder.bytes, inPiecesOf: 7, options: options))
        #expect(pieces.bitmap == image.bitmap)
        var decoder = APNGCoder().makeIncrementalDecoder(options: options)
        for byte in builder.bytes { _ = try decoder.append([byte].span) }
        _ = try decoder.finish()
        let played = [
            try APNGCoder().makeAnimation(from: ImageData(builder.bytes), options: options),
            try #require(try decoder.animation()),
        ]
        let shown = try image.bitmap.converted(to: .gray).packedBytes()
        #expect(shown.allSatisfy { $0 > 40 })
        for index in 0..<2 {
            #expect(try image.frames[index].bitmap.converted(to: .gray).packedBytes() == shown)
            for animation in played { #expect(try animation.frame(at: index).bitmap == image.frames[index].bitmap) }
        }
    }
}
