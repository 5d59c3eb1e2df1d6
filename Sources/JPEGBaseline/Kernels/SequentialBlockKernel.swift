// Entropy decoding of sequential scans, the hottest loop of the decoder.
//
// In: entropy-coded bytes and the tables of a scan. Out: quantised coefficients in natural order, and for each
// block the zig-zag index of its last coefficient, which lets the inverse DCT skip what is zero.

/// One block of an MCU: whose predictor and tables it uses, and where its coefficients go.
package struct MCUBlock: Hashable, Sendable {
    /// Position of the component in the scan, 0...3.
    package var predictor: Int
    /// Where the block's tables begin in the scan's tables.
    package var dcTable: Int
    package var acTable: Int
    /// Where the ``PassingLookUp`` of the AC table begins there, if the DC coefficient alone is wanted.
    package var passingLookUp: Int?
    /// Coefficients before the block's first in MCU column 0, and from one MCU column to the next.
    package var base: Int
    package var step: Int

    package init(
        predictor: Int, dcTable: Int, acTable: Int, passingLookUp: Int? = nil, base: Int, step: Int
    ) {
        self.predictor = predictor
        self.dcTable = dcTable
        self.acTable = acTable
        self.passingLookUp = passingLookUp
        self.base = base
        self.step = step
    }
}

/// What entropy decoding carries from MCU to MCU: a plain value, so that a copy is a checkpoint.
package struct EntropyState: EntropyDecodingState {
    package var reader = EntropyBitReader()
    /// DC predictors of the components of the scan.
    package var predictors = SIMD4<Int32>(repeating: 0)
    /// Whether the last MCU had a code that is in no table, or more than 64 coefficients in a block.
    package var isDamaged = false

    package init() {}

    package mutating func beginInterval() { predictors = SIMD4(repeating: 0) }
}

#if !ReferenceKernels
/// Decodes MCUs of sequential scans.
///
/// - Source: ITU-T T.81 (1992) §F.2.2 "Baseline Huffman Decoding procedures".
package enum SequentialBlockKernel {
    /// Decodes the MCUs of `columns`, up to the first that needs bits which are not there or is damaged.
    ///
    /// Blocks are zeroed first, so an MCU can be decoded again. The MCU that stops the loop has been decoded with
    /// zero bits in place of the missing ones; whether `state` is to be put back is the caller's decision: the result
    /// carries the state before it.
    ///
    /// - Parameters:
    ///   - tables: The scan's ``HuffmanTable/entries``, one after another, and look-ups of ``PassingLookUp``.
    ///   - lookupBits: Of these tables: ``HuffmanTable/lookupBits`` or ``HuffmanTable/smallLookupBits``.
    ///   - coefficients: 64 per block. Of a block whose DC coefficient alone is wanted the others mean nothing.
    ///   - lastIndices: One per block: 0...63.
    /// - Returns: The column of the MCU that stopped the loop, or the end of `columns`; and the state before it.
    /// - Precondition: Every block of every column lies in `coefficients`, and `lastIndices` has one for each.
    package static func decode(
        _ columns: Range<Int>, blocks: [MCUBlock], tables: [Int32], lookupBits: Int = HuffmanTable.lookupBits,
        state: inout EntropyState, input: RawSpan, coefficients: inout MutableSpan<Int16>,
        lastIndices: inout MutableSpan<UInt8>
    ) -> (column: Int, before: EntropyState) {
        precondition(columns.lowerBound >= 0 && coefficients.count <= lastIndices.count * 64)
        precondition(lookupBits == HuffmanTable.lookupBits || lookupBits == HuffmanTable.smallLookupBits)
        let tableCount = HuffmanTable.count(lookupBits: lookupBits)
        for block in blocks {
            precondition((0...3).contains(block.predictor))
            precondition(block.dcTable >= 0 && block.dcTable + tableCount <= tables.count)
            precondition(block.acTable >= 0 && block.acTable + tableCount <= tables.count)
            if let start = block.passingLookUp {
                precondition(start >= 0 && start + PassingLookUp.count <= tables.count)
            }
            precondition(block.base >= 0 && block.step >= 0)
            precondition(
                columns.isEmpty || block.base + (columns.upperBound - 1) * block.step + 64 <= coefficients.count)
        }
        var before = state
        var column = columns.lowerBound
        unsafe coefficients.withUnsafeMutableBufferPointer { coefficients in
            unsafe lastIndices.withUnsafeMutableBufferPointer { lastIndices in
                unsafe blocks.withUnsafeBufferPointer { blocks in
                    unsafe tables.withUnsafeBufferPointer { tables in
                        unsafe ZigZagOrder.extended.withUnsafeBufferPointer { order in
                            guard let coefficients = coefficients.baseAddress,
                                let lastIndices = lastIndices.baseAddress,
                                let tables = tables.baseAddress, let order = order.baseAddress
                            else { return }
                            // Each with a number of bits that the compiler knows.
                            if lookupBits == HuffmanTable.lookupBits {
                                unsafe decodeMCUs(
                                    &column, columns.upperBound, blocks: blocks, tables: tables,
                                    lookupBits: HuffmanTable.lookupBits, order: order, state: &state, before: &before,
                                    input: input, coefficients: coefficients, lastIndices: lastIndices)
                            } else {
                                unsafe decodeMCUs(
                                    &column, columns.upperBound, blocks: blocks, tables: tables,
                                    lookupBits: HuffmanTable.smallLookupBits, order: order, state: &state,
                                    before: &before, input: input, coefficients: coefficients,
                                    lastIndices: lastIndices)
                            }
                        }
                    }
                }
            }
        }
        return (column, before)
    }

    // SAFETY: for the functions below, `decode` has checked that blocks and tables lie in their buffers.

    /// Decodes MCUs from `column` on, up to one that needs bits which are not there or is damaged.
    @inline(__always)
    private static func decodeMCUs(
        _ column: inout Int, _ end: Int, blocks: UnsafeBufferPointer<MCUBlock>, tables: UnsafePointer<Int32>,
        lookupBits: Int, order: UnsafePointer<UInt8>, state: inout EntropyState, before: inout EntropyState,
        input: RawSpan, coefficients: UnsafeMutablePointer<Int16>, lastIndices: UnsafeMutablePointer<UInt8>
    ) {
        while column < end {
            before = state
            unsafe decodeMCU(
                column, blocks: blocks, tables: tables, lookupBits: lookupBits, order: order, state: &state,
                input: input, coefficients: coefficients, lastIndices: lastIndices)
            if state.reader.hasOverrun || state.isDamaged { return }
            column &+= 1
        }
    }

    @inline(__always)
    private static func decodeMCU(
        _ column: Int, blocks: UnsafeBufferPointer<MCUBlock>, tables: UnsafePointer<Int32>, lookupBits: Int,
        order: UnsafePointer<UInt8>, state: inout EntropyState, input: RawSpan,
        coefficients: UnsafeMutablePointer<Int16>, lastIndices: UnsafeMutablePointer<UInt8>
    ) {
        var reader = state.reader
        var index = 0
        while index < blocks.count {
            // SAFETY: `index` is in the buffer; `decode` has checked the block for this column.
            let block = unsafe blocks[index]
            let start = block.base &+ column &* block.step
            let target = unsafe coefficients + start
            if block.passingLookUp == nil { unsafe clear(target) }
            var isDamaged = false
            let difference = unsafe decodeDC(
                &reader, table: tables + block.dcTable, lookupBits: lookupBits, input: input, isDamaged: &isDamaged)
            var last = 0
            if let passingLookUp = block.passingLookUp {
                unsafe passAC(
                    &reader, lookUp: tables + passingLookUp, table: tables + block.acTable, input: input,
                    isDamaged: &isDamaged)
            } else {
                last = unsafe decodeAC(
                    &reader, table: tables + block.acTable, lookupBits: lookupBits, order: order, input: input,
                    into: target, isDamaged: &isDamaged)
            }
            // The DC coefficient comes last: the end of the block has written its zero there.
            let value = state.predictors[block.predictor & 3] &+ difference
            state.predictors[block.predictor & 3] = value
            unsafe target[0] = Int16(truncatingIfNeeded: value)
            unsafe lastIndices[start &>> 6] = UInt8(truncatingIfNeeded: last)
            if isDamaged { state.isDamaged = true }
            index &+= 1
        }
        state.reader = reader
    }

    @inline(__always)
    private static func clear(_ block: UnsafeMutablePointer<Int16>) {
        let zero = SIMD16<Int16>(repeating: 0)
        let bytes = UnsafeMutableRawPointer(block)
        // SAFETY: a block is 128 bytes.
        unsafe bytes.storeBytes(of: zero, as: SIMD16<Int16>.self)
        unsafe bytes.storeBytes(of: zero, toByteOffset: 32, as: SIMD16<Int16>.self)
        unsafe bytes.storeBytes(of: zero, toByteOffset: 64, as: SIMD16<Int16>.self)
        unsafe bytes.storeBytes(of: zero, toByteOffset: 96, as: SIMD16<Int16>.self)
    }

    /// The difference to the predictor. Leaves 46 bits in the reservoir or more.
    @inline(__always)
    private static func decodeDC(
        _ reader: inout EntropyBitReader, table: UnsafePointer<Int32>, lookupBits: Int, input: RawSpan,
        isDamaged: inout Bool
    ) -> Int32 {
        reader.refill(input)
        // SAFETY: a window is an index of the look-up, which follows the rest of the table.
        let entry = unsafe table[HuffmanTable.lookup &+ reader.peek(lookupBits)]
        if entry & HuffmanTable.Entry.unresolved == 0 {
            reader.skip(Int(entry & 63))
            return entry >> 16
        }
        let size = unsafe HuffmanTable.decodeSymbol(&reader, entry: entry, table: table, isDamaged: &isDamaged) & 15
        let difference = size == 0 ? 0 : reader.readSigned(size)
        reader.refill(input)
        return difference
    }

    /// Passes over the AC coefficients.
    ///
    /// - Precondition: There are 46 bits in the reservoir.
    @inline(__always)
    private static func passAC(
        _ reader: inout EntropyBitReader, lookUp: UnsafePointer<Int32>, table: UnsafePointer<Int32>, input: RawSpan,
        isDamaged: inout Bool
    ) {
        var index = 0
        while true {
            var slot = 0
            while slot < 2 {
                // SAFETY: a window is an index of the look-up. Two entries take 44 bits at most.
                let entry = unsafe lookUp[reader.peek(PassingLookUp.bits)]
                let next = index &+ Int(entry >> 8)
                guard entry & PassingLookUp.Entry.unresolved == 0, next < 63 else { break }
                index = next
                reader.skip(Int(entry & 63))
                if entry & PassingLookUp.Entry.end != 0 { return }
                slot &+= 1
            }
            if slot < 2 {
                // A long code, or the last ones of a block that is full. A code and a value have 31 bits at most; between two
                // refills a bit has to be used.
                if reader.count < 32 { reader.refill(input) }
                if unsafe passOne(&reader, index: &index, table: table, isDamaged: &isDamaged) { return }
            }
            reader.refill(input)
        }
    }

    /// Passes over one code and its value; whether it ends the block.
    ///
    /// - Precondition: There are 31 bits in the reservoir.
    @inline(never)
    private static func passOne(
        _ reader: inout EntropyBitReader, index: inout Int, table: UnsafePointer<Int32>, isDamaged: inout Bool
    ) -> Bool {
        let found = unsafe HuffmanTable.decodeCode(window: reader.peek(16), table: table)
        reader.skip(found & 31)
        if found & 31 > 16 { isDamaged = true }
        let (run, size) = (found >> 9, found >> 5 & 15)
        if size == 0 && run != 15 { return true }
        index &+= run &+ 1
        reader.skip(size)
        if index > 63 && size != 0 { isDamaged = true }
        return index >= 63
    }

    /// Stores the AC coefficients; the zig-zag index of the last one, 0 if there is none.
    ///
    /// Resolved entries take ten bits at most, so four of them need no test of how many bits are left; that test
    /// would be mispredicted about once per refill.
    ///
    /// - Precondition: There are 46 bits in the reservoir.
    @inline(__always)
    private static func decodeAC(
        _ reader: inout EntropyBitReader, table: UnsafePointer<Int32>, lookupBits: Int, order: UnsafePointer<UInt8>,
        input: RawSpan, into block: UnsafeMutablePointer<Int16>, isDamaged: inout Bool
    ) -> Int {
        var index = 0
        while true {
            var entry: Int32 = 0
            var slot = 0
            while slot < 4 {
                // SAFETY: a window is an index of the look-up, which follows the rest of the table.
                entry = unsafe table[HuffmanTable.lookup &+ reader.peek(lookupBits)]
                guard entry & HuffmanTable.Entry.unresolved == 0 else { break }
                let previous = index
                index &+= Int((entry >> 8) & 255)
                reader.skip(Int(entry & 63))
                // SAFETY: the index is at most 62 + 192, and the order has 256 places in 0...63.
                unsafe block[Int(order[index])] = Int16(truncatingIfNeeded: entry >> 16)
                if index >= 63 {
                    if entry & HuffmanTable.Entry.loneEnd != 0 { return previous }
                    if index < 191 && index >= 128 { return index &- 128 }
                    // The block is full, and is not ended by a code: what looked like one belongs to the next block.
                    if index >= 128 {
                        // SAFETY: `table` is whole.
                        let (length, code) = unsafe (
                            table[HuffmanTable.limits], table[HuffmanTable.symbolOffsets]
                        )
                        reader.putBack(Int(code), bitCount: Int(length))
                        index &-= 128
                        // Beyond position 63 the value went to the place of a lone end.
                        // SAFETY: the index is at most 62 + 16, and places are in 0...63.
                        unsafe block[Int(order[index])] = Int16(truncatingIfNeeded: entry >> 16)
                    }
                    if index > 63 && entry >> 16 != 0 { isDamaged = true }
                    return 63
                }
                slot &+= 1
            }
            if slot < 4 {
                // A code and a value have 31 bits at most.
                if reader.count < 32 { reader.refill(input) }
                let symbol = unsafe HuffmanTable.decodeSymbol(
                    &reader, entry: entry, table: table, isDamaged: &isDamaged)
                let size = symbol & 15
                if size == 0 && symbol != 0xF0 { return index }
                index &+= symbol >> 4 &+ 1
                if size != 0 {
                    let value = reader.readSigned(size)
                    // SAFETY: the index is at most 62 + 16.
                    unsafe block[Int(order[index])] = Int16(truncatingIfNeeded: value)
                }
                if index >= 63 {
                    if index > 63 && size != 0 { isDamaged = true }
                    return 63
                }
            }
            reader.refill(input)
        }
    }
}
#endif
