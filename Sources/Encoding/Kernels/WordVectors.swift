// 128-bit vector operations of this module's kernels, in shapes that the compiler turns into one or two SSE2 instructions each.
//
// Lane lists are written out on purpose: concrete types, no generics, no loops. They are for this module alone: the compiler
// makes worse code of those of another one (decision 0006).

import ImageCodecsCore

#if !ReferenceKernels
/// Operations on eight words of 16 bits.
enum WordVectors {
    /// The high halves of the products (pmulhw).
    @inline(__always)
    static func multiplyHigh(_ a: Words, _ k: Words) -> Words {
        var r = Words()
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
    @inline(__always)
    static func multiplyHigh(_ a: Words, _ k: Int16) -> Words {
        multiplyHigh(a, Words(repeating: k))
    }

    /// Narrowing with saturation, `a` first (packssdw).
    @inline(__always)
    static func pack(_ a: Longs, _ b: Longs) -> Words {
        var r = Words()
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
    @inline(__always)
    static func bits(_ mask: SIMDMask<Words>) -> Words {
        unsafe unsafeBitCast(mask, to: Words.self)
    }

    /// The smaller of two (pminsw).
    @inline(__always)
    static func smaller(_ a: Words, _ b: Words) -> Words { a &- ((a &- b) & bits(a .> b)) }

    /// The larger of two (pmaxsw).
    @inline(__always)
    static func larger(_ a: Words, _ b: Words) -> Words { b &+ ((a &- b) & bits(a .> b)) }

    /// Every lane within `low ... high`.
    @inline(__always)
    static func clamp(_ a: Words, _ low: Int16, _ high: Int16) -> Words {
        larger(smaller(a, Words(repeating: high)), Words(repeating: low))
    }

    /// Whether any bit is set.
    @inline(__always)
    static func hasBits(_ a: Words) -> Bool {
        let halves = unsafe unsafeBitCast(a, to: SIMD2<UInt64>.self)
        return halves[0] | halves[1] != 0
    }

    /// Words 0...3 and 4...7 as numbers of 32 bits.
    @inline(__always)
    static func widenedHalves(_ a: Words) -> (low: Longs, high: Longs) {
        unsafe (
            unsafeBitCast(interleaveLow(a, a), to: Longs.self) &>> 16,
            unsafeBitCast(interleaveHigh(a, a), to: Longs.self) &>> 16
        )
    }

    /// Zero in every lane, by a way that the compiler does not see through.
    ///
    /// Added to words whose signs the compiler would know, it keeps products of signed words in one instruction.
    ///
    /// - Parameter count: words or pixels of a row in memory, so far below 2^40.
    @inline(__always)
    static func opaqueZero(_ count: Int) -> Words {
        Words(repeating: Int16(truncatingIfNeeded: count &>> 40))
    }

    /// The same pair of words in all four lanes of 32 bits.
    @inline(__always)
    static func pairs(_ a: Int16, _ b: Int16) -> Words { Words(a, b, a, b, a, b, a, b) }
}
#endif
