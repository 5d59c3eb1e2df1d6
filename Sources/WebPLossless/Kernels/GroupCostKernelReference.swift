// The plain twin of GroupCostKernel.

/// Costs of blocks, a group at a time.
package enum GroupCostKernelReference: GroupCosts {
    /// See `GroupCostKernel`.
    package static func costs(
        _ entries: Span<UInt32>, _ prices: Span<Int32>, groupCount: Int, to costs: inout MutableSpan<Int32>
    ) {
        for group in 0..<groupCount {
            var sum: Float = 0
            for index in entries.indices {
                let price = prices[Int(entries[index] & 0xFFFF) * groupCount + group]
                sum += Float(bitPattern: UInt32(bitPattern: price)) * Float(entries[index] >> 16)
            }
            costs[group] = Int32(bitPattern: sum.bitPattern)
        }
    }
}

#if ReferenceKernels
package typealias GroupCostKernel = GroupCostKernelReference
#endif
