// The reduced inverse DCTs: 8x8 coefficients to 4x4, 2x2 or one sample.
//
// In: 64 coefficients and their quantisation steps in natural order. Out: the low-pass picture of the block at a
// half, a quarter or an eighth of its size. The reference twin is `ScaledInverseDCTReference`.

import ImageCodecsCore

/// The mean of the block: an eighth of its DC coefficient.
@inline(__always)
func reconstructSample(_ dc: Int16, _ step: Int16) -> UInt8 {
    // libjpeg keeps ten bits before it clamps.
    let mean = (Int32(dc) &* Int32(step) &+ 4) &>> 3
    return UInt8(clamping: ((mean &<< 22) &>> 22) &+ 128)
}

#if !ReferenceKernels
/// Dequantises and transforms one block to `size` x `size` samples.
///
/// - Parameters:
///   - coefficients: 64 values in natural order.
///   - lastIndex: Zig-zag index of the last coefficient that may differ from zero, 0...63.
///   - steps: The values of a `DequantizationTable`.
///   - size: 8, 4, 2 or 1.
///   - destination: Top left sample; `size` bytes are written at it and at `size - 1` multiples of `stride` from it.
@inline(__always)
func reconstructBlock(
    _ coefficients: UnsafePointer<Int16>, lastIndex: Int, steps: UnsafePointer<Int16>, size: Int,
    to destination: UnsafeMutablePointer<UInt8>, stride: Int
) {
    switch size {
    case 8:
        // SAFETY: forwarded under the caller's promise for size x size samples; both tables have 64 values.
        unsafe reconstructBlock(coefficients, lastIndex: lastIndex, steps: steps, to: destination, stride: stride)
    case 4:
        // SAFETY: as above.
        unsafe reconstructBlock4x4(coefficients, steps, destination, stride)
    case 2:
        // SAFETY: as above.
        unsafe reconstructBlock2x2(coefficients, steps, destination, stride)
    default:
        // SAFETY: one sample.
        unsafe destination.pointee = reconstructSample(coefficients[0], steps[0])
    }
}

private typealias FourLongs = (Longs, Longs, Longs, Longs)

/// 4x4 samples from all coefficients but those of row and column 4, which do not contribute.
@inline(never)
private func reconstructBlock4x4(
    _ coefficients: UnsafePointer<Int16>, _ steps: UnsafePointer<Int16>,
    _ destination: UnsafeMutablePointer<UInt8>, _ stride: Int
) {
    // SAFETY: rows 0...7 of eight words lie within the 64 values of both tables.
    let row0 = unsafe dequantized(coefficients, steps, 0)
    let row1 = unsafe dequantized(coefficients, steps, 1)
    let row2 = unsafe dequantized(coefficients, steps, 2)
    let row3 = unsafe dequantized(coefficients, steps, 3)
    let row5 = unsafe dequantized(coefficients, steps, 5)
    let row6 = unsafe dequantized(coefficients, steps, 6)
    let row7 = unsafe dequantized(coefficients, steps, 7)
    // Rounding of the first pass: 1 << 11.
    let one = Words(repeating: 1)
    let low = transform4(
        interleaveLow(row0, one), interleaveLow(row2, row6), interleaveLow(row7, row5), interleaveLow(row3, row1),
        rounding: 1 << 11, shift: 12)
    let high = transform4(
        interleaveHigh(row0, one), interleaveHigh(row2, row6), interleaveHigh(row7, row5), interleaveHigh(row3, row1),
        rounding: 1 << 11, shift: 12)
    var r0 = packSaturating(low.0, high.0)
    var r1 = packSaturating(low.1, high.1)
    var r2 = packSaturating(low.2, high.2)
    var r3 = packSaturating(low.3, high.3)
    // SAFETY: forwarded. As in blocks of full size; row 4 is not looked at.
    if row0 ^ ((row0 &<< 2) &>> 2) != Words(repeating: 0), unsafe isTopRowAlone(coefficients, unused: 4) {
        r0 = row0 &<< 2
        (r1, r2, r3) = (r0, r0, r0)
    }
    // Columns of four rows, two to a vector.
    let a0 = asLongs(interleaveLow(r0, r1))
    let a1 = asLongs(interleaveHigh(r0, r1))
    let a2 = asLongs(interleaveLow(r2, r3))
    let a3 = asLongs(interleaveHigh(r2, r3))
    let columns01 = asWords(interleaveLow(a0, a2))
    let columns23 = asWords(interleaveHigh(a0, a2))
    let columns45 = asWords(interleaveLow(a1, a3))
    let columns67 = asWords(interleaveHigh(a1, a3))
    // Rounding of the second pass: 16 * 16384 == 1 << 18.
    let output = transform4(
        interleaveLow(columns01, Words(repeating: 16)), interleaveLow(columns23, columns67),
        interleaveHigh(columns67, columns45), interleaveHigh(columns23, columns01),
        rounding: 16384, shift: 19)
    let output01 = packFitting(output.0, output.1)
    let output23 = packFitting(output.2, output.3)
    let even = interleaveLow(output01, output23)
    let odd = interleaveHigh(output01, output23)
    let samples = packUnsigned(
        interleaveLow(even, odd) &+ Words(repeating: 128), interleaveHigh(even, odd) &+ Words(repeating: 128))
    let rows = unsafe unsafeBitCast(samples, to: SIMD4<UInt32>.self)
    for row in 0..<4 {
        // SAFETY: four rows of four bytes, the caller's promise.
        unsafe UnsafeMutableRawPointer(destination + row &* stride).storeBytes(of: rows[row], as: UInt32.self)
    }
}

/// One pass of the 4-point transform over four lanes; `pair0` holds coefficient 0 and the factor of `rounding`.
@inline(__always)
private func transform4(
    _ pair0: Words, _ pair26: Words, _ pair75: Words, _ pair31: Words, rounding: Int16, shift: Int32
) -> FourLongs {
    let even0 = multiplyAdd(pair0, pairs(16384, rounding))
    let even2 = multiplyAdd(pair26, pairs(15137, -6270))
    let odd0 = multiplyAdd(pair75, pairs(-1730, 11893)) &+ multiplyAdd(pair31, pairs(-17799, 8697))
    let odd2 = multiplyAdd(pair75, pairs(-4176, -4926)) &+ multiplyAdd(pair31, pairs(7373, 20995))
    let s = Longs(repeating: shift)
    let outer = even0 &+ even2
    let inner = even0 &- even2
    return ((outer &+ odd2) &>> s, (inner &+ odd0) &>> s, (inner &- odd0) &>> s, (outer &- odd2) &>> s)
}

/// 2x2 samples from the coefficients of rows and columns 0, 1, 3, 5 and 7.
@inline(never)
private func reconstructBlock2x2(
    _ coefficients: UnsafePointer<Int16>, _ steps: UnsafePointer<Int16>,
    _ destination: UnsafeMutablePointer<UInt8>, _ stride: Int
) {
    // SAFETY: rows 0...7 of eight words lie within the 64 values of both tables.
    let row0 = unsafe dequantized(coefficients, steps, 0)
    let row1 = unsafe dequantized(coefficients, steps, 1)
    let row3 = unsafe dequantized(coefficients, steps, 3)
    let row5 = unsafe dequantized(coefficients, steps, 5)
    let row7 = unsafe dequantized(coefficients, steps, 7)
    let low = transform2(interleaveLow(row0, row0), interleaveLow(row7, row5), interleaveLow(row3, row1))
    let high = transform2(interleaveHigh(row0, row0), interleaveHigh(row7, row5), interleaveHigh(row3, row1))
    let top = finish2(low.0, high.0)
    let bottom = finish2(low.1, high.1)
    // SAFETY: two rows of two bytes, the caller's promise.
    unsafe destination[0] = top.0
    unsafe destination[1] = top.1
    unsafe destination[stride] = bottom.0
    unsafe destination[stride &+ 1] = bottom.1
}

/// First pass of the 2-point transform over four columns.
@inline(__always)
private func transform2(_ pair00: Words, _ pair75: Words, _ pair31: Words) -> (Longs, Longs) {
    let even = multiplyAdd(pair00, pairs(16384, 16384)) &+ Longs(repeating: 1 << 12)
    let odd = multiplyAdd(pair75, pairs(-5906, 6967)) &+ multiplyAdd(pair31, pairs(-10426, 29692))
    let s = Longs(repeating: 13)
    return ((even &+ odd) &>> s, (even &- odd) &>> s)
}

/// Second pass of the 2-point transform over one row of eight columns.
@inline(__always)
private func finish2(_ columns0to3: Longs, _ columns4to7: Longs) -> (UInt8, UInt8) {
    let even = (columns0to3[0] &<< 15) &+ (1 &<< 19)
    let products = multiplyAdd(
        packSaturating(columns0to3, columns4to7), Words(0, 29692, 0, -10426, 0, 6967, 0, -5906))
    let odd = products[0] &+ products[1] &+ products[2] &+ products[3]
    return (UInt8(clamping: ((even &+ odd) &>> 20) &+ 128), UInt8(clamping: ((even &- odd) &>> 20) &+ 128))
}

/// Row `row` of the coefficients times its quantisation steps, wrapping to 16 bits.
@inline(__always)
private func dequantized(_ coefficients: UnsafePointer<Int16>, _ steps: UnsafePointer<Int16>, _ row: Int) -> Words {
    // SAFETY: row is 0...7 at every call, and both tables have 64 values.
    unsafe UnsafeRawPointer(coefficients + 8 &* row).loadUnaligned(as: Words.self)
        &* UnsafeRawPointer(steps + 8 &* row).loadUnaligned(as: Words.self)
}

/// Transforms of all sizes.
enum InverseDCTKernels {
    /// Reconstructs blocks that lie side by side: block i goes to `origin + i * size`.
    ///
    /// - Precondition: `steps` is all of a `DequantizationTable`, there are 64 coefficients per last index, and the last row of the last block
    ///   ends within `samples`.
    @inline(never)
    static func reconstruct(
        _ coefficients: Span<Int16>, lastIndices: Span<UInt8>, steps: Span<Int16>, size: Int,
        into samples: inout MutableRawSpan, at origin: Int, stride: Int
    ) {
        let count = lastIndices.count
        precondition(steps.count == DequantizationTable.count && coefficients.count >= 64 * count)
        precondition(origin >= 0 && stride >= 0 && origin + (size - 1) * stride + count * size <= samples.byteCount)
        // SAFETY: block i reads 64 coefficients at 64 * i and writes rows of `size` bytes that end at or before
        // origin + (size - 1) * stride + count * size; the preconditions bound both.
        unsafe coefficients.withUnsafeBufferPointer { coefficients in
            unsafe steps.withUnsafeBufferPointer { steps in
                unsafe samples.withUnsafeMutableBytes { samples in
                    guard count > 0, let source = coefficients.baseAddress, let steps = steps.baseAddress,
                        let target = samples.baseAddress
                    else { return }
                    let first = unsafe target.assumingMemoryBound(to: UInt8.self) + origin
                    for i in 0..<count {
                        unsafe reconstructBlock(
                            source + 64 &* i, lastIndex: Int(lastIndices[i]), steps: steps, size: size,
                            to: first + i &* size, stride: stride)
                    }
                }
            }
        }
    }
}
#endif
