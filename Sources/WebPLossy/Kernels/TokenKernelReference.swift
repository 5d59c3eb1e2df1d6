// Modes and tokens by the book: one bool at a time, trees as the standard prints them. The kernels' plain twins, which
// decode rows, are in `ModeKernelReference.swift` and `TokenKernelReference+Rows.swift`.

import ImageCodecsCore

/// Decodes trees and tokens bool by bool.
package struct MacroblockReference {
    /// A tree of the standard: positive entries are further nodes, others leaves, negated.
    private typealias Tree = [Int]

    package var decoder: BooleanDecoder
    /// Coefficients other than zero that were read so far.
    package private(set) var nonZeroCount = 0
    private let input: [UInt8]

    /// - Parameter input: a partition.
    package init(_ input: [UInt8], at state: BooleanDecoder = BooleanDecoder()) {
        self.input = input
        decoder = state
    }

    private mutating func bool(_ probability: UInt8) -> Bool { input.withSpan { decoder.bool(probability, $0) } }

    /// - Source: RFC 6386 section 8.1 "Tree Coding Implementation"
    private mutating func read(_ tree: Tree, _ probabilities: ArraySlice<UInt8>, from start: Int = 0) -> Int {
        var node = start
        repeat {
            node = tree[node + (bool(probabilities[probabilities.startIndex + node / 2]) ? 1 : 0)]
        } while node > 0
        return -node
    }

    /// - Source: RFC 6386 section 11.2 "Luma Modes", section 11.4 "Chroma Modes"; the order of ``SubblockMode`` and
    ///   ``MacroblockMode``
    private static let subblockTree: Tree = [0, 2, -1, 4, -2, 6, 8, 12, -3, 10, -5, -6, -4, 14, -7, 16, -8, -9]
    private static let chromaTree: Tree = [0, 2, -1, 4, -2, -3]
    private static let segmentTree: Tree = [2, 4, 0, -1, -2, -3]

    /// The header of a macroblock.
    ///
    /// - Parameters:
    ///   - above: modes of the four subblocks above; become those of the lower edge.
    ///   - left: modes of the four to the left.
    package mutating func modes(
        _ parameters: ModeParameters, above: inout [UInt8], left: inout [UInt8]
    ) -> MacroblockInfo {
        var info = MacroblockInfo()
        if parameters.hasSegmentMap {
            let p = parameters.segmentProbabilities
            info.segment = UInt8(read(Self.segmentTree, [p[0], p[1], p[2]]))
        }
        if let probability = parameters.skipProbability { info.isSkipped = bool(probability) ? 1 : 0 }
        if bool(145) {
            let mode: UInt8 = bool(156) ? (bool(128) ? 3 : 2) : (bool(163) ? 1 : 0)
            info.modes[0] = mode
            let implied: [UInt8] = [0, 2, 3, 1]
            above = [UInt8](repeating: implied[Int(mode)], count: 4)
            left = above
        } else {
            info.hasSubblockModes = 1
            for index in 0..<16 {
                let context = Int(above[index % 4]) * 10 + Int(left[index / 4])
                let probabilities = SubblockModeProbabilities.keyFrame[context * 9..<context * 9 + 9]
                let mode = UInt8(read(Self.subblockTree, probabilities))
                info.modes[index] = mode
                (above[index % 4], left[index / 4]) = (mode, mode)
            }
        }
        info.chromaMode = UInt8(read(Self.chromaTree, [142, 114, 183]))
        return info
    }

    /// - Source: RFC 6386 section 13.2 "Coding of Individual Coefficient Values", coeff_tree: a token is its number, the end
    ///   of a block is 11
    private static let tokenTree: Tree = [
        -11, 2, 0, 4, -1, 6, 8, 12, -2, 10, -3, -4, 14, 16, -5, -6, 18, 20, -7, -8, -9, -10,
    ]
    static let extraProbabilities: [[UInt8]] = [
        [159], [165, 145], [173, 148, 140], [176, 155, 140, 135], [180, 157, 141, 134, 130],
        [254, 254, 243, 230, 196, 177, 153, 140, 133, 130, 129],
    ]
    static let bases = [5, 7, 11, 19, 35, 67]

    /// One block: sixteen coefficients in raster order, dequantised, and the position after the last token.
    ///
    /// - Parameters:
    ///   - type: 0...3.
    ///   - probabilities: in the order of the standard.
    ///   - dc: factor of the first coefficient.
    ///   - ac: factor of the others.
    package mutating func block(
        type: Int, context: Int, probabilities: [UInt8], dc: Int, ac: Int
    ) -> (coefficients: [Int16], end: Int) {
        var coefficients = [Int16](repeating: 0, count: 16)
        var (context, isBehindZero) = (context, false)
        for position in (type == 0 ? 1 : 0)..<16 {
            let band = Int(CoefficientProbabilityTables.bands[position])
            let start = ((type * 8 + band) * 3 + context) * 11
            // A zero is never followed by the end of the block.
            let token = read(Self.tokenTree, probabilities[start..<start + 11], from: isBehindZero ? 2 : 0)
            if token == 11 { return (coefficients, position) }
            var value = token
            if token >= 5 {
                var extra = 0
                for probability in Self.extraProbabilities[token - 5] {
                    extra = 2 * extra + (bool(probability) ? 1 : 0)
                }
                value = Self.bases[token - 5] + extra
            }
            if value != 0 {
                nonZeroCount += 1
                let factor = position == 0 ? dc : ac
                let signed = bool(128) ? -value : value
                coefficients[Int(TokenProbabilities.zigZag[position])] = Int16(truncatingIfNeeded: signed * factor)
            }
            (context, isBehindZero) = (min(value, 2), value == 0)
        }
        return (coefficients, 16)
    }

    /// Which blocks of the macroblocks above or to the left had coefficients: four of luma, two of U, two of V, and Y2.
    package struct Contexts: Hashable, Sendable {
        package var luma = [0, 0, 0, 0]
        package var chroma = [[0, 0], [0, 0]]
        package var y2 = 0

        package init() {}
    }

    /// The residue of a macroblock; its codes are set.
    ///
    /// - Returns: sixteen coefficients of each block whose code is not 0.
    package mutating func residue(
        _ info: inout MacroblockInfo, above: inout Contexts, left: inout Contexts, probabilities: [UInt8],
        steps: [Int32]
    ) -> [Int16] {
        (info.lumaCodes, info.chromaCodes) = (0, 0)
        let hasY2 = info.hasSubblockModes == 0
        guard info.isSkipped == 0 else {
            let kept = (above.y2, left.y2)
            (above, left) = (Contexts(), Contexts())
            if !hasY2 { (above.y2, left.y2) = kept }
            return []
        }
        let s = steps[6 * Int(info.segment)..<6 * Int(info.segment) + 6].map(Int.init)
        var dcs: [Int16] = []
        if hasY2 {
            let (block, end) = block(
                type: 1, context: above.y2 + left.y2, probabilities: probabilities, dc: s[2], ac: s[3])
            (above.y2, left.y2) = (end > 0 ? 1 : 0, end > 0 ? 1 : 0)
            dcs = ReconstructionReference.inverseWHT(block, end: end)
        }
        var stored: [Int16] = []
        for index in 0..<16 {
            let (x, y) = (index % 4, index / 4)
            var (block, end) = block(
                type: hasY2 ? 0 : 3, context: above.luma[x] + left.luma[y], probabilities: probabilities, dc: s[0],
                ac: s[1])
            (above.luma[x], left.luma[y]) = (end > (hasY2 ? 1 : 0) ? 1 : 0, end > (hasY2 ? 1 : 0) ? 1 : 0)
            if hasY2 { block[0] = dcs[index] }
            let code = Self.code(block, end)
            info.lumaCodes |= code << UInt32(2 * index)
            if code > 0 { stored += block }
        }
        for plane in 0..<2 {
            for index in 0..<4 {
                let (x, y) = (index % 2, index / 2)
                let (block, end) = block(
                    type: 2, context: above.chroma[plane][x] + left.chroma[plane][y], probabilities: probabilities,
                    dc: s[4], ac: s[5])
                (above.chroma[plane][x], left.chroma[plane][y]) = (end > 0 ? 1 : 0, end > 0 ? 1 : 0)
                let code = Self.code(block, end)
                info.chromaCodes |= UInt16(code << UInt32(8 * plane + 2 * index))
                if code > 0 { stored += block }
            }
        }
        return stored
    }

    private static func code(_ block: [Int16], _ end: Int) -> UInt32 {
        if end > 3 { return ResidueCode.full }
        if end > 1 { return ResidueCode.short }
        return block[0] != 0 ? ResidueCode.dc : ResidueCode.none
    }
}
