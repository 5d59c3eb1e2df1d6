// What symbols cost before their codes are known: bits by the frequencies of symbols that were counted elsewhere.

import ImageCodecsCore

/// Prices of literals, lengths and distances, in sixteenths of a bit; extra bits are included.
package struct DeflatePrices: Sendable {
    /// Where the prices of the 256 literals, of lengths 3...258 and of the distance symbols begin.
    package static let literals = 0, lengths = 256, distances = 512
    /// Where it begins how far matches of three bytes may be away to save anything; see ``reachIndex(_:)``.
    package static let reaches = distances + 32
    /// How many there are of all.
    package static let count = reaches + reachCount

    /// Three literals cost at most 3 * 15 bits, which are 180 quarters.
    private static let reachCount = 256

    /// Which reach is for three literals of this price: one for each quarter of a bit.
    @inline(__always)
    package static func reachIndex(_ price: UInt32) -> Int { Int(price &>> 2) & (reachCount &- 1) }

    /// The prices, and the reaches, laid out like that.
    package private(set) var prices: [UInt32]

    /// Bits by which a number of sixteenths exceeds that of bits.
    package static let scaleBits = 4
    private static let bit: UInt32 = 1 << UInt32(scaleBits)

    /// Prices of symbols of which nothing is known but the bytes of the input.
    ///
    /// - Parameters:
    ///   - bytes: how often each byte occurs in the input.
    ///   - lengthBits: bits of the symbol of a length.
    ///   - distanceBits: bits of the symbol of a distance.
    package init(bytes: [UInt32], lengthBits: UInt32, distanceBits: UInt32) {
        prices = Array(repeating: 0, count: Self.count)
        let total = bytes.reduce(0) { $0 + Int($1) }
        // Bytes that matches stand for make the others rarer than they seem: none is taken for cheap.
        for byte in 0..<256 {
            prices[byte] = max(3 * Self.bit, Self.price(Int(bytes[byte]), of: total + total / 4))
        }
        setLengths { _ in lengthBits * Self.bit }
        setDistances { _ in distanceBits * Self.bit }
        setReaches()
    }

    /// Prices of symbols that are as frequent as those counted; see ``DeflateCounts``.
    package init(counts: [UInt32]) {
        prices = Array(repeating: 0, count: Self.count)
        let symbols = counts[DeflateCounts.literalLengths..<DeflateCounts.literalLengths + 286]
        let distances = counts[DeflateCounts.distances..<DeflateCounts.distances + 30]
        let total = symbols.reduce(0) { $0 + Int($1) }
        let distanceTotal = distances.reduce(0) { $0 + Int($1) }
        for byte in 0..<256 { prices[byte] = Self.price(Int(counts[byte]), of: total) }
        setLengths { slot in Self.price(Int(counts[DeflateSymbols.firstLength + slot]), of: total) }
        setDistances { slot in Self.price(Int(counts[DeflateCounts.distances + slot]), of: distanceTotal) }
        setReaches()
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

    private mutating func setReaches() {
        for index in 0..<Self.reachCount {
            let literals = UInt32(index << 2 + 3)
            let slot = (0..<DeflateSymbols.distanceCount).last {
                prices[Self.lengths] + prices[Self.distances + $0] < literals
            }
            prices[Self.reaches + index] = slot.map { UInt32(DeflateSymbols.farthestDistance($0)) } ?? 0
        }
    }

    /// The price of a symbol that occurs `count` times in `total`; of one that does not occur, a little more than if it did once.
    private static func price(_ count: Int, of total: Int) -> UInt32 {
        let bits = BinaryLogarithm.of(2 * max(1, total)) - BinaryLogarithm.of(count == 0 ? 1 : 2 * count)
        return UInt32(
            min(max(bits, BinaryLogarithm.one / 8), 15 * BinaryLogarithm.one) * Int(bit) / BinaryLogarithm.one)
    }
}

/// Logarithms to the base of two as whole numbers of 1/256.
package enum BinaryLogarithm {
    /// The logarithm of two.
    package static let one = 256

    /// The logarithm of a number of at least 1.
    @inline(__always)
    package static func of(_ number: Int) -> Int {
        let exponent = Int.bitWidth &- 1 &- number.leadingZeroBitCount
        // The eight bits after the highest one.
        let fraction = exponent >= 8 ? number &>> (exponent &- 8) : number &<< (8 &- exponent)
        return exponent &* one &+ Int(fractions[fraction & 255])
    }

    /// 256 times the logarithms of 1 + n / 256, rounded.
    private static let fractions: [UInt8] = [
        0, 1, 3, 4, 6, 7, 9, 10, 11, 13, 14, 16, 17, 18, 20, 21,
        22, 24, 25, 26, 28, 29, 30, 32, 33, 34, 36, 37, 38, 40, 41, 42,
        44, 45, 46, 47, 49, 50, 51, 52, 54, 55, 56, 57, 59, 60, 61, 62,
        63, 65, 66, 67, 68, 69, 71, 72, 73, 74, 75, 77, 78, 79, 80, 81,
        82, 84, 85, 86, 87, 88, 89, 90, 92, 93, 94, 95, 96, 97, 98, 99,
        100, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 116, 117,
        118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130, 131, 132, 133,
        134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149,
        150, 151, 152, 153, 154, 155, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164,
        165, 166, 167, 168, 169, 169, 170, 171, 172, 173, 174, 175, 176, 177, 178, 178,
        179, 180, 181, 182, 183, 184, 185, 185, 186, 187, 188, 189, 190, 191, 192, 192,
        193, 194, 195, 196, 197, 198, 198, 199, 200, 201, 202, 203, 203, 204, 205, 206,
        207, 208, 208, 209, 210, 211, 212, 212, 213, 214, 215, 216, 216, 217, 218, 219,
        220, 220, 221, 222, 223, 224, 224, 225, 226, 227, 228, 228, 229, 230, 231, 231,
        232, 233, 234, 234, 235, 236, 237, 238, 238, 239, 240, 241, 241, 242, 243, 244,
        244, 245, 246, 247, 247, 248, 249, 249, 250, 251, 252, 252, 253, 254, 255, 255,
    ]
}
