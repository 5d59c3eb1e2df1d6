// The predictor transform, forwards: which mode each block has, and the differences that are left.

import ImageCodecsCore

/// Modes of the predictor transform for the blocks of a picture.
///
/// Source: RFC 9649 section 3.5.1 "Predictor Transform".
struct PredictorChoice: Sendable {
    /// How modes are looked for.
    struct Search: Hashable, Sendable {
        /// Modes that are tried.
        var modes: [Int]
        /// Of the rows of a block, each one of this many is looked at.
        var rowStep: Int
        /// Whether all blocks have the mode that most would: what repeats does so after the prediction too.
        var isUniform = false
    }

    let grid: BlockGrid
    /// Modes of the blocks.
    private(set) var modes: NumberBuffer<UInt8>

    /// Chooses modes by how small differences are, as the number of bits of the sum of a channel's differences.
    init(
        _ plane: PixelPlane, sizeBits: Int, _ search: Search, meter: MemoryMeter?, _ work: inout WorkGuard
    ) throws(ImageError) {
        grid = BlockGrid(size: plane.size, sizeBits: sizeBits)
        var modes = try NumberBuffer<UInt8>(count: grid.count, meter: meter)
        let (grid, columnCount) = (grid, grid.columnCount)
        for row in 0..<grid.rowCount {
            for column in 0..<columnCount {
                try work.spend((search.modes.count << (2 * sizeBits)) / 4)
                plane.pixels.withSpan { pixels in
                    modes.withMutableSpan { modes in
                        let left = column > 0 ? Int(modes[row * columnCount + column - 1]) : -1
                        let above = row > 0 ? Int(modes[(row - 1) * columnCount + column]) : -1
                        modes[row * columnCount + column] = UInt8(
                            Self.mode(grid, column, row, pixels, search, like: left, above))
                    }
                }
            }
        }
        if search.isUniform { Self.makeUniform(&modes) }
        self.modes = modes
    }

    private static func makeUniform(_ modes: inout NumberBuffer<UInt8>) {
        modes.withMutableSpan { modes in
            var counts = [Int](repeating: 0, count: ResidualKernel.modeCount)
            for block in modes.indices { counts[Int(modes[block])] += 1 }
            let mode = counts.indices.reduce(0) { counts[$1] > counts[$0] ? $1 : $0 }
            for block in modes.indices { modes[block] = UInt8(mode) }
        }
    }

    private static func mode(
        _ grid: BlockGrid, _ column: Int, _ row: Int, _ pixels: Span<UInt32>, _ search: Search, like left: Int,
        _ above: Int
    ) -> Int {
        let columns = max(1, grid.columns(column).lowerBound)..<grid.columns(column).upperBound
        let rows = max(1, grid.rows(row).lowerBound)..<grid.rows(row).upperBound
        guard !columns.isEmpty, !rows.isEmpty else { return max(left, above, 11) }
        var best: (mode: Int, cost: UInt64) = (11, .max)
        let count = UInt32(columns.count * ((rows.count + search.rowStep - 1) / search.rowStep))
        for mode in search.modes {
            var sums = SIMD4<UInt32>()
            for y in stride(from: rows.lowerBound, to: rows.upperBound, by: search.rowStep) {
                ResidualKernel.addDistances(
                    mode, pixels, width: grid.size.width, row: y, columns: columns, to: &sums)
            }
            // What a block of differences takes grows by a bit for each pixel when they double; a quarter is what rounding leaves.
            var cost = 8 * bits(sums, count)
            if mode != left { cost += changeCost / UInt64(count) }
            if mode != above { cost += changeCost / UInt64(count) }
            if cost < best.cost { best = (mode, cost) }
        }
        return best.mode
    }

    /// What a mode that differs from a neighbour's takes, in bits of 1/65,536 times eight.
    private static let changeCost: UInt64 = 8 << 16

    private static func bits(_ sums: SIMD4<UInt32>, _ count: UInt32) -> UInt64 {
        let sums = sums &* 4 &+ SIMD4(repeating: count)
        return Entropy.log2(sums[0]) + Entropy.log2(sums[1]) + Entropy.log2(sums[2]) + Entropy.log2(sums[3])
    }

    /// Writes the differences of all pixels from what the modes predict.
    func apply(to plane: PixelPlane, _ target: inout PixelPlane, _ work: inout WorkGuard) throws(ImageError) {
        let width = plane.width
        for y in 0..<plane.height {
            try work.spend(width)
            plane.pixels.withSpan { pixels in
                target.pixels.withMutableSpan { target in
                    modes.withSpan { modes in
                        let start = PixelPlane.margin + y * width
                        if y == 0 {
                            target[start] = TransformReference.difference(pixels[start], 0xFF00_0000)
                            for x in 1..<max(1, width) {
                                target[start + x] = TransformReference.difference(
                                    pixels[start + x], pixels[start + x - 1])
                            }
                            return
                        }
                        target[start] = TransformReference.difference(pixels[start], pixels[start - width])
                        for column in 0..<grid.columnCount {
                            let columns = grid.columns(column)
                            let first = max(1, columns.lowerBound)
                            guard first < columns.upperBound else { continue }
                            ResidualKernel.write(
                                Int(modes[(y >> grid.sizeBits) * grid.columnCount + column]), pixels, width: width,
                                row: y, columns: first..<columns.upperBound, to: &target, at: start + first)
                        }
                    }
                }
            }
        }
    }
}
