// High dynamic range brought to the range of a display: PQ and HLG as cICP chunks name them.
//
// A plain curve for each channel, so that hues of very bright colours shift a little towards white. Diffuse white, 203 cd/m2, stays
// just below white, and what is brighter is compressed: x (1 + x / w^2) / (1 + x), which reaches 1 at the brightest, w.

import ImageCodecsCore

/// Light of the two transfer functions of high dynamic range, 0 black and 1 the white of an sRGB display.
///
/// - Source: ITU-R BT.2100-2 table 4 "PQ system reference non-linear transfer functions", table 5 "HLG system reference non-linear
///   transfer functions"; ITU-R BT.2408-7 §2 "Reference levels" for diffuse white; Erik Reinhard and others, "Photographic tone
///   reproduction for digital images" (2002), formula 4.
enum HighDynamicRange {
    /// What counts as the white of paper, in cd/m2.
    private static let diffuseWhite = 203.0
    /// What is shown as the brightest white.
    private static let brightest = 1000.0

    static func lightOfPerceptualQuantizer(_ x: Double) -> Double {
        let (m1, m2) = (2610.0 / 16384, 2523.0 / 4096 * 128)
        let (c1, c2, c3) = (3424.0 / 4096, 2413.0 / 4096 * 32, 2392.0 / 4096 * 32)
        let root = ReproduciblePowers.power(x, 1 / m2)
        return compressed(10000 * ReproduciblePowers.power(max(0, root - c1) / (c2 - c3 * root), 1 / m1))
    }

    static func lightOfHybridLogGamma(_ x: Double) -> Double {
        let (a, b, c) = (0.17883277, 0.28466892, 0.55991073)
        let scene = x <= 0.5 ? x * x / 3 : (ReproduciblePowers.exp2((x - c) / a * 1.4426950408889634) + b) / 12
        // The system gamma of a display of 1000 cd/m2, for each channel alone.
        return compressed(brightest * ReproduciblePowers.power(scene, 1.2))
    }

    private static func compressed(_ luminance: Double) -> Double {
        let (x, w) = (luminance / diffuseWhite, brightest / diffuseWhite)
        return min(1, x * (1 + x / (w * w)) / (1 + x))
    }
}
