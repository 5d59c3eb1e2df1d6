// Progressive scans: scripts that are valid or not, coded from known coefficients or filled with noise.

import CodecTestSupport

/// One scan of a progressive script.
private struct ScanStep {
    var members: [Int]
    var band: ClosedRange<Int>
    var high: Int
    var low: Int
}

extension HostileJPEG {
    mutating func writeProgressiveScans() {
        guard !frame.components.isEmpty else { return }
        var script = validScript()
        spoil(&script)
        let isCoded = !isDense && !frame.isHuge && !source.isFault(oneIn: 3)
        let blocks = isCoded ? coefficients() : []
        for (index, step) in script.enumerated() {
            if isCoded, index == 0 || source.oneIn(6) { writeProperTables() }
            let slot = source.below(2)
            addScanHeader(
                step.members, slots: step.members.map { _ in slot }, band: step.band, high: step.high, low: step.low)
            let isNoise = !isCoded || source.isFault(oneIn: 20)
            if isDense {
                units.append(denseData(blocks: blockCount(step), band: step.band.clamped(to: 0...63)))
            } else {
                units.append(isNoise ? noiseData(step) : codedData(step, slot, blocks))
            }
            writeBetweenScans(isFirst: index == 0)
        }
    }

    /// Tables that have a code for all that coded coefficients need.
    private mutating func writeProperTables() {
        for slot in 0..<2 {
            dcTables[slot] = HuffmanRecipe((0...11).map(UInt8.init), shape: .sound, &source)
            acTables[slot] = HuffmanRecipe.everyProgressiveSymbol(&source)
            add(
                0xC4,
                dcTables[slot].segmentPart(isAC: false, slot: slot)
                    + acTables[slot].segmentPart(isAC: true, slot: slot))
        }
    }

    private mutating func validScript() -> [ScanStep] {
        let all = Array(frame.components.indices)
        let dcLow = source.below(source.oneIn(8) ? 14 : 4)
        let isTogether = source.oneIn(2)
        func dc(_ high: Int, _ low: Int) -> [ScanStep] {
            let members = isTogether ? [all] : all.map { [$0] }
            return members.map { ScanStep(members: $0, band: 0...0, high: high, low: low) }
        }
        var script = dc(0, dcLow)
        for component in all {
            let cut = source.number(in: 1...63)
            let low = source.below(4)
            script.append(ScanStep(members: [component], band: 1...cut, high: 0, low: low))
            if cut < 63 { script.append(ScanStep(members: [component], band: cut + 1...63, high: 0, low: low)) }
            for bit in stride(from: low, to: 0, by: -1) {
                script.append(ScanStep(members: [component], band: 1...63, high: bit, low: bit - 1))
            }
        }
        for bit in stride(from: dcLow, to: 0, by: -1) { script += dc(bit, bit - 1) }
        return script
    }

    /// Swaps, adds, repeats and drops scans.
    private mutating func spoil(_ script: inout [ScanStep]) {
        if source.isFault(oneIn: 6) { script.swapAt(source.below(script.count), source.below(script.count)) }
        if source.isFault(oneIn: 10) {
            let first = source.below(64)
            script.append(
                ScanStep(
                    members: [source.below(frame.components.count)], band: first...source.number(in: first...64),
                    high: source.below(14), low: source.below(15)))
        }
        if source.isFault(oneIn: 5) { script = Array(script.prefix(1 + source.below(script.count))) }
        // A bomb: the same scan again and again.
        if source.isFault(oneIn: 16), let last = script.last {
            script += [ScanStep](repeating: last, count: source.below(source.oneIn(3) ? 120 : 12))
        }
    }

    /// Coefficients of every block in zigzag order, by component and place.
    private mutating func coefficients() -> [[[Int]]] {
        let units = frame.interleavedUnits
        let density = source.pick([2, 6, 6, 20])
        return frame.components.map { component in
            let count = units.across * component.horizontal * units.down * component.vertical
            return (0..<count).map { _ in
                (0..<64).map { index in
                    guard index == 0 || source.oneIn(density) else { return 0 }
                    let magnitude = source.below(1 << source.below(index == 0 ? 10 : 9))
                    return source.oneIn(2) ? -magnitude : magnitude
                }
            }
        }
    }

    private mutating func codedData(_ step: ScanStep, _ slot: Int, _ blocks: [[[Int]]]) -> [UInt8] {
        let isSingle = step.members.count == 1
        let grid = isSingle ? frame.blocks(of: step.members[0]) : frame.interleavedUnits
        let isDC = step.band.lowerBound == 0
        var scan = ProgressiveScanWriter(
            writer: EntropyBitWriter(fillCount: fillCount), table: isDC ? dcTables[slot] : acTables[slot],
            band: step.band.clamped(to: 0...63), low: step.low, longestRun: source.pick([1, 3, 200, 0x7FFF]))
        var predictors = [Int](repeating: 0, count: frame.components.count)
        var restartNumber = 0
        let total = grid.across * grid.down
        let most = source.isFault(oneIn: 12) ? source.below(total + 1) : total
        for unit in 0..<most {
            if restartInterval > 0, unit > 0, unit % restartInterval == 0 {
                scan.endRun()
                scan.writer.append(marker: restartMarker(&restartNumber))
                predictors = predictors.map { _ in 0 }
            }
            for member in step.members {
                for index in blockIndices(member, unit, grid.across, isSingle) {
                    let block = blocks[member][index]
                    switch (isDC, step.high) {
                    case (true, 0): scan.putFirstDC(block[0], predictor: &predictors[member])
                    case (true, _): scan.putDCRefinement(block[0])
                    case (false, 0): scan.putFirstAC(block)
                    case (false, _): scan.putACRefinement(block)
                    }
                }
            }
        }
        scan.endRun()
        scan.writer.flush()
        return scan.writer.bytes
    }

    /// Where the blocks of one unit of a scan stand among all blocks of a component.
    private func blockIndices(_ member: Int, _ unit: Int, _ across: Int, _ isSingle: Bool) -> [Int] {
        let component = frame.components[member]
        let stride = frame.interleavedUnits.across * component.horizontal
        let (column, row) = (unit % across, unit / across)
        if isSingle { return [row * stride + column] }
        return (0..<component.vertical).flatMap { y in
            (0..<component.horizontal).map { x in
                (row * component.vertical + y) * stride + column * component.horizontal + x
            }
        }
    }

    /// Blocks of a scan.
    private func blockCount(_ step: ScanStep) -> Int {
        if step.members.count == 1 {
            let grid = frame.blocks(of: step.members[0])
            return grid.across * grid.down
        }
        let units = frame.interleavedUnits
        return step.members.reduce(0) {
            $0 + units.across * units.down * frame.components[$1].horizontal * frame.components[$1].vertical
        }
    }

    /// Any bytes, about as many as the scan needs, or few; with restart markers if there should be some.
    private mutating func noiseData(_ step: ScanStep) -> [UInt8] {
        let enough = min(8000, blockCount(step) * (step.band.lowerBound == 0 ? 2 : 12) + 64)
        var data = noise(source.oneIn(4) || frame.isHuge ? source.below(40) : enough)
        guard restartInterval > 0 else { return data }
        var number = 0
        for _ in 0..<source.below(5) { data += restartMarker(&number) + noise(source.below(100)) }
        return data
    }
}
