// Plain twin of SubblockKernels: one coefficient at a time, formulas as they are written down.

import ImageCodecsCore

/// See the functions of the same names in ``SubblockKernels``.
package enum SubblockKernelsReference {
    private static func differences(_ source: BlockSamples, _ prediction: BlockSamples) -> [Int] {
        (0..<16).map { Int(source[$0]) - Int(prediction[$0]) }
    }

    package static func forward(
        _ source0: BlockSamples, _ prediction0: BlockSamples, _ source1: BlockSamples, _ prediction1: BlockSamples
    ) -> (BlockValues, BlockValues) {
        (forward(differences(source0, prediction0)), forward(differences(source1, prediction1)))
    }

    /// The inverse's matrix, turned, from both sides; the first pass with three more bits.
    private static func forward(_ d: [Int]) -> BlockValues {
        func pass(_ x: [Int]) -> [Int] {
            func sine(_ a: Int) -> Int { (a * -30068) >> 16 + a }
            func cosine(_ a: Int) -> Int { (a * 20091) >> 16 + a }
            let (a0, a1, a2, a3) = (x[0] + x[3], x[1] + x[2], x[1] - x[2], x[0] - x[3])
            return [a0 + a1, cosine(a3) + sine(a2), a0 - a1, sine(a3) - cosine(a2)]
        }
        let columns = (0..<4).map { x in pass((0..<4).map { 8 * d[4 * $0 + x] }) }
        var result = BlockValues()
        for y in 0..<4 {
            let row = pass((0..<4).map { columns[$0][y] })
            for x in 0..<4 { result[4 * y + x] = Int16(truncatingIfNeeded: (row[x] + 8) >> 4) }
        }
        return result
    }

    package static func reconstructed(
        _ coefficients0: BlockValues, on prediction0: BlockSamples, _ coefficients1: BlockValues,
        on prediction1: BlockSamples
    ) -> (BlockSamples, BlockSamples) {
        (reconstructed(coefficients0, prediction0), reconstructed(coefficients1, prediction1))
    }

    private static func reconstructed(_ coefficients: BlockValues, _ prediction: BlockSamples) -> BlockSamples {
        let residue = ReconstructionReference.inverseDCT((0..<16).map { Int(coefficients[$0]) })
        var result = prediction
        for index in 0..<16 { result[index] = UInt8(min(max(Int(prediction[index]) + residue[index], 0), 255)) }
        return result
    }

    package static func levels(_ coefficients: BlockValues, _ quantizer: BlockQuantizer) -> BlockValues {
        var result = BlockValues()
        for index in 0..<16 {
            let magnitude = abs(Int(coefficients[index])) + Int(quantizer.roundings[index])
            let level = min(
                (magnitude * Int(quantizer.reciprocals[index])) >> 16, Int(BlockQuantizer.largestLevel))
            result[index] = Int16(coefficients[index] < 0 ? -level : level)
        }
        return result
    }

    package static func coefficients(_ levels: BlockValues, _ quantizer: BlockQuantizer) -> BlockValues {
        var result = BlockValues()
        for index in 0..<16 { result[index] = levels[index] &* Int16(truncatingIfNeeded: quantizer.steps[index]) }
        return result
    }

    package static func squaredError(_ a: BlockSamples, _ b: BlockSamples) -> Int {
        differences(a, b).reduce(0) { $0 + $1 * $1 }
    }

    package static func effort(
        _ source0: BlockSamples, _ prediction0: BlockSamples, _ source1: BlockSamples, _ prediction1: BlockSamples
    ) -> (Int, Int) {
        (effort(differences(source0, prediction0)), effort(differences(source1, prediction1)))
    }

    private static func effort(_ d: [Int]) -> Int {
        var sum = 0
        for v in 0..<4 {
            for u in 0..<4 {
                // Rows of the Hadamard matrix change sign where bits of both numbers meet.
                sum += abs(
                    (0..<16).reduce(0) { total, index in
                        let isOdd = ((index & 3 & u).nonzeroBitCount + (index >> 2 & v).nonzeroBitCount) % 2 == 1
                        return total + (isOdd ? -d[index] : d[index])
                    })
            }
        }
        return sum
    }

    package static func seenErrors(
        _ a0: BlockSamples, _ b0: BlockSamples, _ a1: BlockSamples, _ b1: BlockSamples
    ) -> (Int, Int) {
        func energy(_ c: BlockValues) -> Int {
            var sum = 0
            for place in 0..<16 {
                let (u, v) = (place & 3, place >> 2)
                let weight = Int((16 / (1 + Double(u * u + v * v) / 2)).rounded())
                sum += Int(c[place]) * Int(c[place]) * weight
            }
            return sum >> 6
        }
        let (first, second) = forward(a0, b0, a1, b1)
        return (energy(first), energy(second))
    }

    package static func countOfLimits(_ a: BlockSamples) -> Int {
        (0..<16).count { a[$0] >= LumaOvershoot.white || a[$0] <= LumaOvershoot.black }
    }

    package static func overshooting(_ a: BlockSamples, _ decoded: BlockSamples) -> BlockSamples {
        var result = a
        for index in 0..<16 {
            if a[index] >= LumaOvershoot.white { result[index] = max(a[index], decoded[index]) }
            if a[index] <= LumaOvershoot.black { result[index] = min(a[index], decoded[index]) }
        }
        return result
    }

    package static func variance(_ a: BlockSamples) -> Int {
        let values = (0..<16).map { Int(a[$0]) }
        let sum = values.reduce(0, +)
        return 16 * values.reduce(0) { $0 + $1 * $1 } - sum * sum
    }

    package static func predicted(_ mode: UInt8, top: UInt64, corner: UInt8, left: UInt32) -> BlockSamples {
        var edge = ReconstructionReference.Edge()
        for index in 0..<4 { edge[index] = Int(left >> UInt32(8 * (3 - index)) & 255) }
        edge[4] = Int(corner)
        for index in 0..<8 { edge[5 + index] = Int(top >> UInt64(8 * index) & 255) }
        var result = BlockSamples()
        for index in 0..<16 {
            result[index] = UInt8(ReconstructionReference.predicted(mode, edge, index % 4, index / 4))
        }
        return result
    }

    package static func cost(
        _ levels: BlockValues, first: Int, last: Int, context: Int, type: Int, _ costs: TokenCosts
    ) -> Int {
        func entry(_ position: Int, _ context: Int, _ slot: Int) -> Int {
            Int(
                costs.values[
                    type * TokenCosts.typeStride + position * TokenCosts.positionStride
                        + context * TokenCosts.contextStride + slot])
        }
        if last < first { return entry(first, context, TokenCosts.endSlot) }
        var sum = context == 0 ? entry(first, 0, TokenCosts.moreSlot) : 0
        var context = context
        for position in first...last {
            let magnitude = abs(Int(levels[Int(place(position))]))
            sum += entry(position, context, min(magnitude, TokenCosts.largestTabled))
            if magnitude > TokenCosts.largestTabled { sum += TokenCosts.extraCost(magnitude) }
            context = min(magnitude, 2)
        }
        return last < 15 ? sum + entry(last + 1, context, TokenCosts.endSlot) : sum
    }

    package static func place(_ position: Int) -> UInt64 { UInt64(TokenProbabilities.zigZag[position]) }

    package static func last(_ levels: BlockValues) -> Int {
        (0..<16).last { levels[Int(place($0))] != 0 } ?? -1
    }
}

#if ReferenceKernels
package typealias SubblockKernels = SubblockKernelsReference
#endif
