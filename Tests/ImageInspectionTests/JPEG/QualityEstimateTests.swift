import CodecTestSupport
import Foundation
import ImageCodecsCore
import ImageInspection
import JPEGBaselineCodec
import Testing

@Suite struct QualityEstimateTests {
    @Test func everySettingIsFoundAgain() {
        for quality in 1...100 {
            let table = QuantizationTable(values: QualityEstimate.standardTable(quality: quality))
            let estimate = QualityEstimate(table)
            // Below 3 some tables are the same: all their divisors are 255.
            #expect(estimate.isExact && (estimate.quality == quality || quality < 3))
        }
    }

    @Test func theSettingInTheMiddleIsTheStandardsTable() {
        // T.81 table K.1: the first row, and the last value.
        let table = QualityEstimate.standardTable(quality: 50)
        #expect(Array(table.prefix(8)) == [16, 11, 10, 16, 24, 40, 51, 61])
        #expect(table[63] == 99)
        #expect(QualityEstimate.standardTable(quality: 100) == Array(repeating: 1, count: 64))
        // 16 * 50 % and 11 * 50 %, halves rounded up.
        #expect(Array(QualityEstimate.standardTable(quality: 75).prefix(2)) == [8, 6])
    }

    @Test func otherTablesAreEstimated() {
        var values = QualityEstimate.standardTable(quality: 80)
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
