// One row of MCUs in the order in which a scan codes its blocks.
//
// In: the coefficients of the components, row by row of each. Out: block after block as the scan has them, so that what
// makes tokens need not know of sampling factors.

import ImageCodecsCore
import JPEGBaselineCodec

/// The blocks of an MCU row, MCU after MCU, each component's row by row.
///
/// Example, 36x28 pixels, 4:2:0: a row of an interleaved scan is 3 MCUs of 6 blocks: four of luma, then Cb, then Cr. A
/// row of a scan of luma alone is 5 MCUs of one block.
struct InterleavedRow: Sendable {
    /// The blocks of an MCU.
    let blocks: [TokenBlock]
    let geometry: ScanGeometry
    /// Of each block the DC coefficient, in DC scans.
    private(set) var values: NumberBuffer<Int16>
    /// Of each block 64 coefficients, and its mask, in sequential scans.
    private(set) var coefficients: ScratchBuffer
    private(set) var masks: NumberBuffer<UInt64>

    private let holdsBlocks: Bool

    /// - Parameter scan: a scan that begins with the DC coefficients.
    init(_ scan: ScanSpecification, of picture: CoefficientPicture, meter: MemoryMeter?) throws(ImageError) {
        geometry = ScanGeometry(components: scan.components, in: picture.geometry)
        let tables = scan.components.map { picture.huffmanTable(ofComponent: $0) }
        // Tables of one scan are numbered from 0 on.
        let first = tables.min() ?? 0
        var blocks: [TokenBlock] = []
        for (place, index) in scan.components.enumerated() {
            let component = picture.geometry.components[index]
            let count =
                geometry.isInterleaved ? component.horizontalSampling * component.verticalSampling : 1
            blocks += Array(
                repeating: TokenBlock(predictor: place, table: tables[place] - first), count: count)
        }
        self.blocks = blocks
        holdsBlocks = !scan.isProgressive
        let count = geometry.mcusPerRow * blocks.count
        values = try NumberBuffer(count: holdsBlocks ? 0 : count, meter: meter)
        coefficients = try ScratchBuffer(
            byteCount: holdsBlocks ? count * QuantizedCoefficients.bytesPerBlock : 0, meter: meter)
        masks = try NumberBuffer(count: holdsBlocks ? count : 0, meter: meter)
    }

    /// Bytes that a row takes at most, for any scan of a frame; saturates.
    static func byteCount(_ geometry: FrameGeometry, isProgressive: Bool) -> Int {
        geometry.blocksPerMCURow * (isProgressive ? 2 : QuantizedCoefficients.bytesPerBlock + 8)
    }

    /// Collects the blocks of a row.
    ///
    /// - Parameter masks: of each component of the picture, bit k where coefficient k is not zero.
    mutating func load(_ row: Int, of picture: CoefficientPicture, masks: [NumberBuffer<UInt64>]) {
        var first = 0
        for index in geometry.components {
            let component = picture.geometry.components[index]
            let (h, v) =
                geometry.isInterleaved ? (component.horizontalSampling, component.verticalSampling) : (1, 1)
            for y in 0..<v {
                let line = row * v + y
                for x in 0..<h {
                    let source = BlockLine(
                        start: line * picture.coefficients[index].widthInBlocks + x, step: h, target: first + y * h + x)
                    if holdsBlocks {
                        copyBlocks(source, of: picture.coefficients[index], masks: masks[index])
                    } else {
                        copyValues(source, of: picture.coefficients[index])
                    }
                }
            }
            first += h * v
        }
    }

    /// Every `step`th block of a component from `start` on, and where in an MCU it goes.
    private struct BlockLine {
        let start: Int
        let step: Int
        let target: Int
    }

    private mutating func copyValues(_ line: BlockLine, of component: QuantizedCoefficients) {
        let (count, stride) = (geometry.mcusPerRow, blocks.count)
        component.withBytes { source in
            values.withMutableSpan { values in
                for mcu in 0..<count {
                    let block = line.start + mcu * line.step
                    values[line.target + mcu * stride] = Int16(
                        bitPattern: source.nativeUInt16(at: block * QuantizedCoefficients.bytesPerBlock))
                }
            }
        }
    }

    private mutating func copyBlocks(
        _ line: BlockLine, of component: QuantizedCoefficients, masks source: NumberBuffer<UInt64>
    ) {
        let (count, stride, size) = (geometry.mcusPerRow, blocks.count, QuantizedCoefficients.bytesPerBlock)
        component.withBytes { source in
            coefficients.withMutableBytes { target in
                for mcu in 0..<count {
                    let start = (line.start + mcu * line.step) * size
                    target.copy(source.extracting(start..<start + size), at: (line.target + mcu * stride) * size)
                }
            }
        }
        source.withSpan { source in
            masks.withMutableSpan { masks in
                for mcu in 0..<count { masks[line.target + mcu * stride] = source[line.start + mcu * line.step] }
            }
        }
    }
}
