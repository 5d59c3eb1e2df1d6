// The plain twin of the kernel for grids of colours.

import ImageCodecsCore

/// See `GridColorKernel`.
package enum GridColorKernelReference {
    package static func convert(_ row: inout MutableRawSpan, pixelByteCount: Int, _ tables: GridColorTables) {
        let channelCount = tables.channelCount
        for pixel in 0..<row.byteCount / pixelByteCount {
            let at = pixel * pixelByteCount
            let entries = (0..<channelCount).map { 256 * $0 + Int(row.byte(at: at + $0)) }
            let cell = entries.reduce(0) { $0 + Int(tables.offsets[$1]) }
            var sum = corners(cell, entries, tables)
            if channelCount == 4 {
                let fraction = Int32(tables.fractions[entries[0]])
                let next = corners(cell + Int(tables.steps[0]), entries, tables)
                sum = (sum &>> 8) &* (256 - fraction) &+ (next &>> 8) &* fraction
            }
            for channel in 0..<3 {
                row.setByte(UInt8(clamping: (sum[channel] + (1 << 13)) >> 14), at: at + channel)
            }
            if channelCount == 4 { row.setByte(255, at: at + 3) }
        }
    }

    /// From the lowest corner to the highest along that of the last three channels first that has the greatest fraction.
    private static func corners(_ cell: Int, _ entries: [Int], _ tables: GridColorTables) -> SIMD4<Int32> {
        // Sorting keeps the order of what is equal.
        let order = (entries.count - 3..<entries.count).sorted {
            tables.fractions[entries[$0]] > tables.fractions[entries[$1]]
        }
        var (at, rest, sum) = (cell, Int32(256), SIMD4<Int32>.zero)
        for channel in order {
            let fraction = Int32(tables.fractions[entries[channel]])
            sum &+= SIMD4(truncatingIfNeeded: tables.points[at]) &* (rest - fraction)
            rest = fraction
            at += Int(tables.steps[channel])
        }
        return sum &+ SIMD4(truncatingIfNeeded: tables.points[at]) &* rest
    }
}

#if ReferenceKernels
package typealias GridColorKernel = GridColorKernelReference
#endif
