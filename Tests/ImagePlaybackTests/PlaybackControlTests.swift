import CodecTestSupport
import ImageCodecsCore
import ImagePlayback
import Testing

/// What a controller, a cancelled task and a dropped iterator do; on a clock that the tests move.
@Suite struct PlaybackControlTests {
    private typealias Player = AnimationPlayer<ManualClock>

    private let clock = ManualClock(isAutomatic: false)

    /// Plays in a task of its own; `shown` gets the indices.
    private func play(_ player: Player, _ shown: Shown) -> Task<Void, any Error> {
        Task {
            for try await played in player { shown.append(played.index) }
        }
    }

    /// What was shown so far.
    private final class Shown: Sendable {
        private let indices = SharedValue<[Int]>([])
        func append(_ index: Int) { indices.change { $0.append(index) } }
        var value: [Int] { indices.value }
        func wait(for expected: [Int]) async {
            while value.count < expected.count { await Task.yield() }
            #expect(value == expected)
        }
    }

    @Test func aPausedPlayerWaitsWithoutATimer() async throws {
        let player = try Player(StubAnimation([100, 100, 100]), clock: clock)
        let shown = Shown()
        let task = play(player, shown)
        await clock.waitForSleeper(until: .milliseconds(100))
        clock.advance(by: .milliseconds(40))
        player.controller.pause()
        #expect(player.controller.isPaused)
        await clock.waitForNoSleeper()
        clock.advance(by: .seconds(10))
        player.controller.resume()
        await clock.waitForSleeper(until: .milliseconds(10_100))
        #expect(shown.value == [0])
        clock.advance(by: .milliseconds(60))
        await shown.wait(for: [0, 1])
        task.cancel()
        await #expect(throws: ImageError.cancelled) { try await task.value }
    }

    @Test func seekingShowsAFrameWithoutWaiting() async throws {
        let player = try Player(StubAnimation([100, 100, 100, 100, 100]), clock: clock)
        let shown = Shown()
        let task = play(player, shown)
        await clock.waitForSleeper(until: .milliseconds(100))
        clock.advance(by: .milliseconds(10))
        try player.controller.seek(to: 3)
        await shown.wait(for: [0, 3])
        await clock.waitForSleeper(until: .milliseconds(110))
        player.controller.pause()
        try player.controller.seek(to: 1)
        await shown.wait(for: [0, 3, 1])
        player.controller.resume()
        await clock.waitForSleeper(until: .milliseconds(110))
        clock.advance(by: .milliseconds(100))
        await shown.wait(for: [0, 3, 1, 2])
        task.cancel()
        _ = await task.result
        #expect(throws: ImageError.self) { try player.controller.seek(to: 5) }
        #expect(throws: ImageError.self) { try player.controller.seek(to: -1) }
    }

    @Test func rateAndModeChangeWhileAFrameIsShown() async throws {
        let player = try Player(StubAnimation([100, 100, 100], loopCount: 0), clock: clock)
        let shown = Shown()
        let task = play(player, shown)
        await clock.waitForSleeper(until: .milliseconds(100))
        try player.controller.setRate(4)
        await clock.waitForSleeper(until: .milliseconds(25))
        player.controller.mode = .reverse
        clock.advance(by: .milliseconds(25))
        await shown.wait(for: [0, 2])
        #expect(player.controller.rate == 4)
        #expect(player.controller.mode == .reverse)
        #expect(throws: ImageError.self) { try player.controller.setRate(0) }
        task.cancel()
        _ = await task.result
    }

    @Test func whatIsSetBeforePlayingHolds() async throws {
        let animation = StubAnimation([100, 100, 100])
        let player = try Player(animation, clock: clock)
        player.controller.mode = .reverse
        try player.controller.setRate(2)
        try player.controller.seek(to: 1)
        player.controller.pause()
        var iterator = player.makeAsyncIterator()
        for _ in 0..<100 { await Task.yield() }
        #expect(animation.decoded == [])
        // A paused player shows its first frame.
        let first = try #require(try await iterator.next())
        #expect(first.index == 1)
        #expect(first.duration == .milliseconds(50))
        player.controller.resume()
        clock.advance(by: .milliseconds(50))
        #expect(try await iterator.next()?.index == 0)
    }

    // MARK: Looking ahead

    @Test func framesAreDecodedWhileNobodyAsks() async throws {
        let animation = StubAnimation(Array(repeating: 100, count: 9))
        var iterator = try Player(animation, options: PlaybackOptions(lookAhead: 3), clock: clock).makeAsyncIterator()
        _ = try await iterator.next()
        while animation.decoded.count < 4 { await Task.yield() }
        for _ in 0..<100 { await Task.yield() }
        #expect(animation.decoded == [0, 1, 2, 3])
    }

    @Test func lookingAheadStaysWithinItsBytes() async throws {
        let animation = StubAnimation(Array(repeating: 100, count: 9))
        let options = PlaybackOptions(lookAhead: 8, maxLookAheadByteCount: 2 * 64)
        var iterator = try Player(animation, options: options, clock: clock).makeAsyncIterator()
        _ = try await iterator.next()
        while animation.decoded.count < 3 { await Task.yield() }
        for _ in 0..<100 { await Task.yield() }
        #expect(animation.decoded == [0, 1, 2])
    }

    @Test func withoutLookAheadNothingIsDecodedBeforeItIsAskedFor() async throws {
        let animation = StubAnimation([100, 100, 100])
        var iterator = try Player(animation, options: PlaybackOptions(lookAhead: 0), clock: clock).makeAsyncIterator()
        #expect(animation.decoded == [])
        _ = try await iterator.next()
        for _ in 0..<100 { await Task.yield() }
        #expect(animation.decoded == [0])
    }

    @Test func framesThatComeAgainSoonAreDecodedOnce() async throws {
        let animation = StubAnimation([100, 100, 100], loopCount: 10)
        let clock = ManualClock(isAutomatic: true)
        var count = 0
        for try await _ in try Player(animation, options: PlaybackOptions(lookAhead: 3), clock: clock) { count += 1 }
        #expect(count == 30)
        #expect(animation.decoded.count == 3)
    }

    @Test func seekingStopsTheDecodingOfWhatIsNotWanted() async throws {
        let gate = Gate()
        let animation = StubAnimation(Array(repeating: 100, count: 9)) { (index) throws(ImageError) in
            if index == 1 { try gate.pass() }
        }
        let player = try Player(animation, clock: clock)
        let shown = Shown()
        let task = play(player, shown)
        await gate.waitForArrival()
        try player.controller.seek(to: 5)
        await shown.wait(for: [0, 5])
        #expect(gate.cancelledCount == 1)
        task.cancel()
        _ = await task.result
    }

    // MARK: Nothing is left

    @Test func cancellingEndsADecodeAndTheSequence() async throws {
        let gate = Gate()
        let animation = StubAnimation([100, 100]) { (_) throws(ImageError) in try gate.pass() }
        let player = try Player(animation, clock: clock)
        let task = Task { () async throws -> Bool in
            var iterator = player.makeAsyncIterator()
            await #expect(throws: ImageError.cancelled) { try await iterator.next() }
            return try await iterator.next() == nil
        }
        await gate.waitForArrival()
        task.cancel()
        #expect(try await task.value)
        while gate.cancelledCount == 0 { await Task.yield() }
        #expect(clock.sleeperCount == 0)
    }

    @Test func cancellingEndsAPause() async throws {
        let player = try Player(StubAnimation([100, 100]), clock: clock)
        let shown = Shown()
        let task = play(player, shown)
        await shown.wait(for: [0])
        player.controller.pause()
        await clock.waitForNoSleeper()
        task.cancel()
        await #expect(throws: ImageError.cancelled) { try await task.value }
    }

    @Test func droppingTheIteratorFreesEverything() async throws {
        let gate = Gate()
        weak var animation: StubAnimation?
        var controller: PlaybackController?
        do {
            let stub = StubAnimation(Array(repeating: 100, count: 9)) { (index) throws(ImageError) in
                if index == 1 { try gate.pass() }
            }
            animation = stub
            let player = try Player(stub, clock: clock)
            controller = player.controller
            for try await _ in player {
                await gate.waitForArrival()
                break
            }
        }
        // The decode that was under way is told to stop, and is the last to hold the animation.
        while animation != nil { await Task.yield() }
        #expect(gate.cancelledCount == 1)
        #expect(clock.sleeperCount == 0)
        #expect(controller != nil)
        controller?.pause()
    }
}
