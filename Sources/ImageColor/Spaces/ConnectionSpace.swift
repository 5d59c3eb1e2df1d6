// The space in which profiles meet: XYZ or Lab, relative to D50, and how both are written as numbers of 0...1.

import ImageCodecsCore

/// What a profile's model gives.
///
/// - Source: ICC.1:2022 §6.3.4 "Colour space encodings for the PCS", table 11 "CIEXYZ encoding", table 12 "CIELAB encoding";
///   annex D.
enum ConnectionSpace: Hashable, Sendable {
    case xyz
    /// L 0...100, a and b -128...127 over the whole range.
    case lab
    /// As version 2 writes 16 bits: 100 is 0xFF00.
    case labOfVersion2

    /// From the numbers of a table, 0...1 each, to X, Y and Z, or to what `cubes` makes them of.
    var roots: (matrix: Matrix3, offset: SIMD4<Double>) {
        let scale: Double
        switch self {
        case .xyz: return (Matrix3.diagonal(SIMD4(repeating: 1 + 32767.0 / 32768)), .zero)
        case .lab: scale = 1
        case .labOfVersion2: scale = 65535.0 / 65280
        }
        let (l, a, b) = (scale * 100 / 116, scale * 255 / 500, scale * 255 / 200)
        return (
            Matrix3(rows: [l, a, 0, l, 0, 0, l, 0, -b]),
            SIMD4(16.0 / 116 - 128.0 / 500, 16.0 / 116, 16.0 / 116 + 128.0 / 200, 0)
        )
    }

    /// The numbers that a table has for XYZ relative to D50.
    func numbers(of tristimulus: SIMD4<Double>) -> SIMD4<Double> {
        guard self != .xyz else { return tristimulus / (1 + 32767.0 / 32768) }
        let x = Self.lightness(tristimulus.x / Whites.d50.x)
        let y = Self.lightness(tristimulus.y)
        let z = Self.lightness(tristimulus.z / Whites.d50.z)
        // 116 times the roots less 16 each, so differences are those of roots.
        let (a, b) = ((x - y) * 500 / 116, (y - z) * 200 / 116)
        let scale = self == .lab ? 1 : 65280.0 / 65535
        return SIMD4(y / 100, (a + 128) / 255, (b + 128) / 255, 0) * scale
    }

    /// XYZ of the numbers of a table, 0...1 each.
    func tristimulus(_ encoded: SIMD4<Double>) -> SIMD4<Double> {
        let (matrix, offset) = roots
        let value = matrix * encoded + offset
        return self == .xyz ? value : Self.cubes(value)
    }

    /// XYZ relative to D50, of L, a and b.
    static func tristimulus(lab: SIMD4<Double>) -> SIMD4<Double> {
        let y = (lab.x + 16) / 116
        return cubes(SIMD4(y + lab.y / 500, y, y - lab.z / 200, 0))
    }

    /// XYZ relative to D50, of what they are powers of.
    private static func cubes(_ f: SIMD4<Double>) -> SIMD4<Double> {
        func cube(_ t: Double) -> Double { t > 24.0 / 116 ? t * t * t : (108.0 / 841) * (t - 16.0 / 116) }
        return SIMD4(cube(f.x), cube(f.y), cube(f.z), 0) * Whites.d50
    }

    /// The lightness L of a luminance, 0...100.
    static func lightness(_ luminance: Double) -> Double {
        let isDark = luminance <= 24.0 * 24 * 24 / (116.0 * 116 * 116)
        return isDark ? luminance * 841.0 / 108 * 116 : 116 * ReproduciblePowers.power(luminance, 1.0 / 3) - 16
    }
}
