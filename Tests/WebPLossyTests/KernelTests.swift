import CodecTestSupport
import ImageCodecsCore
import Testing
import WebPLossyCodec

/// The kernels against their plain twins, on random input.
@Suite struct KernelTests {
    private func modes(_ random: inout SeededRandom) -> ModeParameters {
        var parameters = ModeParameters()
        parameters.hasSegmentMap = random.next() % 2 == 0
        for index in 0..<3 { parameters.segmentProbabilities[index] = UInt8(truncatingIfNeeded: random.next()) }
        parameters.skipProbability = random.next() % 3 == 0 ? nil : UInt8(truncatingIfNeeded: random.next() | 1)
        return parameters
    }

    private func probabilities(_ random: inout SeededRandom) -> [UInt8] {
        let isStandard = random.next() % 2 == 0
        return CoefficientProbabilityTables.defaults.map {
            isStandard && random.next() % 8 != 0 ? $0 : UInt8(truncatingIfNeeded: random.next())
        }
    }

    @Test func modesEqualThePlainTwin() {
        var random = SeededRandom(seed: 21)
        for _ in 0..<60 {
            let columns = 1 + Int(random.next() % 9)
            // No partition begins with 255.
            let input = [7] + random.bytes(400 + Int(random.next() % 60))
            let parameters = modes(&random)
            var infos = [UInt8](repeating: 0, count: columns * MemoryLayout<MacroblockInfo>.stride)
            var top = [UInt8](repeating: 0, count: 4 * columns)
            var state = ModeState(reader: BooleanState(next: 0))
            var twin = MacroblockReference(input)
            var above = [[UInt8]](repeating: [0, 0, 0, 0], count: columns)
            for _ in 0..<12 {
                var left: [UInt8] = [0, 0, 0, 0]
                let expected = (0..<columns).map { twin.modes(parameters, above: &above[$0], left: &left) }
                let found = decodeModes(&state, parameters, input, &top, &infos, columns)
                #expect(state.isDry == twin.decoder.isDry)
                if state.isDry { break }
                for (a, b) in zip(found, expected) {
                    #expect(a.segment == b.segment && a.isSkipped == b.isSkipped && a.chromaMode == b.chromaMode)
                    #expect(a.hasSubblockModes == b.hasSubblockModes && a.modes[0] == b.modes[0])
                    if b.hasSubblockModes == 1 { #expect(a.modes == b.modes) }
                }
            }
        }
    }

    private func decodeModes(
        _ state: inout ModeState, _ parameters: ModeParameters, _ input: [UInt8], _ top: inout [UInt8],
        _ infos: inout [UInt8], _ columns: Int
    ) -> [MacroblockInfo] {
        // Storage that is aligned as kernels want it.
        guard var buffer = try? ScratchBuffer(zeroedByteCount: infos.count, meter: nil) else { return [] }
        var result: [MacroblockInfo] = []
        input.withRawSpan { input in
            top.withMutableRawSpan { top in
                buffer.withMutableBytes { bytes in
                    bytes.withMacroblocks { infos in
                        ModeKernel.decodeRow(
                            &state, parameters: parameters, input: input,
                            probabilities: SubblockModeProbabilities.scaled, top: &top, infos: &infos)
                        for index in infos.indices { result.append(infos[index]) }
                    }
                }
            }
        }
        return result
    }

    @Test(arguments: [false, true])
    func tokensEqualThePlainTwin(_ isExact: Bool) throws {
        var random = SeededRandom(seed: isExact ? 31 : 32)
        for _ in 0..<60 {
            let columns = 1 + Int(random.next() % 6)
            let input = [200] + random.bytes(Int(random.next() % 3000))
            let standard = probabilities(&random)
            let table = TokenProbabilities(standard: standard).values
            let steps = (0..<24).map { _ in Int32(4 + random.next() % 150) }
            var twin = MacroblockReference(input)
            var above = [MacroblockReference.Contexts](repeating: .init(), count: columns)
            var buffer = try ScratchBuffer(
                zeroedByteCount: columns * MemoryLayout<MacroblockInfo>.stride, meter: nil)
            var contexts = try NumberBuffer<UInt16>(count: columns, meter: nil)
            var coefficients = try NumberBuffer<Int16>(
                count: columns * TokenKernel.largestCount + TokenKernel.scratchCount, meter: nil)
            var reader = BooleanState(next: 0)
            for _ in 0..<20 {
                var state = TokenState(reader: reader)
                var left = MacroblockReference.Contexts()
                var infos: [MacroblockInfo] = (0..<columns).map { _ in
                    var info = MacroblockInfo()
                    info.hasSubblockModes = UInt8(random.next() % 2)
                    info.isSkipped = random.next() % 5 == 0 ? 1 : 0
                    info.segment = UInt8(random.next() % 4)
                    return info
                }
                var found: [MacroblockInfo] = []
                let pause = contexts.withMutableSpan { contexts in
                    coefficients.withMutableSpan { coefficients in
                        buffer.withMutableBytes { bytes in
                            bytes.withMacroblocks { target in
                                for index in target.indices { target[index] = infos[index] }
                                var pause = TokenPause.reachedStop
                                while pause == .reachedStop {
                                    let stop = state.column + 1 + Int(random.next() % 5)
                                    pause = input.withRawSpan { input in
                                        TokenKernel.decodeRow(
                                            &state, isExact: isExact, to: stop, infos: &target, top: &contexts,
                                            probabilities: table, steps: steps, input: input,
                                            coefficients: &coefficients)
                                    }
                                    #expect(state.column <= stop && (pause != .reachedStop || state.column == stop))
                                }
                                for index in target.indices { found.append(target[index]) }
                                return pause
                            }
                        }
                    }
                }
                var expected: [Int16] = []
                for column in 0..<state.column {
                    expected += twin.residue(
                        &infos[column], above: &above[column], left: &left, probabilities: standard, steps: steps)
                }
                #expect(!twin.decoder.isDry && found[..<state.column] == infos[..<state.column])
                let stored = coefficients.withSpan { span in (0..<state.coefficientCount).map { span[$0] } }
                #expect(stored == expected)
                guard pause == .rowComplete else {
                    // What the exact reader cannot decode needs bytes that are not there.
                    if isExact {
                        _ = twin.residue(
                            &infos[state.column], above: &above[state.column], left: &left, probabilities: standard,
                            steps: steps)
                        #expect(twin.decoder.isDry)
                    }
                    break
                }
                reader = state.reader
            }
        }
    }

    @Test(arguments: 0..<24 as Range<UInt64>)
    func picturesEqualThePlainTwin(_ seed: UInt64) throws {
        var random = SeededRandom(seed: 100 + seed)
        let size = PixelSize(width: 1 + Int(random.next() % 70), height: 1 + Int(random.next() % 60))
        let workspace = MacroblockWorkspace(size)
        var filter = FilterPlan()
        filter.kind = [FilterPlan.Kind.none, .simple, .normal, .normal][Int(seed % 4)]
        for index in 0..<8 {
            filter.strengths[index] = FilterStrength(level: Int(random.next() % 64), sharpness: Int(random.next() % 8))
        }
        var rows = try PictureRows(workspace, filter: filter, keepsSamples: true, meter: nil)
        var (infos, residues): ([MacroblockInfo], [[Int16]]) = ([], [])
        var pixels: [UInt8] = []
        for _ in 0..<workspace.rowCount {
            var parsed = try ParsedRow(workspace, meter: nil)
            let first = infos.count
            for _ in 0..<workspace.columnCount { append(&infos, &residues, &random) }
            let all = residues[first...].flatMap { $0 }
            parsed.withMutableContents { target, coefficients in
                for index in all.indices { coefficients[index] = all[index] }
                for index in target.indices { target[index] = infos[first + index] }
            }
            // Every third row is made where it goes, between bytes that stay as they are.
            rows.add(
                parsed,
                place: { y, fill in
                    if y % 3 != 1 { return false }
                    var buffer = [UInt8](repeating: 0xA5, count: 4 * size.width + 32)
                    buffer.withMutableRawSpan(of: 16..<16 + 4 * size.width) { fill(&$0) }
                    #expect(buffer[..<16].allSatisfy { $0 == 0xA5 } && buffer.suffix(16).allSatisfy { $0 == 0xA5 })
                    pixels += buffer[16..<16 + 4 * size.width]
                    return true
                }, take: { line, _ in pixels += line.copiedBytes() })
        }
        var twin = ReconstructionReference(columns: workspace.columnCount, rows: workspace.rowCount)
        twin.reconstruct(infos, coefficients: residues, filter: filter)
        for plane in 0..<3 {
            guard let samples = rows.samples else { continue }
            let size = samples.size(plane)
            for y in 0..<size.height {
                let line = samples.withLine(plane, y) { $0.copiedBytes() }
                let expected = (0..<size.width).map { UInt8(twin.planes[plane][$0, y]) }
                #expect(line == expected, "plane \(plane), line \(y)")
            }
        }
        let expected = (0..<size.height).flatMap { y in
            (0..<size.width).flatMap { x in twin.pixel(x, y, width: size.width, height: size.height) }
        }
        #expect(pixels == expected)
    }

    private func append(_ infos: inout [MacroblockInfo], _ residues: inout [[Int16]], _ random: inout SeededRandom) {
        var info = MacroblockInfo()
        info.hasSubblockModes = UInt8(random.next() % 2)
        info.segment = UInt8(random.next() % 4)
        info.chromaMode = UInt8(random.next() % 4)
        if info.hasSubblockModes == 0 {
            info.modes[0] = UInt8(random.next() % 4)
        } else {
            for index in 0..<16 { info.modes[index] = UInt8(random.next() % 10) }
        }
        var stored: [Int16] = []
        // None at all, a DC coefficient at most, or anything: each takes another way.
        let codeCount = [1, 2, 2, 4, 4, 4, 4, 4][Int(random.next() % 8)]
        for index in 0..<24 {
            let code = UInt32(Int(random.next() % 4) % codeCount)
            if index < 16 {
                info.lumaCodes |= code << UInt32(2 * index)
            } else {
                info.chromaCodes |= UInt16(code << UInt32(2 * (index - 16)))
            }
            guard code > 0 else { continue }
            // Large ones in one of ten blocks with up to three.
            let limit: UInt64 =
                code < 3 && random.next() % 10 == 0 && index < 16 ? 60_000 : random.next() % 3 == 0 ? 1400 : 60
            let places = code == 1 ? [0] : code == 2 ? [0, 1, 4] : Array(0..<16)
            var block = [Int16](repeating: 0, count: 16)
            for place in places { block[place] = Int16(Int(random.next() % limit) - Int(limit / 2)) }
            stored += block
        }
        infos.append(info)
        residues.append(stored)
    }
}
