import ImageCodecsCore
import Testing

@Suite struct WorkGuardTests {
    private func limits(_ time: Duration?) -> DecodingLimits {
        var limits = DecodingLimits.unlimited
        limits.maxTime = time
        return limits
    }

    @Test func withoutALimitTimeDoesNotMatter() throws {
        var work = WorkGuard(limits: limits(nil))
        work.begin()
        try work.check()
    }

    @Test func noTimeIsUsedUpAtOnce() {
        var work = WorkGuard(limits: limits(.zero))
        work.begin()
        #expect(throws: ImageError.limitExceeded(.time, requested: 0, allowed: 0)) { try work.check() }
    }

    @Test func waitingBetweenPiecesIsNoWork() async throws {
        var work = WorkGuard(limits: limits(.milliseconds(300)))
        work.begin()
        try work.check()
        work.end()
        try await Task.sleep(for: .milliseconds(400))
        work.begin()
        try work.check()
        work.end()
        try work.check()
    }

    @Test func callsThatFollowDirectlyCountAsOne() {
        var work = WorkGuard(limits: limits(.milliseconds(20)))
        let clock = ContinuousClock()
        // Almost all of the time passes between the calls.
        for _ in 0..<20_000 {
            work.begin()
            work.end()
            let end = clock.now
            while end.duration(to: clock.now) < .microseconds(3) {}
        }
        #expect(work.isUsedUp)
        #expect(throws: ImageError.self) { try work.check() }
    }

    @Test func aCancelledTaskStopsWork() async {
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            do throws(ImageError) {
                try WorkGuard(limits: .unlimited).check()
                return ImageError?.none
            } catch {
                return error
            }
        }
        task.cancel()
        #expect(await task.value == .cancelled)
    }

    @Test func millisecondsAreRoundedAndSaturate() {
        #expect(Duration.microseconds(1499).wholeMilliseconds == 1)
        #expect(Duration.microseconds(1500).wholeMilliseconds == 2)
        #expect(Duration.seconds(Int64.max / 2).wholeMilliseconds == .max)
    }
}
