// The 8x8 forward DCT and quantisation in vectors: a transpose, eight rows at a time, a transpose, eight columns at a
// time, then two multiplications for each division.
//
// In: samples of one component, 0...255. Out: quantised coefficients in natural order and a mask of those that are not
// zero. The algorithm is the one of `ForwardDCTReference`; products and sums that share an operand are merged so that
// each line of its rotations is one multiply-add of two 16-bit inputs.

import ImageCodecsCore

#if !ReferenceKernels
/// Blocks of samples to quantised coefficients.
package enum ForwardDCTKernels {
    /// Transforms and quantises blocks that lie side by side in a plane.
    ///
    /// - Parameters:
    ///   - samples: The plane; the first block's top left sample is at `origin`.
    ///   - stride: Bytes from a sample to the one below it.
    ///   - count: Blocks.
    ///   - quantizer: Of the component.
    ///   - slots: Where the blocks go: 64 numbers of `coefficients` and one of `masks` for each slot.
    ///   - coefficients: 64 per slot, in natural order.
    ///   - masks: One per slot; bit k says that the coefficient in zig-zag position k differs from zero.
    /// - Precondition: Eight rows of `8 * count` samples lie in `samples`, all slots in the two results.
    package static func transform(
        _ samples: RawSpan, at origin: Int, stride: Int, count: Int, quantizer: ForwardQuantizer, slots: BlockSlots,
        coefficients: inout MutableSpan<Int16>, masks: inout MutableSpan<UInt64>
    ) {
        guard count > 0 else { return }
        precondition(origin >= 0 && stride >= 0 && origin + 7 * stride + 8 * count <= samples.byteCount)
        precondition(quantizer.values.count == ForwardQuantizer.count && ZigZagMasks.columns.count == 8 * 256)
        precondition(slots.first >= 0 && slots.groupSize > 0 && slots.step >= slots.groupSize)
        precondition(slots.slot(count - 1) < masks.count && masks.count * 64 <= coefficients.count)
        unsafe withAlignedCopy(of: quantizer.values) { divisors in
            unsafe samples.withUnsafeBytes { samples in
                unsafe ZigZagMasks.columns.withUnsafeBufferPointer { order in
                    unsafe coefficients.withUnsafeMutableBufferPointer { coefficients in
                        unsafe masks.withUnsafeMutableBufferPointer { masks in
                            guard let samples = samples.baseAddress, let order = order.baseAddress,
                                let coefficients = coefficients.baseAddress
                            else { return }
                            var slot = slots.first
                            var place = 0
                            for index in 0..<count {
                                // SAFETY: samples, slots and tables were checked above.
                                unsafe masks[slot] = transformBlock(
                                    samples + origin + 8 &* index, stride, divisors, order, coefficients + 64 &* slot)
                                slot &+= 1
                                place &+= 1
                                if place == slots.groupSize {
                                    place = 0
                                    slot &+= slots.step &- slots.groupSize
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Calls `body` with the numbers of a quantizer at a multiple of 16 bytes, from where vectors are operands without a load
/// of their own.
///
/// - Precondition: There are `ForwardQuantizer.count`.
@inline(__always)
private func withAlignedCopy(of numbers: ContiguousArray<UInt16>, _ body: (UnsafeRawPointer) -> Void) {
    unsafe withUnsafeTemporaryAllocation(byteCount: 2 * ForwardQuantizer.count, alignment: 16) { copy in
        guard let target = copy.baseAddress else { return }
        unsafe numbers.withUnsafeBytes { source in
            guard let source = source.baseAddress else { return }
            // SAFETY: both have as many bytes.
            unsafe target.copyMemory(from: source, byteCount: 2 * ForwardQuantizer.count)
        }
        unsafe body(UnsafeRawPointer(target))
    }
}

// SAFETY: for the functions below, `transform` has checked eight rows of eight samples, the tables of a quantizer and
// of `ZigZagMasks`, the former at a multiple of 16 bytes, and room for 64 coefficients.

/// One block; its mask.
@inline(never)
private func transformBlock(
    _ samples: UnsafeRawPointer, _ stride: Int, _ divisors: UnsafeRawPointer, _ order: UnsafePointer<UInt64>,
    _ coefficients: UnsafeMutablePointer<Int16>
) -> UInt64 {
    let rows = unsafe rowPass(loadColumns(samples, stride), divisors)
    let c = columnPass(transpose(rows))
    var found = Words(repeating: 0)
    unsafe store(c.0, 0, divisors, coefficients, &found)
    unsafe store(c.1, 1, divisors, coefficients, &found)
    unsafe store(c.2, 2, divisors, coefficients, &found)
    unsafe store(c.3, 3, divisors, coefficients, &found)
    unsafe store(c.4, 4, divisors, coefficients, &found)
    unsafe store(c.5, 5, divisors, coefficients, &found)
    unsafe store(c.6, 6, divisors, coefficients, &found)
    unsafe store(c.7, 7, divisors, coefficients, &found)
    return unsafe zigZagMask(found, order)
}

/// Columns 0...7 of a block of samples.
@inline(__always)
private func loadColumns(_ samples: UnsafeRawPointer, _ stride: Int) -> EightRows {
    @inline(__always) func row(_ y: Int) -> Words {
        let half = unsafe SIMD2<UInt64>((samples + y &* stride).loadUnaligned(as: UInt64.self), 0)
        return unsafe asWords(interleaveLow(unsafeBitCast(half, to: Bytes16.self), Bytes16(repeating: 0)))
    }
    return transpose((row(0), row(1), row(2), row(3), row(4), row(5), row(6), row(7)))
}

/// The first pass keeps 2 of 13 fractional bits. Samples come without the level shift of 128, which only the sum of
/// all eight feels: it is 4096 too large.
///
/// Rotations drop 11 bits; with their inputs scaled by 2^5 that is the low half of a 32-bit lane. Differences of samples
/// and sums of two of them have 10 bits and a sign, so they stay within 16.
@inline(__always)
private func rowPass(_ x: EightRows, _ divisors: UnsafeRawPointer) -> EightRows {
    // Loaded, so that the compiler does not know them: it would narrow and shift after the transpose, lane by lane.
    let level = unsafe divisors.load(fromByteOffset: 2 &* ForwardQuantizer.level, as: Words.self)
    let zero = unsafe divisors.load(fromByteOffset: 2 &* ForwardQuantizer.zeros, as: Words.self)
    let (outer, inner, r) = halves(x)
    let five = Words(repeating: 5)
    let two = Words(repeating: 2)
    let rotated = rotate(
        Rotations(
            e2: r.e2 &<< five, e3: r.e3 &<< five, d0: r.d0 &<< five, d1: r.d1 &<< five, d2: r.d2 &<< five,
            d3: r.d3 &<< five, z3: r.z3 &<< five, z4: r.z4 &<< five))
    return (
        ((outer &+ inner) &<< two) &- level, rotated.1 &+ zero, rotated.2 &+ zero, rotated.3 &+ zero,
        ((outer &- inner) &<< two) &+ zero, rotated.5 &+ zero, rotated.6 &+ zero, rotated.7 &+ zero
    )
}

/// The second pass drops the other 15 fractional bits; the scale of eight stays.
///
/// Numbers of the first pass are -4096...4080, so sums and differences of four of them still fit when they are
/// doubled: then the low half of a lane is dropped.
@inline(__always)
private func columnPass(_ x: EightRows) -> EightRows {
    let (outer, inner, r) = halves(x)
    let two = Words(repeating: 2)
    let rotated = rotate(
        Rotations(
            e2: r.e2 &+ r.e2, e3: r.e3 &+ r.e3, d0: r.d0 &+ r.d0, d1: r.d1 &+ r.d1, d2: r.d2 &+ r.d2,
            d3: r.d3 &+ r.d3, z3: r.z3 &+ r.z3, z4: r.z4 &+ r.z4))
    return (
        (outer &+ inner &+ two) &>> two, rotated.1, rotated.2, rotated.3, (outer &- inner &+ two) &>> two, rotated.5,
        rotated.6, rotated.7
    )
}

/// Inputs of the rotations: differences of opposite inputs and their sums, and differences of opposite sums.
private struct Rotations {
    var e2: Words
    var e3: Words
    var d0: Words
    var d1: Words
    var d2: Words
    var d3: Words
    var z3: Words
    var z4: Words
}

/// The two sums that outputs 0 and 4 are made of, and what the others are made of.
@inline(__always)
private func halves(_ x: EightRows) -> (outer: Words, inner: Words, rotations: Rotations) {
    let s0 = x.0 &+ x.7
    let s1 = x.1 &+ x.6
    let s2 = x.2 &+ x.5
    let s3 = x.3 &+ x.4
    let d0 = x.0 &- x.7
    let d1 = x.1 &- x.6
    let d2 = x.2 &- x.5
    let d3 = x.3 &- x.4
    return (
        s0 &+ s3, s1 &+ s2,
        Rotations(e2: s1 &- s2, e3: s0 &- s3, d0: d0, d1: d1, d2: d2, d3: d3, z3: d3 &+ d1, z4: d2 &+ d0)
    )
}

/// Outputs 1, 2, 3, 5, 6 and 7: rotations without their low 16 bits, rounded.
@inline(__always)
private func rotate(_ r: Rotations) -> EightRows {
    let low = oddHalf(interleaveLow(r.z3, r.z4), interleaveLow(r.d3, r.d0), interleaveLow(r.d2, r.d1))
    let high = oddHalf(interleaveHigh(r.z3, r.z4), interleaveHigh(r.d3, r.d0), interleaveHigh(r.d2, r.d1))
    let evenLow = interleaveLow(r.e3, r.e2)
    let evenHigh = interleaveHigh(r.e3, r.e2)
    let zero = Words(repeating: 0)
    return (
        zero, packFitting(low.0, high.0), evenPart(evenLow, evenHigh, pairs(10703, 4433)), packFitting(low.1, high.1),
        zero, packFitting(low.2, high.2), evenPart(evenLow, evenHigh, pairs(4433, -10704)),
        packFitting(low.3, high.3)
    )
}

/// Output 2 or 6 of eight lanes.
@inline(__always)
private func evenPart(_ low: Words, _ high: Words, _ factors: Words) -> Words {
    let half = Longs(repeating: 1 << 15)
    let sixteen = Longs(repeating: 16)
    return packFitting(
        (multiplyAdd(low, factors) &+ half) &>> sixteen, (multiplyAdd(high, factors) &+ half) &>> sixteen)
}

/// Outputs 1, 3, 5 and 7 of four lanes.
@inline(__always)
private func oddHalf(_ pairZ34: Words, _ pair30: Words, _ pair21: Words) -> (Longs, Longs, Longs, Longs) {
    let half = Longs(repeating: 1 << 15)
    let sixteen = Longs(repeating: 16)
    let z3 = multiplyAdd(pairZ34, pairs(-6436, 9633)) &+ half
    let z4 = multiplyAdd(pairZ34, pairs(9633, 6437)) &+ half
    return (
        (multiplyAdd(pair30, pairs(-7373, 4926)) &+ z4) &>> sixteen,
        (multiplyAdd(pair21, pairs(-20995, 4177)) &+ z3) &>> sixteen,
        (multiplyAdd(pair21, pairs(-4176, -20995)) &+ z4) &>> sixteen,
        (multiplyAdd(pair30, pairs(-4927, -7373)) &+ z3) &>> sixteen
    )
}

/// Quantises a row of eight coefficients, stores it, and sets bit `row` of the lanes of `found` that are not zero.
@inline(__always)
private func store(
    _ c: Words, _ row: Int, _ divisors: UnsafeRawPointer, _ coefficients: UnsafeMutablePointer<Int16>,
    _ found: inout Words
) {
    let rounding = unsafe divisors.load(fromByteOffset: 16 &* row, as: UnsignedWords.self)
    let factor = unsafe divisors.load(fromByteOffset: 16 &* row &+ 128, as: UnsignedWords.self)
    let scale = unsafe divisors.load(fromByteOffset: 16 &* row &+ 256, as: UnsignedWords.self)
    let sign = c &>> Words(repeating: 15)
    let magnitude = asUnsigned((c ^ sign) &- sign) &+ rounding
    let quotient = asWords(multiplyHigh(multiplyHigh(magnitude, factor), scale))
    found |= asWords(quotient .> Words(repeating: 0)) & Words(repeating: 1 &<< Int16(row))
    unsafe UnsafeMutableRawPointer(coefficients + 8 &* row).storeBytes(of: (quotient ^ sign) &- sign, as: Words.self)
}

/// The bits of the columns in zig-zag order.
@inline(__always)
private func zigZagMask(_ found: Words, _ order: UnsafePointer<UInt64>) -> UInt64 {
    let words = unsafe unsafeBitCast(found, to: SIMD2<UInt64>.self)
    let (low, high) = (words[0], words[1])
    // SAFETY: each index is a byte and a multiple of 256 below 8 * 256.
    let a = unsafe order[Int(low & 255)] | order[256 &+ Int(low &>> 16 & 255)]
    let b = unsafe order[512 &+ Int(low &>> 32 & 255)] | order[768 &+ Int(low &>> 48 & 255)]
    let c = unsafe order[1024 &+ Int(high & 255)] | order[1280 &+ Int(high &>> 16 & 255)]
    let d = unsafe order[1536 &+ Int(high &>> 32 & 255)] | order[1792 &+ Int(high &>> 48 & 255)]
    return (a | b) | (c | d)
}
#endif
