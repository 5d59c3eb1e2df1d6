import ImageCodecsCore
import JPEGBaselineCodec
import JPEGCodec
import Testing

@Suite struct EncoderFrameTests {
    private func frame(
        _ model: JPEGColorModel, _ subsampling: JPEGSubsampling = .yCbCr444, width: Int = 36, height: Int = 28
    ) -> EncoderFrame? {
        EncoderFrame(
            size: PixelSize(width: width, height: height), colorModel: model, subsampling: subsampling,
            quantizationTables: StandardQuantization.tables(quality: 75, count: EncoderFrame.tableCount(model)))
    }

    @Test func componentsAreThoseOfOtherEncoders() throws {
        #expect(try #require(frame(.grayscale)).geometry.components.map(\.identifier) == [1])
        let color = try #require(frame(.yCbCr, .yCbCr420))
        #expect(color.geometry.components.map(\.identifier) == [1, 2, 3])
        #expect(color.geometry.components.map(\.horizontalSampling) == [2, 1, 1])
        #expect(color.geometry.components.map(\.verticalSampling) == [2, 1, 1])
        #expect((0..<3).map(color.huffmanSlot) == [0, 1, 1])
        let inks = try #require(frame(.cmyk, .yCbCr420))
        #expect(inks.geometry.components.map(\.identifier) == Array("CMYK".utf8))
        #expect(inks.geometry.components.allSatisfy { $0.horizontalSampling == 1 && $0.verticalSampling == 1 })
        #expect((0..<4).map(inks.huffmanSlot) == [0, 0, 0, 0])
    }

    @Test(arguments: JPEGSubsampling.allCases)
    func namesTellSamplesOfChroma(_ subsampling: JPEGSubsampling) {
        let digits = subsampling.rawValue.split(separator: ":").compactMap { Int($0) }
        #expect(subsampling.horizontalFactor == digits[0] / digits[1])
        #expect(subsampling.verticalFactor == (digits[2] == 0 ? 2 : 1))
    }

    @Test func sidesHaveALimit() {
        #expect(frame(.yCbCr, width: 65535, height: 1) != nil)
        #expect(frame(.yCbCr, width: 65536, height: 1) == nil)
        #expect(frame(.yCbCr, width: 0) == nil)
    }

    @Test func qualityScalesTheTablesOfTheStandard() {
        #expect(
            StandardQuantization.tables(quality: 50, count: 2).map(\.values) == [
                StandardQuantization.luminance, StandardQuantization.chrominance,
            ])
        #expect(StandardQuantization.tables(quality: 100, count: 1)[0].values.allSatisfy { $0 == 1 })
        #expect(StandardQuantization.tables(quality: 1, count: 1)[0].values.allSatisfy { $0 == 255 })
        // The first row that cjpeg -quality 75 writes.
        #expect(
            StandardQuantization.tables(quality: 75, count: 1)[0].values[..<8] == [8, 6, 5, 8, 12, 20, 26, 31])
        #expect(
            StandardQuantization.tables(quality: -3, count: 1) == StandardQuantization.tables(quality: 1, count: 1))
    }
}
