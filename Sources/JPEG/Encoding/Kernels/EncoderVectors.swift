// 128-bit vector operations of the encoder's kernels, in shapes that the compiler turns into one or two SSE2
// instructions each. Lane lists are written out on purpose: concrete types, no generics, no loops. They stand in this module on
// purpose too: the compiler makes worse code of those of another module (decision 0006).

import ImageCodecsCore

#if !ReferenceKernels
typealias EncoderQuads = SIMD2<Int64>
typealias EightRows = (Words, Words, Words, Words, Words, Words, Words, Words)

@inline(__always) func asWords(_ a: Longs) -> Words { unsafe unsafeBitCast(a, to: Words.self) }
@inline(__always) func asWords(_ a: EncoderQuads) -> Words { unsafe unsafeBitCast(a, to: Words.self) }
@inline(__always) func asWords(_ a: Bytes16) -> Words { unsafe unsafeBitCast(a, to: Words.self) }
@inline(__always) func asWords(_ a: UnsignedWords) -> Words { unsafe unsafeBitCast(a, to: Words.self) }
@inline(__always) func asWords(_ a: SIMD4<UInt32>) -> Words { unsafe unsafeBitCast(a, to: Words.self) }
@inline(__always) func asWords(_ a: SIMDMask<Words>) -> Words { unsafe unsafeBitCast(a, to: Words.self) }
@inline(__always) func asUnsigned(_ a: Words) -> UnsignedWords { unsafe unsafeBitCast(a, to: UnsignedWords.self) }
@inline(__always) func asSigned(_ a: SIMD4<UInt32>) -> Longs { unsafe unsafeBitCast(a, to: Longs.self) }
@inline(__always) func asLongs(_ a: Words) -> Longs { unsafe unsafeBitCast(a, to: Longs.self) }
@inline(__always) func asQuads(_ a: Longs) -> EncoderQuads { unsafe unsafeBitCast(a, to: EncoderQuads.self) }

/// a0 b0 a1 b1.
@inline(__always) func interleaveLow(_ a: Longs, _ b: Longs) -> Longs { Longs(a[0], b[0], a[1], b[1]) }

/// a2 b2 a3 b3.
@inline(__always) func interleaveHigh(_ a: Longs, _ b: Longs) -> Longs { Longs(a[2], b[2], a[3], b[3]) }

/// a0 b0.
@inline(__always) func interleaveLow(_ a: EncoderQuads, _ b: EncoderQuads) -> EncoderQuads { EncoderQuads(a[0], b[0]) }

/// a1 b1.
@inline(__always) func interleaveHigh(_ a: EncoderQuads, _ b: EncoderQuads) -> EncoderQuads {
    EncoderQuads(a[1], b[1])
}

/// The high halves of unsigned products (pmulhuw).
@inline(__always) func multiplyHigh(_ a: UnsignedWords, _ k: UnsignedWords) -> UnsignedWords {
    var r = UnsignedWords()
    r[0] = UInt16(truncatingIfNeeded: (UInt32(a[0]) &* UInt32(k[0])) &>> 16)
    r[1] = UInt16(truncatingIfNeeded: (UInt32(a[1]) &* UInt32(k[1])) &>> 16)
    r[2] = UInt16(truncatingIfNeeded: (UInt32(a[2]) &* UInt32(k[2])) &>> 16)
    r[3] = UInt16(truncatingIfNeeded: (UInt32(a[3]) &* UInt32(k[3])) &>> 16)
    r[4] = UInt16(truncatingIfNeeded: (UInt32(a[4]) &* UInt32(k[4])) &>> 16)
    r[5] = UInt16(truncatingIfNeeded: (UInt32(a[5]) &* UInt32(k[5])) &>> 16)
    r[6] = UInt16(truncatingIfNeeded: (UInt32(a[6]) &* UInt32(k[6])) &>> 16)
    r[7] = UInt16(truncatingIfNeeded: (UInt32(a[7]) &* UInt32(k[7])) &>> 16)
    return r
}

/// The high halves of products of words that are read as unsigned.
@inline(__always) func multiplyHighUnsigned(_ a: Words, _ k: Words) -> Words {
    asWords(multiplyHigh(asUnsigned(a), asUnsigned(k)))
}

/// Narrowing with saturation, `a` first (packssdw).
@inline(__always) func pack(_ a: Longs, _ b: Longs) -> Words {
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

/// The low bytes of words, `a` first (pand, packuswb).
@inline(__always) func packBytes(_ a: Words, _ b: Words) -> Bytes16 {
    let low = SIMD16<Int16>(repeating: 255)
    let z = SIMD16<Int16>(lowHalf: a, highHalf: b) & low
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

/// The smaller of two (pminsw).
@inline(__always) func smaller(_ a: Words, _ b: Words) -> Words { a &- ((a &- b) & asWords(a .> b)) }

/// The larger of two (pmaxsw).
@inline(__always) func larger(_ a: Words, _ b: Words) -> Words { b &+ ((a &- b) & asWords(a .> b)) }

/// Every lane within `low ... high`.
@inline(__always) func clamp(_ a: Words, _ low: Int16, _ high: Int16) -> Words {
    larger(smaller(a, Words(repeating: high)), Words(repeating: low))
}

/// Whether any bit is set.
@inline(__always) func hasBits(_ a: Words) -> Bool {
    let halves = unsafe unsafeBitCast(a, to: SIMD2<UInt64>.self)
    return halves[0] | halves[1] != 0
}

/// Words 0...3 and 4...7 as numbers of 32 bits.
@inline(__always) func widenedHalves(_ a: Words) -> (low: Longs, high: Longs) {
    (asLongs(interleaveLow(a, a)) &>> 16, asLongs(interleaveHigh(a, a)) &>> 16)
}

/// Rows become columns.
@inline(__always)
func transpose(_ r: EightRows) -> EightRows {
    let a0 = asLongs(interleaveLow(r.0, r.1))
    let a1 = asLongs(interleaveHigh(r.0, r.1))
    let a2 = asLongs(interleaveLow(r.2, r.3))
    let a3 = asLongs(interleaveHigh(r.2, r.3))
    let a4 = asLongs(interleaveLow(r.4, r.5))
    let a5 = asLongs(interleaveHigh(r.4, r.5))
    let a6 = asLongs(interleaveLow(r.6, r.7))
    let a7 = asLongs(interleaveHigh(r.6, r.7))
    let b0 = asQuads(interleaveLow(a0, a2))
    let b1 = asQuads(interleaveHigh(a0, a2))
    let b2 = asQuads(interleaveLow(a1, a3))
    let b3 = asQuads(interleaveHigh(a1, a3))
    let b4 = asQuads(interleaveLow(a4, a6))
    let b5 = asQuads(interleaveHigh(a4, a6))
    let b6 = asQuads(interleaveLow(a5, a7))
    let b7 = asQuads(interleaveHigh(a5, a7))
    return (
        asWords(interleaveLow(b0, b4)), asWords(interleaveHigh(b0, b4)),
        asWords(interleaveLow(b1, b5)), asWords(interleaveHigh(b1, b5)),
        asWords(interleaveLow(b2, b6)), asWords(interleaveHigh(b2, b6)),
        asWords(interleaveLow(b3, b7)), asWords(interleaveHigh(b3, b7))
    )
}
#endif
