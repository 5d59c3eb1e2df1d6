import CodecTestSupport
import Foundation
import ImageCodecsCore
import JPEGCodec
import Testing

/// The laws that every decoder obeys, on small files of every kind.
@Suite struct JPEGLawTests {
    private static let laws = DecoderLaws(JPEGCoder())
    private var laws: DecoderLaws { Self.laws }

    @Test(arguments: MatrixFile.sample(every: 29))
    func cutsDoNotMatter(_ sample: MatrixFile) {
        #expect(laws.cutsDoNotMatter(sample.bytes) == [])
    }

    @Test(arguments: MatrixFile.sample(every: 29))
    func copiesAreCheckpoints(_ sample: MatrixFile) {
        #expect(laws.copiesAreCheckpoints(sample.bytes) == [])
    }

    @Test(arguments: MatrixFile.sample(every: 29))
    func progressTellsWhatChanged(_ sample: MatrixFile) {
        #expect(laws.progressTellsWhatChanged(sample.bytes) == [])
    }

    @Test(arguments: MatrixFile.sample(every: 29))
    func prefixesEnd(_ sample: MatrixFile) {
        #expect(laws.prefixesEnd(sample.bytes) == [])
    }

    @Test(arguments: MatrixFile.sample(every: 29))
    func damageIsReported(_ sample: MatrixFile) {
        #expect(laws.damageIsReported(sample.bytes, count: 100) == [])
    }

    @Test(arguments: MatrixFile.sample(every: 29))
    func memoryStaysWithinTheEstimate(_ sample: MatrixFile) {
        #expect(laws.memoryStaysWithinTheEstimate(sample.bytes) == [])
    }

    @Test(arguments: MatrixFile.sample(every: 29))
    func limitsAreCheckedFirst(_ sample: MatrixFile) {
        #expect(laws.limitsAreCheckedFirst(sample.bytes) == [])
    }

    @Test(arguments: MatrixFile.sample(every: 29))
    func decodesCanBeStopped(_ sample: MatrixFile) async {
        #expect(await laws.decodesCanBeStopped(sample.bytes) == [])
    }
}

/// The same laws on the fixtures of this repository.
@Suite struct JPEGFixtureLawTests {
    @Test(arguments: Fixture.sound("jpeg"))
    func theLawsHold(_ fixture: Fixture) throws {
        let file = [UInt8](try Data(contentsOf: fixture.url))
        #expect(DecoderLaws(JPEGCoder()).violations(file, sampleCount: 60) == [])
    }

    @Test(arguments: Fixture.sound("jpeg"))
    func scalingIsLikeScalingTheWhole(_ fixture: Fixture) throws {
        let file = [UInt8](try Data(contentsOf: fixture.url))
        // One pixel is made of the means of blocks, which is all that is decoded of a file of several scans, or an arithmetic-coded one, at an eighth; the last
        // blocks, with 5 of 8 columns and 6 of 8 rows in this picture, repeat those before them (see `PictureEdges`). Of 45x30
        // pixels that is a tenth across and a fifth down: the pixel is 3 to 7 off, 1.6 is 44 dB.
        let isExempt = fixture.name == "cmyk-progressive.jpg" || fixture.name.hasPrefix("arithmetic")
        let exceptions = isExempt ? ["strict rgb limit 1", "strict nearest limit 1"] : []
        let violations = DecoderLaws(JPEGCoder()).scalingIsLikeScalingTheWhole(file)
        #expect(violations.filter { !exceptions.contains($0) } == [])
    }
}

/// The same laws on files of other encoders: all of them in a release build, some in a debug build.
@Suite(.enabled(if: Corpus.directory != nil, "\(Corpus.absence)"))
struct JPEGCorpusLawTests {
    @Test(arguments: Corpus.lawFiles(format: "jpeg"))
    func theLawsHold(_ entry: CorpusEntry) throws {
        let violations = DecoderLaws(JPEGCoder()).violations(try Corpus.bytes(entry.path))
        #expect(violations == [])
    }
}

/// What a JPEG decode does besides the laws.
@Suite struct JPEGDecodingTests {
    private func options(_ strictness: DecodingOptions.Strictness) -> DecodingOptions {
        var options = DecodingOptions()
        options.strictness = strictness
        return options
    }

    @Test func aTruncatedFileSaysWhichRowsAreReal() throws {
        let file = GrayPicture.jpeg(width: 640, height: 480)
        let cut = Array(file[..<(file.count * 3 / 4)])
        let image = try JPEGCoder().decode(ImageData(cut), options: options(.tolerant))
        let report = try #require(image.partial)
        #expect(report.cause?.code == "truncated")
        // 22 of 30 MCU rows of 16 pixels are whole; their last row of pixels is interpolated with the next.
        #expect(report.rows == [0..<351])
        #expect(throws: ImageError.self) { try JPEGCoder().decode(ImageData(cut), options: options(.strict)) }
    }

    @Test func rowsOfAProgressivePictureAreRealOnceNoScanCanChangeThem() throws {
        let file = try #require(
            MatrixFile.all.first { $0.name.hasPrefix("444 progressive 1x1") && $0.name.hasSuffix("x40") })
        let whole = try JPEGCoder().decode(ImageData(file.bytes), options: .default)
        var partialCount = 0
        for count in 0..<file.bytes.count {
            guard
                let image = try? JPEGCoder().decode(
                    ImageData(Array(file.bytes[..<count])), options: options(.tolerant)),
                let report = image.partial
            else { continue }
            #expect((report.scans ?? 0) > 2 || report.rows.isEmpty)
            if report.rows.isEmpty { continue }
            partialCount += 1
            for y in report.rows[0] {
                let isSame = image.bitmap.withRowBytes(y) { mine in
                    whole.bitmap.withRowBytes(y) { mine.hasSameBytes(as: $0) }
                }
                #expect(isSame)
            }
        }
        #expect(partialCount > 0)
    }

    /// One block of each of three components, in scans of their own; the last header says that its band begins at `start`.
    private func threeScans(lastBandStart start: UInt8) -> [UInt8] {
        var file: [UInt8] = [0xFF, 0xD8, 0xFF, 0xDB, 0, 67, 0] + Array(repeating: 16, count: 64)
        file += [0xFF, 0xC0, 0, 17, 8, 0, 8, 0, 8, 3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0]
        // DC: "0" is a difference of 0 bits, "10" one of 4 bits. AC: "0" ends the block.
        file += [0xFF, 0xC4, 0, 21, 0x00, 1, 1] + Array(repeating: 0, count: 14) + [0, 4]
        file += [0xFF, 0xC4, 0, 20, 0x10, 1] + Array(repeating: 0, count: 15) + [0]
        for component in UInt8(1)...3 {
            file += [0xFF, 0xDA, 0, 8, 1, component, 0, component == 3 ? start : 0, 63, 0]
            // A difference of 15, the end of the block, a bit of padding.
            file.append(0b1011_1101)
        }
        return file + [0xFF, 0xD9]
    }

    @Test func theTablesOfAScanCountAsWork() throws {
        var file = threeScans(lastBandStart: 0)
        // The first component again and again: the frame is never complete.
        let scan = file[(file.count - 35)..<(file.count - 24)]
        #expect(scan.starts(with: [0xFF, 0xDA, 0, 8, 1, 1]))
        file.removeSubrange((file.count - 24)...)
        for _ in 0..<400 { file += scan }
        let log = WorkLog()
        var options = options(.tolerant)
        options.workLog = log
        let image = try JPEGCoder().decode(ImageData(file + [0xFF, 0xD9]), options: options)
        #expect(image.partial != nil)
        // Two tables for each scan, of 1,316 numbers each.
        #expect(log.unitCount >= 401 * 2 * 1316)
        #expect(log.checkCount >= log.unitCount >> 14)
    }

    @Test func theBandInTheHeaderOfASequentialScanIsNotRead() throws {
        for options in [DecodingOptions.default, .thumbnail(width: 1, height: 1)] {
            let sound = try JPEGCoder().decode(ImageData(threeScans(lastBandStart: 0)), options: options)
            let odd = try JPEGCoder().decode(ImageData(threeScans(lastBandStart: 221)), options: options)
            #expect(sound.bitmap == odd.bitmap)
            // Y' and both differences are 128 + 15 * 16 / 8: not gray.
            #expect(sound.bitmap.withRowBytes(0) { $0.byte(at: 0) != $0.byte(at: 1) })
        }
    }

    @Test func anInspectionToleratesDamageBehindTheHeaders() throws {
        let sound = GrayPicture.jpeg(width: 64, height: 64)
        // A frame header where the end of the image should be.
        let damaged = Array(sound.dropLast(2)) + [0xFF, 0xC0, 0, 2]
        for strictness in DecodingOptions.Strictness.allCases {
            let info = try JPEGCoder().inspect(ImageData(damaged), options: options(strictness))
            #expect(info.size == PixelSize(width: 64, height: 64))
        }
        #expect(throws: ImageError.self) { try JPEGCoder().decode(ImageData(damaged), options: options(.strict)) }
    }

    private func address(of bitmap: Bitmap) -> UInt {
        // SAFETY: the address is compared, never read from.
        bitmap.withRowBytes(0) { row in unsafe row.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } }
    }

    @Test func aBitmapIsReusedWhereItFits() throws {
        let file = ImageData(GrayPicture.jpeg(width: 64, height: 48))
        let meter = MemoryMeter()
        var options = DecodingOptions()
        options.memoryMeter = meter
        var bitmap = try JPEGCoder().decode(file, options: options).bitmap
        let expected = bitmap.packedBytes()
        let kept = meter.current
        let place = address(of: bitmap)
        try JPEGCoder().decode(file, into: &bitmap, options: options)
        #expect(address(of: bitmap) == place && meter.current == kept)
        #expect(bitmap.packedBytes() == expected)
        // Held by somebody else, it is left alone.
        let held = bitmap
        try JPEGCoder().decode(ImageData(GrayPicture.jpeg(width: 32, height: 8)), into: &bitmap, options: options)
        #expect(held.packedBytes() == expected && bitmap.size == PixelSize(width: 32, height: 8))
    }

    @Test func aLargePhotoIsScaledInLittleMemory() throws {
        let file = ImageData(GrayPicture.jpeg(width: 6000, height: 4000))
        var options = DecodingOptions.thumbnail(width: 400, height: 300)
        let meter = MemoryMeter()
        options.memoryMeter = meter
        let info = try JPEGCoder().inspect(file, options: options)
        let image = try JPEGCoder().decode(file, options: options)
        #expect(image.size == PixelSize(width: 400, height: 267))
        #expect(meter.peak < 4 << 20)
        #expect(meter.peak <= info.estimatedPeakByteCount)
    }

    @Test func aSecondThreadGivesTheSamePicture() throws {
        let file = GrayPicture.jpeg(width: 1300, height: 900)
        let cut = Array(file[..<(file.count * 2 / 3)])
        for (bytes, strictness) in [(file, DecodingOptions.Strictness.strict), (cut, .tolerant)] {
            var options = options(strictness)
            let one = try JPEGCoder().decode(ImageData(bytes), options: options)
            options.maxThreadCount = 2
            let meter = MemoryMeter()
            options.memoryMeter = meter
            let info = try JPEGCoder().inspect(ImageData(bytes), options: options)
            let two = try JPEGCoder().decode(ImageData(bytes), options: options)
            #expect(one.bitmap == two.bitmap && one.partial == two.partial)
            #expect(meter.peak <= info.estimatedPeakByteCount)
        }
        var options = options(.strict)
        options.maxThreadCount = 2
        #expect(throws: ImageError.self) { try JPEGCoder().decode(ImageData(cut), options: options) }
    }

    @Test func peakMemoryStaysBelowTheStatedBound() throws {
        for file in MatrixFile.sample(every: 41) {
            for quality in [nil] + DecodingOptions.ThumbnailQuality.allCases {
                var options = DecodingOptions()
                if let quality {
                    options.size = .fitting(PixelSize(width: 7, height: 7))
                    options.thumbnailQuality = quality
                }
                let meter = MemoryMeter()
                options.memoryMeter = meter
                let info = try JPEGCoder().inspect(ImageData(file.bytes), options: options)
                _ = try JPEGCoder().decode(ImageData(file.bytes), options: options)
                #expect(meter.peak <= info.estimatedPeakByteCount, "\(file)")
            }
        }
    }

    @Test func limitsAreCheckedBeforeAnythingIsAllocated() throws {
        let file = ImageData(GrayPicture.jpeg(width: 640, height: 480))
        var options = DecodingOptions()
        options.limits.maxPixelCount = 640 * 480 - 1
        #expect(throws: ImageError.limitExceeded(.pixels, requested: 307_200, allowed: 307_199)) {
            try JPEGCoder().decode(file, options: options)
        }
        options = DecodingOptions()
        options.limits.maxMemoryByteCount = 1 << 20
        #expect(throws: ImageError.self) { try JPEGCoder().decode(file, options: options) }
        options = DecodingOptions()
        options.limits.maxScanCount = 3
        let progressive = try #require(MatrixFile.all.first { $0.name.contains("progressive") })
        #expect(throws: ImageError.limitExceeded(.scans, requested: 4, allowed: 3)) {
            try JPEGCoder().decode(ImageData(progressive.bytes), options: options)
        }
    }

    @Test func trailingBytesAreReported() throws {
        let file = GrayPicture.jpeg(width: 64, height: 64) + Array(repeating: 7, count: 1000)
        let info = try JPEGCoder().inspect(ImageData(file), options: .default)
        #expect(info.trailingByteCount == 1000)
        #expect(info.colorDescription == "Y'CbCr 4:2:0")
        let image = try JPEGCoder().decode(ImageData(file), options: .default)
        #expect(!image.isPartial)
    }

    @Test func progressivePicturesSharpenScanByScan() throws {
        let file = try #require(MatrixFile.all.first { $0.name.hasPrefix("420 progressive 2x2 4") })
        var decoder = JPEGCoder().makeIncrementalDecoder(options: .default)
        var pictures: [Bitmap] = []
        for byte in file.bytes.indices {
            let progress = try decoder.append(file.bytes.span.extracting(byte..<byte + 1))
            if progress.changedRect != nil, let image = try decoder.image() { pictures.append(image.bitmap) }
        }
        _ = try decoder.finish()
        let final = try #require(try decoder.image()).bitmap
        // Each is made from all coefficients, so there is a new one only when the bytes have grown by an eighth.
        #expect(pictures.count > 4 && pictures.count < 40)
        let distances = pictures.map { distance($0, final) }
        #expect(distances.last == 0 && distances[0] > distances[distances.count / 2])
    }

    private func distance(_ a: Bitmap, _ b: Bitmap) -> Int {
        zip(a.packedBytes(), b.packedBytes()).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
    }
}
