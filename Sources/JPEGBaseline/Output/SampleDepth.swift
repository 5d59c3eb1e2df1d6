// From samples of any precision to those that bitmaps have.

/// How samples of 2 to 16 bits become samples of eight and of sixteen: their bits are repeated until there are enough, so that the
/// darkest and the brightest stay what they are.
///
///     3 bits to 8      abc               becomes    abcabcab
///     12 bits to 16    abcdefghijkl      becomes    abcdefghijklabcd
///
/// Eight bits of more than eight are those of the sixteen, rounded: `(v * 255 + 32895) >> 16`, as for every picture.
///
/// - Source: PNG 3rd ed. (2025) §13.12 "Sample depth rescaling", of which this is left bit replication; T.81 leaves it open.
package struct SampleDepth: Hashable, Sendable {
    /// All bits of a sample.
    package let mask: UInt16
    /// A sample times this repeats its bits, and shifted by that many bits as many are left as are wanted.
    private let byteFactor: UInt32
    private let byteShift: UInt32
    private let deepFactor: UInt32
    private let deepShift: UInt32

    /// - Parameter precision: Bits of a sample, 2...16.
    package init(precision: Int) {
        mask = UInt16(truncatingIfNeeded: (1 << precision) - 1)
        (byteFactor, byteShift) = Self.repetition(of: precision, to: 8)
        (deepFactor, deepShift) = Self.repetition(of: precision, to: 16)
    }

    private static func repetition(of precision: Int, to bitCount: Int) -> (factor: UInt32, shift: UInt32) {
        var (factor, filled) = (UInt32(1), precision)
        while filled < bitCount {
            factor = factor << UInt32(precision) | 1
            filled += precision
        }
        return (factor, UInt32(filled - bitCount))
    }

    /// Whether samples are bytes already.
    var isBytes: Bool { mask == 255 }

    /// A sample of sixteen bits.
    @inline(__always)
    package func deep(_ sample: UInt16) -> UInt16 {
        // At most 30 bits: 15 repeated once.
        UInt16(truncatingIfNeeded: (UInt32(sample) &* deepFactor) &>> deepShift)
    }

    /// A sample of eight bits.
    @inline(__always)
    package func byte(_ sample: UInt16) -> UInt8 {
        if mask <= 255 { return UInt8(truncatingIfNeeded: (UInt32(sample) &* byteFactor) &>> byteShift) }
        return UInt8(truncatingIfNeeded: (UInt32(deep(sample)) &* 255 &+ 32895) &>> 16)
    }
}
