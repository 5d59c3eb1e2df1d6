import ImageCodecsCore
import ImagePlayback
import Testing

@Suite struct PlaybackOrderTests {
    /// The frames of a playback, and how often it was played before each.
    private func positions(
        _ mode: PlaybackMode, _ frameCount: Int, plays: Int, startIndex: Int? = nil, atMost: Int = 50
    ) -> [PlaybackOrder.Position] {
        let order = PlaybackOrder(mode: mode, frameCount: frameCount, playCount: plays)
        var positions: [PlaybackOrder.Position] = []
        var next = order.start(at: startIndex)
        while let position = next, positions.count < atMost {
            positions.append(position)
            next = order.position(after: position)
        }
        return positions
    }

    private func indices(_ mode: PlaybackMode, _ frameCount: Int, plays: Int, startIndex: Int? = nil) -> [Int] {
        positions(mode, frameCount, plays: plays, startIndex: startIndex).map(\.index)
    }

    @Test func onePlayOfFourFrames() {
        #expect(indices(.normal, 4, plays: 1) == [0, 1, 2, 3])
        #expect(indices(.reverse, 4, plays: 1) == [3, 2, 1, 0])
        #expect(indices(.bounce, 4, plays: 1) == [0, 1, 2, 3, 2, 1, 0])
        #expect(indices(.reversedBounce, 4, plays: 1) == [3, 2, 1, 0, 1, 2, 3])
    }

    @Test func framesAtTheTurnsAreShownOnce() {
        #expect(indices(.bounce, 3, plays: 2) == [0, 1, 2, 1, 0, 1, 2, 1, 0])
        #expect(indices(.reversedBounce, 3, plays: 2) == [2, 1, 0, 1, 2, 1, 0, 1, 2])
        #expect(indices(.bounce, 2, plays: 2) == [0, 1, 0, 1, 0])
        #expect(indices(.reversedBounce, 2, plays: 2) == [1, 0, 1, 0, 1])
    }

    @Test func playsAreCountedWhenTheyAreComplete() {
        #expect(positions(.normal, 2, plays: 3).map(\.completedPlayCount) == [0, 0, 1, 1, 2, 2])
        #expect(positions(.reverse, 2, plays: 2).map(\.completedPlayCount) == [0, 0, 1, 1])
        #expect(positions(.bounce, 3, plays: 2).map(\.completedPlayCount) == [0, 0, 0, 0, 0, 1, 1, 1, 1])
    }

    @Test(arguments: PlaybackMode.allCases) func oneFrameIsShownOncePerPlay(_ mode: PlaybackMode) {
        #expect(indices(mode, 1, plays: 3) == [0, 0, 0])
    }

    @Test(arguments: PlaybackMode.allCases) func noFramesAreNoPlayback(_ mode: PlaybackMode) {
        #expect(indices(mode, 0, plays: 0).isEmpty)
    }

    @Test(arguments: PlaybackMode.allCases, [1, 2, 5]) func zeroPlaysAreForEver(_ mode: PlaybackMode, _ count: Int) {
        #expect(positions(mode, count, plays: 0, atMost: 1000).count == 1000)
    }

    @Test func aPlayMayBeginAnywhere() {
        #expect(indices(.normal, 4, plays: 2, startIndex: 2) == [2, 3, 0, 1, 2, 3])
        #expect(indices(.reverse, 4, plays: 1, startIndex: 1) == [1, 0])
        #expect(indices(.bounce, 4, plays: 1, startIndex: 2) == [2, 3, 2, 1, 0])
        #expect(indices(.bounce, 4, plays: 1, startIndex: 3) == [3, 2, 1, 0])
        #expect(indices(.reversedBounce, 4, plays: 1, startIndex: 0) == [0, 1, 2, 3])
    }

    @Test(arguments: PlaybackMode.allCases, 1...5) func theDurationOfAPlayIsThatOfItsFrames(
        _ mode: PlaybackMode, _ frameCount: Int
    ) {
        let durations = (1...frameCount).map { Duration.milliseconds(1 << $0) }
        let order = PlaybackOrder(mode: mode, frameCount: frameCount, playCount: 0)
        // From a position that is not if plays meet, to the same one play later.
        let positions = positions(mode, frameCount, plays: 0).dropFirst(frameCount > 1 ? 1 : 0)
        var later = positions[positions.startIndex]
        later.completedPlayCount += 1
        let sum = positions.prefix { $0 != later }.reduce(Duration.zero) { $0 + durations[$1.index] }
        #expect(order.playDuration(durations) == sum)
    }
}
