import CodecTestSupport
import JPEGCodec
import ImageCodecsCore
import ImageEncoding
import Testing

/// What an encoder says that it will hold, and what it holds, of pictures of two megapixels.
@Suite struct JPEGEncodingMemoryTests {
    private static let sizes = [(1600, 1300), (3200, 700), (704, 3000)].map { PixelSize(width: $0.0, height: $0.1) }

    /// The estimate and the most bytes that were held, of noise: as many colours, levels and codes as there can be.
    private func measure(
        _ size: PixelSize, _ format: PixelFormat, _ options: EncodingOptions
    ) throws -> (estimate: Int, held: Int) {
        let meter = MemoryMeter()
        var options = options
        options.memoryMeter = meter
        var session = try CoderRegistry([JPEGCoder()]).makeEncodingSession(
            to: .jpeg, size: size, pixelFormat: format, options: options)
        var random = SeededRandom(seed: 46)
        for _ in 0..<size.height {
            let row = random.bytes(size.width * format.bytesPerPixel)
            try row.withRawSpan { (row) throws(ImageError) in try session.write(row) { _ in } }
        }
        try session.finish { _ in }
        return (session.estimatedPeakByteCount, meter.peak)
    }

    @Test(arguments: EncodingOptions.Effort.allCases, [JPEGSubsampling.yCbCr444, .yCbCr420])
    func theEstimateIsAtMostThreeTenthsMore(
        _ effort: EncodingOptions.Effort, _ subsampling: JPEGSubsampling
    ) throws {
        var options = EncodingOptions()
        options.effort = effort
        options.jpeg.subsampling = subsampling
        for size in Self.sizes {
            let (estimate, held) = try measure(size, .rgb, options)
            #expect(held <= estimate && Double(estimate) <= 1.3 * Double(held), "\(size): \(estimate) for \(held)")
        }
    }

    /// Whether all chroma is kept, which takes twice the coefficients, is known only when the picture was seen.
    @Test(arguments: EncodingOptions.Effort.allCases)
    func theEstimateIsEnoughForAllChroma(_ effort: EncodingOptions.Effort) throws {
        var options = EncodingOptions()
        options.effort = effort
        for quality in [0.5, 0.95] {
            options.quality = quality
            let (estimate, held) = try measure(PixelSize(width: 1600, height: 1300), .rgb, options)
            #expect(held <= estimate && estimate < 2 * held, "\(quality): \(estimate) for \(held)")
        }
    }
}
