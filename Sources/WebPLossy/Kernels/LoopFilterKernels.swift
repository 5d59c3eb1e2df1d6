// The loop filter: smooths what is left of the edges of blocks, sixteen positions along an edge at a time.
//
// Samples across an edge are p3 p2 p1 p0 | q0 q1 q2 q3; here they are rows, so the edge is horizontal. Vertical edges are
// turned first (`EdgeTransposition`). Signed numbers are bytes with 128 or 16 or so added: that is how differences saturate
// without ever being signed.

import ImageCodecsCore

#if !ReferenceKernels
/// Filters edges between rows of sixteen samples.
///
/// - Source: RFC 6386 section 15 "Loop Filter"
enum LoopFilterKernels {
    // SAFETY: for all of these, the caller promises four rows of sixteen bytes on both sides of the edge.

    /// What a segment's strength says about one edge, in every lane.
    private struct Limits {
        /// Limit of the step across the edge: twice the difference of p0 and q0, and half that of p1 and q1.
        let edge: Bytes16
        /// How large any other step may be.
        let interior: Bytes16
        /// Beyond this, a step beside the edge is high variance.
        let variance: Bytes16

        @inline(__always)
        init(edge: UInt8, interior: UInt8, variance: UInt8) {
            self.edge = Bytes16(repeating: edge)
            self.interior = Bytes16(repeating: interior)
            self.variance = Bytes16(repeating: variance)
        }
    }

    @inline(__always)
    private static func difference(_ a: Bytes16, _ b: Bytes16) -> Bytes16 {
        subtractSaturating(a, b) | subtractSaturating(b, a)
    }

    /// All ones if the step across the edge is small enough.
    @inline(__always)
    private static func isSmooth(_ p1: Bytes16, _ p0: Bytes16, _ q0: Bytes16, _ q1: Bytes16, _ limit: Bytes16)
        -> Bytes16
    {
        // Limits are below 254: a step that is cut off is beyond them all the same.
        let step = smaller(difference(p0, q0), Bytes16(repeating: 127))
        let sum = addSaturating(step &+ step, shiftRight1(difference(p1, q1)))
        return asBytes(subtractSaturating(sum, limit) .== Bytes16(repeating: 0))
    }

    /// `128 + clamp(clamp(p1 - q1) + 3 * (q0 - p0))`, of p1 - q1 only if `outer` is set, and 128 outside of `mask`.
    @inline(__always)
    private static func filterValue(
        _ p1: Bytes16, _ p0: Bytes16, _ q0: Bytes16, _ q1: Bytes16, outer: Bytes16, mask: Bytes16
    ) -> Bytes16 {
        let middle = Bytes16(repeating: 128)
        let (up, down) = (subtractSaturating(p1, q1) & outer, subtractSaturating(q1, p1) & outer)
        let (plus, minus) = (subtractSaturating(q0, p0), subtractSaturating(p0, q0))
        var value = subtractSaturating(middle &+ smaller(up, Bytes16(repeating: 127)), down)
        // One of the two is zero, so the order does not matter, and three steps saturate as one does.
        value = subtractSaturating(addSaturating(value, plus), minus)
        value = subtractSaturating(addSaturating(value, plus), minus)
        value = subtractSaturating(addSaturating(value, plus), minus)
        return ((value ^ middle) & mask) ^ middle
    }

    /// `a + (delta - bias)`, clamped.
    @inline(__always)
    private static func plus(_ a: Bytes16, _ delta: Bytes16, bias: Bytes16) -> Bytes16 {
        addSaturating(subtractSaturating(a, subtractSaturating(bias, delta)), subtractSaturating(delta, bias))
    }

    /// `a - (delta - bias)`, clamped.
    @inline(__always)
    private static func minus(_ a: Bytes16, _ delta: Bytes16, bias: Bytes16) -> Bytes16 {
        subtractSaturating(addSaturating(a, subtractSaturating(bias, delta)), subtractSaturating(delta, bias))
    }

    @unsafe @inline(__always)
    private static func row(_ edge: UnsafeMutableRawPointer, _ offset: Int) -> Bytes16 {
        // SAFETY: a row of the eight.
        unsafe edge.loadUnaligned(fromByteOffset: offset, as: Bytes16.self)
    }

    /// The simple filter on several edges.
    ///
    /// Not inlined, as all of these: code that does not fit into the first cache costs more than a call.
    ///
    /// - Parameters:
    ///   - count: edges.
    ///   - step: bytes from one to the next.
    /// - Source: RFC 6386 section 15.2 "Simple Filter"
    @unsafe @inline(never)
    static func filterSimple(
        _ first: UnsafeMutableRawPointer, stride: Int, limit: UInt8, count: Int = 1, step: Int = 0
    ) {
        var edge = unsafe first
        for _ in 0..<count {
            unsafe filterSimpleEdge(edge, stride: stride, limit: limit)
            unsafe edge += step
        }
    }

    @unsafe @inline(__always)
    private static func filterSimpleEdge(_ edge: UnsafeMutableRawPointer, stride: Int, limit: UInt8) {
        let (p1, p0) = unsafe (row(edge, -2 &* stride), row(edge, 0 &- stride))
        let (q0, q1) = unsafe (row(edge, 0), row(edge, stride))
        let mask = isSmooth(p1, p0, q0, q1, Bytes16(repeating: limit))
        let value = filterValue(p1, p0, q0, q1, outer: Bytes16(repeating: 255), mask: mask)
        let bias = Bytes16(repeating: 16)
        let forQ = shiftRight3(addSaturating(value, Bytes16(repeating: 4)))
        let forP = shiftRight3(addSaturating(value, Bytes16(repeating: 3)))
        unsafe edge.storeBytes(of: plus(p0, forP, bias: bias), toByteOffset: 0 &- stride, as: Bytes16.self)
        unsafe edge.storeBytes(of: minus(q0, forQ, bias: bias), as: Bytes16.self)
    }

    /// The normal filter on several edges inside of a macroblock.
    ///
    /// - Returns: whether samples may have changed.
    /// - Source: RFC 6386 section 15.3 "Normal Filter", subblock_filter
    @unsafe @inline(never) @discardableResult
    static func filterInner(
        _ first: UnsafeMutableRawPointer, stride: Int, _ strength: FilterStrength, count: Int = 1, step: Int = 0
    ) -> Bool {
        let limits = Limits(
            edge: strength.edgeLimit, interior: strength.interiorLimit, variance: strength.varianceThreshold)
        var edge = unsafe first
        var hasChanges = false
        for _ in 0..<count {
            if unsafe filterInnerEdge(edge, stride: stride, limits) { hasChanges = true }
            unsafe edge += step
        }
        return hasChanges
    }

    @unsafe @inline(__always)
    private static func filterInnerEdge(
        _ edge: UnsafeMutableRawPointer, stride: Int, _ limits: Limits
    ) -> Bool {
        let (p3, p2) = unsafe (row(edge, -4 &* stride), row(edge, -3 &* stride))
        let (p1, p0) = unsafe (row(edge, -2 &* stride), row(edge, 0 &- stride))
        let (q0, q1) = unsafe (row(edge, 0), row(edge, stride))
        let (q2, q3) = unsafe (row(edge, 2 &* stride), row(edge, 3 &* stride))
        let beside = greater(difference(p1, p0), difference(q1, q0))
        let others = greater(
            greater(difference(p3, p2), difference(p2, p1)), greater(difference(q3, q2), difference(q2, q1)))
        let zero = Bytes16(repeating: 0)
        let isFlat = asBytes(subtractSaturating(greater(beside, others), limits.interior) .== zero)
        let mask = isSmooth(p1, p0, q0, q1, limits.edge) & isFlat
        let isCalm = asBytes(subtractSaturating(beside, limits.variance) .== zero)
        let value = filterValue(p1, p0, q0, q1, outer: ~isCalm, mask: mask)
        let bias = Bytes16(repeating: 16)
        let forQ = shiftRight3(addSaturating(value, Bytes16(repeating: 4)))
        let forP = shiftRight3(addSaturating(value, Bytes16(repeating: 3)))
        // As one of the two is at most one more than the other, both are 16 everywhere: nothing changes.
        if areZero((forP | forQ) ^ bias) { return false }
        // Half of it, rounded up, for p1 and q1, where variance is not high.
        let half = Bytes16(repeating: 8)
        let outer = (shiftRight1(forQ &+ Bytes16(repeating: 1)) & isCalm) | (half & ~isCalm)
        unsafe edge.storeBytes(of: plus(p1, outer, bias: half), toByteOffset: -2 &* stride, as: Bytes16.self)
        unsafe edge.storeBytes(of: plus(p0, forP, bias: bias), toByteOffset: 0 &- stride, as: Bytes16.self)
        unsafe edge.storeBytes(of: minus(q0, forQ, bias: bias), as: Bytes16.self)
        unsafe edge.storeBytes(of: minus(q1, outer, bias: half), toByteOffset: stride, as: Bytes16.self)
        return true
    }

    /// The normal filter on an edge between macroblocks.
    ///
    /// - Returns: whether samples may have changed.
    /// - Source: RFC 6386 section 15.3 "Normal Filter", MBfilter
    @unsafe @inline(never) @discardableResult
    static func filterOuter(_ edge: UnsafeMutableRawPointer, stride: Int, _ strength: FilterStrength) -> Bool {
        let limits = Limits(
            edge: strength.edgeLimit &+ 4, interior: strength.interiorLimit, variance: strength.varianceThreshold)
        let (p3, p2) = unsafe (row(edge, -4 &* stride), row(edge, -3 &* stride))
        let (p1, p0) = unsafe (row(edge, -2 &* stride), row(edge, 0 &- stride))
        let (q0, q1) = unsafe (row(edge, 0), row(edge, stride))
        let (q2, q3) = unsafe (row(edge, 2 &* stride), row(edge, 3 &* stride))
        let beside = greater(difference(p1, p0), difference(q1, q0))
        let others = greater(
            greater(difference(p3, p2), difference(p2, p1)), greater(difference(q3, q2), difference(q2, q1)))
        let zero = Bytes16(repeating: 0)
        let isFlat = asBytes(subtractSaturating(greater(beside, others), limits.interior) .== zero)
        let mask = isSmooth(p1, p0, q0, q1, limits.edge) & isFlat
        let isCalm = asBytes(subtractSaturating(beside, limits.variance) .== zero)
        let value = filterValue(p1, p0, q0, q1, outer: Bytes16(repeating: 255), mask: mask)
        // Nothing changes if values are 126...130 everywhere: (27 * 2 + 63) / 128 is 0, and so is (63 - 27 * 2) / 128.
        if areZero(subtractSaturating(value &- Bytes16(repeating: 126), Bytes16(repeating: 4))) { return false }
        // Where variance is high, as the simple filter; elsewhere 27, 18 and 9 times the value. 128 changes nothing.
        let middle = Bytes16(repeating: 128)
        let steep = (value & ~isCalm) | (middle & isCalm)
        let calm = (value & isCalm) | (middle & ~isCalm)
        let forQ = shiftRight3(addSaturating(steep, Bytes16(repeating: 4)))
        let forP = shiftRight3(addSaturating(steep, Bytes16(repeating: 3)))
        let (first, second, third) = weighted(calm)
        let bias = Bytes16(repeating: 32)
        let correction = Bytes16(repeating: 16)
        unsafe edge.storeBytes(of: plus(p2, third, bias: bias), toByteOffset: -3 &* stride, as: Bytes16.self)
        unsafe edge.storeBytes(of: plus(p1, second, bias: bias), toByteOffset: -2 &* stride, as: Bytes16.self)
        unsafe edge.storeBytes(
            of: plus(p0, first &+ forP &- correction, bias: bias), toByteOffset: 0 &- stride, as: Bytes16.self)
        unsafe edge.storeBytes(of: minus(q0, first &+ forQ &- correction, bias: bias), as: Bytes16.self)
        unsafe edge.storeBytes(of: minus(q1, second, bias: bias), toByteOffset: stride, as: Bytes16.self)
        unsafe edge.storeBytes(of: minus(q2, third, bias: bias), toByteOffset: 2 &* stride, as: Bytes16.self)
        return true
    }

    /// 27, 18 and 9 times `value - 128`, rounded, of 128; 32 is added to each.
    @inline(__always)
    private static func weighted(_ value: Bytes16) -> (Bytes16, Bytes16, Bytes16) {
        let center = Words(repeating: 128)
        let nine = Words(repeating: 9)
        // With 32 * 128 added, which is 32 after the shift.
        let rounding = Words(repeating: 63 + 32 * 128)
        let seven = Words(repeating: 7)
        let low = (widenLow(value) &- center) &* nine
        let high = (widenHigh(value) &- center) &* nine
        let (low1, high1) = (low &+ rounding, high &+ rounding)
        let (low2, high2) = (low1 &+ low, high1 &+ high)
        let (low3, high3) = (low2 &+ low, high2 &+ high)
        return (
            packUnsigned(low3 &>> seven, high3 &>> seven), packUnsigned(low2 &>> seven, high2 &>> seven),
            packUnsigned(low1 &>> seven, high1 &>> seven)
        )
    }
}
#endif
