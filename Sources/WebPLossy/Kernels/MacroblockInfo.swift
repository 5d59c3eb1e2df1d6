// What is known of a macroblock between parsing and reconstruction.

/// Modes and residue of one macroblock; a row of them lies between parsing and reconstruction.
///
/// - Source: RFC 6386 section 12 "Intraframe Prediction"; section 13 "DCT Coefficient Decoding"
package struct MacroblockInfo: BitwiseCopyable, Hashable, Sendable {
    /// Modes of the sixteen subblocks in raster order if they have their own; else the mode of all luma comes first.
    ///
    /// At the start: kernels write single modes through a pointer to the macroblock.
    package var modes = SIMD16<UInt8>(repeating: 0)
    /// Two bits for each luma subblock, the first one's lowest; see ``ResidueCode``.
    package var lumaCodes: UInt32 = 0
    /// Two bits for each of four subblocks of U, then of V.
    package var chromaCodes: UInt16 = 0
    /// ``MacroblockMode`` of both chroma planes.
    package var chromaMode: UInt8 = 0
    /// 0...3.
    package var segment: UInt8 = 0
    /// 1 if each luma subblock has its own mode.
    package var hasSubblockModes: UInt8 = 0
    /// 1 if there is no residue in the token partition.
    package var isSkipped: UInt8 = 0

    package init() {}

    /// Whether the loop filter goes over edges inside of the macroblock.
    ///
    /// - Source: RFC 6386 section 15.1 "Filter Geometry and Overall Procedure"
    @inline(__always)
    package var filtersInside: Bool { hasSubblockModes != 0 || lumaCodes != 0 || chromaCodes != 0 }
}

/// How much of a subblock's residue there is.
package enum ResidueCode {
    /// No residue; no coefficients are stored.
    package static let none: UInt32 = 0
    /// A DC coefficient alone.
    package static let dc: UInt32 = 1
    /// Up to three coefficients in zig-zag order.
    package static let short: UInt32 = 2
    /// More than that.
    package static let full: UInt32 = 3
}

/// Prediction modes of whole macroblocks.
///
/// - Source: RFC 6386 section 11.2 "Luma Modes", section 11.4 "Chroma Modes"
package enum MacroblockMode {
    package static let dc: UInt8 = 0
    package static let vertical: UInt8 = 1
    package static let horizontal: UInt8 = 2
    package static let trueMotion: UInt8 = 3
}

/// Prediction modes of luma subblocks.
///
/// - Source: RFC 6386 section 11.2 "Luma Modes"
package enum SubblockMode {
    package static let dc: UInt8 = 0
    package static let trueMotion: UInt8 = 1
    package static let vertical: UInt8 = 2
    package static let horizontal: UInt8 = 3
    package static let leftDown: UInt8 = 4
    package static let rightDown: UInt8 = 5
    package static let verticalRight: UInt8 = 6
    package static let verticalLeft: UInt8 = 7
    package static let horizontalDown: UInt8 = 8
    package static let horizontalUp: UInt8 = 9
}
