// What the symbols of a block cost in each of some groups of codes.

/// Costs of blocks.
package protocol GroupCosts {}

extension GroupCosts {
    /// How many groups are looked at together: numbers of groups are rounded up to a multiple of it.
    package static var width: Int { 16 }
}

#if !ReferenceKernels
package enum GroupCostKernel: GroupCosts {
    /// Adds up what symbols cost.
    ///
    /// - Parameters:
    ///   - entries: symbol below, how often it occurs from bit 16 on.
    ///   - prices: of each symbol in each group, bit patterns of `Float`: the groups of one symbol lie together.
    ///   - groupCount: a multiple of ``width``.
    ///   - costs: gets one for each group, as a bit pattern of `Float`.
    package static func costs(
        _ entries: Span<UInt32>, _ prices: Span<Int32>, groupCount: Int, to costs: inout MutableSpan<Int32>
    ) {
        precondition(groupCount > 0 && groupCount % width == 0 && costs.count >= groupCount)
        let symbolCount = prices.count / groupCount
        unsafe entries.withUnsafeBufferPointer { entries in
            unsafe prices.withUnsafeBufferPointer { prices in
                unsafe costs.withUnsafeMutableBufferPointer { costs in
                    // SAFETY: a symbol is checked against the table; of its prices, and of the costs, there are `groupCount`.
                    var group = 0
                    while group < groupCount {
                        var (a, b, c, d) = (SIMD4<Float>(), SIMD4<Float>(), SIMD4<Float>(), SIMD4<Float>())
                        for index in 0..<entries.count {
                            let entry = unsafe entries[index]
                            let symbol = Int(entry & 0xFFFF)
                            precondition(symbol < symbolCount)
                            let count = SIMD4<Float>(repeating: Float(entry &>> 16))
                            let row = unsafe UnsafeRawPointer(prices.baseAddress! + (symbol &* groupCount &+ group))
                            a += unsafe row.loadUnaligned(as: SIMD4<Float>.self) * count
                            b += unsafe row.loadUnaligned(fromByteOffset: 16, as: SIMD4<Float>.self) * count
                            c += unsafe row.loadUnaligned(fromByteOffset: 32, as: SIMD4<Float>.self) * count
                            d += unsafe row.loadUnaligned(fromByteOffset: 48, as: SIMD4<Float>.self) * count
                        }
                        let target = unsafe UnsafeMutableRawPointer(costs.baseAddress! + group)
                        unsafe target.storeBytes(of: a, as: SIMD4<Float>.self)
                        unsafe target.storeBytes(of: b, toByteOffset: 16, as: SIMD4<Float>.self)
                        unsafe target.storeBytes(of: c, toByteOffset: 32, as: SIMD4<Float>.self)
                        unsafe target.storeBytes(of: d, toByteOffset: 48, as: SIMD4<Float>.self)
                        group &+= width
                    }
                }
            }
        }
    }
}
#endif
