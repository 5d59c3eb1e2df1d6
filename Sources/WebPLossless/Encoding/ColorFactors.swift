// The color transform, forwards: how much of green is in red and blue, and of red in blue.

import ImageCodecsCore

/// Factors of the color transform for the blocks of a picture.
///
/// Source: RFC 9649 section 3.5.2 "Color Transform".
struct ColorFactors: Sendable {
    let grid: BlockGrid
    /// Green to red, green to blue, red to blue, from the lowest byte on.
    private(set) var factors: NumberBuffer<UInt32>

    /// Pixels of a block that are looked at, about.
    fileprivate static let sampleCount = 256

    /// A block's channels as numbers with sign; green is divided by 32, as the format has it.
    fileprivate struct Samples {
        var red: [Int32] = []
        var green: [Int32] = []
        var blue: [Int32] = []
    }

    /// Chooses factors that make the sum of differences smallest.
    init(
        _ plane: PixelPlane, sizeBits: Int, meter: MemoryMeter?, _ work: inout WorkGuard
    ) throws(ImageError) {
        grid = BlockGrid(size: plane.size, sizeBits: sizeBits)
        factors = try NumberBuffer(count: grid.count, meter: meter)
        var samples = Samples()
        for row in 0..<grid.rowCount {
            for column in 0..<grid.columnCount {
                try work.spend(4 * Self.sampleCount)
                plane.withSpan { samples.take($0, grid, column, row) }
                let chosen = samples.factors()
                factors.withMutableSpan { $0[row * grid.columnCount + column] = chosen }
            }
        }
    }

    /// Whether no block has a factor.
    var isIdentity: Bool {
        factors.withSpan { factors in (0..<factors.count).allSatisfy { factors[$0] == 0 } }
    }

    /// Takes from red and blue what the factors say.
    func apply(to plane: inout PixelPlane, _ work: inout WorkGuard) throws(ImageError) {
        for y in 0..<plane.height {
            try work.spend(plane.width)
            apply(toRow: y, &plane, PixelPlane.margin + y * plane.width)
        }
    }

    /// Takes from the pixels of a row what the factors say.
    ///
    /// - Parameters:
    ///   - y: the row of the picture.
    ///   - plane: has the row's pixels.
    ///   - start: where they begin.
    private func apply(toRow y: Int, _ plane: inout PixelPlane, _ start: Int) {
        plane.pixels.withMutableSpan { pixels in
            factors.withSpan { factors in
                for column in 0..<grid.columnCount {
                    let factor = factors[(y >> grid.sizeBits) * grid.columnCount + column]
                    guard factor != 0 else { continue }
                    let columns = grid.columns(column)
                    ForwardColorKernel.apply(
                        factor, to: &pixels, start + columns.lowerBound..<start + columns.upperBound)
                }
            }
        }
    }

    /// About how many bits the new pixels of some rows take when the factors are applied.
    ///
    /// - Parameter rowCount: about how many rows are looked at.
    func bitCount(
        of plane: PixelPlane, rowCount: Int, meter: MemoryMeter?, _ work: inout WorkGuard
    ) throws(ImageError) -> Int {
        var estimate = PixelEstimate()
        let width = plane.width
        // A row and the one above it.
        var rows = try PixelPlane(PixelSize(width: width, height: 2), meter: meter)
        for y in PixelEstimate.rows(of: plane, rowCount: rowCount) {
            try work.spend(6 * width)
            plane.pixels.withSpan { pixels in
                rows.pixels.withMutableSpan { rows in
                    let above = PixelPlane.margin + (y - 1) * width
                    for index in 0..<2 * width { rows[PixelPlane.margin + index] = pixels[above + index] }
                }
            }
            for row in 0..<2 { apply(toRow: y - 1 + row, &rows, PixelPlane.margin + row * width) }
            estimate.add(row: 1, of: rows)
        }
        return estimate.bitCount
    }
}

extension ColorFactors.Samples {
    fileprivate mutating func take(_ pixels: Span<UInt32>, _ grid: BlockGrid, _ column: Int, _ row: Int) {
        red.removeAll(keepingCapacity: true)
        green.removeAll(keepingCapacity: true)
        blue.removeAll(keepingCapacity: true)
        let (columns, rows) = (grid.columns(column), grid.rows(row))
        // Every pixel of a small block, else some in equal steps.
        let step = max(1, rows.count * columns.count / ColorFactors.sampleCount)
        var index = 0
        while index < rows.count * columns.count {
            let (y, x) = index.quotientAndRemainder(dividingBy: columns.count)
            let pixel = pixels[(rows.lowerBound + y) * grid.size.width + columns.lowerBound + x]
            red.append(Int32(Int8(truncatingIfNeeded: pixel >> 16)))
            green.append(Int32(Int8(truncatingIfNeeded: pixel >> 8)))
            blue.append(Int32(Int8(truncatingIfNeeded: pixel)))
            index += step
        }
    }

    fileprivate func factors() -> UInt32 {
        let greenToRed = best(for: red, by: green)
        let greenToBlue = best(for: blue, by: green)
        var rest = blue
        for index in 0..<rest.count {
            rest[index] = Int32(Int8(truncatingIfNeeded: rest[index] &- (greenToBlue &* green[index]) >> 5))
        }
        let redToBlue = best(for: rest, by: red)
        return UInt32(greenToRed & 255) | UInt32(greenToBlue & 255) << 8 | UInt32(redToBlue & 255) << 16
    }

    /// The factor that leaves the smallest sum: one near that of least squares, or none if that gains too little.
    private func best(for channel: [Int32], by source: [Int32]) -> Int32 {
        var (product, square) = (0, 0)
        for index in 0..<channel.count {
            product += Int(channel[index] &* source[index])
            square += Int(source[index] &* source[index])
        }
        guard square > 0 else { return 0 }
        let middle = Int32(max(-120, min(120, (32 * product + (product < 0 ? -square : square) / 2) / square)))
        let plain = cost(channel, source, 0)
        var best = (factor: Int32(0), cost: plain - plain / 32 - 8)
        for factor in [middle, middle - 3, middle + 3, middle / 2] {
            let cost = cost(channel, source, factor)
            if cost < best.cost { best = (factor, cost) }
        }
        return best.factor
    }

    private func cost(_ channel: [Int32], _ source: [Int32], _ factor: Int32) -> Int32 {
        var sum: Int32 = 0
        for index in 0..<channel.count {
            let value = Int32(Int8(truncatingIfNeeded: channel[index] &- (factor &* source[index]) >> 5))
            sum &+= abs(value)
        }
        return sum
    }
}
