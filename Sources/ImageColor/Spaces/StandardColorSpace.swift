// Spaces that standards define: what pictures are converted to, and what files mean that name one.

import ImageCodecsCore

/// A space that pictures can be converted to.
public struct StandardColorSpace: Hashable, Sendable {
    /// What it is called.
    public let name: String
    /// From numbers to light, the same for each channel.
    let curve: ParametricCurve
    /// Light of the channels in XYZ relative to D50; of gray spaces only luminance.
    let matrix: Matrix3
    /// Light of XYZ relative to D50.
    let inverseMatrix: Matrix3
    /// The inverse of `curve`.
    let lightTable: LightTable

    /// Spaces of one name are one space.
    public static func == (a: Self, b: Self) -> Bool { a.name == b.name }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }

    /// IEC 61966-2-1 (1999) "Default RGB colour space - sRGB".
    public static let sRGB = StandardColorSpace("sRGB", sRGBCurve, .sRGB)
    /// The primaries of SMPTE RP 431-2 with the white and the curve of sRGB, as displays of telephones have them.
    public static let displayP3 = StandardColorSpace("Display P3", sRGBCurve, .displayP3)
    /// Adobe RGB (1998) color image encoding, version 2005-05.
    public static let adobeRGB = StandardColorSpace(
        "Adobe RGB (1998)", ParametricCurve(exponent: 563.0 / 256), .adobeRGB)
    /// The primaries of sRGB without its curve.
    public static let linearSRGB = StandardColorSpace("Linear sRGB", ParametricCurve(exponent: 1), .sRGB)

    static let sRGBCurve = ParametricCurve(
        exponent: 2.4, scale: 1 / 1.055, offset: 0.055 / 1.055, slope: 1 / 12.92, threshold: 0.04045)

    private init(_ name: String, _ curve: ParametricCurve, _ chromaticities: Chromaticities) {
        self.name = name
        self.curve = curve
        lightTable = LightTable(curve)
        // The primaries of these spaces span a triangle.
        matrix = chromaticities.matrix ?? .identity
        inverseMatrix = matrix.inverse ?? .identity
    }

    /// The space as a profile of pictures in it.
    public var profile: ColorProfile {
        ColorProfile(
            channels: .rgb, name: name, model: .matrix(Array(repeating: .parametric(curve), count: 3), matrix))
    }
}

extension StandardColorSpace: CustomStringConvertible {
    /// Its name.
    public var description: String { name }
}

extension Chromaticities {
    static let d65 = Point(x: 31270, y: 32900)
    static let sRGB = Chromaticities(
        white: d65, red: Point(x: 64000, y: 33000), green: Point(x: 30000, y: 60000), blue: Point(x: 15000, y: 6000))
    static let displayP3 = Chromaticities(
        white: d65, red: Point(x: 68000, y: 32000), green: Point(x: 26500, y: 69000), blue: Point(x: 15000, y: 6000))
    static let adobeRGB = Chromaticities(
        white: d65, red: Point(x: 64000, y: 33000), green: Point(x: 21000, y: 71000), blue: Point(x: 15000, y: 6000))

    /// Light of the primaries in XYZ relative to D50; `nil` if a chromaticity has no y, or the primaries lie on a line.
    var matrix: Matrix3? {
        guard [white, red, green, blue].allSatisfy({ $0.y > 0 && $0.x <= 200_000 && $0.y <= 200_000 }) else {
            return nil
        }
        func tristimulus(_ p: Point) -> SIMD4<Double> {
            Whites.tristimulus(x: Double(p.x) / 100_000, y: Double(p.y) / 100_000)
        }
        let primaries = Matrix3(columns: tristimulus(red), tristimulus(green), tristimulus(blue))
        let lightOfWhite = tristimulus(white)
        guard let inverse = primaries.inverse else { return nil }
        let amounts = inverse * lightOfWhite
        return Whites.adaptation(fromWhite: lightOfWhite) * primaries * Matrix3.diagonal(amounts)
    }
}
