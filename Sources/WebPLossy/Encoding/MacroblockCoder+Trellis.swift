// Levels by what they cost: of each coefficient the levels around its value, of all ways through them the cheapest.
//
//   position   0        1        2     ...
//   level    ┌ 3 ──┬── 1 ──┬── 0 ┐          states are what the next level's cost depends on: whether a level is
//            └ 2 ──┴── 0 ──┴── 1 ┘ ...      0, 1, or more; each keeps the cheapest way that leads to it

import ImageCodecsCore

extension MacroblockCoder {
    /// A way to a state.
    private struct Way {
        var price = Int.max
        /// For each position, by how much its level is below the larger of the two: two bits.
        var steps: UInt32 = 0
    }

    /// The cheapest levels of coefficients.
    func trellis(
        _ coefficients: BlockValues, _ quantizer: BlockQuantizer, _ plan: SegmentPlan, first: Int, context: Int,
        type: Int
    ) -> LevelChoice {
        // The largest levels that are looked at: rounded up if the coefficient is beyond an eighth of a step.
        var top = quantizer
        top.roundings = (quantizer.steps &>> 3) &* 5
        let largest = BlockCodingKernels.levels(coefficients, top)
        let end = BlockCodingKernels.last(largest)
        let nothing = BlockCodingKernels.cost(
            BlockValues(), first: first, last: -1, context: context, type: type, costs)
        guard end >= first else { return LevelChoice(levels: BlockValues(), cost: nothing, isCoded: false) }
        let worth = plan.bitWorth * tuning.trellisWorth / 100
        // Squared errors of coefficients are four times those of samples, those of Y2 sixteen times; here times 64 for weights.
        let scale = type == 1 ? 6 : 8
        let table = costs.values
        var zeroError = 0
        var ways = (Way(), Way(), Way())
        var start: Int? = context
        var best = Way()
        var bestEnd = -1
        // Errors of what follows the end are counted as what is saved before it: prices are less those of zeros.
        best.price = worth * nothing
        var position = first
        while position <= end {
            let place = Int(BlockCodingKernels.place(position))
            let weight = type == 1 ? 64 : TrellisWeights.values[place]
            let value = Int(coefficients[place])
            let magnitude = abs(value)
            let level = abs(Int(largest[place]))
            let step = Int(quantizer.steps[place])
            zeroError = magnitude * magnitude
            let row = position * TokenCosts.positionStride + type * TokenCosts.typeStride
            var next = (Way(), Way(), Way())
            for down in 0...min(level, level == 2 ? 2 : 1) {
                let candidate = level - down
                let rest = magnitude - candidate * step
                let error = ((rest * rest - zeroError) * weight) << scale
                let slot = min(candidate, TokenCosts.largestTabled)
                let extra = candidate > TokenCosts.largestTabled ? TokenCosts.extraCost(candidate) : 0
                var way = Way()
                func extend(_ from: Way, _ context: Int, _ more: Int) {
                    guard from.price != .max else { return }
                    let cost = Int(table[row + context * TokenCosts.contextStride + slot]) + extra + more
                    let price = from.price + error + worth * cost
                    if price < way.price {
                        way.price = price
                        way.steps = from.steps | UInt32(down) << UInt32(2 * position)
                    }
                }
                if let context = start {
                    let more =
                        context == 0
                        ? Int(table[row + context * TokenCosts.contextStride + TokenCosts.moreSlot]) : 0
                    extend(Way(price: 0), context, more)
                } else {
                    extend(ways.0, 0, 0)
                    extend(ways.1, 1, 0)
                    extend(ways.2, 2, 0)
                }
                switch candidate {
                case 0: if way.price < next.0.price { next.0 = way }
                case 1: if way.price < next.1.price { next.1 = way }
                default: if way.price < next.2.price { next.2 = way }
                }
            }
            start = nil
            ways = next
            // The block may end after a level that is not 0.
            let following = row + TokenCosts.positionStride + TokenCosts.endSlot
            for context in 1...2 {
                let way = context == 1 ? ways.1 : ways.2
                guard way.price != .max else { continue }
                let ending = position == 15 ? 0 : Int(table[following + context * TokenCosts.contextStride])
                let price = way.price + worth * ending
                if price < best.price {
                    best = Way(price: price, steps: way.steps)
                    bestEnd = position
                }
            }
            position += 1
        }
        guard bestEnd >= first else { return LevelChoice(levels: BlockValues(), cost: nothing, isCoded: false) }
        var levels = BlockValues()
        for position in first...bestEnd {
            let place = Int(BlockCodingKernels.place(position))
            let down = Int16(truncatingIfNeeded: best.steps >> UInt32(2 * position) & 3)
            let level = largest[place]
            levels[place] = level < 0 ? level &+ down : level &- down
        }
        let cost = BlockCodingKernels.cost(
            levels, first: first, last: bestEnd, context: context, type: type, costs)
        return LevelChoice(levels: levels, cost: cost, isCoded: true)
    }
}

/// How much errors of coefficients count, in 64ths: those of high frequencies less.
enum TrellisWeights {
    static let values: [Int] = weights(slope: Tuning.usual.trellisSlope)

    static func weights(slope: Int) -> [Int] {
        (0..<16).map { place in
            let (u, v) = (place & 3, place >> 2)
            return 64 * 100 / (100 + slope * (u * u + v * v))
        }
    }
}
