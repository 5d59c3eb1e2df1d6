import CodecTestSupport
import ImageCodecsCore
import PNGCodec
import Testing

@Suite struct PNGDecoderTests {
    private func tolerant(_ format: PixelFormat? = .rgba) -> DecodingOptions {
        var options = DecodingOptions()
        options.strictness = .tolerant
        options.pixelFormat = format
        return options
    }

    /// Three gray pixels below each other.
    private let scanlines: [UInt8] = [0, 10, 0, 20, 0, 30]

    private func file(_ imageData: (inout PNGBuilder) -> Void) -> [UInt8] {
        var builder = PNGBuilder()
        builder.addHeader(width: 1, height: 3, colorType: 0)
        imageData(&builder)
        builder.add("IEND")
        return builder.bytes
    }

    private func decode(_ file: [UInt8], _ options: DecodingOptions = .default) throws -> RasterImage {
        try PNGCoder().decode(ImageData(file), options: options)
    }

    @Test func progressFollowsTheFile() throws {
        let file = file { $0.addImageData(PNGBuilder.stored(scanlines)) }
        var decoder = PNGCoder().makeIncrementalDecoder(options: .default)
        #expect(decoder.info == nil)
        var rows: [Range<Int>] = []
        for index in file.indices {
            let progress = try decoder.append(file.span.extracting(index..<index + 1))
            #expect(progress.isComplete == (index == file.count - 1))
            let known = try decoder.image()?.partial?.rows.first
            if let known, rows.last != known { rows.append(known) }
        }
        #expect(rows == [0..<1, 0..<2, 0..<3])
        #expect(decoder.info?.size == PixelSize(width: 1, height: 3))
        let progress = try decoder.finish()
        #expect(progress.consumedByteCount == file.count)
        #expect(try decoder.image()?.isPartial == false)
    }

    @Test func pictureAndReportGrowRowByRow() throws {
        let file = file { $0.addImageData(PNGBuilder.stored(scanlines)) }
        var options = DecodingOptions()
        options.pixelFormat = .gray
        var decoder = PNGCoder().makeIncrementalDecoder(options: options)
        // Signature, IHDR, IDAT header, zlib and block header, then two rows.
        _ = try decoder.append(file.span.extracting(0..<(8 + 25 + 8 + 7 + 4)))
        let image = try #require(try decoder.image())
        #expect(image.bitmap.packedBytes() == [10, 20, 0])
        #expect(image.partial == PartialReport(rows: [0..<2]))
    }

    @Test func errorsArePermanent() {
        var decoder = PNGCoder().makeIncrementalDecoder(options: .default)
        for _ in 0..<2 {
            #expect(throws: ImageError.unknownFormat) { _ = try decoder.append([0x89, 0x50, 0x4E, 0x46].span) }
            #expect(throws: ImageError.unknownFormat) { try decoder.finish() }
        }
        #expect(throws: Never.self) { try decoder.image() == nil }
    }

    @Test(arguments: [1, 2, 3, 100])
    func imageDataMayBeCutAnywhere(_ chunkSize: Int) throws {
        let file = file { builder in
            builder.add("IDAT")
            builder.addImageData(PNGBuilder.stored(scanlines), chunkSize: chunkSize)
            builder.add("IDAT")
        }
        var options = DecodingOptions()
        options.pixelFormat = .gray
        #expect(try decode(file, options).bitmap.packedBytes() == [10, 20, 30])
    }

    @Test func dataBehindTheStreamAndBehindTheEndIsIgnored() throws {
        var file = file { builder in
            builder.add("IDAT", PNGBuilder.stored(scanlines) + [1, 2, 3])
            builder.add("IDAT", [4, 5, 6])
        }
        file += [0, 0, 0, 9, 1, 2, 3]
        #expect(try !decode(file).isPartial)
    }

    /// A stored block too many, then a block of the type that does not exist: seen at once, or a call later.
    @Test(arguments: [1, 2, 1000])
    func damageBehindSurplusDataIsIgnoredHoweverItIsCut(_ pieceSize: Int) throws {
        var stream: [UInt8] = [0x78, 0x01, 0, 6, 0, 0xF9, 0xFF]
        stream += scanlines
        stream += [0, 1, 0, 0xFE, 0xFF, 0x55, 0x07, 1, 2, 3, 4]
        let file = file { $0.add("IDAT", stream) }
        #expect(try !decode(file).isPartial)
        let cut = try PNGCoder().decode(file, inPiecesOf: pieceSize, options: .default)
        #expect(cut?.isPartial == false)
    }

    @Test func tooFewRowsAreCorrupt() {
        let file = file { $0.addImageData(PNGBuilder.stored(Array(scanlines.dropLast(2)))) }
        #expect {
            try decode(file)
        } throws: {
            ($0 as? ImageError)?.damageCode == .pngImageDataShort
        }
        let image = try? decode(file, tolerant(.gray))
        #expect(image?.bitmap.packedBytes() == [10, 20, 0])
        #expect(image?.partial?.rows == [0..<2])
        #expect(image?.partial?.cause?.code == "corrupt")
    }

    @Test func anUnknownFilterTypeEndsThePicture() throws {
        let file = file { $0.addImageData(PNGBuilder.stored([0, 10, 5, 20, 0, 30])) }
        #expect {
            try decode(file)
        } throws: {
            ($0 as? ImageError)?.damageCode == .pngFilterType
        }
        #expect(try decode(file, tolerant()).partial?.rows == [0..<1])
    }

    @Test func aWrongChecksumOfImageDataIsNotedAndPassedOver() throws {
        let stream = PNGBuilder.stored(scanlines)
        let file = file { builder in
            builder.add("IDAT", Array(stream[..<8]), flippedChecksumBits: 4)
            builder.add("IDAT", Array(stream[8...]))
        }
        let place = 8 + 25 + 8 + 8
        #expect(throws: ImageError.corrupt(.png, .pngChunkCRC, offset: place, reason: "wrong CRC of IDAT")) {
            try decode(file)
        }
        let image = try decode(file, tolerant(.gray))
        #expect(image.bitmap.packedBytes() == [10, 20, 30])
        #expect(
            image.partial
                == PartialReport(
                    rows: [0..<3], cause: .corrupt(.png, .pngChunkCRC, offset: place, reason: "wrong CRC of IDAT")))
    }

    @Test(arguments: [1, 5, Int.max])
    func aWrongChecksumOfTheStreamLeavesNoRowReal(_ chunkSize: Int) throws {
        let file = file { builder in
            builder.addImageData(PNGBuilder.stored(scanlines).dropLast() + [0xEE], chunkSize: chunkSize)
        }
        #expect(throws: ImageError.self) { try decode(file) }
        let image = try decode(file, tolerant(.gray))
        #expect(image.partial?.rows == [] && image.partial?.cause?.code == "corrupt")
        #expect(image.bitmap.packedBytes() == [10, 20, 30])
    }

    @Test func aWrongChecksumOfTheStreamLeavesNoPassReal() throws {
        var builder = PNGBuilder()
        builder.addHeader(width: 1, height: 3, colorType: 0, interlaced: true)
        builder.addImageData(PNGBuilder.stored(scanlines).dropLast() + [0xEE])
        let partial = try decode(builder.bytes, tolerant()).partial
        #expect(partial?.rows == [] && partial?.passes == PartialReport.Progress(done: 0, total: 7))
    }

    /// The first row in one chunk, the second in a chunk with a wrong checksum, then the rest, if all rows are read
    /// but zlib's own checksum is wrong or missing.
    @Test(arguments: [1, 4])
    func rowsBehindAWrongChecksumAreRealOnlyWhereTheStreamsOwnAgrees(_ missing: Int) throws {
        let stream = PNGBuilder.stored(scanlines)
        func image(_ end: [UInt8]) throws -> RasterImage {
            try decode(
                file { builder in
                    builder.add("IDAT", Array(stream[..<9]))
                    builder.add("IDAT", Array(stream[9..<11]), flippedChecksumBits: 1)
                    builder.add("IDAT", end)
                }, tolerant(.gray))
        }
        for end in [stream[11...].dropLast() + [0xEE], stream[11...].dropLast(missing)] {
            let image = try image(Array(end))
            #expect(image.partial?.rows == [0..<1])
            #expect(image.bitmap.packedBytes() == [10, 20, 30])
        }
        #expect(try image(Array(stream[11...])).partial?.rows == [0..<3])
    }

    /// PNG 3rd ed. §13.1 "Error handling": opaque black, whatever tRNS says of the entries there are.
    @Test(arguments: [1, 2, 4, 8] as [UInt8], [false, true])
    func indicesBeyondThePaletteAreOpaqueBlack(_ depth: UInt8, _ isInterlaced: Bool) throws {
        // The first of three pixels has the only entry, the others the largest index; padding bits are set.
        let row = (0..<(3 * Int(depth) + 7) / 8).map {
            UInt8(truncatingIfNeeded: (0xFFFF_FFFF as UInt32 >> UInt32(depth)) >> (24 - 8 * UInt32($0)))
        }
        // Passes 1, 4 and 6 have a pixel each.
        let lines: [UInt8] = isInterlaced ? [0, 0, 0, 0xFF, 0, 0xFF] : [0] + row
        // A tRNS chunk that is longer than the palette is ignored.
        for (transparency, alpha) in [([], 255), ([9], 9), ([9, 8, 7], 255)] as [([UInt8], UInt8)] {
            let chunks = [("PLTE", [1, 2, 3])] + (transparency.isEmpty ? [] : [("tRNS", transparency)])
            let file = PNGBuilder.file(
                width: 3, height: 1, depth: depth, colorType: 3, interlaced: isInterlaced, chunks: chunks,
                scanlines: lines)
            let expected: [UInt8] = [1, 2, 3, alpha, 0, 0, 0, 255, 0, 0, 0, 255]
            for strictness in DecodingOptions.Strictness.allCases {
                for format in [.rgba, .rgba16] as [PixelFormat] {
                    var options = tolerant(format)
                    options.strictness = strictness
                    let image = try decode(file, options)
                    #expect(try image.bitmap.converted(to: .rgba).packedBytes() == expected)
                    #expect(!image.isPartial)
                    #expect(try PNGCoder().decode(file, inPiecesOf: 1, options: options)?.bitmap == image.bitmap)
                }
            }
        }
    }

    @Test func ancillaryChunksOfNoTypeArePassedOver() throws {
        for (before, after) in [(["s\u{1}IT"], []), ([], ["t\u{7F}RN"]), (["{abc"], ["\u{20}abc"])]
            as [([String], [String])]
        {
            let file = PNGBuilder.onePixel(
                chunks: before.map { ($0, [1, 2, 3]) }, late: after.map { ($0, [UInt8](repeating: 7, count: 70_000)) })
            let image = try decode(file, tolerant(.gray))
            #expect(image.bitmap.packedBytes() == [128] && !image.isPartial)
            #expect(try PNGCoder().decode(file, inPiecesOf: 1, options: tolerant(.gray))?.bitmap == image.bitmap)
            var strict = tolerant(.gray)
            strict.strictness = .strict
            #expect(try decode(file, strict).bitmap == image.bitmap)
        }
        // A critical one may say anything.
        let critical = PNGBuilder.onePixel(chunks: [("S\u{1}IT", [1])])
        #expect(throws: ImageError.self) { try decode(critical, tolerant()) }
    }

    @Test func otherChunksInsideTheImageDataAreCorrupt() throws {
        let stream = PNGBuilder.stored(scanlines)
        let file = file { builder in
            builder.add("IDAT", Array(stream[..<9]))
            builder.add("tEXt", Array("k\0v".utf8))
            builder.add("IDAT", Array(stream[9...]))
        }
        #expect(
            throws: ImageError.corrupt(
                .png, .pngImageDataShort, offset: 54, reason: "tEXt before the image data is complete")
        ) {
            try decode(file)
        }
        #expect(try decode(file, tolerant()).partial?.rows == [0..<1])
    }

    @Test func withoutTheEndChunkAFileIsTruncated() throws {
        let whole = file { $0.addImageData(PNGBuilder.stored(scanlines)) }
        let cut = Array(whole.dropLast(12))
        #expect(throws: ImageError.truncated(.png, offset: cut.count)) { try decode(cut) }
        #expect(try decode(cut, tolerant()).partial?.rows == [0..<3])
    }

    @Test func unfinishedThumbnailsWaitForTheirFirstRow() throws {
        let sample = SamplePNG("tall", width: 8, height: 400, colorType: 2, depth: 8)
        var options = DecodingOptions.thumbnail(width: 8, height: 8)
        options.strictness = .tolerant
        var seen = 0
        for count in stride(from: 0, to: sample.file.count, by: 50) {
            var decoder = PNGCoder().makeIncrementalDecoder(options: options)
            let progress = try decoder.append(sample.file.span.extracting(0..<count))
            if try decoder.image() != nil {
                seen += 1
                #expect(progress.changedRect != nil)
            }
        }
        #expect(seen > 3)
    }

    @Test func aTruncatedInterlacedFileNeedsNoSecondBitmap() throws {
        let sample = SamplePNG(
            "large", width: 200, height: 200, colorType: 6, depth: 8, interlaced: true)
        var options = tolerant()
        let info = try PNGCoder().inspect(ImageData(sample.file), options: options)
        let meter = MemoryMeter(limit: info.estimatedPeakByteCount)
        options.memoryMeter = meter
        options.limits.maxMemoryByteCount = info.estimatedPeakByteCount
        let image = try decode(Array(sample.file.prefix(sample.file.count / 2)), options)
        #expect(image.isPartial)
        #expect(meter.peak <= info.estimatedPeakByteCount)
        // The picture is the one that an incremental decoder shows.
        var decoder = PNGCoder().makeIncrementalDecoder(options: tolerant())
        _ = try decoder.append(sample.file.span.extracting(0..<sample.file.count / 2))
        #expect(try decoder.image()?.bitmap == image.bitmap)
    }

    @Test func askingAfterEveryPieceHoldsTwoPicturesBesidesTheDecoders() throws {
        let sample = SamplePNG("large", width: 500, height: 500, colorType: 0, depth: 1)
        let meter = MemoryMeter()
        var options = DecodingOptions()
        let info = try PNGCoder().inspect(ImageData(sample.file), options: options)
        options.memoryMeter = meter
        var decoder = PNGCoder().makeIncrementalDecoder(options: options)
        var newest: RasterImage?
        for start in stride(from: 0, to: sample.file.count, by: 1000) {
            _ = try decoder.append(sample.file.span.extracting(start..<min(start + 1000, sample.file.count)))
            if let image = try decoder.image() { newest = image }
        }
        #expect(newest?.isPartial == false)
        #expect(meter.peak <= info.estimatedPeakByteCount + 2 * info.decodedByteCount)
    }
}
