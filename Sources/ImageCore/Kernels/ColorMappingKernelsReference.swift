// Pixel by pixel, candidate by candidate. Plain twin of ColorMappingKernels.

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
            indices.setByte(UInt8(found.number), at: x)
        }
        return MappingStop(x: range.upperBound, cell: 0)
    }

    /// See ``ColorMappingKernels/nearest(to:_:)``.
    package static func nearest(to point: SIMD4<Float>, _ tables: ColorTables) -> (
        number: UInt32, squaredDistance: Float
    )? {
        let list = tables.cells.withBytes { $0.nativeUInt32(at: 4 * tables.grid.cell(of: point)) }
        guard list != 0 else { return nil }
        var best = (number: UInt32(0), squaredDistance: Float.infinity)
        tables.blocks.withBytes { blocks in
            for place in 0..<4 * Int(list & 0xFF) {
                let offset = (Int(list >> 8) + place / 4) * ColorTables.blockByteCount + place % 4 * 4
                var color = SIMD4<Float>.zero
                for axis in 0..<4 { color[axis] = Float(bitPattern: blocks.nativeUInt32(at: offset + 16 * axis)) }
                let distance = Oklab.squaredDistance(point, color)
                if distance < best.squaredDistance { best = (blocks.nativeUInt32(at: offset + 64), distance) }
            }
        }
        return best
    }

    /// See ``ColorMappingKernels/diffuse(_:plain:_:_:_:errors:nextErrors:into:)``.
    package static func diffuse(
        _ points: RawSpan, plain: RawSpan, _ range: Range<Int>, _ tables: ColorTables, _ flow: inout ErrorFlow,
        errors: RawSpan, nextErrors: inout MutableRawSpan, into indices: inout MutableRawSpan
    ) -> MappingStop {
        for x in range {
            let point = points.point(at: 16 * x)
            let isPlain = plain.byte(at: x) != 0
            var target = point
            if !isPlain {
                target += flow.carried + errors.point(at: 16 * x + 16)
                target.w = point.w > 255 ? point.w : max(1, min(254, target.w))
            }
            guard let found = nearest(to: target, tables) else {
                return MappingStop(x: x, cell: tables.grid.cell(of: target))
            }
            indices.setByte(UInt8(found.number), at: x)
            flow.carried = .zero
            guard !isPlain else { continue }
            var missing = target - tables.colors.withBytes { $0.point(at: 16 * Int(found.number)) }
            for axis in 0..<4 { missing[axis] = max(-ErrorFlow.largest, min(ErrorFlow.largest, missing[axis])) }
            let shares = flow.shares
            flow.carried = missing * shares.right
            for (place, share) in [shares.belowLeft, shares.below, shares.belowRight].enumerated() {
                let offset = 16 * (x + place)
                nextErrors.setPoint(nextErrors.bytes.point(at: offset) + missing * share, at: offset)
            }
        }
        return MappingStop(x: range.upperBound, cell: 0)
    }
}

#if ReferenceKernels
package typealias ColorMappingKernels = ColorMappingKernelsReference
#endif
