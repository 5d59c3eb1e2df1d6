// Blocks in natural order to blocks in zig-zag order.

import ImageCodecsCore
import JPEGBaselineCodec

#if !ReferenceKernels
/// Coefficients in the order in which they are coded.
///
/// - Source: ITU-T T.81 (1992) §A.3.6 "Zig-zag sequence".
package enum ZigZagKernels {
    /// Copies blocks.
    ///
    /// - Parameters:
    ///   - coefficients: 64 per slot, in natural order.
    ///   - masks: One per slot, as `ForwardDCTKernels` makes them. If there is no bit but bit 0, AC coefficients are not
    ///     read: they are zero.
    ///   - slots: Those of the blocks to copy.
    ///   - count: Blocks.
    ///   - target: Receives 128 bytes per block from `offset` on.
    /// - Precondition: All of that lies in the spans.
    package static func reorder(
        _ coefficients: Span<Int16>, masks: Span<UInt64>, slots: BlockSlots, count: Int,
        into target: inout MutableRawSpan, at offset: Int
    ) {
        guard count > 0 else { return }
        precondition(slots.first >= 0 && slots.groupSize > 0 && slots.step >= slots.groupSize)
        precondition(slots.slot(count - 1) < masks.count && masks.count * 64 <= coefficients.count)
        precondition(offset >= 0 && offset + 128 * count <= target.byteCount && ZigZagOrder.natural.count == 64)
        unsafe coefficients.withUnsafeBufferPointer { coefficients in
            unsafe ZigZagOrder.natural.withUnsafeBufferPointer { order in
                for index in 0..<count {
                    let slot = slots.slot(index)
                    let place = offset &+ 128 &* index
                    let isFull = masks[slot] > 1
                    for position in 0..<64 {
                        // SAFETY: the order has 64 places in 0...63; slot and target were checked above.
                        let source = unsafe 64 &* slot &+ Int(order[position])
                        let value = unsafe position == 0 || isFull ? coefficients[source] : 0
                        unsafe target.storeBytes(
                            of: value, toUncheckedByteOffset: place &+ 2 &* position, as: Int16.self)
                    }
                }
            }
        }
    }
}
#endif
