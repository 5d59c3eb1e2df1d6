// VP8L's bits and prefix codes, whether or not they make sense.

import CodecTestSupport

/// Writes bits, the first in the lowest bit of a byte.
struct LosslessBitWriter {
    private(set) var bytes: [UInt8] = []
    private var bitCount = 0

    mutating func put(_ value: Int, _ count: Int) {
        for bit in 0..<count {
            if bitCount % 8 == 0 { bytes.append(0) }
            if value >> bit & 1 == 1 { bytes[bytes.count - 1] |= 1 << UInt8(bitCount % 8) }
            bitCount += 1
        }
    }
}

/// A prefix code whose symbols all have codes of one length: 1, 2, 4, ... symbols.
///
/// - Source: RFC 9649 §3.7.2.1.1 "Simple Code Length Code", §3.7.2.1.2 "Normal Code Length Code".
struct FlatPrefixCode {
    /// In ascending order; their number is a power of two.
    let symbols: [Int]

    private var length: Int { symbols.count.trailingZeroBitCount }

    /// - Parameters:
    ///   - wanted: some symbols.
    ///   - alphabetSize: no symbol is larger.
    init(_ wanted: Set<Int>, alphabetSize: Int, _ source: inout DecisionSource) {
        var chosen = wanted
        while chosen.count & (chosen.count - 1) != 0 || chosen.isEmpty { chosen.insert(source.below(alphabetSize)) }
        symbols = chosen.sorted()
    }

    /// Writes the code itself.
    func writeCode(_ writer: inout LosslessBitWriter, alphabetSize: Int, _ source: inout DecisionSource) {
        if symbols.count <= 2, symbols.allSatisfy({ $0 < 256 }), !source.oneIn(4) {
            return writeSimple(&writer)
        }
        writer.put(0, 1)
        // All nineteen code lengths: thirteen with codes of four bits, six with codes of five.
        writer.put(15, 4)
        let order = [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
        for symbol in order { writer.put(source.isFault(oneIn: 4000) ? source.below(8) : symbol < 13 ? 4 : 5, 3) }
        let isShort = source.oneIn(3)
        let count = isShort ? (symbols.last ?? 0) + 1 : alphabetSize
        writer.put(isShort ? 1 : 0, 1)
        if isShort {
            let bitCount = max(2, (count - 2).bitWidth - max(0, count - 2).leadingZeroBitCount)
            let field = (bitCount + 1) / 2
            writer.put(field - 1, 3)
            writer.put(max(0, count - 2), 2 * field)
        }
        let used = Set(symbols)
        for symbol in 0..<count {
            var length = used.contains(symbol) ? max(1, self.length) : 0
            if source.isFault(oneIn: 6000) { length = source.below(16) }
            writeLength(length, &writer)
        }
    }

    private func writeSimple(_ writer: inout LosslessBitWriter) {
        writer.put(1, 1)
        writer.put(symbols.count - 1, 1)
        let isLarge = symbols[0] > 1
        writer.put(isLarge ? 1 : 0, 1)
        writer.put(symbols[0], isLarge ? 8 : 1)
        if symbols.count == 2 { writer.put(symbols[1], 8) }
    }

    /// A code length by the code of four and five bits above: canonical, so the short ones come first.
    private func writeLength(_ length: Int, _ writer: inout LosslessBitWriter) {
        if length < 13 { put(length, 4, &writer) } else { put(26 + length - 13, 5, &writer) }
    }

    /// A code, its first bit first.
    private func put(_ code: Int, _ count: Int, _ writer: inout LosslessBitWriter) {
        for bit in (0..<count).reversed() { writer.put(code >> bit & 1, 1) }
    }

    /// Writes any symbol that has a code.
    ///
    /// - Returns: the symbol.
    @discardableResult
    func writeAny(_ writer: inout LosslessBitWriter, _ source: inout DecisionSource) -> Int {
        let index = source.below(symbols.count)
        put(index, length, &writer)
        return symbols[index]
    }

    /// Writes a symbol that has a code.
    func write(_ symbol: Int, _ writer: inout LosslessBitWriter) {
        put(symbols.firstIndex(of: symbol) ?? 0, length, &writer)
    }
}
