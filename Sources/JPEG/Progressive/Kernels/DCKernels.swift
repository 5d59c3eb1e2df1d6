// DC scans: a first scan codes differences like a sequential one, a refinement scan one bit per block.
//
// In: entropy-coded bytes. Out: DC coefficients in the store.

import ImageCodecsCore
package import JPEGBaselineCodec

/// One block of an MCU of a DC scan.
package struct DCBlock: Hashable, Sendable {
    /// Position of the component in the scan, 0...3.
    package var predictor: Int
    /// Where its table begins in the scan's tables; unused in a refinement scan.
    package var table: Int
    /// The coefficient of the block in MCU column 0 of this MCU row, and from one column to the next.
    package var base: Int
    package var step: Int

    package init(predictor: Int, table: Int, base: Int, step: Int) {
        self.predictor = predictor
        self.table = table
        self.base = base
        self.step = step
    }
}

/// Decodes MCUs of DC scans.
///
/// - Source: ITU-T T.81 (1992) §G.1.2.1 "Progressive encoding of DC coefficients with Huffman coding".
package enum DCKernels {
    /// Decodes the MCUs of `columns`: the coefficients without their lowest `low` bits.
    ///
    /// - Parameter tables: ``HuffmanTable/entries`` made for ``HuffmanTable/Use/dc``, with small look-ups.
    /// - Precondition: Every block of every column lies in `coefficients`, every table in `tables`.
    package static func decodeFirst(
        _ columns: Range<Int>, blocks: [DCBlock], tables: [Int32], low: Int, state: inout ProgressiveState,
        input: RawSpan, isFinal: Bool, coefficients: inout MutableSpan<Int16>
    ) -> RunResult {
        let tableCount = HuffmanTable.count(lookupBits: HuffmanTable.smallLookupBits)
        for block in blocks { precondition(block.table >= 0 && block.table + tableCount <= tables.count) }
        var column = columns.lowerBound
        while column < columns.upperBound {
            let before = state
            for block in blocks {
                let difference = DCDifferenceKernel.decode(&state, tables: tables, at: block.table, input: input)
                let value = state.predictors[block.predictor] &+ difference
                state.predictors[block.predictor] = value
                coefficients[block.base + column * block.step] = Int16(truncatingIfNeeded: value &<< Int32(low))
            }
            if let result = stop(column, before: before, &state, input: input, isFinal: isFinal) { return result }
            column += 1
        }
        return .complete
    }

    /// Decodes the MCUs of `columns`: bit `low` of the coefficients.
    ///
    /// - Precondition: Every block of every column lies in `coefficients`.
    package static func refine(
        _ columns: Range<Int>, blocks: [DCBlock], low: Int, state: inout ProgressiveState, input: RawSpan,
        isFinal: Bool, coefficients: inout MutableSpan<Int16>
    ) -> RunResult {
        let bit = Int16(truncatingIfNeeded: 1 << low)
        var column = columns.lowerBound
        while column < columns.upperBound {
            let before = state
            for block in blocks {
                if state.reader.count < 1 { state.reader.refill(input) }
                // Doing it again after a suspension sets the same bits again.
                if state.reader.readBit() != 0 { coefficients[block.base + column * block.step] |= bit }
            }
            if let result = stop(column, before: before, &state, input: input, isFinal: isFinal) { return result }
            column += 1
        }
        return .complete
    }

    /// Whether the MCU just decoded ends the run, and how.
    @inline(__always)
    private static func stop(
        _ column: Int, before: ProgressiveState, _ state: inout ProgressiveState, input: RawSpan, isFinal: Bool
    ) -> RunResult? {
        guard state.reader.hasOverrun || state.isDamaged else { return nil }
        if state.reader.hasOverrun && !isFinal && !state.reader.isAtMarker(input) {
            state = before
            return .needsMoreInput(column: column)
        }
        return .damaged(column: column)
    }
}

#if !ReferenceKernels
/// Decodes differences of DC coefficients.
enum DCDifferenceKernel {
    /// The next difference.
    ///
    /// - Parameters:
    ///   - tables: Hold the block's table,
    ///   - start: from here on.
    @inline(__always)
    static func decode(_ state: inout ProgressiveState, tables: [Int32], at start: Int, input: RawSpan) -> Int32 {
        unsafe tables.withUnsafeBufferPointer { tables in
            // SAFETY: the table is whole, which `DCKernels` has checked for every block.
            guard let tables = tables.baseAddress else { return 0 }
            return unsafe decode(&state, table: tables + start, input: input)
        }
    }

    // SAFETY: `table` is whole, and a window of eight bits is an index of its look-up.
    @inline(__always)
    private static func decode(
        _ state: inout ProgressiveState, table: UnsafePointer<Int32>, input: RawSpan
    ) -> Int32 {
        if state.reader.count < 32 { state.reader.refill(input) }
        let entry = unsafe table[HuffmanTable.lookup &+ state.reader.peek(HuffmanTable.smallLookupBits)]
        if entry & HuffmanTable.Entry.unresolved == 0 {
            state.reader.skip(Int(entry & 63))
            return entry >> 16
        }
        let symbol = unsafe HuffmanTable.decodeSymbol(
            &state.reader, entry: entry, table: table, isDamaged: &state.isDamaged)
        let size = symbol & 15
        return size == 0 ? 0 : state.reader.readSigned(size)
    }
}
#endif
