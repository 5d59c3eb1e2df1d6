// Symbol counts to the Huffman table that codes them in the fewest bits.

import ImageCodecsCore
package import JPEGBaselineCodec

/// Finds the best code of at most 16 bits in which no code consists of ones alone.
///
/// The standard's own procedure makes a Huffman code and then shortens what is too long; `PrefixCodeLengths` finds the best of all
/// codes within the limit.
///
/// - Source: ITU-T T.81 (1992) §K.2 "A procedure for generating the lists which specify a Huffman code table" for what
///   a table must be.
package enum OptimalHuffmanTable {
    /// The longest code that a table can state.
    package static let longestCode = 16

    /// The table for symbols 0...255 with these counts; symbols that do not occur have no code.
    ///
    /// - Parameter counts: 256 numbers, not all zero.
    package static func specification(of counts: [UInt32]) -> HuffmanSpecification {
        var lengths = [UInt8](repeating: 0, count: counts.count)
        var makeLengths = PrefixCodeLengths()
        // The code of ones alone belongs to nobody.
        makeLengths.make(counts, limit: longestCode, keepsPlace: true, into: &lengths)
        var numbers = [UInt8](repeating: 0, count: longestCode)
        for length in lengths where length > 0 { numbers[Int(length) - 1] += 1 }
        // Short codes first; at the same length the symbols are in ascending order.
        var places: [Int] = []
        var end = 0
        for number in numbers {
            places.append(end)
            end += Int(number)
        }
        var symbols = [UInt8](repeating: 0, count: end)
        for (symbol, length) in lengths.enumerated() where length > 0 {
            symbols[places[Int(length) - 1]] = UInt8(symbol)
            places[Int(length) - 1] += 1
        }
        return HuffmanSpecification(counts: numbers, symbols: symbols)
    }
}
