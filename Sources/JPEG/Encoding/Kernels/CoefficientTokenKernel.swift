// Coefficients to tokens, the hottest loop of entropy coding besides the writing of codes.
//
// In: blocks in the order of the scan, with their masks of coefficients that are not zero. Out: tokens (see
// `EntropyToken`), the same whether they are then counted or written.

import ImageCodecsCore

/// One block of an MCU of a sequential scan: its predictor and tables.
package struct TokenBlock: Hashable, Sendable {
    /// Position of the component in the scan, 0...3.
    package var predictor: Int
    /// Which of the two tables of either class, 0 or 1.
    package var table: Int

    package init(predictor: Int, table: Int) {
        self.predictor = predictor
        self.table = table
    }
}

#if !ReferenceKernels
/// Makes the tokens of AC coefficients.
package enum CoefficientTokenKernel {
    /// The tokens of a band in a first scan, up to the block for which there may be no room.
    ///
    /// - Parameters:
    ///   - columns: blocks of `coefficients` and of `masks`.
    ///   - coefficients: 64 `Int16` a block in zig-zag order.
    ///   - masks: bit k for a coefficient k that is `1 << band.low` or more; other bits than the band's are ignored.
    ///   - run: bands that ended and have no token yet; below ``EntropyToken/longestEndOfBandRun``.
    ///   - tokens: where they are put, `count` being there.
    /// - Returns: The column that comes next.
    /// - Source: ITU-T T.81 (1992) §G.1.2.2 "Progressive encoding of AC coefficients with Huffman coding".
    package static func band(
        _ band: Band, columns: Range<Int>, coefficients: RawSpan, masks: Span<UInt64>, run: inout Int,
        tokens: inout MutableSpan<UInt32>, count: inout Int
    ) -> Int {
        precondition(columns.lowerBound >= 0 && columns.upperBound <= masks.count && count >= 0)
        precondition(columns.upperBound * 128 <= coefficients.byteCount)
        precondition((1...63).contains(band.start) && (band.start...63).contains(band.end))
        let limit = tokens.count - EntropyToken.largestBlock
        let bandMask = band.mask
        var column = columns.lowerBound
        var (at, pending) = (count, run)
        unsafe coefficients.withUnsafeBytes { source in
            unsafe masks.withUnsafeBufferPointer { masks in
                unsafe tokens.withUnsafeMutableBufferPointer { tokens in
                    guard let source = source.baseAddress, let tokens = tokens.baseAddress else { return }
                    // SAFETY: columns lie in masks and coefficients, checked above; a block makes 66 tokens at most:
                    // 63 of coefficients and zeros, one of its end and one of the run before it.
                    while column < columns.upperBound, at <= limit {
                        let mask = unsafe masks[column] & bandMask
                        if mask == 0 {
                            pending &+= 1
                        } else {
                            if pending > 0 {
                                unsafe tokens[at] = EntropyToken.endOfBand(run: pending, table: EntropyToken.acTable)
                                at &+= 1
                            }
                            let last = unsafe block(
                                source + column &* 128, mask, from: band.start, low: band.low,
                                table: EntropyToken.acTable, tokens, &at)
                            pending = last < band.end ? 1 : 0
                        }
                        if pending == EntropyToken.longestEndOfBandRun {
                            unsafe tokens[at] = EntropyToken.endOfBand(run: pending, table: EntropyToken.acTable)
                            at &+= 1
                            pending = 0
                        }
                        column &+= 1
                    }
                }
            }
        }
        (count, run) = (at, pending)
        return column
    }

    /// The tokens of whole blocks, up to the MCU for which there may be no room.
    ///
    /// - Parameters:
    ///   - columns: MCUs of `coefficients` and of `masks`, each of `blocks.count` blocks.
    ///   - blocks: those of an MCU, at most ten.
    ///   - predictors: the last DC coefficient of each component of the scan.
    ///   - tokens: where they are put, `count` being there.
    /// - Returns: The column that comes next.
    /// - Source: ITU-T T.81 (1992) §F.1.2 "Baseline Huffman encoding procedures".
    package static func sequential(
        columns: Range<Int>, blocks: [TokenBlock], coefficients: RawSpan, masks: Span<UInt64>,
        predictors: inout SIMD4<Int32>, tokens: inout MutableSpan<UInt32>, count: inout Int
    ) -> Int {
        precondition(columns.lowerBound >= 0 && columns.upperBound * blocks.count <= masks.count && count >= 0)
        precondition(columns.upperBound * blocks.count * 128 <= coefficients.byteCount)
        let limit = tokens.count - blocks.count * EntropyToken.largestBlock
        var column = columns.lowerBound
        var at = count
        unsafe coefficients.withUnsafeBytes { source in
            unsafe masks.withUnsafeBufferPointer { masks in
                unsafe tokens.withUnsafeMutableBufferPointer { tokens in
                    guard let source = source.baseAddress, let tokens = tokens.baseAddress else { return }
                    // SAFETY: MCUs lie in masks and coefficients, checked above; a block makes 65 tokens at most.
                    while column < columns.upperBound, at <= limit {
                        var index = column &* blocks.count
                        for role in blocks {
                            let start = unsafe source + index &* 128
                            let value = unsafe Int32(start.load(as: Int16.self))
                            unsafe tokens[at] = difference(
                                value &- predictors[role.predictor & 3], table: EntropyToken.dcTable &+ role.table)
                            predictors[role.predictor & 3] = value
                            at &+= 1
                            let mask = unsafe masks[index] & ~1
                            var last = 0
                            let table = EntropyToken.acTable &+ role.table
                            if mask != 0 {
                                last = unsafe block(start, mask, from: 1, low: 0, table: table, tokens, &at)
                            }
                            if last < 63 {
                                unsafe tokens[at] = EntropyToken.make(table: table, symbol: 0)
                                at &+= 1
                            }
                            index &+= 1
                        }
                        column &+= 1
                    }
                }
            }
        }
        count = at
        return column
    }

    /// Runs and sizes of the coefficients in `mask`; the position of the last.
    ///
    /// - Precondition: `mask` is not zero, and has no bit below `start`.
    @inline(__always)
    private static func block(
        _ block: UnsafeRawPointer, _ mask: UInt64, from start: Int, low: Int, table: Int,
        _ tokens: UnsafeMutablePointer<UInt32>, _ count: inout Int
    ) -> Int {
        var rest = mask
        var next = start
        var at = count
        let shift = Int32(truncatingIfNeeded: low)
        let base = UInt32(truncatingIfNeeded: (table &<< 8) &<< 21)
        repeat {
            let position = rest.trailingZeroBitCount
            var zeros = position &- next
            while zeros > 15 {
                // SAFETY: the callers have left room for a token of each coefficient.
                unsafe tokens[at] = EntropyToken.make(table: table, symbol: Int(EntropyToken.sixteenZeros))
                at &+= 1
                zeros &-= 16
            }
            // SAFETY: a position is 0...63, and the block 128 bytes.
            let value = unsafe Int32(block.load(fromByteOffset: position &* 2, as: Int16.self))
            unsafe tokens[at] = base | token(value, zeros: zeros, shift: shift)
            at &+= 1
            next = position &+ 1
            rest &= rest &- 1
        } while rest != 0
        count = at
        return next &- 1
    }

    /// A run of zeros and a coefficient that is not zero after the shift.
    @inline(__always)
    private static func token(_ value: Int32, zeros: Int, shift: Int32) -> UInt32 {
        let sign = value &>> 31
        let magnitude = UInt32(truncatingIfNeeded: ((value ^ sign) &- sign) &>> shift)
        // With the added bit the compiler knows that the number is not zero.
        let size = UInt32(truncatingIfNeeded: 31 &- (magnitude &<< 1 | 1).leadingZeroBitCount)
        let bits = (magnitude ^ UInt32(bitPattern: sign)) & (1 &<< size &- 1)
        return UInt32(truncatingIfNeeded: zeros) &<< 25 | size &<< 21 | size &<< 16 | bits
    }

    @inline(__always)
    private static func difference(_ value: Int32, table: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: table) &<< 29 | token(value, zeros: 0, shift: 0)
    }
}
#endif
