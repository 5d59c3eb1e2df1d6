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
            var sums = corners(cell, entries, tables)
            if channelCount == 4 {
                let fraction = Float(tables.fractions[entries[0]]) / 256
                sums += (corners(cell + Int(tables.steps[0]), entries, tables) - sums) * fraction
            }
            let light = light(sums, tables)
            // Of inks, the fourth byte too.
            for channel in 0..<channelCount {
                let place = light[channel].rounded(.toNearestOrEven)
                let isLow = !(place > 0)
                row.setByte(tables.numbers[isLow ? 0 : Int(min(place, 16384))], at: at + channel)
            }
        }
    }

    /// Light of the destination, 1 as 2^14.
    private static func light(_ sums: SIMD4<Float>, _ tables: GridColorTables) -> SIMD4<Float> {
        var value = sums
        if !tables.curves.isEmpty {
            for channel in 0..<3 {
                let place = Int(((sums[channel] + 8_388_608) / 4096).rounded(.toNearestOrEven))
                value[channel] = tables.curves[channel * GridColorTables.curveCount + place]
            }
        }
        value = tables.toSpace(value)
        if tables.isLab {
            for channel in 0..<3 {
                let above = max(0, value[channel] - 24.0 / 116)
                let tangent = (value[channel] - 16.0 / 116) * (108.0 / 841)
                value[channel] = tangent + above * above * (above + 72.0 / 116)
            }
        }
        return tables.toLight(value)
    }

    /// From the lowest corner to the highest along that of the last three channels first that has the greatest fraction.
    private static func corners(_ cell: Int, _ entries: [Int], _ tables: GridColorTables) -> SIMD4<Float> {
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
        return SIMD4<Float>(sum &+ SIMD4(truncatingIfNeeded: tables.points[at]) &* rest)
    }
}

#if ReferenceKernels
package typealias GridColorKernel = GridColorKernelReference
#endif
