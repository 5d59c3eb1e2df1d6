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

    /// XYZ of the numbers of a table, 0...1 each.
    func tristimulus(_ encoded: SIMD4<Double>) -> SIMD4<Double> {
        switch self {
        case .xyz: encoded * (1 + 32767.0 / 32768)
        case .lab: Self.tristimulus(lab: SIMD4(encoded.x * 100, encoded.y * 255 - 128, encoded.z * 255 - 128, 0))
        case .labOfVersion2: ConnectionSpace.lab.tristimulus(encoded * (65535.0 / 65280))
        }
    }

    /// XYZ relative to D50, of L, a and b.
    static func tristimulus(lab: SIMD4<Double>) -> SIMD4<Double> {
        let y = (lab.x + 16) / 116
        let f = SIMD4(y + lab.y / 500, y, y - lab.z / 200, 0)
        func cube(_ t: Double) -> Double { t > 24.0 / 116 ? t * t * t : (108.0 / 841) * (t - 16.0 / 116) }
        return SIMD4(cube(f.x), cube(f.y), cube(f.z), 0) * Whites.d50
    }

    /// The lightness L of a luminance, 0...100.
    static func lightness(_ luminance: Double) -> Double {
        let isDark = luminance <= 24.0 * 24 * 24 / (116.0 * 116 * 116)
        return isDark ? luminance * 841.0 / 108 * 116 : 116 * ReproduciblePowers.power(luminance, 1.0 / 3) - 16
    }
}
