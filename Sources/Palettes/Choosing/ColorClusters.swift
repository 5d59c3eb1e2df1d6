// Clusters of colours whose means become a palette: the first guess made better until it hardly changes.
//
// Source: S. P. Lloyd, "Least Squares Quantization in PCM", IEEE Trans. Information Theory 28 (1982).

import ImageCodecsCore

/// Colours that share an entry of a palette.
struct ColorClusters: Sendable {
    /// What each cluster's colours are replaced by.
    private(set) var centers: [SIMD4<Float>]
    /// Groups of colours that are near each other: for all of a group the same few clusters come into question.
    private let groups: [Group]

    private struct Group: Sendable {
        let range: Range<Int>
        let box: ColorBox
    }

    /// What one round finds out about a cluster.
    private struct Sums {
        var weight = 0.0
        var sum = SIMD4<Double>.zero
        var heaviest: Float = 0
        var heaviestPoint = SIMD4<Float>.zero
    }

    /// Groups of more colours than this are cut.
    private static let colorsPerGroup = 48
    private static let largestGroupCount = 2048
    /// The square of the diagonal up to which a box is small: differences of some four steps of gray.
    private static let smallSquaredDiagonal: Float = 16

    /// The first guess.
    ///
    /// - Parameters:
    ///   - colors: are sorted into groups.
    ///   - count: how many clusters, at least 1.
    init(_ colors: inout WeightedColors, count: Int, work: inout WorkGuard) throws(ImageError) {
        let end = colors.points.count
        let middle = colors.partition(0..<end) { $0.w > Oklab.opaque / 2 }
        // Opaque and translucent colours share no entry, unless there is only one.
        let ranges = count > 1 || middle == 0 ? [0..<middle, middle..<end] : [0..<middle]
        var cut = try VarianceCut(colors, ranges, work: &work)
        // What is in a small box looks alike: nearly all others are cut first.
        let priority = { (box: VarianceCut.Box) in
            Oklab.squaredDistance(box.low, box.high) > Self.smallSquaredDiagonal ? box.error : box.error * 1e-6
        }
        try cut.cut(&colors, to: count, by: priority, work: &work)
        centers = cut.boxes.map(\.mean)
        let groupCount = min(Self.largestGroupCount, max(cut.boxes.count, end / Self.colorsPerGroup))
        try cut.cut(&colors, to: groupCount, by: \.extent, work: &work)
        groups = cut.boxes.map { Group(range: $0.range, box: ColorBox(from: $0.low, to: $0.high)) }
    }

    /// Moves each center to the mean of the colours that are nearest to it, again and again.
    ///
    /// - Parameters:
    ///   - colors: those that the clusters were made of.
    ///   - roundCount: rounds at most; there are fewer if the error hardly falls.
    mutating func refine(
        _ colors: WeightedColors, roundCount: Int, work: inout WorkGuard
    ) throws(ImageError) {
        var lastError = Double.infinity
        for _ in 0..<roundCount {
            let round = try assign(colors, work: &work)
            move(round.sums, worst: round.worst)
            guard round.error < lastError * 0.9995 else { return }
            lastError = round.error
        }
    }

    /// Makes the colour that most pixels of a cluster have its center, so that large areas of drawings keep their colour.
    mutating func keepCommonColors(
        _ colors: WeightedColors, work: inout WorkGuard
    ) throws(ImageError) {
        let sums = try assign(colors, work: &work).sums
        for (number, sum) in sums.enumerated() where Double(sum.heaviest) > 0.5 * sum.weight {
            centers[number] = sum.heaviestPoint
        }
    }

    /// Clusters without colours start anew at the colour that is served worst.
    private mutating func move(_ sums: [Sums], worst: SIMD4<Float>?) {
        var worst = worst
        for (number, sum) in sums.enumerated() {
            if sum.weight > 0 {
                centers[number] = SIMD4<Float>(sum.sum / sum.weight)
            } else if let point = worst.take() {
                centers[number] = point
            }
        }
    }

    /// Finds the nearest center of each colour.
    private func assign(
        _ colors: WeightedColors, work: inout WorkGuard
    ) throws(ImageError) -> (sums: [Sums], error: Double, worst: SIMD4<Float>?) {
        var sums = [Sums](repeating: Sums(), count: centers.count)
        var error = 0.0
        var (worst, worstError) = (SIMD4<Float>?.none, Float(0))
        var search = ColorCandidates(centers)
        var candidates: [Int] = []
        for group in groups {
            search.list(for: group.box, into: &candidates)
            try work.spend(centers.count + group.range.count * candidates.count)
            for index in group.range {
                let (point, weight) = (colors.points[index], colors.weights[index])
                let (number, distance) = nearest(to: point, among: candidates)
                error += Double(distance * weight)
                if distance * weight > worstError { (worst, worstError) = (point, distance * weight) }
                sums[number].weight += Double(weight)
                sums[number].sum += SIMD4<Double>(point * weight)
                if weight > sums[number].heaviest {
                    (sums[number].heaviest, sums[number].heaviestPoint) = (weight, point)
                }
            }
        }
        return (sums, error, worst)
    }

    @inline(__always)
    private func nearest(to point: SIMD4<Float>, among candidates: [Int]) -> (number: Int, distance: Float) {
        var (best, least) = (candidates.first ?? 0, Float.infinity)
        for number in candidates {
            let distance = Oklab.squaredDistance(point, centers[number])
            if distance < least { (best, least) = (number, distance) }
        }
        return (best, least)
    }
}
