import CodecTestSupport
import ImageCodecsCore
import ImageEncoding
import PNGCodec
import Testing

/// What an encoder says that it will hold, and what it holds, of pictures of two megapixels.
@Suite struct PNGEncodingMemoryTests {
    private static let sizes = [(1600, 1300), (3200, 700), (704, 3000)].map { PixelSize(width: $0.0, height: $0.1) }

    /// The estimate and the most bytes that were held.
    ///
    /// - Parameter sample: of a pixel at a place.
    private func measure(
        _ size: PixelSize, _ format: PixelFormat, _ effort: EncodingOptions.Effort,
        _ sample: (_ x: Int, _ y: Int) -> UInt8
    ) throws -> (estimate: Int, held: Int) {
        let meter = MemoryMeter()
        var options = EncodingOptions()
        options.effort = effort
        options.memoryMeter = meter
        var session = try CoderRegistry([PNGCoder()]).makeEncodingSession(
            to: .png, size: size, pixelFormat: format, options: options)
        for y in 0..<size.height {
            var row: [UInt8] = []
            row.reserveCapacity(size.width * format.bytesPerPixel)
            for x in 0..<size.width {
                let sample = sample(x, y)
                for _ in 0..<format.bytesPerPixel { row.append(sample) }
            }
            try row.withRawSpan { (row) throws(ImageError) in try session.write(row) { _ in } }
        }
        try session.finish { _ in }
        return (session.estimatedPeakByteCount, meter.peak)
    }

    /// Of pictures in which so much repeats that it is searched once more.
    @Test(arguments: [PixelFormat.gray, .rgb], [EncodingOptions.Effort.fast, .default])
    func theEstimateIsAtMostThreeTenthsMore(_ format: PixelFormat, _ effort: EncodingOptions.Effort) throws {
        for size in Self.sizes.prefix(format == .gray ? 1 : 3) {
            let (estimate, held) = try measure(size, format, effort) { x, y in
                (x / 9 * 7 + y / 14 * 5) % 11 < 3 && (x ^ y) & 3 == 0 ? 30 : 240
            }
            #expect(held <= estimate && Double(estimate) <= 1.3 * Double(held), "\(size): \(estimate) for \(held)")
        }
    }
}
