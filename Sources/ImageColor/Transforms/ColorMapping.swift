// From a profile to a standard space, exactly and for one colour: what the fast tables are made of and compared with.

package import ImageCodecsCore

/// What happens to one colour between two spaces.
///
/// Example: Display P3 red, (1, 0, 0): curve 1, 0, 0; XYZ 0.5151, 0.2412, -0.0011; light of sRGB 1.2249, -0.0421, -0.0196; cut to
/// 1, 0, 0.
package struct ColorMapping: Sendable {
    let source: ColorProfile
    let destination: StandardColorSpace
    let intent: RenderingIntent
    /// XYZ of the source is multiplied by this and moved by `blackShift`, so that its black becomes the destination's.
    private(set) var blackScale = SIMD4<Double>(repeating: 1)
    private(set) var blackShift = SIMD4<Double>.zero

    package init(
        from source: ColorProfile, to destination: StandardColorSpace, intent: RenderingIntent,
        compensatesBlackPoint: Bool
    ) {
        self.source = source
        self.destination = destination
        self.intent = intent
        if intent == .absoluteColorimetric {
            // The paper's white stays what it is beside the white of the display.
            blackScale = source.mediaWhite / Whites.d50
            blackScale.w = 0
        } else if compensatesBlackPoint {
            compensateBlackPoint()
        }
    }

    /// The table of the source for the intent; `nil` if it has none at all.
    var table: ProfileTable? {
        if case .tables(let tables) = source.model { ColorProfile.table(of: tables, for: intent) } else { nil }
    }

    /// Moves the darkest colour of the source to black and leaves white where it is.
    ///
    /// - Source: Adobe Systems, "Adobe Systems' Implementation of Black Point Compensation" (2006); but the darkest colour of a device keeps its
    ///   hue, as Little CMS 2.18 and 2.19 have it.
    private mutating func compensateBlackPoint() {
        guard let black = blackPoint, black.y > 0 else { return }
        let white = SIMD4(Whites.d50.x, Whites.d50.y, Whites.d50.z, 1)
        blackScale = white / (white - black)
        blackShift = white * black / (black - white)
        blackScale.w = 0
        blackShift.w = 0
    }

    /// The darkest colour of the source; `nil` if it is not known.
    private var blackPoint: SIMD4<Double>? {
        guard case .tables(let tables) = source.model else { return darkest(.zero) }
        if source.isVersion4, intent == .perceptual || intent == .saturation { return Self.referenceBlack }
        guard intent == .relativeColorimetric, source.channels == .cmyk, source.isPrinter else {
            // Tables for other intents than that which is asked for have a black of their own.
            guard tables[Int(intent.rawValue)] != nil else { return nil }
            return darkest(source.channels == .cmyk ? SIMD4(repeating: 1) : .zero)
        }
        // The darkest that is printed, whatever more of all inks would be.
        guard let printing = source.printing else { return nil }
        let inks = printing.numbers(of: source.isVersion4 ? Self.referenceBlack : .zero)
        let lightness = ConnectionSpace.lightness(source.tristimulus(inks, intent: intent).y)
        return ConnectionSpace.tristimulus(lab: SIMD4(min(50, lightness), 0, 0, 0))
    }

    /// The colour of numbers that are to be dark. One that is lighter than the middle, or nearly as bright as white in a part of it, is no
    /// black: then a gray of at most the middle's lightness; `nil` if it is white.
    private func darkest(_ numbers: SIMD4<Double>) -> SIMD4<Double>? {
        let color = source.tristimulus(numbers, intent: intent)
        let lightness = ConnectionSpace.lightness(color.y)
        guard lightness <= 95 else { return nil }
        if lightness <= 50, color.x < Whites.d50.x / 2, color.z < Whites.d50.z / 2 { return color }
        return ConnectionSpace.tristimulus(lab: SIMD4(min(50, lightness), 0, 0, 0))
    }

    /// The black of the medium that perceptual tables of version 4 are made for.
    ///
    /// - Source: ICC.1:2022 §6.3.3 "Reference viewing environment and medium for the perceptual rendering intent".
    private static let referenceBlack = SIMD4(0.00336, 0.0034731, 0.00287, 0)

    /// Light of the destination's channels: below 0 and above 1 for what it does not have.
    package func light(_ v: SIMD4<Double>) -> SIMD4<Double> {
        destination.inverseMatrix * (source.tristimulus(v, intent: intent) * blackScale + blackShift)
    }

    /// Numbers of the destination, 0...1.
    package func callAsFunction(_ v: SIMD4<Double>) -> SIMD4<Double> { numbers(light(v)) }

    /// The numbers of light; what is not a number is 0.
    func numbers(_ light: SIMD4<Double>) -> SIMD4<Double> {
        let table = destination.lightTable
        return SIMD4(table.number(light.x), table.number(light.y), table.number(light.z), 0)
    }
}
