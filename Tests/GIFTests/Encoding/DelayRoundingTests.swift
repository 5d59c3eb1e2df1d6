import GIFCodec
import Testing

@Suite struct DelayRoundingTests {
    private func rounded(_ milliseconds: [Double]) -> [Int] {
        var rounding = DelayRounding()
        return milliseconds.map { rounding.next(.milliseconds($0)) }
    }

    @Test func whatOneFrameLacksTheNextMakesUpFor() {
        #expect(rounded([33.3, 33.3, 33.3, 33.3]) == [3, 4, 3, 3])
        #expect(rounded([40, 80, 100]) == [4, 8, 10])
        #expect(rounded([25, 25, 25, 25]).reduce(0, +) == 10)
    }

    @Test func sumsStayWithinAHundredth() {
        var milliseconds = 0
        var rounding = DelayRounding()
        var sum = 0
        for step in 0..<1000 {
            let duration = 16 + step * 37 % 300
            milliseconds += duration
            sum += 10 * rounding.next(.milliseconds(duration))
            #expect(abs(sum - milliseconds) <= 5)
        }
    }

    @Test func noFrameGetsADelayThatPlayersDoNotKeep() {
        // 60 frames a second: longer than it should be, but not a tenth of a second.
        #expect(rounded([16.7, 11, 12]) == [2, 2, 2])
        // These are shown for a tenth of a second before and after.
        #expect(rounded([0, 4, 10, 8, 8]) == [0, 0, 1, 1, 1])
        #expect(rounded([-5]) == [0])
    }

    @Test func longDelaysAreSeveral() {
        #expect(delays(ofHundredths: 0) == [0])
        #expect(delays(ofHundredths: 65_535) == [65_535])
        #expect(delays(ofHundredths: 65_536) == [65_534, 2])
        #expect(delays(ofHundredths: 65_537) == [65_535, 2])
        #expect(rounded([Double(1 << 60)]) == [6_553_500])
        #expect(delays(ofHundredths: 6_553_500).count == 100)
    }
}
