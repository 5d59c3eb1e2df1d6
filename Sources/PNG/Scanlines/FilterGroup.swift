// Which scanlines go together: a choice between undoing them one by one and side by side.

/// The filter types of up to four scanlines, one below another.
package struct FilterGroup: Hashable, Sendable {
    /// The most scanlines that go together.
    package static let largestCount = 4

    /// How many scanlines there are.
    package private(set) var count = 0
    private var types = SIMD4<UInt8>()

    /// No scanlines.
    package init() {}

    /// One scanline.
    package init(_ filter: ScanlineFilter) { append(filter) }

    /// The filter type of a scanline.
    package subscript(index: Int) -> ScanlineFilter {
        precondition(index < count, "no such scanline")
        return ScanlineFilter(rawValue: types[index]) ?? .none
    }

    /// Adds the scanline below.
    package mutating func append(_ filter: ScanlineFilter) {
        precondition(count < Self.largestCount, "too many scanlines")
        types[count] = filter.rawValue
        count += 1
    }

    /// Whether all have this filter type.
    package func areAll(_ filter: ScanlineFilter) -> Bool {
        for index in 0..<count where self[index] != filter { return false }
        return true
    }

    /// Keeps only the first scanlines that are undone faster side by side than one by one; one if none are.
    package mutating func cut() {
        var (best, bestSaving) = (1, 0)
        for length in stride(from: 2, through: count, by: 1) {
            var part = self
            part.count = length
            let saving = part.costOneByOne - part.costTogether
            if saving > bestSaving { (best, bestSaving) = (length, saving) }
        }
        count = best
    }

    // Costs in quarters of a nanosecond for each pixel column, as measured with pixels of three bytes. They differ
    // from machine to machine, and less so in proportion to each other.

    private var costOneByOne: Int {
        var sum = 0
        for index in 0..<count {
            switch self[index] {
            case .none, .up: break
            case .sub: sum += 1
            case .average: sum += 4
            case .paeth: sum += 10
            }
        }
        return sum
    }

    private var costTogether: Int { areAll(.average) ? 6 : areAll(.paeth) ? 14 : 18 }
}
