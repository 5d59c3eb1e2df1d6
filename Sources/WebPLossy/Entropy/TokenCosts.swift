// What levels cost with some probabilities, in tables for those that choose between levels.

import ImageCodecsCore

/// Costs of levels in 256ths of a bit, by type of block, position and context.
///
/// A row is of one type, position and context: the costs of the magnitudes 0...67, sign and extra bits included, then that of the end
/// of the block, then that of its not being there. The latter is in the costs of the contexts 1 and 2 already, not in those of 0, for a
/// zero is never followed by the end; at the first position of a block it has to be added.
package struct TokenCosts: Sendable {
    static let largestTabled = 67
    static let endSlot = 68
    static let moreSlot = 69
    static let contextStride = 70
    static let positionStride = 3 * contextStride
    static let typeStride = 17 * positionStride

    package private(set) var values: [UInt16]

    /// - Parameter probabilities: in the order of the standard.
    package init(_ probabilities: [UInt8]) {
        values = [UInt16](repeating: 0, count: 4 * Self.typeStride)
        for type in 0..<4 {
            for position in 0...16 {
                for context in 0..<3 { fill(type, position, context, probabilities) }
            }
        }
    }

    private mutating func fill(_ type: Int, _ position: Int, _ context: Int, _ probabilities: [UInt8]) {
        let target = type * Self.typeStride + position * Self.positionStride + context * Self.contextStride
        // Positions of the same band have the same costs.
        let row = TokenTree.row(type, position, context)
        func cost(_ isSet: Bool, _ node: Int) -> Int { BitCosts.cost(isSet, probabilities[row + node]) }
        let more = cost(true, 0)
        values[target + Self.endSlot] = UInt16(cost(false, 0))
        values[target + Self.moreSlot] = UInt16(more)
        let base = context > 0 ? more : 0
        for magnitude in 0...Self.largestTabled {
            var counter = CostCounter(probabilities: probabilities, row: row)
            counter.count(magnitude)
            values[target + magnitude] = UInt16(min(base + counter.sum, 65535))
        }
    }

    /// What a magnitude above 67 costs more than 67.
    static func extraCost(_ magnitude: Int) -> Int {
        let extra = TokenTree.categories[5].extra
        func cost(_ value: Int) -> Int {
            var sum = 0
            for (index, probability) in extra.enumerated() {
                sum += BitCosts.cost((value - 67) >> (extra.count - 1 - index) & 1 == 1, probability)
            }
            return sum
        }
        return cost(magnitude) - cost(67)
    }
}

/// Adds up what the bools of a level cost.
private struct CostCounter {
    let probabilities: [UInt8]
    let row: Int
    var sum = 0

    init(probabilities: [UInt8], row: Int) {
        self.probabilities = probabilities
        self.row = row
    }

    private mutating func add(_ isSet: Bool, _ node: Int) { sum += BitCosts.cost(isSet, probabilities[row + node]) }

    /// A level whose not being the end is known.
    mutating func count(_ magnitude: Int) {
        add(magnitude > 0, 1)
        guard magnitude > 0 else { return }
        sum += BitCosts.unit
        add(magnitude > 1, 2)
        guard magnitude > 1 else { return }
        add(magnitude > 4, 3)
        guard magnitude > 4 else {
            add(magnitude > 2, 4)
            if magnitude > 2 { add(magnitude > 3, 5) }
            return
        }
        let category = TokenTree.category(magnitude)
        add(category > 1, 6)
        if category < 2 {
            add(category > 0, 7)
        } else {
            add(category > 3, 8)
            add(category % 2 == 1, category > 3 ? 10 : 9)
        }
        let (first, extra) = TokenTree.categories[category]
        for (index, probability) in extra.enumerated() {
            sum += BitCosts.cost((magnitude - first) >> (extra.count - 1 - index) & 1 == 1, probability)
        }
    }
}
