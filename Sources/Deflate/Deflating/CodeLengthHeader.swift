// The header of a block with codes of its own: the lengths of both codes, themselves coded by their runs.

import ImageCodecsCore

/// Makes and writes the header of a dynamic block.
///
/// Source: RFC 1951 section 3.2.7 "Compression with dynamic Huffman codes (BTYPE=10)".
struct CodeLengthHeader: Sendable {
    /// Symbols 0...18 with their extra bits (from bit 8 on) and the number of these (from bit 16 on).
    private var symbols: [UInt32] = []
    private var counts = [UInt32](repeating: 0, count: 19)
    private var lengths = [UInt8](repeating: 0, count: 19)
    private var codes = [UInt32](repeating: 0, count: 19)
    private var literalLengthCount = 257, distanceCount = 1, codeLengthCount = 4
    /// Lengths of both codes, one after the other.
    private var all: [UInt8] = []

    /// Bits of the header, the three before it left out.
    private(set) var bitCount = 0

    /// Which symbols for runs are used.
    private struct Runs: OptionSet {
        let rawValue: Int
        /// 16: the length before, again.
        static let repeats = Runs(rawValue: 1)
        /// 17 and 18: few and many symbols without a code.
        static let shortGaps = Runs(rawValue: 2), longGaps = Runs(rawValue: 4)
        static let all: Runs = [.repeats, .shortGaps, .longGaps]
    }

    /// Makes the header of two codes.
    ///
    /// - Parameters:
    ///   - literals: lengths of the code of literals and lengths.
    ///   - distances: lengths of the code of distances.
    ///   - isThorough: whether it is tried what the header takes without some of the symbols for runs.
    ///   - makeLengths: makes the code of the lengths.
    mutating func make(
        _ literals: [UInt8], _ distances: [UInt8], isThorough: Bool, _ makeLengths: inout PrefixCodeLengths
    ) {
        make(literals, distances, .all, &makeLengths)
        guard isThorough else { return }
        var (best, bestBitCount) = (Runs.all, bitCount)
        for rawValue in 0..<Runs.all.rawValue {
            make(literals, distances, Runs(rawValue: rawValue), &makeLengths)
            if bitCount < bestBitCount { (best, bestBitCount) = (Runs(rawValue: rawValue), bitCount) }
        }
        make(literals, distances, best, &makeLengths)
    }

    private mutating func make(
        _ literals: [UInt8], _ distances: [UInt8], _ runs: Runs, _ makeLengths: inout PrefixCodeLengths
    ) {
        literalLengthCount = max(257, (literals[..<286].lastIndex { $0 > 0 } ?? 0) + 1)
        distanceCount = max(1, (distances[..<30].lastIndex { $0 > 0 } ?? 0) + 1)
        all.removeAll(keepingCapacity: true)
        all += literals[..<literalLengthCount]
        all += distances[..<distanceCount]
        symbols.removeAll(keepingCapacity: true)
        var start = 0
        while start < all.count {
            let length = all[start]
            var end = start + 1
            while end < all.count, all[end] == length { end += 1 }
            addRun(of: length, count: end - start, runs)
            start = end
        }
        for symbol in 0..<19 { counts[symbol] = 0 }
        for symbol in symbols { counts[Int(symbol & 0xFF)] += 1 }
        makeLengths.make(counts, limit: 7, into: &lengths)
        CanonicalCodes.make(lengths, into: &codes)
        let order = DeflateSymbols.codeLengthOrder
        codeLengthCount = max(4, (order.lastIndex { lengths[$0] > 0 } ?? 0) + 1)
        bitCount = 14 + 3 * codeLengthCount
        for symbol in symbols { bitCount += Int(lengths[Int(symbol & 0xFF)]) + Int(symbol >> 16) }
    }

    private mutating func addRun(of length: UInt8, count: Int, _ runs: Runs) {
        var left = count
        if length == 0 {
            while left >= 11, runs.contains(.longGaps) {
                let part = min(left, 138)
                symbols.append(18 | UInt32(part - 11) << 8 | 7 << 16)
                left -= part
            }
            while left >= 3, runs.contains(.shortGaps) {
                let part = min(left, 10)
                symbols.append(17 | UInt32(part - 3) << 8 | 3 << 16)
                left -= part
            }
        } else {
            symbols.append(UInt32(length))
            left -= 1
            while left >= 3, runs.contains(.repeats) {
                let part = min(left, 6)
                symbols.append(16 | UInt32(part - 3) << 8 | 2 << 16)
                left -= part
            }
        }
        for _ in 0..<left { symbols.append(UInt32(length)) }
    }

    /// Writes it.
    func write(to output: inout BitOutput) {
        output.write(UInt32(literalLengthCount - 257), count: 5)
        output.write(UInt32(distanceCount - 1), count: 5)
        output.write(UInt32(codeLengthCount - 4), count: 4)
        for symbol in DeflateSymbols.codeLengthOrder[..<codeLengthCount] {
            output.write(UInt32(lengths[symbol]), count: 3)
        }
        for symbol in symbols {
            let code = codes[Int(symbol & 0xFF)]
            output.write(code & 0xFF_FFFF, count: Int(code >> 24))
            output.write(symbol >> 8 & 0xFF, count: Int(symbol >> 16))
        }
    }
}
