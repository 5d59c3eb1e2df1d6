// What is drawn over a lossy picture.

/// One property of macroblocks.
public enum MacroblockLayer: String, CaseIterable, Hashable, Sendable {
    /// How luma and chroma are predicted.
    case modes
    /// Which segment a macroblock belongs to.
    case segments
    /// How strongly its edges are filtered.
    case filter

    /// Every layer.
    public static let all = Set(allCases)
}
