// From a quality number to the scale of the fitted tables.
//
// In: a number of 0...100, as people know it from libjpeg. Out: the scale of ``FittedTables``.

import ImageCodecsCore

/// What a quality number means at the default effort.
///
/// A file of a number scores at least as much (SSIMULACRA 2) as libjpeg-turbo's with 4:2:0 of the same number does, on each of
/// 22 colour and 8 gray pictures, for the numbers 20...95. The scales below are the largest that hold on all of these, less
/// some six per cent; on most pictures the score is a good deal higher. Between the numbers the logarithm of the scale is
/// linear. Gray has its own scales as it has its own tables. At 100 every step is 1; at 99 some are
/// not, as libjpeg's, so that 100 loses less.
package enum QualityScale {
    private typealias Point = (number: Double, scale: Double)

    private static let color: [Point] = [
        (0, 6), (10, 2.4), (20, 1.57), (25, 1.27), (30, 1.07), (40, 0.81), (50, 0.65), (60, 0.545), (65, 0.477),
        (70, 0.411), (75, 0.352), (80, 0.305), (85, 0.247), (90, 0.173), (95, 0.106), (99, 0.035), (100, 0.0001),
    ]

    private static let gray: [Point] = [
        (0, 6), (10, 2.15), (20, 1.01), (25, 0.82), (30, 0.705), (40, 0.565), (50, 0.475), (60, 0.406), (65, 0.369),
        (70, 0.337), (75, 0.3), (80, 0.246), (85, 0.17), (90, 0.098), (95, 0.065), (99, 0.035), (100, 0.0001),
    ]

    /// - Parameters:
    ///   - number: 0...100; what lies outside counts as the nearer end.
    ///   - isGray: Whether the picture has no chroma.
    package static func scale(_ number: Double, isGray: Bool) -> Double {
        let points = isGray ? gray : color
        let number = min(max(number, 0), 100)
        let next = points.firstIndex { $0.number >= number } ?? points.count - 1
        guard next > 0 else { return points[0].scale }
        let (low, high) = (points[next - 1], points[next])
        let part = (number - low.number) / (high.number - low.number)
        let (a, b) = (ReproduciblePowers.log2(low.scale), ReproduciblePowers.log2(high.scale))
        return ReproduciblePowers.exp2(a + part * (b - a))
    }
}
