// Blocks beyond the picture, which only interleaved scans code.
//
// In: coefficients of whole MCUs. Out: the same, with the cheapest blocks where the picture has none.

import ImageCodecsCore
import ImageEncoding
import JPEGBaselineCodec

/// Fills the blocks of incomplete MCUs that do not touch the picture: AC coefficients of zero, and a DC coefficient that costs
/// nothing because it is that of the block coded before.
///
/// To the right of the picture that is the block before it in the row; below, the last block of the same MCU's row above.
///
/// - Source: ITU-T T.81 (1992) §A.2.4 "Completion of partial MCU".
enum DummyBlocks {
    static func fill(_ coefficients: inout QuantizedCoefficients, _ component: FrameGeometry.Component) {
        coefficients.values.withMutableBytes { bytes in
            forEach(of: component) { source, target in
                let dc = bytes.bytes.word(source * QuantizedCoefficients.bytesPerBlock, 0)
                let start = target * QuantizedCoefficients.bytesPerBlock
                for index in 0..<64 { bytes.setWord(index == 0 ? dc : 0, start, index) }
            }
        }
    }

    /// Calls `copy` for each such block.
    ///
    /// - Parameter copy: gets the number of a block, row-major over the padded grid, and that of the block which is to have its DC
    ///   coefficient, and no others.
    static func forEach(of component: FrameGeometry.Component, _ copy: (_ source: Int, _ target: Int) -> Void) {
        let width = component.paddedWidthInBlocks
        for row in 0..<component.paddedHeightInBlocks {
            if row >= component.heightInBlocks {
                for column in 0..<width {
                    let mcu = column / component.horizontalSampling
                    let last = (mcu + 1) * component.horizontalSampling - 1
                    copy((row - 1) * width + last, row * width + column)
                }
            } else if component.widthInBlocks < width {
                for column in component.widthInBlocks..<width {
                    copy(row * width + column - 1, row * width + column)
                }
            }
        }
    }
}
