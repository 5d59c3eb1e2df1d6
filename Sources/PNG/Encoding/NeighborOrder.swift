// A palette in the order of what lies side by side in a picture, so that filters leave little of its indices.

import DeflateCodec
import ImageCodecsCore

/// Counts which palette indices lie side by side, and sorts the palette by that.
struct NeighborOrder: Sendable {
    /// For each index, how often each other lies beside it.
    private var counts: NumberBuffer<UInt32>
    private let colorCount: Int

    /// Indices that a byte has.
    private static let rowLength = 256

    /// - Parameters:
    ///   - colorCount: colours of the palette, at most 256.
    ///   - meter: counts the numbers.
    init(colorCount: Int, meter: MemoryMeter?) throws(ImageError) {
        self.colorCount = colorCount
        counts = try NumberBuffer(count: colorCount * Self.rowLength, meter: meter)
    }

    /// Bytes that it holds at most.
    static let byteCount = 4 * rowLength * rowLength

    /// Counts the neighbours in a row of indices, each a byte.
    mutating func add(_ row: RawSpan) {
        guard row.byteCount > 1 else { return }
        counts.withMutableSpan { counts in
            var last = Int(row.byte(at: 0))
            for x in 1..<row.byteCount {
                let index = Int(row.byte(at: x))
                if index != last { counts[last * Self.rowLength + index] += 1 }
                last = index
            }
        }
    }

    /// How often two indices lie side by side.
    private func count(_ first: Int, _ second: Int) -> Int {
        counts.withSpan { Int($0[first * Self.rowLength + second]) + Int($0[second * Self.rowLength + first]) }
    }

    /// About how many bits the differences between neighbours take if indices are sorted like this.
    ///
    /// - Parameter order: the old indices in their new order.
    func bitCount(_ order: [Int]) -> Int {
        var places = [Int](repeating: 0, count: colorCount)
        for (place, index) in order.enumerated() { places[index] = place }
        var sum = 0
        counts.withSpan { counts in
            for first in 0..<colorCount {
                for second in 0..<colorCount {
                    let distance = abs(places[first] - places[second])
                    sum += Int(counts[first * Self.rowLength + second]) * (Int.bitWidth - distance.leadingZeroBitCount)
                }
            }
        }
        return sum
    }

    /// The entropy of the differences between unlike neighbours as a share of the entropy of their indices, if indices are sorted
    /// like this: what filters gain or lose.
    ///
    /// - Parameter order: the old indices in their new order.
    func differenceShare(_ order: [Int]) -> Double {
        var places = [Int](repeating: 0, count: colorCount)
        for (place, index) in order.enumerated() { places[index] = place }
        var indices = [Int](repeating: 0, count: Self.rowLength)
        var differences = indices
        counts.withSpan { counts in
            for first in 0..<colorCount {
                for second in 0..<colorCount {
                    let count = Int(counts[first * Self.rowLength + second])
                    guard count > 0 else { continue }
                    indices[second] += count
                    differences[(places[second] - places[first]) & 255] += count
                }
            }
        }
        return Self.entropy(differences) / max(1, Self.entropy(indices))
    }

    /// Bits of symbols that occur this often.
    private static func entropy(_ counts: [Int]) -> Double {
        let total = counts.reduce(0, +)
        let bits = counts.reduce(0) { $0 + $1 * BinaryLogarithm.of(max(1, $1)) }
        return Double(total * BinaryLogarithm.of(max(1, total)) - bits)
    }

    /// The indices, sorted so that those are near each other that often lie side by side.
    ///
    /// Begins with the two that most often do. Then, again and again, the one that most often lies beside any of those that are
    /// sorted goes to the end to which its neighbours are nearer.
    ///
    /// - Source: W. Zeng, J. Li, S. Lei, "An efficient color re-indexing scheme for palette-based compression", ICIP 2000; with the
    ///   weights of A. Pinho, A. Neves, "A note on Zeng's technique for color re-indexing of palette-based images", 2004.
    var order: [Int] {
        guard colorCount > 2 else { return Array(0..<colorCount) }
        var first = (pair: (0, 1), count: -1)
        for one in 0..<colorCount {
            for other in one + 1..<colorCount where count(one, other) > first.count {
                first = ((one, other), count(one, other))
            }
        }
        var order = [first.pair.0, first.pair.1]
        var rest = (0..<colorCount).filter { $0 != order[0] && $0 != order[1] }
        // How often each lies beside any of those that are sorted.
        var sums = (0..<colorCount).map { count($0, order[0]) + count($0, order[1]) }
        while let next = rest.max(by: { sums[$0] < sums[$1] }) {
            // Twice the distance to one end less that to the other, summed up over all neighbours.
            var pull = 0
            for (place, index) in order.enumerated() { pull += (order.count - 1 - 2 * place) * count(next, index) }
            order.insert(next, at: pull > 0 ? 0 : order.count)
            rest.removeAll { $0 == next }
            for index in rest { sums[index] += count(index, next) }
        }
        return order
    }
}
