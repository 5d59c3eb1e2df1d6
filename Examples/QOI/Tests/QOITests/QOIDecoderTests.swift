import ImageCodecs
import QOI
import Testing

@Suite struct QOIDecoderTests {
    private let registry: CoderRegistry = {
        let registry = CoderRegistry([PNGCoder()])
        registry.addQOI()
        return registry
    }()

    private func decode(_ bytes: [UInt8], _ options: DecodingOptions = .default) throws(ImageError) -> RasterImage {
        try registry.decode(ImageData(bytes), options: options)
    }

    @Test(arguments: Fixture.all)
    func pixelsAreThoseTheReferenceEncoderWasGiven(_ fixture: Fixture) throws {
        try #require(!fixture.pixels.isEmpty)
        let image = try decode(fixture.file, .exact(fixture.format))
        #expect(image.size == fixture.size)
        #expect(image.format == QOICoder.format)
        #expect(image.bitmap.packedBytes() == fixture.pixels)
    }

    @Test(arguments: Fixture.all, PixelFormat.all)
    func everyPixelFormatIsThatOfAConversion(_ fixture: Fixture, _ format: PixelFormat) throws {
        let exact = try decode(fixture.file, .exact(nil)).bitmap
        let image = try decode(fixture.file, .exact(format))
        #expect(try image.bitmap == exact.converted(to: image.bitmap.format))
    }

    @Test(arguments: Fixture.all, [1, 2, 7, 4096])
    func piecesGiveTheSamePicture(_ fixture: Fixture, _ pieceByteCount: Int) throws {
        let whole = try decode(fixture.file).bitmap
        var decoder = registry.makeIncrementalDecoder(options: .default)
        var lastRow = 0
        for start in stride(from: 0, to: fixture.file.count, by: pieceByteCount) {
            let piece = Array(fixture.file[start..<min(start + pieceByteCount, fixture.file.count)])
            _ = try decoder.append(piece)
            let rows = try decoder.image()?.partial?.rows.last?.upperBound ?? lastRow
            #expect(rows >= lastRow)
            lastRow = rows
        }
        #expect(try decoder.finish().isComplete)
        #expect(try decoder.image()?.bitmap == whole)
        #expect(try decoder.image()?.isPartial == false)
    }

    @Test func picturesOfHalfAFileShowItsRows() throws {
        let fixture = Fixture.soft
        let whole = try decode(fixture.file).bitmap
        var decoder = registry.makeIncrementalDecoder(options: .default)
        _ = try decoder.append(Array(fixture.file[..<(fixture.file.count / 2)]))
        let half = try #require(try decoder.image())
        let rows = try #require(half.partial?.rows.first)
        #expect(rows.lowerBound == 0 && !rows.isEmpty && rows.upperBound < fixture.size.height)
        for y in rows {
            for x in 0..<fixture.size.width { #expect(half.bitmap[x, y] == whole[x, y]) }
        }
    }

    @Test(arguments: [Fixture.soft, .softAlpha])
    func thumbnailsAreTheWholePictureScaled(_ fixture: Fixture) throws {
        let whole = try decode(fixture.file, .exact(.bgraPremultiplied)).bitmap
        var options = DecodingOptions.thumbnail(width: 20, height: 20)
        options.pixelFormat = .bgraPremultiplied
        let thumbnail = try decode(fixture.file, options).bitmap
        #expect(max(thumbnail.width, thumbnail.height) == 20)
        #expect(try thumbnail == whole.scaled(to: thumbnail.size))
    }

    @Test func anInspectionSaysWhatADecodeWillTake() throws {
        let info = try registry.inspect(ImageData(Fixture.softAlpha.file), options: .default)
        #expect(info.size == Fixture.softAlpha.size)
        #expect(info.hasAlpha && info.bitDepth == 8 && info.colorDescription == "RGBA")
        #expect(info.decodedByteCount == 192 * 53)  // rows are padded to 64 bytes
        #expect(info.estimatedPeakByteCount >= info.decodedByteCount)
    }

    @Test func limitsAreKept() throws {
        for (kind, change) in [
            (ImageError.LimitKind.dimension, { $0.maxDimension = 60 }), (.pixels, { $0.maxPixelCount = 61 * 47 - 1 }),
            (.memory, { $0.maxMemoryByteCount = 61 * 47 * 4 }), (.input, { $0.maxInputByteCount = 100 }),
        ] as [(ImageError.LimitKind, (inout DecodingLimits) -> Void)] {
            var options = DecodingOptions()
            change(&options.limits)
            #expect {
                try decode(Fixture.soft.file, options)
            } throws: { error in
                if case .limitExceeded(kind, _, _)? = error as? ImageError { true } else { false }
            }
        }
    }

    @Test func cutFilesThrowOrGiveTheRowsThatAreThere() throws {
        let fixture = Fixture.soft
        let whole = try decode(fixture.file, .exact(.rgb)).bitmap
        for count in stride(from: 14, to: fixture.file.count, by: 97) {
            let cut = Array(fixture.file[..<count])
            #expect(throws: ImageError.truncated(QOICoder.format, offset: count)) { try decode(cut) }
            var options = DecodingOptions.exact(.rgb)
            options.strictness = .tolerant
            guard let image = try? decode(cut, options) else { continue }
            let rows = try #require(image.partial?.rows.first)
            for y in rows { #expect(image.bitmap[0, y] == whole[0, y] && image.bitmap[60, y] == whole[60, y]) }
        }
    }

    @Test func damageHasItsCode() throws {
        func code(_ change: (inout [UInt8]) -> Void) -> DamageCode? {
            var file = Fixture.soft.file
            change(&file)
            do throws(ImageError) {
                _ = try decode(file)
                return nil
            } catch {
                return error.damageCode
            }
        }
        #expect(code { $0[7] = 0 } == .qoiSize)
        #expect(code { $0[12] = 5 } == .qoiHeader)
        #expect(code { $0[13] = 2 } == .qoiHeader)
        #expect(code { $0[$0.count - 1] = 2 } == .qoiEnd)
    }

    /// A decoder that traps ends the test run.
    @Test func noBytesEndTheProcess() {
        var generator = SystemRandomNumberGenerator()
        var options = DecodingOptions()
        options.strictness = .tolerant
        options.limits.maxPixelCount = 1 << 16
        var outcomes: Set<Bool> = []
        for round in 0..<2000 {
            var file = Fixture.all[round % 2].file
            for _ in 0..<3 {
                file[Int.random(in: 4..<file.count, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            outcomes.insert((try? decode(file, options)) != nil)
        }
        #expect(outcomes.contains(true))
    }
}
