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

/// Lists points that can be nearest.
package enum ColorCandidates {
    /// Hands out the numbers of all points that are nearest to some point of a box, and maybe of a few more, in their order.
    ///
    /// A point c is left out if the point n that is nearest to the middle m is nearer than c in all of the box: if
    /// |m - c|² - |m - n|² is more than 2 h |c - n|, where h is half the box, so that no corner is on the side of c.
    ///
    /// - Parameter points: at least one, at most 256.
    @inline(__always)
    package static func list(_ points: [SIMD4<Float>], for box: ColorBox, _ body: (Int) -> Void) {
        points.withSpan { points in
            var (nearest, least) = (0, Float.infinity)
            for index in points.indices {
                let distance = Oklab.squaredDistance(box.center, points[index])
                if distance < least { (nearest, least) = (index, distance) }
            }
            let (point, half) = (points[nearest], box.half)
            for index in points.indices {
                let distance = Oklab.squaredDistance(box.center, points[index])
                let difference = points[index] - point
                let reach =
                    (abs(difference.x) * half.x + abs(difference.y) * half.y)
                    + (abs(difference.z) * half.z + abs(difference.w) * half.w)
                // The margin is wider than all roundings; coordinates are below 2^11.
                if distance - least <= 2 * reach + (least + distance) * 1e-5 + 0.01 { body(index) }
            }
        }
    }
}

/// Cells of equal size that cover the points of a palette with a margin, and beyond it as much as a search may ask for.
struct ColorGrid: Hashable, Sendable {
    private let low: SIMD4<Float>
    private let scale: SIMD4<Float>
    private let side: SIMD4<Float>
    private let counts: SIMD4<Int32>

    /// Cells of an axis: of lightness, of both colours; translucent palettes also have some of alpha.
    private static let mostCounts = SIMD4<Int32>(40, 24, 24, 8)
    static let largestCellCount = 40 * 24 * 24 * 8

    /// The farthest that points of pixels, and errors added, can be.
    private static let lowest = SIMD4<Float>(-64, -128, -144, -1024)
    private static let highest = SIMD4<Float>(320, 144, 128, 1024)

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
        side = (high - low) / SIMD4<Float>(counts)
        scale = SIMD4<Float>(counts) / (high - low)
    }

    var cellCount: Int { Int(counts.x) * Int(counts.y) * Int(counts.z) * Int(counts.w) }

    /// The number of the cell of a point.
    @inline(__always)
    func cell(of point: SIMD4<Float>) -> Int {
        let place = (point - low) * scale
        let x = Self.clamped(place.x, counts.x), y = Self.clamped(place.y, counts.y)
        let z = Self.clamped(place.z, counts.z), w = Self.clamped(place.w, counts.w)
        return ((w &* Int(counts.z) &+ z) &* Int(counts.y) &+ y) &* Int(counts.x) &+ x
    }

    /// The cell of an axis; the first for what is no number.
    @inline(__always)
    private static func clamped(_ place: Float, _ count: Int32) -> Int {
        guard place > 0 else { return 0 }
        return place < Float(count) ? Int(place) : Int(count) - 1
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
