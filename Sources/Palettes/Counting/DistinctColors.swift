// The set of colours of a picture that may become a palette.

import ImageCodecsCore

/// Up to 256 distinct straight RGBA colours, each with its number.
package struct DistinctColors: Sendable {
    /// The colours by number, red in the lowest byte.
    package private(set) var colors: [UInt32] = []
    /// See ``PaletteSearchKernels``.
    private var slots: ContiguousArray<UInt64>

    /// The largest palette.
    package static let limit = 256

    package init() {
        slots = ContiguousArray(repeating: 0, count: PaletteSearchKernels.slotCount)
    }

    /// A set with these colours, numbered in their order.
    ///
    /// - Precondition: at most ``limit`` colours, all distinct.
    package init(_ colors: [UInt32]) {
        self.init()
        for color in colors { _ = insert(color) }
    }

    /// Adds the colours of a row of straight RGBA; `false` as soon as there would be more than ``limit``.
    ///
    /// - Parameters:
    ///   - row: the pixels.
    ///   - width: how many there are.
    ///   - indices: is overwritten; at least `width` bytes.
    package mutating func insert(rgba row: RawSpan, width: Int, indices: inout MutableRawSpan) -> Bool {
        var x = 0
        while true {
            x = PaletteSearchKernels.search(row, x..<width, in: slots.span, indices: &indices)
            guard x < width else { return true }
            guard insert(row.nativeUInt32(at: 4 * x)) else { return false }
        }
    }

    /// Writes the number of each pixel's colour.
    ///
    /// - Precondition: all colours of the row are in the set; `indices` holds at least `width` bytes.
    package func look(up row: RawSpan, width: Int, into indices: inout MutableRawSpan) {
        let found = PaletteSearchKernels.search(row, 0..<width, in: slots.span, indices: &indices)
        precondition(found == width, "a colour that the survey has not seen")
    }

    /// The number of a colour; `nil` if it is not in the set.
    package func number(of color: UInt32) -> UInt8? {
        var slot = PaletteSearchKernels.firstSlot(of: color)
        while slots[slot] != 0 {
            if UInt32(truncatingIfNeeded: slots[slot]) == color {
                return UInt8(truncatingIfNeeded: slots[slot] >> 32 - 1)
            }
            slot = (slot + 1) % slots.count
        }
        return nil
    }

    /// Adds a colour that is not in the set; `false` when the set is full.
    private mutating func insert(_ color: UInt32) -> Bool {
        guard colors.count < Self.limit else { return false }
        var slot = PaletteSearchKernels.firstSlot(of: color)
        while slots[slot] != 0 { slot = (slot + 1) % slots.count }
        slots[slot] = PaletteSearchKernels.slot(color: color, number: UInt8(colors.count))
        colors.append(color)
        return true
    }
}
