// Turns samples beside vertical edges, so that the loop filter finds them in rows.

import ImageCodecsCore

#if !ReferenceKernels
/// Transposes between planes and a block of rows of sixteen bytes.
enum EdgeTransposition {
    /// Eight columns of sixteen rows to eight rows of sixteen bytes.
    ///
    /// - Parameters:
    ///   - upper: the first of eight rows.
    ///   - lower: the first of eight more.
    // SAFETY: the caller promises sixteen bytes in each of sixteen rows, of which eight are used (a zero half would have the
    // compiler lose the shape of the instruction), and 128 bytes of target.
    @unsafe @inline(never)
    static func gather(
        _ upper: UnsafeMutableRawPointer, _ lower: UnsafeMutableRawPointer, stride: Int,
        to target: UnsafeMutableRawPointer
    ) {
        @inline(__always) func pair(_ a: UnsafeMutableRawPointer, _ b: UnsafeMutableRawPointer) -> Bytes16 {
            // SAFETY: sixteen bytes of each row.
            let (first, second) = unsafe (a.loadUnaligned(as: Bytes16.self), b.loadUnaligned(as: Bytes16.self))
            return interleaveLowBytes(first, second)
        }
        @inline(__always) func half(
            _ base: UnsafeMutableRawPointer
        ) -> (UnsignedQuads, UnsignedQuads, UnsignedQuads, UnsignedQuads) {
            // Bytes of rows 0 1, 2 3, 4 5, 6 7 in turns.
            let r01 = asWords(unsafe pair(base, base + stride))
            let r23 = asWords(unsafe pair(base + 2 &* stride, base + 3 &* stride))
            let r45 = asWords(unsafe pair(base + 4 &* stride, base + 5 &* stride))
            let r67 = asWords(unsafe pair(base + 6 &* stride, base + 7 &* stride))
            // Rows 0...3 and 4...7 of columns 0...3, then of 4...7.
            let (a, b) = (asLongs(interleaveLowWords(r01, r23)), asLongs(interleaveLowWords(r45, r67)))
            let (c, d) = (asLongs(interleaveHighWords(r01, r23)), asLongs(interleaveHighWords(r45, r67)))
            // Two columns of eight rows each.
            return (
                asQuads(interleaveLow(a, b)), asQuads(interleaveHigh(a, b)), asQuads(interleaveLow(c, d)),
                asQuads(interleaveHigh(c, d))
            )
        }
        let (u, l) = unsafe (half(upper), half(lower))
        unsafe target.storeBytes(of: interleaveLow(u.0, l.0), as: UnsignedQuads.self)
        unsafe target.storeBytes(of: interleaveHigh(u.0, l.0), toByteOffset: 16, as: UnsignedQuads.self)
        unsafe target.storeBytes(of: interleaveLow(u.1, l.1), toByteOffset: 32, as: UnsignedQuads.self)
        unsafe target.storeBytes(of: interleaveHigh(u.1, l.1), toByteOffset: 48, as: UnsignedQuads.self)
        unsafe target.storeBytes(of: interleaveLow(u.2, l.2), toByteOffset: 64, as: UnsignedQuads.self)
        unsafe target.storeBytes(of: interleaveHigh(u.2, l.2), toByteOffset: 80, as: UnsignedQuads.self)
        unsafe target.storeBytes(of: interleaveLow(u.3, l.3), toByteOffset: 96, as: UnsignedQuads.self)
        unsafe target.storeBytes(of: interleaveHigh(u.3, l.3), toByteOffset: 112, as: UnsignedQuads.self)
    }

    /// Eight rows of sixteen bytes to eight columns of sixteen rows.
    // SAFETY: the caller promises eight bytes in each of sixteen rows, and 128 bytes of source.
    @unsafe @inline(never)
    static func scatter(
        _ source: UnsafeMutableRawPointer, to upper: UnsafeMutableRawPointer, _ lower: UnsafeMutableRawPointer,
        stride: Int
    ) {
        @inline(__always) func column(_ index: Int) -> Bytes16 {
            // SAFETY: one of eight rows of the block.
            unsafe source.loadUnaligned(fromByteOffset: 16 &* index, as: Bytes16.self)
        }
        let (c0, c1, c2, c3) = (column(0), column(1), column(2), column(3))
        let (c4, c5, c6, c7) = (column(4), column(5), column(6), column(7))
        @inline(__always) func store(
            _ a: Bytes16, _ b: Bytes16, _ c: Bytes16, _ d: Bytes16, _ target: UnsafeMutableRawPointer
        ) {
            // Columns 0 1, 2 3, 4 5, 6 7 of eight rows, in turns.
            let (r01, r23) = (asWords(a), asWords(b))
            let (r45, r67) = (asWords(c), asWords(d))
            // Columns 0...3 and 4...7 of rows 0...3, then of 4...7.
            let (e, f) = (asLongs(interleaveLowWords(r01, r23)), asLongs(interleaveLowWords(r45, r67)))
            let (g, h) = (asLongs(interleaveHighWords(r01, r23)), asLongs(interleaveHighWords(r45, r67)))
            unsafe storePair(asQuads(interleaveLow(e, f)), target, stride)
            unsafe storePair(asQuads(interleaveHigh(e, f)), target + 2 &* stride, stride)
            unsafe storePair(asQuads(interleaveLow(g, h)), target + 4 &* stride, stride)
            unsafe storePair(asQuads(interleaveHigh(g, h)), target + 6 &* stride, stride)
        }
        unsafe store(
            interleaveLowBytes(c0, c1), interleaveLowBytes(c2, c3), interleaveLowBytes(c4, c5),
            interleaveLowBytes(c6, c7), upper)
        unsafe store(
            interleaveHighBytes(c0, c1), interleaveHighBytes(c2, c3), interleaveHighBytes(c4, c5),
            interleaveHighBytes(c6, c7), lower)
    }

    @unsafe @inline(__always)
    private static func storePair(_ rows: UnsignedQuads, _ target: UnsafeMutableRawPointer, _ stride: Int) {
        // SAFETY: eight bytes of two rows.
        unsafe target.storeBytes(of: rows[0], as: UInt64.self)
        unsafe target.storeBytes(of: rows[1], toByteOffset: stride, as: UInt64.self)
    }
}
#endif
