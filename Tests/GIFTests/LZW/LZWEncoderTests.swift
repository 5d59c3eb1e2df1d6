import CodecTestSupport
import GIFCodec
import ImageCodecsCore
import Testing

/// Codes written and read again, by the decoder of this package and by one with strings as arrays.
@Suite struct LZWEncoderTests {
    /// Indices of which some are noise, some runs, some repeat what came before.
    private func indices(_ count: Int, minimumCodeSize: Int, _ source: inout DecisionSource) -> [UInt8] {
        let largest = 1 << minimumCodeSize
        var indices: [UInt8] = []
        while indices.count < count {
            switch source.below(4) {
            case 0: for _ in 0..<1 + source.below(40) { indices.append(UInt8(source.below(largest))) }
            case 1: indices += [UInt8](repeating: UInt8(source.below(largest)), count: 1 + source.below(3000))
            case 2 where !indices.isEmpty:
                let start = source.below(indices.count)
                indices += indices[start..<min(indices.count, start + 1 + source.below(500))]
            default:
                for place in 0..<source.below(300) { indices.append(UInt8((place / 3) % largest)) }
            }
        }
        return Array(indices.prefix(count))
    }

    private func encoded(_ indices: [UInt8], minimumCodeSize: Int, clears: [Int]) throws -> [UInt8] {
        let meter = MemoryMeter()
        var (bytes, work) = ([UInt8](), WorkGuard.unlimited)
        var encoder = try LZWEncoder(meter: meter)
        try indices.withRawSpan { (indices) throws(ImageError) in
            try encoder.encode(indices, minimumCodeSize: minimumCodeSize, clears: clears, work: &work) {
                bytes.append($0)
            }
        }
        #expect(meter.peak == LZWEncoder.byteCount)
        return bytes
    }

    private func decoded(_ bytes: [UInt8], minimumCodeSize: Int, count: Int) throws -> [UInt8] {
        var (indices, work) = ([UInt8](), WorkGuard.unlimited)
        var decoder = try LZWDecoder(
            minimumCodeSize: minimumCodeSize, size: PixelSize(width: 1, height: 65_535), meter: nil)
        try bytes.withRawSpan { (bytes) throws(ImageError) in
            try decoder.decode(bytes, width: 1, work: &work) { rows in
                indices.append(rows)
                return true
            }
        }
        #expect(decoder.ending == .ended)
        return indices
    }

    @Test(arguments: 2...8)
    func indicesComeBack(_ minimumCodeSize: Int) throws {
        for seed in 0..<40 as Range<UInt64> {
            var source = DecisionSource(seed: seed * 9 + UInt64(minimumCodeSize))
            let count = 1 + source.below(source.oneIn(3) ? 60_000 : 900)
            let indices = indices(count, minimumCodeSize: minimumCodeSize, &source)
            let clears = Set((0..<source.below(5)).map { _ in source.below(count) }).subtracting([0]).sorted()
            let bytes = try encoded(indices, minimumCodeSize: minimumCodeSize, clears: clears)
            let reference = LZWKernelReference.decode(bytes, minimumCodeSize: minimumCodeSize)
            #expect(reference.ending == .ended, "seed \(seed)")
            #expect(reference.indices == indices, "seed \(seed)")
            let read = try decoded(bytes, minimumCodeSize: minimumCodeSize, count: count)
            #expect(read == indices, "seed \(seed)")
        }
    }

    /// GIF89a Appendix F, with two bits an index: clear 4, end 5. Codes of three bits are 4, 1, then 6 (1 1), then 5.
    @Test func codesAreThoseOfTheStandard() throws {
        #expect(try encoded([1, 1, 1], minimumCodeSize: 2, clears: []) == [0b10_001_100, 0b0000_1011])
        // With a clear code before the second index: 4, 1, 4, 1, 6 ... of three bits each.
        #expect(try encoded([1, 1], minimumCodeSize: 2, clears: [1]) == [0b00_001_100, 0b0_101_001_1])
    }

    @Test func placesFoundCostWhatTheySay() throws {
        for seed in 0..<24 as Range<UInt64> {
            var source = DecisionSource(seed: seed)
            let minimumCodeSize = source.number(in: 2...8)
            let size = PixelSize(width: 1 + source.below(200), height: 1 + source.below(source.oneIn(2) ? 300 : 4))
            let count = size.width * size.height
            let indices = indices(count, minimumCodeSize: minimumCodeSize, &source)
            for thoroughness in [.coarse, .fine, .planned, .exhaustive] as [ClearSearch.Thoroughness] {
                let meter = MemoryMeter()
                var (search, work) = (try ClearSearch(meter: meter), WorkGuard.unlimited)
                let clears = try indices.withRawSpan { (indices) throws(ImageError) in
                    try search.clears(indices, minimumCodeSize: minimumCodeSize, thoroughness, work: &work)
                }
                let bytes = try encoded(indices, minimumCodeSize: minimumCodeSize, clears: clears.places)
                #expect(bytes.count == (clears.bitCount + 7) / 8, "seed \(seed) \(thoroughness)")
                #expect(clears.byteCount == bytes.count + (bytes.count + 254) / 255 + 1)
                #expect(clears.places.allSatisfy { (1..<count).contains($0) })
                #expect(meter.peak <= ClearSearch.byteCount(size, thoroughness))
                let whole = try encoded(indices, minimumCodeSize: minimumCodeSize, clears: [])
                if thoroughness == .exhaustive { #expect(bytes.count <= whole.count + 2, "seed \(seed)") }
            }
        }
    }

    @Test func whatChangesInTheMiddleIsClearedThere() throws {
        var source = DecisionSource(seed: 5)
        let halves = [0, 128].map { base in (0..<40_000).map { _ in UInt8(base + source.below(6) * source.below(6)) } }
        let indices = halves[0] + halves[1]
        var (search, work) = (try ClearSearch(meter: nil), WorkGuard.unlimited)
        let clears = try indices.withRawSpan { (indices) throws(ImageError) in
            try search.clears(indices, minimumCodeSize: 8, .planned, work: &work)
        }
        #expect(clears.places.contains { abs($0 - 40_000) < 3000 })
    }

    @Test func theClockStopsASearch() throws {
        var limits = DecodingLimits.unlimited
        limits.maxTime = .zero
        var work = WorkGuard(limits: limits)
        work.begin()
        var search = try ClearSearch(meter: nil)
        #expect(throws: ImageError.self) {
            try [UInt8](repeating: 1, count: 1 << 18).withRawSpan { (indices) throws(ImageError) in
                _ = try search.clears(indices, minimumCodeSize: 2, .planned, work: &work)
            }
        }
    }
}
