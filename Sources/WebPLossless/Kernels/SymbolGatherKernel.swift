// Counts of many symbols, of which few occur, into a list of those that do.

#if !ReferenceKernels
package enum SymbolGatherKernel {
    /// Appends an entry for each symbol that occurs, and sets its count to zero.
    ///
    /// - Parameters:
    ///   - counts: how often each symbol occurs, from 0 on.
    ///   - range: where in `counts` symbols 0, 1, 2... are; at most 65,536.
    ///   - entries: gets symbol below, count from bit 16 on, at most 65,535; has room for one more than occur.
    ///   - position: where the next entry goes.
    package static func gather(
        _ counts: inout MutableSpan<UInt32>, _ range: Range<Int>, to entries: inout MutableSpan<UInt32>,
        at position: inout Int
    ) {
        precondition(range.lowerBound >= 0 && range.upperBound <= counts.count && range.count <= 1 << 16)
        precondition(position >= 0, "no such place")
        guard !range.isEmpty else { return }
        let room = entries.count
        unsafe counts.withUnsafeMutableBufferPointer { counts in
            unsafe entries.withUnsafeMutableBufferPointer { entries in
                // SAFETY: indices are below `range.count`, and each place is checked before it is written.
                let base = unsafe counts.baseAddress! + range.lowerBound
                var place = position
                @inline(__always)
                func take(_ index: Int) {
                    let count = unsafe base[index]
                    precondition(place < room, "entries without room")
                    unsafe entries[place] = UInt32(truncatingIfNeeded: index) | min(count, 0xFFFF) &<< 16
                    unsafe base[index] = 0
                    place &+= count > 0 ? 1 : 0
                }
                var index = 0
                while index &+ 16 <= range.count {
                    let four = unsafe UnsafePointer(base + index)
                    let low = unsafe loadFour(four) | loadFour(four + 4)
                    let high = unsafe loadFour(four + 8) | loadFour(four + 12)
                    if !areZero(low | high) { for symbol in index..<index &+ 16 { take(symbol) } }
                    index &+= 16
                }
                while index < range.count {
                    take(index)
                    index &+= 1
                }
                position = place
            }
        }
    }
}
#endif
