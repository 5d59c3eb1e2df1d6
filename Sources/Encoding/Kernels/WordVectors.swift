// 128-bit vector operations of the kernels of encoders, in shapes that the compiler turns into one or two SSE2 instructions
// each.
//
// Lane lists are written out on purpose: concrete types, no generics, no loops. `@inlinable` carries the bodies into other
// modules; without it each of these would be a call there.

import ImageCodecsCore

#if !ReferenceKernels
/// Operations on eight words of 16 bits.
package enum WordVectors {
    /// The high halves of the products (pmulhw).
    @inlinable @inline(__always)
    package static func multiplyHigh(_ a: SIMD8<Int16>, _ k: SIMD8<Int16>) -> SIMD8<Int16> {
        var r = SIMD8<Int16>()
        r[0] = Int16(truncatingIfNeeded: (Int32(a[0]) &* Int32(k[0])) &>> 16)
        r[1] = Int16(truncatingIfNeeded: (Int32(a[1]) &* Int32(k[1])) &>> 16)
        r[2] = Int16(truncatingIfNeeded: (Int32(a[2]) &* Int32(k[2])) &>> 16)
        r[3] = Int16(truncatingIfNeeded: (Int32(a[3]) &* Int32(k[3])) &>> 16)
        r[4] = Int16(truncatingIfNeeded: (Int32(a[4]) &* Int32(k[4])) &>> 16)
        r[5] = Int16(truncatingIfNeeded: (Int32(a[5]) &* Int32(k[5])) &>> 16)
        r[6] = Int16(truncatingIfNeeded: (Int32(a[6]) &* Int32(k[6])) &>> 16)
        r[7] = Int16(truncatingIfNeeded: (Int32(a[7]) &* Int32(k[7])) &>> 16)
        return r
    }

    /// The high halves of the products by one number.
    @inlinable @inline(__always)
    package static func multiplyHigh(_ a: SIMD8<Int16>, _ k: Int16) -> SIMD8<Int16> {
        multiplyHigh(a, SIMD8<Int16>(repeating: k))
    }

    /// The high halves of unsigned products (pmulhuw).
    @inlinable @inline(__always)
    package static func multiplyHighUnsigned(_ a: SIMD8<Int16>, _ k: SIMD8<Int16>) -> SIMD8<Int16> {
        let (x, y) = unsafe (
            unsafeBitCast(a, to: SIMD8<UInt16>.self), unsafeBitCast(k, to: SIMD8<UInt16>.self)
        )
        var r = SIMD8<UInt16>()
        r[0] = UInt16(truncatingIfNeeded: (UInt32(x[0]) &* UInt32(y[0])) &>> 16)
        r[1] = UInt16(truncatingIfNeeded: (UInt32(x[1]) &* UInt32(y[1])) &>> 16)
        r[2] = UInt16(truncatingIfNeeded: (UInt32(x[2]) &* UInt32(y[2])) &>> 16)
        r[3] = UInt16(truncatingIfNeeded: (UInt32(x[3]) &* UInt32(y[3])) &>> 16)
        r[4] = UInt16(truncatingIfNeeded: (UInt32(x[4]) &* UInt32(y[4])) &>> 16)
        r[5] = UInt16(truncatingIfNeeded: (UInt32(x[5]) &* UInt32(y[5])) &>> 16)
        r[6] = UInt16(truncatingIfNeeded: (UInt32(x[6]) &* UInt32(y[6])) &>> 16)
        r[7] = UInt16(truncatingIfNeeded: (UInt32(x[7]) &* UInt32(y[7])) &>> 16)
        return unsafe unsafeBitCast(r, to: SIMD8<Int16>.self)
    }

    /// Narrowing with saturation, `a` first (packssdw).
    @inlinable @inline(__always)
    package static func pack(_ a: SIMD4<Int32>, _ b: SIMD4<Int32>) -> SIMD8<Int16> {
        var r = SIMD8<Int16>()
        r[0] = Int16(clamping: a[0])
        r[1] = Int16(clamping: a[1])
        r[2] = Int16(clamping: a[2])
        r[3] = Int16(clamping: a[3])
        r[4] = Int16(clamping: b[0])
        r[5] = Int16(clamping: b[1])
        r[6] = Int16(clamping: b[2])
        r[7] = Int16(clamping: b[3])
        return r
    }

    /// All bits set in lanes in which the condition holds.
    @inlinable @inline(__always)
    package static func bits(_ mask: SIMDMask<SIMD8<Int16>>) -> SIMD8<Int16> {
        unsafe unsafeBitCast(mask, to: SIMD8<Int16>.self)
    }

    /// The smaller of two (pminsw).
    @inlinable @inline(__always)
    package static func smaller(_ a: SIMD8<Int16>, _ b: SIMD8<Int16>) -> SIMD8<Int16> { a &- ((a &- b) & bits(a .> b)) }

    /// The larger of two (pmaxsw).
    @inlinable @inline(__always)
    package static func larger(_ a: SIMD8<Int16>, _ b: SIMD8<Int16>) -> SIMD8<Int16> { b &+ ((a &- b) & bits(a .> b)) }

    /// Every lane within `low ... high`.
    @inlinable @inline(__always)
    package static func clamp(_ a: SIMD8<Int16>, _ low: Int16, _ high: Int16) -> SIMD8<Int16> {
        larger(smaller(a, SIMD8<Int16>(repeating: high)), SIMD8<Int16>(repeating: low))
    }

    /// Whether any bit is set.
    @inlinable @inline(__always)
    package static func hasBits(_ a: SIMD8<Int16>) -> Bool {
        let halves = unsafe unsafeBitCast(a, to: SIMD2<UInt64>.self)
        return halves[0] | halves[1] != 0
    }

    /// Words 0...3 and 4...7 as numbers of 32 bits.
    @inlinable @inline(__always)
    package static func widenedHalves(_ a: SIMD8<Int16>) -> (low: SIMD4<Int32>, high: SIMD4<Int32>) {
        unsafe (
            unsafeBitCast(interleaveLow(a, a), to: SIMD4<Int32>.self) &>> 16,
            unsafeBitCast(interleaveHigh(a, a), to: SIMD4<Int32>.self) &>> 16
        )
    }

    /// Zero in every lane, by a way that the compiler does not see through.
    ///
    /// Added to words whose signs the compiler would know, it keeps products of signed words in one instruction.
    ///
    /// - Parameter count: words or pixels of a row in memory, so far below 2^40.
    @inlinable @inline(__always)
    package static func opaqueZero(_ count: Int) -> SIMD8<Int16> {
        SIMD8<Int16>(repeating: Int16(truncatingIfNeeded: count &>> 40))
    }

    /// Narrowing of values that fit, `a` first: right after a shift by 16 (packssdw).
    @inlinable @inline(__always)
    package static func packFitting(_ a: SIMD4<Int32>, _ b: SIMD4<Int32>) -> SIMD8<Int16> {
        var r = SIMD8<Int16>()
        r[0] = Int16(truncatingIfNeeded: a[0])
        r[1] = Int16(truncatingIfNeeded: a[1])
        r[2] = Int16(truncatingIfNeeded: a[2])
        r[3] = Int16(truncatingIfNeeded: a[3])
        r[4] = Int16(truncatingIfNeeded: b[0])
        r[5] = Int16(truncatingIfNeeded: b[1])
        r[6] = Int16(truncatingIfNeeded: b[2])
        r[7] = Int16(truncatingIfNeeded: b[3])
        return r
    }

    /// The same pair of words in all four lanes of 32 bits.
    @inlinable @inline(__always)
    package static func pairs(_ a: Int16, _ b: Int16) -> SIMD8<Int16> { SIMD8<Int16>(a, b, a, b, a, b, a, b) }
}
#endif
