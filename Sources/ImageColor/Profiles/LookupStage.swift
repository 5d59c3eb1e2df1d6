// One step of a profile that is made of tables: curves, a matrix, or a grid of colours.

/// A step from some channels to others. Vectors hold up to four; numbers are 0...1.
enum LookupStage: Hashable, Sendable {
    /// A curve a channel.
    case curves([ToneCurve])
    /// Three channels by a matrix, and what is added.
    case matrix(Matrix3, SIMD4<Double>)
    /// Colours at the points of a grid.
    case grid(LookupGrid)

    func apply(_ v: SIMD4<Double>) -> SIMD4<Double> {
        switch self {
        case .curves(let curves):
            var result = SIMD4<Double>.zero
            for (channel, curve) in curves.enumerated() { result[channel] = curve(min(1, max(0, v[channel]))) }
            return result
        case .matrix(let matrix, let offset): return matrix * v + offset
        case .grid(let grid): return grid.color(at: v)
        }
    }
}

/// Colours of three channels at points of equal distance, for one to four channels.
///
/// The last channel varies fastest. Example: 17 points for each of cyan, magenta, yellow and black are 83,521 colours of three `UInt16`.
struct LookupGrid: Hashable, Sendable {
    /// Points along each channel, two at least.
    let pointCounts: [Int]
    /// 65535 is 1.
    let values: [UInt16]

    /// - Parameter values: as many as there are points, three each.
    init?(pointCounts: [Int], values: [UInt16]) {
        guard (1...4).contains(pointCounts.count), pointCounts.allSatisfy({ (2...255).contains($0) }) else {
            return nil
        }
        guard values.count == Self.valueCount(pointCounts) else { return nil }
        self.pointCounts = pointCounts
        self.values = values
    }

    /// Numbers in a grid; at most 3 * 255^4.
    static func valueCount(_ pointCounts: [Int]) -> Int { pointCounts.reduce(3, *) }

    /// The colour between points: on the last three channels a tetrahedron of the cell, on a fourth a line.
    func color(at v: SIMD4<Double>) -> SIMD4<Double> {
        let axes = (0..<pointCounts.count).map { axis(v[$0], $0) }
        guard axes.count == 4 else { return tetrahedron(axes[...], from: 0) }
        let first = axes[0]
        let low = tetrahedron(axes[1...], from: first.base)
        guard first.fraction > 0 else { return low }
        let high = tetrahedron(axes[1...], from: first.base + first.step)
        return low + (high - low) * first.fraction
    }

    /// Where a channel's number lies: the point before it, how far it is to the next, and how many colours that is away.
    private struct Axis {
        var base: Int
        var step: Int
        var fraction: Double
    }

    private func axis(_ x: Double, _ channel: Int) -> Axis {
        let step = pointCounts[(channel + 1)...].reduce(1, *)
        let place = min(1, max(0, x)) * Double(pointCounts[channel] - 1)
        let index = min(Int(place), pointCounts[channel] - 2)
        return Axis(base: index * step, step: step, fraction: place - Double(index))
    }

    /// Goes from the lowest corner of the cell to the highest, along the channel with the greatest fraction first.
    private func tetrahedron(_ axes: ArraySlice<Axis>, from start: Int) -> SIMD4<Double> {
        var at = axes.reduce(start) { $0 + $1.base }
        var result = SIMD4<Double>.zero
        var rest = 1.0
        for axis in axes.sorted(by: { $0.fraction > $1.fraction }) {
            result += point(at) * (rest - axis.fraction)
            rest = axis.fraction
            at += axis.step
        }
        return result + point(at) * rest
    }

    private func point(_ index: Int) -> SIMD4<Double> {
        SIMD4(Double(values[3 * index]), Double(values[3 * index + 1]), Double(values[3 * index + 2]), 0) / 65535
    }
}
