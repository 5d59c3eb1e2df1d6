import CodecTestSupport
import ImageCodecsCore
import PNGCodec
import Testing

@Suite struct PNGCoderTests {
    private let coder = PNGCoder()

    private func address(_ bitmap: Bitmap) -> UInt {
        bitmap.withRowBytes(0) { row in unsafe row.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } }
    }

    @Test func theWholeSignatureIsAskedFor() {
        let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        func canDecode(_ header: [UInt8]) -> Bool { coder.canDecode(header.span) }
        #expect(canDecode(signature))
        #expect(canDecode(signature + [1]))
        #expect(!canDecode(signature.dropLast()))
        for index in signature.indices {
            var wrong = signature
            wrong[index] ^= 1
            #expect(!canDecode(wrong))
        }
    }

    @Test func inspectionDescribesWithoutPixels() throws {
        let meter = MemoryMeter()
        var options = DecodingOptions()
        options.memoryMeter = meter
        let file = SamplePNG("", width: 540, height: 7, colorType: 6, depth: 16, interlaced: true).file
        let info = try coder.inspect(ImageData(file), options: options)
        #expect(info.format == .png)
        #expect(info.size == PixelSize(width: 540, height: 7))
        #expect(info.animation == nil)
        #expect(info.hasAlpha)
        #expect(info.bitDepth == 16)
        #expect(info.colorDescription == "RGBA")
        #expect(info.isProgressive)
        #expect(info.decodedByteCount == 7 * 2176)
        #expect(info.estimatedPeakByteCount > info.decodedByteCount)
        #expect(meter.peak == 0)
    }

    @Test func inspectionNeedsNoMoreThanTheHeaders() throws {
        let file = SamplePNG("", colorType: 2, depth: 8).file
        let headers = Array(file[..<(8 + 25 + 8)])
        #expect(try coder.inspect(ImageData(headers), options: .default).size == PixelSize(width: 29, height: 23))
        for count in 8..<headers.count {
            #expect(throws: ImageError.truncated(.png, offset: count)) {
                try coder.inspect(ImageData(Array(file[..<count])), options: .default)
            }
        }
    }

    @Test(arguments: DecodingOptions.Strictness.allCases)
    func inspectionSaysWhatIsWrongWithHeaders(_ strictness: DecodingOptions.Strictness) {
        var options = DecodingOptions()
        options.strictness = strictness
        var builder = PNGBuilder()
        builder.addHeader(width: 0, height: 5)
        builder.addImageData([1])
        #expect(throws: ImageError.corrupt(.png, .pngHeaderSize, offset: 16, reason: "size of 0x5 pixels")) {
            try coder.inspect(ImageData(builder.bytes), options: options)
        }
    }

    /// PNG 3rd ed. §5.6 "Chunk ordering": eXIf comes before IDAT.
    @Test func anOrientationAfterThePixelsDoesNotTurnThem() throws {
        let late = SamplePNG.lateOrientation.file
        let info = try coder.inspect(ImageData(late), options: .thumbnail(width: 10, height: 20))
        #expect(info.orientation == .up)
        let image = try coder.decode(ImageData(late), options: .thumbnail(width: 10, height: 20))
        // 29x23 pixels into a box of 10x20: 10x8.
        #expect(image.size == PixelSize(width: 10, height: 8))
        #expect(image.bitmap.byteCount == info.decodedByteCount)
        // It can be read, and what is written of it turns nothing.
        #expect(image.metadata.exif == SamplePNG.exif(orientation: 5))
        let written = ImageData(try coder.encode(image, to: .png, options: .default))
        #expect(try coder.inspect(written, options: .default).orientation == .up)
        #expect(try coder.decode(written, options: .default).size == image.size)
    }

    /// Chunks around the pixels, and the size that the picture of 29x23 pixels is seen in.
    private static let exifChunks: [(String, [(String, [UInt8])], [(String, [UInt8])], isTurned: Bool)] = [
        ("in front", [("eXIf", SamplePNG.exif(orientation: 6))], [], true),
        ("behind", [], [("eXIf", SamplePNG.exif(orientation: 6))], false),
        ("an empty one in front", [("eXIf", [])], [("eXIf", SamplePNG.exif(orientation: 6))], false),
        ("an odd one in front", [("eXIf", [1, 2])], [("eXIf", SamplePNG.exif(orientation: 6))], false),
        (
            "upright in front", [("eXIf", SamplePNG.exif(orientation: 1))], [("eXIf", SamplePNG.exif(orientation: 6))],
            false
        ),
        (
            "two behind", [], [("eXIf", SamplePNG.exif(orientation: 8)), ("eXIf", SamplePNG.exif(orientation: 1))],
            false
        ),
    ]

    @Test(arguments: exifChunks.indices)
    func inspectionAndDecodeAgreeAboutExif(_ index: Int) throws {
        let (name, chunks, late, isTurned) = Self.exifChunks[index]
        for interlaced in [false, true] {
            let file = SamplePNG(
                name, colorType: 2, depth: 8, interlaced: interlaced, chunks: chunks, late: late
            ).file
            for options in [DecodingOptions.default, .thumbnail(width: 10, height: 20)] {
                let info = try coder.inspect(ImageData(file), options: options)
                #expect(info.orientation.swapsAxes == isTurned, "\(name)")
                var options = options
                let allowed = try MemoryAllowance(coder, file, options).byteCount(holdsFrames: true)
                options.memoryMeter = MemoryMeter(limit: allowed)
                options.limits.maxMemoryByteCount = allowed
                let image = try coder.decode(ImageData(file), options: options)
                #expect(image.bitmap.byteCount == info.decodedByteCount, "\(name)")
                #expect(image.metadata.exif == info.metadata.exif)
                if options.size == .full {
                    #expect(image.size == (isTurned ? info.size.transposed : info.size), "\(name)")
                }
            }
        }
    }

    @Test func aDamagedExifChunkLeavesItsPlaceToTheNext() throws {
        var builder = PNGBuilder()
        builder.addHeader(width: 2, height: 1, colorType: 0)
        builder.add("eXIf", SamplePNG.exif(orientation: 3), flippedChecksumBits: 1)
        builder.add("eXIf", SamplePNG.exif(orientation: 6))
        builder.addImageData(PNGBuilder.stored([0, 10, 20]))
        builder.add("IEND")
        let data = ImageData(builder.bytes)
        #expect(try coder.inspect(data, options: .default).orientation == .right)
        #expect(try coder.decode(data, options: .default).size == PixelSize(width: 1, height: 2))
    }

    @Test(arguments: [(0, false), (1, true), (UInt32(Int32.max), true)])
    func anAnimationThatIsNotDecodedIsTold(_ frameCount: UInt32, _ expected: Bool) throws {
        let control = ("acTL", PNGBuilder.bigEndian(frameCount) + PNGBuilder.bigEndian(0))
        let file = PNGBuilder.onePixel(chunks: [control])
        #expect(try coder.inspect(ImageData(file), options: .default).hasUndecodedAnimation == expected)
        var decoder = coder.makeIncrementalDecoder(options: .default)
        _ = try decoder.append(file.span)
        #expect(decoder.info?.hasUndecodedAnimation == expected)
        // After the pixels, or of the wrong length, it is no animation.
        for other in [
            PNGBuilder.onePixel(late: [control]), PNGBuilder.onePixel(chunks: [("acTL", [0, 0, 0, 2])]),
            PNGBuilder.onePixel(),
        ] {
            #expect(try !coder.inspect(ImageData(other), options: .default).hasUndecodedAnimation)
        }
    }

    @Test func orientationIsAppliedUnlessToldOtherwise() throws {
        let file = PNGBuilder.file(
            width: 2, height: 1, colorType: 0, chunks: [("eXIf", SamplePNG.exif(orientation: 6))],
            scanlines: [0, 10, 20])
        var options = DecodingOptions()
        options.pixelFormat = .gray
        let turned = try coder.decode(ImageData(file), options: options)
        #expect(turned.size == PixelSize(width: 1, height: 2))
        #expect(turned.bitmap.packedBytes() == [10, 20])
        #expect(turned.orientation == .up)
        #expect(turned.metadata.orientation == .up)
        options.appliesOrientation = false
        let stored = try coder.decode(ImageData(file), options: options)
        #expect(stored.bitmap.packedBytes() == [10, 20])
        #expect(stored.size == PixelSize(width: 2, height: 1))
        #expect(stored.orientation == .right)
        #expect(stored.metadata.orientation == .right)
    }

    /// What was turned is written upright, what was not with its orientation: both are seen the same.
    @Test(arguments: 1...8 as ClosedRange<UInt8>)
    func aWrittenPictureIsNotTurnedTwice(_ orientation: UInt8) throws {
        for isLate in [false, true] {
            let exif = [("eXIf", SamplePNG.exif(orientation: orientation))]
            let file = PNGBuilder.file(
                width: 2, height: 1, colorType: 0, chunks: isLate ? [] : exif, scanlines: [0, 10, 20],
                late: isLate ? exif : [])
            let seen = try coder.decode(ImageData(file), options: .default)
            for isApplied in [true, false] {
                var options = DecodingOptions()
                options.appliesOrientation = isApplied
                let image = try coder.decode(ImageData(file), options: options)
                let written = ImageData(try coder.encode(image, to: .png, options: .default))
                let info = try coder.inspect(written, options: .default)
                #expect(info.orientation.rawValue == (isApplied || isLate ? 1 : Int(orientation)))
                #expect(try coder.decode(written, options: .default).bitmap == seen.bitmap)
            }
        }
    }

    @Test func decodingIntoABitmapReusesItsMemory() throws {
        let meter = MemoryMeter()
        var options = DecodingOptions()
        let file = ImageData(SamplePNG("", width: 300, height: 200, colorType: 6, depth: 8).file)
        var bitmap = Bitmap.empty
        try coder.decode(file, into: &bitmap, options: options)
        let (expected, place) = (bitmap, address(bitmap))
        // Shared with `expected`, so it is replaced.
        try coder.decode(file, into: &bitmap, options: options)
        #expect(address(bitmap) != place)
        #expect(bitmap == expected)
        let own = address(bitmap)
        options.memoryMeter = meter
        try coder.decode(file, into: &bitmap, options: options)
        #expect(address(bitmap) == own)
        #expect(bitmap == expected)
        #expect(meter.peak < bitmap.byteCount)
        // Another size or format replaces it.
        options.pixelFormat = .rgb
        try coder.decode(file, into: &bitmap, options: options)
        #expect(bitmap.format == .rgb)
        #expect(meter.peak >= bitmap.byteCount)
    }

    @Test func reusedMemoryShowsNothingOfItsPast() throws {
        var options = DecodingOptions()
        options.strictness = .tolerant
        for interlaced in [false, true] {
            let whole = SamplePNG("", width: 60, height: 60, colorType: 6, depth: 8, interlaced: interlaced).file
            let cut = ImageData(Array(whole.prefix(whole.count / 3)))
            let fresh = try coder.decode(cut, options: options).bitmap
            var bitmap = try Bitmap(size: fresh.size, format: fresh.format)
            try bitmap.withMutableBytes { bytes in
                for offset in 0..<bytes.byteCount { bytes.storeBytes(of: 0xA5, toByteOffset: offset, as: UInt8.self) }
            }
            try coder.decode(cut, into: &bitmap, options: options)
            #expect(bitmap == fresh)
        }
    }

    @Test func aBitmapIsGivenBackAsItIsAfterAnError() throws {
        var bitmap = try Bitmap(size: PixelSize(width: 2, height: 2), format: .bgrx)
        #expect(throws: ImageError.self) { try coder.decode(ImageData([1, 2]), into: &bitmap, options: .default) }
    }

    /// Sixteen bits are rounded, never truncated: `(v * 255 + 32895) >> 16`.
    @Test(arguments: [
        (0, 0), (128, 0), (129, 1), (385, 1), (386, 2), (0x7FFF, 127), (0x8000, 128), (65_407, 255), (65_535, 255),
    ])
    func sixteenBitsBecomeEight(_ sample: UInt16, _ expected: UInt8) throws {
        let file = PNGBuilder.file(
            width: 1, height: 1, depth: 16, colorType: 0, scanlines: [0, UInt8(sample >> 8), UInt8(sample & 255)])
        var options = DecodingOptions()
        options.pixelFormat = .gray
        #expect(try coder.decode(ImageData(file), options: options).bitmap.packedBytes() == [expected])
    }

    /// What stands after image data that are cut off, and is refused after sound ones.
    private static let refused: [[(String, [UInt8])]] = [
        [("ABCD", [1])], [("tEXt", Array("a\0b".utf8)), ("ABCD", [1])],
        [("tEXt", [UInt8](repeating: 65, count: 3000))], [("eXIf", SamplePNG.exif(orientation: 6)), ("ABCD", [])],
        (0..<30).map { _ in ("tEXt", Array("key\0text".utf8)) },
    ]

    @Test(arguments: refused.indices)
    func aTolerantInspectionAcceptsWhatATolerantDecodeShows(_ index: Int) throws {
        var options = DecodingOptions()
        options.limits.maxMetadataByteCount = 2000
        for interlaced in [false, true] {
            let sound = SamplePNG("", colorType: 2, depth: 8, interlaced: interlaced, late: Self.refused[index]).file
            options.strictness = .strict
            #expect(throws: ImageError.self) { try coder.decode(ImageData(sound), options: options) }
            #expect(throws: ImageError.self) { try coder.inspect(ImageData(sound), options: options) }
            var builder = PNGBuilder()
            builder.addHeader(width: 1, height: 3, colorType: 0, interlaced: interlaced)
            builder.add("IDAT", Array(PNGBuilder.stored([0, 10, 0, 20, 0, 30]).dropLast(6)))
            for (type, body) in Self.refused[index] { builder.add(type, body) }
            builder.add("IEND")
            options.strictness = .tolerant
            let image = try coder.decode(ImageData(builder.bytes), options: options)
            #expect(image.isPartial)
            let info = try coder.inspect(ImageData(builder.bytes), options: options)
            #expect(info.size == PixelSize(width: 1, height: 3))
            let violations = DecoderLaws(coder).hostileViolations(
                builder.bytes, options: options, DecisionSource(seed: 5))
            #expect(violations == [])
        }
    }
}
