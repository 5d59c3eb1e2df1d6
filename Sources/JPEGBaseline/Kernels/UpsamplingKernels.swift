// Upsampling of single rows: from samples of a plane to samples at the picture's resolution.
//
// Rows of planes come with at least 16 readable bytes after their last sample. The reference twin is
// `UpsamplingByTheBook` of the tests. The two most common cases do not stop here: `FusedUpsamplingKernels` goes on to pixels.

import ImageCodecsCore

/// Rows of vertical sums.
package protocol UpsamplingSums {}

extension UpsamplingSums {
    /// Words before column 0 in a row of sums; the last one repeats column 0.
    static var leadingWords: Int { 8 }

    /// Bytes that a row of `width` sums takes, padding included.
    package static func byteCountOfSums(width: Int) -> Int { (leadingWords + (width + 15) / 16 * 16 + 16) * 2 }
}

#if !ReferenceKernels
package enum UpsamplingKernels: UpsamplingSums {
    /// Sums `3 * near + far` of two rows as 16-bit words, the outermost ones repeated on both sides.
    ///
    /// - Parameters:
    ///   - near: `width` samples and as many readable bytes as round up to a multiple of 8.
    ///   - far: As many.
    ///   - sums: Receives `byteCountOfSums(width:)` bytes at `offset`: column i at word `leadingWords + i`.
    package static func blend(
        near: RawSpan, far: RawSpan, width: Int, into sums: inout MutableRawSpan, at offset: Int
    ) {
        let end = (width + 7) & ~7
        precondition(width > 0 && end <= near.byteCount && end <= far.byteCount)
        precondition(offset >= 0 && offset + byteCountOfSums(width: width) <= sums.byteCount)
        let first = offset + 2 * leadingWords
        var column = 0
        while column < end {
            // SAFETY: column + 8 <= end, which both rows hold; the sums hold end words from `first` on.
            let a = unsafe widen(near.unsafeLoadUnaligned(fromUncheckedByteOffset: column, as: Bytes8.self))
            let b = unsafe widen(far.unsafeLoadUnaligned(fromUncheckedByteOffset: column, as: Bytes8.self))
            unsafe sums.storeBytes(of: a &+ a &+ a &+ b, toUncheckedByteOffset: first &+ 2 &* column, as: Words.self)
            column &+= 8
        }
        // SAFETY: words -1 and `width` from `first` lie within the bytes checked above.
        let (left, right) = unsafe (
            sums.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: first, as: Int16.self),
            sums.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: first + 2 * (width - 1), as: Int16.self)
        )
        unsafe sums.storeBytes(of: left, toUncheckedByteOffset: first - 2, as: Int16.self)
        unsafe sums.storeBytes(of: right, toUncheckedByteOffset: first + 2 * width, as: Int16.self)
    }

    /// One output row of `.fancyH1V2`: `(3 * near + far + bias) / 4`.
    ///
    /// - Parameters:
    ///   - bias: 1 when `far` is the row above, 2 when it is the row below.
    ///   - row: Receives `width` samples at `offset`, rounded up to a multiple of 8.
    package static func interpolateDown(
        near: RawSpan, far: RawSpan, bias: Int16, width: Int, into row: inout MutableRawSpan, at offset: Int
    ) {
        let end = (width + 7) & ~7
        precondition(width > 0 && end <= near.byteCount && end <= far.byteCount)
        precondition(offset >= 0 && offset + end <= row.byteCount)
        var column = 0
        while column < end {
            // SAFETY: column + 8 <= end, which all three rows hold.
            let a = unsafe widen(near.unsafeLoadUnaligned(fromUncheckedByteOffset: column, as: Bytes8.self))
            let b = unsafe widen(far.unsafeLoadUnaligned(fromUncheckedByteOffset: column, as: Bytes8.self))
            let sum = (a &+ a &+ a &+ b &+ Words(repeating: bias)) &>> Words(repeating: 2)
            unsafe row.storeBytes(
                of: packUnsigned(sum, sum).lowHalf, toUncheckedByteOffset: offset &+ column, as: Bytes8.self)
            column &+= 8
        }
    }

    /// One output row of `.fancyH2V2` from a row of sums.
    ///
    /// - Parameters:
    ///   - sums: Where in `buffer` `blend` wrote `width` columns.
    ///   - width: Columns of sums.
    ///   - buffer: Receives `2 * width` samples at `offset`, rounded up to a multiple of 16; outside of `sums`.
    package static func interpolateAcross(
        sums: Range<Int>, width: Int, in buffer: inout MutableRawSpan, at offset: Int
    ) {
        let end = (width + 7) & ~7
        precondition(width > 0 && sums.lowerBound >= 0 && sums.upperBound <= buffer.byteCount)
        precondition(byteCountOfSums(width: width) <= sums.count)
        precondition(offset >= 0 && offset + 2 * end <= buffer.byteCount)
        var column = 0
        while column < end {
            // SAFETY: words column - 1 ... column + 8 lie within the row of sums, 16 samples within the output.
            let pair = unsafe interpolatedSums(
                buffer.bytes, sums.lowerBound &+ 2 &* (column &+ leadingWords), leftBias: 8, rightBias: 7)
            unsafe buffer.storeBytes(
                of: interleavedBytes(pair.left, pair.right), toUncheckedByteOffset: offset &+ 2 &* column,
                as: Bytes16.self)
            column &+= 8
        }
    }

    /// One output row of `.fancyH2V1`.
    ///
    /// - Parameters:
    ///   - samples: The row from column -1 on, that is one copy of column 0, `width` samples and a copy of the last.
    ///   - row: Receives `2 * width` samples at `offset`, rounded up to a multiple of 16.
    package static func interpolateAcross(
        samples: RawSpan, width: Int, into row: inout MutableRawSpan, at offset: Int
    ) {
        let end = (width + 7) & ~7
        precondition(width > 0 && end + 2 <= samples.byteCount)
        precondition(offset >= 0 && offset + 2 * end <= row.byteCount)
        var column = 0
        while column < end {
            // SAFETY: bytes column ... column + 9 lie within `samples`, 16 samples within the output.
            let pair = unsafe interpolatedSamples(samples, column, leftBias: 1, rightBias: 2)
            unsafe row.storeBytes(
                of: interleavedBytes(pair.left, pair.right), toUncheckedByteOffset: offset &+ 2 &* column,
                as: Bytes16.self)
            column &+= 8
        }
    }

    /// Repeats each sample `factor` times.
    ///
    /// - Parameters:
    ///   - factor: 1...4.
    ///   - row: Receives `factor * width` samples at `offset`.
    package static func replicate(
        samples: RawSpan, factor: Int, width: Int, into row: inout MutableRawSpan, at offset: Int
    ) {
        precondition(width >= 0 && factor > 0 && width <= samples.byteCount)
        precondition(offset >= 0 && offset + factor * width <= row.byteCount)
        var target = offset
        for column in 0..<width {
            // SAFETY: column < width, and factor * width bytes from `offset` were checked above.
            let sample = unsafe samples.unsafeLoad(fromUncheckedByteOffset: column, as: UInt8.self)
            for _ in 0..<factor {
                unsafe row.storeBytes(of: sample, toUncheckedByteOffset: target, as: UInt8.self)
                target &+= 1
            }
        }
    }
}

/// Sixteen bytes from words below 256: left and right in turn.
@inline(__always)
private func interleavedBytes(_ left: Words, _ right: Words) -> Bytes16 {
    unsafe unsafeBitCast(left &+ right &* Words(repeating: 256), to: Bytes16.self)
}

/// Horizontal interpolation of eight sums: `(3 * x + neighbour + bias) >> 4` for the left and the right pixel.
///
/// - Parameter offset: Of the first sum; words -1 ... 8 from there are readable.
@unsafe @inline(__always)
func interpolatedSums(_ sums: RawSpan, _ offset: Int, leftBias: Int16, rightBias: Int16) -> (left: Words, right: Words)
{
    // SAFETY: the caller's promise.
    let center = unsafe sums.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: Words.self)
    let left = unsafe sums.unsafeLoadUnaligned(fromUncheckedByteOffset: offset &- 2, as: Words.self)
    let right = unsafe sums.unsafeLoadUnaligned(fromUncheckedByteOffset: offset &+ 2, as: Words.self)
    let three = center &+ center &+ center
    let four = Words(repeating: 4)
    return (
        (three &+ left &+ Words(repeating: leftBias)) &>> four,
        (three &+ right &+ Words(repeating: rightBias)) &>> four
    )
}

/// Horizontal interpolation of eight samples: `(3 * x + neighbour + bias) >> 2` for the left and the right pixel.
///
/// - Parameter samples: Bytes `column ... column + 9` are readable; the first is the left neighbour of column 0.
@unsafe @inline(__always)
func interpolatedSamples(
    _ samples: RawSpan, _ column: Int, leftBias: Int16, rightBias: Int16
) -> (left: Words, right: Words) {
    // SAFETY: the caller's promise.
    let left = unsafe widen(samples.unsafeLoadUnaligned(fromUncheckedByteOffset: column, as: Bytes8.self))
    let center = unsafe widen(samples.unsafeLoadUnaligned(fromUncheckedByteOffset: column &+ 1, as: Bytes8.self))
    let right = unsafe widen(samples.unsafeLoadUnaligned(fromUncheckedByteOffset: column &+ 2, as: Bytes8.self))
    let three = center &+ center &+ center
    let two = Words(repeating: 2)
    return (
        (three &+ left &+ Words(repeating: leftBias)) &>> two,
        (three &+ right &+ Words(repeating: rightBias)) &>> two
    )
}
#endif
