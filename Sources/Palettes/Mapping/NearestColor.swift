// Which colour of a palette a pixel gets.

package import ImageCodecsCore

/// Finds the nearest of up to 256 points, ties to the first.
///
/// Space is cut into cells. For each cell that is asked for, the colours that are nearest to some point of it are listed once; a
/// search looks at those alone. The result is the same as if all were looked at. Distances whose squares differ by less than a 2^15th
/// count as equal.
package struct NearestColor: Sendable {
    private let points: [SIMD4<Float>]
    private var tables: ColorTables

    /// - Parameters:
    ///   - palette: its colours; an empty one counts as black.
    ///   - meter: counts the lists.
    /// - Throws: `limitExceeded(.memory)`.
    package init(_ palette: Palette, meter: MemoryMeter?) throws(ImageError) {
        try self.init(Oklab.points(palette.colors.isEmpty ? [0xFF00_0000] : palette.colors), meter: meter)
    }

    /// - Parameters:
    ///   - points: at least one, at most 256.
    ///   - meter: counts the lists.
    package init(_ points: [SIMD4<Float>], meter: MemoryMeter?) throws(ImageError) {
        self.points = points
        tables = try ColorTables(points, meter: meter)
    }

    /// Bytes that it holds at most.
    package static let byteCount = ColorTables.byteCount

    /// The point of a colour of the palette.
    ///
    /// - Precondition: the palette has a colour of this number.
    package func point(at index: UInt8) -> SIMD4<Float> { points[Int(index)] }

    /// The number of the nearest colour, and the square of its distance.
    package mutating func nearest(to point: SIMD4<Float>) -> (index: UInt8, squaredDistance: Float) {
        while true {
            if let found = ColorMappingKernels.nearest(to: point, tables) {
                return (UInt8(truncatingIfNeeded: found), Oklab.squaredDistance(point, points[Int(found)]))
            }
            tables.list(tables.grid.cell(of: point))
        }
    }

    /// The number of the colour nearest to a straight RGBA pixel.
    package mutating func index(of pixel: UInt32) -> UInt8 { nearest(to: Oklab.point(pixel)).index }

    /// Writes the number of the colour nearest to each point of a row.
    ///
    /// - Precondition: `points` has sixteen bytes for each of `width` points, `indices` one.
    package mutating func map(_ points: RawSpan, into indices: inout MutableRawSpan, width: Int) {
        var x = 0
        while true {
            let stop = ColorMappingKernels.nearest(points, x..<width, tables, into: &indices)
            guard stop.x < width else { return }
            tables.list(stop.cell)
            x = stop.x
        }
    }

    /// As ``map(_:into:width:)`` for some rows, with error diffusion; see
    /// ``ColorMappingKernels/diffuse(_:plain:_:from:_:errors:into:)``.
    mutating func diffuse(
        _ points: RawSpan, plain: RawSpan, _ rows: DiffusedRows, errors: inout MutableRawSpan,
        into indices: inout MutableRawSpan
    ) {
        var place = DiffusedRows.start
        while let stop = ColorMappingKernels.diffuse(
            points, plain: plain, rows, from: place, tables, errors: &errors, into: &indices)
        {
            tables.list(stop.cell)
            place = stop.place
        }
    }
}
