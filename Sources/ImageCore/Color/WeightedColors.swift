// The colours of a histogram as points with weights, in the memory that clustering works in.

/// Points of colour space and how much each counts, cut into boxes: each box is a range of them.
struct WeightedColors: Sendable {
    private(set) var points: [SIMD4<Float>] = []
    private(set) var weights: [Float] = []
    private let reservation: MemoryReservation
    /// What coordinates are multiplied by for clustering.
    let stretch: SIMD4<Float>

    /// - Parameters:
    ///   - histogram: whose colours; transparent ones are left out.
    ///   - stretch: what coordinates are multiplied by.
    ///   - meter: counts the points.
    /// - Throws: `limitExceeded(.memory)`.
    init(_ histogram: ColorHistogram, stretch: SIMD4<Float>, meter: MemoryMeter?) throws(ImageError) {
        reservation = try MemoryReservation(byteCount: Self.byteCount(histogram.count), meter: meter)
        self.stretch = stretch
        points.reserveCapacity(histogram.count)
        weights.reserveCapacity(histogram.count)
        Oklab.linear.withSpan { linear in
            histogram.forEach { color, weight in
                guard color >> 24 > 0 else { return }
                points.append(Oklab.point(color, linear) * stretch)
                weights.append(Float(weight))
            }
        }
    }

    /// Bytes that this many points take. Saturates.
    static func byteCount(_ count: Int) -> Int { count.multipliedSaturated(by: 20) }

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
