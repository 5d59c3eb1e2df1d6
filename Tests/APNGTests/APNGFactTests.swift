import APNGCodec
import CodecTestSupport
import ImageCodecsCore
import ImagePhotoMetadata
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

    /// PNG 3rd ed. §5.6 "Chunk ordering": eXIf comes before IDAT.
    @Test func anOrientationAfterTheFramesTurnsNoneOfThem() throws {
        let sound = try file("sixteen-frames.png")
        var chunk = PNGBuilder()
        let start = chunk.bytes.count
        chunk.add("eXIf", try #require(ExifBlock.bytes(nil, orientation: .left)))
        let late = Array(sound.dropLast(12) + chunk.bytes.dropFirst(start) + sound.suffix(12))
        let (image, expected) = (
            try APNGCoder().decode(ImageData(late), options: .default),
            try APNGCoder().decode(ImageData(sound), options: .default)
        )
        #expect(image.frames.map(\.bitmap) == expected.frames.map(\.bitmap))
        #expect(image.bitmap == expected.bitmap && image.metadata.exif != nil)
        #expect(try APNGCoder().inspect(ImageData(late), options: .default).orientation == .up)
    }

    @Test func durationsAreTheFractionsOfTheFile() throws {
        for (numerator, denominator, duration) in [
            (1, 30, .seconds(1) / 30), (1, 2000, .microseconds(500)), (1001, 30000, .seconds(1001) / 30000),
            (7, 0, .milliseconds(70)), (65535, 1, .seconds(65535)), (0, 30, .zero),
        ] as [(UInt16, UInt16, Duration)] {
            var body = [UInt8](repeating: 0, count: 26)
            (body[7], body[11]) = (1, 1)
            for (place, value) in [(20, numerator), (22, denominator)] {
                (body[place], body[place + 1]) = (UInt8(value >> 8), UInt8(value & 255))
            }
            var builder = PNGBuilder()
            builder.addHeader(width: 1, height: 1, colorType: 0)
            builder.add("acTL", [0, 0, 0, 1, 0, 0, 0, 0])
            builder.add("fcTL", body)
            builder.addImageData(PNGBuilder.stored([0, 5]))
            builder.add("IEND")
            let image = try APNGCoder().decode(ImageData(builder.bytes), options: .default)
            #expect(image.frames.map(\.duration) == [duration])
            // Written again, the fraction has the same value.
            let written = try APNGCoder().makeAnimation(
                from: ImageData(
                    try AnimationEncoderLaws(APNGCoder(), writing: .apng).file(RandomMovie(image.frames), .default)),
                options: .default)
            #expect(try written.duration(at: 0) == duration)
        }
    }

    /// The default image is whole, and its control chunk does not go with it.
    @Test func aFirstFrameThatDoesNotCoverTheCanvasLeavesTheDefaultImage() throws {
        func number(_ value: UInt32) -> [UInt8] { PNGBuilder.bigEndian(value) }
        func control(_ sequence: UInt32, _ width: UInt32, _ height: UInt32, operation: UInt8 = 0) -> [UInt8] {
            number(sequence) + number(width) + number(height) + number(0) + number(0) + [0, 1, 0, 10, operation, 0]
        }
        let controls = [
            control(0, 1, 2), control(0, 2, 1), control(0, 3, 2), control(0, 2, 2, operation: 9), [0, 0, 0, 0],
        ]
        for (index, first) in controls.enumerated() {
            var builder = PNGBuilder()
            builder.addHeader(width: 2, height: 2, colorType: 0)
            builder.add("acTL", [0, 0, 0, 2, 0, 0, 0, 0])
            builder.add("fcTL", first)
            builder.addImageData(PNGBuilder.stored([0, 1, 2, 0, 3, 4]))
            builder.add("fcTL", control(1, 2, 2))
            builder.add("fdAT", number(2) + PNGBuilder.stored([0, 9, 9, 0, 9, 9]))
            builder.add("IEND")
            var options = DecodingOptions()
            options.pixelFormat = .gray
            #expect(throws: ImageError.self) { try APNGCoder().decode(ImageData(builder.bytes), options: options) }
            options.strictness = .tolerant
            for firstFrameOnly in [false, true] {
                options.firstFrameOnly = firstFrameOnly
                let image = try APNGCoder().decode(ImageData(builder.bytes), options: options)
                #expect(image.bitmap.packedBytes() == [1, 2, 3, 4], "\(index)")
                #expect(image.animation == nil && image.format == .png)
                #expect(image.partial?.rows == [0..<2])
                #expect((image.partial?.cause).flatMap(\.damageCode) == .apngFrameControl)
                let pieces = try APNGCoder().decode(builder.bytes, inPiecesOf: 1, options: options)
                #expect(pieces?.bitmap == image.bitmap && pieces?.partial == image.partial)
            }
            let violations = DecoderLaws(APNGCoder()).hostileViolations(
                builder.bytes, options: options, DecisionSource(seed: 1))
            #expect(violations == [])
        }
    }

    @Test(arguments: [0, 3])
    func frameDataShorterThanTheirNumberAreDamage(_ byteCount: Int) throws {
        func number(_ value: UInt32) -> [UInt8] { PNGBuilder.bigEndian(value) }
        func control(_ sequence: UInt32) -> [UInt8] {
            number(sequence) + number(2) + number(2) + number(0) + number(0) + [0, 1, 0, 10, 0, 0]
        }
        var builder = PNGBuilder()
        builder.addHeader(width: 2, height: 2, colorType: 0)
        builder.add("acTL", [0, 0, 0, 2, 0, 0, 0, 0])
        builder.add("fcTL", control(0))
        builder.addImageData(PNGBuilder.stored([0, 1, 2, 0, 3, 4]))
        builder.add("fcTL", control(1))
        let offset = builder.bytes.count
        builder.add("fdAT", [UInt8](repeating: 0, count: byteCount))
        builder.add("IEND")
        let error = #expect(throws: ImageError.self) {
            try APNGCoder().decode(ImageData(builder.bytes), options: .default)
        }
        #expect(error?.damageCode == .apngFrameData && error?.offset == offset)
        var options = DecodingOptions()
        options.strictness = .tolerant
        options.pixelFormat = .gray
        let image = try APNGCoder().decode(ImageData(builder.bytes), options: options)
        #expect(image.bitmap.packedBytes() == [1, 2, 3, 4])
        #expect((image.partial?.cause).flatMap(\.damageCode) == .apngFrameData)
    }

    @Test func framesOfApplesVariantAreDecodedAlike() throws {
        func number(_ value: UInt32) -> [UInt8] { PNGBuilder.bigEndian(value) }
        func raw(_ pixel: [UInt8]) -> [UInt8] { Array(PNGBuilder.stored([0] + pixel).dropFirst(2).dropLast(4)) }
        var builder = PNGBuilder()
        builder.add("CgBI", [0x50, 0, 0x20, 2])
        builder.addHeader(width: 1, height: 1, colorType: 6)
        builder.add("acTL", [0, 0, 0, 2, 0, 0, 0, 0])
        for (sequence, pixel) in [(0, [1, 2, 3, 255]), (1, [10, 20, 30, 100])] as [(UInt32, [UInt8])] {
            builder.add(
                "fcTL", number(sequence) + number(1) + number(1) + number(0) + number(0) + [0, 1, 0, 10, 0, 0])
            if sequence == 0 { builder.addImageData(raw(pixel)) } else { builder.add("fdAT", number(2) + raw(pixel)) }
        }
        builder.add("IEND")
        var options = DecodingOptions()
        options.pixelFormat = .rgba
        let image = try APNGCoder().decode(ImageData(builder.bytes), options: options)
        #expect(image.frames.map { $0.bitmap.packedBytes() } == [[3, 2, 1, 255], [77, 51, 26, 100]])
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
