// Overshoot at white and black: a decoder clamps, so what lies beyond the limits costs nothing to see and may save bits.

/// Blocks in which some samples are white or black, but not all, are coded again, with those samples moved to where the
/// decoded block overshoots.
///
/// Text on white is such a block: its edges ring, the ringing beyond white is cut off by every decoder, and a target that
/// rings as well needs fewer coefficients.
package enum Overshoot {
    /// Samples from here on are white: 254.5 and more, with 4 fractional bits and 128 subtracted.
    static let white: Int16 = 2024
    /// Samples up to here are black: 0.5 and less.
    static let black: Int16 = -2040
    /// How often a block is coded again.
    static let rounds = 2
    /// No sample is moved further than this from the middle: coefficients stay within 16 bits.
    static let limit: Int16 = 4000
}

/// What the blocks of a row are, and so how they are coded.
package enum BlockUse: Sendable {
    /// Transformed and quantised.
    case plain
    /// With ``Overshoot``.
    case luma
    /// Decoded again: eight rows of samples, laid out as the source, from a byte offset in the workspace.
    case chroma(decoded: Int)

    /// Where decoded samples go, if anywhere.
    var decoded: Int? { if case .chroma(let decoded) = self { decoded } else { nil } }
}
