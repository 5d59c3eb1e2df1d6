// 128-bit vector operations in shapes that the compiler turns into one or two SSE2 instructions each.
//
// Lane lists are written out on purpose: concrete types, no generics, no loops. `clamping` conversions of whole
// vectors become saturating packs, widened products a multiply-high. ImageCore has those that its kernels use too.

import ImageCodecsCore

#if !ReferenceKernels
typealias Bytes8 = SIMD8<UInt8>
typealias Quads = SIMD2<Int64>

/// a0 b0 a1 b1.
@inline(__always) func interleaveLow(_ a: Longs, _ b: Longs) -> Longs { Longs(a[0], b[0], a[1], b[1]) }

/// a2 b2 a3 b3.
@inline(__always) func interleaveHigh(_ a: Longs, _ b: Longs) -> Longs { Longs(a[2], b[2], a[3], b[3]) }

/// a0 b0.
@inline(__always) func interleaveLow(_ a: Quads, _ b: Quads) -> Quads { Quads(a[0], b[0]) }

/// a1 b1.
@inline(__always) func interleaveHigh(_ a: Quads, _ b: Quads) -> Quads { Quads(a[1], b[1]) }

@inline(__always) func asWords(_ a: Longs) -> Words { unsafe unsafeBitCast(a, to: Words.self) }
@inline(__always) func asWords(_ a: Quads) -> Words { unsafe unsafeBitCast(a, to: Words.self) }
@inline(__always) func asWords(_ a: Bytes16) -> Words { unsafe unsafeBitCast(a, to: Words.self) }
@inline(__always) func asWords(_ a: UnsignedWords) -> Words { unsafe unsafeBitCast(a, to: Words.self) }
@inline(__always) func asUnsigned(_ a: Words) -> UnsignedWords { unsafe unsafeBitCast(a, to: UnsignedWords.self) }
@inline(__always) func asLongs(_ a: Words) -> Longs { unsafe unsafeBitCast(a, to: Longs.self) }
@inline(__always) func asQuads(_ a: Longs) -> Quads { unsafe unsafeBitCast(a, to: Quads.self) }
@inline(__always) func asQuads(_ a: Words) -> Quads { unsafe unsafeBitCast(a, to: Quads.self) }

@inline(__always) private func asWords(_ mask: SIMDMask<SIMD16<Int16>>) -> SIMD16<Int16> {
    unsafe unsafeBitCast(mask, to: SIMD16<Int16>.self)
}

/// Zero extension of all eight lanes.
@inline(__always) func widen(_ a: Bytes8) -> Words {
    var r = Words()
    r[0] = Int16(truncatingIfNeeded: a[0])
    r[1] = Int16(truncatingIfNeeded: a[1])
    r[2] = Int16(truncatingIfNeeded: a[2])
    r[3] = Int16(truncatingIfNeeded: a[3])
    r[4] = Int16(truncatingIfNeeded: a[4])
    r[5] = Int16(truncatingIfNeeded: a[5])
    r[6] = Int16(truncatingIfNeeded: a[6])
    r[7] = Int16(truncatingIfNeeded: a[7])
    return r
}

/// The high halves of the products (pmulhw).
@inline(__always) func multiplyHigh(_ a: Words, _ k: Words) -> Words {
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

/// Narrowing of values that fit, `a` first. One packssdw if the compiler sees that they do: right after an
/// arithmetic shift by 16 or more.
@inline(__always) func packFitting(_ a: Longs, _ b: Longs) -> Words {
    var r = Words()
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

/// Narrowing with saturation, `a` first (packssdw).
///
/// Each lane is a conditional until late in the compiler: a function that holds more than a dozen of these packs is
/// no longer inlined as a whole.
@inline(__always) func packSaturating(_ a: Longs, _ b: Longs) -> Words {
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

/// Narrowing to 0...255 with saturation, `a` first (packuswb).
///
/// Both bounds are applied as `bound + ((x - bound) & mask)`, the lower one last: the shape in which the compiler
/// recognises the instruction.
@inline(__always) func packUnsigned(_ a: Words, _ b: Words) -> Bytes16 {
    let x = SIMD16<Int16>(lowHalf: a, highHalf: b)
    let high = SIMD16<Int16>(repeating: 255)
    let low = high &+ ((x &- high) & asWords(x .< high))
    let z = low & asWords(low .> SIMD16<Int16>(repeating: 0))
    var r = Bytes16()
    r[0] = UInt8(truncatingIfNeeded: z[0])
    r[1] = UInt8(truncatingIfNeeded: z[1])
    r[2] = UInt8(truncatingIfNeeded: z[2])
    r[3] = UInt8(truncatingIfNeeded: z[3])
    r[4] = UInt8(truncatingIfNeeded: z[4])
    r[5] = UInt8(truncatingIfNeeded: z[5])
    r[6] = UInt8(truncatingIfNeeded: z[6])
    r[7] = UInt8(truncatingIfNeeded: z[7])
    r[8] = UInt8(truncatingIfNeeded: z[8])
    r[9] = UInt8(truncatingIfNeeded: z[9])
    r[10] = UInt8(truncatingIfNeeded: z[10])
    r[11] = UInt8(truncatingIfNeeded: z[11])
    r[12] = UInt8(truncatingIfNeeded: z[12])
    r[13] = UInt8(truncatingIfNeeded: z[13])
    r[14] = UInt8(truncatingIfNeeded: z[14])
    r[15] = UInt8(truncatingIfNeeded: z[15])
    return r
}

/// The same pair of words in all four 32-bit lanes.
@inline(__always) func pairs(_ a: Int16, _ b: Int16) -> Words { Words(a, b, a, b, a, b, a, b) }

/// Zero in every lane, by a way that the compiler does not see through.
///
/// Adding it between two operations keeps them apart: otherwise an interleaving of bytes is moved before the
/// saturating packs that made them (three packs become some thirty instructions), and shifts of two vectors after
/// the interleaving of their words.
///
/// - Parameter width: Pixels of a row in memory, so far below 2^40.
@inline(__always) func opaqueZero(_ width: Int) -> Bytes16 {
    Bytes16(repeating: UInt8(truncatingIfNeeded: width &>> 40))
}
#endif
