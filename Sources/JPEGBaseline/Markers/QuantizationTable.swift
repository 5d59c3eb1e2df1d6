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
        var position = 0
        while position < body.count {
            let is16Bit = body[position] >> 4 != 0
            let slot = Int(body[position] & 15)
            position += 1
            guard slot < slots.count else {
                throw .corruptJPEG(.jpegQuantizationTable, offset, "quantization table outside 0...3")
            }
            guard body.count - position >= (is16Bit ? 128 : 64) else {
                throw .corruptJPEG(.jpegQuantizationTable, offset, "quantization table is cut off")
            }
            var values = [UInt16](repeating: 0, count: 64)
            for index in 0..<64 {
                let value = is16Bit ? Int(body.bigEndianUInt16(at: position + 2 * index)) : Int(body[position + index])
                values[Int(ZigZagOrder.natural[index])] = UInt16(truncatingIfNeeded: value)
            }
            slots[slot] = QuantizationTable(values: values)
            position += is16Bit ? 128 : 64
        }
    }
}
