// DC scans to tokens: a first scan codes differences, a refinement scan one bit of each coefficient.
//
// In: the DC coefficients of MCUs in the order of the scan. Out: tokens. A block has one token or a sixteenth, so these
// loops need no kernel.

import ImageCodecsCore

/// Makes the tokens of DC scans of a progressive frame.
///
/// - Source: ITU-T T.81 (1992) §G.1.2.1 "Progressive encoding of DC coefficients with Huffman coding".
enum DCTokens {
    /// The differences of MCUs, up to the one for which there may be no room.
    ///
    /// - Parameters:
    ///   - columns: MCUs of `values`, each of `blocks.count` coefficients.
    ///   - low: bits left out at the low end; the rest is rounded down.
    /// - Returns: The column that comes next.
    static func first(
        columns: Range<Int>, blocks: [TokenBlock], values: Span<Int16>, low: Int, predictors: inout SIMD4<Int32>,
        tokens: inout MutableSpan<UInt32>, count: inout Int
    ) -> Int {
        for column in columns {
            guard count <= tokens.count - blocks.count else { return column }
            var index = column * blocks.count
            for block in blocks {
                let value = Int32(values[index] >> Int16(low))
                let difference = value - predictors[block.predictor]
                predictors[block.predictor] = value
                // At most 16 bits, as the values have; eight-bit samples give eleven.
                let size = 32 - difference.magnitude.leadingZeroBitCount
                let bits = (difference < 0 ? difference - 1 : difference) & (1 << Int32(size) - 1)
                tokens[count] = EntropyToken.make(
                    table: EntropyToken.dcTable + block.table, symbol: size, bits: Int(bits), bitCount: size)
                count += 1
                index += 1
            }
        }
        return columns.upperBound
    }

    /// Bit `low` of the coefficients of MCUs, sixteen to a token.
    ///
    /// - Returns: The column that comes next.
    static func refinement(
        columns: Range<Int>, blocksPerMCU: Int, values: Span<Int16>, low: Int, tokens: inout MutableSpan<UInt32>,
        count: inout Int
    ) -> Int {
        var (bits, bitCount) = (0, 0)
        var column = columns.lowerBound
        while column < columns.upperBound, count < tokens.count - blocksPerMCU {
            for index in column * blocksPerMCU..<(column + 1) * blocksPerMCU {
                bits = bits << 1 | Int(values[index] >> Int16(low)) & 1
                bitCount += 1
                guard bitCount == 16 else { continue }
                tokens[count] = EntropyToken.make(table: EntropyToken.rawTable, symbol: 0, bits: bits, bitCount: 16)
                count += 1
                (bits, bitCount) = (0, 0)
            }
            column += 1
        }
        if bitCount > 0 {
            tokens[count] = EntropyToken.make(table: EntropyToken.rawTable, symbol: 0, bits: bits, bitCount: bitCount)
            count += 1
        }
        return column
    }
}
