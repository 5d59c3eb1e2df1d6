// The set of colours of a picture that may become a palette.

import ImageCore

/// Up to 256 distinct straight RGBA colours, each with its number.
package struct DistinctColors: Sendable {
    /// The colours by number, red in the lowest byte.
    package private(set) var colors: [UInt32] = []
    /// Open addressing: a slot holds a colour's number plus one, or 0. A quarter full at most.
    private var slots: [UInt16]

    /// The largest palette.
    package static let limit = 256
    private static let slotBits: UInt32 = 10

    package init() {
        slots = Array(repeating: 0, count: 1 << Self.slotBits)
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
    /// - Precondition: `row` holds `width` pixels.
    package mutating func insert(rgba row: RawSpan, width: Int) -> Bool {
        var last: UInt32?
        for x in 0..<width {
            let color = row.rgbaPixel(at: x)
            if color == last { continue }
            guard insert(color) else { return false }
            last = color
        }
        return true
    }

    /// Writes the number of each pixel's colour.
    ///
    /// - Precondition: `row` holds `width` pixels whose colours all are in the set, `indices` as many bytes.
    package func look(up row: RawSpan, width: Int, into indices: inout MutableRawSpan) {
        var last = row.rgbaPixel(at: 0)
        var index = number(of: last)
        for x in 0..<width {
            let color = row.rgbaPixel(at: x)
            if color != last {
                index = number(of: color)
                last = color
            }
            indices.storeBytes(of: index, toByteOffset: x, as: UInt8.self)
        }
    }

    private mutating func insert(_ color: UInt32) -> Bool {
        let slot = slot(of: color)
        if slots[slot] != 0 { return true }
        guard colors.count < Self.limit else { return false }
        colors.append(color)
        slots[slot] = UInt16(colors.count)
        return true
    }

    /// The number of a colour of the set; 0 for others.
    func number(of color: UInt32) -> UInt8 {
        let entry = slots[slot(of: color)]
        return entry == 0 ? 0 : UInt8(truncatingIfNeeded: entry - 1)
    }

    /// Where `color` is, or belongs.
    private func slot(of color: UInt32) -> Int {
        let mask = slots.count - 1
        var slot = Int((color &* 0x9E37_79B1) >> (32 - Self.slotBits))
        while slots[slot] != 0 && colors[Int(slots[slot]) - 1] != color { slot = (slot + 1) & mask }
        return slot
    }
}
