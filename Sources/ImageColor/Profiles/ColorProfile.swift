// What numbers of a picture mean as colours: read from an ICC profile, or one of the spaces that standards define.

package import ImageCodecsCore

/// The colours of a picture: what an ICC profile says, or a chunk of PNG, or a standard.
///
///     let profile = try ColorProfile(icc: metadata.iccProfile)
///     let transform = ColorTransform(from: profile, to: .sRGB)
public struct ColorProfile: Hashable, Sendable {
    /// The channels that pictures of a profile have.
    public enum Channels: Int, Hashable, Sendable {
        case gray = 1
        case rgb = 3
        case cmyk = 4
    }

    /// How numbers become colours.
    enum Model: Hashable, Sendable {
        /// A curve; the result is luminance, or lightness if the connection space is Lab.
        case gray(ToneCurve, ConnectionSpace)
        /// Curves for red, green and blue, and what their light is in XYZ relative to D50.
        case matrix([ToneCurve], Matrix3)
        /// Tables for the rendering intents perceptual, relative colorimetric and saturation, one of them at least.
        case tables([ProfileTable?])
    }

    /// The channels of its pictures.
    public let channels: Channels
    /// What it is called, for people; empty if it does not say.
    public let name: String
    let model: Model
    /// The lightest colour of the medium relative to D50; for absolute colorimetry.
    let mediaWhite: SIMD4<Double>
    /// The white of the device as it was measured; `nil` if the profile does not say.
    let deviceWhite: SIMD4<Double>?
    /// Whether it is of a printer.
    let isPrinter: Bool
    /// From the connection space to the inks of a printer with four, perceptually; `nil` for other profiles.
    let printing: ProfileTable?
    /// Whether it follows version 4 of the specification.
    let isVersion4: Bool

    init(
        channels: Channels, name: String, model: Model, mediaWhite: SIMD4<Double> = Whites.d50,
        deviceWhite: SIMD4<Double>? = nil, isPrinter: Bool = false, printing: ProfileTable? = nil,
        isVersion4: Bool = true
    ) {
        self.channels = channels
        self.name = name
        self.model = model
        self.mediaWhite = mediaWhite
        self.deviceWhite = deviceWhite
        self.isPrinter = isPrinter
        self.printing = printing
        self.isVersion4 = isVersion4
    }

    /// Whether it is of high dynamic range, and so brought to that of a display.
    var isHighDynamicRange: Bool {
        guard case .matrix(let curves, _) = model else { return false }
        return curves.contains(.perceptualQuantizer) || curves.contains(.hybridLogGamma)
    }

    /// XYZ relative to D50 of the numbers of a pixel, 0...1 each; for CMYK 1 is full ink.
    package func tristimulus(_ v: SIMD4<Double>, intent: RenderingIntent) -> SIMD4<Double> {
        switch model {
        case .gray(let curve, .xyz): Whites.d50 * curve(v.x)
        case .gray(let curve, _): ConnectionSpace.tristimulus(lab: SIMD4(curve(v.x) * 100, 0, 0, 0))
        case .matrix(let curves, let matrix): matrix * SIMD4(curves[0](v.x), curves[1](v.y), curves[2](v.z), 0)
        case .tables(let tables):
            Self.table(of: tables, for: intent).map { $0.tristimulus(v) } ?? Whites.d50
        }
    }

    /// Bytes that it holds besides those of the ICC profile.
    var byteCount: Int {
        switch model {
        case .gray(let curve, _): curve.byteCount
        case .matrix(let curves, _): curves.reduce(0) { $0 + $1.byteCount }
        case .tables(let tables): (tables + [printing]).reduce(0) { $0 + ($1?.byteCount ?? 0) }
        }
    }

    /// The table of an intent, else the perceptual one, else any.
    static func table(of tables: [ProfileTable?], for intent: RenderingIntent) -> ProfileTable? {
        let wanted = intent == .absoluteColorimetric ? .relativeColorimetric : intent
        return tables[Int(wanted.rawValue)] ?? tables.lazy.compactMap { $0 }.first
    }
}

/// A profile's table from numbers of a device to the connection space, or back.
struct ProfileTable: Hashable, Sendable {
    let stages: [LookupStage]
    let connection: ConnectionSpace

    /// Bytes of its curves.
    var byteCount: Int { stages.reduce(0) { $0 + $1.byteCount } }

    /// XYZ of a device's numbers.
    func tristimulus(_ v: SIMD4<Double>) -> SIMD4<Double> { connection.tristimulus(apply(v)) }

    /// A device's numbers for XYZ relative to D50, of a table that goes to the device.
    func numbers(of tristimulus: SIMD4<Double>) -> SIMD4<Double> { apply(connection.numbers(of: tristimulus)) }

    private func apply(_ v: SIMD4<Double>) -> SIMD4<Double> {
        var value = v
        for stage in stages { value = stage.apply(value) }
        return value
    }
}
