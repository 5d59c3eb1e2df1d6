// Pixel by pixel, candidate by candidate. Plain twin of ColorMappingKernels.

import ImageCodecsCore

package enum ColorMappingKernelsReference {
    /// See ``ColorMappingKernels/nearest(_:_:_:into:)``.
    package static func nearest(
        _ points: RawSpan, _ range: Range<Int>, _ tables: ColorTables, into indices: inout MutableRawSpan
    ) -> MappingStop {
        for x in range {
            let point = points.point(at: 16 * x)
            guard let found = nearest(to: point, tables) else {
                return MappingStop(x: x, cell: tables.grid.cell(of: point))
            }
            indices.setByte(UInt8(found), at: x)
        }
        return MappingStop(x: range.upperBound, cell: 0)
    }

    /// See ``ColorMappingKernels/nearest(to:_:)``.
    package static func nearest(to point: SIMD4<Float>, _ tables: ColorTables) -> UInt32? {
        let list = tables.cells.withBytes { $0.nativeUInt32(at: 4 * tables.grid.cell(of: point)) }
        guard list != 0 else { return nil }
        var least = Float.infinity.bitPattern
        tables.blocks.withBytes { blocks in
            for place in 0..<4 * Int(list & 0xFF) {
                let offset = (Int(list >> 8) + place / 4) * ColorTables.blockByteCount + place % 4 * 4
                var color = SIMD4<Float>.zero
                for axis in 0..<4 { color[axis] = Float(bitPattern: blocks.nativeUInt32(at: offset + 16 * axis)) }
                let distance = Oklab.squaredDistance(point, color)
                // Squares are not negative, so that their bits are in their order.
                guard !distance.isNaN else { continue }
                least = min(least, distance.bitPattern & 0xFFFF_FF00 | blocks.nativeUInt32(at: offset + 64))
            }
        }
        return least & 0xFF
    }

    /// See ``ColorMappingKernels/diffuse(_:plain:_:from:_:errors:into:)``.
    package static func diffuse(
        _ points: RawSpan, plain: RawSpan, _ rows: DiffusedRows, from place: DiffusedRows.Place, _ tables: ColorTables,
        errors: inout MutableRawSpan, into indices: inout MutableRawSpan
    ) -> DiffusedRows.Stop? {
        for step in place.step..<max(place.step, rows.width + DiffusedRows.lag * (rows.count - 1)) {
            for row in 0..<rows.count where step > place.step || row >= place.row {
                let x = step - DiffusedRows.lag * row
                guard (0..<rows.width).contains(x) else { continue }
                let pixel = row * rows.width + x
                let own = row * rows.errorRowByteCount + 16 * (x + 1)
                let point = points.point(at: 16 * pixel)
                let isPlain = plain.byte(at: pixel) != 0
                var target = point
                if !isPlain {
                    target += errors.bytes.point(at: own)
                    target.w = point.w > 255 ? point.w : max(1, min(254, target.w))
                }
                guard let number = nearest(to: target, tables) else {
                    return DiffusedRows.Stop(
                        place: DiffusedRows.Place(step: step, row: row), cell: tables.grid.cell(of: target))
                }
                indices.setByte(UInt8(number), at: pixel)
                guard !isPlain else { continue }
                var missing = target - tables.colors.withBytes { $0.point(at: 16 * Int(number)) }
                for axis in 0..<4 {
                    missing[axis] = max(-DiffusedRows.largestError, min(DiffusedRows.largestError, missing[axis]))
                }
                let below = own + rows.errorRowByteCount
                let (right, belowLeft, straight, belowRight) = rows.shares
                for (offset, share) in [
                    (own + 16, right), (below - 16, belowLeft), (below, straight), (below + 16, belowRight),
                ] {
                    errors.setPoint(errors.bytes.point(at: offset) + missing * share, at: offset)
                }
            }
        }
        return nil
    }
}

#if ReferenceKernels
package typealias ColorMappingKernels = ColorMappingKernelsReference
#endif
