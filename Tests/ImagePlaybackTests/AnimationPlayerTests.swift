import CodecTestSupport
import ImageCodecsCore
import ImagePlayback
import Testing

/// What is handed out, when; on a clock that jumps to where somebody wants to sleep until.
@Suite struct AnimationPlayerTests {
    private let clock = ManualClock(isAutomatic: true)

    /// All frames, and when they were handed out, in milliseconds.
    private func play(
        _ animation: StubAnimation, _ options: PlaybackOptions = PlaybackOptions(), atMost: Int = 100
    ) async throws -> [[Int]] {
        var shown: [[Int]] = []
        for try await played in try AnimationPlayer(animation, options: options, clock: clock) {
            #expect(played.frame.bitmap.packedBytes() == [UInt8(played.index)])
            shown.append([played.index, clock.now.offset.wholeMilliseconds])
            if shown.count == atMost { break }
        }
        return shown
    }

    @Test func framesComeWhenTheyAreToBeShown() async throws {
        let shown = try await play(StubAnimation([100, 50, 0], loopCount: 2))
        #expect(shown == [[0, 0], [1, 100], [2, 150], [0, 250], [1, 350], [2, 400]])
        // The last frame has its time, too.
        #expect(clock.now.offset == .milliseconds(500))
    }

    @Test func modeRateCountAndStartAreThoseOfTheOptions() async throws {
        let options = PlaybackOptions(mode: .bounce, rate: 2, playCount: 1, startIndex: 1)
        #expect(try await play(StubAnimation([100, 50, 200]), options) == [[1, 0], [2, 25], [1, 125], [0, 150]])
    }

    @Test func framesTellWhereTheyAreInTime() async throws {
        clock.advance(by: .seconds(7))
        var iterator = try AnimationPlayer(
            StubAnimation([100, 60]), options: PlaybackOptions(rate: 2, playCount: 2), clock: clock
        ).makeAsyncIterator()
        var frames: [PlayedFrame<ManualClock.Instant>] = []
        while let frame = try await iterator.next() { frames.append(frame) }
        #expect(frames.map(\.instant.offset) == [7000, 7050, 7080, 7130].map { .milliseconds($0) })
        #expect(frames.map(\.offset) == [0, 50, 80, 130].map { .milliseconds($0) })
        #expect(frames.map(\.duration) == [50, 30, 50, 30].map { .milliseconds($0) })
        #expect(frames.map(\.frame.duration) == [100, 60, 100, 60].map { .milliseconds($0) })
        #expect(frames.map(\.completedPlayCount) == [0, 0, 1, 1])
        #expect(try await iterator.next() == nil)
    }

    @Test func anAnimationForEverIsPlayedUntilNobodyAsks() async throws {
        let shown = try await play(StubAnimation([100, 100], loopCount: 0), atMost: 51)
        #expect(shown.last == [0, 5000])
    }

    @Test func aStillIsShownOnceAndNothingIsNothing() async throws {
        #expect(try await play(StubAnimation([0])) == [[0, 0]])
        #expect(try await play(StubAnimation([])) == [])
    }

    @Test func decodingThatTakesTooLongDelaysFrames() async throws {
        let clock = clock
        let slow = StubAnimation([100, 100, 100, 100]) { (_) throws(ImageError) in
            clock.advance(by: .milliseconds(150))
        }
        #expect(try await play(slow, PlaybackOptions(lookAhead: 0)) == [[0, 150], [1, 300], [2, 450], [3, 600]])
    }

    @Test func decodingThatTakesTooLongSkipsFrames() async throws {
        let clock = clock
        let slow = StubAnimation(Array(repeating: 100, count: 10)) { (_) throws(ImageError) in
            clock.advance(by: .milliseconds(250))
        }
        let shown = try await play(slow, PlaybackOptions(lateFrames: .skipped, lookAhead: 0))
        // Frame k has its time from 250 + 100 k on. At 500 that of 2 is not over, at 750 those of 3 and 4 are, at 1000 that
        // of 6, at 1250 all are. What was chosen is shown, though its time is over when it is decoded.
        #expect(shown == [[0, 250], [1, 500], [2, 750], [5, 1000], [7, 1250], [9, 1500]])
        #expect(slow.decoded == [0, 1, 2, 5, 7, 9])
    }

    @Test func framesNobodyAskedForInTimeAreLateOrSkipped() async throws {
        for (policy, index, offset) in [(LateFramePolicy.shown, 1, 450), (.skipped, 4, 400)] {
            let clock = ManualClock(isAutomatic: true)
            let options = PlaybackOptions(lateFrames: policy)
            var iterator = try AnimationPlayer(
                StubAnimation(Array(repeating: 100, count: 9)), options: options, clock: clock
            ).makeAsyncIterator()
            _ = try await iterator.next()
            clock.advance(by: .milliseconds(450))
            let late = try #require(try await iterator.next())
            #expect(late.index == index)
            #expect(late.offset == .milliseconds(offset))
            #expect(try await iterator.next()?.offset == .milliseconds(offset + 100))
        }
    }

    @Test func aFrameThatCannotBeDecodedEndsTheSequenceWhenItIsDue() async throws {
        let broken = StubAnimation([100, 100, 100]) { (index) throws(ImageError) in
            if index == 1 { throw .truncated(.png, offset: 5) }
        }
        var iterator = try AnimationPlayer(broken, options: PlaybackOptions(lookAhead: 3), clock: clock)
            .makeAsyncIterator()
        #expect(try await iterator.next()?.index == 0)
        await #expect(throws: ImageError.truncated(.png, offset: 5)) { try await iterator.next() }
        #expect(clock.now.offset == .milliseconds(100))
        #expect(try await iterator.next() == nil)
    }

    @Test func everyIterationPlaysFromTheBeginning() async throws {
        let player = try AnimationPlayer(StubAnimation([100, 100]), clock: clock)
        var first = player.makeAsyncIterator()
        var second = player.makeAsyncIterator()
        #expect(try await first.next()?.index == 0)
        #expect(try await first.next()?.index == 1)
        #expect(try await second.next()?.index == 0)
    }

    @Test func optionsThatMakeNoSenseAreRefused() {
        let wrong = [
            PlaybackOptions(rate: 0), PlaybackOptions(rate: -1), PlaybackOptions(rate: .nan),
            PlaybackOptions(rate: .infinity), PlaybackOptions(playCount: -1), PlaybackOptions(lookAhead: -1),
            PlaybackOptions(maxLookAheadByteCount: -1), PlaybackOptions(startIndex: 2), PlaybackOptions(startIndex: -1),
        ]
        for options in wrong {
            #expect { try AnimationPlayer(StubAnimation([100, 100]), options: options) } throws: {
                ($0 as? ImageError)?.code == "invalidArgument"
            }
        }
    }
}
