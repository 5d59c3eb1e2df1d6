// Luma and chroma that are predicted as a whole.

import ImageCodecsCore

extension MacroblockCoder {
    // MARK: - Luma

    /// Codes luma with the modes that leave least, and keeps the best in ``bestWhole``.
    mutating func chooseWhole(_ column: Int, _ plan: SegmentPlan) {
        let edges = lumaEdges(column)
        var efforts = SIMD4<Int>()
        for mode in 0..<4 { efforts[mode] = effort(edges, UInt8(mode)) + lambdaEffort(ModeCosts.luma[mode], plan) }
        var best = Int.max
        for _ in 0..<depth.wholeModes {
            let mode = Self.takeLeast(&efforts)
            codeWhole(edges, UInt8(mode), column, plan, searches: false)
            let price = whole.price(plan.bitWorth)
            if price < best {
                best = price
                swap(&whole, &bestWhole)
            }
        }
        guard depth.searchesLevels else { return }
        codeWhole(edges, bestWhole.modes[0], column, plan, searches: true)
        if whole.price(plan.bitWorth) < best { swap(&whole, &bestWhole) }
    }

    /// The place of the least number, which is taken out of the running.
    static func takeLeast(_ numbers: inout SIMD4<Int>) -> Int {
        var least = 0
        for index in 1..<4 where numbers[index] < numbers[least] { least = index }
        numbers[least] = .max
        return least
    }

    /// What a cost is worth beside sums of magnitudes.
    func lambdaEffort(_ cost: Int, _ plan: SegmentPlan) -> Int { cost * Int(plan.luma.steps[1]) / 256 }

    func effort(_ edges: LumaEdges, _ mode: UInt8) -> Int {
        var sum = 0
        for block in stride(from: 0, to: 16, by: 2) {
            let (first, second) = SubblockKernels.effort(
                source[block], edges.prediction(mode, block), source[block + 1], edges.prediction(mode, block + 1))
            sum += first + second
        }
        return sum
    }

    private mutating func codeWhole(
        _ edges: LumaEdges, _ mode: UInt8, _ column: Int, _ plan: SegmentPlan, searches: Bool
    ) {
        var dcs = BlockValues()
        for block in stride(from: 0, to: 16, by: 2) {
            let wanted = (
                searches ? target(block, bestWhole.samples[block]) : source[block],
                searches ? target(block + 1, bestWhole.samples[block + 1]) : source[block + 1]
            )
            let pair = SubblockKernels.forward(
                wanted.0, edges.prediction(mode, block), wanted.1, edges.prediction(mode, block + 1))
            coefficients[block] = pair.0
            coefficients[block + 1] = pair.1
            dcs[block] = pair.0[0]
            dcs[block + 1] = pair.1[0]
        }
        let chooser = LevelChooser(costs: costs, tuning: tuning)
        whole.modes[0] = mode
        whole.cost = ModeCosts.luma[Int(mode)]
        whole.coded = 0
        var (above, left) = (aboveContexts[column], leftContexts)
        let sums = SecondOrderTransform.forward(dcs)
        let y2 = chooser.choose(
            sums, plan.y2, plan, first: 0, context: above[BlockContexts.y2] + left[BlockContexts.y2], type: 1,
            searches: searches)
        whole.levels[16] = y2.levels
        whole.cost += y2.cost
        if y2.isCoded { whole.coded |= MacroblockRecord.y2Bit }
        let decoded = SecondOrderTransform.inverse(SubblockKernels.coefficients(y2.levels, plan.y2))
        for block in 0..<16 {
            let (x, y) = (block & 3, block >> 2)
            coefficients[block][0] = 0
            let choice = chooser.choose(
                coefficients[block], plan.luma, plan, first: 1, context: above[x] + left[y], type: 0, searches: searches
            )
            whole.levels[block] = choice.levels
            whole.cost += choice.cost
            above[x] = choice.isCoded ? 1 : 0
            left[y] = above[x]
            if choice.isCoded { whole.coded |= 1 << UInt32(block) }
            coefficients[block] = SubblockKernels.coefficients(choice.levels, plan.luma)
            coefficients[block][0] = decoded[block]
        }
        (whole.error, whole.loss) = (0, 0)
        for block in stride(from: 0, to: 16, by: 2) {
            let pair = SubblockKernels.reconstructed(
                coefficients[block], on: edges.prediction(mode, block), coefficients[block + 1],
                on: edges.prediction(mode, block + 1))
            whole.samples[block] = pair.0
            whole.samples[block + 1] = pair.1
            let wanted = (target(block, pair.0), target(block + 1, pair.1))
            whole.error += SubblockKernels.squaredError(pair.0, wanted.0)
            whole.error += SubblockKernels.squaredError(pair.1, wanted.1)
            let seen = SubblockKernels.seenErrors(pair.0, wanted.0, pair.1, wanted.1)
            whole.loss += seen.0 + seen.1
        }
    }

    // MARK: - Chroma

    /// Codes chroma with the modes that leave least, and keeps the best in ``bestChroma``.
    mutating func chooseChroma(_ column: Int, _ plan: SegmentPlan) {
        let edges = (chromaEdges(column, 0), chromaEdges(column, 1))
        var efforts = SIMD4<Int>()
        for mode in 0..<4 {
            efforts[mode] = chromaEffort(edges, UInt8(mode)) + lambdaEffort(ModeCosts.chroma[mode], plan)
        }
        var best = Int.max
        for _ in 0..<depth.wholeModes {
            let mode = Self.takeLeast(&efforts)
            codeChroma(edges, UInt8(mode), column, plan, searches: false)
            let price = chroma.price(plan.bitWorth)
            if price < best {
                best = price
                swap(&chroma, &bestChroma)
            }
        }
        guard depth.searchesLevels else { return }
        codeChroma(edges, bestChroma.modes[0], column, plan, searches: true)
        if chroma.price(plan.bitWorth) < best { swap(&chroma, &bestChroma) }
    }

    func chromaEffort(_ edges: (ChromaEdges, ChromaEdges), _ mode: UInt8) -> Int {
        var sum = 0
        for block in 0..<4 {
            let (u, v) = SubblockKernels.effort(
                source[16 + block], edges.0.prediction(mode, block), source[20 + block],
                edges.1.prediction(mode, block))
            sum += u + v
        }
        return sum
    }

    private mutating func codeChroma(
        _ edges: (ChromaEdges, ChromaEdges), _ mode: UInt8, _ column: Int, _ plan: SegmentPlan, searches: Bool
    ) {
        let chooser = LevelChooser(costs: costs, tuning: tuning)
        chroma.modes[0] = mode
        chroma.cost = ModeCosts.chroma[Int(mode)]
        chroma.coded = 0
        chroma.error = 0
        var (above, left) = (aboveContexts[column], leftContexts)
        for plane in 0..<2 {
            let edge = plane == 0 ? edges.0 : edges.1
            for y in 0..<2 {
                let first = 4 * plane + 2 * y
                let (p0, p1) = (edge.prediction(mode, 2 * y), edge.prediction(mode, 2 * y + 1))
                let pair = SubblockKernels.forward(source[16 + first], p0, source[17 + first], p1)
                var decoded = (BlockValues(), BlockValues())
                for x in 0..<2 {
                    let (up, side) = (4 + 2 * plane + x, 4 + 2 * plane + y)
                    let choice = chooser.choose(
                        x == 0 ? pair.0 : pair.1, plan.chroma, plan, first: 0, context: above[up] + left[side],
                        type: 2, searches: searches)
                    chroma.levels[first + x] = choice.levels
                    chroma.cost += choice.cost
                    above[up] = choice.isCoded ? 1 : 0
                    left[side] = above[up]
                    if choice.isCoded { chroma.coded |= 1 << UInt32(first + x) }
                    let values = SubblockKernels.coefficients(choice.levels, plan.chroma)
                    if x == 0 { decoded.0 = values } else { decoded.1 = values }
                }
                let samples = SubblockKernels.reconstructed(decoded.0, on: p0, decoded.1, on: p1)
                chroma.samples[first] = samples.0
                chroma.samples[first + 1] = samples.1
                chroma.error += SubblockKernels.squaredError(samples.0, source[16 + first])
                chroma.error += SubblockKernels.squaredError(samples.1, source[17 + first])
            }
        }
        chroma.loss = chroma.error
    }
}

/// The levels of a block, and what they cost.
struct LevelChoice {
    let levels: BlockValues
    let cost: Int
    /// Whether one is not 0.
    let isCoded: Bool
}

/// Chooses levels. Apart from the coder, which would be copied for it while its macroblock changes.
struct LevelChooser {
    let costs: TokenCosts
    let tuning: Tuning

    /// The levels of coefficients.
    @inline(__always)
    func choose(
        _ coefficients: BlockValues, _ quantizer: BlockQuantizer, _ plan: SegmentPlan, first: Int, context: Int,
        type: Int, searches: Bool
    ) -> LevelChoice {
        if searches {
            let share = type == 2 ? tuning.chromaTrellisWorth : tuning.trellisWorth
            return LevelSearch.levels(
                coefficients, quantizer, costs, worth: plan.bitWorth * share / 100, first: first, context: context,
                type: type)
        }
        let levels = SubblockKernels.levels(coefficients, quantizer)
        let last = SubblockKernels.last(levels)
        let cost = SubblockKernels.cost(levels, first: first, last: last, context: context, type: type, costs)
        return LevelChoice(levels: levels, cost: cost, isCoded: last >= first)
    }
}

extension MacroblockCoder {
    // Not initialisers of edges, for which the whole coder would be copied.

    /// What luma of the macroblock is predicted from.
    func lumaEdges(_ column: Int) -> LumaEdges {
        var top = SIMD16<UInt8>()
        for x in 0..<16 { top[x] = aboveLuma[16 * column + x] }
        var sum = 0
        if hasAbove { for x in 0..<16 { sum += Int(top[x]) } }
        if hasLeft { for y in 0..<16 { sum += Int(leftLuma[y]) } }
        let mean = hasAbove && hasLeft ? (sum + 16) >> 5 : hasAbove || hasLeft ? (sum + 8) >> 4 : 128
        return LumaEdges(
            above: SampleGatheringKernels.rows(top), left: SampleGatheringKernels.rows(leftLuma), corner: cornerLuma,
            mean: UInt8(mean))
    }

    /// What U of the macroblock is predicted from, or V.
    func chromaEdges(_ column: Int, _ plane: Int) -> ChromaEdges {
        var (up, side) = (SIMD16<UInt8>(), SIMD16<UInt8>())
        var sum = 0
        for x in 0..<8 {
            up[x] = aboveChroma[plane][8 * column + x]
            side[x] = leftChroma[plane][x]
            if hasAbove { sum += Int(up[x]) }
            if hasLeft { sum += Int(side[x]) }
        }
        let mean = hasAbove && hasLeft ? (sum + 8) >> 4 : hasAbove || hasLeft ? (sum + 4) >> 3 : 128
        return ChromaEdges(
            above: SampleGatheringKernels.rows(up).lowHalf, left: SampleGatheringKernels.rows(side).lowHalf,
            corner: cornerChroma[plane], mean: UInt8(mean))
    }
}

/// What luma is predicted from as a whole.
struct LumaEdges {
    let above: SIMD4<UInt32>
    let left: SIMD4<UInt32>
    let corner: UInt8
    let mean: UInt8

    @inline(__always)
    func prediction(_ mode: UInt8, _ block: Int) -> BlockSamples {
        wholePrediction(mode, above: above[block & 3], left: left[block >> 2], corner: corner, mean: mean)
    }
}

/// What chroma is predicted from.
struct ChromaEdges {
    let above: SIMD2<UInt32>
    let left: SIMD2<UInt32>
    let corner: UInt8
    let mean: UInt8

    @inline(__always)
    func prediction(_ mode: UInt8, _ block: Int) -> BlockSamples {
        wholePrediction(mode, above: above[block & 1], left: left[block >> 1], corner: corner, mean: mean)
    }
}

/// A subblock of what is predicted as a whole.
@inline(__always)
private func wholePrediction(_ mode: UInt8, above: UInt32, left: UInt32, corner: UInt8, mean: UInt8) -> BlockSamples {
    switch mode {
    case MacroblockMode.dc: return BlockSamples(repeating: mean)
    case MacroblockMode.vertical: return SampleGatheringKernels.block(SIMD4(repeating: above))
    case MacroblockMode.horizontal:
        let ones: UInt32 = 0x0101_0101
        return SampleGatheringKernels.block(
            SIMD4(
                (left & 255) &* ones, (left >> 8 & 255) &* ones, (left >> 16 & 255) &* ones, (left >> 24) &* ones))
    default:
        return SubblockKernels.predicted(SubblockMode.trueMotion, top: UInt64(above), corner: corner, left: left)
    }
}

/// The transform of the DC coefficients of the sixteen subblocks of luma.
enum SecondOrderTransform {
    private typealias Row = SIMD4<Int32>

    /// What the inverse makes the coefficients of, rounded.
    static func forward(_ c: BlockValues) -> BlockValues { transform(c, add: 1, shift: 1) }

    /// - Source: RFC 6386 section 14.3 "Implementation of the WHT Inversion"
    static func inverse(_ c: BlockValues) -> BlockValues { transform(c, add: 3, shift: 3) }

    /// Both dimensions, which are their own inverse but for a factor.
    private static func transform(_ c: BlockValues, add: Int32, shift: Int32) -> BlockValues {
        func row(_ y: Int) -> Row {
            Row(Int32(c[4 * y]), Int32(c[4 * y + 1]), Int32(c[4 * y + 2]), Int32(c[4 * y + 3]))
        }
        let down = pass(row(0), row(1), row(2), row(3))
        let turned = transposed(down.0, down.1, down.2, down.3)
        let across = pass(turned.0, turned.1, turned.2, turned.3)
        let rows = transposed(across.0, across.1, across.2, across.3)
        var result = BlockValues()
        for x in 0..<4 {
            result[x] = Int16(truncatingIfNeeded: (rows.0[x] &+ add) &>> shift)
            result[4 + x] = Int16(truncatingIfNeeded: (rows.1[x] &+ add) &>> shift)
            result[8 + x] = Int16(truncatingIfNeeded: (rows.2[x] &+ add) &>> shift)
            result[12 + x] = Int16(truncatingIfNeeded: (rows.3[x] &+ add) &>> shift)
        }
        return result
    }

    private static func pass(_ i0: Row, _ i1: Row, _ i2: Row, _ i3: Row) -> (Row, Row, Row, Row) {
        let (a, b, c, d) = (i0 &+ i3, i1 &+ i2, i1 &- i2, i0 &- i3)
        return (a &+ b, d &+ c, a &- b, d &- c)
    }

    private static func transposed(_ a: Row, _ b: Row, _ c: Row, _ d: Row) -> (Row, Row, Row, Row) {
        (
            Row(a[0], b[0], c[0], d[0]), Row(a[1], b[1], c[1], d[1]), Row(a[2], b[2], c[2], d[2]),
            Row(a[3], b[3], c[3], d[3])
        )
    }
}
