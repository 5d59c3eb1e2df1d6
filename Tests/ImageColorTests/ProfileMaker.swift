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
func table16(channels: Int, outputs: Int = 3, points: Int, _ values: [Int]) -> [UInt8] {
    var bytes = Array("mft2".utf8) + word(0) + [UInt8(channels), UInt8(outputs), UInt8(points), 0]
    bytes += [1, 0, 0, 0, 1, 0, 0, 0, 1].flatMap(fixed) + half(2) + half(2)
    for _ in 0..<channels { bytes += half(0) + half(65535) }
    bytes += values.flatMap(half)
    for _ in 0..<outputs { bytes += half(0) + half(65535) }
    return bytes
}

/// A table of 8 bits with straight curves.
func table8(channels: Int, outputs: Int = 3, points: Int, _ values: [UInt8]) -> [UInt8] {
    let straight = Array(UInt8.min...UInt8.max)
    var bytes = Array("mft1".utf8) + word(0) + [UInt8(channels), UInt8(outputs), UInt8(points), 0]
    bytes += [1, 0, 0, 0, 1, 0, 0, 0, 1].flatMap(fixed)
    for _ in 0..<channels { bytes += straight }
    bytes += values
    for _ in 0..<outputs { bytes += straight }
    return bytes
}

/// A `mBA ` from three channels: curves, a matrix of nine numbers and what is added, a grid of as many points a channel of bytes.
func curvesAndGridToDevice(
    outputs: Int, curve: [UInt8], matrix: [Double], pointCounts: [UInt8], _ values: [UInt8]
) -> [UInt8] {
    let curves = Array(repeating: curve, count: 3).joined()
    let matrixAt = 32 + curves.count
    let gridAt = matrixAt + 48 + curves.count
    let grid = pointCounts + Array(repeating: 0, count: 16 - pointCounts.count) + [1, 0, 0, 0] + values
    let curvesAt = gridAt + (grid.count + 3) / 4 * 4
    var bytes = Array("mBA ".utf8) + word(0) + [3, UInt8(outputs), 0, 0]
    bytes += [32, matrixAt, matrixAt + 48, gridAt, curvesAt].flatMap(word)
    bytes += curves + matrix.flatMap(fixed) + curves + grid + Array(repeating: 0, count: curvesAt - gridAt - grid.count)
    return bytes + Array(repeating: curve, count: outputs).joined()
}
