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
    /// Points of the row, sixteen bytes each.
    private var points: ScratchBuffer
    /// What the pixels of this row and of the next get from those before, sixteen bytes each; one more on each side.
    private var errors: ScratchBuffer
    private var nextErrors: ScratchBuffer
    /// The pixels of the row before.
    private var above: ScratchBuffer
    /// For each pixel of the row 0 if its colour may be spread, else 1.
    private var plain: ScratchBuffer
    private var y = 0
    /// Where the pattern begins.
    private var origin = (x: 0, y: 0)
    /// How far the pattern moves points.
    private let amplitude: Float

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
        search = try NearestColor(palette, meter: meter)
        self.dithering = dithering
        self.width = width
        points = try ScratchBuffer(byteCount: width.multipliedSaturated(by: 16), meter: meter)
        let errorByteCount = width.addingSaturated(2).multipliedSaturated(by: 16)
        errors = try ScratchBuffer(zeroedByteCount: errorByteCount, meter: meter)
        nextErrors = try ScratchBuffer(zeroedByteCount: errorByteCount, meter: meter)
        above = try ScratchBuffer(byteCount: width.multipliedSaturated(by: 4), meter: meter)
        plain = try ScratchBuffer(byteCount: width, meter: meter)
        amplitude = dithering == .blueNoise ? Self.spacing(palette) : 0
    }

    /// Bytes that mapping holds at most. Saturates.
    package static func byteCount(width: Int) -> Int {
        width.multipliedSaturated(by: 53).addingSaturated(64 + NearestColor.byteCount)
    }

    /// Starts a picture.
    ///
    /// - Parameters:
    ///   - x: where it is on the canvas, so that the pattern stays in its place.
    ///   - y: the same.
    package mutating func begin(x: Int = 0, y: Int = 0) {
        origin = (x & (BlueNoise.side - 1), y & (BlueNoise.side - 1))
        self.y = 0
        nextErrors.fill(0..<nextErrors.byteCount, with: 0)
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
        points.withMutableBytes { Oklab.convert(row, into: &$0, width: width) }
        switch dithering {
        case .none: points.withBytes { search.map($0, into: &indices, width: width) }
        case .blueNoise: mapWithNoise(row, into: &indices, width: width)
        case .errorDiffusion: diffuse(row, into: &indices, width: width)
        }
        y += 1
    }

    /// Finds the nearest colours, then once more those of points that the pattern moves.
    private mutating func mapWithNoise(_ row: RawSpan, into indices: inout MutableRawSpan, width: Int) {
        findPlainPixels(row, width: width)
        points.withBytes { search.map($0, into: &indices, width: width) }
        let line = ((y + origin.y) & (BlueNoise.side - 1)) * BlueNoise.side
        let (amplitude, left, thresholds) = (amplitude, origin.x, BlueNoise.thresholds)
        points.withMutableBytes { points in
            plain.withBytes { plain in
                for x in 0..<width where plain.byte(at: x) == 0 {
                    var point = points.bytes.point(at: 16 * x)
                    let distance = Oklab.squaredDistance(point, search.point(at: indices.byte(at: x)))
                    guard distance > Self.sameDistance else { continue }
                    point.x += amplitude * thresholds[line + (x + left) & (BlueNoise.side - 1)]
                    points.setPoint(point, at: 16 * x)
                }
            }
        }
        points.withBytes { search.map($0, into: &indices, width: width) }
    }

    private mutating func diffuse(_ row: RawSpan, into indices: inout MutableRawSpan, width: Int) {
        findPlainPixels(row, width: width)
        swap(&errors, &nextErrors)
        nextErrors.fill(0..<16 * (width + 2), with: 0)
        let strength = dithering.strength
        points.withBytes { points in
            plain.withBytes { plain in
                errors.withBytes { errors in
                    nextErrors.withMutableBytes { nextErrors in
                        search.diffuse(
                            points, plain: plain, strength: strength, errors: errors, nextErrors: &nextErrors,
                            into: &indices, width: width)
                    }
                }
            }
        }
    }

    /// Finds pixels that take the nearest colour: transparent ones, and those with the colour of the pixel above and of one beside.
    private mutating func findPlainPixels(_ row: RawSpan, width: Int) {
        let isFirst = y == 0
        plain.withMutableBytes { plain in
            above.withMutableBytes { above in
                var left: UInt32?
                for x in 0..<width {
                    let pixel = row.nativeUInt32(at: 4 * x)
                    let isBeside =
                        pixel == left || (x + 1 < width && row.nativeUInt32(at: 4 * x + 4) == pixel)
                    let isFlat = isBeside && !isFirst && above.bytes.nativeUInt32(at: 4 * x) == pixel
                    plain.setByte(isFlat || pixel >> 24 == 0 ? 1 : 0, at: x)
                    left = pixel
                }
                above.copy(row.extracting(first: 4 * width))
            }
        }
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
