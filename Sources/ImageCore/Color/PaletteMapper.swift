// Rows of pixels to rows of palette indices.
//
//   row ──▶ points of Oklab ──▶ + what earlier pixels lack, or a pattern ──▶ nearest colour ──▶ index

/// Gives every pixel of a picture a colour of a palette.
///
/// Pixels whose colour the palette has get it, and pixels in the middle of an area of one colour get the colour nearest to it:
/// nothing is added to either. Transparent pixels neither get nor hand on what others lack, so that an animation which
/// leaves out what does not change does not crawl.
package struct PaletteMapper: Sendable {
    private let dithering: Dithering
    private var search: NearestColor
    private let width: Int
    /// Points of the row.
    private var points: [SIMD4<Float>]
    /// What the pixels of this row and of the next get from those before; a place more on each side.
    private var errors: [SIMD4<Float>]
    private var nextErrors: [SIMD4<Float>]
    /// The pixels of the row before.
    private var above: [UInt32]
    private var y = 0
    /// Where the pattern begins.
    private var origin = (x: 0, y: 0)
    private let amplitude: Float
    private let reservation: MemoryReservation

    /// The most that a pixel gets of what others lack, in each coordinate.
    private static let largestError: Float = 40
    /// The square of the distance up to which a colour is the same.
    private static let sameDistance: Float = 0.01

    /// - Parameters:
    ///   - palette: the colours.
    ///   - dithering: what is done about others.
    ///   - width: pixels of the longest row.
    ///   - meter: counts the rows that are held.
    /// - Throws: `limitExceeded(.memory)`.
    package init(
        _ palette: Palette, _ dithering: Dithering, width: Int, meter: MemoryMeter?
    ) throws(ImageError) {
        reservation = try MemoryReservation(byteCount: Self.rowByteCount(width), meter: meter)
        search = try NearestColor(palette, meter: meter)
        self.dithering = dithering
        self.width = width
        points = Array(repeating: .zero, count: width)
        errors = Array(repeating: .zero, count: width + 2)
        nextErrors = errors
        above = Array(repeating: 0, count: width)
        amplitude = dithering == .blueNoise ? Self.spacing(palette) : 0
    }

    /// Bytes that mapping holds at most. Saturates.
    package static func byteCount(width: Int) -> Int { rowByteCount(width).addingSaturated(NearestColor.byteCount) }

    private static func rowByteCount(_ width: Int) -> Int { width.multipliedSaturated(by: 52).addingSaturated(64) }

    /// Starts a picture.
    ///
    /// - Parameters:
    ///   - x: where it is on the canvas, so that the pattern stays in its place.
    ///   - y: the same.
    package mutating func begin(x: Int = 0, y: Int = 0) {
        origin = (x & (BlueNoise.side - 1), y & (BlueNoise.side - 1))
        self.y = 0
        for index in nextErrors.indices { nextErrors[index] = .zero }
    }

    /// Maps the next row.
    ///
    /// - Parameters:
    ///   - row: straight RGBA.
    ///   - indices: takes the number of each pixel's colour.
    ///   - width: how many pixels there are; those of the picture, no more than the initialiser got.
    /// - Precondition: both hold `width` pixels.
    package mutating func map(_ row: RawSpan, into indices: inout MutableRawSpan, width: Int) {
        precondition(width <= self.width, "longer than the longest row")
        do {
            var converted = points.mutableSpan
            Oklab.convert(row, into: &converted, width: width)
        }
        switch dithering {
        case .none: mapPlainly(row, into: &indices, width: width)
        case .blueNoise: mapWithNoise(row, into: &indices, width: width)
        case .errorDiffusion: diffuse(row, into: &indices, width: width)
        }
        for x in 0..<width { above[x] = row.nativeUInt32(at: 4 * x) }
        y += 1
    }

    private mutating func mapPlainly(_ row: RawSpan, into indices: inout MutableRawSpan, width: Int) {
        var last: UInt32?
        var index: UInt8 = 0
        for x in 0..<width {
            let pixel = row.nativeUInt32(at: 4 * x)
            if pixel != last { (last, index) = (pixel, search.nearest(to: points[x]).index) }
            indices.setByte(index, at: x)
        }
    }

    private mutating func mapWithNoise(_ row: RawSpan, into indices: inout MutableRawSpan, width: Int) {
        let line = ((y + origin.y) & (BlueNoise.side - 1)) * BlueNoise.side
        for x in 0..<width {
            var nearest = search.nearest(to: points[x])
            if nearest.squaredDistance > Self.sameDistance, !isFlat(row, x, width) {
                let threshold = BlueNoise.thresholds[line + (x + origin.x) & (BlueNoise.side - 1)]
                nearest = search.nearest(to: points[x] + SIMD4(threshold * amplitude, 0, 0, 0))
            }
            indices.setByte(nearest.index, at: x)
        }
    }

    private mutating func diffuse(_ row: RawSpan, into indices: inout MutableRawSpan, width: Int) {
        swap(&errors, &nextErrors)
        for x in 0..<min(width + 2, nextErrors.count) { nextErrors[x] = .zero }
        let strength = dithering.strength
        let limit = SIMD4<Float>(repeating: Self.largestError)
        var carried = SIMD4<Float>.zero
        for x in 0..<width {
            let point = points[x]
            guard point.w >= 0, !isFlat(row, x, width) else {
                indices.setByte(search.nearest(to: point).index, at: x)
                carried = .zero
                continue
            }
            var target = point + carried + errors[x + 1]
            target.w = point.w > 255 ? point.w : max(1, min(254, target.w))
            let index = search.nearest(to: target).index
            indices.setByte(index, at: x)
            let missing = pointwiseMin(pointwiseMax(target - search.point(at: index), -limit), limit) * strength
            carried = missing * (7.0 / 16)
            nextErrors[x] += missing * (3.0 / 16)
            nextErrors[x + 1] += missing * (5.0 / 16)
            nextErrors[x + 2] += missing * (1.0 / 16)
        }
    }

    /// Whether a pixel has the colour of the one above and of one beside it.
    @inline(__always)
    private func isFlat(_ row: RawSpan, _ x: Int, _ width: Int) -> Bool {
        let pixel = row.nativeUInt32(at: 4 * x)
        guard y > 0, above[x] == pixel else { return false }
        return (x > 0 && row.nativeUInt32(at: 4 * x - 4) == pixel)
            || (x + 1 < width && row.nativeUInt32(at: 4 * x + 4) == pixel)
    }

    /// About how far apart neighbours in a palette are: the mean distance of an opaque colour from the nearest other one.
    private static func spacing(_ palette: Palette) -> Float {
        let points = Oklab.points(palette.colors).filter { $0.w > Oklab.opaque / 2 }
        guard points.count > 1 else { return 0 }
        var sum: Float = 0
        for (number, point) in points.enumerated() {
            var least = Float.infinity
            for (other, candidate) in points.enumerated() where other != number {
                least = min(least, Oklab.squaredDistance(point, candidate))
            }
            sum += least.squareRoot()
        }
        return sum / Float(points.count)
    }
}
