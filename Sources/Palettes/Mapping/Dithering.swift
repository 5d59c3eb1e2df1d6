// What is done about colours that a palette does not have.

/// How pixels are spread over the colours of a palette, so that areas look like colours that it does not have.
///
/// Areas of one colour are left alone in any case, and so is what stays as it is from frame to frame: nothing crawls.
public enum Dithering: Hashable, Sendable {
    /// ``default``; in PNG files written with `EncodingOptions.Effort.fast` ``none``.
    case automatic
    /// Each pixel gets the nearest colour: the smallest files, and visible steps in soft gradients.
    case none
    /// A fixed pattern without visible structure decides between colours that are about as near.
    case blueNoise
    /// What a pixel lacks is made up for by its neighbours, 0 (as ``none``) ... 1 (all of it); more than 0.8 makes pictures
    /// worse than less does.
    ///
    /// - Source: Floyd and Steinberg, "An Adaptive Algorithm for Spatial Greyscale", Proc. SID 17/2 (1976).
    case errorDiffusion(strength: Double)

    /// Error diffusion of strength 0.6.
    public static let `default` = Dithering.errorDiffusion(strength: 0.6)

    /// The strength of error diffusion in 0...1; 0 for other methods and for what is no number.
    package var strength: Float {
        if self == .automatic { return Self.default.strength }
        guard case .errorDiffusion(let strength) = self, strength > 0 else { return 0 }
        return Float(min(strength, 1))
    }
}
