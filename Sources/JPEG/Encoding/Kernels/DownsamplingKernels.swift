// Fewer samples: the mean of two or four neighbours, sixteen results at a time.
//
// In: rows of samples at full resolution. Out: a row with a half or a quarter as many, in the same buffer.

import ImageCodecsCore

#if !ReferenceKernels
/// Downsampling by boxes, with the reference encoder's rounding.
///
/// Halves are rounded down and up in turn, in even and in odd columns, so that a flat gray does not drift; boxes of
/// other shapes than 2x1 and 2x2 round halves up.
package enum DownsamplingKernels {
    /// Means of boxes of `horizontal` x `vertical` samples.
    ///
    /// - Parameters:
    ///   - rows: Where the rows begin in `samples`, `vertical` of them.
    ///   - target: Where the result begins, `count` samples. Up to 15 bytes more are written, which mean nothing.
    /// - Precondition: `horizontal` is 1, 2 or 4, `vertical` 1 or 2, not both 1. `horizontal` times `count`, rounded up
    ///   to a multiple of 16, lies in `samples` from each row on; as much of the result from `target` on, which lies
    ///   apart from them.
    package static func downsample(
        _ rows: SIMD2<Int>, horizontal: Int, vertical: Int, count: Int, in samples: inout MutableRawSpan,
        into target: Int
    ) {
        let padded = (count + 15) & ~15
        precondition(count >= 0 && target >= 0 && target <= samples.byteCount - padded)
        let lower = vertical == 2 ? rows[1] : rows[0]
        precondition(min(rows[0], lower) >= 0 && max(rows[0], lower) <= samples.byteCount - padded * horizontal)
        var x = 0
        // SAFETY: for all of these, groups start at multiples of 16 below `count`, so they end below `padded`.
        switch (horizontal, vertical) {
        case (2, 1):
            let bias = pairs(0, 1)
            while x < count {
                unsafe samples.storeBytes(
                    of: packBytes(
                        halved(samples, rows[0] &+ 2 &* x, bias), halved(samples, rows[0] &+ 2 &* x &+ 16, bias)),
                    toUncheckedByteOffset: target &+ x, as: Bytes16.self)
                x &+= 16
            }
        case (2, 2):
            let bias = pairs(1, 2)
            while x < count {
                let (upper, lower) = (rows[0] &+ 2 &* x, lower &+ 2 &* x)
                unsafe samples.storeBytes(
                    of: packBytes(
                        quartered(samples, upper, lower, bias), quartered(samples, upper &+ 16, lower &+ 16, bias)),
                    toUncheckedByteOffset: target &+ x, as: Bytes16.self)
                x &+= 16
            }
        case (1, 2):
            while x < count {
                let a = unsafe samples.unsafeLoadUnaligned(fromUncheckedByteOffset: rows[0] &+ x, as: Bytes16.self)
                let b = unsafe samples.unsafeLoadUnaligned(fromUncheckedByteOffset: lower &+ x, as: Bytes16.self)
                // The mean rounded up, bytewise.
                let mean = (a | b) &- (((a ^ b) &>> Bytes16(repeating: 1)) & Bytes16(repeating: 127))
                unsafe samples.storeBytes(of: mean, toUncheckedByteOffset: target &+ x, as: Bytes16.self)
                x &+= 16
            }
        default:
            DownsamplingKernelsReference.downsample(
                rows, horizontal: horizontal, vertical: vertical, count: count, in: &samples, into: target)
        }
    }

    /// Means of neighbours among sixteen samples.
    @unsafe @inline(__always)
    private static func halved(_ samples: borrowing MutableRawSpan, _ offset: Int, _ bias: Words) -> Words {
        // SAFETY: the caller sees to 16 bytes at `offset`.
        let sums = unsafe pairSums(samples, offset)
        return (sums &+ bias) &>> Words(repeating: 1)
    }

    /// Means of squares among two rows of sixteen samples.
    @unsafe @inline(__always)
    private static func quartered(
        _ samples: borrowing MutableRawSpan, _ upper: Int, _ lower: Int, _ bias: Words
    ) -> Words {
        // SAFETY: the caller sees to 16 bytes at both offsets.
        let sums = unsafe pairSums(samples, upper) &+ pairSums(samples, lower)
        return (sums &+ bias) &>> Words(repeating: 2)
    }

    /// Sums of neighbours among sixteen samples.
    @unsafe @inline(__always)
    private static func pairSums(_ samples: borrowing MutableRawSpan, _ offset: Int) -> Words {
        // SAFETY: the caller sees to 16 bytes at `offset`.
        let both = unsafe samples.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UnsignedWords.self)
        return asWords((both & UnsignedWords(repeating: 255)) &+ (both &>> UnsignedWords(repeating: 8)))
    }
}
#endif
