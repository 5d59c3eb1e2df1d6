// The plain twin of the sequential block kernel, and beside it single blocks one bit at a time, as the flow charts of the
// standard do it.

import ImageCodecsCore

/// Bits of an entropy-coded segment without stuffing; zero bits follow its end.
package struct ReferenceBits: Sendable {
    private let bytes: [UInt8]
    /// Bits taken so far.
    package private(set) var position = 0

    /// - Parameter bytes: Without stuffed zeros and markers.
    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Whether bits were taken that are not there.
    package var hasOverrun: Bool { position > bytes.count * 8 }

    /// T.81 §F.2.2.5 "The NEXTBIT procedure".
    package mutating func nextBit() -> Int {
        defer { position += 1 }
        return position < bytes.count * 8 ? Int(bytes[position / 8] >> (7 - position % 8)) & 1 : 0
    }

    /// T.81 §F.2.2.4 "The RECEIVE procedure".
    package mutating func receive(_ count: Int) -> Int {
        var value = 0
        for _ in 0..<count { value = value << 1 | nextBit() }
        return value
    }

    /// T.81 §F.2.2.1 "Huffman decoding of DC coefficients", figure F.12 "EXTEND", of a number of `size` bits.
    package mutating func receiveSigned(_ size: Int) -> Int {
        let value = receive(size)
        return size > 0 && value < 1 << (size - 1) ? value - (1 << size) + 1 : value
    }

    /// T.81 §F.2.2.3 "The DECODE procedure"; `nil` after 17 bits that start with no code.
    package mutating func decode(_ table: HuffmanSpecification) -> Int? {
        var code = 0
        var first = 0
        var index = 0
        for count in table.counts {
            code = code << 1 | nextBit()
            if code - first < Int(count) { return Int(table.symbols[index + code - first]) }
            index += Int(count)
            first = (first + Int(count)) << 1
        }
        _ = nextBit()
        return nil
    }
}

/// Decodes blocks of sequential scans.
package enum SequentialBlockReference {
    /// The 64 coefficients of the next block in natural order, and whether it is damaged.
    ///
    /// - Source: ITU-T T.81 (1992) §F.2.2.1 "Huffman decoding of DC coefficients", §F.2.2.2 "Huffman decoding of AC
    ///   coefficients".
    package static func decodeBlock(
        _ bits: inout ReferenceBits, dc: HuffmanSpecification, ac: HuffmanSpecification, predictor: inout Int
    ) -> (coefficients: [Int16], isDamaged: Bool) {
        var coefficients = [Int16](repeating: 0, count: 64)
        var isDamaged = false
        func symbol(_ table: HuffmanSpecification) -> Int {
            let found = bits.decode(table)
            if found == nil { isDamaged = true }
            return found ?? 0
        }
        predictor += bits.receiveSigned(symbol(dc) & 15)
        coefficients[0] = Int16(truncatingIfNeeded: predictor)
        var position = 1
        while position < 64 {
            let next = symbol(ac)
            let (run, size) = (next >> 4, next & 15)
            if size == 0 {
                guard run == 15 else { break }
                position += 16
                continue
            }
            position += run
            let value = bits.receiveSigned(size)
            if position > 63 { isDamaged = true }
            coefficients[Int(ZigZagOrder.natural[min(position, 63)])] = Int16(truncatingIfNeeded: value)
            position += 1
        }
        return (coefficients, isDamaged)
    }
}

/// See ``SequentialBlockKernel``: one symbol after another, every access checked.
package enum SequentialBlockKernelReference {
    package static func decode(
        _ columns: Range<Int>, blocks: [MCUBlock], tables: [Int32], state: inout EntropyState, input: RawSpan,
        coefficients: inout MutableSpan<Int16>, lastIndices: inout MutableSpan<UInt8>
    ) -> (column: Int, before: EntropyState) {
        let order = ZigZagOrder.extended
        var before = state
        for column in columns {
            before = state
            for block in blocks {
                let start = block.base + column * block.step
                for place in start..<start + 64 { coefficients[place] = 0 }
                let difference = decodeDC(&state, tables, block.dcTable, input)
                let last = decodeAC(&state, tables, block.acTable, order, input, into: &coefficients, at: start)
                // The DC coefficient comes last: the end of the block has written its zero there.
                state.predictors[block.predictor] &+= difference
                coefficients[start] = Int16(truncatingIfNeeded: state.predictors[block.predictor])
                lastIndices[start / 64] = UInt8(last)
            }
            if state.reader.hasOverrun || state.isDamaged { return (column, before) }
        }
        return (columns.upperBound, before)
    }

    private static func decodeDC(
        _ state: inout EntropyState, _ tables: [Int32], _ table: Int, _ input: RawSpan
    ) -> Int32 {
        state.reader.refill(input)
        let entry = tables[table + state.reader.peek(HuffmanTable.lookupBits)]
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
    /// Bytes are read if the kernel reads them, so that damage is found at the same place.
    private static func decodeAC(
        _ state: inout EntropyState, _ tables: [Int32], _ table: Int, _ order: [UInt8], _ input: RawSpan,
        into coefficients: inout MutableSpan<Int16>, at start: Int
    ) -> Int {
        var reader = state.reader
        defer { state.reader = reader }
        var (index, resolvedCount) = (0, 0)
        while true {
            let entry = tables[table + reader.peek(HuffmanTable.lookupBits)]
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
