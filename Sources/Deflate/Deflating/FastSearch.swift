// Effort fast: one look for a match at each position, one block for each segment.

import ImageCodecsCore

/// Codes segments with as little search as finds most of what repeats.
struct FastSearch: Sendable {
    private var table: ScratchBuffer
    private var sequences: NumberBuffer<UInt32>
    /// The largest distance at which a match of four bytes pays, as the last block says.
    private var farthestOfFour = 1 << 12

    /// Bytes of input between two looks at the clock.
    private static let stepByteCount = 1 << 14

    /// - Parameters:
    ///   - segmentByteCount: bytes of the longest segment.
    ///   - meter: counts the tables.
    init(segmentByteCount: Int, meter: MemoryMeter?) throws(ImageError) {
        table = try ScratchBuffer(byteCount: FastMatchKernel.tableByteCount, filledWith: 0, meter: meter)
        sequences = try NumberBuffer(count: Self.wordCount(segmentByteCount), meter: meter)
    }

    /// Words of sequences: two for each match of four bytes, and for what is left.
    private static func wordCount(_ segmentByteCount: Int) -> Int { segmentByteCount / 2 + 4 }

    /// Bytes that it holds.
    static func byteCount(segmentByteCount: Int) -> Int {
        FastMatchKernel.tableByteCount + 4 * wordCount(segmentByteCount)
    }

    /// Codes a segment.
    mutating func compress(
        _ segment: DeflateSegment, _ window: RawSpan, _ writer: inout BlockWriter, to output: inout BitOutput,
        _ work: inout WorkGuard
    ) throws(ImageError) {
        let range = segment.range
        var state = FastMatchState(position: range.lowerBound, literalStart: range.lowerBound)
        while state.position < range.upperBound - 3 {
            let stop = min(state.position + Self.stepByteCount, range.upperBound)
            try work.spend(stop - state.position)
            table.withMutableBytes { table in
                sequences.withMutableSpan { sequences in
                    FastMatchKernel.search(
                        window, &state, stop: stop, end: range.upperBound, origin: segment.origin,
                        farthestOfFour: farthestOfFour, table: &table, sequences: &sequences)
                }
            }
        }
        let count = sequences.finish(state, at: range.upperBound)
        sequences.withSpan { sequences in
            writer.write(
                sequences.extracting(first: count), window, range, isLast: segment.isLast, to: &output)
        }
        farthestOfFour = writer.farthestOfFour
    }
}

extension NumberBuffer<UInt32> {
    /// Adds the literals after the last match.
    ///
    /// - Returns: words of all sequences.
    mutating func finish(_ state: FastMatchState, at end: Int) -> Int {
        withMutableSpan { sequences in
            sequences[state.wordCount] = UInt32(end - state.literalStart)
            sequences[state.wordCount + 1] = 0
        }
        return state.wordCount + 2
    }
}

extension BlockWriter {
    /// The largest distance at which a match of four bytes costs no more than four of the literals of the last block.
    var farthestOfFour: Int {
        let literals = lastCounts[..<256]
        let total = literals.reduce(0) { $0 + Int($1) }
        guard total > 0 else { return DeflateSymbols.windowByteCount }
        // Sums of literals' bits in 1/256; a match of four takes about seven bits for the length and five for the distance.
        let sum = literals.reduce(0) {
            $0 + ($1 == 0 ? 0 : Int($1) * (BinaryLogarithm.of(total) - BinaryLogarithm.of(Int($1))))
        }
        let extraBits = 4 * sum / total / BinaryLogarithm.one - 12
        return extraBits < 0 ? 4 : min(DeflateSymbols.windowByteCount, 4 << min(extraBits, 13))
    }
}
