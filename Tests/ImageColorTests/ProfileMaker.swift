// ICC profiles for tests, tag by tag.

/// Bytes of a profile with these tags.
func profileBytes(
    deviceClass: String = "mntr", channels: String = "RGB ", connection: String = "XYZ ", version: UInt8 = 2,
    _ tags: [(name: String, element: [UInt8])]
) -> [UInt8] {
    var (table, body) = (word(tags.count), [UInt8]())
    let start = 132 + 12 * tags.count
    for tag in tags {
        table += Array(tag.name.utf8) + word(start + body.count) + word(tag.element.count)
        body += tag.element + Array(repeating: 0, count: -tag.element.count & 3)
    }
    var header = word(start + body.count) + word(0) + [version, 0, 0, 0]
    header += Array((deviceClass + channels + connection).utf8) + Array(repeating: 0, count: 12)
    header += Array("acsp".utf8) + Array(repeating: 0, count: 88)
    return header + table + body
}

func word(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
func half(_ value: Int) -> [UInt8] { [UInt8(value >> 8 & 255), UInt8(value & 255)] }
func fixed(_ value: Double) -> [UInt8] { word(Int((value * 65536).rounded())) }

func sampledCurve(_ values: [Int]) -> [UInt8] {
    Array("curv".utf8) + word(0) + word(values.count) + values.flatMap(half)
}
func tristimulus(_ x: Double, _ y: Double, _ z: Double) -> [UInt8] {
    Array("XYZ ".utf8) + word(0) + [x, y, z].flatMap(fixed)
}

/// A table of 16 bits with straight curves.
func table16(channels: Int, points: Int, _ values: [Int]) -> [UInt8] {
    var bytes = Array("mft2".utf8) + word(0) + [UInt8(channels), 3, UInt8(points), 0]
    bytes += [1, 0, 0, 0, 1, 0, 0, 0, 1].flatMap(fixed) + half(2) + half(2)
    for _ in 0..<channels { bytes += half(0) + half(65535) }
    bytes += values.flatMap(half)
    for _ in 0..<3 { bytes += half(0) + half(65535) }
    return bytes
}
