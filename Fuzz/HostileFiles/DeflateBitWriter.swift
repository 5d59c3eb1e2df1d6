// Deflate's bits and prefix codes, whether or not they make sense.

/// Writes bits, the first in the lowest bit of a byte.
///
/// Source: RFC 1951 section 3.1.1 "Packing into bytes".
package struct DeflateBitWriter: Sendable {
    package private(set) var bytes: [UInt8] = []
    private var reservoir: UInt64 = 0
    private var bitCount: UInt64 = 0

    package init() {}

    /// Writes the low `count` bits of `value`, at most 32.
    package mutating func put(_ value: Int, _ count: Int) {
        reservoir |= (UInt64(truncatingIfNeeded: value) & (1 << UInt64(count) - 1)) << bitCount
        bitCount += UInt64(count)
        while bitCount >= 8 { putByte() }
    }

    /// Writes a code, its first bit first.
    package mutating func putCode(_ code: Int, _ count: Int) {
        var turned = 0
        for bit in 0..<count { turned |= (code >> bit & 1) << (count - 1 - bit) }
        put(turned, count)
    }

    /// Fills the last byte with zeros.
    package mutating func alignToByte() {
        if bitCount > 0 { putByte() }
    }

    /// Writes whole bytes after the last one.
    package mutating func put(_ whole: [UInt8]) {
        alignToByte()
        bytes += whole
    }

    private mutating func putByte() {
        bytes.append(UInt8(truncatingIfNeeded: reservoir))
        reservoir >>= 8
        bitCount -= min(8, bitCount)
    }
}

/// The codes of an alphabet, from the lengths that they have.
///
/// Source: RFC 1951 section 3.2.2 "Use of Huffman coding in the "deflate" format".
package struct DeflateCode: Sendable {
    package let lengths: [Int]
    /// For lengths that make no code, what the rules make of them all the same.
    private let codes: [Int]
    /// Symbols that have a code.
    package let symbols: [Int]

    package init(lengths: [Int]) {
        self.lengths = lengths
        var (next, counts) = ([Int](repeating: 0, count: 16), [Int](repeating: 0, count: 16))
        for length in lengths where length > 0 { counts[length] += 1 }
        for length in 1...15 { next[length] = (next[length - 1] + counts[length - 1]) << 1 }
        var codes = [Int](repeating: 0, count: lengths.count)
        for (symbol, length) in lengths.enumerated() where length > 0 {
            codes[symbol] = next[length]
            next[length] += 1
        }
        self.codes = codes
        symbols = lengths.indices.filter { lengths[$0] > 0 }
    }

    package func write(_ symbol: Int, _ writer: inout DeflateBitWriter) {
        writer.putCode(codes[symbol], lengths[symbol])
    }

    /// The fixed code of literals and lengths.
    package static let fixedLiteralLength = DeflateCode(
        lengths: (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 })
    /// The fixed code of distances.
    package static let fixedDistance = DeflateCode(lengths: [Int](repeating: 5, count: 32))
}
