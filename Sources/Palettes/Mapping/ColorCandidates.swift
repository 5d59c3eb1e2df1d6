// Which of many points can be nearest to a point of a box: what makes searches for the nearest short.

/// A box in colour space.
package struct ColorBox: Hashable, Sendable {
    /// The middle.
    package var center: SIMD4<Float>
    /// Half of the length of each side.
    package var half: SIMD4<Float>

    /// The box between two corners.
    package init(from low: SIMD4<Float>, to high: SIMD4<Float>) {
        center = (low + high) * 0.5
        half = (high - low) * 0.5
    }
}

/// Lists those of up to 256 points that can be nearest to a point of a box.
package struct ColorCandidates: Sendable {
    /// Coordinates of four points after each other: x of all, then y, z and w; places that are left are far away.
    private var blocks: [SIMD4<Float>]
    /// Squares of the distances from the middle of the box, in the same order.
    private var distances: [SIMD4<Float>]
    private let count: Int

    private static let farAway: Float = 1e9

    /// - Parameter points: at least one.
    package init(_ points: [SIMD4<Float>]) {
        let blockCount = (points.count + 3) / 4
        count = points.count
        blocks = Array(repeating: SIMD4(repeating: Self.farAway), count: 4 * blockCount)
        distances = Array(repeating: .zero, count: blockCount)
        for (number, point) in points.enumerated() {
            for axis in 0..<4 { blocks[number / 4 * 4 + axis][number % 4] = point[axis] }
        }
    }

    /// Hands out the numbers of all points that are nearest to some point of a box, and maybe of a few more, in their order.
    ///
    /// A point c is left out if the point n that is nearest to the middle m is nearer than c in all of the box: if
    /// |m - c|² - |m - n|² is more than 2 h |c - n|, where h is half the box, so that no corner is on the side of c.
    package mutating func list(for box: ColorBox, into numbers: inout [Int]) {
        numbers.removeAll(keepingCapacity: true)
        let (nearest, least) = measure(from: box.center)
        let (x, y) = (SIMD4<Float>(repeating: nearest.x), SIMD4<Float>(repeating: nearest.y))
        let (z, w) = (SIMD4<Float>(repeating: nearest.z), SIMD4<Float>(repeating: nearest.w))
        // No point of the box is farther from the middle than its corners: whatever is farther from the middle than the nearest point by
        // twice that is left out at once.
        let corner = (box.half * box.half).sum().squareRoot()
        let farthest = least.squareRoot() + corner + corner
        let margin = 0.01 + farthest * farthest * 4e-5
        let farLimit = SIMD4<Float>(repeating: farthest * farthest * 1.0002 + 0.01)
        for block in distances.indices {
            let distance = distances[block]
            guard Self.isAny(distance .<= farLimit) else { continue }
            let reach =
                (Self.magnitude(blocks[4 * block] - x) * box.half.x
                    + Self.magnitude(blocks[4 * block + 1] - y) * box.half.y)
                + (Self.magnitude(blocks[4 * block + 2] - z) * box.half.z
                    + Self.magnitude(blocks[4 * block + 3] - w) * box.half.w)
            // The margins are wider than all roundings, as coordinates are below 2^11, and than what searches take for equal: a 2^15th of
            // the square of a distance, which is less than `farthest`.
            let limit = (reach + reach + margin) + (distance + least) * 1e-5 + least
            let isListed = distance .<= limit
            for lane in 0..<4 where isListed[lane] && 4 * block + lane < count { numbers.append(4 * block + lane) }
        }
    }

    /// Measures all distances from a point.
    ///
    /// - Returns: the nearest point, and the square of its distance.
    private mutating func measure(from point: SIMD4<Float>) -> (nearest: SIMD4<Float>, least: Float) {
        let (x, y) = (SIMD4<Float>(repeating: point.x), SIMD4<Float>(repeating: point.y))
        let (z, w) = (SIMD4<Float>(repeating: point.z), SIMD4<Float>(repeating: point.w))
        var least = SIMD4<Float>(repeating: .infinity)
        var numbers = SIMD4<Int32>.zero
        for block in distances.indices {
            let (dx, dy) = (blocks[4 * block] - x, blocks[4 * block + 1] - y)
            let (dz, dw) = (blocks[4 * block + 2] - z, blocks[4 * block + 3] - w)
            let distance = (dx * dx + dy * dy) + (dz * dz + dw * dw)
            distances[block] = distance
            let closer = distance .< least
            least.replace(with: distance, where: closer)
            numbers.replace(with: Int32(truncatingIfNeeded: block), where: closer)
        }
        var best = 0
        for lane in 1..<4 where least[lane] < least[best] { best = lane }
        let block = 4 * Int(numbers[best])
        let nearest = SIMD4(
            blocks[block][best], blocks[block + 1][best], blocks[block + 2][best], blocks[block + 3][best])
        return (nearest, least[best])
    }

    @inline(__always)
    private static func isAny(_ mask: SIMDMask<SIMD4<Int32>>) -> Bool {
        SIMD4<Int32>.zero.replacing(with: -1, where: mask).wrappedSum() != 0
    }

    @inline(__always)
    private static func magnitude(_ values: SIMD4<Float>) -> SIMD4<Float> {
        values.replacing(with: -values, where: values .< 0)
    }
}

/// Cells of equal size that cover the points of a palette with a margin, and beyond it as much as a search may ask for.
package struct ColorGrid: Hashable, Sendable {
    private let low: SIMD4<Float>
    private let scale: SIMD4<Float>
    private let side: SIMD4<Float>
    private let counts: SIMD4<Int32>
    /// How many there are along each axis.
    private let cellsPerAxis: SIMD4<Float>
    /// Cells from one to the next along each axis.
    private let strides: SIMD4<UInt32>

    /// Cells of an axis: of lightness, of both colours; translucent palettes also have some of alpha.
    private static let mostCounts = SIMD4<Int32>(32, 16, 16, 8)
    static let largestCellCount = 32 * 16 * 16 * 8

    /// The farthest that points of pixels, and errors added, can be.
    private static let lowest = SIMD4<Float>(-160, -224, -240, -1024)
    private static let highest = SIMD4<Float>(416, 232, 212, 1024)

    init(_ points: [SIMD4<Float>]) {
        var (low, high) = (points[0], points[0])
        for point in points { (low, high) = (pointwiseMin(low, point), pointwiseMax(high, point)) }
        let translucent = points.filter { (0...255).contains($0.w) }
        // Without translucent colours, a cell's list has the opaque ones or the transparent one, as they are far from each other.
        (low.w, high.w) = translucent.isEmpty ? (0, 0) : (0, 256)
        let margin = (high - low) * 0.2 + 4
        (low, high) = (low - margin, high + margin)
        if translucent.isEmpty { (low.w, high.w) = (-512, 512) }
        self.low = low
        var counts = Self.mostCounts
        counts.w = translucent.isEmpty ? 2 : counts.w
        self.counts = counts
        let (row, plane) = (Int(counts.x), Int(counts.x) * Int(counts.y))
        strides = SIMD4(1, UInt32(row), UInt32(plane), UInt32(plane * Int(counts.z)))
        cellsPerAxis = SIMD4<Float>(counts)
        side = (high - low) / SIMD4<Float>(counts)
        scale = 1 / (high - low)
    }

    var cellCount: Int { Int(counts.x) * Int(counts.y) * Int(counts.z) * Int(counts.w) }

    /// The number of the cell of a point.
    func cell(of point: SIMD4<Float>) -> Int {
        let places = places(of: point)
        return cell(places.x.bitPattern, places.y.bitPattern, places.z.bitPattern, places.w.bitPattern)
    }

    /// The number of a point's cell on each axis, plus 3 * 2^22; the first where a coordinate is no number.
    ///
    /// Numbers of that size have no fractions, so that the addition rounds; their lowest bits are the integer.
    @inline(__always)
    func places(of point: SIMD4<Float>) -> SIMD4<Float> {
        let share = (point - low) * scale
        var bounded = SIMD4<Float>.zero
        bounded.replace(with: share, where: share .> SIMD4<Float>.zero)
        let one = SIMD4<Float>(repeating: 0x0.ffffp0)
        bounded.replace(with: one, where: bounded .> one)
        return bounded * cellsPerAxis - 0.5 + 0x1.8p23
    }

    /// The number of the cell whose places have these bits.
    @inline(__always)
    func cell(_ x: UInt32, _ y: UInt32, _ z: UInt32, _ w: UInt32) -> Int {
        let mask: UInt32 = 0x3F_FFFF
        let (near, far) = ((x & mask) &+ (y & mask) &* strides.y, (z & mask) &* strides.z &+ (w & mask) &* strides.w)
        return Int(near &+ far)
    }

    /// The part of space that belongs to a cell: outermost cells reach as far as points can be.
    func bounds(of cell: Int) -> ColorBox {
        let x = Int32(cell % Int(counts.x)), rest = cell / Int(counts.x)
        let y = Int32(rest % Int(counts.y)), further = rest / Int(counts.y)
        let z = Int32(further % Int(counts.z)), w = Int32(further / Int(counts.z))
        let numbers = SIMD4<Int32>(x, y, z, w)
        var (from, to) = (low + SIMD4<Float>(numbers) * side, low + SIMD4<Float>(numbers &+ 1) * side)
        for axis in 0..<4 {
            if numbers[axis] == 0 { from[axis] = min(from[axis], Self.lowest[axis]) }
            if numbers[axis] == counts[axis] - 1 { to[axis] = max(to[axis], Self.highest[axis]) }
        }
        // Roundings may put a point into the cell beside its own.
        return ColorBox(from: from - 0.01, to: to + 0.01)
    }
}
