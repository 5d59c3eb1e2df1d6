import CodecTestSupport
import ImageCodecsCore
import ImagePalettes
import Testing

@Suite struct ColorHistogramTests {
    private func histogram(
        _ rows: [[UInt32]], weight: UInt32 = 1, meter: MemoryMeter? = nil
    ) throws -> ColorHistogram {
        var work = WorkGuard.unlimited
        var histogram = try ColorHistogram(meter: meter)
        for row in rows {
            try row.rgbaBytes.withRawSpan { (bytes) throws(ImageError) in
                try histogram.add(bytes, width: row.count, weight: weight, work: &work)
            }
        }
        return histogram
    }

    private func weights(_ histogram: ColorHistogram) -> [UInt32: UInt32] {
        var weights: [UInt32: UInt32] = [:]
        histogram.forEach { weights[$0] = $1 }
        return weights
    }

    @Test func coloursCountAsOftenAsTheyOccur() throws {
        let histogram = try histogram([[0xFF00_0001, 0xFF00_0002, 0xFF00_0002], [0xFF00_0001, 5, 0]], weight: 3)
        #expect(weights(histogram) == [0xFF00_0001: 6, 0xFF00_0002: 6, 0: 6])
        #expect(histogram.distinctColors == [0xFF00_0001, 0xFF00_0002, 0])
    }

    @Test func moreThan256ColoursAreNotListed() throws {
        let colors = (0..<257).map { 0xFF00_0000 | UInt32($0) }
        #expect(try histogram([Array(colors.prefix(256))]).distinctColors?.count == 256)
        #expect(try histogram([colors]).distinctColors == nil)
    }

    @Test func aHistogramGrowsWithinItsBytes() throws {
        let meter = MemoryMeter()
        let row = (0..<100_000 as Range<UInt32>).map { 0xFF00_0000 | $0 &* 167 & 0xFF_FFFF }
        let grown = try histogram([row], meter: meter)
        #expect(grown.count == 100_000)
        #expect(meter.peak <= ColorHistogram.byteCount(pixelCount: 100_000, effort: .default))
        #expect(weights(grown).values.allSatisfy { $0 == 1 })
    }

    @Test func effortFastKeepsFewerColoursApart() throws {
        var (random, work) = (SeededRandom(seed: 8), WorkGuard.unlimited)
        var histogram = try ColorHistogram(effort: .fast, meter: nil)
        for _ in 0..<100 {
            let row = (0..<3000).map { _ in UInt32.random(in: 0...UInt32.max, using: &random) | 0x0100_0000 }
            try row.rgbaBytes.withRawSpan { (bytes) throws(ImageError) in
                try histogram.add(bytes, width: row.count, weight: 1, work: &work)
            }
        }
        #expect(histogram.count <= ColorHistogram.largestCount(.fast))
        #expect(weights(histogram).values.reduce(0) { $0 + Int($1) } == 300_000)
    }

    @Test func tooManyColoursLoseTheirLowBits() throws {
        let meter = MemoryMeter()
        let rows = (0..<40).map { y in
            (0..<20_000).map { x in
                let color = UInt32(x * 40 + y) &* 2_654_435 & 0xFF_FFFF
                return color | (x % 7 == 0 ? 0x8000_0000 : 0xFF00_0000)
            }
        }
        let full = try histogram(rows + [[0]], meter: meter)
        #expect(full.count <= ColorHistogram.largestCount(.default))
        #expect(meter.peak <= ColorHistogram.byteCount(pixelCount: .max, effort: .default))
        let weights = weights(full)
        #expect(weights.values.reduce(0) { $0 + Int($1) } == 800_001)
        let opaqueCount = rows.joined().count { $0 >> 24 == 255 }
        #expect(weights.filter { $0.key >> 24 == 255 }.values.reduce(0) { $0 + Int($1) } == opaqueCount)
        #expect(weights[0] == 1)
    }

    @Test func hugeWeightsAreHalvedTogether() throws {
        var work = WorkGuard.unlimited
        var histogram = try ColorHistogram(meter: nil)
        for _ in 0..<100 {
            try ([0xFF00_0001, 0xFF00_0001, 0xFF00_0001, 0xFF00_0002] as [UInt32]).rgbaBytes.withRawSpan {
                (bytes) throws(ImageError) in
                try histogram.add(bytes, width: 4, weight: .max, work: &work)
            }
        }
        let weights = weights(histogram)
        let ratio = Double(weights[0xFF00_0001] ?? 0) / Double(weights[0xFF00_0002] ?? 1)
        #expect(abs(ratio - 3) < 0.01)
    }

    @Test func memoryIsRefused() {
        #expect(throws: ImageError.self) { try ColorHistogram(meter: MemoryMeter(limit: 100)) }
    }
}

extension [UInt32] {
    /// The bytes of pixels, lowest first.
    var rgbaBytes: [UInt8] { flatMap { pixel in (0..<4).map { UInt8(truncatingIfNeeded: pixel >> (8 * $0)) } } }
}
