import CodecTestSupport
import ImageCodecsCore
import ImagePlayback
import Testing

@Suite struct PlaybackScheduleTests {
    private func schedule(
        _ milliseconds: [Int], _ options: PlaybackOptions = PlaybackOptions(), playCount: Int = 1
    ) -> PlaybackSchedule {
        PlaybackSchedule(durations: milliseconds.map { .milliseconds($0) }, options: options, playCount: playCount)
    }

    private func skipping(_ options: PlaybackOptions = PlaybackOptions()) -> PlaybackOptions {
        var options = options
        options.lateFrames = .skipped
        return options
    }

    /// Shows what is next exactly when it is due; the frame and when that was, in milliseconds.
    private func showPunctually(_ schedule: inout PlaybackSchedule) -> [Int]? {
        schedule.show(at: schedule.due ?? .zero).map { [$0.position.index, $0.time.wholeMilliseconds] }
    }

    /// Asks for the next frame and shows it at `now`.
    private func show(_ schedule: inout PlaybackSchedule, at now: Int) -> [Int]? {
        schedule.skip(to: .milliseconds(now))
        return schedule.show(at: .milliseconds(now)).map { [$0.position.index, $0.time.wholeMilliseconds] }
    }

    // MARK: Punctual

    @Test func framesFollowOneAnother() {
        var schedule = schedule([100, 50, 200], playCount: 2)
        var shown: [[Int]] = []
        while let frame = showPunctually(&schedule) { shown.append(frame) }
        #expect(shown == [[0, 0], [1, 100], [2, 150], [0, 350], [1, 450], [2, 500]])
        #expect(schedule.next == nil)
        #expect(schedule.due == .milliseconds(700))
    }

    @Test func shortFramesTakeAHundredMilliseconds() {
        var schedule = schedule([0, 10, 11, 20])
        #expect((0..<4).map { _ in showPunctually(&schedule) } == [[0, 0], [1, 100], [2, 200], [3, 211]])
    }

    @Test func theRateDividesTimes() {
        var twice = schedule([100, 50, 200], PlaybackOptions(rate: 2))
        #expect((0..<3).map { _ in showPunctually(&twice) } == [[0, 0], [1, 50], [2, 75]])
        var slow = schedule([100, 50, 200], PlaybackOptions(rate: 0.25))
        #expect((0..<3).map { _ in showPunctually(&slow) } == [[0, 0], [1, 400], [2, 600]])
        #expect(slow.due == .milliseconds(1400))
    }

    @Test func theCallersPlayCountComesBeforeThatOfTheFile() {
        var once = schedule([100], PlaybackOptions(playCount: 1), playCount: 0)
        _ = showPunctually(&once)
        #expect(once.next == nil)
        var forEver = schedule([100], PlaybackOptions(playCount: 0), playCount: 1)
        for _ in 0..<100 { _ = showPunctually(&forEver) }
        #expect(forEver.next?.completedPlayCount == 100)
    }

    @Test func endlessDurationsAreCutSoThatNothingOverflows() {
        var schedule = PlaybackSchedule(
            durations: [.seconds(Int64.max), .seconds(-5), .seconds(Int64.max)],
            options: PlaybackOptions(mode: .bounce, rate: 0.001, lateFrames: .skipped), playCount: 0)
        _ = schedule.show(at: .zero)
        // A thousandth is no binary fraction: not to the attosecond.
        #expect(schedule.due?.wholeMilliseconds == 1_000_000_000_000)
        schedule.skip(to: .seconds(1_000_000_000_000_000))
        #expect(schedule.show(at: .seconds(1_000_000_000_000_000)) != nil)
    }

    @Test func theFirstFrameIsShownWhenItIsThere() {
        var schedule = schedule([100, 100])
        #expect(schedule.due == nil)
        #expect(show(&schedule, at: 70) == [0, 70])
        #expect(schedule.due == .milliseconds(170))
    }

    // MARK: Late

    @Test func aQuarterOfAFramesTimeIsMadeUpFor() {
        var schedule = schedule([100, 100, 100, 100])
        #expect(show(&schedule, at: 0) == [0, 0])
        #expect(show(&schedule, at: 125) == [1, 100])
        #expect(show(&schedule, at: 226) == [2, 226])
        #expect(show(&schedule, at: 326) == [3, 326])
    }

    @Test func lateFramesAreShownAndMoveTheRest() {
        var schedule = schedule([100, 100, 100])
        #expect(show(&schedule, at: 0) == [0, 0])
        #expect(show(&schedule, at: 5000) == [1, 5000])
        #expect(schedule.due == .milliseconds(5100))
    }

    @Test func framesWhoseTimeIsOverAreSkipped() {
        var schedule = schedule([100, 100, 100, 100, 100], skipping())
        #expect(show(&schedule, at: 0) == [0, 0])
        #expect(show(&schedule, at: 199) == [1, 100])
        #expect(show(&schedule, at: 200) == [2, 200])
        #expect(show(&schedule, at: 450) == [4, 400])
        #expect(schedule.due == .milliseconds(500))
    }

    @Test func theLastFrameIsNeverSkipped() {
        var schedule = schedule([100, 100, 100], skipping(), playCount: 2)
        #expect(show(&schedule, at: 0) == [0, 0])
        schedule.skip(to: .seconds(3600))
        #expect(schedule.next == .init(index: 2, isAscending: true, completedPlayCount: 1))
        #expect(schedule.due == .milliseconds(500))
    }

    @Test func nothingIsSkippedWhileItIsPaused() {
        var schedule = schedule([100, 100, 100], skipping())
        _ = show(&schedule, at: 0)
        schedule.pause(at: .milliseconds(30))
        schedule.skip(to: .seconds(10))
        schedule.resume(at: .seconds(10))
        #expect(schedule.next?.index == 1)
        #expect(schedule.due == .milliseconds(10_070))
    }

    @Test(arguments: PlaybackMode.allCases, [1, 2, 3, 7]) func skippingWholePlaysIsSkippingEveryFrame(
        _ mode: PlaybackMode, _ frameCount: Int
    ) {
        let milliseconds = (0..<frameCount).map { 20 + 7 * $0 }
        for (playCount, rate) in [(0, 1.0), (5, 1), (40, 1), (0, 4), (0, 0.5)] {
            let options = PlaybackOptions(mode: mode, rate: rate, playCount: playCount, lateFrames: .skipped)
            for now in [19, 20, 100, 333, 1000, 4321, 12_345] {
                var atOnce = schedule(milliseconds, options)
                _ = atOnce.show(at: .zero)
                var stepwise = atOnce
                atOnce.skip(to: .milliseconds(now))
                for step in 0...now { stepwise.skip(to: .milliseconds(step)) }
                #expect(atOnce == stepwise)
            }
        }
    }

    // MARK: Controlled

    @Test func aPauseMovesWhatIsDueByAsLongAsItLasts() {
        var schedule = schedule([100, 100])
        _ = show(&schedule, at: 0)
        schedule.pause(at: .milliseconds(40))
        schedule.pause(at: .milliseconds(60))
        #expect(schedule.isHeld)
        schedule.resume(at: .milliseconds(1040))
        #expect(!schedule.isPaused)
        #expect(schedule.due == .milliseconds(1100))
        schedule.resume(at: .milliseconds(2000))
        #expect(schedule.due == .milliseconds(1100))
    }

    @Test func seekingShowsTheFrameAtOnceAndGoesOnFromThere() {
        var schedule = schedule([100, 100, 100, 100, 100], playCount: 2)
        _ = show(&schedule, at: 0)
        schedule.seek(to: 3)
        #expect(schedule.due == nil)
        #expect(schedule.upcoming(3) == [3, 4, 0])
        #expect(show(&schedule, at: 40) == [3, 40])
        #expect(schedule.due == .milliseconds(140))
        #expect(show(&schedule, at: 140) == [4, 140])
    }

    @Test func playsThatWereCompleteCountAfterSeeking() {
        var schedule = schedule([100, 100], playCount: 2)
        for _ in 0..<3 { _ = showPunctually(&schedule) }
        schedule.seek(to: 1)
        #expect(schedule.show(at: .seconds(1))?.position.completedPlayCount == 1)
        #expect(schedule.next == nil)
        // The last frame's time is not over yet.
        schedule.seek(to: 0)
        #expect(schedule.show(at: .seconds(1))?.position.index == 0)
        #expect(schedule.next?.index == 1)
    }

    @Test func whatIsSoughtInAPauseIsShownForAllOfItsTimeAfterIt() {
        var schedule = schedule([100, 100, 100])
        _ = show(&schedule, at: 0)
        schedule.pause(at: .milliseconds(10))
        schedule.seek(to: 1)
        #expect(!schedule.isHeld)
        #expect(show(&schedule, at: 500) == [1, 500])
        #expect(schedule.isHeld)
        schedule.resume(at: .milliseconds(800))
        #expect(schedule.due == .milliseconds(900))
    }

    @Test func theRateChangesTheRestOfAFramesTime() {
        var schedule = schedule([100, 100, 100])
        _ = show(&schedule, at: 0)
        schedule.setRate(2, at: .milliseconds(40))
        #expect(schedule.due == .milliseconds(70))
        #expect(show(&schedule, at: 70) == [1, 70])
        #expect(schedule.due == .milliseconds(120))
        schedule.pause(at: .milliseconds(100))
        schedule.setRate(0.5, at: .milliseconds(300))
        schedule.resume(at: .milliseconds(1100))
        #expect(schedule.due == .milliseconds(1180))
        // What is late already stays as late.
        schedule.setRate(1, at: .milliseconds(2000))
        #expect(schedule.due == .milliseconds(1180))
    }

    @Test func anotherModeGoesOnFromTheFrameShown() {
        var schedule = schedule([100, 100, 100, 100], playCount: 0)
        for _ in 0..<3 { _ = showPunctually(&schedule) }
        schedule.setMode(.reverse)
        #expect(schedule.upcoming(4) == [1, 0, 3, 2])
        #expect(schedule.due == .milliseconds(300))
        // Bouncing goes on upwards: the last frame shown was reached going up.
        schedule.setMode(.normal)
        schedule.setMode(.bounce)
        #expect(schedule.upcoming(4) == [3, 2, 1, 0])
        schedule.setMode(.reversedBounce)
        #expect(schedule.next?.index == 3)
    }

    @Test func anotherModeRevivesTheLastFrame() {
        var schedule = schedule([100, 100])
        for _ in 0..<2 { _ = showPunctually(&schedule) }
        #expect(schedule.next == nil)
        schedule.setMode(.reverse)
        #expect(schedule.next?.index == 0)
        #expect(schedule.due == .milliseconds(200))
    }

    @Test func anotherModeKeepsTheFrameThatWasAskedFor() {
        var begun = schedule([100, 100, 100, 100])
        begun.setMode(.reverse)
        #expect(begun.upcoming(9) == [3, 2, 1, 0])
        var sought = schedule([100, 100, 100, 100])
        _ = show(&sought, at: 0)
        sought.seek(to: 2)
        sought.setMode(.reverse)
        #expect(sought.upcoming(9) == [2, 1, 0])
        var started = schedule([100, 100, 100], PlaybackOptions(startIndex: 1))
        started.setMode(.bounce)
        #expect(started.upcoming(2) == [1, 2])
    }

    @Test func whatIsUpcomingIsToldOnce() {
        #expect(schedule([100, 100, 100], playCount: 0).upcoming(10) == [0, 1, 2])
        #expect(schedule([100, 100, 100], PlaybackOptions(mode: .bounce)).upcoming(.max) == [0, 1, 2])
        #expect(schedule([100, 100, 100]).upcoming(2) == [0, 1])
        #expect(schedule([100, 100, 100]).upcoming(0) == [])
        #expect(schedule([]).upcoming(3) == [])
    }
}
