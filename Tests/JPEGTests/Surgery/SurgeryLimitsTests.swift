import CodecTestSupport
import ImageCodecsCore
import JPEGBaselineCodec
import JPEGCodec
import Testing

/// Damage, memory and time of surgery.
@Suite struct SurgeryLimitsTests {
    @Test func damageIsRefusedOrCopiedUpToIt() throws {
        let file = try ImageData.fixture("truncated.jpg")
        #expect(throws: ImageError.self) { try JPEGCoder().optimized(file) }
        let copied = try JPEGCoder().optimized(file, strictness: .tolerant)
        var options = DecodingOptions()
        let whole = try JPEGCoder().decode(copied, options: options).bitmap
        options.strictness = .tolerant
        let partial = try JPEGCoder().decode(file, options: options)
        let rows = try #require(partial.partial?.rows.first)
        #expect(rows.lowerBound == 0 && rows.count > 32)
        // Colours of the last row are mixed with those of the row that is missing.
        let intact = PixelRect(x: 0, y: 0, width: whole.size.width, height: rows.count - 16)
        #expect(try whole.cropped(to: intact) == partial.bitmap.cropped(to: intact))
    }

    @Test(arguments: ["landscape-420.jpg", "landscape-progressive.jpg"])
    func everyPrefixEnds(_ name: String) throws {
        let file = try ImageData.fixture(name).array
        for count in stride(from: 0, to: file.count - 2, by: 131) {
            let prefix = ImageData(file[..<count])
            #expect(throws: ImageError.self) { try JPEGCoder().optimized(prefix) }
            guard let copied = try? JPEGCoder().optimized(prefix, strictness: .tolerant) else { continue }
            #expect(throws: Never.self) { try JPEGCoder().decode(copied, options: .default) }
        }
    }

    /// Coefficients and a mask of each block, of eight bytes, and 64 KiB.
    @Test(arguments: ["landscape-420.jpg", "landscape-progressive.jpg", "cmyk.jpg"])
    func memoryIsThatOfTheCoefficients(_ name: String) throws {
        let file = try ImageData.fixture(name)
        let geometry = try #require(CoefficientFileByTheBook(file.array).geometry)
        var options = EncodingOptions.best
        let meter = MemoryMeter()
        options.memoryMeter = meter
        _ = try JPEGCoder().optimized(file, options: options)
        #expect(meter.peak <= Int(geometry.paddedBlockCount) * 136 + 65536)
        options.memoryMeter = nil
        for share in [1, 2, 10, 100] {
            var limits = DecodingLimits.default
            limits.maxMemoryByteCount = meter.peak / share - 1
            #expect(throws: ImageError.self) { try JPEGCoder().optimized(file, options: options, limits: limits) }
        }
    }

    @Test func timeIsLimited() throws {
        let file = try ImageData.fixture("landscape-420.jpg")
        var limits = DecodingLimits.default
        limits.maxTime = .zero
        #expect(throws: ImageError.self) { try JPEGCoder().optimized(file, limits: limits) }
        var options = EncodingOptions.best
        options.limits.maxTime = .zero
        #expect(throws: ImageError.self) { try JPEGCoder().optimized(file, options: options) }
    }

    /// An AC coefficient of 2047 has eleven bits, one more than samples of eight bits give.
    @Test func coefficientsBeyondThoseOfEightBitSamplesAreRefusedOrCut() throws {
        var random = SeededRandom(seed: 5)
        var picture = try CoefficientPicture.random(&random)
        picture.coefficients[0].values.withMutableBytes { bytes in
            bytes.withNumbers(of: Int16.self) { values in values[1] = 2047 }
        }
        let file = ImageData(try picture.file(.progressive(.coarse), segments: picture.segments))
        #expect(throws: ImageError.self) { try JPEGCoder().optimized(file) }
        let copied = try JPEGCoder().optimized(file, strictness: .tolerant)
        #expect(try WrittenBlocks(copied.array).blocks[0][0][1] == 1023)
    }
}
