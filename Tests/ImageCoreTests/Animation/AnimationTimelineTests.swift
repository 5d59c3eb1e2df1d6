import ImageCore
import Testing

@Suite struct AnimationTimelineTests {
    private func frames(_ milliseconds: [Int]) -> [ImageFrame] {
        milliseconds.map { ImageFrame(bitmap: .empty, duration: .milliseconds($0)) }
    }

    @Test func aTimelineTicksAtTheGreatestCommonDivisor() {
        let timeline = frames([100, 250, 50]).timeline
        #expect(timeline.tick == .milliseconds(50))
        #expect(timeline.repeatCounts == [2, 5, 1])
    }

    @Test func shortFramesCountAsAHundredMilliseconds() {
        let timeline = frames([0, 10, 11, 200]).timeline
        #expect(timeline.tick == .milliseconds(1))
        #expect(timeline.repeatCounts == [100, 100, 11, 200])
        #expect([ImageFrame]().timeline.repeatCounts == [])
    }

    @Test func framesOfAThirdOfASecondStayOneEach() {
        // 333, 333 and 334 ms: what three frames a second are in whole milliseconds.
        let timeline = frames((0..<16).map { $0 % 3 == 2 ? 334 : 333 }).timeline
        #expect(timeline.tick == .milliseconds(1))
        #expect(timeline.repeatCounts.count == 16)
        #expect(timeline.repeatCounts == (0..<16).map { $0 % 3 == 2 ? 334 : 333 })
    }

    @Test func equalFramesAreOneTickEach() {
        let timeline = frames([120, 120, 120, 120, 120]).timeline
        #expect(timeline.tick == .milliseconds(120))
        #expect(timeline.repeatCounts == [1, 1, 1, 1, 1])
    }
}
