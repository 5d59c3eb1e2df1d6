// What symbols cost before their codes are known: bits by the frequencies of symbols that were counted elsewhere.

import ImageCodecsCore

/// Prices of literals, lengths and distances, in sixteenths of a bit; extra bits are included.
struct DeflatePrices: Sendable {
    /// Where the prices of the 256 literals, of lengths 3...258 and of the distance symbols begin.
    static let literals = 0, lengths = 256, distances = 512
    /// How many there are.
    static let count = distances + 32

    /// The prices, laid out like that.
    private(set) var prices: [UInt32]

    /// Bits by which a number of sixteenths exceeds that of bits.
    static let scaleBits = 4
    private static let bit: UInt32 = 1 << UInt32(scaleBits)

    /// Prices of symbols of which nothing is known but the bytes of the input.
    ///
    /// - Parameter bytes: how often each byte occurs in the input.
    init(bytes: [UInt32]) {
        prices = Array(repeating: 0, count: Self.count)
        let total = bytes.reduce(0) { $0 + Int($1) }
        // Bytes that matches stand for make the others rarer than they seem: none is taken for cheap.
        for byte in 0..<256 {
            prices[byte] = max(3 * Self.bit, Self.price(Int(bytes[byte]), of: total + total / 4))
        }
        setLengths { _ in 7 * Self.bit }
        setDistances { _ in 5 * Self.bit }
    }

    /// Prices of symbols that are as frequent as those counted; see ``DeflateCounts``.
    init(counts: [UInt32]) {
        prices = Array(repeating: 0, count: Self.count)
        let symbols = counts[DeflateCounts.literalLengths..<DeflateCounts.literalLengths + 286]
        let distances = counts[DeflateCounts.distances..<DeflateCounts.distances + 30]
        let total = symbols.reduce(0) { $0 + Int($1) }
        let distanceTotal = distances.reduce(0) { $0 + Int($1) }
        for byte in 0..<256 { prices[byte] = Self.price(Int(counts[byte]), of: total) }
        setLengths { slot in Self.price(Int(counts[DeflateSymbols.firstLength + slot]), of: total) }
        setDistances { slot in Self.price(Int(counts[DeflateCounts.distances + slot]), of: distanceTotal) }
    }

    private mutating func setLengths(_ price: (_ slot: Int) -> UInt32) {
        for length in 0..<256 {
            let slot = Int(DeflateSymbols.lengthSlots[length])
            prices[Self.lengths + length] = price(slot) + UInt32(DeflateSymbols.lengthExtraBits[slot]) * Self.bit
        }
    }

    private mutating func setDistances(_ price: (_ slot: Int) -> UInt32) {
        for slot in 0..<DeflateSymbols.distanceCount {
            prices[Self.distances + slot] =
                price(slot) + UInt32(DeflateSymbols.distanceExtraBits(slot)) * Self.bit
        }
    }

    /// The price of a symbol that occurs `count` times in `total`; of one that does not occur, a little more than if it did once.
    private static func price(_ count: Int, of total: Int) -> UInt32 {
        let bits = BinaryLogarithm.of(2 * max(1, total)) - BinaryLogarithm.of(count == 0 ? 1 : 2 * count)
        return UInt32(min(max(bits, BinaryLogarithm.one / 8), 15 * BinaryLogarithm.one) * Int(bit) / BinaryLogarithm.one)
    }
}

/// Logarithms to the base of two as whole numbers of 1/256.
enum BinaryLogarithm {
    /// The logarithm of two.
    static let one = 256

    /// The logarithm of a number of at least 1.
    @inline(__always)
    static func of(_ number: Int) -> Int {
        let exponent = Int.bitWidth &- 1 &- number.leadingZeroBitCount
        // The eight bits after the highest one.
        let fraction = exponent >= 8 ? number &>> (exponent &- 8) : number &<< (8 &- exponent)
        return exponent &* one &+ Int(fractions[fraction & 255])
    }

    /// Logarithms of 1 + n / 256.
    private static let fractions: [UInt8] = (0..<256).map { number in
        var (value, logarithm) = (1 + Double(number) / 256, 0.0)
        // Squaring doubles the logarithm: whether the square reaches two is its next bit.
        for bit in 1...20 {
            value *= value
            guard value >= 2 else { continue }
            value /= 2
            logarithm += 1 / Double(1 << bit)
        }
        return UInt8(min(255, (logarithm * 256).rounded()))
    }
}
