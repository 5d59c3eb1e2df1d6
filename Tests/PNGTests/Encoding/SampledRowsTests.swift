import CodecTestSupport
import ImageCodecsCore
import PNGCodec
import Testing

@Suite struct SampledRowsTests {
    private func sampled(_ size: PixelSize, bands: Int, height: Int, _ pixel: (Int, Int) -> UInt8) throws -> SampledRows
    {
        var rows = try SampledRows(format: .gray, size: size, bandCount: bands, bandHeight: height, meter: nil)
        for y in 0..<size.height {
            let row = (0..<size.width).map { pixel($0, y) }
            row.withRawSpan(first: row.count) { rows.add($0, y: y) }
        }
        return rows
    }

    @Test func bandsReachFromTheFirstRowToTheLast() throws {
        let size = PixelSize(width: 4, height: 100)
        var rows = try SampledRows(format: .gray, size: size, bandCount: 3, bandHeight: 2, meter: nil)
        var kept: [Int] = []
        for y in 0..<100 {
            let before = rows.wantsMore
            [UInt8(y), 0, 0, 0].withRawSpan(first: 4) { rows.add($0, y: y) }
            if before, !rows.wantsMore { kept.append(y) }
        }
        #expect(kept == [99])
    }

    @Test func smallPicturesAreKeptWhole() throws {
        let rows = try sampled(PixelSize(width: 3, height: 5), bands: 8, height: 16) { x, y in UInt8(x + y) }
        #expect(!rows.wantsMore)
    }

    @Test func theShareOfRepeatedPixelsIsExact() throws {
        // Of the eleven pixels that have one to their left, five equal it.
        let rows = try sampled(PixelSize(width: 12, height: 4), bands: 8, height: 16) { x, _ in UInt8(min(x, 6)) }
        #expect(abs(rows.repeatedShare - 5.0 / 11) < 1e-9)
    }

    @Test func memoryIsWhatWasEstimated() throws {
        for size in [
            PixelSize(width: 70_000, height: 900), PixelSize(width: 9, height: 3),
            PixelSize(width: 2_000_000, height: 50),
        ] {
            let meter = MemoryMeter()
            _ = try SampledRows(format: .rgba, size: size, bandCount: 8, bandHeight: 16, meter: meter)
            #expect(
                meter.peak
                    <= SampledRows.byteCount(format: .rgba, size: size, bandCount: 8, bandHeight: 16) + 64)
        }
    }
}
