// How often each colour occurs: what palettes are made of.

package import ImageCodecsCore

/// How often each colour occurs in one or more pictures.
///
/// Colours are kept with all their bits as long as there are nearly 2^18, or 2^13 with effort `fast`; then ever more of their low bits
/// are dropped, of blue first and of green last. Opaque and transparent pixels stay what they are. The result depends on nothing but the rows.
package struct ColorHistogram: Sendable {
    /// A hash table with open addressing: the colour in the low half, its weight in the high half; an empty slot is 0.
    private var slots: NumberBuffer<UInt64>
    /// Colours in the table.
    package private(set) var count = 0
    /// The first colours that came, one more than a palette may have.
    private var firstColors: [UInt32] = []
    /// How many bits of colours were dropped, all channels together.
    private var droppedBitCount = 0
    /// How often all weights were halved.
    private var halvingCount = 0
    private let meter: MemoryMeter?
    private let largestSlotCount: Int

    /// The most slots with effort `fast`.
    private static let fewSlotCount = 1 << 14
    private static let smallestSlotCount = 1 << 10
    private static let manySlotCount = 1 << 19
    /// Pixels for which there is room before they are looked at.
    private static let batchCount = 256

    /// An empty histogram.
    ///
    /// - Parameters:
    ///   - effort: how many colours are kept apart.
    ///   - meter: counts the table.
    /// - Throws: `limitExceeded(.memory)`.
    package init(effort: EncodingOptions.Effort = .default, meter: MemoryMeter?) throws(ImageError) {
        self.meter = meter
        largestSlotCount = Self.largestSlotCount(effort)
        slots = try NumberBuffer(count: Self.smallestSlotCount, meter: meter)
    }

    private static func largestSlotCount(_ effort: EncodingOptions.Effort) -> Int {
        effort == .fast ? fewSlotCount : manySlotCount
    }

    /// The most colours that a histogram holds.
    package static func largestCount(_ effort: EncodingOptions.Effort) -> Int { largestSlotCount(effort) / 2 }

    /// Bytes that the histogram of this many pixels holds at most, while it grows. Saturates.
    package static func byteCount(pixelCount: Int, effort: EncodingOptions.Effort) -> Int {
        min(
            2 * 8 * largestSlotCount(effort),
            pixelCount.addingSaturated(batchCount).multipliedSaturated(by: 48).addingSaturated(16 * smallestSlotCount))
    }

    /// All colours if there are at most 256, in the order in which they came first.
    package var distinctColors: [UInt32]? { count <= 256 ? firstColors : nil }

    /// Adds a row.
    ///
    /// - Parameters:
    ///   - row: straight RGBA; transparent pixels count as zero whatever their colour is.
    ///   - width: how many pixels there are.
    ///   - weight: how much a pixel counts, at least 1.
    ///   - work: is asked for the time.
    /// - Throws: `limitExceeded(.memory)`, and what `work` throws.
    package mutating func add(
        _ row: RawSpan, width: Int, weight: UInt32, work: inout WorkGuard
    ) throws(ImageError) {
        var x = 0
        while x < width {
            try makeRoom(work: &work)
            let end = min(x + Self.batchCount, width)
            add(row, x..<end, weight: UInt64(max(weight, 1)))
            try work.spend(4 * (end - x))
            x = end
        }
    }

    /// Hands out each colour and its weight, in an order that only depends on what the table holds.
    package func forEach(_ body: (_ color: UInt32, _ weight: UInt32) -> Void) {
        slots.withSpan { slots in
            for index in slots.indices where slots[index] != 0 {
                body(UInt32(truncatingIfNeeded: slots[index]), UInt32(slots[index] >> 32))
            }
        }
    }

    private mutating func add(_ row: RawSpan, _ pixels: Range<Int>, weight: UInt64) {
        var slots = slots.handedOver()
        defer { self.slots = slots }
        slots.withMutableSpan { slots in
            var x = pixels.lowerBound
            while x < pixels.upperBound {
                let pixel = row.nativeUInt32(at: 4 * x)
                let start = x
                repeat { x += 1 } while x < pixels.upperBound && row.nativeUInt32(at: 4 * x) == pixel
                add(Self.reduced(pixel, droppedBitCount), weight: weight * UInt64(x - start), to: &slots)
            }
        }
    }

    /// - Parameter weight: below 2^40.
    @inline(__always)
    private mutating func add(_ color: UInt32, weight: UInt64, to slots: inout MutableSpan<UInt64>) {
        let slot = Self.slot(of: color, in: slots)
        var weight = max(1, weight >> UInt64(halvingCount))
        while (slots[slot] >> 32) + weight > UInt64(UInt32.max) {
            Self.halve(&slots)
            halvingCount += 1
            weight = (weight + 1) / 2
        }
        if slots[slot] == 0 {
            slots[slot] = UInt64(color)
            count += 1
            if firstColors.count <= 256 { firstColors.append(color) }
        }
        slots[slot] += weight << 32
    }

    /// The slot of a colour, or the one that it would get.
    ///
    /// Colours of a picture made for it may all want the same slots: those that find none near count as the first one there, so
    /// that no pixel costs more than some steps. Of 256 colours none is in that case.
    @inline(__always)
    private static func slot(of color: UInt32, in slots: borrowing MutableSpan<UInt64>) -> Int {
        // Nothing may stand for transparency, and nothing else is in its slot.
        if color == 0 { return slots.count - 1 }
        // The high bits of a product by an odd number near 2^32 over the golden ratio depend on all bits of the colour.
        let bitCount = UInt32(truncatingIfNeeded: slots.count.trailingZeroBitCount)
        let first = min(Int((color &* 0x9E37_79B1) >> (32 - bitCount)), slots.count - 2)
        var slot = first
        for _ in 0..<mostSteps {
            if slots[slot] == 0 || UInt32(truncatingIfNeeded: slots[slot]) == color { return slot }
            slot = slot + 2 < slots.count ? slot + 1 : 0
        }
        return first
    }

    /// Slots that are looked at for a colour.
    private static let mostSteps = 300

    private static func halve(_ slots: inout MutableSpan<UInt64>) {
        for index in slots.indices where slots[index] != 0 {
            let weight = slots[index] >> 32
            slots[index] = slots[index] & 0xFFFF_FFFF | ((weight + 1) / 2) << 32
        }
    }

    /// Sees to it that half of the slots are empty even after a batch of new colours.
    private mutating func makeRoom(work: inout WorkGuard) throws(ImageError) {
        while 2 * (count + Self.batchCount) > slots.count {
            if slots.count < largestSlotCount {
                try rebuild(slotCount: 2 * slots.count, work: &work)
            } else {
                droppedBitCount += 1
                try rebuild(slotCount: slots.count, work: &work)
            }
        }
    }

    private mutating func rebuild(slotCount: Int, work: inout WorkGuard) throws(ImageError) {
        var larger = try NumberBuffer<UInt64>(count: slotCount, meter: meter)
        let dropped = droppedBitCount
        count = slots.withSpan { slots in
            larger.withMutableSpan { larger in
                var count = 0
                for index in slots.indices where slots[index] != 0 {
                    let color = Self.reduced(UInt32(truncatingIfNeeded: slots[index]), dropped)
                    let slot = Self.slot(of: color, in: larger)
                    if larger[slot] == 0 {
                        larger[slot] = UInt64(color)
                        count += 1
                    }
                    let weight = min((larger[slot] >> 32) + (slots[index] >> 32), UInt64(UInt32.max))
                    larger[slot] = larger[slot] & 0xFFFF_FFFF | weight << 32
                }
                return count
            }
        }
        slots = larger
        try work.spend(8 * slotCount)
    }

    /// A colour without its low bits, in the middle of those that look like it.
    @inline(__always)
    private static func reduced(_ pixel: UInt32, _ droppedBitCount: Int) -> UInt32 {
        guard pixel >> 24 != 0 else { return 0 }
        return droppedBitCount == 0 ? pixel : dropping(droppedBitCount, of: pixel)
    }

    private static func dropping(_ bitCount: Int, of pixel: UInt32) -> UInt32 {
        // In turn blue, red, and green with alpha; three bits of each are left at least, so that 2^14 slots are enough.
        let (red, green, blue) = ((bitCount + 1) / 3, bitCount / 3, (bitCount + 2) / 3)
        func reduced(_ shift: UInt32, _ dropped: Int) -> UInt32 {
            let value = pixel >> shift & 0xFF
            let count = UInt32(min(dropped, 5))
            return count == 0 ? value : (value >> count) << count | 1 << (count - 1)
        }
        let alpha = pixel >> 24 == 255 ? 255 : min(254, reduced(24, green))
        return reduced(0, red) | reduced(8, green) << 8 | reduced(16, blue) << 16 | alpha << 24
    }
}
