import ImageCodecsCore
import JPEGBaselineCodec
import Testing

@Suite struct MCURowReportTests {
    /// 48 rows of pixels in three MCU rows, 4:2:0 unless said otherwise.
    private func geometry(luma: Int = 2, height: Int = 48, scale: DCTScale = .full) throws -> FrameGeometry {
        func component(_ identifier: UInt8, _ sampling: Int) -> FrameGeometry.ComponentSpecification {
            FrameGeometry.ComponentSpecification(
                identifier: identifier, horizontalSampling: sampling, verticalSampling: sampling, quantizationTable: 0)
        }
        return try #require(
            FrameGeometry(
                size: PixelSize(width: 40, height: height),
                components: [component(1, luma), component(2, 1), component(3, 1)], scale: scale))
    }

    @Test func nothingIsRealAtFirst() throws {
        let report = MCURowReport(try geometry(), parts: 1)
        #expect(report.rows() == [])
        #expect(report.deliveredRowCount == 0)
    }

    @Test func aPictureIsWholeWhenItsRowsAreInWhateverOrder() throws {
        for order in [[0, 1, 2], [0, 2, 1], [2, 1, 0]] {
            var report = MCURowReport(try geometry(), parts: 1)
            for row in order {
                #expect(!report.isWhole)
                report.record(row: row, delivered: [0], isDecoded: true)
            }
            #expect(report.isWhole && report.rows() == [0..<48] && report.deliveredRowCount == 3)
            report.limit(to: 17)
            #expect(report.isWhole && report.rows() == [0..<17] && report.deliveredRowCount == 2)
            report.record(row: 0, delivered: [0], isDecoded: false)
            #expect(!report.isWhole && report.rows() == [])
        }
    }

    @Test func rowsNextToMissingOnesAreNotRealWhereTheyAreInterpolated() throws {
        var report = MCURowReport(try geometry(), parts: 1)
        report.record(row: 0, delivered: [0], isDecoded: true)
        #expect(report.rows() == [0..<15])
        report.record(row: 1, delivered: [0], isDecoded: false)
        report.record(row: 2, delivered: [0], isDecoded: true)
        #expect(report.rows() == [0..<15, 33..<48])
        #expect(report.deliveredRowCount == 3)
    }

    @Test func withoutVerticalInterpolationWholeMCURowsAreReal() throws {
        var report = MCURowReport(try geometry(luma: 1, height: 20), parts: 1)
        report.record(row: 1, delivered: [0], isDecoded: true)
        #expect(report.rows() == [8..<16])
        // At half size 4:2:0 has as many samples of each component.
        report = MCURowReport(try geometry(scale: .half), parts: 1)
        report.record(row: 1, delivered: [0], isDecoded: true)
        #expect(report.rows() == [16..<32])
    }

    @Test func aRowIsWholeWhenEveryComponentHasCome() throws {
        var report = MCURowReport(try geometry(luma: 1, height: 24), parts: 3)
        for row in 0..<3 { report.record(row: row, delivered: 0...1, isDecoded: true) }
        // There is something to show.
        #expect(report.rows() == [] && report.deliveredRowCount == 3)
        report.record(row: 0, delivered: [0], isDecoded: true)
        #expect(report.rows() == [])
        report.record(row: 0, delivered: [2], isDecoded: true)
        report.record(row: 1, delivered: [Int](), isDecoded: true)
        #expect(report.rows() == [0..<8])
        #expect(report.rows(ofFirst: 0) == [])
    }

    @Test func damageIsNotMadeGoodByLaterScans() throws {
        var report = MCURowReport(try geometry(luma: 1, height: 24), parts: 3)
        report.record(row: 0, delivered: 0...2, isDecoded: true)
        report.record(row: 0, delivered: [Int](), isDecoded: false)
        report.record(row: 0, delivered: 0...2, isDecoded: true)
        #expect(report.rows() == [] && report.deliveredRowCount == 1)
    }

    @Test func rowsWithinTwoOfDamageAreNotRealWhereCoefficientsAreEstimated() throws {
        var report = MCURowReport(try geometry(luma: 1, height: 64), parts: 1)
        for row in 0..<8 { report.record(row: row, delivered: [0], isDecoded: row != 4) }
        #expect(report.rows() == [0..<32, 40..<64])
        #expect(report.rows(isEstimated: true) == [0..<16, 56..<64])
    }

    @Test func interpolationReachesBeyondEstimates() throws {
        var report = MCURowReport(try geometry(height: 160), parts: 1)
        for row in 0..<10 { report.record(row: row, delivered: [0], isDecoded: row != 4) }
        #expect(report.rows() == [0..<63, 81..<160])
        // The estimates of MCU row 2 depend on row 4, and the last row of row 1 is interpolated with the first of row 2.
        #expect(report.rows(isEstimated: true) == [0..<31, 113..<160])
    }
}
