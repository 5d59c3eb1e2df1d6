// Decisions of JPEG's arithmetic coding, and the parts of blocks that they make up. For walkers, which count every bit.

import ImageCodecsCore
import JPEGBaselineCodec
import JPEGCodec

/// Reads decisions, each with the probability that its statistics have come to. Where the data end, zeros follow.
///
/// - Source: ITU-T T.81 (1992) annex D "Arithmetic coding", §F.1.4 "Coding model for arithmetic coding".
struct ArithmeticReader {
    /// `L`, `U` and `Kx` of the tables.
    var conditioning = ArithmeticConditioning()
    /// `Cx` and `A`.
    private var code = 0
    private var interval = 0x10000
    /// All statistics, and one bin whose probability is always one half.
    private var bins: [UInt8] = []
    /// The first bin of each component's next difference.
    private var contexts = SIMD4<Int>(repeating: 0)

    /// Begins an interval: §D.2.5 "Initialization of the decoder".
    mutating func restart(_ reader: inout HighBitReader, _ bytes: Span<UInt8>) {
        bins = [UInt8](repeating: 0, count: StatisticsLayout.count) + [ProbabilityEstimation.fixedState]
        contexts = SIMD4(repeating: 0)
        (code, interval) = (0, 0x10000)
        for _ in 0..<16 { code = code << 1 | (reader.read(1, bytes) ?? 0) }
    }

    /// One decision: §D.2.1 to §D.2.3.
    private mutating func decide(_ bin: Int, _ reader: inout HighBitReader, _ bytes: Span<UInt8>) -> Bool {
        let state = bins[bin]
        let entry = ProbabilityEstimation.transitions[Int(state & 127)]
        let (isOne, less) = (state & 128 != 0, Int(entry >> 16))
        interval -= less
        let isAbove = code >= interval
        if !isAbove, interval >= 0x8000 { return isOne }
        // The larger part is that of the more probable symbol, whichever it is.
        let isLess = isAbove == (interval >= less)
        if isAbove { (code, interval) = (code - interval, less) }
        bins[bin] = isLess ? state & 128 ^ UInt8(entry & 255) : state & 128 | UInt8(entry >> 8 & 255)
        while interval < 0x8000 {
            interval <<= 1
            code = code << 1 | (reader.read(1, bytes) ?? 0)
        }
        return isLess != isOne
    }

    /// A bit of even chances.
    mutating func bit(_ reader: inout HighBitReader, _ bytes: Span<UInt8>) -> Bool {
        decide(StatisticsLayout.count, &reader, bytes)
    }

    /// A DC difference; `nil` if it is impossible.
    ///
    /// - Source: §F.2.4.1 "Arithmetic decoding of DC coefficients", §F.1.4.4.1 "Statistical model for DC".
    mutating func difference(
        _ member: ScanHeader.Component, _ reader: inout HighBitReader, _ bytes: Span<UInt8>
    ) -> Int? {
        let table = StatisticsLayout.dc(member.dcTable)
        let first = table + contexts[member.index]
        guard decide(first, &reader, bytes) else {
            contexts[member.index] = 0
            return 0
        }
        let isNegative = decide(first + 1, &reader, bytes)
        var (magnitude, bin) = (0, first + (isNegative ? 3 : 2))
        if decide(bin, &reader, bytes) {
            (magnitude, bin) = (1, table + StatisticsLayout.dcMagnitude)
            guard highestBit(&magnitude, &bin, &reader, bytes) else { return nil }
        }
        let (lower, upper) = (Int(conditioning.lower[member.dcTable]), Int(conditioning.upper[member.dcTable]))
        let isLarge = magnitude > (1 << upper) >> 1
        contexts[member.index] = magnitude < (1 << lower) >> 1 ? 0 : (isLarge ? 12 : 4) + (isNegative ? 4 : 0)
        let value = lowBits(of: magnitude, bin, &reader, bytes) + 1
        return isNegative ? -value : value
    }

    /// A band of a block in a sequential or a first scan; a bit for each coefficient that is not zero, `nil` if it is impossible.
    ///
    /// - Source: §F.2.4.2 "Arithmetic decoding of AC coefficients", §F.1.4.4.2 "Statistical model for the AC coefficients".
    mutating func band(
        _ band: ClosedRange<Int>, _ member: ScanHeader.Component, _ reader: inout HighBitReader, _ bytes: Span<UInt8>
    ) -> UInt64? {
        let table = StatisticsLayout.ac(member.acTable)
        var (mask, position): (UInt64, Int) = (0, band.lowerBound)
        while position <= band.upperBound {
            if decide(table + 3 * (position - 1), &reader, bytes) { return mask }
            while !decide(table + 3 * (position - 1) + 1, &reader, bytes) {
                position += 1
                if position > band.upperBound { return nil }
            }
            _ = bit(&reader, bytes)
            var (magnitude, bin) = (0, table + 3 * (position - 1) + 2)
            if decide(bin, &reader, bytes) {
                magnitude = 1
                if decide(bin, &reader, bytes) {
                    magnitude = 2
                    bin =
                        table
                        + (position <= conditioning.lastLow[member.acTable]
                            ? StatisticsLayout.lowMagnitude : StatisticsLayout.highMagnitude)
                    guard highestBit(&magnitude, &bin, &reader, bytes) else { return nil }
                    _ = lowBits(of: magnitude, bin, &reader, bytes)
                }
            }
            mask |= 1 << UInt64(position)
            position += 1
        }
        return mask
    }

    /// One more bit of a band.
    ///
    /// - Parameter known: a bit for each coefficient that is not zero so far.
    /// - Returns: the same after it; `nil` if it is impossible.
    /// - Source: §G.1.3.3 "Coding AC coefficients, subsequent scans of successive approximation", figure G.10.
    mutating func refinement(
        of known: UInt64, _ band: ClosedRange<Int>, _ member: ScanHeader.Component, _ reader: inout HighBitReader,
        _ bytes: Span<UInt8>
    ) -> UInt64? {
        let table = StatisticsLayout.ac(member.acTable)
        func isKnown(_ position: Int) -> Bool { known >> UInt64(position) & 1 != 0 }
        // A block does not end before the last coefficient that is known.
        let lastKnown = band.last { isKnown($0) } ?? 0
        var (mask, position) = (known, band.lowerBound)
        while position <= band.upperBound {
            if position > lastKnown, decide(table + 3 * (position - 1), &reader, bytes) { return mask }
            while !isKnown(position), !decide(table + 3 * (position - 1) + 1, &reader, bytes) {
                position += 1
                if position > band.upperBound { return nil }
            }
            if isKnown(position) {
                _ = decide(table + 3 * (position - 1) + 2, &reader, bytes)
            } else {
                _ = bit(&reader, bytes)
                mask |= 1 << UInt64(position)
            }
            position += 1
        }
        return mask
    }

    /// How many bits a magnitude has; `false` if more than may be.
    private mutating func highestBit(
        _ magnitude: inout Int, _ bin: inout Int, _ reader: inout HighBitReader, _ bytes: Span<UInt8>
    ) -> Bool {
        while decide(bin, &reader, bytes) {
            magnitude <<= 1
            bin += 1
            if magnitude == 0x8000 { return false }
        }
        return true
    }

    /// A magnitude whose highest bit is known; `bin` is that which said so.
    private mutating func lowBits(
        of highest: Int, _ bin: Int, _ reader: inout HighBitReader, _ bytes: Span<UInt8>
    ) -> Int {
        var (value, bit) = (highest, highest >> 1)
        while bit > 0 {
            if decide(bin + StatisticsLayout.bits, &reader, bytes) { value |= bit }
            bit >>= 1
        }
        return value
    }
}
