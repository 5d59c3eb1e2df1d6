// The alphabets of deflate: which symbol and how many extra bits a length or a distance takes.

/// Numbers of RFC 1951, for writing.
///
/// Source: RFC 1951 section 3.2.5 "Compressed blocks (length and distance codes)".
package enum DeflateSymbols {
    /// The shortest and the longest match.
    package static let shortestMatch = 3, longestMatch = 258
    /// The farthest distance.
    package static let windowByteCount = 1 << 15
    /// The symbol that ends a block.
    package static let endOfBlock = 256
    /// Symbols of literals and lengths that occur, and of distances.
    package static let literalLengthCount = 286, distanceCount = 30
    /// The symbol of the shortest match.
    package static let firstLength = 257

    /// The symbol of each length 3...258, less 257.
    package static let lengthSlots: [UInt8] = [
        0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 9, 9, 10, 10, 11, 11,
        12, 12, 12, 12, 13, 13, 13, 13, 14, 14, 14, 14, 15, 15, 15, 15,
        16, 16, 16, 16, 16, 16, 16, 16, 17, 17, 17, 17, 17, 17, 17, 17,
        18, 18, 18, 18, 18, 18, 18, 18, 19, 19, 19, 19, 19, 19, 19, 19,
        20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20,
        21, 21, 21, 21, 21, 21, 21, 21, 21, 21, 21, 21, 21, 21, 21, 21,
        22, 22, 22, 22, 22, 22, 22, 22, 22, 22, 22, 22, 22, 22, 22, 22,
        23, 23, 23, 23, 23, 23, 23, 23, 23, 23, 23, 23, 23, 23, 23, 23,
        24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24,
        24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24,
        25, 25, 25, 25, 25, 25, 25, 25, 25, 25, 25, 25, 25, 25, 25, 25,
        25, 25, 25, 25, 25, 25, 25, 25, 25, 25, 25, 25, 25, 25, 25, 25,
        26, 26, 26, 26, 26, 26, 26, 26, 26, 26, 26, 26, 26, 26, 26, 26,
        26, 26, 26, 26, 26, 26, 26, 26, 26, 26, 26, 26, 26, 26, 26, 26,
        27, 27, 27, 27, 27, 27, 27, 27, 27, 27, 27, 27, 27, 27, 27, 27,
        27, 27, 27, 27, 27, 27, 27, 27, 27, 27, 27, 27, 27, 27, 27, 28,
    ]

    /// The shortest length of each symbol.
    package static let lengthBases = [
        3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227,
        258,
    ]
    /// The extra bits of each.
    package static let lengthExtraBits: [UInt8] = [
        0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
    ]

    /// The symbol of a distance, 1...32768: two for each power of two from 4 on.
    @inline(__always)
    package static func distanceSlot(_ distance: Int) -> Int {
        let number = UInt32(truncatingIfNeeded: distance &- 1)
        guard number >= 2 else { return Int(truncatingIfNeeded: number) }
        let highest = 31 &- number.leadingZeroBitCount
        return 2 &* highest &+ Int(truncatingIfNeeded: (number &>> UInt32(truncatingIfNeeded: highest &- 1)) & 1)
    }

    /// The farthest distance of a symbol.
    static func farthestDistance(_ slot: Int) -> Int {
        let next = slot + 1
        return next < 2 ? next : (2 + next & 1) << (next / 2 - 1)
    }

    /// The extra bits of a distance's symbol.
    @inline(__always)
    package static func distanceExtraBits(_ slot: Int) -> Int { slot < 4 ? 0 : slot &>> 1 &- 1 }

    /// The order in which the lengths of the code length code stand.
    ///
    /// Source: RFC 1951 section 3.2.7 "Compression with dynamic Huffman codes (BTYPE=10)".
    static let codeLengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

    /// Lengths of the fixed codes of literals and lengths.
    ///
    /// Source: RFC 1951 section 3.2.6 "Compression with fixed Huffman codes (BTYPE=01)".
    package static let fixedLiteralLengths: [UInt8] =
        Array(repeating: 8, count: 144) + Array(repeating: 9, count: 112) + Array(repeating: 7, count: 24)
        + Array(repeating: 8, count: 8)
}

/// Literals, then a match: what deflate codes a segment of input as.
///
/// Two words: how many literals, which are the next bytes of the segment; then the length of the match (low half) and its
/// distance (high half), both 0 if none follows.
struct DeflateSequence: Hashable, Sendable {
    var literalCount: Int
    var length: Int
    var distance: Int

    /// Bytes of a sequence in a buffer of them.
    package static let byteCount = 8

    /// Bytes of input that it stands for.
    var totalCount: Int { literalCount + length }

    /// The sequence at `index` of a buffer of words.
    init(_ words: Span<UInt32>, at index: Int) {
        literalCount = Int(words[2 * index])
        length = Int(words[2 * index + 1] & 0xFFFF)
        distance = Int(words[2 * index + 1] >> 16)
    }
}
