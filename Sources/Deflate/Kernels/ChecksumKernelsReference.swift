// Both checksums byte by byte, as their standards put them: what the fast kernels are compared with.

import ImageCodecsCore

/// The plain twin of ``Adler32Kernel``.
package enum Adler32KernelReference {
    package static func add(_ bytes: RawSpan, to sums: (UInt32, UInt32)) -> (UInt32, UInt32) {
        var (sum, sumOfSums) = sums
        for start in stride(from: 0, to: bytes.byteCount, by: 1024) {
            // At most 65520 + 1024 * (65520 + 1024 * 255), less than 2^32.
            for offset in start..<min(start + 1024, bytes.byteCount) {
                sum += UInt32(bytes.byte(at: offset))
                sumOfSums += sum
            }
            sum %= Adler32.modulus
            sumOfSums %= Adler32.modulus
        }
        return (sum, sumOfSums)
    }
}

/// The plain twin of ``CRC32Kernel``.
package enum CRC32KernelReference {
    /// What is left of each byte.
    ///
    /// Source: PNG 3rd ed. Annex D "Sample CRC implementation".
    private static let table: [UInt32] = (0..<256 as Range<UInt32>).map { byte in
        (0..<8).reduce(byte) { rest, _ in rest & 1 == 1 ? 0xEDB8_8320 ^ rest >> 1 : rest >> 1 }
    }

    package static func add(_ bytes: Span<UInt8>, to remainder: UInt32) -> UInt32 {
        table.withSpan { table in
            var rest = remainder
            for offset in 0..<bytes.count {
                rest = table[Int(UInt8(truncatingIfNeeded: rest) ^ bytes[offset])] ^ rest >> 8
            }
            return rest
        }
    }
}

#if ReferenceKernels
package typealias Adler32Kernel = Adler32KernelReference
package typealias CRC32Kernel = CRC32KernelReference
#endif
