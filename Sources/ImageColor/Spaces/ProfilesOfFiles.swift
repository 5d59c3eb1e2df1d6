// Which of the things that a file says about its colours counts.

public import ImageCodecsCore
import ImagePhotoMetadata

extension ColorProfile {
    /// What a file says about its colours, the strongest statement first: code points (cICP), an ICC profile, sRGB, gamma with or
    /// without chromaticities, EXIF's mark of Adobe RGB.
    ///
    /// - Parameters:
    ///   - metadata: what the file says.
    ///   - channels: those of the picture: a profile for others does not count.
    /// - Returns: `nil` if the file says nothing, and what it shows then is taken for sRGB.
    /// - Throws: `ICCProfileError` if the profile that counts is broken.
    /// - Source: PNG 3rd ed. §4.3 "Color spaces" for the order; Exif 3.0 §4.6.6 "Interoperability" for `R03`.
    public init?(of metadata: ImageMetadata, channels: Channels) throws(ICCProfileError) {
        if channels != .cmyk, let codePoints = metadata.codePoints, let profile = ColorProfile(codePoints) {
            self = profile
        } else if let icc = metadata.iccProfile {
            let profile = try ColorProfile(icc: icc)
            guard profile.channels == channels || (profile.channels == .gray && channels == .rgb) else { return nil }
            self = profile
        } else if channels == .cmyk {
            return nil
        } else if metadata.renderingIntent != nil {
            self = StandardColorSpace.sRGB.profile
        } else if let gamma = metadata.gamma {
            guard let profile = ColorProfile(gamma: gamma, metadata.chromaticities) else { return nil }
            self = profile
        } else if metadata.hasAdobeMark {
            self = StandardColorSpace.adobeRGB.profile
        } else {
            return nil
        }
    }

    /// - Parameter gamma: times 100000, as files have it: 45455 for numbers that a display of gamma 2.2 shows right.
    /// - Returns: `nil` if the numbers make no colours.
    init?(gamma: UInt32, _ chromaticities: Chromaticities?) {
        guard gamma > 1000, gamma < 10_000_000 else { return nil }
        guard let matrix = (chromaticities ?? .sRGB).matrix, matrix.inverse != nil else { return nil }
        let curve = ToneCurve.gamma(100_000 / Double(gamma))
        self.init(
            channels: .rgb, name: "gamma \((Double(gamma) / 1000).rounded() / 100)",
            model: .matrix([curve, curve, curve], matrix))
    }

    /// Spaces by the numbers of ITU-T H.273.
    ///
    /// - Returns: `nil` for primaries, transfer functions or matrices that are not here.
    /// - Source: ITU-T H.273 (2024) table 2 "Colour primaries", table 3 "Transfer characteristics", table 4 "Matrix coefficients".
    public init?(_ points: CodingIndependentCodePoints) {
        guard points.matrix == 0, points.isFullRange else { return nil }
        guard let chromaticities = Chromaticities(codePoint: points.primaries), let matrix = chromaticities.matrix,
            let curve = ToneCurve(codePoint: points.transfer)
        else { return nil }
        self.init(
            channels: .rgb, name: "code points \(points.primaries), \(points.transfer)",
            model: .matrix([curve, curve, curve], matrix))
    }
}

extension ImageMetadata {
    /// Whether EXIF data say that the picture is in Adobe RGB.
    var hasAdobeMark: Bool {
        guard let exif, let block = ExifBlock(exif) else { return false }
        return block[ExifTag(.interoperability, 1)] == .ascii("R03")
    }
}

extension Chromaticities {
    /// The primaries of H.273, table 2.
    init?(codePoint: UInt8) {
        func make(_ w: (UInt32, UInt32), _ r: (UInt32, UInt32), _ g: (UInt32, UInt32), _ b: (UInt32, UInt32)) -> Self {
            Chromaticities(
                white: Point(x: w.0, y: w.1), red: Point(x: r.0, y: r.1), green: Point(x: g.0, y: g.1),
                blue: Point(x: b.0, y: b.1))
        }
        let d65: (UInt32, UInt32) = (31270, 32900)
        switch codePoint {
        case 1: self = .sRGB
        case 4: self = make((31000, 31600), (67000, 33000), (21000, 71000), (14000, 8000))
        case 5: self = make(d65, (64000, 33000), (29000, 60000), (15000, 6000))
        case 6, 7: self = make(d65, (63000, 34000), (31000, 59500), (15500, 7000))
        case 9: self = make(d65, (70800, 29200), (17000, 79700), (13100, 4600))
        case 11: self = make((31400, 35100), (68000, 32000), (26500, 69000), (15000, 6000))
        case 12: self = .displayP3
        case 22: self = make(d65, (63000, 34000), (29500, 60500), (15500, 7700))
        default: return nil
        }
    }
}

extension ToneCurve {
    /// The transfer functions of H.273, table 3, as displays show them: those of cameras (1, 6, 14, 15) with the display gamma 2.4 of
    /// ITU-R BT.1886.
    init?(codePoint: UInt8) {
        switch codePoint {
        case 1, 6, 14, 15: self = .gamma(2.4)
        case 4: self = .gamma(2.2)
        case 5: self = .gamma(2.8)
        case 8: self = .identity
        case 13: self = .parametric(StandardColorSpace.sRGBCurve)
        case 16: self = .perceptualQuantizer
        case 18: self = .hybridLogGamma
        default: return nil
        }
    }
}
