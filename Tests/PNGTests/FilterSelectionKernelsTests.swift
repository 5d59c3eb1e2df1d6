import CodecTestSupport
import ImageCodecsCore
import PNGCodec
import Testing

@Suite struct FilterSelectionKernelsTests {
    /// A scanline after its margin; what fills the last vector is not zero, and must not count.
    private func buffer(_ bytes: [UInt8]) throws -> ScratchBuffer {
        var buffer = try ScratchBuffer(
            byteCount: FilterSelectionKernels.bufferByteCount(bytes.count), filledWith: 0x5A, meter: nil)
        buffer.fill(0..<FilterSelectionKernels.margin, with: 0)
        buffer.withMutableBytes { $0.copy(bytes.span, at: FilterSelectionKernels.margin) }
        return buffer
    }

    /// Random scanlines, and ones whose neighbours are near or equal, if predictors tie.
    private func scanlines(_ count: Int, _ random: inout SeededRandom) -> (row: [UInt8], above: [UInt8]) {
        switch count % 4 {
        case 0: return (random.bytes(count), random.bytes(count))
        case 1: return (random.bytes(count).map { $0 & 3 }, random.bytes(count).map { $0 & 3 })
        case 2:
            let row = random.bytes(count).map { $0 | 0xFC }
            return (row, row)
        default: return (random.bytes(count).map { $0 & 0x81 }, random.bytes(count).map { $0 & 0x81 })
        }
    }

    @Test(arguments: [1, 2, 3, 4, 6, 8], [1, 2, 4, 7])
    func sumsEqualTheReference(_ distance: Int, step: Int) throws {
        var random = SeededRandom(seed: UInt64(distance))
        for count in Array(0...70) + [671, 672, 673, 4079, 4080, 4081, 9000] {
            let (row, above) = scanlines(count, &random)
            let (rowBuffer, aboveBuffer) = (try buffer(row), try buffer(above))
            let sums = rowBuffer.withBytes { row in
                aboveBuffer.withBytes { above in
                    FilterSelectionKernels.bitLengthSums(
                        row, above: above, byteCount: count, distance: distance, step: step)
                }
            }
            let expected = rowBuffer.withBytes { row in
                aboveBuffer.withBytes { above in
                    FilterSelectionKernelsReference.bitLengthSums(
                        row, above: above, byteCount: count, distance: distance, step: step)
                }
            }
            #expect(sums == expected, "\(count) bytes")
        }
    }

    @Test func bitLengthsAreThoseOfMagnitudes() {
        let lengths = [0, 1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 127, 128].map(FilterSelectionKernelsReference.bitLength)
        #expect(lengths == [0, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 6])
    }

    /// What the twin makes of a scanline.
    private func filtered(
        _ filter: ScanlineFilter, _ row: [UInt8], _ above: [UInt8], _ distance: Int
    ) throws -> [UInt8] {
        let (rowBuffer, aboveBuffer) = (try buffer(row), try buffer(above))
        var result = [UInt8](repeating: 0, count: row.count)
        result.withMutableRawSpan { result in
            rowBuffer.withBytes { row in
                aboveBuffer.withBytes { above in
                    FilterSelectionKernelsReference.apply(
                        filter, row, above: above, byteCount: result.byteCount, distance: distance, into: &result)
                }
            }
        }
        return result
    }

    @Test(arguments: ScanlineFilter.allCases, [1, 2, 3, 4, 6, 8])
    func filteringEqualsTheReference(_ filter: ScanlineFilter, distance: Int) throws {
        var random = SeededRandom(seed: UInt64(distance) * 8 + UInt64(filter.rawValue))
        for count in 0...70 {
            let (row, above) = scanlines(count, &random)
            let (rowBuffer, aboveBuffer) = (try buffer(row), try buffer(above))
            var target = try ScratchBuffer(byteCount: count + 1, filledWith: 0xA5, meter: nil)
            target.withMutableBytes { target in
                rowBuffer.withBytes { row in
                    aboveBuffer.withBytes { above in
                        FilterSelectionKernels.apply(
                            filter, row, above: above, byteCount: count, distance: distance, into: &target)
                    }
                }
            }
            let expected = try filtered(filter, row, above, distance)
            #expect(target.withBytes { $0.copiedBytes() } == expected + [0xA5])
        }
    }

    @Test(arguments: ScanlineFilter.allCases)
    func referenceIsUndoneByTheDecodersReference(_ filter: ScanlineFilter) throws {
        var random = SeededRandom(seed: 3)
        let (row, above) = (random.bytes(99), random.bytes(99))
        let filtered = try filtered(filter, row, above, 3)
        #expect(undoFilterReference(filter, filtered, above: above, distance: 3) == row)
    }

    @Test func byteMinusOneHundredTwentyEightCountsItsMagnitude() {
        #expect([0x80, 0xFF, 0x01, 0x7F].map(FilterSelectionKernelsReference.magnitude) == [128, 1, 1, 127])
    }
}
