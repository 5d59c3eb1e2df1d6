// Blocks of arithmetic-coded scans: which decisions make up a difference or a coefficient.
//
// In: decisions. Out: DC differences, and AC coefficients in their block. A sequential scan is read like a first progressive scan
// of all bits.

import ImageCodecsCore
import JPEGBaselineCodec

/// Decodes parts of blocks.
enum ArithmeticBlocks {
    /// A DC difference; `nil` if its magnitude has more bits than may be.
    ///
    /// - Parameters:
    ///   - table: Where the bins of its table begin.
    ///   - context: The component's, see ``ArithmeticState/contexts``.
    ///   - bounds: `L` and `U` of the table.
    /// - Source: ITU-T T.81 (1992) §F.2.4.1 "Arithmetic decoding of DC coefficients", §F.1.4.4.1 "Statistical model for DC".
    static func difference(
        _ decoder: inout ArithmeticDecoder, _ bins: inout MutableSpan<UInt8>, table: Int, context: inout UInt8,
        bounds: (lower: UInt8, upper: UInt8), _ transitions: Span<UInt32>, _ input: RawSpan
    ) -> Int32? {
        let first = table + Int(context)
        guard decoder.decide(&bins[first], transitions, input) else {
            context = 0
            return 0
        }
        let isNegative = decoder.decide(&bins[first + 1], transitions, input)
        var bin = first + (isNegative ? 3 : 2)
        var magnitude: Int32 = 0
        if decoder.decide(&bins[bin], transitions, input) {
            magnitude = 1
            bin = table + StatisticsLayout.dcMagnitude
            while decoder.decide(&bins[bin], transitions, input) {
                magnitude <<= 1
                bin += 1
                if magnitude == 0x8000 { return nil }
            }
        }
        let (small, large) = ((Int32(1) << Int32(bounds.lower)) >> 1, (Int32(1) << Int32(bounds.upper)) >> 1)
        context = magnitude < small ? 0 : magnitude > large ? (isNegative ? 16 : 12) : (isNegative ? 8 : 4)
        let value = lowBits(of: magnitude, &decoder, &bins, bin + StatisticsLayout.bits, transitions, input) + 1
        return isNegative ? -value : value
    }

    /// A band of a block in a first scan: zeros, or coefficients without their lowest `band.low` bits.
    ///
    /// - Parameters:
    ///   - table: Where the bins of its table begin.
    ///   - lastLow: `Kx` of the table.
    ///   - order: ``ZigZagOrder/natural``.
    ///   - first: The block's first coefficient among `coefficients`; `nil` if they are not kept.
    ///   - mask: Gets a bit for each coefficient other than zero.
    /// - Returns: Whether the block is undamaged.
    /// - Source: ITU-T T.81 (1992) §F.2.4.2 "Arithmetic decoding of AC coefficients", §G.1.3.2 "AC progressive".
    static func firstBand(
        _ outer: inout ArithmeticDecoder, _ bins: inout MutableSpan<UInt8>, table: Int, lastLow: Int, band: Band,
        _ transitions: Span<UInt32>, order: Span<UInt8>, _ input: RawSpan, first: Int?,
        coefficients: inout MutableSpan<Int16>, mask: inout UInt64
    ) -> Bool {
        // In registers while the block is read.
        var decoder = outer
        defer { outer = decoder }
        var position = band.start
        while position <= band.end {
            var bin = table + 3 * (position - 1)
            if decoder.decide(&bins[bin], transitions, input) { return true }
            while !decoder.decide(&bins[bin + 1], transitions, input) {
                bin += 3
                position += 1
                if position > band.end { return false }
            }
            let isNegative = decoder.decideEvenly(transitions, input)
            bin += 2
            var magnitude: Int32 = 0
            if decoder.decide(&bins[bin], transitions, input) {
                magnitude = 1
                if decoder.decide(&bins[bin], transitions, input) {
                    magnitude = 2
                    bin = table + (position <= lastLow ? StatisticsLayout.lowMagnitude : StatisticsLayout.highMagnitude)
                    while decoder.decide(&bins[bin], transitions, input) {
                        magnitude <<= 1
                        bin += 1
                        if magnitude == 0x8000 { return false }
                    }
                }
            }
            if magnitude > 1 {
                magnitude = lowBits(of: magnitude, &decoder, &bins, bin + StatisticsLayout.bits, transitions, input)
            }
            if let first {
                let value = (isNegative ? -1 - magnitude : magnitude + 1) << Int32(band.low)
                coefficients[first + Int(order[position])] = Int16(truncatingIfNeeded: value)
                mask |= 1 << UInt64(position)
            }
            position += 1
        }
        return true
    }

    /// One more bit of a band of a block.
    ///
    /// - Parameters: As for a first scan; `mask` has a bit for each coefficient that is known to differ from zero.
    /// - Returns: Whether the block is undamaged.
    /// - Source: ITU-T T.81 (1992) §G.1.3.3 "Coding AC coefficients, subsequent scans", figure G.10.
    static func refineBand(
        _ outer: inout ArithmeticDecoder, _ bins: inout MutableSpan<UInt8>, table: Int, band: Band,
        _ transitions: Span<UInt32>, order: Span<UInt8>, _ input: RawSpan, first: Int,
        coefficients: inout MutableSpan<Int16>, mask: inout UInt64
    ) -> Bool {
        var decoder = outer
        defer { outer = decoder }
        let known = mask
        // The block does not end before its last known coefficient.
        let lastKnown = 63 - (known & (.max >> UInt64(63 - band.end)) | 1).leadingZeroBitCount
        let step = Int16(truncatingIfNeeded: 1 << band.low)
        var position = band.start
        while position <= band.end {
            var bin = table + 3 * (position - 1)
            if position > lastKnown, decoder.decide(&bins[bin], transitions, input) { return true }
            while true {
                let place = first + Int(order[position])
                if known >> UInt64(position) & 1 != 0 {
                    if decoder.decide(&bins[bin + 2], transitions, input) {
                        coefficients[place] &+= coefficients[place] < 0 ? -step : step
                    }
                    break
                }
                if decoder.decide(&bins[bin + 1], transitions, input) {
                    coefficients[place] = decoder.decideEvenly(transitions, input) ? -step : step
                    mask |= 1 << UInt64(position)
                    break
                }
                bin += 3
                position += 1
                if position > band.end { return false }
            }
            position += 1
        }
        return true
    }

    /// A magnitude whose highest bit is known.
    ///
    /// - Parameter bin: Of all its bits.
    @inline(__always)
    private static func lowBits(
        of highest: Int32, _ decoder: inout ArithmeticDecoder, _ bins: inout MutableSpan<UInt8>, _ bin: Int,
        _ transitions: Span<UInt32>, _ input: RawSpan
    ) -> Int32 {
        var (value, bit) = (highest, highest >> 1)
        while bit != 0 {
            if decoder.decide(&bins[bin], transitions, input) { value |= bit }
            bit >>= 1
        }
        return value
    }
}
