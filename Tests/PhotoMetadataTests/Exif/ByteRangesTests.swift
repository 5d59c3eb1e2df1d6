import CodecTestSupport
import ImageCodecsCore
import ImagePhotoMetadata
import Testing

@Suite struct ByteRangesTests {
    private func places(_ ranges: [Range<Int>]) -> Set<Int> { Set(ranges.flatMap { Array($0) }) }

    private func random(_ source: inout SeededRandom) -> [Range<Int>] {
        (0..<Int.random(in: 0...8, using: &source)).map { _ in
            let start = Int.random(in: 0...40, using: &source)
            return start..<start + Int.random(in: 0...12, using: &source)
        }
    }

    @Test func theyAreSetsOfPlaces() {
        var source = SeededRandom(seed: 5)
        for _ in 0..<2000 {
            let (first, second) = (random(&source), random(&source))
            let (a, b) = (ByteRanges(first), ByteRanges(second))
            #expect(places(a.ranges) == places(first))
            #expect(places(a.subtracting(b).ranges) == places(first).subtracting(places(second)))
            let isSorted = zip(a.ranges, a.ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound }
            #expect(isSorted && a.ranges.allSatisfy { !$0.isEmpty })
        }
    }

    @Test func bytesAreTakenFromEvenPlaces() {
        var ranges = ByteRanges([3..<8, 11..<30])
        #expect(ranges.take(5) == 12)
        #expect(ranges.take(4) == 4)
        #expect(ranges.take(12) == 18)
        #expect(ranges.take(2) == nil)
    }

    @Test func bytesAreTakenFromAPlaceIfAllAreFree() {
        var ranges = ByteRanges([10..<30])
        let isTaken = [(5, 8), (5, 26), (6, 14), (1, 14), (4, 10)].map { count, place in ranges.take(count, at: place) }
        #expect(isTaken == [false, false, true, false, true])
        #expect(ranges.ranges == [20..<30])
        #expect(ranges.removeLast(endingAt: 31) == nil)
        #expect(ranges.removeLast(endingAt: 30) == 20..<30)
    }
}
