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
}
