// Both checksums byte by byte, as their standards put them: what the fast kernels are compared with.

import ImageCore

/// The plain twin of ``Adler32Kernel``.
package enum Adler32KernelReference {
    package static func add(_ bytes: RawSpan, to sums: (UInt32, UInt32)) -> (UInt32, UInt32) {
        var (sum, sumOfSums) = sums
        for offset in 0..<bytes.byteCount {
            sum = (sum + UInt32(bytes.byte(at: offset))) % Adler32.modulus
            sumOfSums = (sumOfSums + sum) % Adler32.modulus
        }
        return (sum, sumOfSums)
    }
}

/// The plain twin of ``CRC32Kernel``.
package enum CRC32KernelReference {
    package static func add(_ bytes: Span<UInt8>, to remainder: UInt32) -> UInt32 {
        var rest = remainder
        for offset in 0..<bytes.count {
            rest ^= UInt32(bytes[offset])
            for _ in 0..<8 { rest = rest & 1 == 1 ? 0xEDB8_8320 ^ rest >> 1 : rest >> 1 }
        }
        return rest
    }
}
