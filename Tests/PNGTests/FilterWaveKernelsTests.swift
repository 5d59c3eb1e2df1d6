import CodecTestSupport
import ImageCodecsCore
import PNGCodec
import Testing

/// Scanlines undone side by side are those undone one after another.
@Suite struct FilterWaveKernelsTests {
    /// Bytes if predictors tie now and then: noise, few values, or one.
    private func bytes(_ count: Int, _ random: inout SeededRandom) -> [UInt8] {
        let mask: UInt8 = [255, 3, 1, 0][Int(random.next() % 4)]
        return random.bytes(count).map { $0 & mask }
    }

    private func check(
        _ filters: [ScanlineFilter], byteCount: Int, distance: Int, isAboveOverwritten: Bool, isAboveUnpacked: Bool,
        _ random: inout SeededRandom
    ) throws {
        let rows = filters.map { _ in bytes(byteCount, &random) }
        let above = bytes(byteCount, &random)
        var expected: [[UInt8]] = []
        for (filter, row) in zip(filters, rows) {
            expected.append(undoFilterReference(filter, row, above: expected.last ?? above, distance: distance))
        }
        var group = FilterGroup()
        for filter in filters { group.append(filter) }
        // The line above, four lines, and a byte before and after each.
        let stride = byteCount + 2
        let unpacked = above + zip(filters, rows).flatMap { [$0.rawValue] + $1 }
        var targets = SIMD4(1, 2, 3, 4) &* stride &+ 1
        if isAboveOverwritten { targets[3] = 1 }
        let wave = ScanlineWave(
            filters: group, first: byteCount + 1, above: isAboveUnpacked ? .unpacked(0) : .line(1), targets: targets)
        var lines = try ScratchBuffer(byteCount: 5 * stride, filledWith: 0xA5, meter: nil)
        lines.withMutableBytes { lines in
            lines.copy(above.span, at: 1)
            unpacked.withRawSpan(first: unpacked.count) {
                wave.undo($0, in: &lines, byteCount: byteCount, distance: distance)
            }
        }
        let result = lines.withBytes { $0.copiedBytes() }
        for (index, row) in expected.enumerated() {
            #expect(Array(result[targets[index]..<targets[index] + byteCount]) == row)
        }
        for line in 0..<5 {
            #expect(result[line * stride] == 0xA5 && result[(line + 1) * stride - 1] == 0xA5)
        }
        if !isAboveOverwritten { #expect(Array(result[1...byteCount]) == above) }
    }

    @Test(arguments: [1, 2, 3, 4, 6, 8], 2...4)
    func everyCombinationOfFilters(distance: Int, count: Int) throws {
        guard distance <= 4 || count == 2 else { return }
        var random = SeededRandom(seed: UInt64(distance * 8 + count))
        for code in 0..<[25, 125, 625][count - 2] {
            let filters = (0..<count).map { ScanlineFilter.allCases[code / [1, 5, 25, 125][$0] % 5] }
            try check(
                filters, byteCount: distance * (1 + Int(random.next() % 40)), distance: distance,
                isAboveOverwritten: count > 2 && code % 2 == 0, isAboveUnpacked: code % 3 == 0, &random)
        }
    }

    @Test(arguments: [1, 2, 3, 4, 6, 8])
    func everyWidth(distance: Int) throws {
        var random = SeededRandom(seed: UInt64(distance))
        for width in 1...70 {
            for filters in [[ScanlineFilter](repeating: .paeth, count: 4), [.average, .average, .average, .average]] {
                for count in distance <= 4 ? 2...4 : 2...2 {
                    try check(
                        Array(filters.prefix(count)), byteCount: width * distance, distance: distance,
                        isAboveOverwritten: count > 2 && width % 2 == 0, isAboveUnpacked: width % 3 == 0, &random)
                }
            }
        }
    }

    @Test func paethTiesFallAsTheStandardWants() throws {
        var random = SeededRandom(seed: 7)
        // Every a, b and c of a few values: a line of three pixels, c b / a x.
        for c in stride(from: 0, through: 255, by: 15) {
            for b in stride(from: 0, through: 255, by: 15) {
                let above: [UInt8] = [UInt8(c), UInt8(b)]
                for a in stride(from: 0, through: 255, by: 15) {
                    let row = [UInt8(truncatingIfNeeded: a &- c), UInt8(random.next() & 255)]
                    let expected = undoFilterReference(.paeth, row, above: above, distance: 1)
                    let unpacked: [UInt8] = [4] + row + [2, 0, 0]
                    var group = FilterGroup(.paeth)
                    group.append(.up)
                    let wave = ScanlineWave(filters: group, first: 1, above: .line(0), targets: SIMD4(2, 4, 0, 0))
                    var lines = try ScratchBuffer(byteCount: 6, filledWith: 0, meter: nil)
                    lines.withMutableBytes { lines in
                        lines.copy(above.span)
                        unpacked.withRawSpan(first: 6) { wave.undo($0, in: &lines, byteCount: 2, distance: 1) }
                    }
                    #expect(lines.withBytes { $0.copiedBytes() } == above + expected + expected)
                }
            }
        }
    }
}

@Suite struct FilterGroupTests {
    private func cut(_ filters: [ScanlineFilter]) -> Int {
        var group = FilterGroup()
        for filter in filters { group.append(filter) }
        group.cut()
        return group.count
    }

    @Test func chainsGoTogetherAndOthersAlone() {
        #expect(cut([.paeth, .paeth, .paeth, .paeth]) == 4)
        #expect(cut([.average, .average]) == 2)
        #expect(cut([.paeth, .up, .up, .paeth]) == 4)
        #expect(cut([.paeth, .up, .up, .up]) == 1)
        #expect(cut([.average, .average, .average, .paeth]) == 3)
        #expect(cut([.average, .sub, .sub, .average]) == 1)
        #expect(cut([.paeth]) == 1)
    }
}
