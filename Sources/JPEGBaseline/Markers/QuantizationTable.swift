// DQT: the divisors of the coefficients.

package import ImageCodecsCore

/// 64 divisors in natural (row-major) order, 8 or 16 bits in the file.
///
/// - Source: ITU-T T.81 (1992) §B.2.4.1 "Quantization table-specification syntax".
package struct QuantizationTable: Hashable, Sendable {
    /// 64 values in natural order.
    package let values: [UInt16]

    /// - Parameter values: 64 values in natural order.
    package init(values: [UInt16]) {
        precondition(values.count == 64)
        self.values = values
    }

    /// Reads every table of a DQT segment into its slot.
    package static func read(_ body: Span<UInt8>, into slots: inout [QuantizationTable?], offset: Int)
        throws(ImageError)
    {
        try readEach(body, offset: offset) { slot, steps in
            let is16Bit = steps.count == 128
            var values = [UInt16](repeating: 0, count: 64)
            for index in 0..<64 {
                values[Int(ZigZagOrder.natural[index])] =
                    is16Bit ? steps.bigEndianUInt16(at: 2 * index) : UInt16(steps[index])
            }
            slots[slot] = QuantizationTable(values: values)
        }
    }

    /// Reads the tables of a DQT segment one after the other.
    ///
    /// - Parameters:
    ///   - body: The segment after its length.
    ///   - offset: Where the marker was found, for errors.
    ///   - define: Gets the slot, 0...3, and the 64 steps in zig-zag order: a byte each, or two, the higher one first.
    static func readEach(
        _ body: Span<UInt8>, offset: Int, _ define: (_ slot: Int, _ steps: Span<UInt8>) -> Void
    ) throws(ImageError) {
        var position = 0
        while position < body.count {
            let is16Bit = body[position] >> 4 != 0
            let slot = Int(body[position] & 15)
            position += 1
            guard slot < 4 else {
                throw .corruptJPEG(.jpegQuantizationTable, offset, "quantization table outside 0...3")
            }
            let byteCount = is16Bit ? 128 : 64
            guard body.count - position >= byteCount else {
                throw .corruptJPEG(.jpegQuantizationTable, offset, "quantization table is cut off")
            }
            define(slot, body.extracting(position..<position + byteCount))
            position += byteCount
        }
    }
}
