// The plain twin of `HuffmanWindowKernel`: it enters every code wherever it belongs, and is what tests compare with.

/// The plain twin.
package enum HuffmanWindowKernelReference {
    /// As the kernel's.
    package static func fill(
        _ entries: inout [Int32], at start: Int, lookupBits: Int, definition: Span<UInt8>,
        use: HuffmanTable.Use, end: HuffmanTable.Code?
    ) {
        for window in 0..<1 << lookupBits { entries[start + window] = HuffmanTable.Entry.unresolved }
        var code = 0
        var index = 16
        for length in 1...lookupBits {
            for _ in 0..<definition[length - 1] {
                fill(
                    &entries, start, spareBits: lookupBits - length, code: code, length: length,
                    symbol: definition[index], use: use, end: end)
                code += 1
                index += 1
            }
            code <<= 1
        }
    }

    /// Enters one code for every window that begins with it.
    private static func fill(
        _ entries: inout [Int32], _ start: Int, spareBits: Int, code: Int, length: Int, symbol: UInt8,
        use: HuffmanTable.Use, end: HuffmanTable.Code?
    ) {
        let size = Int(symbol & 15)
        let isDifference = use == .dc || use == .lossless
        let run = isDifference ? 0 : Int32(symbol >> 4)
        let isEndOfBlock = size == 0 && !isDifference && run != 15
        for window in code << spareBits..<(code + 1) << spareBits {
            let rest = window & ((1 << spareBits) - 1)
            var entry: Int32
            if use == .symbols || size > spareBits || (isEndOfBlock && use == .progressiveAC)
                || (isDifference && symbol == 16)
            {
                entry = HuffmanTable.Entry.unresolved(symbol: symbol, codeLength: length)
            } else if isEndOfBlock {
                entry = HuffmanTable.Entry.resolved(
                    value: 0, advance: HuffmanTable.Entry.loneEndAdvance, bitCount: length)
                entry |= HuffmanTable.Entry.loneEnd
            } else {
                let bits = rest >> (spareBits - size)
                let isPositive = size == 0 || bits >= 1 << (size - 1)
                let after = spareBits - size
                // The end of the block, where it follows the value in the window.
                let follows = end.flatMap { end in
                    end.length <= after && (rest & ((1 << after) - 1)) >> (after - end.length) == end.bits
                        && size > 0 ? end.length : nil
                }
                entry = HuffmanTable.Entry.resolved(
                    value: Int32(isPositive ? bits : bits - (1 << size) + 1),
                    advance: run + 1 + (follows == nil ? 0 : HuffmanTable.Entry.endAdvance),
                    bitCount: length + size + (follows ?? 0))
            }
            entries[start + window] = entry
        }
    }
}

#if ReferenceKernels
package typealias HuffmanWindowKernel = HuffmanWindowKernelReference
#endif
