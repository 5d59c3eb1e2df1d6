import CodecTestSupport
import Foundation
import ImageCodecsCore
import ImageEncoding
import JPEGBaselineCodec
import JPEGCodec
import Testing

/// Lossless files beyond what their pixels and the laws say.
@Suite struct LosslessFrameTests {
    private func decode(_ file: ImageData, _ options: DecodingOptions = .default) throws -> RasterImage {
        try JPEGCoder().decode(file, options: options)
    }

    private func damageCode(_ file: [UInt8], _ options: DecodingOptions) -> DamageCode? {
        do {
            _ = try decode(ImageData(file), options)
            return nil
        } catch {
            return (error as? ImageError)?.damageCode
        }
    }

    /// What `expected.json` says of samples of more than eight bits.
    private struct DeepExpectation: Decodable {
        var deepCRC32: String?
    }

    @Test(arguments: [
        ("lossless-gray-16.jpg", 16), ("lossless-gray-halves-16.jpg", 16), ("lossless-scans-12.jpg", 12),
        ("lossless-420-10.jpg", 10),
        ("twelve-bits-420.jpg", 12), ("twelve-bits-gray.jpg", 12),
    ])
    func deepSamplesKeepEveryBit(_ name: String, _ precision: Int) throws {
        let expectations = try JSONDecoder().decode(
            [String: DeepExpectation].self,
            from: Data(contentsOf: Fixture.folder("jpeg").appendingPathComponent("expected.json")))
        var options = DecodingOptions()
        options.pixelFormat = nil
        let image = try decode(.fixture(name), options)
        let bitmap = image.bitmap
        #expect(bitmap.format == (name.contains("gray") ? .gray16 : .rgba16))
        var bytes: [UInt8] = []
        for y in 0..<bitmap.height {
            bitmap.withRow16(y) { row in
                // The fourth sample is alpha.
                for index in 0..<row.count where bitmap.format == .gray16 || index % 4 < 3 {
                    bytes += [UInt8(row[index] >> 8), UInt8(row[index] & 255)]
                }
            }
        }
        #expect(PixelDigest.crc32(bytes) == expectations[name]?.deepCRC32)
        let info = try JPEGCoder().inspect(.fixture(name), options: options)
        #expect(info.bitDepth == precision)
        #expect(info.isLossy == name.hasPrefix("twelve"))
    }

    @Test func aPointTransformLosesBits() throws {
        let info = try JPEGCoder().inspect(.fixture("lossless-gray-3.jpg"), options: .default)
        #expect(info.bitDepth == 3)
        #expect(info.isLossy == true)
    }

    @Test func surgeryRefusesWhatHasNoCoefficients() throws {
        let file = try ImageData.fixture("lossless-rgb.jpg")
        let refusal = ImageError.unsupported(
            .jpeg, feature: "surgery on the lossless process (SOF3), which has no coefficients")
        #expect(throws: refusal) { try JPEGCoder().optimized(file, options: EncodingOptions()) }
    }

    @Test func surgeryRefusesTwelveBits() throws {
        let file = try ImageData.fixture("twelve-bits-420.jpg")
        #expect(throws: ImageError.unsupported(.jpeg, feature: "surgery on 12-bit samples")) {
            try JPEGCoder().optimized(file, options: EncodingOptions())
        }
    }

    @Test func theBaselineDecoderRefusesLosslessFrames() throws {
        let file = try ImageData.fixture("lossless-rgb.jpg").array
        #expect(throws: ImageError.unsupported(.jpeg, feature: "lossless process (SOF3) in the baseline decoder")) {
            var decoder = JPEGBaselineDecoder()
            try decoder.append(file)
            _ = try decoder.finish()
        }
    }

    /// A restart marker every four rows of MCUs of two rows of samples: damage before one is over after it.
    @Test func damageEndsWithItsRestartInterval() throws {
        let whole = try ImageData.fixture("lossless-420-10.jpg")
        var file = whole.array
        let start = try #require(JPEGBytes.segment([0xDA], in: file))
        func marker(_ code: UInt8) -> Int? {
            (start..<file.count - 1).first { file[$0] == 0xFF && file[$0 + 1] == code }
        }
        let (first, second) = (try #require(marker(0xD0)), try #require(marker(0xD1)))
        file.removeSubrange(first + 12..<second)
        #expect(throws: ImageError.self) { try decode(ImageData(file)) }
        let damaged = try decode(ImageData(file), .tolerant)
        #expect(damaged.partial?.rows == [0..<8, 16..<31])
        let picture = try decode(whole).bitmap
        for rows in [0..<8, 16..<31] {
            let part = PixelRect(x: 0, y: rows.lowerBound, width: 43, height: rows.count)
            #expect(try damaged.bitmap.cropped(to: part) == picture.cropped(to: part))
        }
        #expect(damaged.bitmap != picture)
    }

    @Test func aFileThatIsCutGivesItsRows() throws {
        let file = try ImageData.fixture("lossless-rgb.jpg").array
        let cut = try decode(ImageData(Array(file.prefix(file.count / 2))), .tolerant)
        let rows = try #require(cut.partial?.rows.first)
        #expect(rows.lowerBound == 0 && rows.count > 5 && rows.count < 25)
        let part = PixelRect(x: 0, y: 0, width: 43, height: rows.count)
        let picture = try decode(.fixture("lossless-rgb.jpg")).bitmap
        #expect(try cut.bitmap.cropped(to: part) == picture.cropped(to: part))
    }

    @Test(arguments: [(7, 0), (7, 9), (8, 1), (9, 3), (9, 0x10)])
    func headersThatTheProcessDoesNotHaveAreDamage(_ place: Int, _ value: UInt8) throws {
        var file = try ImageData.fixture("lossless-gray-3.jpg").array
        let start = try #require(JPEGBytes.segment([0xDA], in: file))
        // Count, component, tables, predictor, end of the band and point transform.
        #expect(Array(file[start + 4..<start + 10]) == [1, 1, 0, 2, 0, 1])
        file[start + place] = value
        #expect(damageCode(file, .default) == .jpegScanProgression)
    }

    @Test func aRestartIntervalIsWholeRows() throws {
        var file = try ImageData.fixture("lossless-420-10.jpg").array
        let start = try #require(JPEGBytes.segment([0xDD], in: file))
        file[start + 5] += 1
        #expect(damageCode(file, .default) == .jpegRestartInterval)
    }
}
