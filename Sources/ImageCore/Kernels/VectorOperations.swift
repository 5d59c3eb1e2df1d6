// 128-bit vector operations that kernels of several modules use, in shapes that the compiler turns into one or two SSE2
// instructions each.
//
// Lane lists are written out on purpose: concrete types, no generics, no loops. `@inlinable` carries the bodies into other
// modules; without it each of these would be a call there.

/// a0 b0 a1 b1 a2 b2 a3 b3.
@inlinable @inline(__always)
package func interleaveLow(_ a: SIMD8<Int16>, _ b: SIMD8<Int16>) -> SIMD8<Int16> {
    SIMD8(a[0], b[0], a[1], b[1], a[2], b[2], a[3], b[3])
}

/// a4 b4 a5 b5 a6 b6 a7 b7.
@inlinable @inline(__always)
package func interleaveHigh(_ a: SIMD8<Int16>, _ b: SIMD8<Int16>) -> SIMD8<Int16> {
    SIMD8(a[4], b[4], a[5], b[5], a[6], b[6], a[7], b[7])
}

/// a0 b0 ... a7 b7.
@inlinable @inline(__always)
package func interleaveLow(_ a: SIMD16<UInt8>, _ b: SIMD16<UInt8>) -> SIMD16<UInt8> {
    var result = SIMD16<UInt8>()
    result.evenHalf = a.lowHalf
    result.oddHalf = b.lowHalf
    return result
}

/// a8 b8 ... a15 b15.
@inlinable @inline(__always)
package func interleaveHigh(_ a: SIMD16<UInt8>, _ b: SIMD16<UInt8>) -> SIMD16<UInt8> {
    var result = SIMD16<UInt8>()
    result.evenHalf = a.highHalf
    result.oddHalf = b.highHalf
    return result
}

/// Sign extension of all eight lanes.
@inlinable @inline(__always)
package func widen(_ a: SIMD8<Int16>) -> SIMD8<Int32> {
    var r = SIMD8<Int32>()
    r[0] = Int32(a[0])
    r[1] = Int32(a[1])
    r[2] = Int32(a[2])
    r[3] = Int32(a[3])
    r[4] = Int32(a[4])
    r[5] = Int32(a[5])
    r[6] = Int32(a[6])
    r[7] = Int32(a[7])
    return r
}

/// Lane i is `a[2i] * k[2i] + a[2i+1] * k[2i+1]` (pmaddwd).
@inlinable @inline(__always)
package func multiplyAdd(_ a: SIMD8<Int16>, _ k: SIMD8<Int16>) -> SIMD4<Int32> {
    let p = widen(a) &* widen(k)
    return SIMD4(p[0], p[2], p[4], p[6]) &+ SIMD4(p[1], p[3], p[5], p[7])
}
