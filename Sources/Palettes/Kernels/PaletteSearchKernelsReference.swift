// Looking colours up one after another. Plain twin of PaletteSearchKernels.

import ImageCodecsCore

package enum PaletteSearchKernelsReference: PaletteSearchTable {
    /// See ``PaletteSearchKernels/search(_:_:in:indices:)``.
    package static func search(
        _ row: RawSpan, _ pixels: Range<Int>, in slots: Span<UInt64>, indices: inout MutableRawSpan
    ) -> Int {
        for x in pixels {
            let color = row.nativeUInt32(at: 4 * x)
            var slot = firstSlot(of: color)
            while slots[slot] != 0, UInt32(truncatingIfNeeded: slots[slot]) != color { slot = (slot + 1) % slotCount }
            if slots[slot] == 0 { return x }
            indices.setByte(UInt8(slots[slot] >> 32 - 1), at: x)
        }
        return pixels.upperBound
    }
}

#if ReferenceKernels
package typealias PaletteSearchKernels = PaletteSearchKernelsReference
#endif
