// What modes cost, and how they are written.

import ImageCodecsCore

/// Costs of modes in 256ths of a bit.
///
/// - Source: RFC 6386 section 11.2 "Luma Modes" to section 11.5 "Subblock Mode Probability Table"
struct ModeCosts: Sendable {
    /// Of the modes of whole macroblocks, with the flag that luma has one.
    static let luma = (0..<4).map { mode in
        BitCosts.cost(true, 145) + BitCosts.cost(mode > 1, 156)
            + (mode > 1 ? BitCosts.cost(mode == 3, 128) : BitCosts.cost(mode == 1, 163))
    }
    static let chroma = (0..<4).map { mode in
        BitCosts.cost(mode > 0, 142) + (mode > 0 ? BitCosts.cost(mode > 1, 114) : 0)
            + (mode > 1 ? BitCosts.cost(mode > 2, 183) : 0)
    }
    /// Of the flag that subblocks have modes of their own.
    static let subblocks = BitCosts.cost(false, 145)

    /// Of subblock modes: above, left, mode.
    static let subblock: [UInt16] = (0..<1000).map { index in
        var counter = ModeCounter()
        ModeTree.append(index % 10, context: index / 10) { isSet, probability in
            counter.sum += BitCosts.cost(isSet, probability)
        }
        return UInt16(counter.sum)
    }

    private struct ModeCounter { var sum = 0 }

    /// What modes of whole macroblocks count as beside subblocks that have their own.
    static let implied: [UInt8] = [
        SubblockMode.dc, SubblockMode.vertical, SubblockMode.horizontal, SubblockMode.trueMotion,
    ]
}

/// The tree of subblock modes.
///
/// - Source: RFC 6386 section 11.2 "Luma Modes", bmode_tree
enum ModeTree {
    /// The bools of a mode.
    @inline(__always)
    static func append(_ mode: Int, context: Int, _ body: (Bool, UInt8) -> Void) {
        let start = 9 * context
        func probability(_ node: Int) -> UInt8 { SubblockModeProbabilities.keyFrame[start + node] }
        let mode = UInt8(mode)
        body(mode != SubblockMode.dc, probability(0))
        if mode == SubblockMode.dc { return }
        body(mode != SubblockMode.trueMotion, probability(1))
        if mode == SubblockMode.trueMotion { return }
        body(mode != SubblockMode.vertical, probability(2))
        if mode == SubblockMode.vertical { return }
        let isFirst =
            mode == SubblockMode.horizontal || mode == SubblockMode.rightDown || mode == SubblockMode.verticalRight
        body(!isFirst, probability(3))
        if isFirst {
            body(mode != SubblockMode.horizontal, probability(4))
            if mode != SubblockMode.horizontal { body(mode == SubblockMode.verticalRight, probability(5)) }
            return
        }
        body(mode != SubblockMode.leftDown, probability(6))
        if mode == SubblockMode.leftDown { return }
        body(mode != SubblockMode.verticalLeft, probability(7))
        if mode == SubblockMode.verticalLeft { return }
        body(mode == SubblockMode.horizontalUp, probability(8))
    }
}
