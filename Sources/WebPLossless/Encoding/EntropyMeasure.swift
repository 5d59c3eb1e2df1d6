// How many bits symbols take that occur this often, before there are codes for them.

/// Logarithms to the base of two, and what follows from them, as whole numbers of 1/65,536.
package enum Entropy {
    /// The logarithm of one as whole numbers is two to this power.
    static let scaleBits = 16

    /// The logarithm of a number of at least 1, to about 1/65,536.
    @inline(__always)
    static func log2(_ number: UInt32) -> UInt64 {
        let exponent = UInt64(31 &- UInt32(truncatingIfNeeded: number.leadingZeroBitCount))
        // The highest bit moved to bit 31: eight bits after it choose an entry, the next 23 how far it is to the one after.
        let normal = UInt64(number) &<< (31 &- exponent)
        let index = Int(truncatingIfNeeded: (normal &>> 23) & 255)
        let low = UInt64(fractions[index])
        let step = UInt64(fractions[index &+ 1]) &- low
        return (exponent &<< 16) &+ low &+ ((step &* (normal & 0x7F_FFFF)) &>> 23)
    }

    /// `number` times its logarithm; 0 of 0.
    @inline(__always)
    package static func product(_ number: UInt32) -> UInt64 {
        if number < 1024 { return UInt64(products[Int(truncatingIfNeeded: number)]) }
        return UInt64(number) &* log2(number)
    }

    /// 65,536 times the logarithms of 1 + n / 256, for n = 0...256.
    private static let fractions: [UInt32] = (0...256).map { n in
        // Squaring doubles the logarithm: what overflows is its next bit.
        var value = UInt64(256 + n) << 23
        var result: UInt32 = 0
        if n == 256 { return 65_536 }
        for _ in 0..<17 {
            value = (value * value) >> 31
            result <<= 1
            if value >= 1 << 32 {
                result |= 1
                value >>= 1
            }
        }
        return (result + 1) >> 1
    }

    /// ``product(_:)`` of small numbers.
    private static let products: [UInt32] = (0..<1024).map { n in
        n == 0 ? 0 : UInt32(truncatingIfNeeded: UInt64(n) * log2(UInt32(n)))
    }
}
