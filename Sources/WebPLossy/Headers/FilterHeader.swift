// The loop filter's part of the frame header.

/// Kind and strength of the loop filter.
///
/// - Source: RFC 6386 section 9.4 "Loop Filter Type and Levels", section 19.2 "Frame Header", mb_lf_adjustments
package struct FilterHeader: Hashable, Sendable {
    /// Whether the simple filter is used; else the normal one.
    package var isSimple: Bool
    /// 0...63; 0 switches the filter off.
    package var level: Int
    /// 0...7.
    package var sharpness: Int
    /// Whether levels differ by how a macroblock is predicted.
    package var hasDeltas: Bool
    /// What is added for macroblocks predicted from this frame, which in a key frame are all.
    package var intraFrameDelta = 0
    /// What is added for macroblocks whose subblocks have modes of their own.
    package var subblockModeDelta = 0

    /// Reads the loop filter's part of a frame header.
    ///
    /// - Parameters:
    ///   - decoder: of the first partition.
    ///   - input: the first partition.
    package init(_ decoder: inout BooleanDecoder, _ input: Span<UInt8>) {
        isSimple = decoder.flag(input)
        level = decoder.literal(6, input)
        sharpness = decoder.literal(3, input)
        hasDeltas = decoder.flag(input)
        guard hasDeltas, decoder.flag(input) else { return }
        // Of four reference frames and four modes the first count here.
        for index in 0..<4 {
            if let delta = decoder.optionalSignedLiteral(6, input), index == 0 { intraFrameDelta = delta }
        }
        for index in 0..<4 {
            if let delta = decoder.optionalSignedLiteral(6, input), index == 0 { subblockModeDelta = delta }
        }
    }
}
