import CodecTestSupport
import ImageCodecsCore
import ImageEncoding
import JPEGBaselineCodec
import JPEGCodec
import Testing

/// Files with arithmetic coding beyond what their pixels (`JPEGFixtureTests`) and the laws say.
@Suite struct ArithmeticScanTests {
    private static let names = [
        "arithmetic.jpg", "arithmetic-progressive.jpg", "arithmetic-restart.jpg", "arithmetic-progressive-restart.jpg",
        "arithmetic-gray.jpg",
    ]

    private func decode(_ file: ImageData, _ options: DecodingOptions = .default) throws -> RasterImage {
        try JPEGCoder().decode(file, options: options)
    }

    @Test(arguments: names, EncodingOptions.Effort.allCases)
    func surgeryWritesTheSamePictureWithHuffmanCodes(_ name: String, _ effort: EncodingOptions.Effort) throws {
        let file = try ImageData.fixture(name)
        var options = EncodingOptions(effort: effort)
        options.jpeg.isProgressive = false
        let written = try JPEGCoder().optimized(file, options: options)
        #expect(try WrittenBlocks(written.array).marker == .sof0)
        #expect(try decode(written).bitmap == decode(file).bitmap)
    }

    @Test(arguments: names) func thumbnailsAreThoseOfTheSameCoefficientsInHuffmanCodes(_ name: String) throws {
        let file = try ImageData.fixture(name)
        var options = EncodingOptions()
        options.jpeg.isProgressive = true
        let written = try JPEGCoder().optimized(file, options: options)
        for side in [9, 17, 34] {
            let small = DecodingOptions.thumbnail(width: side, height: side)
            #expect(try decode(written, small).bitmap == decode(file, small).bitmap)
        }
    }

    /// Rows come before the file ends, and no more than a row of coefficients is held for them.
    @Test(arguments: ["arithmetic.jpg", "arithmetic-gray.jpg", "twelve-bits-420.jpg", "twelve-bits-gray.jpg"])
    func oneScanIsDecodedRowByRow(_ name: String) throws {
        let file = try ImageData.fixture(name).array
        var decoder = JPEGDecoder(options: .tolerant)
        try decoder.append(Array(file[..<(file.count * 3 / 4)]))
        let partial = try #require(try decoder.image()?.partial)
        #expect(partial.scans == nil)
        #expect(try #require(partial.rows.first).lowerBound == 0)
        try decoder.append(Array(file[(file.count * 3 / 4)...]))
        _ = try decoder.finish()
        #expect(try decoder.image()?.bitmap == JPEGCoder().decode(ImageData(file), options: .default).bitmap)
    }

    @Test func theBaselineDecoderRefusesArithmeticCoding() throws {
        let file = try ImageData.fixture("arithmetic.jpg").array
        #expect(throws: ImageError.unsupported(.jpeg, feature: "arithmetic coding (SOF9) in the baseline decoder")) {
            var decoder = JPEGBaselineDecoder()
            try decoder.append(file)
            _ = try decoder.finish()
        }
    }

    /// A restart marker every three blocks: damage before one is over after it.
    @Test func damageEndsWithItsRestartInterval() throws {
        let whole = try ImageData.fixture("arithmetic-progressive-restart.jpg")
        var file = whole.array
        let start = try #require(JPEGBytes.segment([0xDA], in: file))
        let second = try #require(file[(start + 14)...].firstIndex(of: 0xD1))
        // The second interval of the first scan, which is the second row of MCUs, loses its data.
        let first = try #require(file[(start + 14)...].firstIndex(of: 0xD0))
        file.removeSubrange(first + 1..<second - 1)
        let damaged = try decode(ImageData(file), .tolerant)
        let picture = try decode(whole).bitmap
        let top = PixelRect(x: 0, y: 0, width: 67, height: 12)
        #expect(try damaged.bitmap.cropped(to: top) == picture.cropped(to: top))
        #expect(damaged.bitmap != picture)
    }
}

/// Conditioning segments, T.81 §B.2.4.3.
@Suite struct ArithmeticConditioningTests {
    private func conditioning(_ body: [UInt8]) throws(ImageError) -> ArithmeticConditioning {
        var conditioning = ArithmeticConditioning()
        try conditioning.read(body.span, offset: 9)
        return conditioning
    }

    @Test func valuesGoToTheirTables() throws {
        let read = try conditioning([0x01, 0x42, 0x13, 63])
        #expect(read.lower == SIMD4(0, 2, 0, 0) && read.upper == SIMD4(1, 4, 1, 1))
        #expect(read.lastLow == SIMD4(5, 5, 5, 63))
    }

    @Test(arguments: [[0x04, 0x10], [0x20, 0x10], [0x00, 0x12], [0x10, 0], [0x10, 64], [0x00]])
    func valuesOutOfRangeAreDamage(_ body: [UInt8]) {
        do throws(ImageError) {
            _ = try conditioning(body)
            Issue.record("\(body) was accepted")
        } catch {
            #expect(error.damageCode == .jpegConditioning)
        }
    }
}
