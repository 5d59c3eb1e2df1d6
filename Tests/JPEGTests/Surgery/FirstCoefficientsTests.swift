import CodecTestSupport
import Foundation
import ImageCodecsCore
import JPEGCodec
import Testing

@Suite struct FirstCoefficientsTests {
    private let file = Fixture.folder("jpeg/landscape-gray-restart.jpg")

    private func picture(keepingFirst count: Int?) throws -> Bitmap {
        var data = ImageData(try Data(contentsOf: file))
        if let count {
            let surgery = Surgery(EncodingOptions(effort: .fast), limits: .default, strictness: .strict)
            data = try #require(surgery.keepingFirst([count], of: data).first)
        }
        var options = DecodingOptions()
        options.pixelFormat = .gray
        return try JPEGCoder().decode(data, options: options).bitmap
    }

    @Test func allCoefficientsAreThePicture() throws {
        #expect(try picture(keepingFirst: 64) == picture(keepingFirst: nil))
        #expect(try picture(keepingFirst: 63) != picture(keepingFirst: 1))
    }

    @Test func theFirstCoefficientAloneIsTheMeanOfEachBlock() throws {
        let (means, whole) = (try picture(keepingFirst: 1), try picture(keepingFirst: nil))
        for row in 0..<whole.height / 8 {
            for column in 0..<whole.width / 8 {
                var sum = 0
                for y in 8 * row..<8 * row + 8 {
                    whole.withRow(y) { line in
                        for x in 8 * column..<8 * column + 8 { sum += Int(line[x]) }
                    }
                }
                let mean = means.withRow(8 * row) { Int($0[8 * column]) }
                for y in 8 * row..<8 * row + 8 {
                    #expect(
                        means.withRow(y) { line in (8 * column..<8 * column + 8).allSatisfy { Int(line[$0]) == mean } })
                }
                // Samples are rounded, and where they were beyond the ends cut.
                #expect(abs(mean - (sum + 32) / 64) <= 4)
            }
        }
    }
}
