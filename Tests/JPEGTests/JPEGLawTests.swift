import CodecTestSupport
import ImageCore
import JPEG
import Testing

/// The laws every decoder keeps, on files of the matrix.
@Suite struct JPEGLawTests {
    private func options(_ strictness: DecodingOptions.Strictness) -> DecodingOptions {
        var options = DecodingOptions()
        options.strictness = strictness
        return options
    }

    @Test(arguments: MatrixFile.sample(every: 53)) func everyPrefixEnds(_ file: MatrixFile) throws {
        let whole = try JPEGCoder().decode(ImageData(file.bytes), options: .default)
        for count in 0..<file.bytes.count {
            let prefix = Array(file.bytes[..<count])
            do throws(ImageError) {
                let image = try JPEGCoder().decode(ImageData(prefix), options: options(.strict))
                // Only the end-of-image marker may be missing.
                #expect(image.bitmap == whole.bitmap && count >= file.bytes.count - 3)
            } catch {
                #expect(["truncated", "unknownFormat"].contains(error.code), "\(count): \(error)")
            }
            let tolerant = try? JPEGCoder().decode(ImageData(prefix), options: options(.tolerant))
            let pieces = try? JPEGCoder().decode(prefix, inPiecesOf: 5, options: options(.tolerant))
            #expect(tolerant?.bitmap == pieces?.bitmap && tolerant?.partial?.rows == pieces?.partial?.rows)
        }
    }

    @Test(arguments: MatrixFile.sample(every: 29)) func damageNeverTraps(_ file: MatrixFile) throws {
        var random = SeededRandom(seed: UInt64(file.bytes.count))
        for _ in 0..<60 {
            var bytes = file.bytes
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 2..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            for strictness in DecodingOptions.Strictness.allCases {
                var options = options(strictness)
                options.limits = .untrusted
                let whole = try? JPEGCoder().decode(ImageData(bytes), options: options)
                let pieces = try? JPEGCoder().decode(bytes, inPiecesOf: 11, options: options)
                #expect(whole?.bitmap == pieces?.bitmap)
                #expect(whole?.partial?.rows == pieces?.partial?.rows)
            }
        }
    }

    @Test(arguments: MatrixFile.sample(every: 97)) func aCopiedDecoderIsACheckpoint(_ file: MatrixFile) throws {
        let half = file.bytes.count * 2 / 3
        var first = JPEGCoder().makeIncrementalDecoder(options: .default)
        _ = try first.append(file.bytes.span.extracting(first: half))
        var second = first
        _ = try first.append(file.bytes.span.extracting(droppingFirst: half))
        _ = try first.finish()
        for index in half..<file.bytes.count {
            _ = try second.append(file.bytes.span.extracting(index..<index + 1))
        }
        _ = try second.finish()
        #expect(try first.image()?.bitmap == second.image()?.bitmap)
    }

    @Test func aTruncatedFileSaysWhichRowsAreReal() throws {
        let file = GrayPicture.jpeg(width: 640, height: 480)
        let cut = Array(file[..<(file.count * 3 / 4)])
        let image = try JPEGCoder().decode(ImageData(cut), options: options(.tolerant))
        let report = try #require(image.partial)
        #expect(report.cause?.code == "truncated")
        // 22 of 30 MCU rows of 16 pixels are whole.
        #expect(report.rows == [0..<352])
        #expect(throws: ImageError.self) { try JPEGCoder().decode(ImageData(cut), options: options(.strict)) }
    }

    @Test func aLargePhotoIsScaledInLittleMemory() throws {
        let file = ImageData(GrayPicture.jpeg(width: 6000, height: 4000))
        var options = DecodingOptions.thumbnail(400, 300)
        let meter = MemoryMeter()
        options.memoryMeter = meter
        let info = try JPEGCoder().inspect(file, options: options)
        let image = try JPEGCoder().decode(file, options: options)
        #expect(image.size == PixelSize(width: 400, height: 267))
        #expect(meter.peak < 4 << 20)
        #expect(meter.peak <= info.peakByteCount)
    }

    @Test func aSecondThreadGivesTheSamePicture() throws {
        let file = GrayPicture.jpeg(width: 1300, height: 900)
        let cut = Array(file[..<(file.count * 2 / 3)])
        for (bytes, strictness) in [(file, DecodingOptions.Strictness.strict), (cut, .tolerant)] {
            var options = options(strictness)
            let one = try JPEGCoder().decode(ImageData(bytes), options: options)
            options.threads = 2
            let meter = MemoryMeter()
            options.memoryMeter = meter
            let info = try JPEGCoder().inspect(ImageData(bytes), options: options)
            let two = try JPEGCoder().decode(ImageData(bytes), options: options)
            #expect(one.bitmap == two.bitmap && one.partial == two.partial)
            #expect(meter.peak <= info.peakByteCount)
        }
        var options = options(.strict)
        options.threads = 2
        #expect(throws: ImageError.self) { try JPEGCoder().decode(ImageData(cut), options: options) }
    }

    @Test func peakMemoryStaysBelowTheStatedBound() throws {
        for file in MatrixFile.sample(every: 41) {
            for thumbnail in [nil, PixelSize(width: 7, height: 7)] {
                var options = DecodingOptions()
                options.thumbnailPixelSize = thumbnail
                let meter = MemoryMeter()
                options.memoryMeter = meter
                let info = try JPEGCoder().inspect(ImageData(file.bytes), options: options)
                _ = try JPEGCoder().decode(ImageData(file.bytes), options: options)
                #expect(meter.peak <= info.peakByteCount, "\(file)")
            }
        }
    }

    @Test func limitsAreCheckedBeforeAnythingIsAllocated() throws {
        let file = ImageData(GrayPicture.jpeg(width: 640, height: 480))
        var options = DecodingOptions()
        options.limits.maxPixels = 640 * 480 - 1
        #expect(throws: ImageError.limitExceeded(.pixels, requested: 307_200, allowed: 307_199)) {
            try JPEGCoder().decode(file, options: options)
        }
        options = DecodingOptions()
        options.limits.maxMemory = 1 << 20
        #expect(throws: ImageError.self) { try JPEGCoder().decode(file, options: options) }
        options = DecodingOptions()
        options.limits.maxScans = 3
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
            if progress.changed != nil, let image = try decoder.image() { pictures.append(image.bitmap) }
        }
        _ = try decoder.finish()
        let final = try #require(try decoder.image()).bitmap
        #expect(pictures.count > 8)
        let distances = pictures.map { distance($0, final) }
        #expect(distances.last == 0 && distances[0] > distances[distances.count / 2])
    }

    private func distance(_ a: Bitmap, _ b: Bitmap) -> Int {
        zip(a.packedBytes(), b.packedBytes()).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
    }
}
