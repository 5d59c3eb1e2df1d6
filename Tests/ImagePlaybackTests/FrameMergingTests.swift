import CodecTestSupport
import ImageCodecsCore
import ImagePlayback
import Testing

@Suite struct FrameMergingTests {
    /// Frames of one pixel: its value and its milliseconds.
    private func frames(_ pairs: [(Int, Int)]) throws -> [ImageFrame] {
        try pairs.map { ImageFrame(bitmap: try StubAnimation.bitmap($0.0), duration: .milliseconds($0.1)) }
    }

    private func pairs(_ frames: [ImageFrame]) -> [[Int]] {
        frames.map { [Int($0.bitmap.packedBytes()[0]), $0.duration.wholeMilliseconds] }
    }

    @Test func equalNeighboursBecomeOne() throws {
        let merged = try frames([(1, 40), (1, 50), (2, 60), (1, 70), (1, 80), (1, 90)]).mergingEqualFrames()
        #expect(pairs(merged) == [[1, 90], [2, 60], [1, 240]])
    }

    @Test func mergedFramesAreShownAsLongAsBefore() throws {
        let merged = try frames([(1, 0), (1, 10), (1, 20), (2, 0)]).mergingEqualFrames()
        #expect(pairs(merged) == [[1, 220], [2, 0]])
    }

    @Test func nothingToMergeIsLeftAsItIs() throws {
        #expect(pairs(try frames([(1, 0), (2, 40), (1, 40)]).mergingEqualFrames()) == [[1, 0], [2, 40], [1, 40]])
        #expect([ImageFrame]().mergingEqualFrames().isEmpty)
    }

    @Test func partialFramesAreNotEqualToWholeOnes() throws {
        var pair = try frames([(1, 40), (1, 40), (1, 40)])
        for index in 1...2 { pair[index].partial = PartialReport(rows: []) }
        #expect(pairs(pair.mergingEqualFrames()) == [[1, 40], [1, 80]])
    }

    @Test func anAnimationIsPlayedAsOftenAsBefore() throws {
        let animation = RasterImage.Animation(frames: try frames([(1, 40), (1, 50)]), loopCount: 7)
        let merged = animation.mergingEqualFrames()
        #expect(pairs(merged.frames) == [[1, 90]])
        #expect(merged.loopCount == 7)
    }
}
