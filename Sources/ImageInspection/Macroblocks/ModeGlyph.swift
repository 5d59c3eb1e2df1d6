// The signs that prediction modes are drawn as: lines in the direction in which samples are repeated, a dot or a ring for the
// mean, a cross for TrueMotion, which adds what is above to what is to the left.

package import WebPLossyCodec

/// A sign in a square, from -1 to 1 both ways.
package struct ModeGlyph: Hashable, Sendable {
    /// Where a line begins and ends.
    private struct Line: Hashable, Sendable {
        let start: SIMD2<Double>
        let end: SIMD2<Double>

        init(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double) {
            (start, end) = (SIMD2(x1, y1), SIMD2(x2, y2))
        }

        /// How far it is to a point.
        func distance(to point: SIMD2<Double>) -> Double {
            let (along, from) = (end - start, point - start)
            let position = min(max((from * along).sum() / (along * along).sum(), 0), 1)
            let difference = from - along * position
            return (difference * difference).sum().squareRoot()
        }
    }

    private var lines: [Line] = []
    /// The radius of a ring around the middle.
    private var ring: Double?
    /// The radius of a dot in the middle.
    private var dot: Double?

    /// The sign of a subblock's mode.
    package init(_ mode: VP8Macroblock.SubblockMode) {
        switch mode {
        case .dc: dot = 0.22
        case .trueMotion: lines = Self.cross
        case .vertical: lines = [Line(0, -0.72, 0, 0.72)]
        case .horizontal: lines = [Line(-0.72, 0, 0.72, 0)]
        case .leftDown: lines = [Line(0.55, -0.55, -0.55, 0.55)]
        case .rightDown: lines = [Line(-0.55, -0.55, 0.55, 0.55)]
        case .verticalRight: lines = [Line(-0.33, -0.68, 0.33, 0.68)]
        case .verticalLeft: lines = [Line(0.33, -0.68, -0.33, 0.68)]
        case .horizontalDown: lines = [Line(-0.68, -0.33, 0.68, 0.33)]
        case .horizontalUp: lines = [Line(-0.68, 0.33, 0.68, -0.33)]
        }
    }

    /// The sign of a whole macroblock's luma: round what stands in the middle for chroma.
    package init(luma mode: VP8Macroblock.Mode) {
        let places = [-0.5, 0, 0.5]
        switch mode {
        case .dc: ring = 0.6
        case .trueMotion: lines = [Line(-0.72, 0, 0.72, 0), Line(0, -0.72, 0, 0.72)]
        case .vertical: lines = places.map { Line($0, -0.7, $0, 0.7) }
        case .horizontal: lines = places.map { Line(-0.7, $0, 0.7, $0) }
        }
    }

    /// The sign of chroma, that of a subblock's mode of the same name.
    package init(chroma mode: VP8Macroblock.Mode) {
        let same: VP8Macroblock.SubblockMode =
            switch mode {
            case .dc: .dc
            case .vertical: .vertical
            case .horizontal: .horizontal
            case .trueMotion: .trueMotion
            }
        self.init(same)
    }

    private static let cross = [Line(-0.6, 0, 0.6, 0), Line(0, -0.6, 0, 0.6)]

    /// How far it is from a point to the sign.
    private func distance(_ point: SIMD2<Double>) -> Double {
        let radius = (point * point).sum().squareRoot()
        var result = lines.map { $0.distance(to: point) }.min() ?? .infinity
        if let ring { result = min(result, abs(radius - ring)) }
        if let dot { result = min(result, max(0, radius - dot)) }
        return result
    }

    /// The sign in pixels.
    ///
    /// - Parameters:
    ///   - side: of the square.
    ///   - stroke: width of lines.
    package func mask(side: Int, stroke: Double) -> GlyphMask {
        let half = Double(side) / 2
        let coverage = (0..<side * side).map { index in
            let point = SIMD2(Double(index % side) + 0.5, Double(index / side) + 0.5) / half - 1
            return distance(point) * half - stroke / 2
        }
        return GlyphMask(side: side, distances: coverage)
    }
}

/// How much of each pixel a sign covers, and the dark seam around it that sets it off.
package struct GlyphMask: Sendable {
    package let side: Int
    /// 0...255, row by row.
    package let coverage: [UInt8]
    package let seam: [UInt8]

    /// - Parameter distances: of each pixel's middle from the sign's edge, negative inside.
    init(side: Int, distances: [Double]) {
        func cover(_ distance: Double) -> UInt8 { UInt8((min(max(0.5 - distance, 0), 1) * 255).rounded()) }
        self.side = side
        coverage = distances.map { cover($0) }
        seam = distances.map { cover($0 - 1) }
    }

    /// A disc that fills a square.
    package init(disc side: Int) {
        let half = Double(side) / 2
        self.init(
            side: side,
            distances: (0..<side * side).map { index in
                let point = SIMD2(Double(index % side) + 0.5 - half, Double(index / side) + 0.5 - half)
                return (point * point).sum().squareRoot() - half
            })
    }
}
