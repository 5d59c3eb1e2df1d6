import CodecTestSupport
import Foundation
import ImageCodecsCore
import ImageInspection
import JPEGBaselineCodec
import JPEGCodec
import Testing

@Suite struct QualityEstimateTests {
    @Test func everySettingIsFoundAgain() {
        for quality in 1...100 {
            let table = StandardQuantization.tables(quality: Double(quality), count: 1)[0]
            let estimate = QualityEstimate(table)
            // Below 3 some tables are the same: all their divisors are 255.
            #expect(estimate.isExact && (estimate.quality == quality || quality < 3))
        }
    }

    @Test func theSettingInTheMiddleIsTheStandardsTable() {
        // T.81 table K.1: the first row, and the last value.
        let table = StandardQuantization.tables(quality: 50, count: 1)[0].values
        #expect(Array(table.prefix(8)) == [16, 11, 10, 16, 24, 40, 51, 61])
        #expect(table[63] == 99)
        #expect(StandardQuantization.tables(quality: 100, count: 1)[0].values == Array(repeating: 1, count: 64))
        // 16 * 50 % and 11 * 50 %, halves rounded up.
        #expect(Array(StandardQuantization.tables(quality: 75, count: 1)[0].values.prefix(2)) == [8, 6])
    }

    @Test func tablesOfChromaAreComparedWithThoseForChroma() {
        for quality in [10, 50, 75, 95] {
            let tables = StandardQuantization.tables(quality: Double(quality), count: 2)
            let estimate = QualityEstimate(tables[1], isChroma: true)
            #expect(estimate.isExact && estimate.quality == quality)
            #expect(!QualityEstimate(tables[1]).isExact)
        }
    }

    @Test func otherTablesAreEstimated() {
        var values = StandardQuantization.tables(quality: 80, count: 1)[0].values
        values[5] += 1
        #expect(QualityEstimate(QuantizationTable(values: values)).quality == 80)
        #expect(!QualityEstimate(QuantizationTable(values: values)).isExact)
        let extreme = QuantizationTable(values: Array(repeating: .max, count: 64))
        #expect(QualityEstimate(extreme).quality == 1)
    }

    @Test func listingsKnowTheTablesInFrontOfTheFirstScan() throws {
        let path = Fixture.folder("jpeg").appendingPathComponent("landscape-420.jpg").path
        let listing = try JPEGMarkerListing(ImageData(contentsOfFile: path))
        #expect(listing.hasScan && listing.frame?.components.count == 3)
        #expect(listing.qualityEstimate?.isExact == true)
        let start = try JPEGMarkerListing([0xFF, 0xD8, 0xFF, 0xDB, 0x00, 0x05, 0x00, 1, 2])
        #expect(!start.hasScan && start.qualityEstimate == nil)
    }
}
