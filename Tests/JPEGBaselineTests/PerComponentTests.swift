import JPEGBaselineCodec
import Testing

@Suite struct PerComponentTests {
    @Test(arguments: 1...4) func holdsWhatItIsMadeOfInOrder(_ count: Int) {
        let values = PerComponent(count: count) { 10 * $0 }
        #expect(values.count == count)
        #expect(Array(values) == Array([0, 10, 20, 30].prefix(count)))
        #expect(values[count - 1] == 10 * (count - 1))
        #expect(values.map { $0 + 1 } == Array([1, 11, 21, 31].prefix(count)))
    }

    @Test func valuesAreEqualIfTheirElementsAre() {
        let three = PerComponent(count: 3) { $0 }
        #expect(three == PerComponent(count: 3) { $0 })
        #expect(three != PerComponent(count: 2) { $0 })
        #expect(three != PerComponent(count: 3) { 2 * $0 })
        #expect(Set([three, PerComponent(count: 3) { $0 }]).count == 1)
    }

    @Test func theFirstErrorEndsMakingIt() {
        struct Failure: Error {}
        var calls = 0
        #expect(throws: Failure.self) {
            try PerComponent(count: 4) { (index) throws(Failure) -> Int in
                calls += 1
                if index == 1 { throw Failure() }
                return index
            }
        }
        #expect(calls == 2)
    }
}
