// Plain twin of MacroblockRepairKernels: one sample at a time.

import ImageCodecsCore
import ImageEncoding

/// See the functions of the same names in ``MacroblockRepairKernels``.
package enum MacroblockRepairReference: MacroblockRepairLayout {
    package static func enlarge(_ grid: Int, into result: Int, in workspace: inout MutableRawSpan) {
        for y in 0..<16 {
            for x in 0..<16 {
                let (nearRow, farRow) = (y / 2 + 1, y % 2 == 0 ? y / 2 : y / 2 + 2)
                let (near, far) = (x / 2 + 1, x % 2 == 0 ? x / 2 : x / 2 + 2)
                func sample(_ column: Int, _ row: Int) -> Int {
                    Int(workspace.byte(at: grid + row * gridStride + column))
                }
                let sum =
                    9 * sample(near, nearRow) + 3 * (sample(far, nearRow) + sample(near, farRow)) + sample(far, farRow)
                // 225 of the samples are 256 of full range.
                let word = sum - 2048
                let place = (y / 4 * 4 + x / 4) * 16 + y % 4 * 4 + x % 4
                workspace.setWord(Int16(word + ((word * 9031) >> 16)), result, place)
            }
        }
    }

    package static func store(_ block: BlockSamples, at offset: Int, in workspace: inout MutableRawSpan) {
        for index in 0..<16 {
            workspace.setWord(Int16((Int(block[index]) * 64 * 19066) / 65536 - 2346), offset, index)
        }
    }

    package static func changed(
        _ block: BlockSamples, from before: Int, to after: Int, in workspace: RawSpan
    ) -> BlockSamples {
        var result = block
        for index in 0..<16 {
            let difference = Int(workspace.word(after, index)) - Int(workspace.word(before, index))
            result[index] = UInt8(clamping: Int(block[index]) + (((4 * difference + 37) * 880) >> 16))
        }
        return result
    }
}

#if ReferenceKernels
package typealias MacroblockRepairKernels = MacroblockRepairReference
#endif
