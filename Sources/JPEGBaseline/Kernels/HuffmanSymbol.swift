// Symbols that a look-up does not resolve: a code whose value is longer than the window, or a long code.

#if !ReferenceKernels
extension HuffmanTable {
    /// The symbol of an unresolved entry, its code skipped; 16 bits of the reservoir suffice.
    ///
    /// A window that starts with no code counts as 17 bits with the symbol 0, as in libjpeg, and as damage.
    ///
    /// - Parameters:
    ///   - entry: The look-up of the reader's next bits.
    ///   - table: ``HuffmanTable/count`` numbers.
    @inlinable @inline(__always)
    package static func decodeSymbol(
        _ reader: inout EntropyBitReader, entry: Int32, table: UnsafePointer<Int32>, isDamaged: inout Bool
    ) -> Int {
        let length = Int(entry & 63)
        if length != 0 {
            reader.skip(length)
            return Int((entry >> 8) & 255)
        }
        let found = unsafe decodeLongCode(window: reader.peek(16), table: table)
        reader.skip(found & 31)
        if found & 31 > 16 { isDamaged = true }
        return found >> 5
    }

    /// `symbol << 5 | length` of a code that is longer than the windows of the look-up.
    ///
    /// - Parameter table: ``HuffmanTable/count`` numbers.
    @inline(never) @usableFromInline
    package static func decodeLongCode(window: Int, table: UnsafePointer<Int32>) -> Int {
        // No shorter code comes here, whichever the look-up.
        unsafe decodeCode(window: window, table: table, shortest: HuffmanTable.smallLookupBits + 1)
    }

    /// `symbol << 5 | length` of any code that has `shortest` bits or more; the symbol 0 of 17 bits if there is none.
    @inline(__always)
    static func decodeCode(window: Int, table: UnsafePointer<Int32>, shortest: Int = 1) -> Int {
        var length = shortest
        // SAFETY: the limit of length 17 is above every window; the symbol's index is masked to 0...255.
        while unsafe window >= Int(table[HuffmanTable.limits + length]) { length += 1 }
        guard length <= 16 else { return 17 }
        let code = window &>> (16 &- length)
        let index = unsafe (code &+ Int(table[HuffmanTable.symbolOffsets + length])) & 255
        return unsafe Int(table[HuffmanTable.symbols + index]) << 5 | length
    }
}
#endif
