import ImageCodecsCore
import ImageEncoding
import Testing

@Suite struct DurationRoundingTests {
    private func rounded(_ milliseconds: [Double], unit: Int = 10) -> [Int] {
        var rounding = DurationRounding(unitMilliseconds: unit)
        return milliseconds.map { rounding.next(.milliseconds($0)) }
    }

    @Test func whatOneFrameLacksTheNextMakesUpFor() {
        #expect(rounded([33.3, 33.3, 33.3, 33.3]) == [3, 4, 3, 3])
        #expect(rounded([40, 80, 100]) == [4, 8, 10])
        #expect(rounded([25, 25, 25, 25]).reduce(0, +) == 10)
        #expect(rounded([33.4, 33.4, 33.4, 33.4, 33.4], unit: 1) == [33, 34, 33, 34, 33])
    }

    @Test(arguments: [1, 10])
    func sumsStayWithinAUnit(_ unit: Int) {
        var milliseconds = 0.0
        var rounding = DurationRounding(unitMilliseconds: unit)
        var sum = 0
        for step in 0..<1000 {
            let duration = 25 + Double(step * 37 % 300) + Double(step % 7) / 7
            milliseconds += duration
            sum += unit * rounding.next(.milliseconds(duration))
            #expect(abs(Double(sum) - milliseconds) <= Double(unit) / 2 + 0.001)
        }
    }

    @Test func noFrameGetsADelayThatPlayersDoNotKeep() {
        // 60 frames a second: longer than it should be, but not a tenth of a second.
        #expect(rounded([16.7, 11, 12]) == [2, 2, 2])
        // These are shown for a tenth of a second before and after.
        #expect(rounded([0, 10, 0, 10]) == [0, 1, 0, 1])
        #expect(rounded([0, 4, 10, 8, 8]) == [0, 0, 1, 1, 1])
        #expect(rounded([-5]) == [0])
        #expect(rounded([10.2, 10, 9.9, 0.5, 10.4], unit: 1) == [11, 9, 10, 1, 11])
    }

    @Test func longerFramesMakeUpForThoseThatAreTooShort() {
        // Six frames of 16.7 ms take 19.8 ms too long, which the pause gives.
        #expect(rounded([16.7, 16.7, 16.7, 16.7, 16.7, 16.7, 200]) == [2, 2, 2, 2, 2, 2, 18])
        #expect(rounded([11, 11, 30, 30]) == [2, 2, 2, 2])
    }

    /// Frames of 1/60 s and 1/120 s: 800 ms in all.
    @Test(arguments: [(60, 10, 960, 160), (120, 10, 800, 0), (60, 1, 800, 0), (120, 1, 800, 0), (2000, 1, 800, 0)])
    func whatNothingMakesUpForIsSaid(_ rate: Int, _ unit: Int, _ sum: Int, _ excess: Int) {
        var rounding = DurationRounding(unitMilliseconds: unit)
        let delays = (0..<rate * 4 / 5).map { _ in rounding.next(.seconds(1) / rate) }
        #expect(delays.reduce(0, +) * unit == sum)
        let difference = rounding.excess - .milliseconds(excess)
        #expect(difference < .microseconds(1) && difference > .microseconds(-1))
    }

    @Test func longDelaysAreSeveral() {
        let rounding = DurationRounding(unitMilliseconds: 10)
        #expect(rounding.parts(of: 0, largest: 65_535) == [0])
        #expect(rounding.parts(of: 65_535, largest: 65_535) == [65_535])
        #expect(rounding.parts(of: 65_536, largest: 65_535) == [65_534, 2])
        #expect(rounding.parts(of: 65_537, largest: 65_535) == [65_535, 2])
        #expect(rounded([Double(1 << 60)]) == [6_553_500])
        #expect(rounding.parts(of: 6_553_500, largest: 65_535).count == 100)
        let milliseconds = DurationRounding(unitMilliseconds: 1)
        #expect(rounded([Double(1 << 60)], unit: 1) == [65_535_000])
        #expect(milliseconds.parts(of: 0xFF_FFFF + 4, largest: 0xFF_FFFF) == [0xFF_FFFF - 7, 11])
        #expect(milliseconds.parts(of: 65_535_000, largest: 0xFF_FFFF).reduce(0, +) == 65_535_000)
    }
}
