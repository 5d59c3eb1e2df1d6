// What a frame says of one of its macroblocks: for study, see VP8Decoder.

/// One macroblock of a key frame, 16x16 samples of luma and 8x8 of U and of V: how it is predicted, and how it is filtered.
///
/// - Source: RFC 6386 section 19.3 "Macroblock Header", section 11 "Key Frame Macroblock Prediction Records"
public struct VP8Macroblock: Hashable, Sendable {
    /// How all luma of a macroblock, or its chroma, is predicted.
    ///
    /// - Source: RFC 6386 section 11.2 "Luma Modes", section 12.2 "Chroma Prediction"
    public enum Mode: UInt8, CaseIterable, Hashable, Sendable {
        /// DC_PRED: the mean of what is above and to the left.
        case dc
        /// V_PRED: the row above, repeated.
        case vertical
        /// H_PRED: the column to the left, repeated.
        case horizontal
        /// TM_PRED, "TrueMotion": left + above - corner.
        case trueMotion
    }

    /// How a subblock of 4x4 samples of luma is predicted.
    ///
    /// - Source: RFC 6386 section 11.2 "Luma Modes", section 12.3 "Luma Prediction"
    public enum SubblockMode: UInt8, CaseIterable, Hashable, Sendable {
        /// B_DC_PRED: the mean of what is above and to the left.
        case dc
        /// B_TM_PRED: left + above - corner.
        case trueMotion
        /// B_VE_PRED: from above, smoothed.
        case vertical
        /// B_HE_PRED: from the left, smoothed.
        case horizontal
        /// B_LD_PRED: from above and the right, to the lower left.
        case leftDown
        /// B_RD_PRED: from the upper left, to the lower right.
        case rightDown
        /// B_VR_PRED: from above, a little to the right.
        case verticalRight
        /// B_VL_PRED: from above, a little to the left.
        case verticalLeft
        /// B_HD_PRED: from the left, a little downwards.
        case horizontalDown
        /// B_HU_PRED: from the left, a little upwards.
        case horizontalUp
    }

    /// How luma is predicted.
    public enum Luma: Hashable, Sendable {
        /// As a whole.
        case whole(Mode)
        /// B_PRED: each of sixteen subblocks for itself; their modes in raster order.
        case subblocks([SubblockMode])
    }

    /// How luma is predicted.
    public var luma: Luma
    /// How U and V are.
    public var chroma: Mode
    /// 0...3; 0 if macroblocks do not name their segments. See ``VP8FrameInfo/segments``.
    ///
    /// - Source: RFC 6386 section 10 "Segment-Based Feature Adjustments"
    public var segment: Int
    /// Whether the header says that no coefficient is coded.
    ///
    /// - Source: RFC 6386 section 11.1 "mb_skip_coeff"
    public var isSkipped: Bool
    /// Whether anything is added to what is predicted. Coefficients may also be coded and all be zero.
    public var hasResidue: Bool
    /// The loop filter's level, 0...63, adjusted to segment and prediction; 0 if nothing is filtered.
    ///
    /// - Source: RFC 6386 section 9.3 "Segment-Based Adjustments", section 9.4 "Loop Filter Type and Levels"
    public var filterLevel: Int
    /// Steps within a block are to be no larger for the normal filter to change samples.
    ///
    /// - Source: RFC 6386 section 15.4 "Calculation of Control Parameters"
    public var interiorLimit: Int
    /// Twice the step across an edge inside of the macroblock, and half the next one, are to be no larger; at edges between
    /// macroblocks it may be 4 more.
    public var edgeLimit: Int
    /// If a step beside an edge is larger ("high edge variance"), the normal filter changes fewer samples: 0, 1 or 2.
    public var varianceThreshold: Int
    /// Whether edges inside of the macroblock are filtered.
    ///
    /// - Source: RFC 6386 section 15.1 "Filter Geometry and Overall Procedure"
    public var filtersInside: Bool
}

extension VP8Macroblock {
    /// - Parameters:
    ///   - info: what was parsed.
    ///   - level: the loop filter's.
    ///   - strength: what follows from the level.
    init(_ info: MacroblockInfo, level: Int, _ strength: FilterStrength) {
        // Kernels store no other modes; what cannot be is taken for the first.
        if info.hasSubblockModes != 0 {
            luma = .subblocks(info.modes.indices.map { SubblockMode(rawValue: info.modes[$0]) ?? .dc })
        } else {
            luma = .whole(Mode(rawValue: info.modes[0]) ?? .dc)
        }
        chroma = Mode(rawValue: info.chromaMode) ?? .dc
        segment = Int(info.segment)
        isSkipped = info.isSkipped != 0
        hasResidue = info.lumaCodes != 0 || info.chromaCodes != 0
        filterLevel = level
        interiorLimit = Int(strength.interiorLimit)
        edgeLimit = Int(strength.edgeLimit)
        varianceThreshold = Int(strength.varianceThreshold)
        filtersInside = level > 0 && info.filtersInside
    }
}
