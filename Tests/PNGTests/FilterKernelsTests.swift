import CodecTestSupport
import ImageCodecsCore
import PNGCodec
import Testing

@Suite struct FilterKernelsTests {
    @Test(arguments: ScanlineFilter.allCases, [1, 2, 3, 4, 6, 8])
    func kernelsEqualTheReference(_ filter: ScanlineFilter, distance: Int) throws {
        var random = SeededRandom(seed: UInt64(distance) * 8 + UInt64(filter.rawValue))
        for length in 1...140 {
            let row = random.bytes(length)
            // Flat stretches make predictors tie, if the order of preference matters.
            let above = length % 3 == 0 ? [UInt8](repeating: row[0], count: length) : random.bytes(length)
            let expected = undoFilterReference(filter, row, above: above, distance: distance)
            for scanline in [ScanlinePlace.unpacked(3), .line(length + 3)] {
                for place in [ScanlinePlace.unpacked(length + 4), .line(1)] {
                    let unpacked = [0, 0, 0] + row + [0] + above
                    var buffer = try ScratchBuffer(byteCount: 2 * length + 5, filledWith: 0xA5, meter: nil)
                    buffer.withMutableBytes { lines in
                        lines.copy(row.span, at: length + 3)
                        lines.copy(above.span, at: 1)
                        unpacked.withRawSpan(first: unpacked.count) { unpacked in
                            filter.undo(
                                unpacked, scanline, above: place, in: &lines, to: length + 3, byteCount: length,
                                distance: distance)
                        }
                    }
                    let bytes = buffer.withBytes { $0.copiedBytes() }
                    #expect(Array(bytes[(length + 3)..<(2 * length + 3)]) == expected)
                    #expect(Array(bytes[1...length]) == above)
                    #expect(bytes[0] == 0xA5 && bytes[(2 * length + 3)...].allSatisfy { $0 == 0xA5 })
                }
            }
        }
    }

    @Test func paethPrefersLeftThenAbove() {
        #expect(paethReference(10, 10, 10) == 10)
        // Left and above left equally near, then above and above left.
        #expect(paethReference(4, 1, 2) == 4)
        #expect(paethReference(1, 4, 2) == 4)
    }
}
