// ICC profiles that say what numbers of a picture mean: curves with a matrix, a gray curve, tables of every kind.

package import CodecTestSupport

/// The bytes of a profile with colours; mostly sound, its numbers now and then beyond what there is.
///
/// - Source: ICC.1:2022 §7.2 "Profile header", §7.3 "Tag table", §10.6 "curveType", §10.10 "lut16Type", §10.11 "lut8Type", §10.12
///   "lutAToBType", §10.13 "lutBToAType", §10.18 "parametricCurveType".
package enum ColorProfileRecipe {
    /// Any profile.
    package static func any(_ source: inout DecisionSource) -> [UInt8] {
        let channels = source.pick(["RGB ", "RGB ", "CMYK", "GRAY"])
        let count = channels == "CMYK" ? 4 : channels == "GRAY" ? 1 : 3
        let hasTables = count == 4 || source.oneIn(2)
        let connectsToLab = hasTables && source.oneIn(2)
        var tags: [(name: String, element: [UInt8])] = [("wtpt", tristimulus(&source))]
        if hasTables {
            for name in ["A2B0", "A2B1", "A2B2"] where !source.oneIn(3) {
                tags.append((name, table(count, 3, &source)))
            }
            if count == 4, source.oneIn(2) { tags.append(("B2A0", table(3, count, &source))) }
        } else if count == 1 {
            tags.append(("kTRC", curve(&source)))
        } else {
            for name in ["r", "g", "b"] {
                tags.append((name + "XYZ", tristimulus(&source)))
                tags.append((name + "TRC", curve(&source)))
            }
        }
        if source.isFault(oneIn: 10) { tags.remove(at: source.below(tags.count)) }
        let profile = bytes(
            channels: source.isFault(oneIn: 20) ? "Lab " : channels, connection: connectsToLab ? "Lab " : "XYZ ", tags,
            &source)
        return source.isFault(oneIn: 8) ? Array(profile.prefix(source.below(profile.count + 1))) : profile
    }

    private static func bytes(
        channels: String, connection: String, _ tags: [(name: String, element: [UInt8])], _ source: inout DecisionSource
    ) -> [UInt8] {
        let version: UInt8 = source.oneIn(2) ? 2 : 4
        var header = number(0, 4) + number(0, 4) + [version, 0, 0, 0]
        header += Array(source.pick(["mntr", "scnr", "prtr", "spac"]).utf8) + Array((channels + connection).utf8)
        header += number(0, 12) + Array("acsp".utf8) + number(0, 88)
        var (table, body) = (number(tags.count, 4), [UInt8]())
        let start = 132 + 12 * tags.count
        for tag in tags {
            let offset = source.isFault(oneIn: 20) ? source.pick([0, 0xFFFF_FFFF, start]) : start + body.count
            let byteCount = source.isFault(oneIn: 20) ? source.pick([0, 12, 0xFFFF_FFFF]) : tag.element.count
            table += Array(tag.name.utf8) + number(offset, 4) + number(byteCount, 4)
            body += tag.element + number(0, -tag.element.count & 3)
        }
        return header + table + body
    }

    private static func number(_ value: Int, _ byteCount: Int) -> [UInt8] {
        (0..<byteCount).map { $0 < byteCount - 8 ? 0 : UInt8(truncatingIfNeeded: value >> (8 * (byteCount - 1 - $0))) }
    }

    /// A number of 16 bits before and after the point, mostly of the size that profiles have.
    private static func fixed(_ source: inout DecisionSource) -> [UInt8] {
        source.isFault(oneIn: 12) ? source.bytes(4) : number(source.below(1 << 17) - (1 << 14), 4)
    }

    private static func tristimulus(_ source: inout DecisionSource) -> [UInt8] {
        Array("XYZ ".utf8) + number(0, 4) + fixed(&source) + fixed(&source) + fixed(&source)
    }

    private static func curve(_ source: inout DecisionSource) -> [UInt8] {
        if source.oneIn(2) {
            let count = source.pick([0, 1, 2, 5, 256])
            let stated = source.isFault(oneIn: 12) ? source.pick([70_000, 0xFFFF_FFFF]) : count
            return Array("curv".utf8) + number(0, 4) + number(stated, 4) + source.bytes(2 * count)
        }
        let type = source.isFault(oneIn: 12) ? 5 + source.below(9) : source.below(5)
        let counts = [1, 3, 4, 5, 7]
        var bytes = Array("para".utf8) + number(0, 4) + number(type, 2) + number(0, 2)
        // The power: 0.5 to 3.5.
        bytes += source.isFault(oneIn: 8) ? source.bytes(4) : number((1 << 15) + source.below(3 << 16), 4)
        for _ in 1..<(type < 5 ? counts[type] : 2) { bytes += fixed(&source) }
        return bytes
    }

    /// From `inputs` channels to `outputs`: to the connection space if the latter are three, else to the device.
    private static func table(_ inputs: Int, _ outputs: Int, _ source: inout DecisionSource) -> [UInt8] {
        let stated = source.isFault(oneIn: 20) ? source.below(16) : inputs
        let points = source.isFault(oneIn: 20) ? source.pick([0, 1, 255]) : 2 + source.below(inputs == 4 ? 3 : 5)
        let valueCount = min(outputs * (0..<inputs).reduce(1) { product, _ in product * max(1, points) }, 4096)
        let header = number(0, 4) + [UInt8(stated), UInt8(outputs)]
        switch source.below(3) {
        case 0:
            return Array("mft1".utf8) + header + [UInt8(points), 0] + matrix(&source)
                + source.bytes(256 * inputs) + source.bytes(valueCount) + source.bytes(256 * outputs)
        case 1:
            let entries = source.isFault(oneIn: 12) ? source.pick([0, 1, 5000]) : source.pick([2, 5, 64])
            let held = min(entries, 64)
            return Array("mft2".utf8) + header + [UInt8(points), 0] + matrix(&source)
                + number(entries, 2) + number(entries, 2) + source.bytes(2 * held * inputs)
                + source.bytes(2 * valueCount) + source.bytes(2 * held * outputs)
        default:
            return Array((outputs == 3 ? "mAB " : "mBA ").utf8) + header + [0, 0]
                + curvesAndGrid(inputs, outputs, points: points, valueCount: valueCount, &source)
        }
    }

    private static func matrix(_ source: inout DecisionSource) -> [UInt8] {
        (0..<9).flatMap { source.isFault(oneIn: 20) ? source.bytes(4) : number($0 % 4 == 0 ? 1 << 16 : 0, 4) }
    }

    /// `mAB ` or `mBA ` from its offsets on: each of the steps may be left out.
    private static func curvesAndGrid(
        _ inputs: Int, _ outputs: Int, points: Int, valueCount: Int, _ source: inout DecisionSource
    ) -> [UInt8] {
        let deviceCount = outputs == 3 ? inputs : outputs
        var (offsets, body) = ([Int](), [UInt8]())
        func add(_ element: [UInt8]) {
            offsets.append(32 + body.count)
            body += element + number(0, -element.count & 3)
        }
        func curves(_ count: Int) -> [UInt8] {
            (0..<count).flatMap { _ in
                let element = curve(&source)
                return element + number(0, -element.count & 3)
            }
        }
        add(curves(3))
        if source.oneIn(2) { add((0..<12).flatMap { _ in fixed(&source) }) } else { offsets.append(0) }
        if source.oneIn(2) { add(curves(3)) } else { offsets.append(0) }
        let wordByteCount = source.isFault(oneIn: 20) ? source.below(5) : 1 + source.below(2)
        if deviceCount != 3 || source.oneIn(2) {
            let counts = (0..<16).map { $0 < inputs ? UInt8(points) : 0 }
            add(counts + [UInt8(wordByteCount), 0, 0, 0] + source.bytes(valueCount * max(1, min(2, wordByteCount))))
            add(curves(deviceCount))
        } else {
            offsets += [0, 0]
        }
        if source.isFault(oneIn: 8) { offsets[source.below(5)] = source.pick([1, 40, 0x7FFF_FFFF, 0xFFFF_FFFF]) }
        return offsets.flatMap { number($0, 4) } + body
    }
}
