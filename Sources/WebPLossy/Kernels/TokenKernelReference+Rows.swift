// Plain twin of TokenKernel: one bool at a time, every access checked.

import ImageCodecsCore

/// Contexts are nine bits: 0...3 luma, 4...5 U, 6...7 V, 8 Y2.
package enum TokenKernelReference: TokenBuffers {
    /// A block's coefficients in raster order.
    private typealias Block = SIMD16<Int16>

    /// See ``TokenKernel/decodeRow(_:isExact:to:infos:top:probabilities:steps:input:coefficients:)``; always exact.
    package static func decodeRow(
        _ state: inout TokenState, isExact: Bool, to stop: Int, infos: inout MutableSpan<MacroblockInfo>,
        top: inout MutableSpan<UInt16>, probabilities: [UInt16], steps: [Int32], input: RawSpan,
        coefficients: inout MutableSpan<Int16>
    ) -> TokenPause {
        while state.column < min(stop, infos.count) {
            var macroblock = Macroblock(
                info: infos[state.column], above: top[state.column], left: state.left,
                stored: state.coefficientCount, reader: PlainBooleanReader(state.reader))
            macroblock.decode(probabilities, steps, input, into: &coefficients)
            if macroblock.reader.isDry { return .dry }
            (infos[state.column], top[state.column]) = (macroblock.info, macroblock.above)
            (state.left, state.coefficientCount) = (macroblock.left, macroblock.stored)
            state.reader = macroblock.reader.state
            state.column += 1
        }
        return state.column < infos.count ? .reachedStop : .rowComplete
    }

    /// What changes while a macroblock is decoded.
    private struct Macroblock {
        var info: MacroblockInfo
        var above: UInt16
        var left: UInt16
        var stored: Int
        var reader: PlainBooleanReader

        mutating func decode(
            _ probabilities: [UInt16], _ steps: [Int32], _ input: RawSpan, into coefficients: inout MutableSpan<Int16>
        ) {
            let hasY2 = info.hasSubblockModes == 0
            (info.lumaCodes, info.chromaCodes) = (0, 0)
            guard info.isSkipped == 0 else {
                // The Y2 contexts stay where there is no Y2.
                let kept: UInt16 = hasY2 ? 0 : 1 << 8
                (above, left) = (above & kept, left & kept)
                return
            }
            let first = Int(info.segment & 3) * DequantizationFactors.countPerSegment
            var dcs = Block()
            if hasY2 {
                let (dc, ac) = (steps[first + 2], steps[first + 3])
                let (block, _) = decode(1, (8, 8), from: 0, dc, ac, probabilities, input)
                dcs = TokenKernelReference.inverseWHT(block)
            }
            for index in 0..<16 {
                var (block, end) = decode(
                    hasY2 ? 0 : 3, (index % 4, index / 4), from: hasY2 ? 1 : 0, steps[first], steps[first + 1],
                    probabilities, input)
                if hasY2 { block[0] = dcs[index] }
                info.lumaCodes |= store(block, end, into: &coefficients) << UInt32(2 * index)
            }
            for index in 0..<8 {
                let contexts = 4 + index / 4 * 2
                let (block, end) = decode(
                    2, (contexts + index % 2, contexts + index / 2 % 2), from: 0, steps[first + 4], steps[first + 5],
                    probabilities, input)
                info.chromaCodes |= UInt16(store(block, end, into: &coefficients) << UInt32(2 * index))
            }
        }

        /// Stores a block if it has coefficients; its code.
        private mutating func store(
            _ block: Block, _ end: Int, into coefficients: inout MutableSpan<Int16>
        ) -> UInt32 {
            let code =
                end > 3
                ? ResidueCode.full
                : end > 1 ? ResidueCode.short : block[0] != 0 ? ResidueCode.dc : ResidueCode.none
            guard code != ResidueCode.none else { return code }
            for index in 0..<16 { coefficients[stored + index] = block[index] }
            stored += 16
            return code
        }

        /// Decodes a block, and sets its contexts.
        ///
        /// - Parameters:
        ///   - type: 0...3.
        ///   - contexts: the bits of those above and to the left.
        ///   - first: the first position that is coded.
        /// - Returns: the block, and the position after the last token; `first` if there is none.
        private mutating func decode(
            _ type: Int, _ contexts: (above: Int, left: Int), from first: Int, _ dc: Int32, _ ac: Int32,
            _ probabilities: [UInt16], _ input: RawSpan
        ) -> (block: Block, end: Int) {
            let context = Int(above >> UInt16(contexts.above) & 1 + left >> UInt16(contexts.left) & 1)
            let result = decode(type, context, from: first, dc, ac, probabilities, input)
            let flag: UInt16 = result.end > first ? 1 : 0
            above = above & ~(1 << UInt16(contexts.above)) | flag << UInt16(contexts.above)
            left = left & ~(1 << UInt16(contexts.left)) | flag << UInt16(contexts.left)
            return result
        }

        private mutating func decode(
            _ type: Int, _ firstContext: Int, from first: Int, _ dc: Int32, _ ac: Int32, _ probabilities: [UInt16],
            _ input: RawSpan
        ) -> (block: Block, end: Int) {
            var (block, context, isBehindZero) = (Block(), firstContext, false)
            for position in first..<16 {
                let node =
                    type * TokenProbabilities.typeStride + position * TokenProbabilities.rowStride
                    + context * TokenProbabilities.contextStride
                // A zero is never followed by the end of the block.
                if !isBehindZero, !bit(node, probabilities, input) { return (block, position) }
                isBehindZero = !bit(node + 1, probabilities, input)
                context = 0
                if isBehindZero { continue }
                let value = bit(node + 2, probabilities, input) ? large(node, probabilities, input) : 1
                context = value == 1 ? 1 : 2
                let signed = reader.sign(input) ? -value : value
                block[Int(TokenProbabilities.zigZag[position])] =
                    Int16(truncatingIfNeeded: signed &* (position == 0 ? dc : ac))
            }
            return (block, 16)
        }

        private mutating func bit(_ node: Int, _ probabilities: [UInt16], _ input: RawSpan) -> Bool {
            reader.bit(UInt8(probabilities[node] >> 8), input)
        }

        /// A value of two or more.
        ///
        /// - Source: RFC 6386 section 13.2 "Coding of Individual Coefficient Values"
        private mutating func large(_ node: Int, _ probabilities: [UInt16], _ input: RawSpan) -> Int32 {
            if !bit(node + 3, probabilities, input) {
                if !bit(node + 4, probabilities, input) { return 2 }
                return bit(node + 5, probabilities, input) ? 4 : 3
            }
            var category = 0
            if !bit(node + 6, probabilities, input) {
                category = bit(node + 7, probabilities, input) ? 1 : 0
            } else {
                let high = bit(node + 8, probabilities, input) ? 1 : 0
                category = 2 + 2 * high + (bit(node + 9 + high, probabilities, input) ? 1 : 0)
            }
            var extra: Int32 = 0
            for probability in MacroblockReference.extraProbabilities[category] {
                extra = 2 * extra + (reader.bit(probability, input) ? 1 : 0)
            }
            return Int32(MacroblockReference.bases[category]) + extra
        }
    }

    /// The second-order transform.
    ///
    /// - Source: RFC 6386 section 14.3 "Implementation of the WHT Inversion"
    private static func inverseWHT(_ c: Block) -> Block {
        func pass(_ i: SIMD4<Int32>) -> SIMD4<Int32> {
            let (a, b, c, d) = (i[0] + i[3], i[1] + i[2], i[1] - i[2], i[0] - i[3])
            return SIMD4(a + b, d + c, a - b, d - c)
        }
        var columns = SIMD16<Int32>()
        for x in 0..<4 {
            let column = pass(SIMD4(Int32(c[x]), Int32(c[4 + x]), Int32(c[8 + x]), Int32(c[12 + x])))
            for y in 0..<4 { columns[4 * y + x] = column[y] }
        }
        var result = Block()
        for y in 0..<4 {
            let row = pass(SIMD4(columns[4 * y] + 3, columns[4 * y + 1], columns[4 * y + 2], columns[4 * y + 3]))
            for x in 0..<4 { result[4 * y + x] = Int16(truncatingIfNeeded: row[x] >> 3) }
        }
        return result
    }
}

#if ReferenceKernels
package typealias TokenKernel = TokenKernelReference
#endif
