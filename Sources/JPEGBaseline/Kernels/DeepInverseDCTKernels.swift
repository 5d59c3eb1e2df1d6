// The inverse DCT of twelve bits in vectors, for blocks whose numbers fit into 16 bits on the way.
//
// In: 64 coefficients and their quantisation steps in natural order. Out: 8x8 samples. The passes are those of
// `InverseDCTKernels`, with other shifts. The plain twin is `DeepInverseDCT.transform`.

import ImageCodecsCore

enum DeepInverseDCTKernels {
    /// Dequantises and transforms one block, unless a number might not fit, as in blocks of the highest contrast and damaged ones.
    ///
    /// - Parameters:
    ///   - coefficients: 64 values in natural order; `steps` as many bit patterns.
    ///   - samples: Receives eight rows of eight samples from `first` on.
    /// - Returns: Whether it is done.
    static func transform(
        _ coefficients: Span<Int16>, steps: Span<Int16>, into samples: inout MutableSpan<UInt16>, at first: Int,
        stride: Int
    ) -> Bool {
        #if ReferenceKernels
        return false
        #else
        precondition(coefficients.count >= 64 && steps.count >= 64)
        precondition(first >= 0 && stride >= 0 && first + 7 * stride + 8 <= samples.count)
        // SAFETY: both tables have 64 values, and eight rows of eight samples lie within `samples`: checked above.
        return unsafe coefficients.withUnsafeBufferPointer { coefficients in
            unsafe steps.withUnsafeBufferPointer { steps in
                unsafe samples.withUnsafeMutableBufferPointer { samples in
                    guard let source = coefficients.baseAddress, let steps = steps.baseAddress,
                        let target = samples.baseAddress
                    else { return false }
                    return unsafe reconstructDeepBlock(source, steps, target + first, stride)
                }
            }
        }
        #endif
    }
}

#if !ReferenceKernels
/// What numbers have beyond the bits that fit, gathered over many of them.
private struct Excess {
    private var bits = Words()
    private var highHalves = Words()

    /// Numbers that may have 14 bits and a sign.
    @inline(__always)
    mutating func record(_ numbers: Words) { bits |= numbers ^ (numbers &>> Words(repeating: 15)) }

    /// Products in two halves that may have 15 bits and a sign.
    @inline(__always)
    mutating func record(high: Words, low: Words) { highHalves |= high ^ (low &>> Words(repeating: 15)) }

    var isNone: Bool {
        let halves = unsafe unsafeBitCast(bits, to: SIMD2<UInt64>.self)
        let highHalves = unsafe unsafeBitCast(highHalves, to: SIMD2<UInt64>.self)
        return (halves[0] | halves[1]) & 0xC000_C000_C000_C000 | highHalves[0] | highHalves[1] == 0
    }
}

/// The largest sums: eight inputs of 14 bits times factors below 11364 are below 1.49e9, and the DC coefficient adds 15 + 14 bits
/// in the second pass, so that 31 bits suffice.
@inline(never)
private func reconstructDeepBlock(
    _ coefficients: UnsafePointer<Int16>, _ steps: UnsafePointer<Int16>, _ destination: UnsafeMutablePointer<UInt16>,
    _ stride: Int
) -> Bool {
    var excess = Excess()
    // SAFETY: rows 0...7 of eight words lie within the 64 coefficients and steps.
    var input = unsafe (
        product(coefficients, steps, 0, &excess), product(coefficients, steps, 1, &excess),
        product(coefficients, steps, 2, &excess), product(coefficients, steps, 3, &excess),
        product(coefficients, steps, 4, &excess), product(coefficients, steps, 5, &excess),
        product(coefficients, steps, 6, &excess), product(coefficients, steps, 7, &excess)
    )
    // A coefficient that all samples have in common: its part of the first pass is twice as much, exactly, and so that of the
    // second can be added to what rounds there.
    let dc = Int32(input.0[0])
    input.0[0] = 0
    record(input, &excess)
    let first = transform(input, 1 << 11, 12)
    let columns = saturated(first.low, first.high)
    record(columns, &excess)
    guard excess.isNone else { return false }
    let second = transform(transpose(columns), 1 << 16 &+ dc &<< 14, 17)
    let samples = transpose(fitting(second.low, second.high))
    // SAFETY: the caller vouches for eight rows of eight samples.
    unsafe store(samples.0, destination)
    unsafe store(samples.1, destination + stride)
    unsafe store(samples.2, destination + 2 &* stride)
    unsafe store(samples.3, destination + 3 &* stride)
    unsafe store(samples.4, destination + 4 &* stride)
    unsafe store(samples.5, destination + 5 &* stride)
    unsafe store(samples.6, destination + 6 &* stride)
    unsafe store(samples.7, destination + 7 &* stride)
    return true
}

@inline(__always)
private func record(_ rows: EightWords, _ excess: inout Excess) {
    excess.record(rows.0)
    excess.record(rows.1)
    excess.record(rows.2)
    excess.record(rows.3)
    excess.record(rows.4)
    excess.record(rows.5)
    excess.record(rows.6)
    excess.record(rows.7)
}

/// Row `row` of the coefficients times its quantisation steps.
@inline(__always)
private func product(
    _ coefficients: UnsafePointer<Int16>, _ steps: UnsafePointer<Int16>, _ row: Int, _ excess: inout Excess
) -> Words {
    // SAFETY: row is 0...7 at every call, and both tables have 64 values.
    let a = unsafe UnsafeRawPointer(coefficients + 8 &* row).loadUnaligned(as: Words.self)
    let b = unsafe UnsafeRawPointer(steps + 8 &* row).loadUnaligned(as: Words.self)
    let low = a &* b
    excess.record(high: multiplyHigh(a, b), low: low)
    // A step of 16 bits looks negative.
    excess.record(high: b &>> Words(repeating: 15), low: Words())
    return low
}

/// Shifts the level, clamps and writes eight samples.
@inline(__always)
private func store(_ row: Words, _ destination: UnsafeMutablePointer<UInt16>) {
    // SAFETY: eight samples, as the caller vouches.
    unsafe UnsafeMutableRawPointer(destination).storeBytes(
        of: clampedToTwelveBits(row &+ Words(repeating: 2048)), as: Words.self)
}
#endif
