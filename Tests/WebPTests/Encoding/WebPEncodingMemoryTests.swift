import CodecTestSupport
import ImageCodecsCore
import ImageEncoding
import Testing
import WebPCodec

/// What an encoder says that it will hold, and what it holds, of pictures of two megapixels.
@Suite struct WebPEncodingMemoryTests {
    private static let sizes = [(1600, 1300), (3200, 700), (704, 3000)].map { PixelSize(width: $0.0, height: $0.1) }

    /// The estimate and the most bytes that were held, of noise: as many levels as there can be.
    private func measure(_ size: PixelSize, _ options: EncodingOptions) throws -> (estimate: Int, held: Int) {
        let meter = MemoryMeter()
        var options = options
        options.memoryMeter = meter
        var session = try CoderRegistry([WebPCoder()]).makeEncodingSession(
            to: .webP, size: size, pixelFormat: .rgb, options: options)
        var random = SeededRandom(seed: 46)
        for _ in 0..<size.height {
            let row = random.bytes(3 * size.width)
            try row.withRawSpan { (row) throws(ImageError) in try session.write(row) { _ in } }
        }
        try session.finish { _ in }
        return (session.estimatedPeakByteCount, meter.peak)
    }

    @Test(arguments: [0, 0.75, 0.9, 0.95, 1])
    func theEstimateWithLossIsAtMostThreeTenthsMore(_ quality: Double) throws {
        var options = EncodingOptions()
        options.effort = .fast
        options.quality = quality
        for size in Self.sizes {
            let (estimate, held) = try measure(size, options)
            #expect(held <= estimate && Double(estimate) <= 1.3 * Double(held), "\(size): \(estimate) for \(held)")
        }
    }
}
