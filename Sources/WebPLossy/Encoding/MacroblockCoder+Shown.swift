// Macroblocks that are not coded, as what an animation shows in their place already is near enough to what is wanted.
//
//   error of what is shown ──▶ no more than coding leaves, with what its bits are worth? not much more than it leaves? ──▶ left out

import ImageCodecsCore

extension MacroblockCoder {
    /// Whether what is shown may stay in the place of the macroblock that was coded last.
    ///
    /// - Parameters:
    ///   - shownError: the squared error that stays then.
    ///   - record: says how its luma was coded.
    func mayStay(_ shownError: Int, in record: MacroblockRecord, _ plan: SegmentPlan) -> Bool {
        let luma = record.hasSubblockModes ? split : bestWhole
        let error = luma.error + bestChroma.error
        guard shownError << 16 <= error << 16 + plan.bitWorth * (luma.cost + bestChroma.cost) else { return false }
        // What moves slowly, or fades, may not stay for the bits that it would take.
        let step = Int(plan.luma.steps[1])
        let most =
            error * tuning.shownErrorShare / 16 + step * step * tuning.shownErrorFloor / 16
        return shownError <= most
    }

    /// Predicts a macroblock that nobody sees, and codes nothing of it: what is next to it is predicted from it.
    mutating func leaveOut(_ column: Int, _ plan: SegmentPlan) {
        let edges = lumaEdges(column)
        var efforts = SIMD4<Int>()
        for mode in 0..<4 { efforts[mode] = effort(edges, UInt8(mode)) + lambdaEffort(ModeCosts.luma[mode], plan) }
        let mode = UInt8(Self.takeLeast(&efforts))
        bestWhole.modes[0] = mode
        (bestWhole.coded, bestWhole.error, bestWhole.loss, bestWhole.cost) = (0, 0, 0, ModeCosts.luma[Int(mode)])
        for block in 0..<16 { bestWhole.samples[block] = edges.prediction(mode, block) }
        let planes = (chromaEdges(column, 0), chromaEdges(column, 1))
        for mode in 0..<4 {
            efforts[mode] = chromaEffort(planes, UInt8(mode)) + lambdaEffort(ModeCosts.chroma[mode], plan)
        }
        let chromaMode = UInt8(Self.takeLeast(&efforts))
        bestChroma.modes[0] = chromaMode
        (bestChroma.coded, bestChroma.error, bestChroma.loss, bestChroma.cost) = (
            0, 0, 0, ModeCosts.chroma[Int(chromaMode)]
        )
        for block in 0..<4 {
            bestChroma.samples[block] = planes.0.prediction(chromaMode, block)
            bestChroma.samples[4 + block] = planes.1.prediction(chromaMode, block)
        }
    }
}
