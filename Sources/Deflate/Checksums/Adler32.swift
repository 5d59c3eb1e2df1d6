// The checksum at the end of a zlib stream: two sums modulo the largest prime below 65536.

import ImageCodecsCore

/// The Adler-32 of everything added so far.
///
/// Source: RFC 1950 section 2.2 "Data format" and section 8.2 "The Adler-32 algorithm".
package struct Adler32: Hashable, Sendable {
    /// One more than the sum of all bytes.
    private var sum: UInt32 = 1
    /// The sum of what `sum` was after each byte.
    private var sumOfSums: UInt32 = 0

    /// Both sums are less.
    package static let modulus: UInt32 = 65521

    package init() {}

    /// The checksum as it stands in a stream, the sum of sums above the sum.
    package var value: UInt32 { sumOfSums << 16 | sum }

    /// Adds bytes.
    package mutating func add(_ bytes: RawSpan) {
        (sum, sumOfSums) = Adler32Kernel.add(bytes, to: (sum, sumOfSums))
    }
}
