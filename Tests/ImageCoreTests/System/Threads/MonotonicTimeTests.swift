import ImageCodecsCore
import Testing

@Suite struct MonotonicTimeTests {
    @Test func timeNeverGoesBack() {
        var last = MonotonicTime.now
        let first = last
        for _ in 0..<10_000 {
            let now = MonotonicTime.now
            guard now >= last else { return Issue.record("\(now) after \(last)") }
            last = now
        }
        #expect(last > first)
    }
}
