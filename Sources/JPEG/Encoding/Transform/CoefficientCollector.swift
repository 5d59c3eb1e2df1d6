// Rows in, the quantised coefficients of a whole picture out: for efforts that look at them more than once.
//
//   rows -> Samples/PixelRowCollector -> Transform/MCURowBlocks -> QuantizedCoefficients
//
// The coefficients are those that `BaselineScanEncoder` codes.

package import ImageCodecsCore
package import JPEGBaselineCodec

/// Quantises a picture and keeps the coefficients of every component.
package struct CoefficientCollector: Sendable {
    package let frame: EncoderFrame
    /// One per component; whole after the last row.
    package private(set) var coefficients: [QuantizedCoefficients]

    private var collector: PixelRowCollector
    private var blocks: MCURowBlocks
    private var mcuRow = 0

    /// - Parameters:
    ///   - format: Of the rows; see ``PixelRowCollector/canRead(_:as:)``.
    ///   - meter: Counts the coefficients and the buffers.
    package init(_ frame: EncoderFrame, format: PixelFormat, meter: MemoryMeter?) throws(ImageError) {
        self.frame = frame
        coefficients = []
        for component in frame.geometry.components {
            coefficients.append(
                try QuantizedCoefficients(
                    widthInBlocks: component.paddedWidthInBlocks, heightInBlocks: component.paddedHeightInBlocks,
                    meter: meter))
        }
        collector = try PixelRowCollector(frame, format: format, meter: meter)
        blocks = try MCURowBlocks(frame, meter: meter)
    }

    /// Bytes that a collector for `geometry` holds. Saturates.
    package static func byteCount(_ geometry: FrameGeometry) -> Int {
        geometry.components.reduce(PixelRowCollector.byteCount(geometry) + MCURowBlocks.byteCount) {
            $0.addingSaturated(
                QuantizedCoefficients.byteCount(
                    widthInBlocks: $1.paddedWidthInBlocks, heightInBlocks: $1.paddedHeightInBlocks))
        }
    }

    /// Adds the next row of the picture, of its width in pixels.
    package mutating func write(_ row: RawSpan) {
        guard collector.write(row) else { return }
        var column = 0
        while column < frame.geometry.mcusPerRow {
            let mcus = column..<min(column + blocks.capacity, frame.geometry.mcusPerRow)
            blocks.transform(mcus, ofRow: mcuRow, from: collector.planes)
            keep(mcus)
            column = mcus.upperBound
        }
        mcuRow += 1
    }

    /// Whether the picture's last row has been written.
    package var isComplete: Bool { collector.isComplete }

    /// Copies the blocks of some MCUs to their places.
    private mutating func keep(_ mcus: Range<Int>) {
        var firstSlot = 0
        for index in frame.geometry.components.indices {
            let component = frame.geometry.components[index]
            let h = component.horizontalSampling
            for row in 0..<component.verticalSampling {
                let slots = BlockSlots(first: firstSlot, groupSize: h, step: blocks.blocksPerMCU)
                let start = coefficients[index].byteOffset(
                    column: mcus.lowerBound * h, row: mcuRow * component.verticalSampling + row)
                blocks.coefficients.withSpan { values in
                    blocks.masks.withSpan { masks in
                        coefficients[index].values.withMutableBytes {
                            ZigZagKernels.reorder(
                                values, masks: masks, slots: slots, count: mcus.count * h, into: &$0, at: start)
                        }
                    }
                }
                firstSlot += h
            }
        }
    }
}
