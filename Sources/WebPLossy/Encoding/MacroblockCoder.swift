// Chooses how one macroblock after the other is predicted and quantised, and keeps what the next ones are predicted from.
//
//   chroma: four modes ──▶ the two that leave least ──▶ coded, compared by squared error and bits; luma repaired for what it lost
//   luma:   four modes of the whole ──▶ the two that leave least ──▶ coded, compared ──┐
//           sixteen times ten modes ──▶ those that leave least   ──▶ coded, compared ──┴─▶ the cheaper one

import ImageCodecsCore

/// How thoroughly is searched.
struct SearchDepth: Hashable, Sendable {
    /// Modes of the whole that are coded on trial, 1...4.
    var wholeModes = 2
    /// Modes of a subblock that are, 1...10.
    var subblockModes = 4
    /// Whether the levels of the modes that were chosen are chosen again by what they cost.
    var searchesLevels = false
    /// Whether those of every mode of a subblock that is coded on trial are chosen so.
    var searchesLevelsOnTrial = false
}

/// A way to code the luma of a macroblock, or its chroma.
struct BlockCandidate: Sendable {
    /// Sixteen blocks of luma and Y2, or four of U and four of V.
    var levels = [BlockValues](repeating: BlockValues(), count: 17)
    var samples = [BlockSamples](repeating: BlockSamples(), count: 16)
    /// A bit for each block with levels.
    var coded: UInt32 = 0
    var modes = SIMD16<UInt8>(repeating: 0)
    /// Squared error, and 256ths of a bit.
    var error = 0
    var cost = 0
    /// What people see of the error: high frequencies of luma count less.
    var loss = 0

    func price(_ worth: Int) -> Int { loss << 16 + worth * cost }
}

/// Codes macroblocks, row by row from the left.
struct MacroblockCoder: Sendable {
    let columnCount: Int
    let plans: [SegmentPlan]
    let depth: SearchDepth
    let tuning: Tuning
    var costs: TokenCosts

    // What is predicted from: samples of the row above, of the macroblock to the left, and between them.
    var aboveLuma: [UInt8]
    var aboveChroma: [[UInt8]]
    var leftLuma = SIMD16<UInt8>(repeating: 129)
    var leftChroma = [SIMD8<UInt8>](repeating: SIMD8(repeating: 129), count: 2)
    var cornerLuma: UInt8 = 127
    var cornerChroma: [UInt8] = [127, 127]
    var hasAbove = false
    var hasLeft = false

    // Contexts of tokens and modes.
    var aboveContexts: [BlockContexts]
    var leftContexts = BlockContexts()
    var aboveModes: [SIMD4<UInt8>]
    var leftModes = SIMD4<UInt8>(repeating: SubblockMode.dc)

    /// The samples of the macroblock: sixteen blocks of luma, four of U, four of V.
    var source = [BlockSamples](repeating: BlockSamples(), count: 24)
    var whole = BlockCandidate()
    var bestWhole = BlockCandidate()
    var split = BlockCandidate()
    var chroma = BlockCandidate()
    var bestChroma = BlockCandidate()
    /// Whether samples may lie beyond white and black where the picture is that.
    var mayOvershoot = false
    /// What repairs luma; `nil` if it stays as it is.
    private var repair: MacroblockRepair?
    /// Coefficients of the macroblock on trial.
    var coefficients = [BlockValues](repeating: BlockValues(), count: 16)

    /// - Parameter repairsLuma: whether luma makes up for what chroma loses.
    init(
        columnCount: Int, plans: [SegmentPlan], depth: SearchDepth, tuning: Tuning, costs: TokenCosts,
        repairsLuma: Bool
    ) {
        self.columnCount = columnCount
        if repairsLuma { repair = MacroblockRepair() }
        self.plans = plans
        self.depth = depth
        self.tuning = tuning
        self.costs = costs
        aboveLuma = [UInt8](repeating: MacroblockWorkspace.aboveValue, count: 16 * columnCount + 4)
        aboveChroma = [[UInt8]](
            repeating: [UInt8](repeating: MacroblockWorkspace.aboveValue, count: 8 * columnCount), count: 2)
        aboveContexts = [BlockContexts](repeating: BlockContexts(), count: columnCount)
        aboveModes = [SIMD4<UInt8>](repeating: SIMD4(repeating: SubblockMode.dc), count: columnCount)
    }

    /// Begins a row of macroblocks.
    mutating func beginRow(_ row: Int) {
        hasAbove = row > 0
        hasLeft = false
        leftLuma = SIMD16(repeating: MacroblockWorkspace.leftValue)
        let left = SIMD8<UInt8>(repeating: MacroblockWorkspace.leftValue)
        leftChroma = [left, left]
        cornerLuma = hasAbove ? MacroblockWorkspace.leftValue : MacroblockWorkspace.aboveValue
        cornerChroma = [cornerLuma, cornerLuma]
        leftContexts = BlockContexts()
        leftModes = SIMD4(repeating: SubblockMode.dc)
        guard hasAbove else { return }
        for index in 0..<4 { aboveLuma[16 * columnCount + index] = aboveLuma[16 * columnCount - 1] }
    }

    /// Chooses and codes a macroblock; its levels are in `chosenLuma` and ``bestChroma`` until the next one.
    ///
    /// - Parameters:
    ///   - segment: 0...3.
    ///   - mayDivide: whether subblocks may have modes of their own.
    ///   - shownError: the squared error that stays if the macroblock is left out; `nil` if it may not be.
    mutating func code(
        column: Int, planes: EncoderPlanes, _ bytes: RawSpan, row: Int, segment: Int, mayDivide: Bool,
        shownError: Int? = nil
    ) -> MacroblockRecord {
        gather(planes, bytes, column, row)
        let plan = plans[segment]
        var record = MacroblockRecord()
        record.segment = UInt8(segment)
        record.isLeftOut = shownError == 0
        if !record.isLeftOut {
            chooseChroma(column, plan)
            repairLuma(planes.geometry, bytes, column, row)
            mayOvershoot = depth.searchesLevels && LumaOvershoot.isWorthIt(source)
            chooseWhole(column, plan)
            record.hasSubblockModes = mayDivide && chooseSubblocks(column, plan, below: bestWhole.price(plan.bitWorth))
            record.isLeftOut = shownError.map { mayStay($0, in: record, plan) } ?? false
        }
        if record.isLeftOut {
            record.hasSubblockModes = false
            leaveOut(column, plan)
        }
        let luma = record.hasSubblockModes ? split : bestWhole
        record.chromaMode = bestChroma.modes[0]
        record.modes = luma.modes
        record.coded = luma.coded | bestChroma.coded << 16
        keep(luma, record, column)
        return record
    }

    private mutating func gather(_ planes: EncoderPlanes, _ bytes: RawSpan, _ column: Int, _ row: Int) {
        var offset = 16 * row * planes.lumaStride + 16 * column
        for y in 0..<4 {
            let blocks = SampleGatheringKernels.fourBlocks(bytes, at: offset, stride: planes.lumaStride)
            source[4 * y] = blocks.0
            source[4 * y + 1] = blocks.1
            source[4 * y + 2] = blocks.2
            source[4 * y + 3] = blocks.3
            offset += 4 * planes.lumaStride
        }
        for plane in 0..<2 {
            offset = (plane == 0 ? planes.u : planes.v) + 8 * row * planes.chromaStride + 8 * column
            for y in 0..<2 {
                let blocks = SampleGatheringKernels.twoBlocks(bytes, at: offset, stride: planes.chromaStride)
                source[16 + 4 * plane + 2 * y] = blocks.0
                source[17 + 4 * plane + 2 * y] = blocks.1
                offset += 4 * planes.chromaStride
            }
        }
    }

    /// Changes what luma is coded from, after chroma was coded.
    private mutating func repairLuma(_ geometry: PlaneGeometry, _ bytes: RawSpan, _ column: Int, _ row: Int) {
        guard var repair = repair.take() else { return }
        repair.gather(geometry, bytes, column: column, row: row)
        for plane in 0..<2 {
            repair.decode(
                plane, bestChroma.samples, above: hasAbove ? chromaAbove(plane, column) : nil,
                left: hasLeft ? leftChroma[plane] : nil, isLast: column == columnCount - 1)
        }
        repair.repair(&source)
        self.repair = repair
    }

    /// The decoded row above a macroblock, from the sample before on, ten of them; the edges of the picture are repeated.
    private func chromaAbove(_ plane: Int, _ column: Int) -> SIMD16<UInt8> {
        var row = SIMD16<UInt8>()
        for x in -1...8 { row[x + 1] = aboveChroma[plane][min(max(8 * column + x, 0), 8 * columnCount - 1)] }
        if hasLeft { row[0] = cornerChroma[plane] }
        return row
    }

    /// Keeps what the next macroblocks need.
    private mutating func keep(_ luma: BlockCandidate, _ record: MacroblockRecord, _ column: Int) {
        cornerLuma = aboveLuma[16 * column + 15]
        for x in 0..<4 {
            for index in 0..<4 { aboveLuma[16 * column + 4 * x + index] = luma.samples[12 + x][12 + index] }
            for index in 0..<4 { leftLuma[4 * x + index] = luma.samples[4 * x + 3][4 * index + 3] }
        }
        for plane in 0..<2 {
            cornerChroma[plane] = aboveChroma[plane][8 * column + 7]
            for x in 0..<2 {
                let (below, beside) = (
                    bestChroma.samples[4 * plane + 2 + x], bestChroma.samples[4 * plane + 2 * x + 1]
                )
                for index in 0..<4 {
                    aboveChroma[plane][8 * column + 4 * x + index] = below[12 + index]
                    leftChroma[plane][4 * x + index] = beside[4 * index + 3]
                }
            }
        }
        hasLeft = true
        if record.hasSubblockModes {
            aboveModes[column] = SIMD4(
                record.modes[12], record.modes[13], record.modes[14], record.modes[15])
            leftModes = SIMD4(record.modes[3], record.modes[7], record.modes[11], record.modes[15])
        } else {
            aboveModes[column] = SIMD4(repeating: ModeCosts.implied[Int(record.modes[0])])
            leftModes = aboveModes[column]
        }
        if record.coded == 0 {
            aboveContexts[column].skip(hasY2: !record.hasSubblockModes)
            leftContexts.skip(hasY2: !record.hasSubblockModes)
        } else {
            record.forEachBlock(above: &aboveContexts[column], left: &leftContexts) { _, _, _, _ in }
        }
    }
}
