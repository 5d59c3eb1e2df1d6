// Some MCUs of an MCU row as quantised blocks, in the order of an interleaved scan.

package import ImageCodecsCore
package import JPEGBaselineCodec

/// Quantised coefficients of a few MCUs at a time: few enough to stay in the first cache on their way from the forward
/// DCT to the coder.
///
/// Blocks are in the order of a scan of all components: MCU after MCU, in each the components, of each its rows of
/// blocks. Blocks of the last MCUs that do not touch the picture are filled as the reference encoder does it: no AC
/// coefficients, and the DC coefficient of the block before, so that the difference is zero.
///
/// - Source: ITU-T T.81 (1992) §A.2.3 "Interleaved order (Ns > 1)", §A.2.4 "Completion of partial MCU".
package struct MCURowBlocks: Sendable {
    package let geometry: FrameGeometry
    /// Blocks of an MCU, and MCUs that fit.
    package let blocksPerMCU: Int
    package let capacity: Int
    /// 64 per block in natural order; of blocks without AC coefficients these are not zeroed: see `masks`.
    package private(set) var coefficients: NumberBuffer<Int16>
    /// One per block: bit k says that the coefficient in zig-zag position k differs from zero.
    package private(set) var masks: NumberBuffer<UInt64>

    /// By quantisation table.
    private let quantizers: [ForwardQuantizer]

    /// Blocks at a time: 12 KiB of coefficients.
    package static let blocksAtOnce = 96

    package init(_ frame: EncoderFrame, meter: MemoryMeter?) throws(ImageError) {
        geometry = frame.geometry
        blocksPerMCU = Self.blocksPerMCU(frame.geometry)
        capacity = min(Self.blocksAtOnce / blocksPerMCU, frame.geometry.mcusPerRow)
        quantizers = frame.quantizationTables.map(ForwardQuantizer.init)
        coefficients = try NumberBuffer(count: 64 * capacity * blocksPerMCU, meter: meter)
        masks = try NumberBuffer(count: capacity * blocksPerMCU, meter: meter)
    }

    /// Bytes held at most, whatever the picture.
    package static let byteCount = blocksAtOnce * 136

    private static func blocksPerMCU(_ geometry: FrameGeometry) -> Int {
        geometry.components.reduce(0) { $0 + $1.horizontalSampling * $1.verticalSampling }
    }

    /// Transforms MCUs of an MCU row.
    ///
    /// - Parameters:
    ///   - mcus: Columns, at most ``capacity``.
    ///   - planes: The samples of MCU row `mcuRow`.
    package mutating func transform(_ mcus: Range<Int>, ofRow mcuRow: Int, from planes: MCURowSamples) {
        precondition(mcus.count <= capacity && mcus.lowerBound >= 0 && mcus.upperBound <= geometry.mcusPerRow)
        var firstSlot = 0
        for index in geometry.components.indices {
            let component = geometry.components[index]
            for row in 0..<component.verticalSampling {
                transform(row, of: index, mcus, mcuRow, firstSlot, planes)
                firstSlot += component.horizontalSampling
            }
        }
    }

    /// A row of blocks of one component.
    private mutating func transform(
        _ row: Int, of index: Int, _ mcus: Range<Int>, _ mcuRow: Int, _ firstSlot: Int, _ planes: MCURowSamples
    ) {
        let component = geometry.components[index]
        let h = component.horizontalSampling
        let isInPicture = mcuRow * component.verticalSampling + row < component.heightInBlocks
        let firstColumn = mcus.lowerBound * h
        let real = isInPicture ? min(mcus.upperBound * h, component.widthInBlocks) - firstColumn : 0
        let slots = BlockSlots(first: firstSlot, groupSize: h, step: blocksPerMCU)
        let plane = planes.planes[index]
        let origin = plane.offset(ofRow: 8 * row) + 8 * firstColumn
        let quantizer = quantizers[component.quantizationTable]
        planes.samples.withBytes { samples in
            coefficients.withMutableSpan { coefficients in
                masks.withMutableSpan { masks in
                    ForwardDCTKernels.transform(
                        samples, at: origin, stride: plane.stride, count: real, quantizer: quantizer, slots: slots,
                        coefficients: &coefficients, masks: &masks)
                    for block in real..<mcus.count * h {
                        let slot = slots.slot(block)
                        coefficients[64 * slot] = coefficients[64 * (slot - 1)]
                        masks[slot] = 0
                    }
                }
            }
        }
    }
}
