import CodecTestSupport
import ImageCodecsCore
import ImagePlayback
import Testing

private func play(_ animation: any AnimatedImageProvider, _ show: (Bitmap) -> Void) async throws {
    // snippet: play
    let player = try AnimationPlayer(animation)
    for try await played in player { show(played.frame.bitmap) }
    // end of snippet
}

private func loop(_ animation: any AnimatedImageProvider) throws(ImageError) -> AnimationPlayer<ContinuousClock> {
    // snippet: options
    let options = PlaybackOptions(
        mode: .bounce, rate: 1.5, playCount: 0, lateFrames: .skipped, lookAhead: 4, maxLookAheadByteCount: 32 << 20)
    let player = try AnimationPlayer(animation, options: options)
    // end of snippet
    return player
}

// snippet: control
func scrub(_ player: AnimationPlayer<ContinuousClock>, to position: Double, frameCount: Int) throws(ImageError) {
    player.controller.pause()
    try player.controller.seek(to: min(Int(position * Double(frameCount)), frameCount - 1))
}

func letGo(_ player: AnimationPlayer<ContinuousClock>) {
    player.controller.resume()
}
// end of snippet

// snippet: small
func playable(_ animation: any AnimatedImageProvider) throws(ImageError) -> any AnimatedImageProvider {
    do throws(ImageError) {
        return try animation.preloaded(maxByteCount: 16 << 20)
    } catch .limitExceeded(.memory, _, _) {
        return animation
    }
}
// end of snippet

@Suite struct PlayingExampleTests {
    @Test func theExamplesDoWhatTheySay() async throws {
        var shown: [[UInt8]] = []
        try await play(StubAnimation([11, 11])) { shown.append($0.packedBytes()) }
        #expect(shown == [[0], [1]])
        let player = try loop(StubAnimation([11, 11, 11]))
        try scrub(player, to: 0.99, frameCount: 3)
        #expect(player.controller.isPaused)
        var iterator = player.makeAsyncIterator()
        #expect(try await iterator.next()?.index == 2)
        letGo(player)
        #expect(try await iterator.next()?.index == 1)
        let small = StubAnimation([100, 100])
        #expect(try playable(small).frameCount == 2)
        #expect(small.decoded == [0, 1])
    }
}
