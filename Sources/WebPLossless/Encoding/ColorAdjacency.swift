// Which colours of a picture are beside one another, and an order of them that follows from it.

import ImageCodecsCore
import ImagePalettes

/// How often each two colours are beside one another, or one above the other.
struct ColorAdjacency: Sendable {
    private let colorCount: Int
    /// For each colour, of all colours; those of one pair are together in ``weight(_:_:)``.
    private var counts: [UInt32]

    /// - Parameter distinct: the colours of the picture.
    init(
        _ picture: PixelPlane, _ distinct: DistinctColors, meter: MemoryMeter?, _ work: inout WorkGuard
    ) throws(ImageError) {
        let (width, colorCount) = (picture.width, distinct.colors.count)
        self.colorCount = colorCount
        var counts = [UInt32](repeating: 0, count: colorCount * colorCount)
        var row = try ScratchBuffer(byteCount: width, meter: meter)
        var above = try ScratchBuffer(byteCount: width, meter: meter)
        for y in 0..<picture.height {
            try work.spend(2 * width)
            picture.withRowBytes(y) { bytes in
                row.withMutableBytes { distinct.look(up: bytes, width: width, into: &$0) }
            }
            row.withBytes { row in
                above.withBytes { above in
                    for x in 0..<width {
                        let base = Int(row.byte(at: x)) * colorCount
                        if x > 0 { counts[base + Int(row.byte(at: x - 1))] += 1 }
                        if y > 0 { counts[base + Int(above.byte(at: x))] += 1 }
                    }
                }
            }
            swap(&row, &above)
        }
        self.counts = counts
    }

    private func weight(_ first: Int, _ second: Int) -> Int {
        Int(counts[first * colorCount + second]) + Int(counts[second * colorCount + first])
    }

    /// Numbers of the colours: begins with those two that are together most often, and goes on with the one that is most often beside
    /// those which have a place, at that end which they are nearer to.
    func order() -> [Int] {
        guard colorCount > 2 else { return Array(0..<colorCount) }
        var first = (0, 1)
        for color in 0..<colorCount {
            for other in 0..<color where weight(color, other) > weight(first.0, first.1) { first = (other, color) }
        }
        var result = [first.0, first.1]
        var left = (0..<colorCount).filter { $0 != first.0 && $0 != first.1 }
        var sums = (0..<colorCount).map { weight($0, first.0) + weight($0, first.1) }
        while !left.isEmpty {
            let place = left.indices.reduce(0) { sums[left[$1]] > sums[left[$0]] ? $1 : $0 }
            let color = left.remove(at: place)
            var balance = 0
            for index in result.indices { balance += weight(color, result[index]) * (2 * index + 1 - result.count) }
            result.insert(color, at: balance < 0 ? 0 : result.count)
            for other in left { sums[other] += weight(color, other) }
        }
        return result
    }
}
