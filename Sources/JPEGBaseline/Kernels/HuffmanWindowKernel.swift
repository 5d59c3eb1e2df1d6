// The look-up of a Huffman table, filled window by window.
//
// Codes in their order cover the windows of some bits in their order, so each is entered where the one before it ended. In: a
// definition as a DHT segment has it. Out: an entry for each window. The twin enters each code wherever it belongs.

#if !ReferenceKernels
package enum HuffmanWindowKernel {
    /// Fills the look-up of a table; every window that begins with no code, or with a longer one, is unresolved.
    ///
    /// - Parameters:
    ///   - entries: Receives the look-up from `start` on.
    ///   - lookupBits: Bits of a window, 1...12.
    ///   - definition: 16 counts and the symbols.
    ///   - end: The code of the end of the block, if entries may take it along.
    /// - Precondition: The counts are those of a prefix code.
    package static func fill(
        _ entries: inout [Int32], at start: Int, lookupBits: Int, definition: Span<UInt8>,
        use: HuffmanTable.Use, end: HuffmanTable.Code?
    ) {
        precondition((1...12).contains(lookupBits) && start >= 0 && start + 1 << lookupBits <= entries.count)
        precondition(HuffmanSpecification.isPrefixCode(counts: definition))
        unsafe entries.withUnsafeMutableBufferPointer { entries in
            guard let base = entries.baseAddress else { return }
            let windows = unsafe base + start
            var window = 0
            var symbolIndex = 16
            for length in 1...lookupBits {
                for _ in 0..<definition[length - 1] {
                    // SAFETY: the windows of a prefix code are no more than there are (checked above).
                    unsafe fill(
                        windows + window, spareBits: lookupBits - length, length: length,
                        symbol: definition[symbolIndex], use: use, end: end)
                    window += 1 << (lookupBits - length)
                    symbolIndex += 1
                }
            }
            // SAFETY: the windows from here to the last.
            unsafe fill(windows + window, 1 << lookupBits - window, HuffmanTable.Entry.unresolved)
        }
    }

    // SAFETY: for the functions below, the windows that begin with a code of `length` bits lie from `windows` on.

    /// Enters one code in its windows.
    @inline(__always)
    private static func fill(
        _ windows: UnsafeMutablePointer<Int32>, spareBits: Int, length: Int, symbol: UInt8,
        use: HuffmanTable.Use, end: HuffmanTable.Code?
    ) {
        let size = Int(symbol & 15)
        let isDifference = use == .dc || use == .lossless
        let run = isDifference ? 0 : Int32(symbol >> 4)
        let isEndOfBlock = size == 0 && !isDifference && run != 15
        if use == .symbols || size > spareBits || (isEndOfBlock && use == .progressiveAC)
            || (isDifference && symbol == 16)
        {
            unsafe fill(
                windows, 1 << spareBits, HuffmanTable.Entry.unresolved(symbol: symbol, codeLength: length))
        } else if isEndOfBlock {
            unsafe fill(
                windows, 1 << spareBits,
                HuffmanTable.Entry.resolved(value: 0, advance: HuffmanTable.Entry.loneEndAdvance, bitCount: length)
                    | HuffmanTable.Entry.loneEnd)
        } else if size == 0 {
            unsafe fill(
                windows, 1 << spareBits, HuffmanTable.Entry.resolved(value: 0, advance: run + 1, bitCount: length))
        } else {
            let entry = HuffmanTable.Entry.resolved(value: 0, advance: run + 1, bitCount: length + size)
            unsafe fillValues(windows, rest: spareBits - size, size: size, entry: entry, end: end)
        }
    }

    /// Enters a code with each of the values that may follow it, and those with the end of the block after them.
    @inline(__always)
    private static func fillValues(
        _ windows: UnsafeMutablePointer<Int32>, rest: Int, size: Int, entry: Int32, end: HuffmanTable.Code?
    ) {
        // Where the end of the block begins after a value, in windows, and how many it has.
        var endStart = 0
        var endCount = 0
        var endBits: Int32 = 0
        if let end, end.length <= rest {
            endStart = end.bits &<< (rest &- end.length)
            endCount = 1 &<< (rest &- end.length)
            endBits = HuffmanTable.Entry.endAdvance << 8 &+ Int32(end.length)
        }
        var target = unsafe windows
        var entry = entry &- Int32((1 &<< size) &- 1) &<< 16
        for bits in 0..<1 &<< size {
            // Values with a leading 1 are positive, and begin at half of the power.
            if bits == 1 &<< (size &- 1) { entry = entry &+ Int32((1 &<< size) &- 1) &<< 16 }
            unsafe fill(target, 1 &<< rest, entry)
            if endCount > 0 { unsafe fill(target + endStart, endCount, entry &+ endBits) }
            entry = entry &+ 0x10000
            unsafe target += 1 &<< rest
        }
    }

    @inline(__always)
    private static func fill(_ target: UnsafeMutablePointer<Int32>, _ count: Int, _ entry: Int32) {
        var target = unsafe target
        var left = count
        let four = SIMD4<Int32>(repeating: entry)
        while left >= 4 {
            unsafe UnsafeMutableRawPointer(target).storeBytes(of: four, as: SIMD4<Int32>.self)
            unsafe target += 4
            left &-= 4
        }
        while left > 0 {
            unsafe target.pointee = entry
            unsafe target += 1
            left &-= 1
        }
    }
}
#endif
