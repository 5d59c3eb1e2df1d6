// The first guess of a palette: boxes around colours, cut again and again where that takes away most of the error.
//
// Source: the idea is that of Xiaolin Wu, "Efficient Statistical Computations for Optimal Color Quantization", Graphics Gems II
// (1991); boxes are cut in their own steps here, so that colours that are close together are kept apart too.

import ImageCodecsCore

/// Cuts weighted colours into boxes.
struct VarianceCut: Sendable {
    /// Some of the points, and where they would be cut next.
    struct Box: Sendable {
        let range: Range<Int>
        let low: SIMD4<Float>
        let high: SIMD4<Float>
        /// Their weighted mean.
        let mean: SIMD4<Float>
        /// The sum of weighted squares of distances from the mean.
        let error: Double
        /// Points up to this step of an axis are cut from the others; `nil` if all are equal.
        let cut: (axis: Int, step: Int)?

        /// How much is gained if its points become groups of less extent.
        var extent: Double {
            let side = high - low
            return Double(range.count) * Double(Oklab.squaredDistance(side, .zero))
        }
    }

    private(set) var boxes: [Box]

    /// Starts with boxes that hold these ranges; empty ones are left out.
    init(_ colors: WeightedColors, _ ranges: [Range<Int>], work: inout WorkGuard) throws(ImageError) {
        boxes = []
        for range in ranges where !range.isEmpty { boxes.append(try Self.box(colors, range, work: &work)) }
    }

    /// Cuts the box of which `priority` is largest, until there are `count` or no more can be cut.
    mutating func cut(
        _ colors: inout WeightedColors, to count: Int, by priority: (Box) -> Double, work: inout WorkGuard
    ) throws(ImageError) {
        var queue = BoxQueue(boxes, priority)
        while boxes.count < count, let number = queue.next(), let cut = boxes[number].cut {
            let (range, low) = (boxes[number].range, boxes[number].low[cut.axis])
            let scale = Bins.scale(boxes[number].low, boxes[number].high)[cut.axis]
            let middle = colors.partition(range) { Int(($0[cut.axis] - low) * scale) <= cut.step }
            guard middle > range.lowerBound, middle < range.upperBound else { continue }
            boxes[number] = try Self.box(colors, range.lowerBound..<middle, work: &work)
            boxes.append(try Self.box(colors, middle..<range.upperBound, work: &work))
            queue.insert(number, boxes[number], priority)
            queue.insert(boxes.count - 1, boxes[boxes.count - 1], priority)
        }
    }

    private static func box(
        _ colors: WeightedColors, _ range: Range<Int>, work: inout WorkGuard
    ) throws(ImageError) -> Box {
        let (low, high) = colors.bounds(of: range)
        try work.spend(16 * range.count)
        let bins = Bins(colors, range, low, high)
        let total = bins.total
        let mean = total.sum / total.weight
        let error = max(0, bins.squares - total.weight * (mean * mean).sumInOrder)
        return Box(
            range: range, low: low, high: high, mean: SIMD4<Float>(mean), error: error,
            cut: low == high ? nil : bins.bestCut(low, high))
    }
}

/// Boxes by their priority, the largest first: a heap.
private struct BoxQueue {
    private var heap: [(priority: Double, number: Int)] = []

    init(_ boxes: [VarianceCut.Box], _ priority: (VarianceCut.Box) -> Double) {
        for (number, box) in boxes.enumerated() { insert(number, box, priority) }
    }

    private static func isBefore(
        _ first: (priority: Double, number: Int), _ second: (priority: Double, number: Int)
    ) -> Bool {
        first.priority > second.priority || (first.priority == second.priority && first.number < second.number)
    }

    /// Adds a box if it can be cut.
    mutating func insert(_ number: Int, _ box: VarianceCut.Box, _ priority: (VarianceCut.Box) -> Double) {
        guard box.cut != nil else { return }
        heap.append((priority(box), number))
        var place = heap.count - 1
        while place > 0, Self.isBefore(heap[place], heap[(place - 1) / 2]) {
            heap.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    mutating func next() -> Int? {
        guard let first = heap.first else { return nil }
        heap[0] = heap[heap.count - 1]
        heap.removeLast()
        var place = 0
        while true {
            var best = place
            for child in [2 * place + 1, 2 * place + 2] where child < heap.count {
                if Self.isBefore(heap[child], heap[best]) { best = child }
            }
            if best == place { return first.number }
            heap.swapAt(place, best)
            place = best
        }
    }
}

/// Weights and weighted sums of the points of a box, in steps along each axis.
private struct Bins {
    struct Moments {
        var weight = 0.0
        var sum = SIMD4<Double>.zero

        static func += (first: inout Self, second: Self) {
            first.weight += second.weight
            first.sum += second.sum
        }

        static func - (first: Self, second: Self) -> Self {
            Moments(weight: first.weight - second.weight, sum: first.sum - second.sum)
        }

        /// What the error of a box gets less by, if these are a box of their own.
        var gain: Double { weight > 0 ? (sum * sum).sumInOrder / weight : 0 }
    }

    /// Steps of an axis, after each of which but the last the box may be cut.
    private static let count = 32
    /// For each axis its bins.
    private var bins = [Moments](repeating: Moments(), count: 4 * count)
    private(set) var total = Moments()
    /// The sum of weighted squares.
    private(set) var squares = 0.0

    init(_ colors: WeightedColors, _ range: Range<Int>, _ low: SIMD4<Float>, _ high: SIMD4<Float>) {
        let scale = Self.scale(low, high)
        colors.points.withSpan { points in
            colors.weights.withSpan { weights in
                for index in range {
                    let (point, weight) = (SIMD4<Double>(points[index]), Double(weights[index]))
                    let sum = point * weight
                    total.weight += weight
                    total.sum += sum
                    squares += (point * sum).sumInOrder
                    let place = (points[index] - low) * scale
                    for axis in 0..<4 where scale[axis] > 0 {
                        let bin = axis * Self.count + min(Self.count - 1, Int(place[axis]))
                        bins[bin].weight += weight
                        bins[bin].sum += sum
                    }
                }
            }
        }
    }

    /// Steps per distance; 0 for an axis along which all points are equal.
    static func scale(_ low: SIMD4<Float>, _ high: SIMD4<Float>) -> SIMD4<Float> {
        var scale = SIMD4<Float>.zero
        for axis in 0..<4 where high[axis] - low[axis] > 1e-4 { scale[axis] = Float(count) / (high[axis] - low[axis]) }
        return scale
    }

    /// After which step the box is cut, so that the errors of both parts are least; both have points.
    func bestCut(_ low: SIMD4<Float>, _ high: SIMD4<Float>) -> (axis: Int, step: Int)? {
        let scale = Self.scale(low, high)
        var best: (axis: Int, step: Int)?
        var mostGain = -Double.infinity
        for axis in 0..<4 where scale[axis] > 0 {
            var before = Moments()
            for bin in 0..<Self.count - 1 {
                before += bins[axis * Self.count + bin]
                let after = total - before
                guard before.weight > 0, after.weight > 0 else { continue }
                let gain = before.gain + after.gain
                if gain > mostGain { (best, mostGain) = ((axis, bin), gain) }
            }
        }
        return best
    }
}

extension SIMD4<Double> {
    /// The sum of all four, always added in the same order.
    @inline(__always)
    var sumInOrder: Double { (x + y) + (z + w) }
}
