// For each cell of colour space the colours that come into question, laid out for kernels.

package import ImageCodecsCore

/// What a search for the nearest of up to 256 points reads.
///
///     cells    4 bytes for each cell of the grid: 0 if it has no list yet, else its first block times 256 and how many there are
///     blocks   80 bytes each: x of four colours, then y, z and w, then their four numbers
///     colors   16 bytes for each of 256 points
///
/// A list's colours are in the order of their numbers; places that are left are filled with points that are never the nearest.
package struct ColorTables: Sendable {
    package let grid: ColorGrid
    private let points: [SIMD4<Float>]
    private(set) var cells: ScratchBuffer
    private(set) var blocks: ScratchBuffer
    private(set) var colors: ScratchBuffer
    private var blockCount = 0
    private var candidates: ColorCandidates
    private var numbers: [Int] = []

    static let blockByteCount = 80
    /// Enough for any cell's list many times over; when they are used up, all lists are made anew.
    static let largestBlockCount = 1 << 14
    private static let farAway: Float = 1e9

    /// - Parameters:
    ///   - points: at least one, at most 256.
    ///   - meter: counts the tables.
    /// - Throws: `limitExceeded(.memory)`.
    package init(_ points: [SIMD4<Float>], meter: MemoryMeter?) throws(ImageError) {
        precondition((1...256).contains(points.count), "not as many as a palette has")
        self.points = points
        candidates = ColorCandidates(points)
        grid = ColorGrid(points)
        cells = try ScratchBuffer(zeroedByteCount: 4 * grid.cellCount, meter: meter)
        blocks = try ScratchBuffer(
            zeroedByteCount: Self.largestBlockCount * Self.blockByteCount, meter: meter)
        colors = try ScratchBuffer(zeroedByteCount: 16 * 256, meter: meter)
        colors.withMutableBytes { colors in
            for (number, point) in points.enumerated() { colors.setPoint(point, at: 16 * number) }
        }
    }

    /// Bytes that tables hold at most.
    static let byteCount = 4 * ColorGrid.largestCellCount + largestBlockCount * blockByteCount + 16 * 256

    /// Lists the colours that are nearest to some point of a cell.
    package mutating func list(_ cell: Int) {
        candidates.list(for: grid.bounds(of: cell), into: &numbers)
        let count = (numbers.count + 3) / 4
        if blockCount + count > Self.largestBlockCount {
            cells.fill(0..<cells.byteCount, with: 0)
            blockCount = 0
        }
        let (start, numbers) = (blockCount, numbers)
        blockCount += count
        blocks.withMutableBytes { blocks in
            for place in 0..<4 * count {
                let isUsed = place < numbers.count
                let number = isUsed ? numbers[place] : 0
                let point = isUsed ? points[number] : SIMD4(repeating: Self.farAway)
                let offset = (start + place / 4) * Self.blockByteCount + place % 4 * 4
                for axis in 0..<4 {
                    blocks.storeBytes(of: point[axis], toByteOffset: offset + 16 * axis, as: Float.self)
                }
                blocks.storeBytes(of: UInt32(number), toByteOffset: offset + 64, as: UInt32.self)
            }
        }
        cells.withMutableBytes {
            $0.storeBytes(of: UInt32(start << 8 | count), toByteOffset: 4 * cell, as: UInt32.self)
        }
    }
}

extension RawSpan {
    /// The point whose sixteen bytes are at `offset`.
    ///
    /// - Precondition: they are in the span.
    @inline(__always)
    package func point(at offset: Int) -> SIMD4<Float> {
        SIMD4(
            Float(bitPattern: nativeUInt32(at: offset)), Float(bitPattern: nativeUInt32(at: offset + 4)),
            Float(bitPattern: nativeUInt32(at: offset + 8)), Float(bitPattern: nativeUInt32(at: offset + 12)))
    }
}

extension MutableRawSpan {
    /// Sets the sixteen bytes at `offset` to a point.
    ///
    /// - Precondition: they are in the span.
    @inline(__always)
    package mutating func setPoint(_ point: SIMD4<Float>, at offset: Int) {
        storeBytes(of: point, toByteOffset: offset, as: SIMD4<Float>.self)
    }
}
