// Symbol counts to the Huffman table that codes them in the fewest bits.

package import JPEGBaselineCodec

/// Finds the best code of at most 16 bits in which no code consists of ones alone.
///
/// The standard's own procedure makes a Huffman code and then shortens what is too long; this one finds the best of all
/// codes within the limit, by packages: the coins of each length are the symbols, and pairs of coins of the next
/// length.
///
/// - Source: ITU-T T.81 (1992) §K.2 "A procedure for generating the lists which specify a Huffman code table" for what
///   a table must be; Larmore and Hirschberg, "A fast algorithm for optimal length-limited Huffman codes" (1990).
package enum OptimalHuffmanTable {
    /// The longest code that a table can state.
    package static let longestCode = 16

    /// The table for symbols 0...255 with these counts; symbols that do not occur have no code.
    ///
    /// - Parameter counts: 256 numbers, not all zero.
    package static func specification(of counts: [Int]) -> HuffmanSpecification {
        // From the rarest to the most frequent. Equal counts go by the symbol, so that the order is one only.
        let symbols = counts.indices.filter { counts[$0] != 0 }
            .sorted { (counts[$0], $1) < (counts[$1], $0) }
        // The code of ones alone belongs to a symbol that never occurs: the rarest, so its code is the longest.
        let lengths = lengths(of: [0] + symbols.map { UInt64(counts[$0]) }, longest: longestCode)
        var numbers = [UInt8](repeating: 0, count: longestCode)
        for length in lengths.dropFirst() { numbers[length - 1] += 1 }
        // At the same length the symbols are in ascending order; short codes belong to frequent symbols.
        let order = zip(lengths.dropFirst(), symbols).sorted { ($0.0, $0.1) < ($1.0, $1.1) }
        return HuffmanSpecification(counts: numbers, symbols: order.map { UInt8($0.1) })
    }

    /// The lengths of the codes of the best prefix code.
    ///
    /// - Parameters:
    ///   - weights: at least one, in ascending order.
    ///   - longest: the longest code allowed; there are at most `1 << longest` weights.
    /// - Returns: One length for each weight, in descending order; a single weight gets one bit.
    package static func lengths(of weights: [UInt64], longest: Int) -> [Int] {
        let count = weights.count
        guard count > 1 else { return weights.map { _ in 1 } }
        precondition(count <= 1 << longest)
        // For each length, longest first, whether each coin in ascending order is a symbol or a pair.
        var isSymbol: [[Bool]] = []
        isSymbol.reserveCapacity(longest)
        var coins = weights
        isSymbol.append(Array(repeating: true, count: count))
        for _ in 1..<longest {
            var (merged, flags): ([UInt64], [Bool]) = ([], [])
            merged.reserveCapacity(2 * count)
            flags.reserveCapacity(2 * count)
            var (symbol, pair) = (0, 0)
            let pairCount = coins.count / 2
            while symbol < count || pair < pairCount {
                let value = pair < pairCount ? coins[2 * pair] + coins[2 * pair + 1] : .max
                if symbol < count, weights[symbol] <= value {
                    merged.append(weights[symbol])
                    flags.append(true)
                    symbol += 1
                } else {
                    merged.append(value)
                    flags.append(false)
                    pair += 1
                }
            }
            coins = merged
            isSymbol.append(flags)
        }
        // The cheapest coins of length one; what pairs among them are made of is taken from the next length.
        var lengths = [Int](repeating: 0, count: count)
        var taken = 2 * count - 2
        for flags in isSymbol.reversed() {
            let symbols = flags.prefix(taken).reduce(0) { $0 + ($1 ? 1 : 0) }
            for index in 0..<symbols { lengths[index] += 1 }
            taken = 2 * (taken - symbols)
        }
        return lengths
    }
}
