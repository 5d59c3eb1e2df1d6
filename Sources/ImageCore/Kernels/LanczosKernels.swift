// Inner loops of the Lanczos filter: along a row and along the columns of a stack of rows. Every pixel is 4 bytes.
//
// Bytes are widened to 16 bits and pairs of them multiplied with pairs of weights and added (`pmaddwd`).
// `LanczosKernelsReference` says the same without pointers.

/// The fourth byte of a scaled pixel.
package enum ScaledAlpha: Sendable {
    /// Premultiplied alpha: filtered like the rest; no other byte of the pixel may be greater.
    case premultiplied
    /// There is none: 255.
    case opaque
    /// A channel like the others: black ink.
    case channel

    /// - Parameter format: what rows that are scaled hold.
    init(_ format: PixelFormat) { self = format == .cmyk ? .channel : format.hasAlpha ? .premultiplied : .opaque }
}

#if !ReferenceKernels
/// The Lanczos filter's loops over one row.
package enum LanczosKernels {
    /// Filters one row of pixels along x.
    ///
    /// - Parameters:
    ///   - row: At least `max(filter.inputCount, filter.tapCount)` pixels.
    ///   - filter: Windows and weights, laid out as `crossedFours`.
    ///   - output: `filter.outputCount` pixels are written,
    ///   - offset: beginning at this byte.
    package static func filterRow(
        _ row: RawSpan, filter: LanczosFilter, into output: inout MutableRawSpan, from offset: Int
    ) {
        precondition(row.byteCount >= max(filter.inputCount, filter.tapCount) * 4 && filter.layout == .crossedFours)
        precondition(offset >= 0 && offset <= output.byteCount)
        precondition(filter.outputCount * 4 <= output.byteCount - offset)
        unsafe row.withUnsafeBytes { row in
            unsafe output.withUnsafeMutableBytes { output in
                guard let rowBase = row.baseAddress, let outputBase = output.baseAddress else { return }
                filter.starts.withSpan { starts in
                    filter.weights.withSpan { weights in
                        unsafe starts.withUnsafeBufferPointer { starts in
                            unsafe weights.withUnsafeBytes { weights in
                                guard let weights = weights.baseAddress else { return }
                                // SAFETY: a filter has `outputCount` starts and `tapCount` weights for each, and windows
                                // that end within the longer of `inputCount` and `tapCount` pixels; the rest is
                                // preconditions.
                                unsafe filterRow(
                                    rowBase, starts, weights, tapCount: filter.tapCount, into: outputBase + offset)
                            }
                        }
                    }
                }
            }
        }
    }

    private static func filterRow(
        _ row: UnsafeRawPointer, _ starts: UnsafeBufferPointer<UInt32>, _ weights: UnsafeRawPointer, tapCount: Int,
        into output: UnsafeMutableRawPointer
    ) {
        let count = starts.count
        let weightBytes = tapCount &* 2
        var weights = unsafe weights
        var x = 0
        while x < count &- 3 {
            let a = unsafe row + Int(starts[x]) &* 4
            let b = unsafe row + Int(starts[x &+ 1]) &* 4
            let c = unsafe row + Int(starts[x &+ 2]) &* 4
            let d = unsafe row + Int(starts[x &+ 3]) &* 4
            var (sumA, sumB, sumC, sumD) = (half, half, half, half)
            var offset = 0
            while offset < weightBytes {
                unsafe add(a, weights, offset, to: &sumA)
                unsafe add(b, weights + weightBytes, offset, to: &sumB)
                unsafe add(c, weights + 2 &* weightBytes, offset, to: &sumC)
                unsafe add(d, weights + 3 &* weightBytes, offset, to: &sumD)
                offset &+= 8
            }
            unsafe store(output, x &* 4, packed(sumA, sumB, sumC, sumD))
            unsafe weights += 4 &* weightBytes
            x &+= 4
        }
        while x < count {
            let pixels = unsafe row + Int(starts[x]) &* 4
            var sum = half
            for offset in stride(from: 0, to: weightBytes, by: 8) { unsafe add(pixels, weights, offset, to: &sum) }
            unsafe store(output, x &* 4, packed(sum, sum, sum, sum).lowHalf.lowHalf)
            unsafe weights += weightBytes
            x &+= 1
        }
    }

    /// Adds four weighted pixels to a sum: those whose weights begin at byte `offset`.
    @inline(__always)
    private static func add(
        _ pixels: UnsafeRawPointer, _ weights: UnsafeRawPointer, _ offset: Int, to sum: inout SIMD4<Int32>
    ) {
        // Pixels p q r s, 4 bytes each; weights in the order p r q s, 2 bytes each.
        let four = unsafe load(pixels, offset &* 2, as: SIMD16<UInt8>.self)
        let pq = widenedLow(four)
        let rs = widenedHigh(four)
        let pr = unsafe pairOfWeights(load(weights, offset, as: UInt32.self))
        let qs = unsafe pairOfWeights(load(weights, offset &+ 4, as: UInt32.self))
        sum &+= multiplyAdd(interleaveLow(pq, rs), pr)
        sum &+= multiplyAdd(interleaveHigh(pq, rs), qs)
    }

    /// Filters a stack of rows along y.
    ///
    /// - Parameters:
    ///   - rows: `weights.count` rows of `output.count` bytes, one after the other; 16 divides `output.count`.
    ///   - weights: One weight per row; even in number.
    ///   - alpha: What becomes of every fourth byte and what the others may not exceed.
    ///   - output: The sum.
    package static func filterColumns(
        _ rows: RawSpan, weights: Span<Int16>, alpha: ScaledAlpha, into output: inout MutableRawSpan
    ) {
        precondition(output.byteCount % 16 == 0 && weights.count % 2 == 0)
        precondition(weights.count * output.byteCount <= rows.byteCount)
        unsafe rows.withUnsafeBytes { rows in
            unsafe weights.withUnsafeBytes { weights in
                unsafe output.withUnsafeMutableBytes { output in
                    guard let rowsBase = rows.baseAddress, let weightsBase = weights.baseAddress else { return }
                    let pairs = weights.count / 4
                    // SAFETY: x + 16 <= output.count; there are 2 * pairs weights and as many rows, each as long as
                    // `output`, by the preconditions.
                    switch alpha {
                    case .premultiplied:
                        for x in stride(from: 0, to: output.count, by: 16) {
                            let sum = unsafe column(rowsBase + x, output.count, weightsBase, pairs)
                            unsafe output.storeBytes(of: limitedByAlpha(sum), toByteOffset: x, as: FourPixels.self)
                        }
                    case .opaque:
                        for x in stride(from: 0, to: output.count, by: 16) {
                            let sum = unsafe column(rowsBase + x, output.count, weightsBase, pairs)
                            let opaque = sum | FourPixels(repeating: 0xFF00_0000)
                            unsafe output.storeBytes(of: opaque, toByteOffset: x, as: FourPixels.self)
                        }
                    case .channel:
                        for x in stride(from: 0, to: output.count, by: 16) {
                            let sum = unsafe column(rowsBase + x, output.count, weightsBase, pairs)
                            unsafe output.storeBytes(of: sum, toByteOffset: x, as: FourPixels.self)
                        }
                    }
                }
            }
        }
    }

    /// The weighted sum of 16 bytes of every row.
    @inline(__always)
    private static func column(
        _ top: UnsafeRawPointer, _ bytesPerRow: Int, _ weights: UnsafeRawPointer, _ pairs: Int
    ) -> FourPixels {
        var a = half
        var b = half
        var c = half
        var d = half
        var row = unsafe top
        for pair in 0..<pairs {
            let upper = unsafe load(row, 0, as: SIMD16<UInt8>.self)
            let lower = unsafe load(row, bytesPerRow, as: SIMD16<UInt8>.self)
            let weight = unsafe pairOfWeights(load(weights, pair &* 4, as: UInt32.self))
            let (upperLeft, upperRight) = (widenedLow(upper), widenedHigh(upper))
            let (lowerLeft, lowerRight) = (widenedLow(lower), widenedHigh(lower))
            a &+= multiplyAdd(interleaveLow(upperLeft, lowerLeft), weight)
            b &+= multiplyAdd(interleaveHigh(upperLeft, lowerLeft), weight)
            c &+= multiplyAdd(interleaveLow(upperRight, lowerRight), weight)
            d &+= multiplyAdd(interleaveHigh(upperRight, lowerRight), weight)
            unsafe row += 2 &* bytesPerRow
        }
        // SAFETY: both are sixteen bytes without padding.
        return unsafe unsafeBitCast(packed(a, b, c, d), to: FourPixels.self)
    }
}

/// What a sum begins with to be rounded: half a unit of the result.
@inline(__always)
private var half: SIMD4<Int32> { SIMD4(repeating: 1 << (Int32(LanczosFilter.fractionBitCount) - 1)) }

/// Sums with `LanczosFilter.fractionBitCount` fraction bits as bytes, limited to 0...255.
@inline(__always)
private func packed(
    _ a: SIMD4<Int32>, _ b: SIMD4<Int32>, _ c: SIMD4<Int32>, _ d: SIMD4<Int32>
) -> SIMD16<UInt8> {
    let low = limited(words(a, b))
    let high = limited(words(c, d))
    // SAFETY: both are sixteen bytes without padding.
    let lowBytes = unsafe unsafeBitCast(low, to: SIMD16<UInt8>.self)
    let highBytes = unsafe unsafeBitCast(high, to: SIMD16<UInt8>.self)
    return SIMD16(lowHalf: lowBytes.evenHalf, highHalf: highBytes.evenHalf)
}

/// The whole parts of two vectors of sums. They are between -512 and 511: the absolute weights of a pixel add up to less
/// than 2.
@inline(__always)
private func words(_ a: SIMD4<Int32>, _ b: SIMD4<Int32>) -> SIMD8<Int16> {
    // Up by 2 and down by 16 instead of down by 14, so that the compiler knows that 16 bits are enough.
    let whole =
        (SIMD8(lowHalf: a, highHalf: b) &<< SIMD8(repeating: Int32(16 - LanczosFilter.fractionBitCount)))
        &>> SIMD8(repeating: 16)
    return SIMD8(truncatingIfNeeded: whole)
}

/// Words limited to 0...255.
@inline(__always)
private func limited(_ words: SIMD8<Int16>) -> SIMD8<Int16> {
    let top = SIMD8<Int16>(repeating: 255)
    let notNegative = words & mask(words .> SIMD8(repeating: 0))
    return notNegative &- ((notNegative &- top) & mask(notNegative .> top))
}

@inline(__always)
private func mask(_ mask: SIMDMask<SIMD8<Int16>>) -> SIMD8<Int16> {
    // SAFETY: both are sixteen bytes; a lane of a mask is all ones or all zeroes.
    unsafe unsafeBitCast(mask, to: SIMD8<Int16>.self)
}

/// Colours no greater than their alpha, which is in the highest byte.
@inline(__always)
private func limitedByAlpha(_ pixels: FourPixels) -> FourPixels {
    let high = pixels &>> SIMD4(repeating: 24)
    let two = high | high &<< SIMD4(repeating: 8)
    let four = two | two &<< SIMD4(repeating: 16)
    // SAFETY: all are sixteen bytes without padding.
    let color = unsafe unsafeBitCast(pixels, to: SIMD16<UInt8>.self)
    let alpha = unsafe unsafeBitCast(four, to: SIMD16<UInt8>.self)
    return unsafe unsafeBitCast(color.replacing(with: alpha, where: color .> alpha), to: FourPixels.self)
}

/// The first eight bytes as words.
@inline(__always)
private func widenedLow(_ bytes: SIMD16<UInt8>) -> SIMD8<Int16> {
    // SAFETY: both are sixteen bytes without padding.
    unsafe unsafeBitCast(interleaveLow(bytes, SIMD16()), to: SIMD8<Int16>.self)
}

/// The last eight bytes as words.
@inline(__always)
private func widenedHigh(_ bytes: SIMD16<UInt8>) -> SIMD8<Int16> {
    // SAFETY: both are sixteen bytes without padding.
    unsafe unsafeBitCast(interleaveHigh(bytes, SIMD16()), to: SIMD8<Int16>.self)
}

/// Two weights, the first in the low half, in turn in all lanes.
@inline(__always)
private func pairOfWeights(_ pair: UInt32) -> SIMD8<Int16> {
    // SAFETY: both are sixteen bytes without padding.
    unsafe unsafeBitCast(FourPixels(repeating: pair), to: SIMD8<Int16>.self)
}
#endif
