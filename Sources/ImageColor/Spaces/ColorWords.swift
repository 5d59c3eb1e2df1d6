// The colours of a file in words, for people who ask what a picture is in.

package import ImageCodecsCore

/// What primaries and curve of a space are called.
package struct ColorWords: Hashable, Sendable {
    /// What the space calls itself; empty if it does not.
    package let name: String
    /// What its primaries are: `Display P3`, `its own`; `nil` for gray, and for profiles with tables.
    package let primaries: String?
    /// How numbers become light: `sRGB`, `gamma 2.2`, `tables`.
    package let transfer: String
    /// The white of the device, if its profile says how that was adapted to D50: `D65`, or `0.314, 0.351` for x and y.
    package let white: String?
    /// Whether its numbers are those of sRGB within 1/255, so that nothing has to be converted.
    package let isSRGB: Bool

    package init(_ profile: ColorProfile) {
        name = profile.name
        isSRGB =
            ColorMapping(
                from: profile, to: .sRGB, intent: .relativeColorimetric, compensatesBlackPoint: true
            ).isIdentity
        white = profile.deviceWhite.flatMap(Self.words(forWhite:))
        switch profile.model {
        case .gray(let curve, let connection):
            (primaries, transfer) = (nil, connection == .xyz ? Self.words(for: curve) : "lightness")
        case .matrix(let curves, let matrix):
            primaries = Self.words(for: matrix)
            let words = curves.map(Self.words)
            transfer = Set(words).count == 1 ? words[0] : "three curves"
        case .tables: (primaries, transfer) = (nil, "tables")
        }
    }

    /// What a file says; `nil` if it says nothing.
    ///
    /// - Throws: what is wrong with its profile.
    package init?(of metadata: ImageMetadata) throws(ICCProfileError) {
        let isCMYK = metadata.iccProfile.map { ICCColorSpace(ofProfile: $0) == .cmyk } ?? false
        guard let profile = try ColorProfile(of: metadata, channels: isCMYK ? .cmyk : .rgb) else { return nil }
        self.init(profile)
    }

    private static func words(for matrix: Matrix3) -> String {
        func isNear(_ a: SIMD4<Double>, _ b: SIMD4<Double>) -> Bool {
            let difference = a - b
            return max(abs(difference.x), abs(difference.y), abs(difference.z)) < 0.002
        }
        let known = primaries.first { (_, chromaticities) in
            guard let columns = chromaticities.matrix?.columns else { return false }
            return isNear(columns.x, matrix.columns.x) && isNear(columns.y, matrix.columns.y)
                && isNear(columns.z, matrix.columns.z)
        }
        return known?.name ?? "its own"
    }

    private static func words(forWhite white: SIMD4<Double>) -> String? {
        guard white.sum() > 0, white.sum().isFinite else { return nil }
        let (x, y) = (white.x / white.sum(), white.y / white.sum())
        let known = [
            ("D50", 0.3457, 0.3585), ("D55", 0.3324, 0.3474), ("D65", 0.3127, 0.3290), ("D75", 0.2990, 0.3149),
        ]
        if let known = known.first(where: { abs(x - $0.1) < 0.001 && abs(y - $0.2) < 0.001 }) { return known.0 }
        return "\((x * 1000).rounded() / 1000), \((y * 1000).rounded() / 1000)"
    }

    private static let primaries: [(name: String, Chromaticities)] = [
        ("sRGB", .sRGB), ("Display P3", .displayP3), ("Adobe RGB", .adobeRGB),
        (
            "BT.2020",
            Chromaticities(
                white: Chromaticities.d65, red: .init(x: 70800, y: 29200), green: .init(x: 17000, y: 79700),
                blue: .init(x: 13100, y: 4600))
        ),
        // ISO 22028-2 (2013) "ROMM RGB".
        (
            "ProPhoto",
            Chromaticities(
                white: .init(x: 34570, y: 35850), red: .init(x: 73470, y: 26530), green: .init(x: 15960, y: 84040),
                blue: .init(x: 3660, y: 10))
        ),
    ]

    private static func words(for curve: ToneCurve) -> String {
        switch curve {
        case .perceptualQuantizer: return "PQ"
        case .hybridLogGamma: return "HLG"
        default: break
        }
        func isNear(_ other: (Double) -> Double) -> Bool {
            (0...32).allSatisfy { abs(curve(Double($0) / 32) - other(Double($0) / 32)) < 0.003 }
        }
        if isNear({ $0 }) { return "linear" }
        if isNear({ StandardColorSpace.sRGBCurve($0) }) { return "sRGB" }
        // By its middle, in tenths as people say it.
        let tenths = (1...50).min { first, second in
            let middle = curve(0.5)
            func distance(_ tenth: Int) -> Double {
                abs(ReproduciblePowers.power(0.5, Double(tenth) / 10) - middle)
            }
            return distance(first) < distance(second)
        }
        if let tenths, isNear({ ReproduciblePowers.power($0, Double(tenths) / 10) }) {
            return "gamma \(Double(tenths) / 10)"
        }
        return "its own"
    }
}
