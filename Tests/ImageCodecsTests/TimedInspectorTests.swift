import CodecTestSupport
import ImageCodecs
import Testing

@Suite struct TimedInspectorTests {
    /// A reader that waits between its pieces. What is measured around a call is at least what counts in it.
    @Test func onlyTheTimeOfItsCallsCounts() throws {
        let file = try FixtureBytes.read("png/landscape.png")
        let pieceByteCount = file.count / 20 + 1
        var options = DecodingOptions()
        options.limits.maxTime = .seconds(100_000)
        var inspector = TimedInspector(
            CoderRegistry.shared.makeInspector(options: options, inputByteCount: file.count), options: options)
        var inCalls = Duration.zero
        for start in stride(from: 0, to: file.count, by: pieceByteCount) {
            Pause.briefly()
            let begin = ContinuousClock.now
            try inspector.append(file.span.extracting(start..<min(start + pieceByteCount, file.count)))
            inCalls += begin.duration(to: .now)
        }
        Pause.briefly()
        let begin = ContinuousClock.now
        _ = try inspector.finish()
        inCalls += begin.duration(to: .now)
        Pause.briefly()
        let spent = inspector.remainingOptions.spentTime
        #expect(spent > .zero && spent <= inCalls)
    }
}
