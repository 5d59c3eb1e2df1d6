import CodecTestSupport
import ImageCodecsCore
import JPEGBaselineCodec
import Testing

@Suite struct ScanSkipperTests {
    private struct Result: Equatable {
        /// Bytes before the marker that ended the scan; all that can be passed over if none did.
        var consumed: Int
        var isComplete: Bool
    }

    /// Passes over `bytes`, which arrive in pieces that end at `ends`; what is not consumed comes again.
    private func passOver(_ bytes: [UInt8], ends: [Int]) throws -> Result {
        var skipper = ScanSkipper()
        var work = WorkGuard.unlimited
        var consumed = 0
        for end in ends {
            let step = try skipper.passOver(bytes.span.extracting(consumed..<end), work: &work)
            consumed += step.consumedCount
            if step.isScanComplete {
                return Result(consumed: consumed, isComplete: true)
            }
        }
        return Result(consumed: consumed, isComplete: false)
    }

    /// The same from all cuts into two and three pieces, and into single bytes.
    private func expect(
        _ bytes: [UInt8], _ expected: Result,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let count = bytes.count
        for first in 0...count {
            for second in first...count {
                let result = try passOver(bytes, ends: [first, second, count])
                #expect(result == expected, "cut at \(first) and \(second)", sourceLocation: sourceLocation)
            }
        }
        let single = try passOver(bytes, ends: Array(0...count))
        #expect(single == expected, sourceLocation: sourceLocation)
    }

    @Test func theScanEndsInFrontOfItsMarker() throws {
        try expect([1, 2, 3, 0xFF, 0xD9], Result(consumed: 3, isComplete: true))
        try expect([0xFF, 0xDA, 9], Result(consumed: 0, isComplete: true))
        // Of several 0xFF the last belongs to the marker; the others are fill, which the marker reader knows.
        try expect([7, 0xFF, 0xFF, 0xFF, 0xC4], Result(consumed: 3, isComplete: true))
    }

    @Test func stuffedZerosAreData() throws {
        try expect([0xFF, 0, 5, 0xFF, 0, 0xFF, 0xD9], Result(consumed: 5, isComplete: true))
        try expect([0xFF, 0, 5], Result(consumed: 3, isComplete: false))
    }

    @Test func fillBeforeAStuffedZeroIsData() throws {
        let bytes: [UInt8] = [1, 0xFF, 0xFF, 0, 2, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0xFF, 0, 3, 0xFF, 0xD9]
        try expect(bytes, Result(consumed: 13, isComplete: true))
    }

    @Test func fillBeforeAMarkerBelongsToTheMarker() throws {
        let fill = Array(repeating: UInt8(0xFF), count: 9)
        try expect([0xFF, 0xFF, 0] + fill + [0xD9], Result(consumed: 11, isComplete: true))
        try expect(
            [0xFF, 0xFF, 0] + fill + [0xD3, 4, 0xFF, 0xD9], Result(consumed: 14, isComplete: true))
    }

    @Test func restartMarkersArePassedOver() throws {
        let bytes: [UInt8] = [1, 0xFF, 0xD0, 2, 0xFF, 0xD7, 0xFF, 0xD3, 3, 0xFF, 0xD8]
        try expect(bytes, Result(consumed: 9, isComplete: true))
    }

    @Test(arguments: [0x01, 0x02, 0x7F, 0xBF] as [UInt8])
    func reservedCodesArePassedOver(_ code: UInt8) throws {
        try expect([1, 0xFF, code, 2, 0xFF, 0xD9], Result(consumed: 4, isComplete: true))
    }

    @Test(arguments: [0xC0, 0xC4, 0xD8, 0xDB, 0xE1, 0xFE] as [UInt8])
    func otherMarkersEndEveryScan(_ code: UInt8) throws {
        try expect([1, 0xFF, code, 2], Result(consumed: 1, isComplete: true))
    }

    @Test func theLastPrefixWaitsForItsCode() throws {
        try expect([1, 2, 0xFF], Result(consumed: 2, isComplete: false))
        try expect([1, 2, 0xFF, 0xFF, 0xFF], Result(consumed: 4, isComplete: false))
        #expect(try passOver([], ends: [0, 0]) == Result(consumed: 0, isComplete: false))
    }
}
