// Exif blocks: an orientation in either byte order, often with damage.

package import CodecTestSupport

/// The bytes of a TIFF structure, as eXIf and APP1 hold them.
///
/// - Source: Exif 2.32 §4.5.2 "File Structure", §4.6.4 tag 274 "Orientation".
package enum ExifRecipe {
    /// Any block: mostly with an orientation of 0...9, sometimes empty, cut off, running in circles or damaged.
    package static func any(_ source: inout DecisionSource) -> [UInt8] {
        if source.oneIn(16) { return [] }
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
}
