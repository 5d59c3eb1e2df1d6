// From a profile to a standard space, exactly and for one colour: what the fast tables are made of and compared with.

import ImageCodecsCore

/// What happens to one colour between two spaces.
///
/// Example: Display P3 red, (1, 0, 0): curve 1, 0, 0; XYZ 0.5151, 0.2412, -0.0011; light of sRGB 1.2249, -0.0421, -0.0196; cut to
/// 1, 0, 0.
struct ColorMapping: Sendable {
    let source: ColorProfile
    let destination: StandardColorSpace
    let intent: RenderingIntent
    /// XYZ of the source is multiplied by this and moved by `blackShift`, so that its black becomes the destination's.
    private var blackScale = SIMD4<Double>(repeating: 1)
    private var blackShift = SIMD4<Double>.zero

    init(
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

    /// Moves the darkest colour of the source to black and leaves white where it is.
    ///
    /// - Source: Adobe Systems, "Adobe Systems' Implementation of Black Point Compensation" (2006).
    private mutating func compensateBlackPoint() {
        guard case .tables = source.model else { return }
        let ink: SIMD4<Double> = source.channels == .cmyk ? SIMD4(repeating: 1) : .zero
        let darkest = ConnectionSpace.lightness(source.tristimulus(ink, intent: intent).y)
        guard darkest > 0 else { return }
        // Colours lighter than the middle are no black; what is not gray of it stays.
        let black = ConnectionSpace.tristimulus(lab: SIMD4(min(50, darkest), 0, 0, 0))
        let white = SIMD4(Whites.d50.x, Whites.d50.y, Whites.d50.z, 1)
        blackScale = white / (white - black)
        blackShift = white * black / (black - white)
        blackScale.w = 0
        blackShift.w = 0
    }

    /// What XYZ of a source with a matrix is multiplied by: such a source's black is black.
    var scaleOfWhite: SIMD4<Double> { blackScale }

    /// Light of the destination's channels: below 0 and above 1 for what it does not have.
    func light(_ v: SIMD4<Double>) -> SIMD4<Double> {
        destination.inverseMatrix * (source.tristimulus(v, intent: intent) * blackScale + blackShift)
    }

    /// Numbers of the destination, 0...1.
    func callAsFunction(_ v: SIMD4<Double>) -> SIMD4<Double> {
        let light = light(v)
        return SIMD4(number(light.x), number(light.y), number(light.z), 0)
    }

    /// The number of a channel's light; what is not a number is 0.
    func number(_ light: Double) -> Double {
        light > 0 ? min(1, max(0, destination.curve.inverse(min(1, light)))) : 0
    }
}
