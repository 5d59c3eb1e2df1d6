// The loop filter of one macroblock: which of its edges are filtered, and how they get into rows of sixteen samples.

// SAFETY: for this whole file, the work rows have the samples of the macroblock, four more columns and lines to the left and
// above, and sixteen columns to its right, where the margin is; `turned` has 24 rows of sixteen bytes.

#if !ReferenceKernels
extension MacroblockRowKernel {
    /// Filters the edges of one macroblock: left, inside vertical, upper, inside horizontal.
    ///
    /// - Source: RFC 6386 section 15.1 "Filter Geometry and Overall Procedure"
    @unsafe @inline(__always)
    static func filter(
        _ place: Place, _ info: UnsafePointer<MacroblockInfo>, _ column: Int, _ kind: FilterPlan.Kind,
        _ strengths: UnsafePointer<FilterStrength>, _ turned: UnsafeMutableRawPointer
    ) {
        let which = unsafe 2 &* Int(info.pointee.segment & 3) &+ Int(info.pointee.hasSubblockModes & 1)
        let strength = unsafe strengths[which]
        if strength.edgeLimit == 0 { return }
        let inside = unsafe info.pointee.filtersInside
        let luma = unsafe place.luma + 16 &* column
        if kind == .simple {
            unsafe filterSimple(place, luma, place.lumaStride, strength, inside, column > 0, turned)
            return
        }
        let u = unsafe place.u + 8 &* column
        let v = unsafe place.v + 8 &* column
        unsafe filterLuma(place, luma, place.lumaStride, strength, inside, column > 0, turned)
        unsafe filterChroma(place, u, v, place.chromaStride, strength, inside, column > 0, turned)
    }

    @unsafe @inline(never)
    private static func filterLuma(
        _ place: Place, _ luma: UnsafeMutableRawPointer, _ stride: Int, _ strength: FilterStrength, _ inside: Bool,
        _ hasLeft: Bool, _ turned: UnsafeMutableRawPointer
    ) {
        let lower = unsafe luma + 8 &* stride
        // `turned` has 24 rows: columns -4...19.
        if inside {
            unsafe EdgeTransposition.gather(luma - 4, lower - 4, stride: stride, to: turned)
            unsafe EdgeTransposition.gather(luma + 4, lower + 4, stride: stride, to: turned + 128)
            unsafe EdgeTransposition.gather(luma + 12, lower + 12, stride: stride, to: turned + 256)
            let atLeft = unsafe hasLeft && LoopFilterKernels.filterOuter(turned + 64, stride: 16, strength)
            let atInner = unsafe LoopFilterKernels.filterInner(
                turned + 128, stride: 16, strength, count: 3, step: 64)
            if atLeft || atInner {
                unsafe EdgeTransposition.scatter(turned, to: luma - 4, lower - 4, stride: stride)
            }
            if atInner {
                unsafe EdgeTransposition.scatter(turned + 128, to: luma + 4, lower + 4, stride: stride)
                unsafe EdgeTransposition.scatter(turned + 256, to: luma + 12, lower + 12, stride: stride)
            }
        } else if hasLeft {
            unsafe EdgeTransposition.gather(luma - 4, lower - 4, stride: stride, to: turned)
            if unsafe LoopFilterKernels.filterOuter(turned + 64, stride: 16, strength) {
                unsafe EdgeTransposition.scatter(turned, to: luma - 4, lower - 4, stride: stride)
            }
        }
        if place.hasAbove { unsafe LoopFilterKernels.filterOuter(luma, stride: stride, strength) }
        if inside {
            unsafe LoopFilterKernels.filterInner(
                luma + 4 &* stride, stride: stride, strength, count: 3, step: 4 &* stride)
        }
    }

    /// U and V at once: eight samples of each side by side.
    @unsafe @inline(never)
    private static func filterChroma(
        _ place: Place, _ u: UnsafeMutableRawPointer, _ v: UnsafeMutableRawPointer, _ stride: Int,
        _ strength: FilterStrength, _ inside: Bool, _ hasLeft: Bool, _ turned: UnsafeMutableRawPointer
    ) {
        if inside || hasLeft {
            unsafe EdgeTransposition.gather(u - 4, v - 4, stride: stride, to: turned)
            if inside { unsafe EdgeTransposition.gather(u + 4, v + 4, stride: stride, to: turned + 128) }
            let atLeft = unsafe hasLeft && LoopFilterKernels.filterOuter(turned + 64, stride: 16, strength)
            let atInner = unsafe inside && LoopFilterKernels.filterInner(turned + 128, stride: 16, strength)
            if atLeft || atInner { unsafe EdgeTransposition.scatter(turned, to: u - 4, v - 4, stride: stride) }
            if atInner { unsafe EdgeTransposition.scatter(turned + 128, to: u + 4, v + 4, stride: stride) }
        }
        if place.hasAbove || inside {
            unsafe copyRows(-4, 8, u, v, stride, turned)
            let atTop = unsafe place.hasAbove && LoopFilterKernels.filterOuter(turned + 64, stride: 16, strength)
            let atInner = unsafe inside && LoopFilterKernels.filterInner(turned + 128, stride: 16, strength)
            // The filters change three lines on both sides of the edge between macroblocks, two of that inside.
            if atTop || atInner {
                unsafe copyRowsBack(atTop ? -3 : 2, atInner ? 6 : 3, u, v, stride, turned)
            }
        }
    }

    /// Lines of U and of V side by side, the line -4 first.
    @unsafe @inline(__always)
    private static func copyRows(
        _ first: Int, _ end: Int, _ u: UnsafeMutableRawPointer, _ v: UnsafeMutableRawPointer, _ stride: Int,
        _ turned: UnsafeMutableRawPointer
    ) {
        var line = first
        while line < end {
            // SAFETY: four lines above and eight below are in the planes; `turned` has 24 rows.
            let (a, b) = unsafe (
                u.loadUnaligned(fromByteOffset: line &* stride, as: UInt64.self),
                v.loadUnaligned(fromByteOffset: line &* stride, as: UInt64.self)
            )
            unsafe turned.storeBytes(of: UnsignedQuads(a, b), toByteOffset: (line &+ 4) &* 16, as: UnsignedQuads.self)
            line &+= 1
        }
    }

    @unsafe @inline(__always)
    private static func copyRowsBack(
        _ first: Int, _ end: Int, _ u: UnsafeMutableRawPointer, _ v: UnsafeMutableRawPointer, _ stride: Int,
        _ turned: UnsafeMutableRawPointer
    ) {
        var line = first
        while line < end {
            // SAFETY: as for `copyRows`.
            let both = unsafe turned.load(fromByteOffset: (line &+ 4) &* 16, as: UnsignedQuads.self)
            unsafe u.storeBytes(of: both[0], toByteOffset: line &* stride, as: UInt64.self)
            unsafe v.storeBytes(of: both[1], toByteOffset: line &* stride, as: UInt64.self)
            line &+= 1
        }
    }

    @unsafe @inline(never)
    private static func filterSimple(
        _ place: Place, _ luma: UnsafeMutableRawPointer, _ stride: Int, _ strength: FilterStrength, _ inside: Bool,
        _ hasLeft: Bool, _ turned: UnsafeMutableRawPointer
    ) {
        let (outer, inner) = (strength.edgeLimit &+ 4, strength.edgeLimit)
        let lower = unsafe luma + 8 &* stride
        if inside || hasLeft {
            unsafe EdgeTransposition.gather(luma - 4, lower - 4, stride: stride, to: turned)
            unsafe EdgeTransposition.gather(luma + 4, lower + 4, stride: stride, to: turned + 128)
            unsafe EdgeTransposition.gather(luma + 12, lower + 12, stride: stride, to: turned + 256)
            if hasLeft { unsafe LoopFilterKernels.filterSimple(turned + 64, stride: 16, limit: outer) }
            if inside {
                unsafe LoopFilterKernels.filterSimple(turned + 128, stride: 16, limit: inner, count: 3, step: 64)
            }
            unsafe EdgeTransposition.scatter(turned, to: luma - 4, lower - 4, stride: stride)
            unsafe EdgeTransposition.scatter(turned + 128, to: luma + 4, lower + 4, stride: stride)
            unsafe EdgeTransposition.scatter(turned + 256, to: luma + 12, lower + 12, stride: stride)
        }
        if place.hasAbove { unsafe LoopFilterKernels.filterSimple(luma, stride: stride, limit: outer) }
        if inside {
            unsafe LoopFilterKernels.filterSimple(
                luma + 4 &* stride, stride: stride, limit: inner, count: 3, step: 4 &* stride)
        }
    }
}
#endif
