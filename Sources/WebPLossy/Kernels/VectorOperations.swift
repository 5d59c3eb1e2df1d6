// 128-bit vector operations in shapes that the compiler turns into one or two SSE2 instructions each.
//
// Lane lists are written out on purpose: concrete types, no generics, no loops. Some are copies of those of the JPEG
// kernels, which are calls from here; a third user would move them to ImageCore.

import ImageCodecsCore

#if !ReferenceKernels
typealias UnsignedQuads = SIMD2<UInt64>

@inline(__always) func asWords(_ a: Longs) -> Words { unsafe unsafeBitCast(a, to: Words.self) }
@inline(__always) func asWords(_ a: UnsignedQuads) -> Words { unsafe unsafeBitCast(a, to: Words.self) }
@inline(__always) func asWords(_ a: Bytes16) -> Words { unsafe unsafeBitCast(a, to: Words.self) }
@inline(__always) func asWords(_ a: UnsignedWords) -> Words { unsafe unsafeBitCast(a, to: Words.self) }
@inline(__always) func asUnsigned(_ a: Words) -> UnsignedWords { unsafe unsafeBitCast(a, to: UnsignedWords.self) }
@inline(__always) func asUnsigned(_ a: Bytes16) -> UnsignedWords { unsafe unsafeBitCast(a, to: UnsignedWords.self) }
@inline(__always) func asLongs(_ a: Words) -> Longs { unsafe unsafeBitCast(a, to: Longs.self) }
@inline(__always) func asLongs(_ a: Bytes16) -> Longs { unsafe unsafeBitCast(a, to: Longs.self) }
@inline(__always) func asQuads(_ a: Words) -> UnsignedQuads { unsafe unsafeBitCast(a, to: UnsignedQuads.self) }
@inline(__always) func asQuads(_ a: Longs) -> UnsignedQuads { unsafe unsafeBitCast(a, to: UnsignedQuads.self) }
@inline(__always) func asQuads(_ a: Bytes16) -> UnsignedQuads { unsafe unsafeBitCast(a, to: UnsignedQuads.self) }
@inline(__always) func asBytes(_ a: UnsignedQuads) -> Bytes16 { unsafe unsafeBitCast(a, to: Bytes16.self) }
@inline(__always) func asBytes(_ a: Words) -> Bytes16 { unsafe unsafeBitCast(a, to: Bytes16.self) }
@inline(__always) func asBytes(_ a: UnsignedWords) -> Bytes16 { unsafe unsafeBitCast(a, to: Bytes16.self) }
@inline(__always) func asBytes(_ a: SIMD4<UInt32>) -> Bytes16 { unsafe unsafeBitCast(a, to: Bytes16.self) }
@inline(__always) func asBytes(_ a: Longs) -> Bytes16 { unsafe unsafeBitCast(a, to: Bytes16.self) }

@inline(__always) func asBytes(_ mask: SIMDMask<SIMD16<Int8>>) -> Bytes16 {
    unsafe unsafeBitCast(mask, to: Bytes16.self)
}
@inline(__always) private func asWords(_ mask: SIMDMask<SIMD16<Int16>>) -> SIMD16<Int16> {
    unsafe unsafeBitCast(mask, to: SIMD16<Int16>.self)
}
@inline(__always) private func asUnsigned(_ mask: SIMDMask<SIMD8<Int16>>) -> UnsignedWords {
    unsafe unsafeBitCast(mask, to: UnsignedWords.self)
}

/// a0 b0 a1 b1.
@inline(__always) func interleaveLow(_ a: Longs, _ b: Longs) -> Longs { Longs(a[0], b[0], a[1], b[1]) }

/// a2 b2 a3 b3.
@inline(__always) func interleaveHigh(_ a: Longs, _ b: Longs) -> Longs { Longs(a[2], b[2], a[3], b[3]) }

/// a0 b0.
@inline(__always) func interleaveLow(_ a: UnsignedQuads, _ b: UnsignedQuads) -> UnsignedQuads {
    UnsignedQuads(a[0], b[0])
}

/// a1 b1.
@inline(__always) func interleaveHigh(_ a: UnsignedQuads, _ b: UnsignedQuads) -> UnsignedQuads {
    UnsignedQuads(a[1], b[1])
}

/// Saturating difference of bytes (psubusb).
@inline(__always) func subtractSaturating(_ a: Bytes16, _ b: Bytes16) -> Bytes16 { (a &- b) & asBytes(a .> b) }

/// Saturating sum of bytes (paddusb).
@inline(__always) func addSaturating(_ a: Bytes16, _ b: Bytes16) -> Bytes16 {
    let sum = a &+ b
    return sum | asBytes(sum .< a)
}

/// Saturating difference of words (psubusw).
@inline(__always) func subtractSaturating(_ a: UnsignedWords, _ b: UnsignedWords) -> UnsignedWords {
    (a &- b) & asUnsigned(a .> b)
}

/// The greater of each pair of bytes (pmaxub).
@inline(__always) func greater(_ a: Bytes16, _ b: Bytes16) -> Bytes16 { a &+ ((b &- a) & asBytes(b .> a)) }

/// The smaller of each pair of bytes (pminub).
@inline(__always) func smaller(_ a: Bytes16, _ b: Bytes16) -> Bytes16 { a &- ((a &- b) & asBytes(a .> b)) }

/// Whether all bytes are zero.
@inline(__always) func areZero(_ a: Bytes16) -> Bool {
    let quads = asQuads(a)
    return quads[0] | quads[1] == 0
}

/// Bytes shifted right by three places.
@inline(__always) func shiftRight3(_ a: Bytes16) -> Bytes16 {
    asBytes(asUnsigned(a) &>> UnsignedWords(repeating: 3)) & Bytes16(repeating: 31)
}

/// Bytes shifted right by one place.
@inline(__always) func shiftRight1(_ a: Bytes16) -> Bytes16 {
    asBytes(asUnsigned(a) &>> UnsignedWords(repeating: 1)) & Bytes16(repeating: 127)
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

/// The high halves of the products of unsigned words (pmulhuw).
@inline(__always) func multiplyHigh(_ a: UnsignedWords, _ k: UInt16) -> UnsignedWords {
    var r = UnsignedWords()
    r[0] = UInt16(truncatingIfNeeded: (UInt32(a[0]) &* UInt32(k)) &>> 16)
    r[1] = UInt16(truncatingIfNeeded: (UInt32(a[1]) &* UInt32(k)) &>> 16)
    r[2] = UInt16(truncatingIfNeeded: (UInt32(a[2]) &* UInt32(k)) &>> 16)
    r[3] = UInt16(truncatingIfNeeded: (UInt32(a[3]) &* UInt32(k)) &>> 16)
    r[4] = UInt16(truncatingIfNeeded: (UInt32(a[4]) &* UInt32(k)) &>> 16)
    r[5] = UInt16(truncatingIfNeeded: (UInt32(a[5]) &* UInt32(k)) &>> 16)
    r[6] = UInt16(truncatingIfNeeded: (UInt32(a[6]) &* UInt32(k)) &>> 16)
    r[7] = UInt16(truncatingIfNeeded: (UInt32(a[7]) &* UInt32(k)) &>> 16)
    return r
}

/// Zero extension of the first eight bytes.
@inline(__always) func widenLow(_ a: Bytes16) -> Words {
    asWords(interleaveLowBytes(a, Bytes16(repeating: 0)))
}

/// Zero extension of the last eight bytes.
@inline(__always) func widenHigh(_ a: Bytes16) -> Words {
    asWords(interleaveHighBytes(a, Bytes16(repeating: 0)))
}

/// a0 b0 ... a7 b7.
@inline(__always) func interleaveLowBytes(_ a: Bytes16, _ b: Bytes16) -> Bytes16 {
    var result = Bytes16()
    result.evenHalf = a.lowHalf
    result.oddHalf = b.lowHalf
    return result
}

/// a8 b8 ... a15 b15.
@inline(__always) func interleaveHighBytes(_ a: Bytes16, _ b: Bytes16) -> Bytes16 {
    var result = Bytes16()
    result.evenHalf = a.highHalf
    result.oddHalf = b.highHalf
    return result
}

/// a0 b0 a1 b1 a2 b2 a3 b3.
@inline(__always) func interleaveLowWords(_ a: Words, _ b: Words) -> Words {
    Words(a[0], b[0], a[1], b[1], a[2], b[2], a[3], b[3])
}

/// a4 b4 a5 b5 a6 b6 a7 b7.
@inline(__always) func interleaveHighWords(_ a: Words, _ b: Words) -> Words {
    Words(a[4], b[4], a[5], b[5], a[6], b[6], a[7], b[7])
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

/// Zero in every lane, by a way that the compiler does not see through: adding it between two operations keeps them
/// apart, if bringing them together would cost more than it saves.
///
/// - Parameter width: Pixels of a row in memory, so far below 2^40.
@inline(__always) func opaqueZero(_ width: Int) -> Bytes16 {
    Bytes16(repeating: UInt8(truncatingIfNeeded: width &>> 40))
}
#endif
