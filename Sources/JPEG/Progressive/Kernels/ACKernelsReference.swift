// The plain twin of the AC kernels: rows of blocks, one symbol after another, every access checked.

import ImageCodecsCore
package import JPEGBaselineCodec

package enum ACKernelsReference: ACBlocks {
    /// See ``ACKernels/decodeFirst(_:band:table:state:input:isFinal:row:coefficients:masks:)``.
    package static func decodeFirst(
        _ columns: Range<Int>, band: Band, table: [Int32], state: inout ProgressiveState, input: RawSpan, isFinal: Bool,
        row: BlockRow, coefficients: inout MutableSpan<Int16>, masks: inout MutableSpan<UInt64>
    ) -> RunResult {
        let scan = Scan(band: band, table: table, order: ZigZagOrder.extended, refines: false)
        return run(scan, columns, &state, input, isFinal, row, &coefficients, &masks)
    }

    /// See ``ACKernels/refine(_:band:table:state:input:isFinal:row:coefficients:masks:)``.
    package static func refine(
        _ columns: Range<Int>, band: Band, table: [Int32], state: inout ProgressiveState, input: RawSpan, isFinal: Bool,
        row: BlockRow, coefficients: inout MutableSpan<Int16>, masks: inout MutableSpan<UInt64>
    ) -> RunResult {
        let scan = Scan(band: band, table: table, order: ZigZagOrder.extended, refines: true)
        return run(scan, columns, &state, input, isFinal, row, &coefficients, &masks)
    }

    /// What is the same for all blocks.
    private struct Scan {
        let band: Band
        let table: [Int32]
        let order: [UInt8]
        let refines: Bool
    }

    /// Decodes every block, with a checkpoint where the input might end within it.
    private static func run(
        _ scan: Scan, _ columns: Range<Int>, _ state: inout ProgressiveState, _ input: RawSpan, _ isFinal: Bool,
        _ row: BlockRow, _ coefficients: inout MutableSpan<Int16>, _ masks: inout MutableSpan<UInt64>
    ) -> RunResult {
        var column = columns.lowerBound
        while column < columns.upperBound {
            if !scan.refines, state.endOfBandRun > 0 {
                let skipped = min(state.endOfBandRun, columns.upperBound - column)
                state.endOfBandRun -= skipped
                column += skipped
                continue
            }
            let (first, mask) = (row.firstCoefficient + column * 64, row.firstMask + column)
            let (before, maskBefore) = (state, masks[mask])
            // In an end-of-band run only known coefficients need bits.
            let needsNoBits = state.endOfBandRun > 0 && maskBefore & scan.band.mask == 0
            let isSafe = isFinal || needsNoBits || input.byteCount - state.reader.position >= margin
            var block = SIMD64<Int16>()
            if !isSafe { for place in 0..<64 { block[place] = coefficients[first + place] } }
            if scan.refines {
                refine(scan, &state, input, &coefficients, first, &masks[mask])
            } else {
                decodeFirst(scan, &state, input, &coefficients, first, &masks[mask])
            }
            if !isSafe, state.reader.hasOverrun, !state.reader.isAtMarker(input) {
                (state, masks[mask]) = (before, maskBefore)
                for place in 0..<64 { coefficients[first + place] = block[place] }
                return .needsMoreInput(column: column)
            }
            if state.reader.hasOverrun || state.isDamaged { return .damaged(column: column) }
            column += 1
        }
        return .complete
    }

    /// The next block of a first scan.
    ///
    /// A run that leads beyond the band is no damage here: libjpeg stores the coefficient where it falls, and so does this.
    private static func decodeFirst(
        _ scan: Scan, _ state: inout ProgressiveState, _ input: RawSpan, _ coefficients: inout MutableSpan<Int16>,
        _ first: Int, _ mask: inout UInt64
    ) {
        var position = scan.band.start - 1
        while position < scan.band.end {
            if state.reader.count < 32 { state.reader.refill(input) }
            let entry = scan.table[HuffmanTable.lookup &+ state.reader.peek(HuffmanTable.lookupBits)]
            var value: Int32
            if entry & HuffmanTable.Entry.unresolved == 0 {
                position += Int((entry >> 8) & 255)
                state.reader.skip(Int(entry & 63))
                value = entry >> 16
            } else {
                let symbol = HuffmanTable.decodeSymbolReference(
                    &state.reader, entry: entry, tables: scan.table, at: 0, isDamaged: &state.isDamaged)
                let (run, size) = (symbol >> 4, symbol & 15)
                if size == 0, run < 15 {
                    state.endOfBandRun = endOfBandRun(run, &state.reader, input) - 1
                    return
                }
                position += run + 1
                if size == 0 { continue }
                value = state.reader.readSigned(size)
            }
            if value == 0 { continue }
            value <<= Int32(scan.band.low)
            coefficients[first + Int(scan.order[position])] = Int16(truncatingIfNeeded: value)
            mask |= 1 << UInt64(min(position, 63))
        }
    }

    /// The length of an end-of-band run, this block included: `2^run` and the number in `run` bits.
    private static func endOfBandRun(_ run: Int, _ reader: inout EntropyBitReader, _ input: RawSpan) -> Int {
        guard run > 0 else { return 1 }
        if reader.count < 16 { reader.refill(input) }
        let extra = reader.peek(run)
        reader.skip(run)
        return 1 << run + extra
    }

    /// The next block of a refinement scan.
    private static func refine(
        _ scan: Scan, _ state: inout ProgressiveState, _ input: RawSpan, _ coefficients: inout MutableSpan<Int16>,
        _ first: Int, _ mask: inout UInt64
    ) {
        /// Coefficients of the band that were known before and are still to be corrected.
        var known = mask & scan.band.mask
        if state.endOfBandRun > 0 {
            state.endOfBandRun -= 1
            while known != 0 { correct(scan, &known, &state.reader, input, &coefficients, first) }
            return
        }
        var position = scan.band.start
        while position <= scan.band.end {
            if state.reader.count < 32 { state.reader.refill(input) }
            let entry = scan.table[HuffmanTable.lookup &+ state.reader.peek(HuffmanTable.lookupBits)]
            let symbol = HuffmanTable.decodeSymbolReference(
                &state.reader, entry: entry, tables: scan.table, at: 0, isDamaged: &state.isDamaged)
            let size = symbol & 15
            var run = symbol >> 4
            if size == 0, run < 15 {
                state.endOfBandRun = endOfBandRun(run, &state.reader, input) - 1
                while known != 0 { correct(scan, &known, &state.reader, input, &coefficients, first) }
                return
            }
            var value = 0
            if size != 0 {
                if size != 1 { state.isDamaged = true }
                value = (state.reader.readBit() * 2 - 1) << scan.band.low
            }
            // Pass `run` zeros, correcting what lies between.
            while known != 0, known.trailingZeroBitCount - position <= run {
                let next = known.trailingZeroBitCount
                run -= next - position
                correct(scan, &known, &state.reader, input, &coefficients, first)
                position = next + 1
            }
            position = min(position + run, scan.band.end + 1)
            if value != 0 {
                coefficients[first + Int(scan.order[position])] = Int16(truncatingIfNeeded: value)
                mask |= 1 << UInt64(min(position, 63))
            }
            position += 1
        }
    }

    /// Reads a correction bit for the first coefficient in `known`, which it takes out, and moves the coefficient away
    /// from zero if it is 1. Damaged scans may have set the bit already: then it stays.
    private static func correct(
        _ scan: Scan, _ known: inout UInt64, _ reader: inout EntropyBitReader, _ input: RawSpan,
        _ coefficients: inout MutableSpan<Int16>, _ first: Int
    ) {
        let place = first + Int(scan.order[known.trailingZeroBitCount])
        known &= known - 1
        if reader.count < 1 { reader.refill(input) }
        let (value, low) = (coefficients[place], Int16(scan.band.low))
        guard reader.readBit() != 0, (value >> low) & 1 == 0 else { return }
        coefficients[place] = value &+ (value < 0 ? -1 : 1) << low
    }
}

#if ReferenceKernels
package typealias ACKernels = ACKernelsReference
#endif
