import CodecTestSupport
import ImageCodecs
import ImageCodecsCore
import ImageComparison
import ImageEncoding
import Testing

/// Files of which it is said what they are to look like.
@Suite struct TargetQualityTests {
    private static let picture = try? EncoderPicture(.scene, size: PixelSize(width: 300, height: 270))

    private func options(_ target: Double, lossy: Bool = true) -> EncodingOptions {
        var options = EncodingOptions(effort: .fast)
        options.targetQuality = target
        if lossy { options.webp.isLossless = false }
        return options
    }

    /// Writes the picture, and measures what comes out of the file.
    private func encode(
        _ bitmap: Bitmap, as format: ImageFormat, _ options: EncodingOptions
    ) throws -> (bytes: [UInt8], score: Double, reached: Double?) {
        var session = try CoderRegistry.shared.makeEncodingSession(
            to: format, EncodedPicture(RasterImage(bitmap: bitmap)), from: .bitmap, options: options)
        var bytes: [UInt8] = []
        try session.encode(bitmap) { bytes.append(contentsOf: $0) }
        let decoded = try RasterImage(bytes).bitmap
        guard decoded.size == bitmap.size else { return (bytes, 0, session.reachedQuality) }
        return (bytes, try SSIMULACRA2(bitmap, decoded).score, session.reachedQuality)
    }

    @Test(arguments: [(ImageFormat.jpeg, 60.0), (.jpeg, 80), (.webP, 70), (.webP, 80)])
    func aPictureLooksAsWasAskedFor(_ format: ImageFormat, _ target: Double) throws {
        let bitmap = try #require(Self.picture).bitmap
        let (bytes, score, reached) = try encode(bitmap, as: format, options(target))
        #expect(abs(score - target) <= 1.5, "\(score)")
        #expect(abs(score - (reached ?? 0)) < 0.01)
        #expect(try RasterImage(bitmap: bitmap).encoded(as: format, options: options(target)) == bytes)
    }

    @Test(arguments: [ImageFormat.gif, .png])
    func palettesHaveAsFewColoursAsLookGoodEnough(_ format: ImageFormat) throws {
        let bitmap = try #require(Self.picture).bitmap
        let rough = try encode(bitmap, as: format, options(20))
        let fine = try encode(bitmap, as: format, options(95))
        #expect(rough.score >= 19.5 && rough.score < fine.score)
        #expect(rough.bytes.count < fine.bytes.count)
    }

    @Test func picturesWithTransparencyAreMeasuredToo() throws {
        let bitmap = try EncoderPicture(.cutout, size: PixelSize(width: 280, height: 260), format: .rgba).bitmap
        let (_, score, reached) = try encode(bitmap, as: .webP, options(30))
        #expect(score >= 29.4)
        #expect(abs(score - (reached ?? 0)) < 0.01)
    }

    @Test func whatCannotBeReachedIsTheBestThereIs() throws {
        let noise = try EncoderPicture(.noise, size: PixelSize(width: 256, height: 256)).bitmap
        let (bytes, score, reached) = try encode(noise, as: .jpeg, options(100))
        #expect(try #require(reached) < 99.4 && abs(score - (reached ?? 0)) < 0.01)
        let best = try RasterImage(bitmap: noise).encoded(
            as: .jpeg, options: EncodingOptions(quality: 1, effort: .fast))
        #expect(bytes == best)
    }

    @Test(arguments: [ImageFormat.jpeg, .webP, .gif, .png])
    func aLimitOfTheLengthWins(_ format: ImageFormat) throws {
        let bitmap = try #require(Self.picture).bitmap
        var options = options(75)
        let free = try encode(bitmap, as: format, options)
        options.maxFileByteCount = free.bytes.count
        #expect(try encode(bitmap, as: format, options).bytes == free.bytes)
        options.maxFileByteCount = free.bytes.count / 2
        let limited = try encode(bitmap, as: format, options)
        #expect(limited.bytes.count <= free.bytes.count / 2 && limited.reached == nil)
    }

    @Test(arguments: [ImageFormat.jpeg, .webP])
    func picturesOfAnySizeCanBeAskedFor(_ format: ImageFormat) throws {
        for (width, height) in [(1, 1), (1, 90), (90, 1), (9, 8), (40, 3)] {
            let bitmap = try EncoderPicture(.scene, size: PixelSize(width: width, height: height)).bitmap
            #expect(try encode(bitmap, as: format, options(80)).score >= 79.4)
        }
    }

    @Test func rowsThatComeOneByOneAreCollected() throws {
        let bitmap = try #require(Self.picture).bitmap
        var session = try CoderRegistry.shared.makeEncodingSession(
            to: .jpeg, size: bitmap.size, pixelFormat: bitmap.format, options: options(70))
        let isStreaming = session.isStreaming
        #expect(!isStreaming)
        var bytes: [UInt8] = []
        for y in 0..<bitmap.height {
            try bitmap.withRow(y) { (row) throws(ImageError) in
                try session.write(row) { bytes.append(contentsOf: $0) }
            }
        }
        #expect(bytes.isEmpty)
        try session.finish { bytes.append(contentsOf: $0) }
        #expect(try bytes == encode(bitmap, as: .jpeg, options(70)).bytes)
    }

    // MARK: - Refusals and limits

    @Test func targetsThatMakeNoSenseAreRefused() throws {
        let image = RasterImage(bitmap: try #require(Self.picture).bitmap)
        func isRefused(_ format: ImageFormat, _ change: (inout EncodingOptions) -> Void) -> Bool {
            var options = options(80, lossy: false)
            change(&options)
            return (try? image.encoded(as: format, options: options)) == nil
        }
        #expect(isRefused(.jpeg) { $0.targetQuality = 100.5 })
        #expect(isRefused(.jpeg) { $0.targetQuality = -1 })
        #expect(isRefused(.jpeg) { $0.targetQuality = .nan })
        #expect(isRefused(.jpeg) { $0.quality = 0.5 })
        #expect(isRefused(.webP) { $0.keepsPixels = true })
        #expect(isRefused(.webP) { $0.webp.isLossless = true })
        #expect(isRefused(.png) { $0.png.mayReduceColors = false })
        #expect(!isRefused(.jpeg) { _ in })
    }

    @Test func aTargetIsForgottenIfThePictureDecidesOnAFormatWithoutLoss() throws {
        var options = options(80)
        options.png.mayReduceColors = false
        #expect(CoderRegistry.shared.qualityUsed(options, writing: .png).targetQuality == nil)
        #expect(CoderRegistry.shared.qualityUsed(options, writing: .jpeg).targetQuality == 80)
    }

    @Test(arguments: [ImageFormat.jpeg, .webP, .gif, .png])
    func allAttemptsHoldNoMoreThanTheEstimate(_ format: ImageFormat) throws {
        let bitmap = try #require(Self.picture).bitmap
        for effort in EncodingOptions.Effort.allCases {
            var options = options(75)
            options.effort = effort
            let meter = MemoryMeter()
            options.memoryMeter = meter
            let session = try CoderRegistry.shared.makeEncodingSession(
                to: format, EncodedPicture(RasterImage(bitmap: bitmap)), from: .bitmap, options: options)
            let estimate = session.estimatedPeakByteCount
            _ = try RasterImage(bitmap: bitmap).encoded(as: format, options: options)
            #expect(meter.peak <= estimate && meter.current == 0, "\(meter.peak) of \(estimate)")
            options.memoryMeter = nil
            options.limits.maxMemoryByteCount = estimate - 1
            #expect(throws: ImageError.self) { try RasterImage(bitmap: bitmap).encoded(as: format, options: options) }
        }
    }

    @Test func allAttemptsShareOneClock() throws {
        var options = options(75)
        options.limits.maxTime = .milliseconds(1)
        let bitmap = try #require(Self.picture).bitmap
        #expect(throws: ImageError.self) { try RasterImage(bitmap: bitmap).encoded(as: .jpeg, options: options) }
    }
}
