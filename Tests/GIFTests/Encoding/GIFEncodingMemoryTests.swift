import CodecTestSupport
import GIFCodec
import ImageCodecsCore
import ImageEncoding
import Testing

/// What an encoder says that it will hold, and what it holds, of pictures of two megapixels.
@Suite struct GIFEncodingMemoryTests {
    private static let sizes = [(1600, 1300), (3200, 700), (704, 3000)].map { PixelSize(width: $0.0, height: $0.1) }

    /// The estimate and the most bytes that were held, of noise: as many colours, levels and codes as there can be.
    private func measure(
        _ size: PixelSize, _ format: PixelFormat, _ options: EncodingOptions
    ) throws -> (estimate: Int, held: Int) {
        let meter = MemoryMeter()
        var options = options
        options.memoryMeter = meter
        var session = try CoderRegistry([GIFCoder()]).makeEncodingSession(
            to: .gif, size: size, pixelFormat: format, options: options)
        var random = SeededRandom(seed: 46)
        for _ in 0..<size.height {
            let row = random.bytes(size.width * format.bytesPerPixel)
            try row.withRawSpan { (row) throws(ImageError) in try session.write(row) { _ in } }
        }
        try session.finish { _ in }
        return (session.estimatedPeakByteCount, meter.peak)
    }

    @Test func aSessionThatHasFailedHoldsNothing() throws {
        let meter = MemoryMeter()
        var options = EncodingOptions()
        options.memoryMeter = meter
        var session = try CoderRegistry([GIFCoder()]).makeEncodingSession(
            to: .gif, size: PixelSize(width: 4, height: 3), pixelFormat: .rgb, options: options)
        for _ in 0..<3 { try session.write([UInt8](repeating: 7, count: 12).span) { _ in } }
        #expect(meter.current > 0)
        var errors: [ImageError] = []
        for _ in 0..<2 {
            do throws(ImageError) {
                try session.write([UInt8](repeating: 7, count: 12).span) { _ in }
            } catch {
                errors.append(error)
            }
        }
        #expect(errors == Array(repeating: .invalidArgument("more rows than the 3 of the picture"), count: 2))
        #expect(meter.current == 0)
        // It is still there.
        #expect(session.writtenSize == PixelSize(width: 4, height: 3))
    }

    @Test(arguments: EncodingOptions.Effort.allCases)
    func theEstimateIsAtMostThreeTenthsMore(_ effort: EncodingOptions.Effort) throws {
        var options = EncodingOptions()
        options.effort = effort
        for size in Self.sizes {
            let (estimate, held) = try measure(size, .rgb, options)
            #expect(held <= estimate && Double(estimate) <= 1.3 * Double(held), "\(size): \(estimate) for \(held)")
        }
    }
}
