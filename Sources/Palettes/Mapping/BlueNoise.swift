// A pattern of thresholds without visible structure.
//
// Source: Robert Ulichney, "The void-and-cluster method for dither array generation", Proc. SPIE 1913 (1993). All numbers are
// integers, so that every processor makes the same pattern.

/// Thresholds that repeat every 64 pixels across and down.
package enum BlueNoise {
    static let side = 64

    /// For each place, row by row, a number in -0.5..<0.5; all are different.
    package static let thresholds: [Float] = ranks().map { (Float($0) + 0.5) / Float(side * side) - 0.5 }

    /// The order in which places are set, so that at any time those that are set are evenly spread.
    ///
    /// The first tenth is spread by moving places from crowds to gaps; each further one is in the widest gap.
    private static func ranks() -> [Int] {
        var pattern = Pattern()
        let seedCount = side * side / 10
        var state: UInt32 = 1
        while pattern.setCount < seedCount {
            state = state &* 1_664_525 &+ 1_013_904_223
            pattern.set(Int(state >> 20), true)
        }
        for _ in 0..<side * side {
            let crowd = pattern.mostCrowded()
            pattern.set(crowd, false)
            let gap = pattern.widestGap()
            pattern.set(gap, true)
            if gap == crowd { break }
        }
        var ranks = [Int](repeating: 0, count: side * side)
        var rest = pattern
        for rank in stride(from: seedCount - 1, through: 0, by: -1) {
            let crowd = rest.mostCrowded()
            rest.set(crowd, false)
            ranks[crowd] = rank
        }
        for rank in seedCount..<side * side {
            let gap = pattern.widestGap()
            pattern.set(gap, true)
            ranks[gap] = rank
        }
        return ranks
    }

    /// Which places are set, and how near to set ones each place is.
    private struct Pattern {
        private var isSet = [Bool](repeating: false, count: side * side)
        private var nearness = [Int32](repeating: 0, count: side * side)
        private(set) var setCount = 0

        /// What a place adds to another by distance: 2^20 times 0.88 to the power of its square, which is a Gaussian of two
        /// pixels.
        private static let influence: [Int32] = {
            var powers: [Int32] = [1 << 20]
            for _ in 1...2 * 9 * 9 { powers.append(Int32(Int64(powers[powers.count - 1]) * 88 / 100)) }
            return powers
        }()

        mutating func set(_ place: Int, _ value: Bool) {
            guard isSet[place] != value else { return }
            isSet[place] = value
            setCount += value ? 1 : -1
            let (x, y) = (place % side, place / side)
            for dy in -9...9 {
                for dx in -9...9 {
                    let other = (y + dy + side) % side * side + (x + dx + side) % side
                    nearness[other] += value ? Self.influence[dx * dx + dy * dy] : -Self.influence[dx * dx + dy * dy]
                }
            }
        }

        func mostCrowded() -> Int {
            var (best, most) = (0, Int32.min)
            for place in nearness.indices where isSet[place] && nearness[place] > most {
                (best, most) = (place, nearness[place])
            }
            return best
        }

        func widestGap() -> Int {
            var (best, least) = (0, Int32.max)
            for place in nearness.indices where !isSet[place] && nearness[place] < least {
                (best, least) = (place, nearness[place])
            }
            return best
        }
    }
}
