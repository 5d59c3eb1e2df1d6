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
        case .grid(let grid): return SIMD4<Double>(grid.color(at: SIMD4<Float>(v)))
        }
    }

    /// Bytes of the values of curves: grids stay in the profile.
    var byteCount: Int { if case .curves(let curves) = self { curves.reduce(0) { $0 + $1.byteCount } } else { 0 } }

    /// The same for many colours. Curves are asked at 4096 places, between which they are lines.
    func apply(to colors: inout [SIMD4<Float>]) {
        switch self {
        case .curves(let curves):
            for (channel, curve) in curves.enumerated() where curve != .identity {
                let values = (0...Self.sampleCount).map {
                    Float(curve(Double(min($0, Self.sampleCount - 1)) / Double(Self.sampleCount - 1)))
                }
                for index in colors.indices {
                    let place = min(1, max(0, colors[index][channel])) * Float(Self.sampleCount - 1)
                    let low = Int(place)
                    colors[index][channel] = values[low] + (values[low + 1] - values[low]) * (place - Float(low))
                }
            }
        case .matrix(let matrix, let offset):
            for index in colors.indices {
                colors[index] = SIMD4<Float>(matrix * SIMD4<Double>(colors[index]) + offset)
            }
        case .grid(let grid):
            for index in colors.indices { colors[index] = grid.color(at: colors[index]) }
        }
    }

    private static let sampleCount = 4096
}
