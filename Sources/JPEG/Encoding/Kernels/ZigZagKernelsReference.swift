// Zig-zag order, plain.

import ImageCodecsCore
import JPEGBaselineCodec

/// The plain twin of `ZigZagKernels`.
package enum ZigZagKernelsReference {
    /// See `ZigZagKernels.reorder`.
    package static func reorder(
        _ coefficients: Span<Int16>, masks: Span<UInt64>, slots: BlockSlots, count: Int,
        into target: inout MutableRawSpan, at offset: Int
    ) {
        for index in 0..<count {
            let slot = slots.slot(index)
            for position in 0..<64 {
                let isRead = position == 0 || masks[slot] > 1
                let value = isRead ? coefficients[64 * slot + Int(ZigZagOrder.natural[position])] : 0
                target.storeBytes(of: value, toByteOffset: offset + 128 * index + 2 * position, as: Int16.self)
            }
        }
    }
}

#if ReferenceKernels
package typealias ZigZagKernels = ZigZagKernelsReference
#endif
