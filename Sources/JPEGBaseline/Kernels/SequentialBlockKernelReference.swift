// The plain twin of the sequential block kernel.

import ImageCodecsCore

/// See ``SequentialBlockKernel``: one symbol after another, every access checked.
package enum SequentialBlockKernelReference {
    package static func decode(
        _ columns: Range<Int>, blocks: [MCUBlock], tables: [Int32], lookupBits: Int = HuffmanTable.lookupBits,
        state: inout EntropyState, input: RawSpan,
        coefficients: inout MutableSpan<Int16>, lastIndices: inout MutableSpan<UInt8>
    ) -> (column: Int, before: EntropyState) {
        let order = ZigZagOrder.extended
        var before = state
        for column in columns {
            before = state
            for block in blocks {
                let start = block.base + column * block.step
                for place in start..<start + 64 { coefficients[place] = 0 }
                let difference = decodeDC(&state, tables, block.dcTable, lookupBits, input)
                let last = decodeAC(
                    &state, tables, block.acTable, lookupBits, order, input, into: &coefficients, at: start)
                // The DC coefficient comes last: the end of the block has written its zero there.
                state.predictors[block.predictor] &+= difference
                coefficients[start] = Int16(truncatingIfNeeded: state.predictors[block.predictor])
                lastIndices[start / 64] = block.passingLookUp == nil ? UInt8(last) : 0
            }
            if state.reader.hasOverrun || state.isDamaged { return (column, before) }
        }
        return (columns.upperBound, before)
    }

    private static func decodeDC(
        _ state: inout EntropyState, _ tables: [Int32], _ table: Int, _ lookupBits: Int, _ input: RawSpan
    ) -> Int32 {
        state.reader.refill(input)
        let entry = tables[table + HuffmanTable.lookup + state.reader.peek(lookupBits)]
        if entry & HuffmanTable.Entry.unresolved == 0 {
            state.reader.skip(Int(entry & 63))
            return entry >> 16
        }
        let symbol = HuffmanTable.decodeSymbolReference(
            &state.reader, entry: entry, tables: tables, at: table, isDamaged: &state.isDamaged)
        let difference = symbol & 15 == 0 ? 0 : state.reader.readSigned(symbol & 15)
        state.reader.refill(input)
        return difference
    }

    /// The zig-zag index of the last coefficient, 0 if there is none.
    ///
    /// Bytes are read where the kernel reads them, so that damage is found at the same place.
    private static func decodeAC(
        _ state: inout EntropyState, _ tables: [Int32], _ table: Int, _ lookupBits: Int, _ order: [UInt8],
        _ input: RawSpan,
        into coefficients: inout MutableSpan<Int16>, at start: Int
    ) -> Int {
        var reader = state.reader
        defer { state.reader = reader }
        var (index, resolvedCount) = (0, 0)
        while true {
            let entry = tables[table + HuffmanTable.lookup + reader.peek(lookupBits)]
            var (value, isValue) = (entry >> 16, true)
            if entry & HuffmanTable.Entry.unresolved == 0 {
                reader.skip(Int(entry & 63))
                if entry & HuffmanTable.Entry.loneEnd != 0 { return index }
                index += Int((entry >> 8) & 255)
                // An end of the block after the value.
                if index >= 128, index < 191 {
                    coefficients[start + Int(order[index - 128])] = Int16(truncatingIfNeeded: value)
                    return index - 128
                }
                if index >= 128 {
                    // The block is full, and is not ended by a code: what looked like one belongs to the next block.
                    reader.putBack(
                        Int(tables[table + HuffmanTable.symbolOffsets]),
                        bitCount: Int(tables[table + HuffmanTable.limits]))
                    index -= 128
                }
                isValue = value != 0
                resolvedCount += 1
            } else {
                // A code and a value have 32 bits at most.
                if reader.count < 32 { reader.refill(input) }
                resolvedCount = 4
                let symbol = HuffmanTable.decodeSymbolReference(
                    &reader, entry: entry, tables: tables, at: table, isDamaged: &state.isDamaged)
                let size = symbol & 15
                if size == 0 && symbol != 0xF0 { return index }
                index += symbol >> 4 + 1
                isValue = size != 0
                value = isValue ? reader.readSigned(size) : 0
            }
            // Indices beyond 63 have the last place.
            if isValue { coefficients[start + Int(order[index])] = Int16(truncatingIfNeeded: value) }
            if index >= 63 {
                if index > 63 && isValue { state.isDamaged = true }
                return 63
            }
            if resolvedCount == 4 {
                reader.refill(input)
                resolvedCount = 0
            }
        }
    }
}

#if ReferenceKernels
package typealias SequentialBlockKernel = SequentialBlockKernelReference
#endif
