// Looks pixels up in a small table of colours. Pictures with few colours have long runs, which are passed over two
// pixels at a time.

/// The table of colours. Open addressing: a colour's slot is its hash or the next free one after it.
package protocol PaletteSearchTable {}

extension PaletteSearchTable {
    /// The base-two logarithm of the number of slots: four times as many as there are colours at most.
    package static var slotBits: UInt32 { 10 }
    /// The number of slots. Some must be empty, or a search may not end.
    package static var slotCount: Int { 1 << Int(slotBits) }

    /// What a slot holds: the colour in the low half, its number plus one in the high half. An empty slot is 0.
    package static func slot(color: UInt32, number: UInt8) -> UInt64 {
        UInt64(color) | (UInt64(number) + 1) << 32
    }

    /// The first slot to look at for a colour.
    @inline(__always)
    package static func firstSlot(of color: UInt32) -> Int {
        Int(truncatingIfNeeded: (color &* 0x9E37_79B1) &>> (32 &- slotBits))
    }
}

#if !ReferenceKernels
package enum PaletteSearchKernels: PaletteSearchTable {
    /// Writes the number of each pixel's colour, up to the first pixel whose colour is not in the table.
    ///
    /// - Parameters:
    ///   - row: straight RGBA pixels.
    ///   - pixels: which of them to look up.
    ///   - slots: the table.
    ///   - indices: takes the byte at x for the pixel at x.
    /// - Returns: the first pixel whose colour is unknown, or the end of the range.
    /// - Precondition: `row` and `indices` hold the pixels; there are ``slotCount`` slots.
    package static func search(
        _ row: RawSpan, _ pixels: Range<Int>, in slots: Span<UInt64>, indices: inout MutableRawSpan
    ) -> Int {
        precondition(pixels.lowerBound >= 0 && pixels.upperBound <= row.byteCount / 4, "outside the row")
        precondition(pixels.upperBound <= indices.byteCount, "fewer indices than pixels")
        precondition(slots.count == slotCount, "not a table of colours")
        return unsafe row.withUnsafeBytes { row in
            unsafe indices.withUnsafeMutableBytes { indices in
                unsafe slots.withUnsafeBufferPointer { slots in
                    guard let from = row.baseAddress, let to = indices.baseAddress, let table = slots.baseAddress
                    else { return pixels.upperBound }
                    return unsafe search(from, pixels, table, to)
                }
            }
        }
    }

    // SAFETY: the caller has checked that all pixels of the range lie in both rows, and that the table is whole, so
    // that a masked slot number is in it.
    private static func search(
        _ row: UnsafeRawPointer, _ pixels: Range<Int>, _ slots: UnsafePointer<UInt64>,
        _ indices: UnsafeMutableRawPointer
    ) -> Int {
        var x = pixels.lowerBound
        let end = pixels.upperBound
        while x < end {
            let color = unsafe row.loadUnaligned(fromByteOffset: 4 &* x, as: UInt32.self)
            var slot = firstSlot(of: color)
            var entry = unsafe slots[slot]
            while UInt32(truncatingIfNeeded: entry) != color || entry == 0 {
                if entry == 0 { return x }
                slot = (slot &+ 1) & (slotCount &- 1)
                entry = unsafe slots[slot]
            }
            let index = UInt8(truncatingIfNeeded: (entry &>> 32) &- 1)
            unsafe indices.storeBytes(of: index, toByteOffset: x, as: UInt8.self)
            x &+= 1
            // The rest of the run.
            let pair = UInt64(color) | UInt64(color) &<< 32
            let indexPair = UInt16(index) | UInt16(index) &<< 8
            while x &+ 2 <= end, unsafe row.loadUnaligned(fromByteOffset: 4 &* x, as: UInt64.self) == pair {
                unsafe indices.storeBytes(of: indexPair, toByteOffset: x, as: UInt16.self)
                x &+= 2
            }
        }
        return end
    }
}
#endif
