// Which way a component's samples are brought to the picture's resolution, and what each way means.

/// How a component is upsampled.
///
/// "Fancy" ways interpolate with a triangle filter: an output sample lies a quarter of a sample away from the nearest
/// stored one, which counts three times as much as the one on its other side. At the edges the outermost sample
/// stands in for its missing neighbour. T.81 leaves upsampling open (§A.1.1 "Dimensions and sampling factors" only
/// fixes the sizes); rounding follows the reference decoder and alternates so that it does not shift the mean.
package enum ChromaUpsampling: Hashable, Sendable {
    /// Every sample is a pixel.
    case none
    /// Two pixels across: `(3 * near + left + 1) / 4`, `(3 * near + right + 2) / 4`.
    case fancyH2V1
    /// Two pixels down: `(3 * near + above + 1) / 4`, `(3 * near + below + 2) / 4`.
    case fancyH1V2
    /// Two by two: vertical sums `3 * near + far` of rows, then `(3 * near + left + 8) / 16` and
    /// `(3 * near + right + 7) / 16` of sums.
    case fancyH2V2
    /// Each sample repeated that many times across and down.
    case replicated(across: Int, down: Int)

    /// The way of the reference decoder: interpolation for factors of two, except if blocks become one sample (the
    /// picture is a thumbnail then) or are one (it is lossless), or a row has at most two samples.
    package init(_ component: FrameGeometry.Component, in frame: FrameGeometry) {
        let interpolates = frame.scale != .eighth && frame.unitSide > 1
        switch (component.horizontalExpansion, component.verticalExpansion) {
        case (1, 1): self = .none
        case (2, 1) where interpolates && component.widthInSamples > 2: self = .fancyH2V1
        case (1, 2) where interpolates: self = .fancyH1V2
        case (2, 2) where interpolates && component.widthInSamples > 2: self = .fancyH2V2
        case (let across, let down): self = .replicated(across: across, down: down)
        }
    }

    /// Whether rows are interpolated with those above and below.
    fileprivate var needsContextRows: Bool { self == .fancyH1V2 || self == .fancyH2V2 }
}

extension FrameGeometry {
    /// Whether a row of some component needs the one below its own, so that output lags behind by one row.
    package var needsContextRows: Bool {
        components.contains { ChromaUpsampling($0, in: self).needsContextRows }
    }
}
