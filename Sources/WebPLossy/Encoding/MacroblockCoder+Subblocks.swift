// Luma whose subblocks are predicted each for itself.

import ImageCodecsCore

extension MacroblockCoder {
    /// What a subblock is predicted from.
    private struct Edges {
        var top: UInt64
        var corner: UInt8
        var left: UInt32
    }

    /// Codes luma subblock by subblock into ``split``.
    ///
    /// - Parameter limit: what the whole costs.
    /// - Returns: whether this costs less; if not, ``split`` is not complete.
    mutating func chooseSubblocks(_ column: Int, _ plan: SegmentPlan, below limit: Int) -> Bool {
        split.coded = 0
        (split.error, split.loss) = (0, 0)
        split.cost = ModeCosts.subblocks
        var tops = SIMD4<UInt32>()
        for x in 0..<4 { tops[x] = word(16 * column + 4 * x) }
        let beyond = word(16 * column + 16)
        var (above, left) = (aboveContexts[column], leftContexts)
        var (modesAbove, modesLeft) = (aboveModes[column], leftModes)
        let sides = SampleGatheringKernels.rows(leftLuma)
        for y in 0..<4 {
            var edge = Edges(top: 0, corner: y == 0 ? cornerLuma : leftLuma[4 * y - 1], left: sides[y])
            var bottoms = SIMD4<UInt32>()
            for x in 0..<4 {
                let next = x == 3 ? beyond : tops[x + 1]
                edge.top = UInt64(tops[x]) | UInt64(next) << 32
                let context = Int(modesAbove[x]) * 10 + Int(modesLeft[y])
                let mode = choose(
                    block: 4 * y + x, edge, modeContext: context, tokenContext: above[x] + left[y], plan)
                if split.price(plan.bitWorth) >= limit { return false }
                modesAbove[x] = mode
                modesLeft[y] = mode
                split.modes[4 * y + x] = mode
                above[x] = Int(split.coded >> UInt32(4 * y + x) & 1)
                left[y] = above[x]
                let rows = SampleGatheringKernels.rows(split.samples[4 * y + x])
                edge.corner = UInt8(truncatingIfNeeded: tops[x] >> 24)
                edge.left = rows[0] >> 24 | (rows[1] >> 24) << 8 | (rows[2] >> 24) << 16 | (rows[3] >> 24) << 24
                bottoms[x] = rows[3]
            }
            tops = bottoms
        }
        return true
    }

    /// Four samples above.
    private func word(_ place: Int) -> UInt32 {
        UInt32(aboveLuma[place]) | UInt32(aboveLuma[place + 1]) << 8 | UInt32(aboveLuma[place + 2]) << 16
            | UInt32(aboveLuma[place + 3]) << 24
    }

    /// Chooses the mode of one subblock, and codes it.
    private mutating func choose(
        block: Int, _ edge: Edges, modeContext: Int, tokenContext: Int, _ plan: SegmentPlan
    ) -> UInt8 {
        let source = source[block]
        let chooser = LevelChooser(costs: costs, tuning: tuning)
        // Sums of magnitudes with the cost of the mode, and the mode below them.
        var efforts = SIMD16<Int32>(repeating: .max)
        for mode in stride(from: 0, to: 10, by: 2) {
            let (first, second) = SubblockKernels.effort(
                source, prediction(UInt8(mode), edge), source, prediction(UInt8(mode + 1), edge))
            efforts[mode] = ranked(first, mode, modeContext, plan)
            efforts[mode + 1] = ranked(second, mode + 1, modeContext, plan)
        }
        var best: (price: Int, mode: UInt8) = (.max, 0)
        var chosen: (levels: BlockValues, samples: BlockSamples, cost: Int, loss: Int, isCoded: Bool)?
        var left = depth.subblockModes
        while left > 0 {
            let (first, second) = (Self.takeLeast(&efforts), left > 1 ? Self.takeLeast(&efforts) : 15)
            let modes = (first, second == 15 ? first : second)
            let predictions = (prediction(UInt8(modes.0), edge), prediction(UInt8(modes.1), edge))
            let pair = SubblockKernels.forward(source, predictions.0, source, predictions.1)
            let choices = (
                chooser.choose(
                    pair.0, plan.luma, plan, first: 0, context: tokenContext, type: 3,
                    searches: depth.searchesLevelsOnTrial),
                chooser.choose(
                    pair.1, plan.luma, plan, first: 0, context: tokenContext, type: 3,
                    searches: depth.searchesLevelsOnTrial)
            )
            let samples = SubblockKernels.reconstructed(
                SubblockKernels.coefficients(choices.0.levels, plan.luma), on: predictions.0,
                SubblockKernels.coefficients(choices.1.levels, plan.luma), on: predictions.1)
            let losses = SubblockKernels.seenErrors(
                samples.0, target(block, samples.0), samples.1, target(block, samples.1))
            for index in 0..<min(left, 2) {
                let (mode, choice) = index == 0 ? (modes.0, choices.0) : (modes.1, choices.1)
                let (sample, loss) = index == 0 ? (samples.0, losses.0) : (samples.1, losses.1)
                let cost = choice.cost + Int(ModeCosts.subblock[10 * modeContext + mode])
                let price = loss << 16 + plan.bitWorth * cost
                if price < best.price {
                    best = (price, UInt8(mode))
                    chosen = (choice.levels, sample, cost, loss, choice.isCoded)
                }
            }
            left -= 2
        }
        if depth.searchesLevels {
            let prediction = prediction(best.mode, edge)
            let wanted = chosen.map { target(block, $0.samples) } ?? source
            let (values, _) = SubblockKernels.forward(wanted, prediction, wanted, prediction)
            let choice = chooser.choose(
                values, plan.luma, plan, first: 0, context: tokenContext, type: 3, searches: true)
            let decoded = SubblockKernels.coefficients(choice.levels, plan.luma)
            let (samples, _) = SubblockKernels.reconstructed(decoded, on: prediction, decoded, on: prediction)
            let reached = target(block, samples)
            let (loss, _) = SubblockKernels.seenErrors(samples, reached, samples, reached)
            let cost = choice.cost + Int(ModeCosts.subblock[10 * modeContext + Int(best.mode)])
            if loss << 16 + plan.bitWorth * cost < best.price {
                chosen = (choice.levels, samples, cost, loss, choice.isCoded)
            }
        }
        if let chosen {
            split.levels[block] = chosen.levels
            split.samples[block] = chosen.samples
            split.cost += chosen.cost
            split.loss += chosen.loss
            split.error += SubblockKernels.squaredError(chosen.samples, target(block, chosen.samples))
            if chosen.isCoded { split.coded |= 1 << UInt32(block) }
        }
        return best.mode
    }

    @inline(__always)
    private func prediction(_ mode: UInt8, _ edge: Edges) -> BlockSamples {
        SubblockKernels.predicted(mode, top: edge.top, corner: edge.corner, left: edge.left)
    }

    @inline(__always)
    private func ranked(_ effort: Int, _ mode: Int, _ context: Int, _ plan: SegmentPlan) -> Int32 {
        let cost = lambdaEffort(Int(ModeCosts.subblock[10 * context + mode]), plan)
        return Int32(truncatingIfNeeded: (effort + cost) << 4 | mode)
    }

    /// The mode that leaves least, which is taken out of the running.
    @inline(__always)
    private static func takeLeast(_ efforts: inout SIMD16<Int32>) -> Int {
        var least = efforts[0]
        for mode in 1..<10 { least = min(least, efforts[mode]) }
        let mode = Int(least & 15)
        efforts[mode] = .max
        return mode
    }
}
