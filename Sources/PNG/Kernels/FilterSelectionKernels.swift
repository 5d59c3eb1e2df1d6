// The encoder's filters at speed: what each of the five filter types would leave of a scanline, and the scanline
// filtered with the one that was chosen.
//
// An encoder knows all neighbours of a byte beforehand, so unlike in the decoder nothing chains from pixel to
// pixel: sixteen bytes go at a time whatever the pixel size. Every scanline is preceded by a margin of zero bytes,
// which stands for the pixel left of the first one:
//
//     0 ............ 16 ................... 16 + byteCount ..... multiple of 16
//     | zero margin   | bytes of the scanline | any value        |

import ImageCodecsCore

/// The buffers of scanlines.
package protocol FilterSelectionBuffer {}

extension FilterSelectionBuffer {
    /// Zero bytes before a scanline: at least the eight bytes of the largest pixel, and one vector.
    package static var margin: Int { 16 }

    /// Bytes of a buffer for one scanline of `byteCount` bytes: margin, scanline, and what fills the last vector.
    package static func bufferByteCount(_ byteCount: Int) -> Int { margin + (byteCount + 15) & ~15 }
}

#if !ReferenceKernels
private typealias FilterBytes = SIMD16<UInt8>

/// What the encoder computes for every scanline.
package enum FilterSelectionKernels: FilterSelectionBuffer {
    /// About how many bits the filtered bytes take, for each filter type: the sum of the bit lengths of their absolute values,
    /// taken as signed, none counted as more than six.
    ///
    /// A code of variable lengths gives a residual of twice the size about one bit more, so that a few large ones cost less than
    /// the sum of absolute values that the standard suggests makes them.
    ///
    /// - Parameters:
    ///   - row: the scanline after its margin; see ``bufferByteCount(_:)``.
    ///   - above: the scanline above in the same form; all zero for the first one.
    ///   - byteCount: bytes of a scanline without its filter type byte.
    ///   - distance: bytes of a pixel, 1...8.
    ///   - step: of this many stretches of sixteen bytes one is looked at; 1 for all.
    /// - Returns: the sums, indexed by the filter type's number; the last three lanes are zero.
    /// - Precondition: both buffers are as long as ``bufferByteCount(_:)`` says.
    /// - Source: PNG 3rd ed. §12.7 "Filter selection", for the idea.
    package static func bitLengthSums(
        _ row: RawSpan, above: RawSpan, byteCount: Int, distance: Int, step: Int
    ) -> SIMD8<Int> {
        checkBuffers(row, above, byteCount, distance)
        precondition(step >= 1, "a step of no stretch")
        return unsafe row.withUnsafeBytes { row in
            unsafe above.withUnsafeBytes { above in
                // SAFETY: both buffers hold margin and scanline, up to a whole vector (checked above); an empty
                // buffer fails that check, so both have an address.
                unsafe sums(row.baseAddress! + margin, above.baseAddress! + margin, byteCount, distance, step)
            }
        }
    }

    /// Filters one scanline.
    ///
    /// - Parameters:
    ///   - filter: the filter type.
    ///   - row: the scanline after its margin; see ``bufferByteCount(_:)``.
    ///   - above: the scanline above in the same form; all zero for the first one.
    ///   - byteCount: bytes of a scanline without its filter type byte.
    ///   - distance: bytes of a pixel, 1...8.
    ///   - destination: takes the `byteCount` filtered bytes.
    /// - Precondition: both buffers are as long as ``bufferByteCount(_:)`` says, `destination` as `byteCount`.
    /// - Source: PNG 3rd ed. §9.2 "Filter types for filter method 0".
    package static func apply(
        _ filter: ScanlineFilter, _ row: RawSpan, above: RawSpan, byteCount: Int, distance: Int,
        into destination: inout MutableRawSpan
    ) {
        checkBuffers(row, above, byteCount, distance)
        precondition(byteCount <= destination.byteCount, "the destination is shorter than the scanline")
        guard byteCount > 0 else { return }
        unsafe row.withUnsafeBytes { row in
            unsafe above.withUnsafeBytes { above in
                unsafe destination.withUnsafeMutableBytes { destination in
                    // SAFETY: as in `bitLengthSums`; the destination holds `byteCount` > 0 bytes.
                    let lines = unsafe Scanlines(
                        row: row.baseAddress! + margin, above: above.baseAddress! + margin, distance: distance)
                    let to = destination.baseAddress!
                    switch filter {
                    case .none: unsafe to.copyMemory(from: lines.row, byteCount: byteCount)
                    case .sub: unsafe residuals(lines, byteCount, to) { a, _, _ in a }
                    case .up: unsafe residuals(lines, byteCount, to) { _, b, _ in b }
                    case .average: unsafe residuals(lines, byteCount, to) { a, b, _ in floorAverage(a, b) }
                    case .paeth: unsafe residuals(lines, byteCount, to) { a, b, c in paethPredictor(a, b, c) }
                    }
                }
            }
        }
    }

    private static func checkBuffers(_ row: RawSpan, _ above: RawSpan, _ byteCount: Int, _ distance: Int) {
        precondition(byteCount >= 0 && distance >= 1 && distance <= 8, "no such scanline")
        precondition(row.byteCount >= bufferByteCount(byteCount), "the scanline's buffer is too short")
        precondition(above.byteCount >= bufferByteCount(byteCount), "the buffer of the scanline above is too short")
    }
}

// MARK: - Loops

/// Two scanlines with their margins.
@unsafe
private struct Scanlines {
    let row: UnsafeRawPointer
    let above: UnsafeRawPointer
    let distance: Int
}

// SAFETY: the caller vouches for sixteen bytes at `offset`.
@inline(__always)
private func load(_ row: UnsafeRawPointer, _ offset: Int) -> FilterBytes {
    unsafe row.loadUnaligned(fromByteOffset: offset, as: FilterBytes.self)
}

/// `row` minus what `predict` makes of the bytes left (a), above (b) and above left (c).
@inline(__always)
private func residuals(
    _ lines: Scanlines, _ byteCount: Int, _ destination: UnsafeMutableRawPointer,
    _ predict: (FilterBytes, FilterBytes, FilterBytes) -> FilterBytes
) {
    let (row, above, distance) = unsafe (lines.row, lines.above, lines.distance)
    var i = 0
    // SAFETY: a load at i ends within the last whole vector of its buffer, one at i - distance starts within the
    // margin; a store ends at i + 16 <= byteCount.
    while i &+ 16 <= byteCount {
        let prediction = unsafe predict(load(row, i &- distance), load(above, i), load(above, i &- distance))
        unsafe destination.storeBytes(of: load(row, i) &- prediction, toByteOffset: i, as: FilterBytes.self)
        i &+= 16
    }
    guard i < byteCount else { return }
    // SAFETY: as above; of the last vector only the bytes that belong to the scanline are stored.
    let last = unsafe load(row, i) &- predict(load(row, i &- distance), load(above, i), load(above, i &- distance))
    for lane in 0..<(byteCount &- i) {
        unsafe destination.storeBytes(of: last[lane], toByteOffset: i &+ lane, as: UInt8.self)
    }
}

/// Sums of sixteen lanes for each filter type; a lane takes at most 6 per vector.
private struct LaneSums {
    var none = FilterBytes()
    var sub = FilterBytes()
    var up = FilterBytes()
    var average = FilterBytes()
    var paeth = FilterBytes()

    /// Adds the vector whose first byte is `row`; `mask` is 0 in lanes after the scanline's end.
    // SAFETY: the caller vouches for the whole vector and for `distance` bytes before it.
    @inline(__always)
    mutating func add(_ row: UnsafeRawPointer, _ above: UnsafeRawPointer, _ distance: Int, mask: FilterBytes) {
        let x = unsafe load(row, 0)
        let a = unsafe load(row, 0 &- distance)
        let b = unsafe load(above, 0)
        let c = unsafe load(above, 0 &- distance)
        none = none &+ (bitLengths(x) & mask)
        sub = sub &+ (bitLengths(x &- a) & mask)
        up = up &+ (bitLengths(x &- b) & mask)
        average = average &+ (bitLengths(x &- floorAverage(a, b)) & mask)
        paeth = paeth &+ (bitLengths(x &- paethPredictor(a, b, c)) & mask)
    }

    /// Adds the lanes to `totals` and starts again.
    mutating func flush(into totals: inout SIMD8<Int>) {
        totals &+= SIMD8(
            horizontalSum(none), horizontalSum(sub), horizontalSum(up), horizontalSum(average), horizontalSum(paeth),
            0, 0, 0)
        self = LaneSums()
    }
}

private func sums(
    _ row: UnsafeRawPointer, _ above: UnsafeRawPointer, _ byteCount: Int, _ distance: Int, _ step: Int
) -> SIMD8<Int> {
    /// Vectors after which a lane of eight bits could overflow: 42 * 6 < 256.
    let vectorsOfBatch = 42
    let wholeCount = byteCount & ~15
    let everyLane = FilterBytes(repeating: 255)
    var totals = SIMD8<Int>()
    var lanes = LaneSums()
    var i = 0
    // A step that leads past the end of any scanline has the same effect as a larger one.
    let stepByteCount = min(step, wholeCount) &* 16
    while i < wholeCount {
        var count = vectorsOfBatch
        // SAFETY: i is a multiple of 16 below wholeCount, so i + 16 <= wholeCount, and the margin comes before.
        while i < wholeCount, count > 0 {
            unsafe lanes.add(row + i, above + i, distance, mask: everyLane)
            i &+= stepByteCount
            count &-= 1
        }
        lanes.flush(into: &totals)
    }
    i = wholeCount
    if i < byteCount, step == 1 || wholeCount == 0 {
        // SAFETY: the buffers reach to the end of this vector.
        unsafe lanes.add(row + i, above + i, distance, mask: firstLanes(byteCount &- i))
        lanes.flush(into: &totals)
    }
    return totals
}

// MARK: - Vectors

/// All ones in the first `count` lanes, zero in the others.
private func firstLanes(_ count: Int) -> FilterBytes {
    var mask = FilterBytes()
    for lane in 0..<count { mask[lane] = 255 }
    return mask
}

private func horizontalSum(_ bytes: FilterBytes) -> Int {
    var sum = 0
    for lane in 0..<16 { sum &+= Int(bytes[lane]) }
    return sum
}

@inline(__always)
private func mask(_ comparison: SIMDMask<SIMD16<Int8>>) -> FilterBytes {
    unsafe unsafeBitCast(comparison, to: FilterBytes.self)
}

/// `a` where the mask is set, `b` elsewhere.
@inline(__always)
private func select(_ mask: FilterBytes, _ a: FilterBytes, _ b: FilterBytes) -> FilterBytes { b ^ ((a ^ b) & mask) }

@inline(__always)
private func smaller(_ a: FilterBytes, _ b: FilterBytes) -> FilterBytes { select(mask(a .< b), a, b) }

@inline(__always)
private func larger(_ a: FilterBytes, _ b: FilterBytes) -> FilterBytes { select(mask(a .< b), b, a) }

/// The bit lengths of the absolute values, at most 6.
@inline(__always)
private func bitLengths(_ residuals: FilterBytes) -> FilterBytes {
    // No more than 32, so that comparing as signed numbers is right.
    let magnitudes = smaller(magnitude(residuals), FilterBytes(repeating: 32))
    let signed = unsafe unsafeBitCast(magnitudes, to: SIMD16<Int8>.self)
    // Each comparison that holds is -1.
    var lengths = FilterBytes()
    lengths = lengths &- mask(signed .> SIMD16<Int8>(repeating: 0))
    lengths = lengths &- mask(signed .> SIMD16<Int8>(repeating: 1))
    lengths = lengths &- mask(signed .> SIMD16<Int8>(repeating: 3))
    lengths = lengths &- mask(signed .> SIMD16<Int8>(repeating: 7))
    lengths = lengths &- mask(signed .> SIMD16<Int8>(repeating: 15))
    return lengths &- mask(signed .> SIMD16<Int8>(repeating: 31))
}

/// The absolute value of bytes taken as signed: 0...128.
@inline(__always)
private func magnitude(_ bytes: FilterBytes) -> FilterBytes {
    let signed = unsafe unsafeBitCast(bytes, to: SIMD16<Int8>.self)
    let sign = mask(signed .< SIMD16<Int8>(repeating: 0))
    return (bytes ^ sign) &- sign
}

/// The mean, rounded down.
@inline(__always)
private func floorAverage(_ a: FilterBytes, _ b: FilterBytes) -> FilterBytes {
    (a & b) &+ ((a ^ b) &>> FilterBytes(repeating: 1))
}

/// The Paeth predictor within bytes.
///
/// With p = b - c and q = a - c the distances are |p| to a, |q| to b and |p + q| to c. If p and q have the same sign,
/// |p + q| is no less than either, and c is never chosen: 255 stands in for it. If they differ, it is ||p| - |q||.
@inline(__always)
private func paethPredictor(_ a: FilterBytes, _ b: FilterBytes, _ c: FilterBytes) -> FilterBytes {
    let lowBC = smaller(b, c)
    let lowAC = smaller(a, c)
    let pa = larger(b, c) &- lowBC
    let pb = larger(a, c) &- lowAC
    let sameSign = mask(mask(lowBC .== b) .== mask(lowAC .== a))
    let pc = (larger(pa, pb) &- smaller(pa, pb)) | sameSign
    let nearestBC = smaller(pb, pc)
    let bOrC = select(mask(nearestBC .== pb), b, c)
    return select(mask(smaller(pa, nearestBC) .== pa), a, bOrC)
}
#endif
