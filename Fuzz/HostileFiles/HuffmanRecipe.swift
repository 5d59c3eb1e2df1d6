// Huffman tables for files that are to be hostile: sound ones, and each way to be unsound.

package import CodecTestSupport

/// The content of one table of a DHT segment, with the codes its symbols get.
///
/// - Source: ITU-T T.81 (1992) §B.2.4.2 "Huffman table-specification syntax", §C.2 "Conversion of Huffman table
///   specifications to tables of codes and code lengths".
package struct HuffmanRecipe: Sendable {
    /// A code and its length in bits.
    package struct Code: Sendable {
        let value: Int
        let length: Int
    }

    /// How the code lengths are chosen.
    package enum Shape: CaseIterable, Sendable {
        /// A tree with one leaf unused, as the standard demands: no code of ones alone.
        case sound
        /// A tree without an unused leaf.
        case complete
        /// Some codes of the tree missing.
        case incomplete
        /// More codes than a tree has leaves.
        case overfull
        /// Any counts.
        case wild
    }

    /// How many codes have 1...16 bits.
    package private(set) var counts: [Int]
    /// In the order of their codes.
    package let symbols: [UInt8]
    private let codes: [Code?]

    /// The table of `symbols`, which are all different, with lengths of a shape.
    package init(_ symbols: [UInt8], shape: Shape, _ source: inout DecisionSource) {
        var symbols = symbols
        // The first symbols of an over-full table still have codes: the end of block shall not be among them.
        if shape == .overfull { symbols = Array(symbols.drop { $0 == 0 }) + symbols.prefix { $0 == 0 } }
        var counts = [Int](repeating: 0, count: 16)
        if shape == .wild {
            var left = symbols.count
            for length in 0..<16 {
                counts[length] = source.below(min(255, left) + 1)
                left -= counts[length]
            }
        } else {
            for length in Self.lengths(symbols.count, shape, &source) { counts[length - 1] += 1 }
        }
        if shape == .overfull {
            // The same number of codes, some or most of them too short.
            for _ in 0..<(source.oneIn(2) ? symbols.count : 4) {
                guard let last = counts.lastIndex(where: { $0 > 0 }), last > 0 else { break }
                counts[last] -= 1
                counts[source.below(last)] += 1
            }
        }
        self.counts = counts
        self.symbols = Array(symbols.prefix(counts.reduce(0, +)))
        codes = Self.codes(counts, self.symbols)
    }

    /// A table as it stands, for files whose bits are laid out by hand.
    package init(counts: [Int], symbols: [UInt8]) {
        self.counts = counts + [Int](repeating: 0, count: 16 - counts.count)
        self.symbols = symbols
        codes = Self.codes(self.counts, symbols)
    }

    /// The code of a symbol; `nil` if the table has none.
    package func code(of symbol: UInt8) -> Code? { codes[Int(symbol)] }

    /// The table as a DHT segment holds it.
    package func segmentPart(isAC: Bool, slot: Int) -> [UInt8] {
        [UInt8((isAC ? 0x10 : 0) | slot)] + counts.map { UInt8(min($0, 255)) } + symbols
    }

    /// Lengths of the leaves of a random tree, shortest first.
    private static func lengths(_ count: Int, _ shape: Shape, _ source: inout DecisionSource) -> [Int] {
        let unused = shape == .complete ? 0 : shape == .incomplete ? 1 + source.below(4) : 1
        var leaves = [1, 1]
        while leaves.count < count + unused {
            var place = source.oneIn(3) ? leaves.count - 1 : source.below(leaves.count)
            if leaves[place] >= 16 { place = leaves.firstIndex { $0 < 16 } ?? 0 }
            leaves[place] += 1
            leaves.append(leaves[place])
        }
        leaves.sort()
        return Array(leaves.prefix(count))
    }

    private static func codes(_ counts: [Int], _ symbols: [UInt8]) -> [Code?] {
        var codes = [Code?](repeating: nil, count: 256)
        var (next, index) = (0, 0)
        for length in 1...16 {
            for _ in 0..<counts[length - 1] where index < symbols.count {
                if codes[Int(symbols[index])] == nil { codes[Int(symbols[index])] = Code(value: next, length: length) }
                next += 1
                index += 1
            }
            next <<= 1
        }
        return codes
    }
}

extension HuffmanRecipe {
    /// A table for DC differences.
    package static func dc(_ source: inout DecisionSource) -> HuffmanRecipe {
        let largest = source.oneIn(4) ? 15 : 11
        return HuffmanRecipe(shuffled((0...largest).map(UInt8.init), &source), shape: anyShape(&source), &source)
    }

    /// A table for AC coefficients: sizes alone, runs and sizes, or any bytes.
    package static func ac(isProgressive: Bool, _ source: inout DecisionSource) -> HuffmanRecipe {
        let symbols: [UInt8]
        switch source.below(3) {
        case 0: symbols = (0...10).map(UInt8.init)
        case 1:
            let sizes: UInt8 = source.oneIn(2) ? 10 : 2
            symbols = runsAndSizes(upTo: sizes).filter { isProgressive || $0 & 15 != 0 || $0 == 0 || $0 == 0xF0 }
        default:
            // With the end of block, mostly: without it a block must be filled to its last coefficient.
            let end: [UInt8] = source.isFault(oneIn: 8) ? [] : [0]
            symbols = Array(Set(end + source.bytes(1 + source.below(60)))).sorted()
        }
        return HuffmanRecipe(shuffled(symbols, &source), shape: anyShape(&source), &source)
    }

    /// A sound table that has a code for everything a progressive scan can say.
    package static func everyProgressiveSymbol(_ source: inout DecisionSource) -> HuffmanRecipe {
        return HuffmanRecipe(shuffled(runsAndSizes(upTo: 10), &source), shape: .sound, &source)
    }

    /// Every run of zeros with every size up to one, as symbols.
    private static func runsAndSizes(upTo largest: UInt8) -> [UInt8] {
        var symbols: [UInt8] = []
        for run in UInt8(0)..<16 {
            for size in 0...largest { symbols.append(run << 4 | size) }
        }
        return symbols
    }

    /// Mostly sound, else any.
    private static func anyShape(_ source: inout DecisionSource) -> Shape {
        source.isFault(oneIn: 20) ? source.pick(Shape.allCases) : source.oneIn(8) ? .incomplete : .sound
    }

    private static func shuffled(_ symbols: [UInt8], _ source: inout DecisionSource) -> [UInt8] {
        var symbols = symbols
        for _ in 0..<source.below(8) { symbols.swapAt(source.below(symbols.count), source.below(symbols.count)) }
        return symbols
    }
}
