// From counts to codes, and codes into the stream.
//
//   counts ──▶ lengths ──▶ one or two symbols: a simple code
//                     └──▶ lengths and runs of them, coded by a code of their own: a normal code

import ImageCodecsCore

/// Makes the prefix codes of a group and writes their lengths.
struct PrefixCodeWriter: Sendable {
    private var makeLengths = PrefixCodeLengths()
    private var lengths: [UInt8] = []
    private var codes: [UInt32] = []
    /// Symbols 0...18 with their extra bits from bit 8 on.
    private var runs: [UInt32] = []
    private var runCounts = [UInt32](repeating: 0, count: 19)
    private var runLengths = [UInt8](repeating: 0, count: 19)
    private var runCodes = [UInt32](repeating: 0, count: 19)

    /// The longest code of a symbol, and of a length.
    ///
    /// - Source: RFC 9649 section 3.7.2.1.2 "Normal Code Length Code".
    private static let longest = 15, longestOfLengths = 7
    /// The order in which lengths of the code of lengths are written.
    private static let lengthOrder = [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]

    /// Writes a code of symbols that occur this often.
    ///
    /// - Returns: the codes: bits below, their number from bit 24 on. If one symbol has all, it takes no bits.
    mutating func write(_ counts: [UInt32], to output: inout BitstreamWriter) throws(ImageError) -> [UInt32] {
        lengths = Array(repeating: 0, count: counts.count)
        codes = Array(repeating: 0, count: counts.count)
        let used = counts.indices.prefixIndices(3) { counts[$0] > 0 }
        guard used.count > 2 || (used.last ?? 0) > 255 else {
            try writeSimple(used, to: &output)
            return codes
        }
        if used.count == 1 {
            lengths[used[0]] = 1
        } else {
            makeLengths.make(counts, limit: Self.longest, into: &lengths)
            CanonicalCodes.make(lengths, into: &codes)
        }
        try writeLengths(to: &output)
        return codes
    }

    /// - Source: RFC 9649 section 3.7.2.1.1 "Simple Code Length Code".
    private mutating func writeSimple(_ used: [Int], to output: inout BitstreamWriter) throws(ImageError) {
        let first = used.first ?? 0
        try output.write(1, count: 1)
        try output.write(used.count > 1 ? 1 : 0, count: 1)
        let isShort = first < 2
        try output.write(isShort ? 0 : 1, count: 1)
        try output.write(first, count: isShort ? 1 : 8)
        guard used.count > 1 else { return }
        try output.write(used[1], count: 8)
        (codes[first], codes[used[1]]) = (1 << 24, 1 << 24 | 1)
    }

    /// - Source: RFC 9649 section 3.7.2.1.2 "Normal Code Length Code".
    private mutating func writeLengths(to output: inout BitstreamWriter) throws(ImageError) {
        collectRuns()
        for index in runCounts.indices { runCounts[index] = 0 }
        for run in runs { runCounts[Int(run & 0xFF)] += 1 }
        let used = runCounts.indices.prefixIndices(2) { runCounts[$0] > 0 }
        if used.count == 1 {
            for index in runLengths.indices { (runLengths[index], runCodes[index]) = (index == used[0] ? 1 : 0, 0) }
        } else {
            makeLengths.make(runCounts, limit: Self.longestOfLengths, into: &runLengths)
            CanonicalCodes.make(runLengths, into: &runCodes)
        }
        let count = max(4, (Self.lengthOrder.lastIndex { runLengths[$0] > 0 } ?? 0) + 1)
        try output.write(0, count: 1)
        try output.write(count - 4, count: 4)
        for symbol in Self.lengthOrder[..<count] { try output.write(Int(runLengths[symbol]), count: 3) }
        // Lengths of zero at the end need not be written if it is said how many are: that takes five bits and more.
        var end = runs.count
        var savedBitCount = 0
        while end > 2, [0, 17, 18].contains(runs[end - 1] & 0xFF) {
            end -= 1
            savedBitCount += bitCount(ofRun: runs[end])
        }
        let exponent = Int.bitWidth - 1 - max(1, end - 2).leadingZeroBitCount
        let pairCount = exponent / 2 + 1
        if savedBitCount > 3 + 2 * pairCount {
            try output.write(1, count: 1)
            try output.write(pairCount - 1, count: 3)
            try output.write(end - 2, count: 2 * pairCount)
        } else {
            try output.write(0, count: 1)
            end = runs.count
        }
        for run in runs[..<end] {
            let code = runCodes[Int(run & 0xFF)]
            try output.write(Int(code & 0xFF_FFFF), count: Int(code >> 24))
            try output.write(Int(run >> 8), count: Self.extraBitCount(ofRun: run))
        }
    }

    private func bitCount(ofRun run: UInt32) -> Int {
        Int(runCodes[Int(run & 0xFF)] >> 24) + Self.extraBitCount(ofRun: run)
    }

    private static func extraBitCount(ofRun run: UInt32) -> Int {
        switch run & 0xFF {
        case 16: 2
        case 17: 3
        case 18: 7
        default: 0
        }
    }

    private mutating func collectRuns() {
        runs.removeAll(keepingCapacity: true)
        // What 16 repeats before any length was written.
        var last: UInt8 = 8
        var start = 0
        while start < lengths.count {
            let length = lengths[start]
            var end = start + 1
            while end < lengths.count, lengths[end] == length { end += 1 }
            var left = end - start
            if length == 0 {
                while left >= 11 {
                    let part = min(left, 138)
                    runs.append(18 | UInt32(part - 11) << 8)
                    left -= part
                }
                if left >= 3 {
                    runs.append(17 | UInt32(left - 3) << 8)
                    left = 0
                }
            } else {
                if length != last {
                    runs.append(UInt32(length))
                    left -= 1
                    last = length
                }
                while left >= 3 {
                    let part = min(left, 6)
                    runs.append(16 | UInt32(part - 3) << 8)
                    left -= part
                }
            }
            for _ in 0..<left { runs.append(UInt32(length)) }
            start = end
        }
    }
}

extension Range<Int> {
    /// The first indices for which `isWanted` holds, at most so many.
    fileprivate func prefixIndices(_ count: Int, _ isWanted: (Int) -> Bool) -> [Int] {
        var found: [Int] = []
        for index in self where found.count < count && isWanted(index) { found.append(index) }
        return found
    }
}
