// Rows of points to the nearest colours of a palette, four candidates at a time.

import ImageCodecsCore

/// Where a search stopped.
package struct MappingStop: Hashable, Sendable {
    /// The pixel; the end of the range if all were found.
    package var x: Int
    /// The cell that has no list yet.
    package var cell: Int
}

/// Rows whose pixels hand on what they lack, and how much of it.
///
/// Each pixel waits for the one before. So that a processor has more to do, some rows go on at once, each a few pixels after the one
/// above it.
package struct DiffusedRows: Sendable {
    /// Pixels of a row.
    let width: Int
    /// How many rows there are.
    let count: Int
    /// What each neighbour gets.
    let shares: (right: Float, belowLeft: Float, below: Float, belowRight: Float)

    /// Pixels that a row follows the one above by: what reaches a pixel comes from no further than one to the right of that above it. In
    /// each step upper rows go first, so that a pixel's errors are added in the same order as row by row.
    static let lag = 2
    /// The most that a pixel hands on of each coordinate.
    static let largestError: Float = 160

    /// - Parameters:
    ///   - width: pixels of a row.
    ///   - count: how many rows there are.
    ///   - strength: the share that is handed on, 0...1.
    package init(width: Int, count: Int, strength: Float) {
        self.width = width
        self.count = count
        shares = (strength * (7.0 / 16), strength * (3.0 / 16), strength * (5.0 / 16), strength * (1.0 / 16))
    }

    /// The first pixel of the first row.
    package static let start = Place(step: 0, row: 0)

    /// Which pixel is next: in each step the rows have their turns, the first row at pixel `step`, each other one `lag` pixels before the
    /// one above it.
    package struct Place: Hashable, Sendable {
        var step: Int
        var row: Int
    }

    /// Where a search stopped, and the cell that has no list yet.
    package struct Stop: Hashable, Sendable {
        package var place: Place
        package var cell: Int
    }

    /// Bytes of the errors that reach the pixels of a row: one more on each side.
    package var errorRowByteCount: Int { 16 * (width + 2) }
}

#if !ReferenceKernels
package enum ColorMappingKernels {
    /// Writes the number of the nearest colour of each point, up to the first in a cell without a list.
    ///
    /// - Parameters:
    ///   - points: sixteen bytes each.
    ///   - range: which of them to look up.
    ///   - tables: of the palette.
    ///   - indices: takes the byte at x for the point at x.
    /// - Precondition: `points` and `indices` hold the range.
    package static func nearest(
        _ points: RawSpan, _ range: Range<Int>, _ tables: ColorTables, into indices: inout MutableRawSpan
    ) -> MappingStop {
        precondition(
            range.upperBound <= indices.byteCount && range.upperBound <= points.byteCount / 16, "row too short")
        return unsafe withTables(tables) { cells, blocks, _, scratch in
            unsafe points.withUnsafeBytes { points in
                unsafe indices.withUnsafeMutableBytes { indices in
                    guard let from = points.baseAddress, let to = indices.baseAddress else {
                        return MappingStop(x: range.upperBound, cell: 0)
                    }
                    for x in range {
                        // SAFETY: x is in both rows, checked above; `cell` is a cell of the grid.
                        let point = unsafe from.loadUnaligned(fromByteOffset: 16 &* x, as: SIMD4<Float>.self)
                        let cell = tables.grid.cell(of: point)
                        let list = unsafe cells.load(fromByteOffset: 4 &* cell, as: UInt32.self)
                        if list == 0 { return MappingStop(x: x, cell: cell) }
                        let number = unsafe search(point, list, blocks, scratch)
                        unsafe to.storeBytes(of: UInt8(truncatingIfNeeded: number), toByteOffset: x, as: UInt8.self)
                    }
                    return MappingStop(x: range.upperBound, cell: 0)
                }
            }
        }
    }

    /// The number of the nearest colour of one point; `nil` if its cell has no list.
    package static func nearest(to point: SIMD4<Float>, _ tables: ColorTables) -> UInt32? {
        let cell = tables.grid.cell(of: point)
        return unsafe withTables(tables) { cells, blocks, _, scratch in
            // SAFETY: `cell` is a cell of the grid.
            let list = unsafe cells.load(fromByteOffset: 4 &* cell, as: UInt32.self)
            return list == 0 ? nil : unsafe search(point, list, blocks, scratch)
        }
    }

    /// As ``nearest(_:_:_:into:)``, where each pixel gets a part of what those before it lack.
    ///
    /// - Parameters:
    ///   - points: sixteen bytes each, row after row.
    ///   - plain: a byte for each pixel; not 0 if it takes the nearest colour, gets nothing and hands nothing on.
    ///   - rows: how many there are.
    ///   - place: which pixel is first; ``DiffusedRows/start`` or where the last call stopped.
    ///   - tables: of the palette.
    ///   - errors: what pixels get, sixteen bytes each, for one row more than there are; that of pixel x is at x + 1. Is added to.
    ///   - indices: takes a byte for each pixel, row after row.
    /// - Returns: where it stopped; `nil` if all were found.
    /// - Precondition: all hold the rows.
    package static func diffuse(
        _ points: RawSpan, plain: RawSpan, _ rows: DiffusedRows, from place: DiffusedRows.Place, _ tables: ColorTables,
        errors: inout MutableRawSpan, into indices: inout MutableRawSpan
    ) -> DiffusedRows.Stop? {
        let count = rows.width * rows.count
        precondition(
            count <= indices.byteCount && count <= points.byteCount / 16 && count <= plain.byteCount, "rows too short")
        precondition(rows.errorRowByteCount * (rows.count + 1) <= errors.byteCount, "error rows too short")
        return unsafe withTables(tables) { cells, blocks, colors, scratch in
            unsafe points.withUnsafeBytes { points in
                unsafe plain.withUnsafeBytes { plain in
                    unsafe errors.withUnsafeMutableBytes { errors in
                        unsafe indices.withUnsafeMutableBytes { indices in
                            guard let points = points.baseAddress, let plain = plain.baseAddress,
                                let errors = errors.baseAddress, let indices = indices.baseAddress
                            else { return nil }
                            return unsafe diffuse(
                                points, plain, rows, place, tables.grid, errors, indices, cells, blocks, colors,
                                scratch)
                        }
                    }
                }
            }
        }
    }

    // SAFETY: the caller has checked that everything holds all rows; `row` is one of them, as places are made here alone, and `x` is in it;
    // `cell` is a cell of the grid, numbers are below 256.
    @inline(__always)
    private static func diffuse(
        _ points: UnsafeRawPointer, _ plain: UnsafeRawPointer, _ rows: DiffusedRows, _ place: DiffusedRows.Place,
        _ grid: ColorGrid, _ errors: UnsafeMutableRawPointer, _ indices: UnsafeMutableRawPointer,
        _ cells: UnsafeRawPointer, _ blocks: UnsafeRawPointer, _ colors: UnsafeRawPointer,
        _ scratch: UnsafeMutableRawPointer
    ) -> DiffusedRows.Stop? {
        let shares = rows.shares
        let errorRowByteCount = rows.errorRowByteCount
        var (step, row) = (place.step, place.row)
        while step < rows.width &+ DiffusedRows.lag &* (rows.count &- 1) {
            while row < rows.count {
                let x = step &- DiffusedRows.lag &* row
                if x < 0 { break }
                if x < rows.width {
                    let pixel = row &* rows.width &+ x
                    let point = unsafe points.loadUnaligned(fromByteOffset: 16 &* pixel, as: SIMD4<Float>.self)
                    let isPlain = unsafe plain.load(fromByteOffset: pixel, as: UInt8.self) != 0
                    // What the pixel gets; those of its neighbours come after it, and in the next row.
                    let own = unsafe errors + (row &* errorRowByteCount &+ 16 &* x &+ 16)
                    var target = point
                    if !isPlain {
                        target += unsafe own.loadUnaligned(as: SIMD4<Float>.self)
                        target.w = Self.alpha(target.w, of: point.w)
                    }
                    let cell = unsafe cell(of: target, grid, scratch)
                    let list = unsafe cells.load(fromByteOffset: 4 &* cell, as: UInt32.self)
                    if list == 0 {
                        return DiffusedRows.Stop(place: DiffusedRows.Place(step: step, row: row), cell: cell)
                    }
                    let number = unsafe search(target, list, blocks, scratch)
                    unsafe indices.storeBytes(
                        of: UInt8(truncatingIfNeeded: number), toByteOffset: pixel, as: UInt8.self)
                    if !isPlain {
                        let color = unsafe colors.loadUnaligned(
                            fromByteOffset: 16 &* Int(truncatingIfNeeded: number), as: SIMD4<Float>.self)
                        let missing = bounded(target - color)
                        unsafe add(missing * shares.right, to: own + 16)
                        let below = unsafe own + errorRowByteCount
                        unsafe add(missing * shares.belowLeft, to: below - 16)
                        unsafe add(missing * shares.below, to: below)
                        unsafe add(missing * shares.belowRight, to: below + 16)
                    }
                }
                row &+= 1
            }
            row = 0
            step &+= 1
        }
        return nil
    }

    /// Opaque pixels stay opaque, translucent ones translucent.
    @inline(__always)
    private static func alpha(_ wanted: Float, of alpha: Float) -> Float {
        alpha > 255 ? alpha : max(1, min(254, wanted))
    }

    @inline(__always)
    private static func bounded(_ error: SIMD4<Float>) -> SIMD4<Float> {
        let limit = SIMD4<Float>(repeating: DiffusedRows.largestError)
        var error = error
        error.replace(with: limit, where: error .> limit)
        error.replace(with: -limit, where: error .< -limit)
        return error
    }

    // SAFETY: the caller's rows of errors have sixteen bytes there.
    @inline(__always)
    private static func add(_ error: SIMD4<Float>, to sum: UnsafeMutableRawPointer) {
        unsafe sum.storeBytes(of: sum.loadUnaligned(as: SIMD4<Float>.self) + error, as: SIMD4<Float>.self)
    }

    // SAFETY: tables are made by `ColorTables` alone: every cell of the grid has its four bytes, the blocks of every list, at most 64,
    // are in `blocks`, and colours are 256 points.
    @inline(__always)
    private static func withTables<R>(
        _ tables: ColorTables,
        _ body: (UnsafeRawPointer, UnsafeRawPointer, UnsafeRawPointer, UnsafeMutableRawPointer) -> R
    ) -> R {
        tables.cells.withBytes { cells in
            tables.blocks.withBytes { blocks in
                tables.colors.withBytes { colors in
                    unsafe cells.withUnsafeBytes { cells in
                        unsafe blocks.withUnsafeBytes { blocks in
                            unsafe colors.withUnsafeBytes { colors in
                                unsafe withUnsafeTemporaryAllocation(byteCount: 16 * 64, alignment: 16) { scratch in
                                    unsafe body(
                                        cells.baseAddress!, blocks.baseAddress!, colors.baseAddress!,
                                        scratch.baseAddress!)
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /// The number of the nearest colour of a list.
    ///
    /// Distances are compared without their lowest eight bits, where the colour's number is put: of equals the first one wins, and one
    /// minimum finds both. They go through memory, so that the compiler keeps vectors whole: of sums whose lanes it can follow it makes
    /// others, with twice the instructions.
    // SAFETY: `list` names blocks of the tables; `scratch` has sixteen bytes for each.
    @inline(__always)
    private static func search(
        _ point: SIMD4<Float>, _ list: UInt32, _ blocks: UnsafeRawPointer, _ scratch: UnsafeMutableRawPointer
    ) -> UInt32 {
        let (x, y) = (SIMD4<Float>(repeating: point.x), SIMD4<Float>(repeating: point.y))
        let (z, w) = (SIMD4<Float>(repeating: point.z), SIMD4<Float>(repeating: point.w))
        let first = unsafe blocks + ColorTables.blockByteCount &* Int(truncatingIfNeeded: list &>> 8)
        let count = Int(truncatingIfNeeded: list & 0xFF)
        for number in 0..<count {
            let block = unsafe first + ColorTables.blockByteCount &* number
            let dx = unsafe x - block.loadUnaligned(as: SIMD4<Float>.self)
            let dy = unsafe y - block.loadUnaligned(fromByteOffset: 16, as: SIMD4<Float>.self)
            let dz = unsafe z - block.loadUnaligned(fromByteOffset: 32, as: SIMD4<Float>.self)
            let dw = unsafe w - block.loadUnaligned(fromByteOffset: 48, as: SIMD4<Float>.self)
            let squares = dx * dx + dy * dy + dz * dz + dw * dw
            let numbers = unsafe block.loadUnaligned(fromByteOffset: 64, as: SIMD4<UInt32>.self)
            let keys = unsafe unsafeBitCast(squares, to: SIMD4<UInt32>.self) & 0xFFFF_FF00 | numbers
            unsafe scratch.storeBytes(of: keys, toByteOffset: 16 &* number, as: SIMD4<UInt32>.self)
        }
        var least = SIMD4<Float>(repeating: .infinity)
        for number in 0..<count {
            let keys = unsafe scratch.loadUnaligned(fromByteOffset: 16 &* number, as: SIMD4<Float>.self)
            least.replace(with: keys, where: keys .< least)
        }
        let left = least.x < least.y ? least.x : least.y
        let right = least.z < least.w ? least.z : least.w
        return (left < right ? left : right).bitPattern & 0xFF
    }

    /// The number of the cell of a point; through memory like the distances.
    // SAFETY: `scratch` has sixteen bytes.
    @inline(__always)
    private static func cell(of point: SIMD4<Float>, _ grid: ColorGrid, _ scratch: UnsafeMutableRawPointer) -> Int {
        unsafe scratch.storeBytes(of: grid.places(of: point), as: SIMD4<Float>.self)
        return unsafe grid.cell(
            scratch.load(as: UInt32.self), scratch.load(fromByteOffset: 4, as: UInt32.self),
            scratch.load(fromByteOffset: 8, as: UInt32.self), scratch.load(fromByteOffset: 12, as: UInt32.self))
    }
}
#endif
