import ImageCodecsCore
import Testing

@Suite struct HelperPolicyTests {
    /// Plays units of two rows on a clock of its own.
    private struct Play {
        var policy = HelperPolicy(unit: 2)
        var clock = Duration.zero
        /// Units that ended with a call for help.
        var helpedUnitCount = 0
        var unitCount = 0

        mutating func run(units: Int, alone: Duration, helped: Duration, isIgnored: Bool = false) {
            for _ in 0..<units {
                let first = policy.addRow(now: clock, isIgnored: false)
                clock += first == .emit ? alone : helped
                let second = policy.addRow(now: clock, isIgnored: isIgnored)
                #expect(first != .wakeHelper && second != .goOn)
                if second == .wakeHelper { helpedUnitCount += 1 }
                unitCount += 1
            }
        }
    }

    @Test func aUnitIsNoMoreThanAFewDozenRows() {
        let units = [16, 192, 4096, 8192, 1 << 17, 1 << 20].map { HelperPolicy(pixelsPerRow: $0).unit }
        #expect(units == [32, 32, 32, 16, 1, 1])
    }

    @Test func itBeginsAloneAndThenGetsHelp() {
        var play = Play()
        play.run(units: 2, alone: .milliseconds(3), helped: .milliseconds(2))
        #expect(play.helpedUnitCount == 0)
        play.run(units: 100, alone: .milliseconds(3), helped: .milliseconds(2))
        #expect(play.helpedUnitCount == 100)
    }

    @Test func helpThatGainsNothingIsAskedForLessAndLess() {
        var play = Play()
        var shares: [Int] = []
        for _ in 0..<4 {
            let before = play.helpedUnitCount
            play.run(units: 100, alone: .milliseconds(3), helped: .milliseconds(3))
            shares.append(play.helpedUnitCount - before)
        }
        #expect(shares[0] > 0 && shares[0] <= 25)
        #expect(shares[3] > 0 && shares[3] < shares[0])
    }

    @Test func helpThatGainsAgainIsUsedAgain() {
        var play = Play()
        play.run(units: 400, alone: .milliseconds(3), helped: .milliseconds(4))
        let before = play.helpedUnitCount
        play.run(units: 400, alone: .milliseconds(3), helped: .milliseconds(2))
        #expect(play.helpedUnitCount - before > 300)
    }

    @Test func aHelperThatNeverComesIsDoneWithout() {
        var play = Play()
        play.run(units: 400, alone: .milliseconds(3), helped: .milliseconds(1), isIgnored: true)
        #expect(play.helpedUnitCount == 0)
    }

    @Test func anInterruptionIsNotMeasured() {
        var play = Play()
        for _ in 0..<50 {
            play.run(units: 3, alone: .milliseconds(3), helped: .milliseconds(2))
            play.clock += .seconds(1)
            play.policy.resume()
        }
        #expect(play.helpedUnitCount > 140)
    }
}
