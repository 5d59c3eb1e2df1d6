// Which bytes of a structure are in use, and which are free, as ranges that do not overlap.

/// A set of bytes by their places.
///
/// Made of ranges that may overlap, however many and in any order; takes time for sorting them.
package struct ByteRanges: Sendable {
    /// Ascending, not empty, with bytes between them that are not in the set.
    package private(set) var ranges: [Range<Int>] = []

    package init(_ ranges: [Range<Int>]) {
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) where !range.isEmpty {
            if let last = self.ranges.last, range.lowerBound <= last.upperBound {
                self.ranges[self.ranges.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                self.ranges.append(range)
            }
        }
    }

    /// The bytes that are not in `other`.
    package func subtracting(_ other: ByteRanges) -> ByteRanges {
        var rest: [Range<Int>] = []
        var index = 0
        for range in ranges {
            var start = range.lowerBound
            while index < other.ranges.count, other.ranges[index].upperBound <= start { index += 1 }
            var next = index
            while next < other.ranges.count, other.ranges[next].lowerBound < range.upperBound {
                rest.append(start..<max(start, other.ranges[next].lowerBound))
                start = other.ranges[next].upperBound
                next += 1
            }
            rest.append(start..<max(start, range.upperBound))
            // The last one may reach into the range that follows.
            index = max(index, next - 1)
        }
        return ByteRanges(rest)
    }

    /// Takes the last range away if it ends at `end`.
    package mutating func removeLast(endingAt end: Int) -> Range<Int>? {
        ranges.last?.upperBound == end ? ranges.removeLast() : nil
    }

    /// Takes bytes from a place on, if all of them are in the set; whether they were.
    package mutating func take(_ count: Int, at place: Int) -> Bool {
        guard let index = ranges.firstIndex(where: { $0.lowerBound <= place && place + count <= $0.upperBound }) else {
            return false
        }
        let rest = [ranges[index].lowerBound..<place, place + count..<ranges[index].upperBound]
        ranges.replaceSubrange(index...index, with: rest.filter { !$0.isEmpty })
        return true
    }

    /// Takes bytes from the first range that has as many, from an even place on; `nil` if there is none.
    package mutating func take(_ count: Int) -> Int? {
        for index in ranges.indices {
            let start = ranges[index].lowerBound + ranges[index].lowerBound % 2
            guard ranges[index].upperBound - start >= count else { continue }
            ranges[index] = start + count..<ranges[index].upperBound
            return start
        }
        return nil
    }
}
