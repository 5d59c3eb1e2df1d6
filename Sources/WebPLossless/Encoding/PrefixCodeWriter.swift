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
    /// Of the header that was made last: lengths of the code of lengths, runs that are written, and bits of all.
    private var codeLengthCount = 0, writtenCount = 0, headerBitCount = 0

    /// The longest code of a symbol, and of a length.
    ///
    /// - Source: RFC 9649 section 3.7.2.1.2 "Normal Code Length Code".
    private static let longest = 15, longestOfLengths = 7
    /// The order in which lengths of the code of lengths are written.
    private static let lengthOrder = [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]

    /// Ways to make lengths that are alike, so that they take fewer bits, though symbols take more.
    enum Smoothing: Hashable, Sendable {
        case none
        /// Counts are rounded to powers of two, or to this many halves of a power.
        case rounded(halves: Int)
        /// Stretches of symbols get their mean count, those that do not occur too, if no count is farther from the mean than this.
        case averaged(tolerance: Int)

        /// Those that an effort tries.
        static func tried(_ effort: EncodingOptions.Effort) -> [Smoothing] {
            switch effort {
            case .fast: [.none, .averaged(tolerance: 1)]
            case .default: [.none, .rounded(halves: 2), .averaged(tolerance: 1), .averaged(tolerance: 3)]
            case .best:
                [.none, .rounded(halves: 1), .rounded(halves: 2)] + [1, 2, 3, 4, 6].map { .averaged(tolerance: $0) }
            }
        }
    }

    /// Writes a code of symbols that occur this often.
    ///
    /// - Parameter smoothings: ways that are tried; the shortest is taken.
    /// - Returns: the codes: bits below, their number from bit 24 on. If one symbol has all, it takes no bits.
    mutating func write(
        _ counts: [UInt32], _ smoothings: [Smoothing], to output: inout BitstreamWriter
    ) throws(ImageError) -> [UInt32] {
        lengths = Array(repeating: 0, count: counts.count)
        codes = Array(repeating: 0, count: counts.count)
        let used = counts.indices.prefixIndices(3) { counts[$0] > 0 }
        guard used.count > 2 || (used.last ?? 0) > 255 else {
            try writeSimple(used, to: &output)
            return codes
        }
        if used.count == 1 {
            lengths[used[0]] = 1
            makeHeader()
        } else {
            var best: (bitCount: Int, smoothing: Smoothing) = (.max, .none)
            for smoothing in smoothings {
                makeLengths.make(smoothed(counts, smoothing), limit: Self.longest, into: &lengths)
                makeHeader()
                var bitCount = headerBitCount
                for symbol in counts.indices { bitCount += Int(counts[symbol]) * Int(lengths[symbol]) }
                if bitCount < best.bitCount { best = (bitCount, smoothing) }
            }
            if best.smoothing != smoothings.last {
                makeLengths.make(smoothed(counts, best.smoothing), limit: Self.longest, into: &lengths)
                makeHeader()
            }
            CanonicalCodes.make(lengths, into: &codes)
        }
        try writeHeader(to: &output)
        return codes
    }

    private func smoothed(_ counts: [UInt32], _ smoothing: Smoothing) -> [UInt32] {
        switch smoothing {
        case .none: counts
        case .rounded(let halves): counts.map { Self.rounded($0, halves: halves) }
        case .averaged(let tolerance): Self.averaged(counts, tolerance: tolerance)
        }
    }

    private static func rounded(_ count: UInt32, halves: Int) -> UInt32 {
        guard count > 0 else { return 0 }
        let step = UInt64(halves) << 15
        let rounded = (Entropy.log2(count) + step / 2) / step * step
        // Eight times a power of two, at most 2^31, or of its square root: 1.414 is 181 / 128.
        let whole = UInt32(8) << UInt32(min(rounded >> 16, 27))
        return rounded & 0x8000 == 0 ? whole : whole / 128 * 181 + whole % 128 * 181 / 128
    }

    private static func averaged(_ counts: [UInt32], tolerance: Int) -> [UInt32] {
        var result = counts
        // Symbols after the last that occurs stay without a code.
        let end = (counts.lastIndex { $0 > 0 } ?? -1) + 1
        var start = 0
        while start < end {
            var sum = Int(counts[start])
            var next = start + 1
            while next < end, abs(Int(counts[next]) * (next - start) - sum) <= tolerance * (next - start) {
                sum += Int(counts[next])
                next += 1
            }
            if next - start >= Self.shortestStretch, sum > 0 {
                let mean = max(1, (sum + (next - start) / 2) / (next - start))
                for symbol in start..<next { result[symbol] = UInt32(mean) }
            }
            start = next
        }
        return result
    }

    /// Symbols of a stretch that is worth a mean.
    private static let shortestStretch = 4

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

    /// Makes the code of the lengths.
    private mutating func makeHeader() {
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
        codeLengthCount = max(4, (Self.lengthOrder.lastIndex { runLengths[$0] > 0 } ?? 0) + 1)
        // Lengths of zero at the end need not be written if it is said how many are: that takes five bits and more.
        writtenCount = runs.count
        var savedBitCount = 0
        while writtenCount > 2, [0, 17, 18].contains(runs[writtenCount - 1] & 0xFF) {
            writtenCount -= 1
            savedBitCount += bitCount(ofRun: runs[writtenCount])
        }
        if savedBitCount <= 3 + 2 * pairCount { writtenCount = runs.count }
        headerBitCount = 6 + 3 * codeLengthCount + (writtenCount < runs.count ? 3 + 2 * pairCount : 0)
        for run in runs[..<writtenCount] { headerBitCount += bitCount(ofRun: run) }
    }

    /// Pairs of bits that the number of written lengths takes.
    private var pairCount: Int { (Int.bitWidth - 1 - max(1, writtenCount - 2).leadingZeroBitCount) / 2 + 1 }

    /// - Source: RFC 9649 section 3.7.2.1.2 "Normal Code Length Code".
    private mutating func writeHeader(to output: inout BitstreamWriter) throws(ImageError) {
        try output.write(0, count: 1)
        try output.write(codeLengthCount - 4, count: 4)
        for symbol in Self.lengthOrder[..<codeLengthCount] { try output.write(Int(runLengths[symbol]), count: 3) }
        let isCut = writtenCount < runs.count
        try output.write(isCut ? 1 : 0, count: 1)
        if isCut {
            try output.write(pairCount - 1, count: 3)
            try output.write(writtenCount - 2, count: 2 * pairCount)
        }
        for run in runs[..<writtenCount] {
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
    /// The first indices for which `isWanted` holds, at most `count` of them.
    fileprivate func prefixIndices(_ count: Int, _ isWanted: (Int) -> Bool) -> [Int] {
        var found: [Int] = []
        for index in self where found.count < count && isWanted(index) { found.append(index) }
        return found
    }
}
