// Rows of pixels to rows of palette indices.
//
//   row ──▶ points of Oklab ──▶ + what earlier pixels lack, or a pattern ──▶ nearest colour ──▶ index

package import ImageCodecsCore

/// Gives every pixel of a picture a colour of a palette.
///
/// Pixels whose colour the palette has get it, and pixels in the middle of an area of one colour get the colour nearest to it:
/// nothing is added to either. Transparent pixels neither get nor hand on what others lack, so that an animation which
/// leaves out what does not change does not crawl.
package struct PaletteMapper: Sendable {
    private let dithering: Dithering
    private var search: NearestColor
    /// Where nothing is spread.
    private var known: KnownPixels?
    private let width: Int
    /// Points of the rows, sixteen bytes each.
    private var points: ScratchBuffer
    /// What the pixels of these rows and of the next get from those before, sixteen bytes each; one more on each side.
    private var errors: ScratchBuffer
    /// The pixels of the row before.
    private var above: ScratchBuffer
    /// For each pixel of the rows 0 if its colour may be spread, else 1.
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
        if dithering == .none { known = try KnownPixels(width: width, meter: meter) }
        self.dithering = dithering
        self.width = width
        let count = width.multipliedSaturated(by: Self.mostRows)
        points = try ScratchBuffer(byteCount: count.multipliedSaturated(by: 16), meter: meter)
        let errorByteCount = width.addingSaturated(2).multipliedSaturated(by: 16 * (Self.mostRows + 1))
        errors = try ScratchBuffer(byteCount: errorByteCount, meter: meter)
        above = try ScratchBuffer(byteCount: width.multipliedSaturated(by: 4), meter: meter)
        plain = try ScratchBuffer(byteCount: count, meter: meter)
        amplitude = dithering == .blueNoise ? Self.spacing(palette) : 0
    }

    /// Bytes that mapping holds at most. Saturates.
    package static func byteCount(width: Int) -> Int {
        width.addingSaturated(2).multipliedSaturated(by: 33 * mostRows + 20).addingSaturated(NearestColor.byteCount)
            .addingSaturated(KnownPixels.byteCount(width: width))
    }

    /// Starts a picture.
    ///
    /// - Parameters:
    ///   - x: where it is on the canvas, so that the pattern stays in its place.
    ///   - y: the same.
    package mutating func begin(x: Int = 0, y: Int = 0) {
        origin = (x & (BlueNoise.side - 1), y & (BlueNoise.side - 1))
        self.y = 0
    }

    /// The most rows of a call: where errors are spread, four take less time than one after another.
    package static let mostRows = 4

    /// Maps the next rows.
    ///
    /// - Parameters:
    ///   - rows: straight RGBA, row after row.
    ///   - indices: takes the number of each pixel's colour.
    ///   - width: how many pixels a row has: those of the picture, no more than the initialiser got.
    ///   - count: how many rows there are, ``mostRows`` at most.
    /// - Precondition: both hold as many pixels.
    package mutating func map(_ rows: RawSpan, into indices: inout MutableRawSpan, width: Int, count: Int = 1) {
        precondition(width <= self.width && count <= Self.mostRows, "more than there is room for")
        switch dithering {
        case .none:
            for row in 0..<count {
                let pixels = rows.extracting(4 * width * row..<4 * width * (row + 1))
                known?.map(pixels, into: &indices, at: width * row, width: width, &search, points: &points)
            }
        case .blueNoise: mapWithNoise(rows, into: &indices, width: width, count: count)
        case .errorDiffusion, .automatic: diffuse(rows, into: &indices, width: width, count: count)
        }
        y += count
    }

    /// Finds the nearest colours, then once more those of points that the pattern moves.
    private mutating func mapWithNoise(_ rows: RawSpan, into indices: inout MutableRawSpan, width: Int, count: Int) {
        points.withMutableBytes { Oklab.convert(rows, into: &$0, width: width * count) }
        findPlainPixels(rows, width: width, count: count)
        points.withBytes { search.map($0, into: &indices, width: width * count) }
        let (amplitude, origin, thresholds) = (amplitude, origin, BlueNoise.thresholds)
        points.withMutableBytes { points in
            plain.withBytes { plain in
                for row in 0..<count {
                    let line = ((y + row + origin.y) & (BlueNoise.side - 1)) * BlueNoise.side
                    let start = row * width
                    for x in 0..<width where plain.byte(at: start + x) == 0 {
                        var point = points.bytes.point(at: 16 * (start + x))
                        let distance = Oklab.squaredDistance(point, search.point(at: indices.byte(at: start + x)))
                        guard distance > Self.sameDistance else { continue }
                        point.x += amplitude * thresholds[line + (x + origin.x) & (BlueNoise.side - 1)]
                        points.setPoint(point, at: 16 * (start + x))
                    }
                }
            }
        }
        points.withBytes { search.map($0, into: &indices, width: width * count) }
    }

    private mutating func diffuse(_ rows: RawSpan, into indices: inout MutableRawSpan, width: Int, count: Int) {
        points.withMutableBytes { Oklab.convert(rows, into: &$0, width: width * count) }
        findPlainPixels(rows, width: width, count: count)
        let diffused = DiffusedRows(width: width, count: count, strength: dithering.strength)
        if y == 0 { errors.fill(0..<diffused.errorRowByteCount * (Self.mostRows + 1), with: 0) }
        points.withBytes { points in
            plain.withBytes { plain in
                errors.withMutableBytes { errors in
                    search.diffuse(points, plain: plain, diffused, errors: &errors, into: &indices)
                }
            }
        }
        let (byteCount, last) = (diffused.errorRowByteCount, diffused.errorRowByteCount * count)
        errors.withMutableBytes { $0.move(from: last, to: 0, count: byteCount) }
        errors.fill(byteCount..<last + byteCount, with: 0)
    }

    /// Finds pixels that take the nearest colour: transparent ones, and those with the colour of the pixel above and of one beside.
    private mutating func findPlainPixels(_ rows: RawSpan, width: Int, count: Int) {
        for row in 0..<count {
            let line = rows.extracting(4 * width * row..<4 * width * (row + 1))
            let isFirst = y + row == 0
            plain.withMutableBytes(width * row..<width * (row + 1)) { plain in
                above.withMutableBytes { above in
                    var left: UInt32?
                    for x in 0..<width {
                        let pixel = line.nativeUInt32(at: 4 * x)
                        let isBeside =
                            pixel == left || (x + 1 < width && line.nativeUInt32(at: 4 * x + 4) == pixel)
                        let isFlat = isBeside && !isFirst && above.bytes.nativeUInt32(at: 4 * x) == pixel
                        plain.setByte(isFlat || pixel >> 24 == 0 ? 1 : 0, at: x)
                        left = pixel
                    }
                    above.copy(line)
                }
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
