// Blocks beyond the picture, which only interleaved scans code.
//
// In: coefficients of whole MCUs. Out: the same, with the cheapest blocks where the picture has none.

import ImageCodecsCore
import JPEGBaselineCodec

/// Fills the blocks of incomplete MCUs that do not touch the picture: AC coefficients of zero, and a DC coefficient that costs
/// nothing because it is that of the block coded before.
///
/// To the right of the picture that is the block before it in the row; below, the last block of the same MCU's row above.
///
/// - Source: ITU-T T.81 (1992) §A.2.4 "Completion of partial MCU".
enum DummyBlocks {
    static func fill(_ coefficients: inout QuantizedCoefficients, _ component: FrameGeometry.Component) {
        for row in 0..<component.paddedHeightInBlocks {
            if row >= component.heightInBlocks {
                for column in 0..<component.paddedWidthInBlocks {
                    let mcu = column / component.horizontalSampling
                    let last = (mcu + 1) * component.horizontalSampling - 1
                    copy(in: &coefficients, from: (last, row - 1), to: (column, row))
                }
            } else if component.widthInBlocks < component.paddedWidthInBlocks {
                for column in component.widthInBlocks..<component.paddedWidthInBlocks {
                    copy(in: &coefficients, from: (column - 1, row), to: (column, row))
                }
            }
        }
    }

    /// Gives a block the DC coefficient of another, and no others.
    private static func copy(
        in coefficients: inout QuantizedCoefficients, from: (column: Int, row: Int), to: (column: Int, row: Int)
    ) {
        let source = coefficients.byteOffset(column: from.column, row: from.row)
        let target = coefficients.byteOffset(column: to.column, row: to.row)
        coefficients.values.fill(target..<target + QuantizedCoefficients.bytesPerBlock, with: 0)
        coefficients.values.withMutableBytes { bytes in
            let dc = bytes.bytes.word(source, 0)
            bytes.setWord(dc, target, 0)
        }
    }
}
