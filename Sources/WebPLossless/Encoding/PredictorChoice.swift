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
        /// Whether a mode is chosen by how often differences occur, which takes longer, instead of by their sums.
        var countsDifferences = false
        /// Whether all blocks have the mode that is best for the picture: what repeats does so after the prediction too.
        var isUniform = false

        /// The mode of the pixel to the left.
        static let left = [1]
    }

    let grid: BlockGrid
    /// Modes of the blocks.
    private(set) var modes: NumberBuffer<UInt8>

    /// Chooses modes by how few bits differences take.
    init(
        _ plane: PixelPlane, sizeBits: Int, _ search: Search, meter: MemoryMeter?, _ work: inout WorkGuard
    ) throws(ImageError) {
        grid = BlockGrid(size: plane.size, sizeBits: sizeBits)
        modes = try NumberBuffer(count: grid.count, meter: meter)
        var counts = search.countsDifferences ? try DifferenceCounts(plane, meter: meter, &work) : nil
        for row in 0..<grid.rowCount {
            for column in 0..<grid.columnCount {
                try work.spend((search.modes.count << (2 * sizeBits)) / (search.countsDifferences ? 1 : 4))
                let found = plane.pixels.withSpan { mode(column, row, $0, search, &counts) }
                modes.withMutableSpan { $0[row * grid.columnCount + column] = UInt8(found) }
            }
        }
        if search.isUniform { makeUniform() }
    }

    private mutating func makeUniform() {
        modes.withMutableSpan { modes in
            var counts = [Int](repeating: 0, count: ResidualKernel.modeCount)
            for block in modes.indices { counts[Int(modes[block])] += 1 }
            let mode = counts.indices.reduce(0) { counts[$1] > counts[$0] ? $1 : $0 }
            for block in modes.indices { modes[block] = UInt8(mode) }
        }
    }

    /// The mode that is best for a block.
    private func mode(
        _ column: Int, _ row: Int, _ pixels: Span<UInt32>, _ search: Search, _ counts: inout DifferenceCounts?
    ) -> Int {
        let (left, above) = modes.withSpan { modes in
            let block = row * grid.columnCount + column
            return (column > 0 ? Int(modes[block - 1]) : -1, row > 0 ? Int(modes[block - grid.columnCount]) : -1)
        }
        let columns = max(1, grid.columns(column).lowerBound)..<grid.columns(column).upperBound
        let firstRow = max(1, grid.rows(row).lowerBound)
        let rows = stride(from: firstRow, to: grid.rows(row).upperBound, by: search.rowStep)
        guard !columns.isEmpty, firstRow < grid.rows(row).upperBound else { return max(left, above, 11) }
        func changes(_ mode: Int) -> UInt64 { (mode != left ? 1 : 0) + (mode != above ? 1 : 0) }
        let costs = search.modes.map {
            (mode: $0, cost: bits($0, pixels, columns, rows) + changes($0) * Self.changeBits)
        }
        guard counts != nil else { return costs.reduce((11, .max)) { $1.cost < $0.cost ? $1 : $0 }.mode }
        var best: (mode: Int, cost: UInt64) = (11, .max)
        for mode in costs.sorted(by: { $0.cost < $1.cost }).prefix(Self.countedModeCount).map(\.mode) {
            let bits = counts?.bits(mode, pixels, width: grid.size.width, columns, rows) ?? 0
            let cost = bits + changes(mode) * Self.changeBitsOfCounts
            if cost < best.cost { best = (mode, cost) }
        }
        counts?.add(best.mode, pixels, width: grid.size.width, columns, rows)
        return best.mode
    }

    /// Of the modes, those with the least sums whose differences are counted.
    private static let countedModeCount = 4

    /// Bits of a block's differences, in 1/65,536, by their sums.
    private func bits(_ mode: Int, _ pixels: Span<UInt32>, _ columns: Range<Int>, _ rows: StrideTo<Int>) -> UInt64 {
        var sums = SIMD4<UInt32>()
        var count: UInt32 = 0
        for y in rows {
            count += UInt32(columns.count)
            ResidualKernel.addDistances(mode, pixels, width: grid.size.width, row: y, columns: columns, to: &sums)
        }
        // What a block of differences takes grows by a bit for each pixel when they double; a quarter is what rounding leaves.
        sums = sums &* 4 &+ SIMD4(repeating: count)
        return UInt64(count) * (0..<4).reduce(0) { $0 + Entropy.log2(sums[$1]) }
    }

    /// What a mode that differs from a neighbour's takes, in 1/65,536 of a bit; where differences are counted, bits are too, twice.
    private static let changeBits: UInt64 = 1 << 16
    private static let changeBitsOfCounts: UInt64 = 6 << 16

    /// Puts the differences of all pixels from what the modes predict in their place.
    func apply(to plane: inout PixelPlane, meter: MemoryMeter?, _ work: inout WorkGuard) throws(ImageError) {
        let width = plane.width
        var differences = try NumberBuffer<UInt32>(count: width + ResidualKernel.margin, meter: meter)
        // The last row first: no row is needed by those above it.
        for y in (0..<plane.height).reversed() {
            try work.spend(width)
            differences.withMutableSpan { target in
                plane.pixels.withSpan { pixels in
                    modes.withSpan { modes in write(row: y, pixels, modes, to: &target) }
                }
            }
            let start = PixelPlane.margin + y * width
            plane.pixels.withMutableSpan { pixels in
                differences.withSpan { differences in
                    for x in 0..<width { pixels[start + x] = differences[x] }
                }
            }
        }
    }

    /// Writes the differences of a row.
    private func write(row y: Int, _ pixels: Span<UInt32>, _ modes: Span<UInt8>, to target: inout MutableSpan<UInt32>) {
        let width = grid.size.width
        let start = PixelPlane.margin + y * width
        guard y > 0 else {
            target[0] = TransformReference.difference(pixels[start], 0xFF00_0000)
            for x in 1..<max(1, width) {
                target[x] = TransformReference.difference(pixels[start + x], pixels[start + x - 1])
            }
            return
        }
        target[0] = TransformReference.difference(pixels[start], pixels[start - width])
        for column in 0..<grid.columnCount {
            let columns = grid.columns(column)
            let first = max(1, columns.lowerBound)
            guard first < columns.upperBound else { continue }
            ResidualKernel.write(
                Int(modes[(y >> grid.sizeBits) * grid.columnCount + column]), pixels, width: width, row: y,
                columns: first..<columns.upperBound, to: &target, at: first)
        }
    }
}
