// Rows in, the quantised coefficients of the whole picture out: for files that are coded more than once.
//
//   rows -> Samples/PixelRowCollector -> Transform/MCURowBlocks -> QuantizedCoefficients
//
// The coefficients are those that `BaselineScanEncoder` codes in one pass.

package import ImageCodecsCore
package import JPEGBaselineCodec

/// Transforms a picture and keeps its coefficients.
package struct CoefficientCollector: Sendable {
    package let frame: EncoderFrame
    /// One for each component.
    package private(set) var coefficients: [QuantizedCoefficients]
    private var collector: PixelRowCollector
    private var blocks: MCURowBlocks
    private var mcuRow = 0

    /// - Parameters:
    ///   - format: Of the rows; see ``PixelRowCollector/canRead(_:as:)``.
    ///   - meter: Counts buffers and coefficients.
    package init(_ frame: EncoderFrame, format: PixelFormat, meter: MemoryMeter?) throws(ImageError) {
        self.frame = frame
        collector = try PixelRowCollector(frame, format: format, meter: meter)
        blocks = try MCURowBlocks(frame, meter: meter)
        coefficients = []
        for component in frame.geometry.components {
            coefficients.append(
                try QuantizedCoefficients(
                    widthInBlocks: component.paddedWidthInBlocks, heightInBlocks: component.paddedHeightInBlocks,
                    meter: meter))
        }
    }

    /// Bytes that a collector for `geometry` holds, coefficients included. Saturates.
    package static func byteCount(_ geometry: FrameGeometry) -> Int {
        PixelRowCollector.byteCount(geometry).addingSaturated(MCURowBlocks.byteCount)
            .addingSaturated(coefficientByteCount(geometry))
    }

    /// Bytes of the coefficients alone. Saturates.
    package static func coefficientByteCount(_ geometry: FrameGeometry) -> Int {
        geometry.components.reduce(0) { sum, component in
            sum.addingSaturated(
                QuantizedCoefficients.byteCount(
                    widthInBlocks: component.paddedWidthInBlocks, heightInBlocks: component.paddedHeightInBlocks))
        }
    }

    /// Adds the next row of the picture, of its width in pixels.
    package mutating func write(_ row: RawSpan) {
        guard collector.write(row) else { return }
        var column = 0
        while column < frame.geometry.mcusPerRow {
            let count = min(blocks.capacity, frame.geometry.mcusPerRow - column)
            blocks.transform(column..<column + count, ofRow: mcuRow, from: collector.planes)
            keep(column..<column + count)
            column += count
        }
        mcuRow += 1
    }

    /// Moves the blocks of some MCUs to where they belong.
    private mutating func keep(_ mcus: Range<Int>) {
        var firstSlot = 0
        for (index, component) in frame.geometry.components.enumerated() {
            let h = component.horizontalSampling
            for row in 0..<component.verticalSampling {
                let blockRow = mcuRow * component.verticalSampling + row
                for block in 0..<mcus.count * h {
                    let slot = firstSlot + block / h * blocks.blocksPerMCU + block % h
                    keep(slot, component: index, column: mcus.lowerBound * h + block, row: blockRow)
                }
                firstSlot += h
            }
        }
    }

    private mutating func keep(_ slot: Int, component: Int, column: Int, row: Int) {
        let offset = coefficients[component].byteOffset(column: column, row: row)
        blocks.coefficients.withSpan { values in
            var mask = blocks.masks.withSpan { $0[slot] } | 1
            coefficients[component].values.withMutableBytes(offset..<offset + QuantizedCoefficients.bytesPerBlock) {
                bytes in
                while mask != 0 {
                    let position = mask.trailingZeroBitCount
                    let value = values[64 * slot + Int(ZigZagOrder.natural[position])]
                    bytes.storeBytes(of: value, toByteOffset: 2 * position, as: Int16.self)
                    mask &= mask &- 1
                }
            }
        }
    }
}
