// Levels by what they cost: of each coefficient the levels around its value, of all ways through them the cheapest.
//
//   position   0        1        2     ...
//   level    ┌ 3 ──┬── 1 ──┬── 0 ┐          states are what the next level's cost depends on: whether a level is
//            └ 2 ──┴── 0 ──┴── 1 ┘ ...      0, 1, or more; each keeps the cheapest way that leads to it

import ImageCodecsCore

/// The cheapest levels of the coefficients of a block.
struct LevelSearch {
    /// A way to a state.
    private struct Way {
        var price = unreachable
        /// For each position, by how much its level is below the larger of the two: two bits.
        var steps: UInt32 = 0
    }

    private static let unreachable = Int.max / 2

    private let table: [UInt16]
    /// What 256ths of a bit are worth.
    private let worth: Int
    private var ways = (Way(), Way(), Way())
    private var best: Way
    private var end = -1

    /// - Parameters:
    ///   - first: the position of the first level that is coded.
    ///   - context: of the first.
    ///   - type: of the block.
    static func levels(
        _ coefficients: BlockValues, _ quantizer: BlockQuantizer, _ costs: TokenCosts, worth: Int, first: Int,
        context: Int, type: Int
    ) -> LevelChoice {
        // The largest levels that are looked at: rounded up from three eighths of a step on.
        var top = quantizer
        top.roundings = (quantizer.steps &>> 3) &* 5
        let largest = SubblockKernels.levels(coefficients, top)
        let last = SubblockKernels.last(largest)
        let start =
            type * TokenCosts.typeStride + first * TokenCosts.positionStride
            + context * TokenCosts.contextStride
        let nothing = Int(costs.values[start + TokenCosts.endSlot])
        guard last >= first else { return LevelChoice(levels: BlockValues(), cost: nothing, isCoded: false) }
        var search = LevelSearch(costs, worth, nothing: nothing)
        // The first level comes as after one of its context; that of context 0 has to say that this is not the end.
        let more = context == 0 ? worth * Int(costs.values[start + TokenCosts.moreSlot]) : 0
        switch context {
        case 0: search.ways.0.price = more
        case 1: search.ways.1.price = 0
        default: search.ways.2.price = 0
        }
        let (dc, ac) = (Int(quantizer.steps[0]), Int(quantizer.steps[1]))
        // Squared errors of coefficients are four times those of samples, those of Y2 sixteen times; weights are 64ths.
        let scale = type == 1 ? 6 : 8
        var row = type * TokenCosts.typeStride + first * TokenCosts.positionStride
        for position in first...last {
            let place = Int(SubblockKernels.place(position))
            let weight = (type == 1 ? 64 : TrellisWeights.values[place]) << scale
            search.take(
                position, row, magnitude: abs(Int(coefficients[place])), level: abs(Int(largest[place])),
                step: place == 0 ? dc : ac, weight)
            row += TokenCosts.positionStride
        }
        guard search.end >= first else { return LevelChoice(levels: BlockValues(), cost: nothing, isCoded: false) }
        let levels = search.levels(largest, first)
        let cost = SubblockKernels.cost(
            levels, first: first, last: search.end, context: context, type: type, costs)
        return LevelChoice(levels: levels, cost: cost, isCoded: true)
    }

    private init(_ costs: TokenCosts, _ worth: Int, nothing: Int) {
        table = costs.values
        self.worth = worth
        best = Way(price: worth * nothing)
    }

    /// Goes on by one position: prices are less those of zeros everywhere.
    @inline(__always)
    private mutating func take(_ position: Int, _ row: Int, magnitude: Int, level: Int, step: Int, _ weight: Int) {
        var next = (Way(), Way(), Way())
        let zero = magnitude &* magnitude
        for down in 0...min(level, level == 2 ? 2 : 1) {
            let candidate = level &- down
            let rest = magnitude &- candidate &* step
            var way = cheapest(row, candidate)
            way.price = way.price &+ (rest &* rest &- zero) &* weight
            way.steps |= UInt32(truncatingIfNeeded: down) &<< UInt32(truncatingIfNeeded: 2 &* position)
            switch candidate {
            case 0: next.0 = way
            case 1: next.1 = way
            default: if way.price < next.2.price { next.2 = way }
            }
        }
        ways = next
        // The block may end after a level that is not 0.
        let following = row &+ TokenCosts.positionStride &+ TokenCosts.endSlot
        endWith(ways.1, position, position == 15 ? 0 : Int(table[following &+ TokenCosts.contextStride]))
        endWith(ways.2, position, position == 15 ? 0 : Int(table[following &+ 2 &* TokenCosts.contextStride]))
    }

    /// The cheapest way to a level.
    @inline(__always)
    private func cheapest(_ row: Int, _ level: Int) -> Way {
        let slot = row &+ min(level, TokenCosts.largestTabled)
        var best = ways.0
        best.price = best.price &+ worth &* Int(table[slot])
        var price = ways.1.price &+ worth &* Int(table[slot &+ TokenCosts.contextStride])
        if price < best.price { best = Way(price: price, steps: ways.1.steps) }
        price = ways.2.price &+ worth &* Int(table[slot &+ 2 &* TokenCosts.contextStride])
        if price < best.price { best = Way(price: price, steps: ways.2.steps) }
        if level > TokenCosts.largestTabled { best.price += worth * TokenCosts.extraCost(level) }
        return best
    }

    @inline(__always)
    private mutating func endWith(_ way: Way, _ position: Int, _ cost: Int) {
        let price = way.price &+ worth &* cost
        if price < best.price {
            best = Way(price: price, steps: way.steps)
            end = position
        }
    }

    private func levels(_ largest: BlockValues, _ first: Int) -> BlockValues {
        var levels = BlockValues()
        for position in first...end {
            let place = Int(SubblockKernels.place(position))
            let down = Int16(truncatingIfNeeded: best.steps >> UInt32(2 * position) & 3)
            let level = largest[place]
            levels[place] = level < 0 ? level &+ down : level &- down
        }
        return levels
    }
}

/// How much errors of coefficients count, in 64ths: those of high frequencies less.
enum TrellisWeights {
    static let values: [Int] = (0..<16).map { place in
        let (u, v) = (place & 3, place >> 2)
        return 6400 / (100 + Tuning.usual.trellisSlope * (u * u + v * v))
    }
}
