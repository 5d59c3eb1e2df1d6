import CodecTestSupport
import ImageCodecsCore
import PNGCodec
import Testing

/// Two threads give the same picture as one.
@Suite struct ScanlinePipelineTests {
    private static let size = PixelSize(width: 2200, height: 2000)

    /// Rows of all filters; stored, so that there are enough bytes for a second thread.
    private func scanlines(seed: UInt64) -> [UInt8] {
        var random = SeededRandom(seed: seed)
        return SamplePNG.scanlines(
            width: Self.size.width, height: Self.size.height, bitsPerPixel: 24, interlaced: false, using: &random)
    }

    private func file(_ stream: [UInt8], late: [(String, [UInt8])] = []) -> [UInt8] {
        var builder = PNGBuilder()
        builder.addHeader(width: Self.size.width, height: Self.size.height)
        builder.addImageData(stream, chunkSize: 8192)
        for (type, body) in late { builder.add(type, body) }
        builder.add("IEND")
        return builder.bytes
    }

    private struct Outcome: Equatable {
        var bitmap: Bitmap?
        var rows: [Range<Int>]?
        var error: DamageCode?
    }

    private func decode(
        _ file: [UInt8], threads: Int, pieceByteCount: Int = .max, strictness: DecodingOptions.Strictness = .strict,
        box: PixelSize? = nil
    ) throws -> Outcome {
        var options = DecodingOptions.default
        options.maxThreadCount = threads
        options.strictness = strictness
        if let box { options.size = .fitting(box) }
        let allowed = try MemoryAllowance(PNGCoder(), file, options).byteCount(holdsFrames: true)
        let meter = MemoryMeter(limit: allowed)
        options.memoryMeter = meter
        var decoder = PNGCoder().makeIncrementalDecoder(options: options)
        var outcome = Outcome()
        do throws(ImageError) {
            var position = 0
            while position < file.count {
                let end = position + min(pieceByteCount, file.count - position)
                _ = try decoder.append(file.span.extracting(position..<end))
                position = end
            }
            _ = try decoder.finish()
        } catch {
            guard case .corrupt(_, let code, _, _) = error else { throw error }
            outcome.error = code
        }
        let image = try? decoder.image()
        outcome.bitmap = image?.bitmap
        outcome.rows = image?.partial?.rows
        #expect(meter.peak <= allowed)
        return outcome
    }

    @Test(arguments: [Int.max, 300_000, 140_000])
    func wholeFiles(_ pieceByteCount: Int) throws {
        let file = file(PNGBuilder.stored(scanlines(seed: 1)))
        let one = try decode(file, threads: 1)
        #expect(one.bitmap != nil && one.error == nil)
        for _ in 0..<3 { #expect(try decode(file, threads: 2, pieceByteCount: pieceByteCount) == one) }
    }

    @Test func anOrientationAfterThePixels() throws {
        let file = file(
            PNGBuilder.stored(scanlines(seed: 2)), late: [("eXIf", SamplePNG.exif(orientation: 6))])
        #expect(try decode(file, threads: 2) == decode(file, threads: 1))
    }

    @Test func thumbnails() throws {
        let file = file(PNGBuilder.stored(scanlines(seed: 3)))
        let box = PixelSize(width: 100, height: 100)
        #expect(try decode(file, threads: 2, box: box) == decode(file, threads: 1, box: box))
    }

    @Test(arguments: [DecodingOptions.Strictness.strict, .tolerant])
    func damage(_ strictness: DecodingOptions.Strictness) throws {
        let lines = scanlines(seed: 4)
        let lineByteCount = Self.size.width * 3 + 1
        var wrongFilter = lines
        wrongFilter[lineByteCount * 700] = 5
        var wrongChecksum = PNGBuilder.stored(lines)
        wrongChecksum[wrongChecksum.count - 1] ^= 1
        var wrongStream = PNGBuilder.stored(lines)
        wrongStream[2 + 20 * 65_540] = 7
        var wrongBoth = PNGBuilder.stored(wrongFilter)
        wrongBoth[wrongBoth.count - 1] ^= 1
        // The checksum is read before the last batch is rendered.
        var lastLines = lines
        lastLines[lineByteCount * 1998] = 5
        var wrongAtTheEnd = PNGBuilder.stored(lastLines)
        wrongAtTheEnd[wrongAtTheEnd.count - 1] ^= 1
        let short = PNGBuilder.stored(Array(lines.prefix(lineByteCount * 900)))
        let streams = [
            PNGBuilder.stored(wrongFilter), wrongChecksum, wrongStream, wrongBoth, wrongAtTheEnd,
            PNGBuilder.stored(lastLines), short,
        ]
        let files = streams.map { file($0) }
        let cut = Array(file(PNGBuilder.stored(lines)).prefix(2_500_000))
        for file in files + [cut] {
            let one = try? decode(file, threads: 1, strictness: strictness)
            for pieceByteCount in [Int.max, 400_000] {
                #expect(
                    (try? decode(file, threads: 2, pieceByteCount: pieceByteCount, strictness: strictness)) == one)
            }
        }
    }

    /// Wherever a wrong row lies among those that are handed over and those that wait, and whatever is wrong after it.
    @Test(arguments: [8192, 70_000])
    func wrongRowsOfSmallPictures(_ chunkSize: Int) throws {
        // More rows than wait to be handed over, at most 43.
        let (width, height) = (1000, 60)
        var random = SeededRandom(seed: 6)
        let lines = SamplePNG.scanlines(
            width: width, height: height, bitsPerPixel: 24, interlaced: false, using: &random)
        for row in 1..<height {
            var wrong = lines
            wrong[row * (width * 3 + 1)] = 5
            var builder = PNGBuilder()
            builder.addHeader(width: width, height: height)
            // Rows wait where the stream does not end.
            builder.addImageData(Array(PNGBuilder.stored(wrong).dropLast(4000)), chunkSize: chunkSize)
            builder.add("IEND")
            var file = builder.bytes
            // The checksum of the last IDAT chunk.
            file[file.count - 13] ^= 1
            let one = try decode(file, threads: 1, strictness: .tolerant)
            #expect(one.rows?.first?.upperBound ?? 0 <= row)
            for pieceByteCount in [Int.max, 5000] {
                let two = try SecondThread.isForAll.withValue(true) {
                    try decode(file, threads: 2, pieceByteCount: pieceByteCount, strictness: .tolerant)
                }
                #expect(two == one, "row \(row), pieces of \(pieceByteCount)")
            }
        }
    }

    @Test func batchesAreInTheEstimate() throws {
        let data = ImageData(file(PNGBuilder.stored(scanlines(seed: 5))))
        let peaks = try [1, 2].map { threads in
            var options = DecodingOptions.default
            options.maxThreadCount = threads
            return try PNGCoder().inspect(data, options: options).estimatedPeakByteCount
        }
        #expect(peaks[1] > peaks[0])
    }
}
