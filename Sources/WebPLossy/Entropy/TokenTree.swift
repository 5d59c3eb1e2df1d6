// Levels as tokens: which bools a level is, for those that count them and those that write them.
//
//      not the end ──▶ not zero ──▶ more than one ──▶ more than four ─▶ ... six categories with extra bits
//         node 0         node 1         node 2            node 3

import ImageCodecsCore

/// What becomes of the bools of tokens.
protocol TokenSink {
    /// A bool of a node of the tree.
    ///
    /// - Parameters:
    ///   - row: where the probabilities of the node's tree begin, in the order of the standard.
    ///   - node: 0...10.
    mutating func node(_ isSet: Bool, _ row: Int, _ node: Int)
    /// A bool that has a probability of its own.
    mutating func fixed(_ isSet: Bool, _ probability: UInt8)
}

/// The tree of tokens.
///
/// - Source: RFC 6386 section 13.2 "Coding of Individual Coefficient Values"
enum TokenTree {
    /// The first magnitudes of the categories, and the probabilities of their extra bits.
    static let categories: [(first: Int, extra: [UInt8])] = zip(
        MacroblockReference.bases, MacroblockReference.extraProbabilities
    ).map { ($0, $1) }

    /// The category of a magnitude above 4.
    static func category(_ magnitude: Int) -> Int {
        magnitude < 7 ? 0 : magnitude < 11 ? 1 : magnitude < 19 ? 2 : magnitude < 35 ? 3 : magnitude < 67 ? 4 : 5
    }

    /// The levels of a block.
    ///
    /// - Parameters:
    ///   - first: the position of the first level that is coded.
    ///   - last: of the last one that is not 0, less than `first` if there is none.
    ///   - context: of the first.
    ///   - type: of the block.
    @inline(__always)
    static func code<Sink: TokenSink>(
        _ levels: BlockValues, first: Int, last: Int, context: Int, type: Int, into sink: inout Sink
    ) {
        var context = context
        var position = first
        var followsZero = false
        while position <= last {
            let row = row(type, position, context)
            if !followsZero { sink.node(true, row, 0) }
            let level = Int(levels[Int(SubblockKernels.place(position))])
            let magnitude = abs(level)
            followsZero = magnitude == 0
            sink.node(magnitude > 0, row, 1)
            if magnitude > 0 {
                code(magnitude, row, into: &sink)
                sink.fixed(level < 0, 128)
            }
            context = min(magnitude, 2)
            position += 1
        }
        if position < 16 { sink.node(false, row(type, position, context), 0) }
    }

    /// Where the probabilities of a tree begin.
    @inline(__always)
    static func row(_ type: Int, _ position: Int, _ context: Int) -> Int {
        ((type * 8 + Int(CoefficientProbabilityTables.bands[position])) * 3 + context) * 11
    }

    @inline(__always)
    private static func code<Sink: TokenSink>(_ magnitude: Int, _ row: Int, into sink: inout Sink) {
        sink.node(magnitude > 1, row, 2)
        guard magnitude > 1 else { return }
        sink.node(magnitude > 4, row, 3)
        guard magnitude > 4 else {
            sink.node(magnitude > 2, row, 4)
            if magnitude > 2 { sink.node(magnitude > 3, row, 5) }
            return
        }
        codeLarge(magnitude, row, into: &sink)
    }

    private static func codeLarge<Sink: TokenSink>(_ magnitude: Int, _ row: Int, into sink: inout Sink) {
        let category = category(magnitude)
        sink.node(category > 1, row, 6)
        if category < 2 {
            sink.node(category > 0, row, 7)
        } else {
            sink.node(category > 3, row, 8)
            sink.node(category % 2 == 1, row, category > 3 ? 10 : 9)
        }
        let (first, extra) = categories[category]
        for (index, probability) in extra.enumerated() {
            sink.fixed((magnitude - first) >> (extra.count - 1 - index) & 1 == 1, probability)
        }
    }
}

/// Counts bools of nodes.
struct TokenStatistics: TokenSink, Sendable {
    /// How often each node was 0, and how often 1, in the order of the standard.
    private var counts = [SIMD2<UInt32>](
        repeating: SIMD2(), count: CoefficientProbabilityTables.count)

    @inline(__always)
    mutating func node(_ isSet: Bool, _ row: Int, _ node: Int) { counts[row + node][isSet ? 1 : 0] &+= 1 }

    @inline(__always)
    mutating func fixed(_ isSet: Bool, _ probability: UInt8) {}

    /// The probabilities with which these bools cost least, what it costs to state them included.
    ///
    /// - Source: RFC 6386 section 13.4 "Token Probability Updates"
    func probabilities() -> [UInt8] {
        var table = CoefficientProbabilityTables.defaults
        for index in table.indices {
            let (zeros, ones) = (Int(counts[index][0]), Int(counts[index][1]))
            guard zeros + ones > 0 else { continue }
            let fitted = BitCosts.probability(setCount: ones, of: zeros + ones)
            let update = CoefficientProbabilityTables.updates[index]
            let usual = BitCosts.cost(setCount: ones, of: zeros + ones, table[index]) + BitCosts.cost(false, update)
            let other =
                BitCosts.cost(setCount: ones, of: zeros + ones, fitted) + BitCosts.cost(true, update)
                + 8 * BitCosts.unit
            if other < usual { table[index] = fitted }
        }
        return table
    }

    /// Bytes that the tokens take with these probabilities, as far as counts say: bits of large levels may take a little more or less.
    func byteCount(_ probabilities: [UInt8]) -> Int {
        var cost = 0
        for (index, probability) in probabilities.enumerated() {
            let (zeros, ones) = (Int(counts[index][0]), Int(counts[index][1]))
            cost += BitCosts.cost(setCount: ones, of: zeros + ones, probability)
            // Signs, and extra bits of the categories that begin at a node.
            switch index % 11 {
            case 1: cost += ones * BitCosts.unit
            case 7: cost += (zeros + 2 * ones) * BitCosts.unit
            case 9: cost += (3 * zeros + 4 * ones) * BitCosts.unit
            case 10: cost += (5 * zeros + 11 * ones) * BitCosts.unit
            default: break
            }
        }
        return cost / (8 * BitCosts.unit)
    }
}

/// Writes bools of nodes.
struct TokenWriter: TokenSink, Sendable {
    var encoder: BooleanEncoder
    let probabilities: [UInt8]

    /// - Parameter bytes: what stands before the partition.
    init(_ probabilities: [UInt8], after bytes: consuming [UInt8]) {
        encoder = BooleanEncoder(after: bytes)
        self.probabilities = probabilities
    }

    @inline(__always)
    mutating func node(_ isSet: Bool, _ row: Int, _ node: Int) { encoder.append(isSet, probabilities[row + node]) }

    @inline(__always)
    mutating func fixed(_ isSet: Bool, _ probability: UInt8) { encoder.append(isSet, probability) }
}
