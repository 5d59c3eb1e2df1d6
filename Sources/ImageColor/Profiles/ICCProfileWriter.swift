// The small profiles that files need: three primaries and one curve.

import ImageCodecsCore

extension StandardColorSpace {
    /// An ICC profile of version 4 for pictures in this space: about 500 bytes.
    ///
    /// - Source: ICC.1:2022 §7.2 "Profile header", §8.3.3 "Three-component matrix-based Input profiles", §9.2 "Tag listing".
    public var iccProfile: [UInt8] {
        var writer = ICCProfileWriter(channels: "RGB ")
        writer.add(["desc"], ICCProfileWriter.text(name))
        writer.add(["cprt"], ICCProfileWriter.text("No copyright, use freely"))
        writer.add(["wtpt"], ICCProfileWriter.tristimulus(Whites.d50))
        writer.add(["chad"], ICCProfileWriter.adaptation(Whites.adaptation(fromWhite: Self.whiteD65)))
        writer.add(["rXYZ"], ICCProfileWriter.tristimulus(matrix.columns.x))
        writer.add(["gXYZ"], ICCProfileWriter.tristimulus(matrix.columns.y))
        writer.add(["bXYZ"], ICCProfileWriter.tristimulus(matrix.columns.z))
        writer.add(["rTRC", "gTRC", "bTRC"], ICCProfileWriter.curve(curve))
        return writer.profile()
    }

    private static let whiteD65 = Whites.tristimulus(x: 0.3127, y: 0.329)

    /// An ICC profile of version 4 for gray pictures whose numbers have the curve of this space.
    public var grayICCProfile: [UInt8] {
        var writer = ICCProfileWriter(channels: "GRAY")
        writer.add(["desc"], ICCProfileWriter.text(name + " gray"))
        writer.add(["cprt"], ICCProfileWriter.text("No copyright, use freely"))
        writer.add(["wtpt"], ICCProfileWriter.tristimulus(Whites.d50))
        writer.add(["kTRC"], ICCProfileWriter.curve(curve))
        return writer.profile()
    }
}

/// Collects tags and writes them after header and table.
struct ICCProfileWriter {
    private let channels: String
    private var elements: [(names: [String], bytes: [UInt8])] = []

    init(channels: String) { self.channels = channels }

    /// Adds the bytes of an element, for one tag or for several that share it.
    mutating func add(_ names: [String], _ bytes: [UInt8]) {
        elements.append((names, bytes + Array(repeating: 0, count: -bytes.count & 3)))
    }

    func profile() -> [UInt8] {
        var offset = 132 + 12 * elements.reduce(0) { $0 + $1.names.count }
        var (table, body): ([UInt8], [UInt8]) = ([], [])
        for element in elements {
            for name in element.names {
                table += Array(name.utf8) + Self.word(offset) + Self.word(element.bytes.count)
            }
            body += element.bytes
            offset += element.bytes.count
        }
        let count = elements.reduce(0) { $0 + $1.names.count }
        return header(byteCount: offset) + Self.word(count) + table + body
    }

    /// 128 bytes. The date is that of the specification of version 4.4, so that equal profiles have equal bytes.
    private func header(byteCount: Int) -> [UInt8] {
        var bytes = Self.word(byteCount) + Array(repeating: 0, count: 4) + [4, 0x40, 0, 0]
        bytes += Array("mntr".utf8) + Array(channels.utf8) + Array("XYZ ".utf8)
        bytes += [0x07, 0xE6, 0, 5, 0, 1, 0, 0, 0, 0, 0, 0]
        bytes += Array("acsp".utf8) + Array(repeating: 0, count: 28)
        bytes += Self.word(0x0000_F6D6) + Self.word(0x0001_0000) + Self.word(0x0000_D32D)
        return bytes + Array(repeating: 0, count: 128 - bytes.count)
    }

    static func word(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }

    private static func fixed16(_ value: Double) -> [UInt8] { word(Int((value * 65536).rounded())) }

    /// §10.15 "multiLocalizedUnicodeType", in American English alone.
    static func text(_ text: String) -> [UInt8] {
        let units = Array(text.utf16)
        var bytes = Array("mluc".utf8) + word(0) + word(1) + word(12) + Array("enUS".utf8)
        bytes += word(2 * units.count) + word(28)
        for unit in units { bytes += [UInt8(unit >> 8), UInt8(unit & 255)] }
        return bytes
    }

    static func tristimulus(_ v: SIMD4<Double>) -> [UInt8] {
        Array("XYZ ".utf8) + word(0) + fixed16(v.x) + fixed16(v.y) + fixed16(v.z)
    }

    /// §10.22 "s15Fixed16ArrayType".
    static func adaptation(_ m: Matrix3) -> [UInt8] {
        let (x, y, z) = m.columns
        return Array("sf32".utf8) + word(0) + [x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z].flatMap(fixed16)
    }

    /// §10.18 "parametricCurveType", type 3; type 0 if there is no line.
    static func curve(_ c: ParametricCurve) -> [UInt8] {
        let isPower = c.slope == 0 && c.threshold == 0
        let numbers = isPower ? [c.exponent] : [c.exponent, c.scale, c.offset, c.slope, c.threshold]
        return Array("para".utf8) + word(0) + [0, isPower ? 0 : 3, 0, 0] + numbers.flatMap(fixed16)
    }
}
