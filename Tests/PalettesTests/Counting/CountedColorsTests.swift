import CodecTestSupport
import ImageCodecsCore
import ImagePalettes
import Testing

@Suite struct CountedColorsTests {
    private func add(_ colors: [UInt32], to counted: inout CountedColors, isCounted: Bool = true) -> Bool {
        let row = colors.flatMap { color in (0..<4).map { UInt8(truncatingIfNeeded: color >> (8 * $0)) } }
        return row.withRawSpan(first: row.count) { counted.add($0, width: colors.count, isCounted: isCounted) }
    }

    @Test func pixelsOfCountedRowsAreCountedByColor() throws {
        var counted = try CountedColors(width: 4, meter: nil)
        let rows: [([UInt32], Bool)] = [([7, 9, 7, 7], true), ([9, 5], false), ([5, 9, 9], true)]
        for (row, isCounted) in rows { #expect(add(row, to: &counted, isCounted: isCounted)) }
        #expect(counted.distinct.colors == [7, 9, 5])
        #expect(Array(counted.counts.prefix(4)) == [3, 3, 1, 0])
        #expect(counted.colors != nil && !counted.areTooMany)
    }

    @Test(arguments: [1, 3, 256])
    func oneMoreThanTheLimitIsTooMany(_ limit: Int) throws {
        var counted = try CountedColors(width: 512, limit: limit, meter: nil)
        #expect(add((0..<limit).map { UInt32($0) }, to: &counted))
        #expect(!add([0, UInt32(limit)], to: &counted))
        #expect(counted.areTooMany && counted.colors == nil)
        #expect(counted.counts.reduce(0, +) == limit, "pixels of the row with too many are not counted")
        #expect(counted.distinct.colors.prefix(limit).elementsEqual((0..<limit).map { UInt32($0) }))
        #expect(!add([0], to: &counted))
    }

    @Test func whatWasGivenKeepsItsNumbers() throws {
        var counted = try CountedColors(width: 3, meter: nil)
        counted.give([8, 6, 4])
        #expect(add([4, 4, 8], to: &counted))
        #expect(Array(counted.counts.prefix(3)) == [1, 0, 2])
        counted.giveUp()
        #expect(counted.colors == nil && !add([4], to: &counted))
    }

    @Test func aByteAPixelIsInTheMeter() throws {
        let meter = MemoryMeter(limit: 1 << 20)
        let counted = try CountedColors(width: 1000, meter: meter)
        #expect(meter.current == CountedColors.byteCount(width: 1000))
        _ = consume counted
        #expect(throws: ImageError.self) { try CountedColors(width: 1 << 21, meter: meter) }
    }
}
