// Which colour of a palette a pixel gets.

/// Finds the nearest of up to 256 points, ties to the first.
///
/// Space is cut into cells. For each cell that is asked for, the colours that are nearest to some point of it are listed once; a
/// search looks at those alone. The result is the same as if all were looked at.
package struct NearestColor: Sendable {
    private let points: [SIMD4<Float>]
    /// Where the cells are: points outside of the grid belong to its outermost cells.
    private let grid: ColorGrid
    /// Where a cell's list is in `listed`, and its length in the high half; 0 if it was not asked for yet.
    private var lists: [UInt64]
    private var listed: [UInt8] = []
    private let reservation: MemoryReservation
    private static let listedByteCount = 1 << 18

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
        grid = ColorGrid(points)
        reservation = try MemoryReservation(byteCount: Self.byteCount, meter: meter)
        lists = Array(repeating: 0, count: grid.cellCount)
        listed.reserveCapacity(Self.listedByteCount)
    }

    /// Bytes that it holds at most.
    package static let byteCount = 8 * ColorGrid.largestCellCount + listedByteCount + 16 * 256

    /// The point of a colour of the palette.
    @inline(__always)
    package func point(at index: UInt8) -> SIMD4<Float> { points[Int(index)] }

    /// The number of the nearest colour, and the square of its distance.
    @inline(__always)
    package mutating func nearest(to point: SIMD4<Float>) -> (index: UInt8, squaredDistance: Float) {
        let cell = grid.cell(of: point)
        if lists[cell] == 0 { list(cell) }
        let (start, count) = (Int(lists[cell] & 0xFFFF_FFFF), Int(lists[cell] >> 32))
        var best = (index: UInt8(0), squaredDistance: Float.infinity)
        for place in start..<start + count {
            let index = listed[place]
            let distance = Oklab.squaredDistance(point, points[Int(index)])
            if distance < best.squaredDistance { best = (index, distance) }
        }
        return best
    }

    /// The number of the colour nearest to a straight RGBA pixel.
    package mutating func index(of pixel: UInt32) -> UInt8 { nearest(to: Oklab.point(pixel)).index }

    @inline(never)
    private mutating func list(_ cell: Int) {
        // Lists of at most 256 colours; when there are too many, all are made anew.
        if listed.count + 256 > Self.listedByteCount {
            listed.removeAll(keepingCapacity: true)
            for cell in lists.indices { lists[cell] = 0 }
        }
        let start = listed.count
        ColorCandidates.list(points, for: grid.bounds(of: cell)) { listed.append(UInt8($0)) }
        lists[cell] = UInt64(start) | UInt64(listed.count - start) << 32
    }
}
