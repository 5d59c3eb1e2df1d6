// A block: which of the three kinds is the shortest, its header, its symbols.

import ImageCodecsCore

/// Writes blocks of sequences, each as the kind that takes the fewest bits.
///
/// Source: RFC 1951 section 3.2.3 "Details of block format".
struct BlockWriter: Sendable {
    /// Most bytes of a stored block.
    private static let longestStored = 65535

    /// How much is done to make codes and their header short.
    enum Care: Hashable, Sendable {
        /// Codes may be a little longer than they need be, to be made sooner.
        case quick
        /// The shortest codes.
        case usual
        /// Also codes that are longer, if their header saves more than that.
        case thorough
    }

    private let care: Care
    private var makeLengths = PrefixCodeLengths()
    private var counts: [UInt32]
    /// What the kernel counts in.
    private var tally: NumberBuffer<UInt32>
    private var literalLengths = [UInt8](repeating: 0, count: 288)
    private var distanceLengths = [UInt8](repeating: 0, count: 32)
    private var literalCodes = [UInt32](repeating: 0, count: 288)
    private var distanceCodes = [UInt32](repeating: 0, count: 32)
    private var codes = [UInt32](repeating: 0, count: DeflateCodeTable.count)
    private var header = CodeLengthHeader()

    /// - Parameters:
    ///   - care: how much is done to make codes and their header short.
    ///   - meter: counts the tally.
    init(care: Care, meter: MemoryMeter?) throws(ImageError) {
        self.care = care
        counts = Array(repeating: 0, count: DeflateCounts.count)
        tally = try NumberBuffer(count: DeflateCounts.count, meter: meter)
    }

    /// Bytes that it holds of what the meter counts.
    static let byteCount = 4 * DeflateCounts.count

    /// The most bytes that `blockCount` blocks of `byteCount` bytes together take.
    ///
    /// None takes more than it does stored. A stored block has 42 bits beside its bytes: three, up to seven that fill a byte, and
    /// its length twice.
    static func largestByteCount(_ byteCount: Int, blockCount: Int) -> Int {
        byteCount.addingSaturated(6 * (byteCount / longestStored + blockCount))
    }

    /// What making codes with the most care counts as, for ``WorkGuard/spend(_:)``; less care takes a tenth.
    static let thoroughWork = 1 << 12

    /// Writes a block.
    ///
    /// - Parameters:
    ///   - sequences: words, two each; see ``DeflateSequence``.
    ///   - window: the input.
    ///   - range: what the block stands for.
    ///   - isLast: whether it ends the stream.
    ///   - output: takes it.
    mutating func write(
        _ sequences: Span<UInt32>, _ window: RawSpan, _ range: Range<Int>, isLast: Bool, to output: inout BitOutput
    ) {
        tally.count(sequences, window, from: range.lowerBound)
        let tally = tally
        tally.withSpan { write(sequences, window, range, counts: $0, isLast: isLast, to: &output) }
    }

    /// Writes a block whose symbols are counted.
    ///
    /// - Parameters:
    ///   - sequences: words, two each; see ``DeflateSequence``.
    ///   - window: the input.
    ///   - range: what the block stands for.
    ///   - occurrences: how often each symbol occurs, but for the end of the block; see ``DeflateCounts``.
    ///   - isLast: whether it ends the stream.
    ///   - output: takes it.
    mutating func write(
        _ sequences: Span<UInt32>, _ window: RawSpan, _ range: Range<Int>, counts occurrences: Span<UInt32>,
        isLast: Bool, to output: inout BitOutput
    ) {
        let dynamic = makeCodeLengths(occurrences, floor: care == .quick ? UInt32(max(1, range.count >> 13)) : 1)
        let extra = extraBitCount
        let fixed = 3 + fixedBitCount + extra
        let stored = Self.storedBitCount(range.count, at: output.bitCount)
        if stored <= min(fixed, dynamic) {
            Self.writeStored(window, range, isLast: isLast, to: &output)
        } else if fixed <= dynamic {
            output.write(UInt32(isLast ? 1 : 0) | 1 << 1, count: 3)
            literalLengths = DeflateSymbols.fixedLiteralLengths
            for slot in 0..<32 { distanceLengths[slot] = slot < 30 ? 5 : 0 }
            makeCodes(distanceSymbolCount: 32)
            writeSymbols(sequences, window, range, to: &output)
        } else {
            output.write(UInt32(isLast ? 1 : 0) | 2 << 1, count: 3)
            header.write(to: &output)
            makeCodes(distanceSymbolCount: 30)
            writeSymbols(sequences, window, range, to: &output)
        }
    }

    /// Bits of a block with codes of its own.
    ///
    /// - Parameter occurrences: how often each symbol occurs, but for the end of the block; see ``DeflateCounts``.
    mutating func dynamicBitCount(_ occurrences: Span<UInt32>) -> Int { makeCodeLengths(occurrences, floor: 1) }

    /// Bits of a block that is not stored, with codes of its own or the fixed ones, whichever are shorter.
    ///
    /// - Parameter occurrences: how often each symbol occurs, but for the end of the block; see ``DeflateCounts``.
    mutating func bitCount(_ occurrences: Span<UInt32>) -> Int {
        let dynamic = makeCodeLengths(occurrences, floor: 1)
        return min(dynamic, 3 + fixedBitCount + extraBitCount)
    }

    /// Bits of a block of sequences that is not stored; see ``bitCount(_:)``.
    ///
    /// - Parameters:
    ///   - sequences: words, two each; see ``DeflateSequence``.
    ///   - window: the input.
    ///   - start: where in it the block begins.
    mutating func bitCount(_ sequences: Span<UInt32>, _ window: RawSpan, from start: Int) -> Int {
        tally.count(sequences, window, from: start)
        let tally = tally
        return tally.withSpan { bitCount($0) }
    }

    /// Makes the lengths of the codes for these symbols, and their header.
    ///
    /// - Returns: bits of the block.
    private mutating func makeCodeLengths(_ occurrences: Span<UInt32>, floor: UInt32) -> Int {
        for index in 0..<counts.count { counts[index] = occurrences[index] }
        counts[DeflateSymbols.endOfBlock] = 1
        var bitCount = makeCodeLengths(from: counts, floor: floor)
        guard care == .thorough else { return bitCount }
        // Codes of equal lengths make a shorter header, and hardly longer symbols if their counts are nearly equal.
        var best = 0
        for coarseness in 1...Self.mostCoarseness {
            let coarse = makeCodeLengths(from: coarseCounts(coarseness), floor: 1)
            if coarse < bitCount { (bitCount, best) = (coarse, coarseness) }
        }
        if best < Self.mostCoarseness { _ = makeCodeLengths(from: best == 0 ? counts : coarseCounts(best), floor: 1) }
        return bitCount
    }

    private mutating func makeCodeLengths(from counts: [UInt32], floor: UInt32) -> Int {
        makeLengths.make(Array(counts[..<288]), limit: 15, floor: floor, into: &literalLengths)
        makeLengths.make(Array(counts[DeflateCounts.distances...]), limit: 15, into: &distanceLengths)
        header.make(literalLengths, distanceLengths, isThorough: care == .thorough, &makeLengths)
        return 3 + header.bitCount + symbolBitCount(literalLengths, distanceLengths) + extraBitCount
    }

    /// Steps of rounding counts that are tried: to the nearest of two or of one number for each power of two.
    private static let mostCoarseness = 2

    /// The counts, rounded.
    private func coarseCounts(_ coarseness: Int) -> [UInt32] {
        // Rounded in the logarithm; scaled up, so that small counts can be told apart.
        let step = BinaryLogarithm.one * coarseness / 2
        return counts.map { count in
            guard count > 0 else { return 0 }
            let rounded = (BinaryLogarithm.of(Int(count)) + step / 2) / step * step
            let whole = UInt32(16) << UInt32(rounded / BinaryLogarithm.one)
            return rounded % BinaryLogarithm.one == 0 ? whole : whole + whole * 27 / 64
        }
    }

    /// Bits of all symbols with codes of these lengths, extra bits left out.
    private func symbolBitCount(_ literals: [UInt8], _ distances: [UInt8]) -> Int {
        var count = 0
        for symbol in 0..<DeflateSymbols.literalLengthCount { count += Int(counts[symbol]) * Int(literals[symbol]) }
        for slot in 0..<DeflateSymbols.distanceCount {
            count += Int(counts[DeflateCounts.distances + slot]) * Int(distances[slot])
        }
        return count
    }

    private var fixedBitCount: Int {
        let lengths = DeflateSymbols.fixedLiteralLengths
        var count = 0
        for symbol in 0..<DeflateSymbols.literalLengthCount { count += Int(counts[symbol]) * Int(lengths[symbol]) }
        for slot in 0..<DeflateSymbols.distanceCount { count += 5 * Int(counts[DeflateCounts.distances + slot]) }
        return count
    }

    private var extraBitCount: Int {
        var count = 0
        for slot in 0..<29 {
            count += Int(counts[DeflateSymbols.firstLength + slot]) * Int(DeflateSymbols.lengthExtraBits[slot])
        }
        for slot in 0..<DeflateSymbols.distanceCount {
            count += Int(counts[DeflateCounts.distances + slot]) * DeflateSymbols.distanceExtraBits(slot)
        }
        return count
    }

    private mutating func makeCodes(distanceSymbolCount: Int) {
        CanonicalCodes.make(literalLengths, into: &literalCodes)
        CanonicalCodes.make(distanceLengths, into: &distanceCodes)
        for symbol in 0...DeflateSymbols.endOfBlock { codes[symbol] = literalCodes[symbol] }
        for length in 0..<256 {
            let slot = Int(DeflateSymbols.lengthSlots[length])
            let code = literalCodes[DeflateSymbols.firstLength + slot]
            let extra = UInt32(length + 3 - DeflateSymbols.lengthBases[slot])
            let extraCount = UInt32(DeflateSymbols.lengthExtraBits[slot])
            codes[DeflateCodeTable.lengths + length] = (code | extra << (code >> 24)) + extraCount << 24
        }
        for slot in 0..<DeflateSymbols.distanceCount {
            codes[DeflateCodeTable.distances + slot] = distanceCodes[slot]
        }
    }

    private mutating func writeSymbols(
        _ sequences: Span<UInt32>, _ window: RawSpan, _ range: Range<Int>, to output: inout BitOutput
    ) {
        codes.withSpan { codes in
            output.withBytes { target, bits in
                DeflateBlockKernel.write(
                    sequences, window, from: range.lowerBound, codes: codes, to: &target, &bits)
            }
        }
        let end = codes[DeflateCodeTable.endOfBlock]
        output.write(end & 0xFF_FFFF, count: Int(end >> 24))
    }
}

// MARK: - Stored blocks

extension BlockWriter {
    /// Bits of stored blocks, those that fill the first byte included.
    private static func storedBitCount(_ byteCount: Int, at bitCount: Int) -> Int {
        let blockCount = max(1, (byteCount + longestStored - 1) / longestStored)
        let filling = (8 - (bitCount + 3) % 8) % 8
        return 3 + filling + 32 + (blockCount - 1) * 40 + 8 * byteCount
    }

    /// Writes bytes as they are, in as many blocks as it takes; one if there is no byte.
    ///
    /// - Source: RFC 1951 section 3.2.4 "Non-compressed blocks (BTYPE=00)".
    static func writeStored(_ window: RawSpan, _ range: Range<Int>, isLast: Bool, to output: inout BitOutput) {
        var start = range.lowerBound
        repeat {
            let count = min(longestStored, range.upperBound - start)
            let isLastBlock = isLast && start + count == range.upperBound
            output.write(isLastBlock ? 1 : 0, count: 3)
            output.align()
            output.write(UInt32(count) | UInt32(~count & 0xFFFF) << 16, count: 32)
            output.write(bytes: window.extracting(start..<start + count))
            start += count
        } while start < range.upperBound
    }
}

extension NumberBuffer<UInt32> {
    /// Counts the symbols of bytes that are all literals; see ``DeflateCounts``.
    mutating func count(literals bytes: RawSpan) {
        let counts = bytes.byteCounts
        withMutableSpan { symbols in
            for symbol in 0..<symbols.count { symbols[symbol] = symbol < counts.count ? counts[symbol] : 0 }
        }
    }

    /// Sets the numbers to how often each symbol of sequences occurs; see ``DeflateCounts``.
    mutating func count(_ sequences: Span<UInt32>, _ window: RawSpan, from start: Int) {
        DeflateSymbols.lengthSlots.withSpan { slots in
            withMutableSpan { counts in
                for index in 0..<counts.count { counts[index] = 0 }
                DeflateBlockKernel.count(sequences, window, from: start, lengthSlots: slots, into: &counts)
            }
        }
    }
}
