// DAC: what arithmetic coding depends on besides the statistics that it gathers.

package import ImageCodecsCore

/// The conditioning values of the four DC and the four AC tables of arithmetic coding.
///
/// - Source: ITU-T T.81 (1992) §B.2.4.3 "Arithmetic conditioning table-specification syntax".
package struct ArithmeticConditioning: Hashable, Sendable {
    /// `L` and `U`: differences of magnitudes up to `2^(L - 1)` count as none, those above `2^(U - 1)` as large. 0 ≤ L ≤ U ≤ 15.
    package private(set) var lower = SIMD4<UInt8>(repeating: 0)
    package private(set) var upper = SIMD4<UInt8>(repeating: 1)
    /// `Kx`, 1...63: up to which coefficient of the zig-zag order magnitudes have statistics of low frequencies.
    package private(set) var lastLow = SIMD4<UInt8>(repeating: 5)

    /// The values of a file without a DAC segment.
    package init() {}

    /// Reads every value of a segment: a byte with the class and the slot, and one with the value.
    ///
    /// - Parameters:
    ///   - body: The segment after its length.
    ///   - offset: Where the marker was found, for errors.
    package mutating func read(_ body: Span<UInt8>, offset: Int) throws(ImageError) {
        guard body.count % 2 == 0 else {
            throw .corruptJPEG(.jpegConditioning, offset, "conditioning table is cut off")
        }
        for position in stride(from: 0, to: body.count, by: 2) {
            let (slot, value) = (Int(body[position] & 15), body[position + 1])
            guard body[position] >> 4 <= 1, slot < 4 else {
                throw .corruptJPEG(.jpegConditioning, offset, "conditioning table of an unknown class or outside 0...3")
            }
            let isDC = body[position] >> 4 == 0
            guard isDC ? value & 15 <= value >> 4 : (1...63).contains(value) else {
                throw .corruptJPEG(.jpegConditioning, offset, "conditioning value out of range")
            }
            if isDC {
                (lower[slot], upper[slot]) = (value & 15, value >> 4)
            } else {
                lastLow[slot] = value
            }
        }
    }
}
