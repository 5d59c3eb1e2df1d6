// The plain twin of the kernel of DC differences.

import ImageCodecsCore
import JPEGBaselineCodec

/// The plain twin of `DCDifferenceKernel`.
enum DCDifferenceKernelReference {
    static func decode(_ state: inout ProgressiveState, tables: [Int32], at start: Int, input: RawSpan) -> Int32 {
        if state.reader.count < 32 { state.reader.refill(input) }
        let entry = tables[start + HuffmanTable.lookup + state.reader.peek(HuffmanTable.smallLookupBits)]
        if entry & HuffmanTable.Entry.unresolved == 0 {
            state.reader.skip(Int(entry & 63))
            return entry >> 16
        }
        let symbol = HuffmanTable.decodeSymbolReference(
            &state.reader, entry: entry, tables: tables, at: start, isDamaged: &state.isDamaged)
        return symbol & 15 == 0 ? 0 : state.reader.readSigned(symbol & 15)
    }
}

#if ReferenceKernels
typealias DCDifferenceKernel = DCDifferenceKernelReference
#endif
