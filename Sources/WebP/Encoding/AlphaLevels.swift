// Alpha with fewer levels: values near to each other become one.

import ImageCodecsCore

/// A level for each value of alpha.
struct AlphaLevels: Sendable {
    /// By value; the least and the greatest value that occur are levels.
    let table: [UInt8]
    /// Whether some value becomes another.
    let areReduced: Bool

    /// How often levels move to the means of their values.
    private static let passCount = 6

    /// - Parameters:
    ///   - counts: how often each value occurs; one does.
    ///   - levelCount: the most levels, 2...256.
    init(_ counts: [Int], levelCount: Int) {
        let values = counts.indices.filter { counts[$0] > 0 }
        let (first, last) = (values[0], values[values.count - 1])
        guard values.count > levelCount else {
            (table, areReduced) = ((0...255).map { UInt8($0) }, false)
            return
        }
        // Between levels are borders: values from a border on belong to the level after it.
        var levels = (0..<levelCount).map { first + (last - first) * $0 / (levelCount - 1) }
        for _ in 0..<Self.passCount {
            var (sums, members) = ([Int](repeating: 0, count: levelCount), [Int](repeating: 0, count: levelCount))
            for value in values {
                let nearest = Self.nearest(value, levels)
                sums[nearest] += value * counts[value]
                members[nearest] += counts[value]
            }
            for index in 1..<levelCount - 1 where members[index] > 0 {
                levels[index] = (sums[index] + members[index] / 2) / members[index]
            }
        }
        table = (0...255).map { UInt8(levels[Self.nearest($0, levels)]) }
        areReduced = true
    }

    /// The place of the level that is nearest to a value; levels rise.
    private static func nearest(_ value: Int, _ levels: [Int]) -> Int {
        var best = 0
        for index in levels.indices where abs(levels[index] - value) < abs(levels[best] - value) { best = index }
        return best
    }
}
