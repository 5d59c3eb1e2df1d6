// The blocks of an MCU of an arithmetic-coded scan, and copies of them while it is not certain that their bytes are all there.

import JPEGBaselineCodec

/// One block of an MCU: whose statistics it uses, and where it goes.
struct ArithmeticBlock: Sendable {
    /// Position of the component in the scan, 0...3.
    let member: Int
    /// Where the bins of its tables begin.
    let dcBins: Int
    let acBins: Int
    let bounds: (lower: UInt8, upper: UInt8)
    let lastLow: Int
    let keepsAC: Bool
    /// Number of the block in MCU column 0 and its first coefficient, and from one column to the next.
    let mask: Int
    let maskStep: Int
    let coefficient: Int
    let coefficientStep: Int

    /// Its coefficients in an MCU column.
    func places(_ column: Int) -> Range<Int> {
        let first = coefficient + column * coefficientStep
        return first..<first + (keepsAC ? 64 : 1)
    }
}

/// The state before some MCUs, and their blocks.
struct MCUCopy {
    let state: ArithmeticState
    private let columns: Range<Int>
    private var values: [Int16] = []
    private var masks: [UInt64] = []

    init(
        _ state: ArithmeticState, _ blocks: [ArithmeticBlock], _ columns: Range<Int>,
        _ coefficients: borrowing MutableSpan<Int16>, _ masks: borrowing MutableSpan<UInt64>
    ) {
        self.state = state
        self.columns = columns
        values.reserveCapacity(64 * blocks.count * columns.count)
        self.masks.reserveCapacity(blocks.count * columns.count)
        for column in columns {
            for block in blocks {
                for place in block.places(column) { values.append(coefficients[place]) }
                self.masks.append(masks[block.mask + column * block.maskStep])
            }
        }
    }

    func restore(
        _ blocks: [ArithmeticBlock], _ coefficients: inout MutableSpan<Int16>, _ masks: inout MutableSpan<UInt64>
    ) {
        var (position, index) = (0, 0)
        for column in columns {
            for block in blocks {
                for place in block.places(column) {
                    coefficients[place] = values[position]
                    position += 1
                }
                masks[block.mask + column * block.maskStep] = self.masks[index]
                index += 1
            }
        }
    }
}
