// The plain twin of SymbolGatherKernel.

/// Symbols that occur, one after the other.
package enum SymbolGatherKernelReference {
    /// See `SymbolGatherKernel`.
    package static func gather(
        _ counts: inout MutableSpan<UInt32>, _ range: Range<Int>, to entries: inout MutableSpan<UInt32>,
        at position: inout Int
    ) {
        for index in range where counts[index] > 0 {
            entries[position] = UInt32(index - range.lowerBound) | min(counts[index], 0xFFFF) << 16
            position += 1
            counts[index] = 0
        }
    }
}

#if ReferenceKernels
package typealias SymbolGatherKernel = SymbolGatherKernelReference
#endif
