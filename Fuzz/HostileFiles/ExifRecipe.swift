// Exif blocks: an orientation in either byte order, often with damage.

package import CodecTestSupport

/// The bytes of a TIFF structure, as eXIf and APP1 hold them.
///
/// - Source: Exif 2.32 §4.5.2 "File Structure", §4.6.4 tag 274 "Orientation".
package enum ExifRecipe {
    /// Any block: mostly with an orientation of 0...9, sometimes empty, cut off, running in circles or damaged.
    package static func any(_ source: inout DecisionSource) -> [UInt8] {
        if source.oneIn(16) { return [] }
        if source.oneIn(4) { return tangled(&source) }
        if source.oneIn(30) { return source.bytes(source.below(40)) }
        var block = sound(orientation: UInt8(source.below(10)), isBigEndian: source.oneIn(2), &source)
        switch source.below(8) {
        case 0: block = Array(block.prefix(source.below(block.count + 1)))
        case 1: block[source.below(block.count)] = source.byte()
        case 2: block += source.bytes(source.below(50))
        default: break
        }
        return block
    }

    private static func sound(
        orientation: UInt8, isBigEndian: Bool, _ source: inout DecisionSource
    ) -> [UInt8] {
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
            return isBigEndian ? bytes.reversed() : bytes
        }
        let others = source.oneIn(5) ? source.below(300) : 0
        // The tag of another directory that begins where this one does: a circle.
        let circle = number(0x8769, 2) + number(4, 2) + number(1, 4) + number(8, 4)
        // Fields of any type, whose values may lie anywhere.
        let fieldCount = source.oneIn(3) ? source.below(6) : 0
        let fields = (0..<fieldCount).flatMap { _ -> [UInt8] in
            let count = source.pick([0, 1, 2, 9, 300, 0xFFFF_FFFF])
            let place = source.pick([0, 8, 20, source.below(100), 0x7FFF_FFFF, 0xFFFF_FFF8])
            return number(source.pick([0x010E, 0x829A, 0x8825, 0xA005]), 2) + number(source.below(14), 2)
                + number(count, 4) + number(place, 4)
        }
        let entry = number(0x0112, 2) + number(3, 2) + number(1, 4) + number(Int(orientation), 2) + [0, 0]
        return Array((isBigEndian ? "MM" : "II").utf8) + number(42, 2) + number(8, 4)
            + number(fieldCount + others + 1, 2) + fields + Array([[UInt8]](repeating: circle, count: others).joined())
            + entry
            + number(source.oneIn(4) ? 8 : 0, 4)
    }

    /// Directories that lie on one another, in one another's values and beyond the end, and that lead to each other in circles; with
    /// fields of every type and number, up to 2^32 - 1.
    private static func tangled(_ source: inout DecisionSource) -> [UInt8] {
        let isBigEndian = source.oneIn(2)
        let byteCount = 40 + source.below(400)
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
            return isBigEndian ? bytes.reversed() : bytes
        }
        var block = Array((isBigEndian ? "MM" : "II").utf8) + number(42, 2) + number(source.pick([8, 8, 8, 20]), 4)
        while block.count < byteCount { block.append(source.oneIn(6) ? source.byte() : 0) }
        func put(_ bytes: [UInt8], at place: Int) {
            for (index, byte) in zip(place..., bytes) where index < byteCount { block[index] = byte }
        }
        var places = [8, 20]
        for _ in 0..<1 + source.below(6) {
            let place = source.oneIn(2) ? source.pick(places) : 8 + source.below(byteCount - 8)
            places.append(place)
            let fieldCount = source.pick([1, 2, 3, 5, 300, 65535])
            put(number(fieldCount, 2), at: place)
            for index in 0..<min(fieldCount, 6) {
                let tag = source.pick([
                    0x8769, 0x8825, 0xA005, 0x0112, 0x010F, 0x0201, 0x0202, 0x0111, 0x0117, 0x927C, 1, 2,
                    source.below(65536),
                ])
                let isPointer = tag == 0x8769 || tag == 0x8825 || tag == 0xA005
                let type = isPointer ? source.pick([4, 4, 3, 13]) : source.below(15)
                let count = source.pick([0, 1, 1, 2, 3, 9, 100, 0xFFFF_FFFF])
                let value = source.oneIn(2) ? source.pick(places) : source.below(byteCount + 40)
                put(
                    number(tag, 2) + number(type, 2) + number(count, 4) + number(value, 4), at: place + 2 + 12 * index)
            }
            let next = source.pick([0, source.pick(places), source.below(byteCount + 60)])
            if fieldCount < 6 { put(number(next, 4), at: place + 2 + 12 * fieldCount) }
        }
        return source.oneIn(5) ? Array(block.prefix(source.below(byteCount + 1))) : block
    }
}
