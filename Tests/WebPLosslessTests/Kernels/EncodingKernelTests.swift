import CodecTestSupport
import ImageCodecsCore
import Testing
import WebPLosslessCodec

/// The kernels of the encoder against their plain twins.
@Suite struct EncodingKernelTests {
    /// Pixels of which many repeat, in stretches and in patterns.
    private static func pixels(_ count: Int, colorCount: Int, _ random: inout SeededRandom) -> [UInt32] {
        let colors = (0..<colorCount).map { _ in UInt32(truncatingIfNeeded: random.next()) }
        var result: [UInt32] = []
        while result.count < count {
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                result += [UInt32](
                    repeating: colors.randomElement(using: &random) ?? 0, count: Int.random(in: 1...300, using: &random)
                )
            case 1 where !result.isEmpty:
                let start = Int.random(in: 0..<result.count, using: &random)
                result += result[start..<min(result.count, start + Int.random(in: 1...80, using: &random))]
            default: result.append(colors.randomElement(using: &random) ?? 0)
            }
        }
        return Array(result[..<count])
    }

    @Test(arguments: 0..<14) func differencesAreThoseOfTheTwin(mode: Int) throws {
        var random = SeededRandom(seed: UInt64(mode))
        let (width, height) = (37, 9)
        let pixels = (0..<width * height + 8).map { _ in UInt32(truncatingIfNeeded: random.next()) }
        for row in 1..<height {
            let start = Int.random(in: 1..<width, using: &random)
            let columns = start..<Int.random(in: start + 1...width, using: &random)
            var sums = (SIMD4<UInt32>(), SIMD4<UInt32>())
            pixels.withSpan { pixels in
                ResidualKernel.addDistances(mode, pixels, width: width, row: row, columns: columns, to: &sums.0)
                ResidualKernelReference.addDistances(
                    mode, pixels, width: width, row: row, columns: columns, to: &sums.1)
            }
            #expect(sums.0 == sums.1)
            var fast = try NumberBuffer<UInt32>(count: width + 8, meter: nil)
            var plain = fast
            try plain.makeUnique()
            pixels.withSpan { pixels in
                fast.withMutableSpan {
                    ResidualKernel.write(mode, pixels, width: width, row: row, columns: columns, to: &$0, at: 1)
                }
                plain.withMutableSpan {
                    ResidualKernelReference.write(
                        mode, pixels, width: width, row: row, columns: columns, to: &$0, at: 1)
                }
            }
            #expect(fast.numbers(1..<1 + columns.count) == plain.numbers(1..<1 + columns.count))
        }
    }

    @Test(arguments: 0..<6) func copiesAreThoseOfTheTwin(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let pixels = Self.pixels(6000, colorCount: [1, 2, 5, 40, 300, 5000][Int(seed)], &random)
        let depth = PixelSearchDepth(
            chainLength: Int.random(in: 0...20, using: &random), niceLength: [16, 64, 4096][Int(seed) % 3])
        func copies(_ isFast: Bool) throws -> [UInt32] {
            var table = try NumberBuffer<UInt32>(count: PixelMatchKernel.tableCount(pixels.count), meter: nil)
            var previous = try NumberBuffer<UInt32>(count: pixels.count, meter: nil)
            var copies = try NumberBuffer<UInt32>(count: pixels.count, meter: nil)
            for start in stride(from: 0, to: pixels.count, by: 1024) {
                let range = start..<min(start + 1024, pixels.count)
                pixels.withSpan { pixels in
                    table.withMutableSpan { table in
                        previous.withMutableSpan { previous in
                            copies.withMutableSpan { copies in
                                if isFast {
                                    PixelMatchKernel.find(
                                        pixels, range, width: 100, depth, table: &table, previous: &previous,
                                        copies: &copies)
                                } else {
                                    PixelMatchKernelReference.find(
                                        pixels, range, width: 100, depth, table: &table, previous: &previous,
                                        copies: &copies)
                                }
                            }
                        }
                    }
                }
            }
            return copies.numbers(0..<pixels.count)
        }
        let found = try copies(true)
        #expect(try found == copies(false))
        #expect(try found == copiesInWindows(pixels, depth))
        for (position, copy) in found.enumerated() where copy != 0 {
            let (length, distance) = (PackedCopy.length(copy), PackedCopy.distance(copy))
            #expect(distance <= position && position + length <= pixels.count)
            #expect(pixels[position..<position + length] == pixels[position - distance..<position - distance + length])
        }
    }

    /// Copies of the last 500 positions before each range are held, and handed out when no later one can change them.
    private func copiesInWindows(_ pixels: [UInt32], _ depth: PixelSearchDepth) throws -> [UInt32] {
        var table = try NumberBuffer<UInt32>(count: PixelMatchKernel.tableCount(pixels.count), meter: nil)
        var previous = try NumberBuffer<UInt32>(count: PixelMatchKernel.chainCount(pixels.count), meter: nil)
        var window = try NumberBuffer<UInt32>(count: 500 + 1024, meter: nil)
        var (result, first): ([UInt32], Int) = ([], 0)
        for start in stride(from: 0, to: pixels.count, by: 1024) {
            let range = start..<min(start + 1024, pixels.count)
            let next = max(0, start - 500)
            window.withMutableSpan { window in
                for index in 0..<start - next { window[index] = window[index + next - first] }
                first = next
                table.withMutableSpan { table in
                    previous.withMutableSpan { previous in
                        PixelMatchKernel.find(
                            pixels.span, range, width: 100, depth, table: &table, previous: &previous,
                            copies: &window, from: first)
                    }
                }
                let known = range.upperBound == pixels.count ? range.upperBound : range.upperBound - 128
                for position in result.count..<known { result.append(window[position - first]) }
            }
        }
        return result
    }

    @Test(arguments: 0..<6) func waysAreThoseOfTheTwin(seed: UInt64) throws {
        var random = SeededRandom(seed: 100 + seed)
        // More than two copies are long: with one colour, all is one stretch.
        let (start, count) = (500, 9000)
        let pixels = Self.pixels(start + count, colorCount: [1, 2, 5, 40, 300, 5000][Int(seed)], &random)
        var copies = [UInt32](repeating: 0, count: count)
        for index in 0..<count where Bool.random(using: &random) {
            let distance = Int.random(in: 1...start + index, using: &random)
            var length = 0
            while length < 4096, start + index + length < pixels.count,
                pixels[start + index + length] == pixels[start + index + length - distance]
            {
                length += 1
            }
            if length > 1 { copies[index] = PackedCopy.make(length: length, distance: distance) }
        }
        let pixelPrices = (0..<count).map { _ in UInt16.random(in: 1...2000, using: &random) }
        let lengthPrices = (0...4096).map { _ in UInt32.random(in: 64...900, using: &random) }
        let nearPrices = (0..<600).map { _ in UInt32.random(in: 64...900, using: &random) }
        let farPrices = (0..<40).map { _ in UInt32.random(in: 64...1800, using: &random) }
        let places: [UInt32] = [1, 2, 99, 100, 101]
        func way(_ isFast: Bool) throws -> (costs: [UInt32], steps: [UInt32]) {
            let (pixels, pixelPrices, copies) = (pixels.span, pixelPrices.span, copies.span)
            let (lengthPrices, nearPrices, farPrices) = (lengthPrices.span, nearPrices.span, farPrices.span)
            let places = places.span
            var costs = try NumberBuffer<UInt32>(count: count + 1, meter: nil)
            var steps = try NumberBuffer<UInt32>(count: count, meter: nil)
            var runs = try NumberBuffer<UInt32>(count: 5, meter: nil)
            for range in [8000..<count, 700..<8000, 0..<700] {
                costs.withMutableSpan { costs in
                    for index in (0...count - range.upperBound).reversed() { costs[index + range.count] = costs[index] }
                    steps.withMutableSpan { steps in
                        runs.withMutableSpan { runs in
                            if isFast {
                                PixelPathKernel.search(
                                    pixels, from: start, range, end: count, pixelPrices: pixelPrices, copies: copies,
                                    lengthPrices: lengthPrices, nearPrices: nearPrices, farPrices: farPrices,
                                    places: places, runs: &runs, triedCount: 4, costs: &costs, steps: &steps)
                            } else {
                                PixelPathKernelReference.search(
                                    pixels, from: start, range, end: count, pixelPrices: pixelPrices, copies: copies,
                                    lengthPrices: lengthPrices, nearPrices: nearPrices, farPrices: farPrices,
                                    places: places, runs: &runs, triedCount: 4, costs: &costs, steps: &steps)
                            }
                        }
                    }
                }
            }
            return (costs.numbers(0..<count + 1), steps.numbers(0..<count))
        }
        let (fast, plain) = (try way(true), try way(false))
        #expect(fast.costs == plain.costs)
        #expect(fast.steps == plain.steps)
    }

    @Test(arguments: [0.0, 0.01, 0.3, 1]) func entriesAreThoseOfTheTwin(usedShare: Double) {
        var random = SeededRandom(seed: 9)
        let counts = (0..<1333).map { _ in
            Double.random(in: 0..<1, using: &random) < usedShare
                ? UInt32.random(in: 1...100_000, using: &random) : 0
        }
        func gathered(_ range: Range<Int>, _ isFast: Bool) -> (entries: [UInt32], count: Int, left: [UInt32]) {
            var left = counts
            var entries = [UInt32](repeating: 0, count: 5 + range.count + 1)
            var position = 5
            var leftSpan = left.mutableSpan
            var entriesSpan = entries.mutableSpan
            if isFast {
                SymbolGatherKernel.gather(&leftSpan, range, to: &entriesSpan, at: &position)
            } else {
                SymbolGatherKernelReference.gather(&leftSpan, range, to: &entriesSpan, at: &position)
            }
            return (Array(entries[..<position]), position, left)
        }
        for range in [0..<counts.count, 7..<600, 16..<32, 40..<55, 9..<9] {
            let (fast, plain) = (gathered(range, true), gathered(range, false))
            #expect(fast.entries == plain.entries)
            #expect(fast.count == plain.count)
            #expect(fast.left == plain.left)
            #expect(fast.left[range].allSatisfy { $0 == 0 })
            #expect(fast.count - 5 == counts[range].count { $0 > 0 })
        }
    }

    @Test func costsOfGroupsAreThoseOfTheTwin() throws {
        var random = SeededRandom(seed: 7)
        let (groupCount, symbolCount) = (32, 300)
        let prices = (0..<groupCount * symbolCount).map { _ in
            Int32(bitPattern: Float.random(in: 0...15, using: &random).bitPattern)
        }
        let entries = (0..<200).map { _ in
            UInt32.random(in: 0..<UInt32(symbolCount), using: &random) | UInt32.random(in: 1...500, using: &random)
                << 16
        }
        var fast = try NumberBuffer<Int32>(count: groupCount, meter: nil)
        var plain = try NumberBuffer<Int32>(count: groupCount, meter: nil)
        fast.withMutableSpan { GroupCostKernel.costs(entries.span, prices.span, groupCount: groupCount, to: &$0) }
        plain.withMutableSpan {
            GroupCostKernelReference.costs(entries.span, prices.span, groupCount: groupCount, to: &$0)
        }
        // The order of additions is the same, so that sums are.
        #expect(fast.numbers(0..<groupCount) == plain.numbers(0..<groupCount))
    }

    @Test func bitsOfPixelsAreThoseOfTheTwin() {
        var random = SeededRandom(seed: 8)
        let pixels = (0..<500).map { _ in UInt32(truncatingIfNeeded: random.next()) }
        let codes = (0..<1024).map { _ in
            let count = UInt32.random(in: 0...15, using: &random)
            return UInt32.random(in: 0..<1 << count, using: &random) | count << 24
        }
        func written(_ isFast: Bool) -> (bytes: [UInt8], bits: UInt64, count: Int) {
            var output = [UInt8](repeating: 0, count: pixels.count * PixelWriteKernel.pixelByteCount + 16)
            var (position, bits, count) = (0, UInt64(5), 3)
            output.withMutableBytes { output in
                if isFast {
                    PixelWriteKernel.write(
                        pixels.span, codes: codes.span, red: 256, blue: 512, alpha: 768, to: &output,
                        position: &position, bits: &bits, count: &count)
                } else {
                    PixelWriteKernelReference.write(
                        pixels.span, codes: codes.span, red: 256, blue: 512, alpha: 768, to: &output,
                        position: &position, bits: &bits, count: &count)
                }
            }
            return (Array(output[..<position]), bits, count)
        }
        let (fast, plain) = (written(true), written(false))
        #expect(fast.bytes == plain.bytes && fast.bits == plain.bits && fast.count == plain.count)
    }
}

extension NumberBuffer {
    /// Some of the numbers.
    fileprivate func numbers(_ range: Range<Int>) -> [Element] {
        withSpan { numbers in range.map { numbers[$0] } }
    }
}
