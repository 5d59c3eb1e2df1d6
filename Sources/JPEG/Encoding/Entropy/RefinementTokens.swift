// Refinement scans of AC coefficients to tokens.
//
// In: blocks of one component in the order of the scan, with two masks each. Out: tokens. Such scans are written by the
// best effort alone and have few symbols, so this is plain code.

import ImageCodecsCore

/// Makes the tokens of a refinement scan, and keeps what belongs to a run of bands that has not ended yet.
///
/// A band without new coefficients joins a run; the corrections of its known coefficients wait until the run has its
/// token. A run ends early when about a thousand bits wait.
///
/// - Source: ITU-T T.81 (1992) §G.1.2.3 "Coding of AC coefficients for subsequent DCT coefficient bands or successive
///   approximation scans", figures G.7 to G.9.
struct RefinementTokens {
    /// Corrections of a block: one bit each, the last one lowest.
    private struct BlockCorrections {
        var bits: UInt64 = 0
        /// At most 63.
        var count = 0

        /// The tokens of the bits, which are then gone.
        @inline(__always)
        mutating func flush(into tokens: inout MutableSpan<UInt32>, _ end: inout Int) {
            while count > 0 {
                let number = min(count, 16)
                count -= number
                let word = Int(truncatingIfNeeded: bits >> UInt64(count)) & (1 << number - 1)
                tokens[end] = EntropyToken.make(
                    table: EntropyToken.rawTable, symbol: 0, bits: word, bitCount: number)
                end += 1
            }
            bits = 0
        }
    }

    /// Corrections of a run.
    private struct RunCorrections {
        /// Full words, the first bit of each in the highest place.
        var words: [UInt16] = []
        var bits = 0
        var bitCount = 0

        mutating func append(_ block: BlockCorrections) {
            var left = block.count
            while bitCount + left >= 16 {
                left -= 16 - bitCount
                let new = Int(truncatingIfNeeded: block.bits >> UInt64(left)) & (1 << (16 - bitCount) - 1)
                words.append(UInt16(truncatingIfNeeded: bits << (16 - bitCount) | new))
                (bits, bitCount) = (0, 0)
            }
            bits = bits << left | Int(truncatingIfNeeded: block.bits) & (1 << left - 1)
            bitCount += left
        }

        /// The tokens of the bits, which are then gone.
        mutating func flush(into tokens: inout MutableSpan<UInt32>, _ count: inout Int) {
            for word in words {
                tokens[count] = EntropyToken.make(
                    table: EntropyToken.rawTable, symbol: 0, bits: Int(word), bitCount: 16)
                count += 1
            }
            if bitCount > 0 {
                tokens[count] = EntropyToken.make(
                    table: EntropyToken.rawTable, symbol: 0, bits: bits, bitCount: bitCount)
                count += 1
            }
            words.removeAll(keepingCapacity: true)
            (bits, bitCount) = (0, 0)
        }
    }

    /// Full words of corrections after which a run ends, so that a block's tokens and those of the run before it are at
    /// most `EntropyToken.largestBlock`: 63 symbols and as many words, and 60 + 5 words of the run.
    private static let largestWordCount = 60

    private let band: Band
    /// Bands that ended and have no token yet, and their corrections.
    private var run = 0
    private var runCorrections = RunCorrections()

    /// - Parameter band: `band.low` is the bit that the scan adds.
    init(_ band: Band) { self.band = band }

    /// The tokens of blocks, up to the one for which there may be no room.
    ///
    /// - Parameters:
    ///   - masks: bit k for a coefficient k that is `1 << band.low` or more.
    ///   - known: the same for `1 << (band.low + 1)`: those that scans before this one have coded.
    /// - Returns: The column that comes next.
    mutating func append(
        columns: Range<Int>, coefficients: RawSpan, masks: Span<UInt64>, known: Span<UInt64>,
        tokens: inout MutableSpan<UInt32>, count: inout Int
    ) -> Int {
        let coefficients = Span<Int16>(_bytes: coefficients)
        for column in columns {
            guard count <= tokens.count - EntropyToken.largestBlock else { return column }
            let known = known[column] & band.mask
            let new = masks[column] & band.mask & ~known
            appendBlock(coefficients, at: column * 64, known: known, new: new, &tokens, &count)
        }
        return columns.upperBound
    }

    /// The token of the run, and its corrections.
    mutating func endRun(tokens: inout MutableSpan<UInt32>, count: inout Int) {
        guard run > 0 else { return }
        tokens[count] = EntropyToken.endOfBand(run: run, table: EntropyToken.acTable)
        count += 1
        run = 0
        runCorrections.flush(into: &tokens, &count)
    }

    private mutating func appendBlock(
        _ coefficients: Span<Int16>, at start: Int, known: UInt64, new: UInt64, _ tokens: inout MutableSpan<UInt32>,
        _ count: inout Int
    ) {
        var last = band.start - 1
        if new != 0 {
            endRun(tokens: &tokens, count: &count)
            last = 63 - new.leadingZeroBitCount
            appendCoefficients(coefficients, at: start, known: known, new: new, &tokens, &count)
        }
        guard last < band.end else { return }
        // What is left of the band: no new coefficients.
        run += 1
        var rest = last < 0 ? known : known & ~(UInt64.max >> UInt64(63 - last))
        if rest != 0 {
            var corrections = BlockCorrections()
            while rest != 0 {
                add(coefficients[start + rest.trailingZeroBitCount], to: &corrections)
                rest &= rest - 1
            }
            runCorrections.append(corrections)
        }
        if run == EntropyToken.longestEndOfBandRun || runCorrections.words.count >= Self.largestWordCount {
            endRun(tokens: &tokens, count: &count)
        }
    }

    /// Symbols up to the last new coefficient, each followed by the corrections of what it passes.
    private mutating func appendCoefficients(
        _ coefficients: Span<Int16>, at start: Int, known: UInt64, new: UInt64, _ tokens: inout MutableSpan<UInt32>,
        _ count: inout Int
    ) {
        var (zeros, next) = (0, band.start)
        var corrections = BlockCorrections()
        var rest = (known | new) & (UInt64.max >> UInt64(new.leadingZeroBitCount))
        while rest != 0 {
            let position = rest.trailingZeroBitCount
            rest &= rest - 1
            zeros += position - next
            next = position + 1
            while zeros > 15 {
                tokens[count] = EntropyToken.make(
                    table: EntropyToken.acTable, symbol: Int(EntropyToken.sixteenZeros))
                count += 1
                zeros -= 16
                corrections.flush(into: &tokens, &count)
            }
            if known & (1 << UInt64(position)) != 0 {
                add(coefficients[start + position], to: &corrections)
                continue
            }
            let isPositive = coefficients[start + position] > 0
            tokens[count] = EntropyToken.make(
                table: EntropyToken.acTable, symbol: zeros << 4 | 1, bits: isPositive ? 1 : 0, bitCount: 1)
            count += 1
            zeros = 0
            corrections.flush(into: &tokens, &count)
        }
    }

    /// Adds bit `low` of a coefficient's magnitude.
    @inline(__always)
    private func add(_ value: Int16, to corrections: inout BlockCorrections) {
        corrections.bits = corrections.bits << 1 | UInt64(value.magnitude) >> UInt64(band.low) & 1
        corrections.count += 1
    }
}
