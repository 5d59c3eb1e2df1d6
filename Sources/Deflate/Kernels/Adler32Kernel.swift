// Adler-32 at speed: sixteen bytes at a time, sums in lanes of 16 bits.
//
// Of sixteen bytes each has a lane. With c the sum of a lane's bytes so far and p the sum of what c was before each of them, a
// stretch of n rows of sixteen bytes adds, for a byte in lane i,
//
//   to the sum            c
//   to the sum of sums    16 p + (16 - i) c, and 16 n times what the sum was before
//
// so that a row costs additions alone; what they are worth is reckoned once for sixteen rows, while 16 bits hold them.

import ImageCodecsCore

#if !ReferenceKernels
/// The sums of Adler-32.
package enum Adler32Kernel {
    /// Rows of a stretch: c is at most 16 * 255 = 4080, p at most 120 * 255 = 30600, which a signed lane holds.
    private static let rowsOfStretch = 16
    private static let stretchByteCount = 16 * rowsOfStretch
    /// Stretches between two remainders: no lane of 32 bits overflows, see below.
    private static let mostStretches = 16

    private typealias Words = SIMD8<UInt16>
    private typealias Sums = SIMD4<Int32>

    /// Words whose low byte comes first in memory.
    @inline(__always)
    private static func littleEndian(_ words: Words) -> Words {
        #if _endian(little)
        words
        #else
        (words &<< Words(repeating: 8)) | (words &>> Words(repeating: 8))
        #endif
    }

    /// Products of signed words, added in pairs.
    @inline(__always)
    private static func multiplied(_ a: Words, _ k: SIMD8<Int16>) -> Sums {
        var product = SIMD8<Int32>()
        for lane in 0..<8 { product[lane] = Int32(Int16(truncatingIfNeeded: a[lane])) &* Int32(k[lane]) }
        let even = Sums(product[0], product[2], product[4], product[6])
        return even &+ Sums(product[1], product[3], product[5], product[7])
    }

    /// Adds bytes to both sums, which are less than the modulus, and stay so.
    package static func add(_ bytes: RawSpan, to sums: (UInt32, UInt32)) -> (UInt32, UInt32) {
        unsafe bytes.withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress else { return sums }
            var (sum, sumOfSums) = sums
            var offset = 0
            while buffer.count &- offset >= stretchByteCount {
                let count = min((buffer.count &- offset) / stretchByteCount, mostStretches)
                // SAFETY: `count` stretches lie in the buffer from `offset` on.
                unsafe addStretches(base + offset, count, &sum, &sumOfSums)
                offset &+= count &* stretchByteCount
            }
            while offset < buffer.count {
                // SAFETY: the bytes up to `stop` lie in the buffer.
                let stop = min(offset &+ 1024, buffer.count)
                while offset < stop {
                    unsafe sum &+= UInt32(base.load(fromByteOffset: offset, as: UInt8.self))
                    sumOfSums &+= sum
                    offset &+= 1
                }
                sum %= Adler32.modulus
                sumOfSums %= Adler32.modulus
            }
            return (sum, sumOfSums)
        }
    }

    /// Adds at most 16 stretches, 4096 bytes.
    @inline(__always)
    private static func addStretches(
        _ base: UnsafeRawPointer, _ count: Int, _ sum: inout UInt32, _ sumOfSums: inout UInt32
    ) {
        let evenWeights = SIMD8<Int16>(16, 14, 12, 10, 8, 6, 4, 2)
        let oddWeights = SIMD8<Int16>(15, 13, 11, 9, 7, 5, 3, 1)
        let (ones, sixteens) = (SIMD8<Int16>(repeating: 1), SIMD8<Int16>(repeating: 16))
        // A lane of `total` is at most 4096 / 4 * 255, one of `before` at most 16 times as much, one of `weighted` at most
        // 16 * (4 * 16 * 30600 + 4 * 16 * 4080): 2^26 at most.
        var (total, before, weighted) = (Sums(), Sums(), Sums())
        var row = unsafe base
        for _ in 0..<count {
            before = before &+ total
            // Words hold an odd byte above an even one. Sums of whole words, modulo 2^16, less 256 times those of the odd
            // bytes are the sums of the even ones.
            var (both, odd, bothBefore, oddBefore) = (Words(), Words(), Words(), Words())
            for _ in 0..<rowsOfStretch {
                bothBefore = bothBefore &+ both
                oddBefore = oddBefore &+ odd
                // SAFETY: a row of a stretch that lies in the buffer.
                let bytes = unsafe littleEndian(row.loadUnaligned(as: Words.self))
                both = both &+ bytes
                odd = odd &+ (bytes &>> Words(repeating: 8))
                unsafe row += 16
            }
            let even = both &- (odd &<< Words(repeating: 8))
            let evenBefore = bothBefore &- (oddBefore &<< Words(repeating: 8))
            total = total &+ multiplied(even, ones) &+ multiplied(odd, ones)
            let lanes = multiplied(even, evenWeights) &+ multiplied(odd, oddWeights)
            weighted = weighted &+ lanes &+ multiplied(evenBefore, sixteens) &+ multiplied(oddBefore, sixteens)
        }
        let byteCount = UInt64(truncatingIfNeeded: count &* stretchByteCount)
        let added = UInt64(truncatingIfNeeded: Int(total.wrappedSum()))
        // 2^32 at most in all.
        let sums =
            UInt64(sumOfSums) &+ UInt64(sum) &* byteCount
            &+ UInt64(truncatingIfNeeded: Int(before.wrappedSum())) &* UInt64(truncatingIfNeeded: stretchByteCount)
            &+ UInt64(truncatingIfNeeded: Int(weighted.wrappedSum()))
        sumOfSums = UInt32(truncatingIfNeeded: sums % UInt64(Adler32.modulus))
        sum = UInt32(truncatingIfNeeded: (UInt64(sum) &+ added) % UInt64(Adler32.modulus))
    }
}
#endif
