// The 8x8 inverse DCT in vectors: eight columns at a time, a transpose, eight rows at a time.
//
// In: 64 coefficients and their quantisation steps in natural order. Out: 8x8 samples. The algorithm is the one of
// `InverseDCTReference`; products and sums that share an operand are merged so that each line of its rotations
// is one multiply-add of two 16-bit inputs. Blocks with few coefficients take shorter ways to the same result.

import ImageCodecsCore

#if !ReferenceKernels
typealias EightWords = (Words, Words, Words, Words, Words, Words, Words, Words)
typealias EightLongs = (Longs, Longs, Longs, Longs, Longs, Longs, Longs, Longs)

/// Dequantises and transforms one block to 8x8 samples.
///
/// - Parameters:
///   - coefficients: 64 values in natural order.
///   - lastIndex: Zig-zag index of the last coefficient that may differ from zero, 0...63.
///   - steps: The values of a `DequantizationTable`.
///   - destination: Top left sample; eight bytes are written at it and at seven multiples of `stride` from it.
@inline(__always)
func reconstructBlock(
    _ coefficients: UnsafePointer<Int16>, lastIndex: Int, steps: UnsafePointer<Int16>,
    to destination: UnsafeMutablePointer<UInt8>, stride: Int
) {
    if lastIndex == 0 {
        // SAFETY: forwarded under the caller's promise for 8x8 samples; both tables have 64 values.
        unsafe fillBlock(coefficients[0] &* steps[0], destination, stride)
    } else if lastIndex <= 9 {  // zig-zag positions 0...9 lie in the top left 4x4 coefficients
        // SAFETY: as above.
        if unsafe wrapsInFirstPass(coefficients, steps) {
            unsafe reconstructExtremeBlock(coefficients, steps, destination, stride)
        } else {
            unsafe reconstructCornerBlock(coefficients, steps, destination, stride)
        }
    } else if unsafe wrapsInFirstPass(coefficients, steps) || wrapsInFirstPass(coefficients + 4, steps + 4) {
        // SAFETY: as above. The last index does not tell of row 0 alone: runs of zeros may stand after it.
        unsafe reconstructExtremeBlock(coefficients, steps, destination, stride)
    } else {
        // SAFETY: as above.
        unsafe reconstructFullBlock(coefficients, steps, destination, stride)
    }
}

/// Whether four times one of four dequantised coefficients leaves 16 bits, which happens in damaged files only. Asked
/// outside of the kernels, so that they stay without calls.
@inline(__always)
private func wrapsInFirstPass(_ coefficients: UnsafePointer<Int16>, _ steps: UnsafePointer<Int16>) -> Bool {
    // SAFETY: the caller's tables have four values from there on, and every bit pattern is a number.
    let four = unsafe unsafeBitCast(
        UnsafeRawPointer(coefficients).loadUnaligned(as: SIMD4<Int16>.self)
            &* UnsafeRawPointer(steps).loadUnaligned(as: SIMD4<Int16>.self), to: UInt64.self)
    // It fits if the three top bits of each value are equal.
    return (four ^ (four &<< 1)) & 0xC000_C000_C000_C000 != 0
}

/// A block that may consist of row 0 alone with values whose first pass leaves 16 bits. libjpeg-turbo's vector code
/// only shifts such a row; the shift wraps where its full first pass saturates.
@inline(never)
private func reconstructExtremeBlock(
    _ coefficients: UnsafePointer<Int16>, _ steps: UnsafePointer<Int16>,
    _ destination: UnsafeMutablePointer<UInt8>, _ stride: Int
) {
    // SAFETY: rows of eight words lie within the 64 coefficients and steps.
    let row = unsafe dequantized(coefficients, steps, 0)
    let scaled = row &<< 2
    // SAFETY: forwarded.
    guard row != scaled &>> 2, unsafe isTopRowAlone(coefficients) else {
        return unsafe reconstructFullBlock(coefficients, steps, destination, stride)
    }
    let columns = (
        Words(repeating: scaled[0]), Words(repeating: scaled[1]), Words(repeating: scaled[2]),
        Words(repeating: scaled[3]), Words(repeating: scaled[4]), Words(repeating: scaled[5]),
        Words(repeating: scaled[6]), Words(repeating: scaled[7])
    )
    let rows = transform(columns, SecondPass.rounding, SecondPass.shift)
    // SAFETY: eight rows of eight bytes, as the caller vouches; the zeros lie after the steps.
    unsafe store(fitting(rows.low, rows.high), zeros(steps), destination, stride)
}

/// Writes the block of a lone dequantised DC coefficient: 64 equal samples.
@inline(__always)
private func fillBlock(_ dc: Int16, _ destination: UnsafeMutablePointer<UInt8>, _ stride: Int) {
    // The first pass scales by 4 (libjpeg-turbo's vector code wraps to 16 bits here), the second by (x + 16) / 32.
    let scaled = Int32(dc &<< 2)
    let value = Bytes8(repeating: UInt8(clamping: ((scaled &+ 16) &>> 5) &+ 128))
    for row in 0..<8 {
        // SAFETY: eight rows of eight bytes, the caller's promise.
        unsafe UnsafeMutableRawPointer(destination + row &* stride).storeBytes(of: value, as: Bytes8.self)
    }
}

/// All 64 coefficients.
@inline(never)
private func reconstructFullBlock(
    _ coefficients: UnsafePointer<Int16>, _ steps: UnsafePointer<Int16>,
    _ destination: UnsafeMutablePointer<UInt8>, _ stride: Int
) {
    // SAFETY: rows 0...7 of eight words lie within the 64 coefficients and steps.
    let input = unsafe (
        dequantized(coefficients, steps, 0), dequantized(coefficients, steps, 1),
        dequantized(coefficients, steps, 2), dequantized(coefficients, steps, 3),
        dequantized(coefficients, steps, 4), dequantized(coefficients, steps, 5),
        dequantized(coefficients, steps, 6), dequantized(coefficients, steps, 7)
    )
    let columns = transform(input, FirstPass.rounding, FirstPass.shift)
    let rows = transform(transpose(saturated(columns.low, columns.high)), SecondPass.rounding, SecondPass.shift)
    // SAFETY: eight rows of eight bytes, as the caller vouches; the zeros lie after the steps.
    unsafe store(fitting(rows.low, rows.high), zeros(steps), destination, stride)
}

/// Only the top left 4x4 coefficients: the first pass has four columns and half the multiplications.
@inline(never)
private func reconstructCornerBlock(
    _ coefficients: UnsafePointer<Int16>, _ steps: UnsafePointer<Int16>,
    _ destination: UnsafeMutablePointer<UInt8>, _ stride: Int
) {
    // SAFETY: rows 0...3 of eight words lie within the 64 coefficients and steps.
    let row0 = unsafe dequantized(coefficients, steps, 0)
    let row1 = unsafe dequantized(coefficients, steps, 1)
    let row2 = unsafe dequantized(coefficients, steps, 2)
    let row3 = unsafe dequantized(coefficients, steps, 3)
    let a = cornerTransform(interleaveLow(row0, row2), interleaveLow(row3, row1), FirstPass.rounding, FirstPass.shift)
    // Two rows of four columns in each vector; transposing gives columns 0...3 as vectors of eight rows.
    let rows04 = packSaturating(a.0, a.4)
    let rows15 = packSaturating(a.1, a.5)
    let rows26 = packSaturating(a.2, a.6)
    let rows37 = packSaturating(a.3, a.7)
    let low01 = asLongs(interleaveLow(rows04, rows15))
    let low23 = asLongs(interleaveLow(rows26, rows37))
    let high01 = asLongs(interleaveHigh(rows04, rows15))
    let high23 = asLongs(interleaveHigh(rows26, rows37))
    let top01 = asQuads(interleaveLow(low01, low23))
    let top23 = asQuads(interleaveHigh(low01, low23))
    let bottom01 = asQuads(interleaveLow(high01, high23))
    let bottom23 = asQuads(interleaveHigh(high01, high23))
    let column0 = asWords(interleaveLow(top01, bottom01))
    let column1 = asWords(interleaveHigh(top01, bottom01))
    let column2 = asWords(interleaveLow(top23, bottom23))
    let column3 = asWords(interleaveHigh(top23, bottom23))
    let low = cornerTransform(
        interleaveLow(column0, column2), interleaveLow(column3, column1), SecondPass.rounding, SecondPass.shift)
    let high = cornerTransform(
        interleaveHigh(column0, column2), interleaveHigh(column3, column1), SecondPass.rounding, SecondPass.shift)
    // SAFETY: eight rows of eight bytes, as the caller vouches; the zeros lie after the steps.
    unsafe store(fitting(low, high), zeros(steps), destination, stride)
}

/// Whether the coefficients below row 0 are zero; those of row `unused` do not count.
@inline(never)
func isTopRowAlone(_ coefficients: UnsafePointer<Int16>, unused: Int = 0) -> Bool {
    for row in 1..<8 where row != unused {
        for column in 0..<8 {
            // SAFETY: one of 64 coefficients.
            if unsafe coefficients[8 &* row &+ column] != 0 { return false }
        }
    }
    return true
}

/// The first pass keeps 2 of 13 fractional bits; to round, it adds half of the last bit dropped.
private enum FirstPass {
    static let shift: Int32 = 11
    static let rounding: Int32 = 1 << 10
}

/// The second pass drops the other 15 fractional bits, and 3 more for the scale of the transform. It also shifts the
/// level by 128 (T.81 §A.3.1 "Level shift"): no sum of 16-bit inputs comes near enough to 1 << 31 for that to matter.
private enum SecondPass {
    static let shift: Int32 = 18
    static let rounding: Int32 = 1 << 17 + 128 << 18
}

/// One pass over eight lanes: `input.k` holds coefficient k of each of them.
@inline(__always)
func transform(_ input: EightWords, _ half: Int32, _ shift: Int32) -> (low: EightLongs, high: EightLongs) {
    let zero = Words(repeating: 0)
    let sum = input.0 &+ input.4
    let difference = input.0 &- input.4
    let z3 = input.7 &+ input.3
    let z4 = input.5 &+ input.1
    let low = halfTransform(
        interleaveLow(input.2, input.6), interleaveLow(zero, sum), interleaveLow(zero, difference),
        interleaveLow(z3, z4), interleaveLow(input.7, input.1), interleaveLow(input.5, input.3), half, shift)
    let high = halfTransform(
        interleaveHigh(input.2, input.6), interleaveHigh(zero, sum), interleaveHigh(zero, difference),
        interleaveHigh(z3, z4), interleaveHigh(input.7, input.1), interleaveHigh(input.5, input.3), half, shift)
    return (low, high)
}

/// One pass over four lanes, inputs paired as the rotations want them; the sum and the difference of coefficients
/// 0 and 4 come as the high halves of 32-bit lanes.
@inline(__always)
private func halfTransform(
    _ pair26: Words, _ highSum: Words, _ highDifference: Words, _ pairZ34: Words, _ pair71: Words, _ pair53: Words,
    _ half: Int32, _ shift: Int32
) -> EightLongs {
    let rounding = Longs(repeating: half)
    let three = Longs(repeating: 3)
    let even3 = multiplyAdd(pair26, pairs(10703, 4433))
    let even2 = multiplyAdd(pair26, pairs(4433, -10704))
    let even0 = (asLongs(highSum) &>> three) &+ rounding
    let even1 = (asLongs(highDifference) &>> three) &+ rounding
    let z3 = multiplyAdd(pairZ34, pairs(-6436, 9633))
    let z4 = multiplyAdd(pairZ34, pairs(9633, 6437))
    let odd0 = multiplyAdd(pair71, pairs(-4927, -7373)) &+ z3
    let odd3 = multiplyAdd(pair71, pairs(-7373, 4926)) &+ z4
    let odd1 = multiplyAdd(pair53, pairs(-4176, -20995)) &+ z4
    let odd2 = multiplyAdd(pair53, pairs(-20995, 4177)) &+ z3
    return butterflies(
        (even0 &+ even3, even1 &+ even2, even1 &- even2, even0 &- even3), (odd3, odd2, odd1, odd0), shift)
}

/// ``halfTransform`` when coefficients 4...7 are zero.
@inline(__always)
private func cornerTransform(_ pair02: Words, _ pair31: Words, _ half: Int32, _ shift: Int32) -> EightLongs {
    let rounding = Longs(repeating: half)
    let even = (
        multiplyAdd(pair02, pairs(8192, 10703)) &+ rounding, multiplyAdd(pair02, pairs(8192, 4433)) &+ rounding,
        multiplyAdd(pair02, pairs(8192, -4433)) &+ rounding, multiplyAdd(pair02, pairs(8192, -10703)) &+ rounding
    )
    let odd = (
        multiplyAdd(pair31, pairs(9633, 11363)), multiplyAdd(pair31, pairs(-2259, 9633)),
        multiplyAdd(pair31, pairs(-11362, 6437)), multiplyAdd(pair31, pairs(-6436, 2260))
    )
    return butterflies(even, odd, shift)
}

/// Sums of even and odd parts are outputs 0...3, differences outputs 7...4.
@inline(__always)
private func butterflies(
    _ even: (Longs, Longs, Longs, Longs), _ odd: (Longs, Longs, Longs, Longs), _ shift: Int32
) -> EightLongs {
    let s = Longs(repeating: shift)
    return (
        (even.0 &+ odd.0) &>> s, (even.1 &+ odd.1) &>> s, (even.2 &+ odd.2) &>> s, (even.3 &+ odd.3) &>> s,
        (even.3 &- odd.3) &>> s, (even.2 &- odd.2) &>> s, (even.1 &- odd.1) &>> s, (even.0 &- odd.0) &>> s
    )
}

/// What the first pass may exceed in damaged files saturates.
@inline(__always)
func saturated(_ a: EightLongs, _ b: EightLongs) -> EightWords {
    (
        packSaturating(a.0, b.0), packSaturating(a.1, b.1), packSaturating(a.2, b.2), packSaturating(a.3, b.3),
        packSaturating(a.4, b.4), packSaturating(a.5, b.5), packSaturating(a.6, b.6), packSaturating(a.7, b.7)
    )
}

/// The second pass leaves 14 bits.
@inline(__always)
func fitting(_ a: EightLongs, _ b: EightLongs) -> EightWords {
    (
        packFitting(a.0, b.0), packFitting(a.1, b.1), packFitting(a.2, b.2), packFitting(a.3, b.3),
        packFitting(a.4, b.4), packFitting(a.5, b.5), packFitting(a.6, b.6), packFitting(a.7, b.7)
    )
}

/// Rows become columns.
@inline(__always)
func transpose(_ r: EightWords) -> EightWords {
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

/// Row `row` of the coefficients times its quantisation steps, wrapping to 16 bits.
@inline(__always)
private func dequantized(_ coefficients: UnsafePointer<Int16>, _ steps: UnsafePointer<Int16>, _ row: Int) -> Words {
    // SAFETY: row is 0...7 at every call, and both tables have 64 values.
    unsafe UnsafeRawPointer(coefficients + 8 &* row).loadUnaligned(as: Words.self)
        &* UnsafeRawPointer(steps + 8 &* row).loadUnaligned(as: Words.self)
}

/// The zeros after the steps of a table: loaded, so that the compiler does not know them.
@inline(__always)
private func zeros(_ steps: UnsafePointer<Int16>) -> Bytes16 {
    // SAFETY: a table has 8 words from there on.
    unsafe UnsafeRawPointer(steps + DequantizationTable.zeros).loadUnaligned(as: Bytes16.self)
}

/// Clamps columns to bytes, transposes them and writes eight rows.
@inline(__always)
private func store(
    _ columns: EightWords, _ zeros: Bytes16, _ destination: UnsafeMutablePointer<UInt8>, _ stride: Int
) {
    // Zeros keep the packs and the interleaving apart: see `opaqueZero`.
    let columns04 = packUnsigned(columns.0, columns.4) &+ zeros
    let columns15 = packUnsigned(columns.1, columns.5) &- zeros
    let columns26 = packUnsigned(columns.2, columns.6) &+ zeros
    let columns37 = packUnsigned(columns.3, columns.7) &- zeros
    let columns01 = asWords(interleaveLow(columns04, columns15))
    let columns45 = asWords(interleaveHigh(columns04, columns15))
    let columns23 = asWords(interleaveLow(columns26, columns37))
    let columns67 = asWords(interleaveHigh(columns26, columns37))
    let upper0123 = asLongs(interleaveLow(columns01, columns23))
    let lower0123 = asLongs(interleaveHigh(columns01, columns23))
    let upper4567 = asLongs(interleaveLow(columns45, columns67))
    let lower4567 = asLongs(interleaveHigh(columns45, columns67))
    // SAFETY: eight rows of eight bytes, the promise of the caller of `reconstructBlock`.
    unsafe storeRows(interleaveLow(upper0123, upper4567), destination, stride)
    unsafe storeRows(interleaveHigh(upper0123, upper4567), destination + 2 &* stride, stride)
    unsafe storeRows(interleaveLow(lower0123, lower4567), destination + 4 &* stride, stride)
    unsafe storeRows(interleaveHigh(lower0123, lower4567), destination + 6 &* stride, stride)
}

/// Two rows of eight bytes.
@inline(__always)
private func storeRows(_ rows: Longs, _ destination: UnsafeMutablePointer<UInt8>, _ stride: Int) {
    let halves = unsafe unsafeBitCast(rows, to: SIMD2<Double>.self)
    // SAFETY: eight bytes in each of two rows, as `store` says.
    unsafe UnsafeMutableRawPointer(destination).storeBytes(of: halves[0], as: Double.self)
    unsafe UnsafeMutableRawPointer(destination + stride).storeBytes(of: halves[1], as: Double.self)
}
#endif
