// The head of a block with codes of its own: how long the code of each symbol is, itself coded.
//
//   HLIT 5 | HDIST 5 | HCLEN 4 | lengths of the code of code lengths, 3 bits each | code lengths, and how they repeat

import ImageCodecsCore

/// Reads the head of a block up to where its symbols begin; stops and goes on between any two code lengths.
///
/// Source: RFC 1951 section 3.2.7 "Compression with dynamic Huffman codes (BTYPE=10)".
struct DynamicHeader: Sendable {
    private enum Step: Sendable {
        /// How many lengths there are of each kind.
        case counts
        /// Lengths of the code of code lengths, from this one on.
        case codeLengthLengths(next: Int)
        /// Lengths, from this one on.
        case lengths(next: Int)
    }

    private var step = Step.counts
    private var literalLengthCount = 0
    private var distanceCount = 0
    private var codeLengthCount = 0
    /// The last length, which may be repeated.
    private var previous: UInt32 = 0

    /// Which symbol a length of the code of code lengths is for: those that are often missing come last.
    private static let order: [UInt8] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
    private static let mostLiteralLengths = 286
    private static let mostDistances = 30

    /// How reading went.
    enum Outcome: Hashable, Sendable {
        case inputUsed
        /// The tables are filled.
        case finished
        case damaged(InflateDamage)
    }

    /// Reads as much as is there.
    mutating func read(
        _ reader: inout InflateBitReader, _ input: Span<UInt8>, _ elements: inout MutableSpan<UInt32>
    ) -> Outcome {
        while true {
            switch step {
            case .counts:
                guard reader.need(14, input) else { return .inputUsed }
                literalLengthCount = reader.readBits(5) + 257
                distanceCount = reader.readBits(5) + 1
                codeLengthCount = reader.readBits(4) + 4
                guard literalLengthCount <= Self.mostLiteralLengths, distanceCount <= Self.mostDistances else {
                    return .damaged(.tooManySymbols)
                }
                for symbol in 0..<Self.order.count { elements[InflateTables.lengths.lowerBound + symbol] = 0 }
                step = .codeLengthLengths(next: 0)
            case .codeLengthLengths(let next):
                guard next < codeLengthCount else {
                    guard Self.makeCodeLengthTable(&elements) else { return .damaged(.codeLengthsSet) }
                    step = .lengths(next: 0)
                    continue
                }
                guard reader.need(3, input) else { return .inputUsed }
                let length = UInt32(truncatingIfNeeded: reader.readBits(3))
                elements[InflateTables.lengths.lowerBound + Int(Self.order[next])] = length
                step = .codeLengthLengths(next: next + 1)
            case .lengths(let next):
                if let outcome = readLengths(from: next, &reader, input, &elements) { return outcome }
                return makeTables(&elements)
            }
        }
    }

    private static func makeCodeLengthTable(_ elements: inout MutableSpan<UInt32>) -> Bool {
        let first = InflateTables.lengths.lowerBound
        let shape = InflateSymbols.codeLength.withSpan { symbols in
            InflateTableKernel.build(
                PrefixTablePlan(
                    lengths: first..<first + symbols.count, table: InflateTables.codeLength,
                    rootBits: InflateTables.codeLengthRootBits), in: &elements, symbols: symbols)
        }
        // If no symbol has a code, zlib reads each bit as a length of 0. The block is refused: nothing can end it.
        if shape == .empty { for index in InflateTables.codeLength { elements[index] = PrefixEntry.oneCodeBit } }
        return shape == .complete || shape == .empty
    }

    /// - Returns: `nil` when all lengths are read.
    private mutating func readLengths(
        from first: Int, _ reader: inout InflateBitReader, _ input: Span<UInt8>, _ elements: inout MutableSpan<UInt32>
    ) -> Outcome? {
        let count = literalLengthCount + distanceCount
        let (table, lengths) = (InflateTables.codeLength.lowerBound, InflateTables.lengths.lowerBound)
        var (next, reading) = (first, reader)
        defer {
            reader = reading
            step = .lengths(next: next)
        }
        while next < count {
            var entry = elements[table + reading.peek(InflateTables.codeLengthRootBits)]
            while PrefixEntry.usedBits(entry) > reading.bitCount {
                guard reading.readByte(input) else { return .inputUsed }
                entry = elements[table + reading.peek(InflateTables.codeLengthRootBits)]
            }
            let (symbol, codeBits) = (PrefixEntry.value(entry), PrefixEntry.usedBits(entry))
            guard symbol >= 16 else {
                reading.drop(codeBits)
                previous = UInt32(truncatingIfNeeded: symbol)
                elements[lengths + next] = previous
                next += 1
                continue
            }
            // 16 repeats the last length 3 to 6 times, 17 and 18 have 3 to 10 and 11 to 138 lengths of 0.
            let extra = symbol == 16 ? 2 : symbol == 17 ? 3 : 7
            guard reading.need(codeBits + extra, input) else { return .inputUsed }
            reading.drop(codeBits)
            let run = reading.readBits(extra) + (symbol == 18 ? 11 : 3)
            if symbol != 16 { previous = 0 }
            guard symbol != 16 || next > 0, run <= count - next else { return .damaged(.lengthRepeat) }
            for _ in 0..<run {
                elements[lengths + next] = previous
                next += 1
            }
        }
        return nil
    }

    private func makeTables(_ elements: inout MutableSpan<UInt32>) -> Outcome {
        let lengths = InflateTables.lengths.lowerBound
        guard elements[lengths + InflateTables.endOfBlockSymbol] != 0 else { return .damaged(.endOfBlockMissing) }
        let literals = InflateTables.makeLiteralLengthTable(&elements, count: literalLengthCount)
        guard literals == .complete || literals == .single else { return .damaged(.literalLengthsSet) }
        let distances = InflateTables.makeDistanceTable(&elements, behind: literalLengthCount, count: distanceCount)
        switch distances {
        case .complete, .single, .empty: return .finished
        case .incomplete, .oversubscribed: return .damaged(.distancesSet)
        }
    }
}
