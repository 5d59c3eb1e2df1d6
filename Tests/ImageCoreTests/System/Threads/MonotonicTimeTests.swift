import ImageCodecsCore
import Testing

@Suite struct MonotonicTimeTests {
    @Test func timeNeverGoesBack() {
        var last = MonotonicTime.now
        let first = last
        for _ in 0..<10_000 {
            let now = MonotonicTime.now
            guard now >= last else {
                Issue.record("\(now) after \(last)")
                return
            }
            last = now
        }
        #expect(last > first)
    }
}
