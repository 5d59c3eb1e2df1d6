// The innermost loop of writing GIF: palette indices in, codes out.
//
//   prefix        the code of the indices read and not yet written
//   table         hash of (prefix, next index) ──▶ entry
//   entry         prefix (12 bits) | index (8 bits) | code (12 bits); 0 is empty
//
// A string is in the table as its prefix's code and its last index. While (prefix, next index) has a code, that becomes the prefix;
// else the prefix is written, the pair gets the next code, and the index begins another string.

import ImageCodecsCore

/// Where encoding stands between two calls.
package struct LZWEncodingState: Hashable, Sendable {
    /// Bits that wait for a whole word, the first one lowest.
    var bits: UInt64 = 0
    /// Fewer than 32 between two calls.
    var bitCount = 0
    /// Bits of the next code.
    var codeSize: Int
    /// The code that the next string gets; 4096 when there are none left.
    var nextCode: Int
    /// The code of the indices read and not yet written; -1 if there are none.
    var prefix = -1
    /// The next index to read.
    package var position = 0
    /// Codes written since the table was cleared.
    var codeCount = 0
    /// Bits of all codes written.
    package var writtenBitCount = 0

    package let minimumCodeSize: Int

    /// - Parameter minimumCodeSize: 2...8; all indices are smaller than two to this power.
    package init(minimumCodeSize: Int) {
        self.minimumCodeSize = minimumCodeSize
        codeSize = minimumCodeSize + 1
        nextCode = (1 << minimumCodeSize) + 2
    }

    var clearCode: Int { 1 << minimumCodeSize }
    var isFull: Bool { nextCode == LZWEncodingKernel.codeCount }

    /// Begins with an empty table; for after a clear code.
    mutating func clearTable() {
        codeSize = minimumCodeSize + 1
        nextCode = clearCode + 2
        (prefix, codeCount) = (-1, 0)
    }

    /// Appends a code to the waiting bits, and goes on to the size of the next. After a string's code the decoder's table has one
    /// string more, so that codes get longer here when they do there.
    mutating func append(code: Int) {
        bits |= UInt64(code) << UInt64(bitCount)
        bitCount += codeSize
        writtenBitCount += codeSize
        codeCount += 1
        guard nextCode < LZWEncodingKernel.codeCount else { return }
        nextCode += 1
        if nextCode > 1 << codeSize { codeSize += 1 }
    }

    /// Bits that the string at hand and a clear or end code after it will take.
    var closingBitCount: Int {
        var copy = self
        if prefix >= 0 { copy.append(code: prefix) }
        return copy.writtenBitCount - writtenBitCount + copy.codeSize
    }
}

/// Why encoding stopped.
package enum LZWEncodingPause: Hashable, Sendable {
    /// All indices up to the end are read.
    case endReached
    /// There is no room for another word of codes.
    case outputFull
    /// The last code was just given to a string.
    case tableFilled
}

/// The table of strings.
package protocol LZWStringTable {}

extension LZWStringTable {
    /// Codes there can be.
    package static var codeCount: Int { 4096 }
    /// The base-two logarithm of the number of slots: twice as many as there are codes.
    static var slotBits: UInt32 { 13 }
    /// Slots of the table, each four bytes.
    package static var slotCount: Int { 1 << Int(slotBits) }
    /// Bytes of the table.
    package static var tableByteCount: Int { 4 * slotCount }

    /// The first slot to look at for a string.
    @inline(__always)
    static func firstSlot(of key: UInt32) -> Int {
        Int(truncatingIfNeeded: (key &* 0x9E37_79B1) &>> (32 &- slotBits))
    }
}

#if !ReferenceKernels
package enum LZWEncodingKernel: LZWStringTable {
    /// Encodes as far as indices and room go.
    ///
    /// - Parameters:
    ///   - state: moved on; its ``LZWEncodingState/prefix`` stays unwritten at the end.
    ///   - table: what this function has written since the table was cleared; all zero after that.
    ///   - indices: one byte each, smaller than two to the power of the minimum code size; higher bits are ignored.
    ///   - end: where to stop reading.
    ///   - output: takes the codes, in words of four bytes.
    ///   - outputCount: bytes of it that are used; moved on.
    /// - Precondition: `end` lies within the indices, the table has ``slotCount`` entries.
    package static func encode(
        _ state: inout LZWEncodingState, table: inout MutableSpan<UInt32>, indices: RawSpan, end: Int,
        output: inout MutableRawSpan, outputCount: inout Int
    ) -> LZWEncodingPause {
        precondition(state.position >= 0 && end <= indices.byteCount, "outside the indices")
        precondition(table.count == slotCount, "not a table of strings")
        precondition(outputCount >= 0 && outputCount <= output.byteCount, "outside the output")
        guard state.position < end else { return .endReached }
        return unsafe table.withUnsafeMutableBufferPointer { table in
            unsafe output.withUnsafeMutableBytes { output in
                unsafe indices.withUnsafeBytes { indices in
                    guard let entries = table.baseAddress, let from = indices.baseAddress, let to = output.baseAddress
                    else { return .outputFull }
                    return unsafe encode(&state, entries, from, end, to, output.count, &outputCount)
                }
            }
        }
    }

    // SAFETY, for every load and store: `position` stays below `end`, which is in the indices; four bytes are stored only if
    // there is room for them; slots are masked to the table's size. The table never fills up: it has twice as many slots as there
    // are codes, so that every search ends.
    private static func encode(
        _ state: inout LZWEncodingState, _ entries: UnsafeMutablePointer<UInt32>, _ indices: UnsafeRawPointer,
        _ end: Int, _ output: UnsafeMutableRawPointer, _ outputByteCount: Int, _ outputCount: inout Int
    ) -> LZWEncodingPause {
        let mask = UInt32(truncatingIfNeeded: state.clearCode &- 1)
        var (bits, bitCount, codeSize, nextCode) = (state.bits, state.bitCount, state.codeSize, state.nextCode)
        var (position, place) = (state.position, outputCount)
        var (codes, written) = (state.codeCount, state.writtenBitCount)
        var pause = LZWEncodingPause.endReached
        var prefix: UInt32
        if state.prefix >= 0 {
            prefix = UInt32(truncatingIfNeeded: state.prefix)
        } else {
            prefix = unsafe UInt32(truncatingIfNeeded: indices.load(fromByteOffset: position, as: UInt8.self)) & mask
            position &+= 1
        }
        while position < end {
            let index = unsafe UInt32(truncatingIfNeeded: indices.load(fromByteOffset: position, as: UInt8.self)) & mask
            let key = prefix &<< 8 | index
            var slot = firstSlot(of: key)
            var entry = unsafe entries[slot]
            while entry &>> 12 != key, entry != 0 {
                slot = (slot &+ 1) & (slotCount &- 1)
                entry = unsafe entries[slot]
            }
            if entry != 0 {
                prefix = entry & 0xFFF
                position &+= 1
                continue
            }
            guard outputByteCount &- place >= 4 else {
                pause = .outputFull
                break
            }
            bits |= UInt64(truncatingIfNeeded: prefix) &<< UInt64(truncatingIfNeeded: bitCount)
            bitCount &+= codeSize
            written &+= codeSize
            codes &+= 1
            if bitCount >= 32 {
                unsafe output.storeBytes(
                    of: UInt32(truncatingIfNeeded: bits), toByteOffset: place, as: UInt32.self)
                place &+= 4
                bits &>>= 32
                bitCount &-= 32
            }
            prefix = index
            position &+= 1
            guard nextCode < codeCount else { continue }
            unsafe entries[slot] = key &<< 12 | UInt32(truncatingIfNeeded: nextCode)
            nextCode &+= 1
            if nextCode > 1 &<< codeSize { codeSize &+= 1 }
            if nextCode == codeCount {
                pause = .tableFilled
                break
            }
        }
        (state.bits, state.bitCount, state.codeSize, state.nextCode) = (bits, bitCount, codeSize, nextCode)
        (state.position, state.prefix) = (position, Int(prefix))
        (state.codeCount, state.writtenBitCount) = (codes, written)
        outputCount = place
        return pause
    }
}
#endif
