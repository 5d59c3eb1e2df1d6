// The colours of a histogram as points with weights, in the memory that clustering works in.

import ImageCodecsCore

/// Points of colour space and how much each counts, cut into boxes: each box is a range of them.
struct WeightedColors: Sendable {
    private(set) var points: [SIMD4<Float>] = []
    private(set) var weights: [Float] = []
    /// Whether the histogram has transparent pixels, which are no points.
    private(set) var hasTransparency = false
    private let reservation: MemoryReservation
    /// What coordinates are multiplied by for clustering.
    let stretch: SIMD4<Float>

    /// Colours from which on neighbours may become one.
    private static let mergedCount = 1 << 14

    /// - Parameters:
    ///   - histogram: whose colours; transparent ones are left out.
    ///   - merging: the side of the cubes whose colours become their mean, if there are many colours and these are not common; 1 or
    ///     more.
    ///   - stretch: what coordinates are multiplied by.
    ///   - meter: counts the points.
    /// - Throws: `limitExceeded(.memory)`.
    init(
        _ histogram: ColorHistogram, merging side: Float?, stretch: SIMD4<Float>, meter: MemoryMeter?
    ) throws(ImageError) {
        reservation = try MemoryReservation(byteCount: Self.byteCount(histogram.count), meter: meter)
        self.stretch = stretch
        points.reserveCapacity(histogram.count)
        weights.reserveCapacity(histogram.count)
        if let side, histogram.count > Self.mergedCount { merge(histogram, side) } else { collect(histogram) }
    }

    /// Slots that are looked at for a cube.
    private static let mostSteps = 300

    private mutating func collect(_ histogram: ColorHistogram) {
        Oklab.linear.withSpan { linear in
            histogram.forEach { color, weight in
                guard color >> 24 > 0 else {
                    hasTransparency = true
                    return
                }
                points.append(Oklab.point(color, linear) * stretch)
                weights.append(Float(weight))
            }
        }
    }

    /// A number for each cube of space, and for each alpha.
    @inline(__always)
    private static func cube(_ point: SIMD4<Float>, _ color: UInt32, _ stepsPerUnit: Float) -> UInt32 {
        let place = (point + SIMD4(0, 128, 144, 0)) * stepsPerUnit
        return UInt32(max(0, place.x)) | UInt32(max(0, place.y)) << 8 | UInt32(max(0, place.z)) << 16 | color
            & 0xFF00_0000
    }

    /// A number whose high bits depend on all of a cube's, and differ for cubes that are neighbours: one product is not enough for a
    /// lattice.
    @inline(__always)
    private static func hash(_ cube: UInt32) -> UInt32 {
        let product = cube &* 0x9E37_79B1
        return (product ^ product >> 15) &* 0x85EB_CA77
    }

    /// Collects weighted means of colours that are close together, and as they are those that are common: areas have them.
    private mutating func merge(_ histogram: ColorHistogram, _ side: Float) {
        var total: UInt64 = 0
        histogram.forEach { _, weight in total += UInt64(weight) }
        let commonWeight = 4 * total / UInt64(histogram.count)
        let stepsPerUnit = 1 / max(1, side)
        let bitCount = UInt32(Int.bitWidth - histogram.count.leadingZeroBitCount)
        // A hash table: the number of a mean plus one, or 0; and its cube.
        var slots = [UInt64](repeating: 0, count: 1 << Int(bitCount + 1))
        let mask = slots.count - 1
        Oklab.linear.withSpan { linear in
            histogram.forEach { color, weight in
                guard color >> 24 > 0 else {
                    hasTransparency = true
                    return
                }
                let point = Oklab.point(color, linear)
                guard weight < commonWeight else {
                    points.append(point * (stretch * Float(weight)))
                    weights.append(Float(weight))
                    return
                }
                let key = Self.cube(point, color, stepsPerUnit)
                var slot = Int(Self.hash(key) >> (31 - bitCount))
                var stepCount = 0
                while slots[slot] != 0, UInt32(truncatingIfNeeded: slots[slot]) != key, stepCount < Self.mostSteps {
                    slot = (slot + 1) & mask
                    stepCount += 1
                }
                // A cube that finds no slot near, because many others want the same, begins anew in the last one.
                if slots[slot] == 0 || UInt32(truncatingIfNeeded: slots[slot]) != key {
                    points.append(.zero)
                    weights.append(0)
                    slots[slot] = UInt64(points.count) << 32 | UInt64(key)
                }
                let number = Int(slots[slot] >> 32) - 1
                points[number] += point * (stretch * Float(weight))
                weights[number] += Float(weight)
            }
        }
        for number in points.indices {
            points[number] /= weights[number]
            if points[number].w > Oklab.opaque / 2 { points[number].w = Oklab.opaque }
        }
    }

    /// Bytes that this many points take. Saturates.
    static func byteCount(_ count: Int) -> Int { count.multipliedSaturated(by: 52).addingSaturated(64) }

    /// Exchanges points of a range until those that are wanted come first.
    ///
    /// - Returns: where the others begin.
    mutating func partition(_ range: Range<Int>, by isFirst: (SIMD4<Float>) -> Bool) -> Int {
        var (low, high) = (range.lowerBound, range.upperBound)
        while low < high {
            if isFirst(points[low]) {
                low += 1
            } else {
                high -= 1
                points.swapAt(low, high)
                weights.swapAt(low, high)
            }
        }
        return low
    }

    /// The smallest box around the points of a range that is not empty.
    func bounds(of range: Range<Int>) -> (low: SIMD4<Float>, high: SIMD4<Float>) {
        points.withSpan { points in
            var (low, high) = (points[range.lowerBound], points[range.lowerBound])
            for index in range {
                low = pointwiseMin(low, points[index])
                high = pointwiseMax(high, points[index])
            }
            return (low, high)
        }
    }
}
