// Estimates AC coefficients that the scans have not fully delivered from the DC coefficients around: block edges get smooth.
//
// In: DC coefficients of a block and of its neighbours, and which bits the scans so far have delivered. Out: estimates
// of the first nine AC coefficients where they are still zero. Nothing here touches the coefficient store, and a
// picture of which every bit is delivered never comes here.
//
// The neighbourhood of a block, DC coefficients two blocks far each way; beyond the picture the nearest is repeated:
//
//     column  -2  -1   0  +1  +2
//     row -2   ·   ·   ·   ·   ·
//     row -1   ·   ·   ·   ·   ·
//     row  0   ·   ·  this ·   ·
//     row +1   ·   ·   ·   ·   ·
//     row +2   ·   ·   ·   ·   ·
//
// Each estimate is a weighted sum of these 25 numbers. What the weights say: let the picture rise evenly from left to
// right, and with it the DC coefficient by d from block to block. The DCT of such a ramp has AC01 = -0.2847 d (§K.8 has
// half of that, 1.13885 / 8, for each of the two neighbours). The weights of AC01 in `Kernel.known` give
// (2 · -50 + 4 · 7) / 256 · d = -0.2813 d. Those of AC02 likewise give the curvature, those of AC11 the twist. A flat
// picture gives 0 always, and the weights of the DC coefficient in `Kernel.interpolating` add up to 256: averages stay.
//
// - Source: ITU-T T.81 (1992) §K.8 "Suppression of block-to-block discontinuities in decoded images": five coefficients
//   from 3×3 blocks. The 5×5 weights and the rules are those of libjpeg-turbo since 2.1, exactly as 2.1.5 has them, so
//   that unfinished pictures are equal too.

package import ImageCodecsCore

/// What the scans so far have delivered of the coefficients of one component that can be estimated.
///
/// Ten entries each, zig-zag positions 0...9: the lowest bit delivered, -1 for none.
package struct DeliveredBits: Hashable, Sendable {
    /// Where the scan that is under way has been, or everywhere after the last.
    package let reached: [Int8]
    /// Where the scan that is under way is still to come.
    package let beyond: [Int8]

    /// - Precondition: Ten entries each.
    package init(reached: [Int8], beyond: [Int8]) {
        precondition(reached.count == BlockSmoothing.positionCount && beyond.count == BlockSmoothing.positionCount)
        self.reached = reached
        self.beyond = beyond
    }
}

/// Which coefficients of a frame are estimated at present, and from what.
package struct BlockSmoothing: Hashable, Sendable {
    /// Zig-zag positions of the DC coefficient and of those that are estimated.
    package static let positionCount = 10

    /// Quantisation steps of each component at these positions.
    private let steps: [[Int]]
    private let bits: [DeliveredBits]

    /// - Parameters:
    ///   - bits: Of each component.
    ///   - tables: The steps of each component that has had a scan.
    /// - Returns: `nil` if nothing is to be estimated: all bits are delivered, a component has no DC coefficients yet,
    ///   or a step is zero.
    package init?(_ bits: [DeliveredBits], steps tables: [DequantizationTable?]) {
        guard bits.allSatisfy({ $0.reached[0] >= 0 }), bits.contains(where: { $0.reached[1...].contains { $0 != 0 } })
        else { return nil }
        var steps: [[Int]] = []
        for table in tables {
            guard let table, Self.canEstimate(from: table) else { return nil }
            steps.append(
                ZigZagOrder.natural[..<Self.positionCount].map { Int(UInt16(bitPattern: table.values[Int($0)])) })
        }
        self.steps = steps
        self.bits = bits
    }

    /// Whether a component can be estimated that has these steps: none of the first ten is zero.
    static func canEstimate(from table: DequantizationTable?) -> Bool {
        guard let table else { return false }
        return (0..<positionCount).allSatisfy { table.values[Int(ZigZagOrder.natural[$0])] != 0 }
    }

    /// How a component's coefficients are estimated, where the scan under way has been or where it has not.
    package func estimates(component: Int, isReached: Bool) -> BlockEstimates {
        BlockEstimates(
            bits: isReached ? bits[component].reached : bits[component].beyond, steps: steps[component])
    }
}

/// How the coefficients of a block are estimated.
package struct BlockEstimates: Hashable, Sendable {
    /// Lowest bit delivered and quantisation step, zig-zag positions 0...9.
    private let bits: [Int8]
    private let steps: [Int]
    /// Whether there are DC coefficients alone. Then they are made smooth too, and more coefficients estimated.
    package let interpolatesDC: Bool
    private let kernel: [Int16]

    package init(bits: [Int8], steps: [Int]) {
        self.bits = bits
        self.steps = steps
        interpolatesDC = bits[1...].allSatisfy { $0 < 0 }
        kernel = interpolatesDC ? Kernel.interpolating : Kernel.known
    }

    /// Zig-zag positions that get estimates.
    package var positions: [Int] {
        interpolatesDC ? Array(0..<BlockSmoothing.positionCount) : (1...5).filter { bits[$0] != 0 }
    }

    /// The weights of a position: 25, row after row.
    func weights(_ position: Int) -> ArraySlice<Int16> { kernel[position * 25..<position * 25 + 25] }

    /// The quantised estimate `sum · step of DC / (256 · step)`, rounded, halves away from zero; not more than the bits
    /// that have not been delivered can hold.
    ///
    /// - Parameter sum: The weighted sum, below 2^25.
    @inline(__always)
    func quantized(_ sum: Int32, position: Int) -> Int16 {
        let (magnitude, half) = (Int(sum.magnitude) &* steps[0], steps[position] &* 128)
        guard magnitude >= half else { return 0 }
        var value = (magnitude &+ half) / (2 &* half)
        if position > 0, bits[position] > 0 { value = min(value, 1 << Int(bits[position]) - 1) }
        return Int16(truncatingIfNeeded: sum < 0 ? -value : value)
    }

    /// Rows of blocks of a component from which a row is estimated: -2, -1, 0, +1, +2.
    ///
    /// Deviation: libjpeg-turbo 2.1.5 counts the distance to the border in MCU rows. If these have several rows of
    /// blocks, the first two rows of the second MCU row do not look two rows up, although there are rows, and the last two
    /// rows of the last MCU row but one do not look two rows down.
    package static func neighborRows(_ row: Int, of component: FrameGeometry.Component) -> [Int] {
        let height = component.statedVerticalSampling
        let (mcuRow, blockRow) = row.quotientAndRemainder(dividingBy: height)
        let lastMCURow = (component.heightInBlocks - 1) / height
        let rowsBelow = min(height, component.heightInBlocks - mcuRow * height) - 1 - blockRow
        let above = row > 0 ? row - 1 : row
        let below = row < component.heightInBlocks - 1 ? row + 1 : row
        return [
            mcuRow > 1 || blockRow > 1 ? row - 2 : above, above, row, below,
            mcuRow + 1 < lastMCURow || rowsBelow > 1 ? row + 2 : below,
        ]
    }
}

/// DC coefficients around a row of blocks, and sums of them.
package struct DCNeighborhood: Sendable {
    /// Five rows, each with two more blocks on both sides.
    private var rows: NumberBuffer<Int32>
    private var sums: NumberBuffer<Int32>
    private let stride: Int

    /// - Parameters:
    ///   - widest: Blocks of the longest row.
    ///   - meter: Counts the buffers.
    /// - Throws: `limitExceeded(.memory)`.
    package init(widest: Int, meter: MemoryMeter?) throws(ImageError) {
        stride = widest + 4
        rows = try NumberBuffer(count: 5 * stride, meter: meter)
        sums = try NumberBuffer(count: widest, meter: meter)
    }

    /// Bytes that the buffers take.
    static func byteCount(widest: Int) -> Int { 4 * (5 * (widest + 4) + widest) }

    /// Takes the DC coefficients of five rows of blocks.
    ///
    /// - Parameters:
    ///   - numbers: Of the rows, from the topmost.
    ///   - count: Blocks of a row that touch the picture.
    package mutating func load(
        _ numbers: [Int], of plane: CoefficientStore.Plane, count: Int, from coefficients: Span<Int16>
    ) {
        let step = plane.coefficientsPerBlock
        rows.withMutableSpan { [stride] rows in
            for (index, number) in numbers.enumerated() {
                let source = plane.start + number * plane.blocksPerRow * step
                let start = index * stride
                for block in 0..<count { rows[start + 2 + block] = Int32(coefficients[source + block * step]) }
                let first = rows[start + 2]
                // Deviation: to the right of two blocks libjpeg-turbo 2.1.5 finds the first of them.
                let last = count == 2 ? first : rows[start + 1 + count]
                (rows[start], rows[start + 1]) = (first, first)
                (rows[start + 2 + count], rows[start + 3 + count]) = (last, last)
            }
        }
    }

    /// Puts estimates where coefficients are zero.
    ///
    /// - Parameters:
    ///   - positions: Zig-zag positions.
    ///   - count: As it was loaded.
    ///   - blocks: 64 coefficients per block.
    ///   - lastIndices: Per block the zig-zag index of the last coefficient that may differ from zero.
    package mutating func estimate(
        _ positions: [Int], by estimates: BlockEstimates, count: Int, blocks: inout MutableSpan<Int16>,
        lastIndices: inout MutableSpan<UInt8>
    ) {
        for position in positions {
            add(estimates.weights(position), count: count)
            let place = Int(ZigZagOrder.natural[position])
            sums.withSpan { sums in
                for block in 0..<count where position == 0 || blocks[block * 64 + place] == 0 {
                    let value = estimates.quantized(sums[block], position: position)
                    blocks[block * 64 + place] = value
                    if value != 0 { lastIndices[block] = max(lastIndices[block], UInt8(position)) }
                }
            }
        }
    }

    /// The weighted sum of each block's neighbourhood. Weights add up to less than 2^10, so no sum reaches 2^25.
    private mutating func add(_ weights: ArraySlice<Int16>, count: Int) {
        sums.withMutableSpan { [rows, stride] sums in
            rows.withSpan { rows in
                for block in 0..<count { sums[block] = 0 }
                for (index, weight) in weights.enumerated() where weight != 0 {
                    let row = rows.extracting(index / 5 * stride + index % 5..<index / 5 * stride + index % 5 + count)
                    for block in 0..<count { sums[block] &+= Int32(weight) &* row[block] }
                }
            }
        }
    }
}

/// Weights in 256ths, 25 for each zig-zag position 0...9.
///
/// What differs from rows to columns alone is written once, for the coefficient of horizontal frequency.
private enum Kernel {
    /// For components of which some AC coefficients are delivered: positions 1...5, the others zero.
    static let known =
        zero + across1 + turned(across1) + turned(across2) + twist + across2 + zero + zero + zero + zero

    /// For components of which there are DC coefficients alone.
    static let interpolating =
        wideDC + wideAcross1 + turned(wideAcross1) + turned(wideAcross2) + wideTwist + wideAcross2 + wideAcross3
        + turned(wide21) + wide21 + turned(wideAcross3)

    private static let zero = [Int16](repeating: 0, count: 25)

    private static let across1: [Int16] = [
        0, 0, 0, 0, 0,
        0, 0, 0, 0, 0,
        -7, 50, 0, -50, 7,
        0, 0, 0, 0, 0,
        0, 0, 0, 0, 0,
    ]
    private static let across2: [Int16] = [
        0, 0, 0, 0, 0,
        0, 0, 0, 0, 0,
        -1, 13, -24, 13, -1,
        0, 0, 0, 0, 0,
        0, 0, 0, 0, 0,
    ]
    private static let twist: [Int16] = [
        0, -1, 0, 1, 0,
        -1, 10, 0, -10, 1,
        0, 0, 0, 0, 0,
        1, -10, 0, 10, -1,
        0, 1, 0, -1, 0,
    ]
    private static let wideDC: [Int16] = [
        -2, -6, -8, -6, -2,
        -6, 6, 42, 6, -6,
        -8, 42, 152, 42, -8,
        -6, 6, 42, 6, -6,
        -2, -6, -8, -6, -2,
    ]
    private static let wideAcross1: [Int16] = [
        -1, -1, 0, 1, 1,
        -3, 13, 0, -13, 3,
        -3, 38, 0, -38, 3,
        -3, 13, 0, -13, 3,
        -1, -1, 0, 1, 1,
    ]
    private static let wideAcross2: [Int16] = [
        0, 0, 0, 0, 0,
        0, 2, -5, 2, 0,
        1, 7, -14, 7, 1,
        0, 2, -5, 2, 0,
        0, 0, 0, 0, 0,
    ]
    private static let wideTwist: [Int16] = [
        -1, 0, 0, 0, 1,
        0, 9, 0, -9, 0,
        0, 0, 0, 0, 0,
        0, -9, 0, 9, 0,
        1, 0, 0, 0, -1,
    ]
    private static let wideAcross3: [Int16] = [
        0, 0, 0, 0, 0,
        0, 1, 0, -1, 0,
        0, 2, 0, -2, 0,
        0, 1, 0, -1, 0,
        0, 0, 0, 0, 0,
    ]
    /// Frequency 1 across, 2 down.
    private static let wide21: [Int16] = [
        0, 0, 0, 0, 0,
        0, 1, 0, -1, 0,
        0, -3, 0, 3, 0,
        0, 1, 0, -1, 0,
        0, 0, 0, 0, 0,
    ]

    /// Rows become columns.
    private static func turned(_ weights: [Int16]) -> [Int16] {
        (0..<25).map { weights[$0 % 5 * 5 + $0 / 5] }
    }
}
