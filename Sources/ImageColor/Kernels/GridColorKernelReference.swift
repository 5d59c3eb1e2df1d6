// The plain twin of the kernel for grids of colours.

import ImageCodecsCore

/// See `GridColorKernel`.
package enum GridColorKernelReference {
    package static func convert(_ row: inout MutableRawSpan, pixelByteCount: Int, _ tables: GridColorTables) {
        let channelCount = tables.channelCount
        for pixel in 0..<row.byteCount / pixelByteCount {
            let at = pixel * pixelByteCount
            let places = (0..<channelCount).map { tables.places[256 * $0 + Int(row.byte(at: at + $0))] }
            let cell = places.reduce(0) { $0 + $1.offset }
            let ways = Array(places[(channelCount - 3)...])
            var sums = corners(cell, ways, tables)
            if channelCount == 4 {
                let distance = Float(places[0].distance) / Float(GridPlace.one)
                sums += (corners(cell + places[0].step, ways, tables) - sums) * distance
                row.setByte(255, at: at + 3)
            }
            let light = light(sums, tables)
            for channel in 0..<3 {
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
                let place = (sums[channel] + Float(GridColorTables.sumLimit)) / 262_144
                value[channel] =
                    tables.curves[
                        channel * GridColorTables.curveCount + Int(place.rounded(.toNearestOrEven))]
            }
        }
        value = affine(value, tables.toSpace)
        if tables.isLab {
            for channel in 0..<3 {
                let above = max(0, value[channel] - 24.0 / 116)
                let tangent = (value[channel] - 16.0 / 116) * (108.0 / 841)
                value[channel] = tangent + above * above * (above + 72.0 / 116)
            }
        }
        return affine(value, tables.toLight)
    }

    private static func affine(_ v: SIMD4<Float>, _ m: AffineColors) -> SIMD4<Float> {
        ((m.offset + m.x * v.x) + m.y * v.y) + m.z * v.z
    }

    /// From the lowest corner to the highest along the channel first that has the greatest distance.
    private static func corners(_ cell: Int, _ places: [GridPlace], _ tables: GridColorTables) -> SIMD4<Float> {
        var (at, rest, sum) = (cell, GridPlace.one, SIMD4<Int>.zero)
        // Sorting keeps the order of what is equal.
        for place in places.sorted(by: { $0.distance > $1.distance }) {
            sum &+= SIMD4<Int>(truncatingIfNeeded: tables.points[at]) &* (rest - place.distance)
            rest = place.distance
            at += place.step
        }
        return SIMD4<Float>(sum &+ SIMD4<Int>(truncatingIfNeeded: tables.points[at]) &* rest)
    }
}

#if ReferenceKernels
package typealias GridColorKernel = GridColorKernelReference
#endif
