// The weights of a Lanczos-3 resampling along one axis, in fixed point.
//
// In: how many pixels the axis had, how many of them one cell of the box reducer joins, how many pixels
// it shall have. Out: for every output pixel a window of input cells and one integer weight per cell.

/// Fixed-point weights that turn a line of cells into a line of output pixels.
///
/// A *cell* is the mean of `pixelsPerCell` neighbouring source pixels (the last cell may hold fewer). Positions are
/// measured in cells, so a source of 13 pixels in cells of 5 has 3 cells and an extent of 2.6: output pixel `x` of 4
/// is centred at `(x + 0.5) * 2.6 / 4`, and the third cell covers `2.0 ..< 2.6`, is centred at 2.3 and counts 0.6 times
/// as much as a whole one.
///
/// ```
/// cells     |    0    |    1    |  2  |          13 pixels, 5 + 5 + 3
/// outputs   |  0  |  1  |  2  |  3    |          0.65 cells each
/// ```
///
/// When reducing, the kernel is stretched by the ratio (support `3 * ratio` cells on either side); when enlarging its
/// support is 3 cells. What would fall outside the picture is left out and the rest normalised.
package struct LanczosFilter: Sendable {
    /// Bits after the binary point of a weight.
    package static let fractionBitCount = 14
    /// The weight 1; the weights of every output pixel have exactly this sum.
    package static let one = 1 << fractionBitCount
    /// Lobes of the kernel on either side.
    package static let lobeCount = 3

    /// How the weights of an output pixel are laid out, as its kernel wants to read them.
    package enum TapLayout: Sendable {
        /// In ascending order, an even number.
        case pairs
        /// In groups of four, each in the order 0 2 1 3.
        case crossedFours

        /// Weights per output pixel are a multiple of this.
        package var alignment: Int {
            switch self {
            case .pairs: 2
            case .crossedFours: 4
            }
        }

        /// Where the weight of tap `tap` is among an output pixel's weights.
        @inline(__always)
        package func position(ofTap tap: Int) -> Int {
            switch self {
            case .pairs: tap
            case .crossedFours: tap & ~3 | (tap & 1) << 1 | (tap & 2) >> 1
            }
        }

        fileprivate func roundUp(_ count: Int) -> Int { (count + alignment - 1) / alignment * alignment }
    }

    /// Pixels that come out.
    package let outputCount: Int
    /// Cells that go in.
    package let inputCount: Int
    /// Weights stored per output pixel; those that a window does not need are zero.
    package let tapCount: Int
    /// The cell of every output pixel's first weight. Never decreasing; `start + tapCount <= inputCount` unless the
    /// line is shorter than a window (`inputCount < tapCount`), where every start is 0.
    package let starts: NumberBuffer<UInt32>
    /// The cell after the last one that every output pixel depends on, at most `tapCount` after its start. Never
    /// decreasing.
    package let ends: NumberBuffer<UInt32>
    /// `tapCount` weights for every output pixel, those outside its window 0, in the order of `layout`.
    package let weights: NumberBuffer<Int16>
    /// The order of an output pixel's weights.
    package let layout: TapLayout

    /// Computes the weights.
    ///
    /// - Parameters:
    ///   - sourceCount: Pixels along the axis before anything reduced it, at least 1 and at most 2^31.
    ///   - pixelsPerCell: The box factor, times what the decoder has reduced by; at least 1.
    ///   - outputCount: Pixels wanted, at least 1 and at most 2^31.
    ///   - layout: Number and order of the weights of an output pixel.
    ///   - meter: Counts the tables.
    ///   - work: Asked now and then.
    /// - Throws: `limitExceeded` when there is no memory for the tables or the time is used up, `cancelled`.
    package init(
        sourceCount: Int, pixelsPerCell: Int, outputCount: Int, layout: TapLayout, meter: MemoryMeter? = nil,
        work: WorkGuard = .unlimited
    ) throws(ImageError) {
        let axis = LanczosAxis(sourceCount: sourceCount, pixelsPerCell: pixelsPerCell, outputCount: outputCount)
        var work = work
        var longest = 1
        for x in 0..<outputCount {
            try work.spend(1)
            longest = max(longest, axis.window(ofOutput: x).count)
        }
        let tapCount = layout.roundUp(longest)
        var starts = try NumberBuffer<UInt32>(count: outputCount, meter: meter)
        var ends = try NumberBuffer<UInt32>(count: outputCount, meter: meter)
        var weights = try NumberBuffer<Int16>(count: outputCount.multipliedSaturated(by: tapCount), meter: meter)
        // A window has 42 cells at most.
        var exact = [Double](repeating: 0, count: longest)
        var rounded = [Int16](repeating: 0, count: longest)
        for x in 0..<outputCount {
            let window = axis.window(ofOutput: x)
            try work.spend(window.count)
            let start = max(0, window.upperBound - tapCount)
            starts.withMutableSpan { $0[x] = UInt32(truncatingIfNeeded: start) }
            ends.withMutableSpan { $0[x] = UInt32(truncatingIfNeeded: window.upperBound) }
            for (index, cell) in window.enumerated() { exact[index] = axis.weight(ofCell: cell, output: x) }
            Self.quantize(exact[..<window.count], into: &rounded)
            weights.withMutableSpan { weights in
                for (index, cell) in window.enumerated() {
                    weights[x * tapCount + layout.position(ofTap: cell - start)] = rounded[index]
                }
            }
        }
        self.outputCount = outputCount
        self.inputCount = axis.cellCount
        self.tapCount = tapCount
        self.starts = starts
        self.ends = ends
        self.weights = weights
        self.layout = layout
    }

    /// The cell of output pixel `x`'s first weight.
    package func start(ofOutput x: Int) -> Int { starts.withSpan { Int($0[x]) } }

    /// The cell after the last one that output pixel `x` depends on.
    package func end(ofOutput x: Int) -> Int { ends.withSpan { Int($0[x]) } }

    /// The weight of cell `start(ofOutput: x) + tap` for output pixel `x`.
    package func weight(ofTap tap: Int, output x: Int) -> Int16 {
        weights.withSpan { $0[x * tapCount + layout.position(ofTap: tap)] }
    }

    /// Bytes of the tables.
    package var memoryByteCount: Int { starts.byteCount + ends.byteCount + weights.byteCount }

    /// No less than the `tapCount` of a filter made from the same arguments.
    package static func maximumTapCount(
        sourceCount: Int, pixelsPerCell: Int, outputCount: Int, layout: TapLayout
    ) -> Int {
        let axis = LanczosAxis(sourceCount: sourceCount, pixelsPerCell: pixelsPerCell, outputCount: outputCount)
        return layout.roundUp(axis.maximumWindowCount)
    }

    /// Scales weights to the sum `one` and rounds them; the largest takes what rounding left over.
    private static func quantize(_ exact: ArraySlice<Double>, into weights: inout [Int16]) {
        var sum = 0.0
        for weight in exact { sum += weight }
        let scale = Double(one) / sum  // sum > 0.4 of a whole kernel: only outer lobes are ever cut off
        var remainder = one
        var largest = 0
        for (index, weight) in exact.enumerated() {
            let scaled = weight * scale
            // |weight| < 2 * one (1.3 at a border of an enlarged picture), so Int16 holds it.
            let rounded = Int16(truncatingIfNeeded: Int(scaled < 0 ? scaled - 0.5 : scaled + 0.5))
            weights[index] = rounded
            remainder -= Int(rounded)
            if rounded > weights[largest] { largest = index }
        }
        weights[largest] += Int16(truncatingIfNeeded: remainder)
    }
}

/// One axis of a resampling as real numbers: windows and weights before rounding.
private struct LanczosAxis {
    let sourceCount: Int
    let pixelsPerCell: Int
    let outputCount: Int
    let cellCount: Int
    /// Cells per output pixel.
    let ratio: Double
    /// Cells per unit of the kernel's argument: the ratio when reducing, 1 when enlarging.
    let stretch: Double

    init(sourceCount: Int, pixelsPerCell: Int, outputCount: Int) {
        self.sourceCount = sourceCount
        self.pixelsPerCell = pixelsPerCell
        self.outputCount = outputCount
        cellCount = (sourceCount - 1) / pixelsPerCell + 1
        ratio = Double(sourceCount) / Double(pixelsPerCell) / Double(outputCount)
        stretch = max(1, ratio)
    }

    var isIdentity: Bool { sourceCount == outputCount && pixelsPerCell == 1 }

    var support: Double { Double(LanczosFilter.lobeCount) * stretch }

    var maximumWindowCount: Int { isIdentity ? 1 : min(cellCount, Int(2 * support) + 2) }

    func center(ofOutput x: Int) -> Double { (Double(x) + 0.5) * ratio }

    /// The cells whose centres lie less than the support away from the centre of output pixel `x`.
    func window(ofOutput x: Int) -> Range<Int> {
        if isIdentity { return x..<x + 1 }
        let center = center(ofOutput: x)
        // Truncation rounds down: the upper sum is positive, and the lower one, if negative, counts as 0.
        let lower = max(0, Int(center - support + 0.5))
        let upper = min(cellCount, Int(center + support + 0.5))
        return lower..<upper
    }

    /// The kernel at the centre of a cell, times the part of the cell that lies inside the picture.
    func weight(ofCell cell: Int, output x: Int) -> Double {
        let begin = cell * pixelsPerCell
        let pixels = min(pixelsPerCell, sourceCount - begin)
        let fraction = Double(pixels) / Double(pixelsPerCell)
        let position = Double(cell) + fraction / 2
        return lanczos((position - center(ofOutput: x)) / stretch) * fraction
    }
}
