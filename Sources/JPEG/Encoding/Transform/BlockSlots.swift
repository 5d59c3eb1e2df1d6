// Where blocks of one component go among the blocks of an MCU row, and masks of their coefficients.

import JPEGBaselineCodec

/// Slots of blocks that lie side by side in a plane, for results that are kept in the order of MCUs.
///
/// Example, 4:2:0, six blocks in an MCU (Y Y Y Y Cb Cr): blocks 0, 1, 2, 3 of the lower row of luma go to slots 2, 3, 8
/// and 9: `first` is 2, `groupSize` 2, `step` 6.
package struct BlockSlots: Hashable, Sendable {
    /// The slot of the first block.
    package let first: Int
    /// Blocks that are neighbours among the slots too.
    package let groupSize: Int
    /// Slots from the first block of a group to the first of the next.
    package let step: Int

    package init(first: Int, groupSize: Int, step: Int) {
        self.first = first
        self.groupSize = groupSize
        self.step = step
    }

    /// Slots one after another.
    package static let consecutive = BlockSlots(first: 0, groupSize: 1, step: 1)

    /// The slot of block `index`.
    package func slot(_ index: Int) -> Int { first + index / groupSize * step + index % groupSize }
}

/// From masks of the columns of a block to a mask in zig-zag order.
package enum ZigZagMasks {
    /// For column u and a byte whose bit v stands for the coefficient in row v of it, at `256 * u + byte`: the bits of
    /// these coefficients' zig-zag positions.
    package static let columns: [UInt64] = {
        var columns = [UInt64](repeating: 0, count: 8 * 256)
        for position in 0..<64 {
            let (row, column) = (Int(ZigZagOrder.natural[position]) / 8, Int(ZigZagOrder.natural[position]) % 8)
            for byte in 0..<256 where byte >> row & 1 != 0 { columns[256 * column + byte] |= 1 << UInt64(position) }
        }
        return columns
    }()
}
