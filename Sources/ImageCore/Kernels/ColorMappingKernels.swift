// Rows of points to the nearest colours of a palette, four candidates at a time.

/// Where a search stopped.
package struct MappingStop: Hashable, Sendable {
    /// The pixel; the end of the range if all were found.
    package var x: Int
    /// The cell that has no list yet.
    package var cell: Int
}

/// What pixels lack, on its way to their neighbours.
package struct ErrorFlow: Sendable {
    /// What each neighbour gets.
    let shares: (right: Float, belowLeft: Float, below: Float, belowRight: Float)
    /// What the next pixel gets.
    var carried = SIMD4<Float>.zero

    /// The most that a pixel hands on of each coordinate.
    static let largest: Float = 160

    /// - Parameter strength: the share that is handed on, 0...1.
    package init(strength: Float) {
        shares = (strength * (7.0 / 16), strength * (3.0 / 16), strength * (5.0 / 16), strength * (1.0 / 16))
    }
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
        return unsafe withTables(tables) { cells, blocks, _ in
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
                        let number = unsafe search(point, list, blocks).number
                        unsafe to.storeBytes(of: UInt8(truncatingIfNeeded: number), toByteOffset: x, as: UInt8.self)
                    }
                    return MappingStop(x: range.upperBound, cell: 0)
                }
            }
        }
    }

    /// The nearest colour of one point, and the square of its distance; `nil` if its cell has no list.
    package static func nearest(to point: SIMD4<Float>, _ tables: ColorTables) -> (
        number: UInt32, squaredDistance: Float
    )? {
        let cell = tables.grid.cell(of: point)
        return unsafe withTables(tables) { cells, blocks, _ in
            // SAFETY: `cell` is a cell of the grid.
            let list = unsafe cells.load(fromByteOffset: 4 &* cell, as: UInt32.self)
            return list == 0 ? nil : unsafe search(point, list, blocks)
        }
    }

    /// As ``nearest(_:_:_:into:)``, where each pixel gets a part of what those before it lack.
    ///
    /// - Parameters:
    ///   - points: sixteen bytes each.
    ///   - plain: a byte for each pixel; not 0 if it takes the nearest colour, gets nothing and hands nothing on.
    ///   - range: which pixels to look up.
    ///   - tables: of the palette.
    ///   - flow: what the first pixel of the range gets from the one before.
    ///   - errors: what pixels get from the row above, sixteen bytes each; that of pixel x is at x + 1.
    ///   - nextErrors: the same for the row below, which is added to.
    ///   - indices: takes the byte at x for the pixel at x.
    /// - Precondition: all rows hold the range, those of errors two more.
    package static func diffuse(
        _ points: RawSpan, plain: RawSpan, _ range: Range<Int>, _ tables: ColorTables, _ flow: inout ErrorFlow,
        errors: RawSpan, nextErrors: inout MutableRawSpan, into indices: inout MutableRawSpan
    ) -> MappingStop {
        let end = range.upperBound
        precondition(
            end <= indices.byteCount && end <= points.byteCount / 16 && end <= plain.byteCount, "row too short")
        precondition(end + 2 <= errors.byteCount / 16 && end + 2 <= nextErrors.byteCount / 16, "error row too short")
        return unsafe withTables(tables) { cells, blocks, colors in
            unsafe points.withUnsafeBytes { points in
                unsafe plain.withUnsafeBytes { plain in
                    unsafe errors.withUnsafeBytes { errors in
                        unsafe nextErrors.withUnsafeMutableBytes { nextErrors in
                            unsafe indices.withUnsafeMutableBytes { indices in
                                guard let points = points.baseAddress, let plain = plain.baseAddress,
                                    let errors = errors.baseAddress, let next = nextErrors.baseAddress,
                                    let indices = indices.baseAddress
                                else { return MappingStop(x: end, cell: 0) }
                                return unsafe diffuse(
                                    points, plain, range, tables.grid, &flow, errors, next, indices, cells, blocks,
                                    colors)
                            }
                        }
                    }
                }
            }
        }
    }

    // SAFETY: the caller has checked that all rows hold the range; `cell` is a cell of the grid, numbers are below 256.
    @inline(__always)
    private static func diffuse(
        _ points: UnsafeRawPointer, _ plain: UnsafeRawPointer, _ range: Range<Int>, _ grid: ColorGrid,
        _ flow: inout ErrorFlow, _ errors: UnsafeRawPointer, _ next: UnsafeMutableRawPointer,
        _ indices: UnsafeMutableRawPointer, _ cells: UnsafeRawPointer, _ blocks: UnsafeRawPointer,
        _ colors: UnsafeRawPointer
    ) -> MappingStop {
        let shares = flow.shares
        var carried = flow.carried
        defer { flow.carried = carried }
        for x in range {
            let point = unsafe points.loadUnaligned(fromByteOffset: 16 &* x, as: SIMD4<Float>.self)
            let isPlain = unsafe plain.load(fromByteOffset: x, as: UInt8.self) != 0
            var target = point
            if !isPlain {
                target += unsafe carried + errors.loadUnaligned(fromByteOffset: 16 &* x &+ 16, as: SIMD4<Float>.self)
                target.w = Self.alpha(target.w, of: point.w)
            }
            let cell = grid.cell(of: target)
            let list = unsafe cells.load(fromByteOffset: 4 &* cell, as: UInt32.self)
            if list == 0 { return MappingStop(x: x, cell: cell) }
            let number = unsafe search(target, list, blocks).number
            unsafe indices.storeBytes(of: UInt8(truncatingIfNeeded: number), toByteOffset: x, as: UInt8.self)
            guard !isPlain else {
                carried = .zero
                continue
            }
            let color = unsafe colors.loadUnaligned(
                fromByteOffset: 16 &* Int(truncatingIfNeeded: number), as: SIMD4<Float>.self)
            let missing = bounded(target - color)
            carried = missing * shares.right
            unsafe add(missing * shares.belowLeft, to: next, 16 &* x)
            unsafe add(missing * shares.below, to: next, 16 &* x &+ 16)
            unsafe add(missing * shares.belowRight, to: next, 16 &* x &+ 32)
        }
        return MappingStop(x: range.upperBound, cell: 0)
    }

    /// Opaque pixels stay opaque, translucent ones translucent.
    @inline(__always)
    private static func alpha(_ wanted: Float, of alpha: Float) -> Float {
        alpha > 255 ? alpha : max(1, min(254, wanted))
    }

    @inline(__always)
    private static func bounded(_ error: SIMD4<Float>) -> SIMD4<Float> {
        let limit = SIMD4<Float>(repeating: ErrorFlow.largest)
        var error = error
        error.replace(with: limit, where: error .> limit)
        error.replace(with: -limit, where: error .< -limit)
        return error
    }

    // SAFETY: the caller's row of errors has sixteen bytes at the offset.
    @inline(__always)
    private static func add(_ error: SIMD4<Float>, to errors: UnsafeMutableRawPointer, _ offset: Int) {
        let sum = unsafe errors.loadUnaligned(fromByteOffset: offset, as: SIMD4<Float>.self) + error
        unsafe errors.storeBytes(of: sum, toByteOffset: offset, as: SIMD4<Float>.self)
    }

    // SAFETY: tables are made by `ColorTables` alone: every cell of the grid has its four bytes, the blocks of every list are in
    // `blocks`, and colours are 256 points.
    @inline(__always)
    private static func withTables<R>(
        _ tables: ColorTables, _ body: (UnsafeRawPointer, UnsafeRawPointer, UnsafeRawPointer) -> R
    ) -> R {
        tables.cells.withBytes { cells in
            tables.blocks.withBytes { blocks in
                tables.colors.withBytes { colors in
                    unsafe cells.withUnsafeBytes { cells in
                        unsafe blocks.withUnsafeBytes { blocks in
                            unsafe colors.withUnsafeBytes { colors in
                                unsafe body(cells.baseAddress!, blocks.baseAddress!, colors.baseAddress!)
                            }
                        }
                    }
                }
            }
        }
    }

    // SAFETY: `list` names blocks of the tables.
    @inline(__always)
    private static func search(
        _ point: SIMD4<Float>, _ list: UInt32, _ blocks: UnsafeRawPointer
    ) -> (number: UInt32, squaredDistance: Float) {
        let (x, y) = (SIMD4<Float>(repeating: point.x), SIMD4<Float>(repeating: point.y))
        let (z, w) = (SIMD4<Float>(repeating: point.z), SIMD4<Float>(repeating: point.w))
        var least = SIMD4<Float>(repeating: .infinity)
        var numbers = SIMD4<UInt32>.zero
        var block = unsafe blocks + ColorTables.blockByteCount &* Int(truncatingIfNeeded: list &>> 8)
        for _ in 0..<list & 0xFF {
            let dx = unsafe x - block.loadUnaligned(as: SIMD4<Float>.self)
            let dy = unsafe y - block.loadUnaligned(fromByteOffset: 16, as: SIMD4<Float>.self)
            let dz = unsafe z - block.loadUnaligned(fromByteOffset: 32, as: SIMD4<Float>.self)
            let dw = unsafe w - block.loadUnaligned(fromByteOffset: 48, as: SIMD4<Float>.self)
            let distances = (dx * dx + dy * dy) + (dz * dz + dw * dw)
            let closer = distances .< least
            least.replace(with: distances, where: closer)
            numbers.replace(
                with: unsafe block.loadUnaligned(fromByteOffset: 64, as: SIMD4<UInt32>.self),
                where: closer)
            unsafe block += ColorTables.blockByteCount
        }
        // Squares are not negative, so that their bits are in their order; of equals the one with the lower number wins.
        let left = min(key(least.x, numbers.x), key(least.y, numbers.y))
        let right = min(key(least.z, numbers.z), key(least.w, numbers.w))
        let key = min(left, right)
        return (
            UInt32(truncatingIfNeeded: key), Float(bitPattern: UInt32(truncatingIfNeeded: key &>> 32))
        )
    }

    @inline(__always)
    private static func key(_ squaredDistance: Float, _ number: UInt32) -> UInt64 {
        UInt64(squaredDistance.bitPattern) &<< 32 | UInt64(number)
    }
}
#endif
