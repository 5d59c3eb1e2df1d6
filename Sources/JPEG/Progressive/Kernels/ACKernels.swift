// AC scans, where progressive decoding spends its time.
//
// In: entropy-coded bytes and one row of blocks. Out: coefficients of a band, and the masks that say which differ from
// zero. Refinement needs those masks most: how many correction bits a block has, and where they go, is a matter of
// counting bits instead of looking at 64 coefficients.

import ImageCodecsCore
#if ReferenceKernels
import JPEGBaselineCodec
#else
package import JPEGBaselineCodec
#endif

/// What the AC kernels and their twin have in common.
package protocol ACBlocks {}

extension ACBlocks {
    /// Bits of a block, at most.
    ///
    /// A first scan has no more than 63 symbols of 16 bits with a value of 15 bits after each: 63 * 31 = 1953. In place of
    /// the last, an end-of-band code of 16 bits may come with 14 bits after it: one less. A refinement has 63 symbols of
    /// 16 bits with a sign, or a correction bit in place of each, and an end-of-band code: at most 63 * 17 + 30 = 1101.
    fileprivate static var longestBlockBitCount: Int { 63 * 31 }

    /// With as many bytes before the end of the input a block cannot run into it: all its bits and those read ahead,
    /// every data byte with the longest run of fill bytes before its stuffed zero. Closer to the end a block is
    /// saved before it is decoded, so that it can be decoded again.
    static var margin: Int {
        ((longestBlockBitCount + EntropyBitReader.readAheadBitCount) / 8 + 1) * EntropyBitReader.largestBytesPerDataByte
    }

    /// Where a row of blocks lies in the store.
    package typealias BlockRow = ACBlockRow
}

/// Where a row of blocks lies in the store.
package struct ACBlockRow: Hashable, Sendable {
    package var firstMask: Int
    package var firstCoefficient: Int

    package init(firstMask: Int, firstCoefficient: Int) {
        self.firstMask = firstMask
        self.firstCoefficient = firstCoefficient
    }
}

#if !ReferenceKernels
/// Decodes blocks of AC scans, which always are scans of one component.
///
/// - Source: ITU-T T.81 (1992) §G.1.2.2 "Progressive encoding of AC coefficients with Huffman coding", §G.1.2.3
///   "Coding model for subsequent scans of successive approximation".
package enum ACKernels: ACBlocks {
    /// Decodes the blocks of `columns`: the band's coefficients without their lowest bits.
    ///
    /// - Parameters:
    ///   - table: ``HuffmanTable/entries`` made for ``HuffmanTable/Use/progressiveAC``.
    ///   - row: Where the blocks of this row lie.
    ///   - coefficients: 64 per block.
    ///   - masks: One per block.
    /// - Precondition: The columns lie in both spans, and `table` is whole.
    package static func decodeFirst(
        _ columns: Range<Int>, band: Band, table: [Int32], state: inout ProgressiveState, input: RawSpan, isFinal: Bool,
        row: BlockRow, coefficients: inout MutableSpan<Int16>, masks: inout MutableSpan<UInt64>
    ) -> RunResult {
        unsafe run(
            columns, band: band, table: table, state: &state, input: input, isFinal: isFinal, row: row,
            coefficients: &coefficients, masks: &masks, skipsRuns: true
        ) { state, table, order, block, mask in
            unsafe decodeFirst(
                &state, band: band, table: table, order: order, input: input, block: block, mask: mask)
        }
    }

    /// Decodes the blocks of `columns`: one more bit of the band's coefficients.
    ///
    /// Parameters as above, but `table` made for ``HuffmanTable/Use/symbols``.
    package static func refine(
        _ columns: Range<Int>, band: Band, table: [Int32], state: inout ProgressiveState, input: RawSpan, isFinal: Bool,
        row: BlockRow, coefficients: inout MutableSpan<Int16>, masks: inout MutableSpan<UInt64>
    ) -> RunResult {
        unsafe run(
            columns, band: band, table: table, state: &state, input: input, isFinal: isFinal, row: row,
            coefficients: &coefficients, masks: &masks, skipsRuns: false
        ) { state, table, order, block, mask in
            unsafe refine(&state, band: band, table: table, order: order, input: input, block: block, mask: mask)
        }
    }

    /// Calls `decode` for every block, with a checkpoint where the input might end within it.
    @inline(__always)
    private static func run(
        _ columns: Range<Int>, band: Band, table: [Int32], state: inout ProgressiveState, input: RawSpan, isFinal: Bool,
        row: BlockRow, coefficients: inout MutableSpan<Int16>, masks: inout MutableSpan<UInt64>, skipsRuns: Bool,
        decode: (
            inout ProgressiveState, UnsafePointer<Int32>, UnsafePointer<UInt8>, UnsafeMutablePointer<Int16>,
            UnsafeMutablePointer<UInt64>
        ) -> Void
    ) -> RunResult {
        precondition(columns.lowerBound >= 0 && row.firstMask >= 0 && row.firstCoefficient >= 0)
        precondition(columns.upperBound <= masks.count - row.firstMask && table.count == HuffmanTable.count)
        precondition(columns.upperBound <= (coefficients.count - row.firstCoefficient) / 64)
        precondition(band.start >= 1 && band.start <= band.end && band.end <= 63 && (0...13).contains(band.low))
        // SAFETY: columns lie in both spans and the table is whole (checked above).
        let order = ZigZagOrder.extended
        return unsafe coefficients.withUnsafeMutableBufferPointer { coefficients in
            unsafe masks.withUnsafeMutableBufferPointer { masks in
                unsafe table.withUnsafeBufferPointer { table in
                    unsafe order.withUnsafeBufferPointer { order in
                        guard let coefficients = coefficients.baseAddress, let masks = masks.baseAddress,
                            let table = table.baseAddress, let order = order.baseAddress
                        else { return .complete }
                        // A copy that can stay in registers.
                        var current = state
                        defer { state = current }
                        var column = columns.lowerBound
                        while column < columns.upperBound {
                            if skipsRuns, current.endOfBandRun > 0 {
                                let skipped = min(current.endOfBandRun, columns.upperBound &- column)
                                current.endOfBandRun &-= skipped
                                column &+= skipped
                                continue
                            }
                            let block = unsafe coefficients + (row.firstCoefficient &+ column &* 64)
                            let mask = unsafe masks + (row.firstMask &+ column)
                            // In an end-of-band run only known coefficients need bits.
                            let needsNoBits = unsafe current.endOfBandRun > 0 && mask.pointee & band.mask == 0
                            if isFinal || needsNoBits || input.byteCount &- current.reader.position >= margin {
                                unsafe decode(&current, table, order, block, mask)
                            } else {
                                let (before, savedMask) = unsafe (current, mask.pointee)
                                let saved = unsafe copy(block)
                                unsafe decode(&current, table, order, block, mask)
                                if current.reader.hasOverrun, !current.reader.isAtMarker(input) {
                                    current = before
                                    unsafe mask.pointee = savedMask
                                    unsafe restore(block, from: saved)
                                    return .needsMoreInput(column: column)
                                }
                            }
                            if current.reader.hasOverrun || current.isDamaged { return .damaged(column: column) }
                            column &+= 1
                        }
                        return .complete
                    }
                }
            }
        }
    }

    /// The coefficients of a block, to be put back after a suspension.
    private static func copy(_ block: UnsafeMutablePointer<Int16>) -> SIMD64<Int16> {
        // SAFETY: a block has 64 coefficients.
        unsafe UnsafeRawPointer(block).loadUnaligned(as: SIMD64<Int16>.self)
    }

    private static func restore(_ block: UnsafeMutablePointer<Int16>, from saved: SIMD64<Int16>) {
        // SAFETY: a block has 64 coefficients.
        unsafe UnsafeMutableRawPointer(block).storeBytes(of: saved, as: SIMD64<Int16>.self)
    }

    // MARK: First scans

    // A run that leads beyond the band is no damage here: libjpeg stores the coefficient where it falls, and so do these.
    // SAFETY: for the functions below, `block` has 64 coefficients, `table` is whole, and positions stay below 80, the
    // places of the extended zig-zag order.

    @inline(__always)
    private static func decodeFirst(
        _ state: inout ProgressiveState, band: Band, table: UnsafePointer<Int32>, order: UnsafePointer<UInt8>,
        input: RawSpan, block: UnsafeMutablePointer<Int16>, mask: UnsafeMutablePointer<UInt64>
    ) {
        var reader = state.reader
        var found: UInt64 = 0
        var position = band.start &- 1
        while position < band.end {
            if reader.count < 32 { reader.refill(input) }
            let entry = unsafe table[HuffmanTable.lookup &+ reader.peek(HuffmanTable.lookupBits)]
            var value: Int32
            if entry & HuffmanTable.Entry.unresolved == 0 {
                position &+= Int((entry >> 8) & 255)
                reader.skip(Int(entry & 63))
                value = entry >> 16
            } else {
                let symbol = unsafe HuffmanTable.decodeSymbol(
                    &reader, entry: entry, table: table, isDamaged: &state.isDamaged)
                let (run, size) = (symbol >> 4, symbol & 15)
                if size == 0, run < 15 {
                    state.endOfBandRun = endOfBandRun(run, &reader, input) &- 1
                    break
                }
                position &+= run &+ 1
                if size == 0 { continue }
                value = reader.readSigned(size)
            }
            if value == 0 { continue }
            value &<<= Int32(band.low)
            unsafe block[Int(order[position])] = Int16(truncatingIfNeeded: value)
            found |= 1 &<< UInt64(min(position, 63))
        }
        unsafe mask.pointee |= found
        state.reader = reader
    }

    /// The length of an end-of-band run, this block included: `2^run` and the number in `run` bits.
    @inline(__always)
    private static func endOfBandRun(_ run: Int, _ reader: inout EntropyBitReader, _ input: RawSpan) -> Int {
        guard run > 0 else { return 1 }
        if reader.count < 16 { reader.refill(input) }
        let extra = reader.peek(run)
        reader.skip(run)
        return 1 &<< run &+ extra
    }

    // MARK: Refinement scans

    @inline(__always)
    private static func refine(
        _ state: inout ProgressiveState, band: Band, table: UnsafePointer<Int32>, order: UnsafePointer<UInt8>,
        input: RawSpan, block: UnsafeMutablePointer<Int16>, mask: UnsafeMutablePointer<UInt64>
    ) {
        let old = unsafe mask.pointee
        /// Coefficients of the band that were known before and are still to be corrected.
        var known = old & band.mask
        if state.endOfBandRun > 0 {
            state.endOfBandRun &-= 1
            guard known != 0 else { return }
            var reader = state.reader
            unsafe correct(&known, &reader, low: band.low, order: order, input: input, block: block)
            state.reader = reader
            return
        }
        var reader = state.reader
        var found: UInt64 = 0
        var position = band.start
        while position <= band.end {
            if reader.count < 32 { reader.refill(input) }
            let entry = unsafe table[HuffmanTable.lookup &+ reader.peek(HuffmanTable.lookupBits)]
            let symbol = unsafe HuffmanTable.decodeSymbol(
                &reader, entry: entry, table: table, isDamaged: &state.isDamaged)
            let size = symbol & 15
            var run = symbol >> 4
            if size == 0, run < 15 {
                state.endOfBandRun = endOfBandRun(run, &reader, input) &- 1
                unsafe correct(&known, &reader, low: band.low, order: order, input: input, block: block)
                break
            }
            var value = 0
            if size != 0 {
                if size != 1 { state.isDamaged = true }
                value = (reader.readBit() &<< 1 &- 1) &<< band.low
            }
            // Pass `run` zeros, correcting what lies between; no further coefficient counts as position 64.
            var next = known.trailingZeroBitCount
            while next &- position <= run, known != 0 {
                run &-= next &- position
                unsafe correctOne(next, &reader, low: band.low, order: order, input: input, block: block)
                known &= known &- 1
                position = next &+ 1
                next = known.trailingZeroBitCount
            }
            position = min(position &+ run, band.end &+ 1)
            if value != 0 {
                unsafe block[Int(order[position])] = Int16(truncatingIfNeeded: value)
                found |= 1 &<< UInt64(min(position, 63))
            }
            position &+= 1
        }
        state.reader = reader
        unsafe mask.pointee = old | found
    }

    /// Reads a correction bit for each coefficient in `known`, and empties it.
    @inline(__always)
    private static func correct(
        _ known: inout UInt64, _ reader: inout EntropyBitReader, low: Int, order: UnsafePointer<UInt8>, input: RawSpan,
        block: UnsafeMutablePointer<Int16>
    ) {
        while known != 0 {
            unsafe correctOne(
                known.trailingZeroBitCount, &reader, low: low, order: order, input: input, block: block)
            known &= known &- 1
        }
    }

    /// Reads a correction bit, and moves the coefficient away from zero if it is 1.
    @inline(__always)
    private static func correctOne(
        _ position: Int, _ reader: inout EntropyBitReader, low: Int, order: UnsafePointer<UInt8>, input: RawSpan,
        block: UnsafeMutablePointer<Int16>
    ) {
        if reader.count < 1 { reader.refill(input) }
        let shift = Int16(truncatingIfNeeded: low)
        let place = unsafe Int(order[position])
        let value = unsafe block[place]
        // The bit as a step away from zero. Damaged scans may have set it already: then it stays.
        let step = (Int16(truncatingIfNeeded: reader.readBit()) & ~(value &>> shift)) &<< shift & (1 &<< shift)
        let sign = value &>> 15
        unsafe block[place] = value &+ ((step ^ sign) &- sign)
    }
}
#endif
