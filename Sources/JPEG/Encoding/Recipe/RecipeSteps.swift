// Which steps of the recipe are applied, and the numbers that belong to a quality.

/// Steps of the recipe. Efforts are sets of them; tests and measurements leave some out.
package struct RecipeSteps: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Chroma at half the size is fitted to the decoder's upsampling; see ``ChromaFit``.
    package static let chromaFit = RecipeSteps(rawValue: 1)
    /// Coefficients just above half a step become zero; see ``DeadZone``.
    package static let deadZone = RecipeSteps(rawValue: 2)
    /// White and black may overshoot; see ``Overshoot``.
    package static let overshoot = RecipeSteps(rawValue: 8)
    /// Luma makes up for the luminance that chroma lost; see ``LumaRepair``.
    package static let lumaRepair = RecipeSteps(rawValue: 16)

    /// Levels are chosen by rate and distortion instead of the dead zone; see ``TrellisQuantizer``.
    package static let trellis = RecipeSteps(rawValue: 32)

    /// `effort: .default`.
    package static let all: RecipeSteps = [.chromaFit, .deadZone, .overshoot, .lumaRepair]
    /// Quality 100: coefficients are rounded to the nearest level.
    package static let leastLoss: RecipeSteps = [.chromaFit, .overshoot, .lumaRepair]
    /// `effort: .best`.
    package static let best: RecipeSteps = [.all, .trellis]
}
