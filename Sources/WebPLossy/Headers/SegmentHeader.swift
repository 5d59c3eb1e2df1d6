// Segmentation: up to four groups of macroblocks with quantizers and filter levels of their own.

/// Segmentation of a frame.
///
/// - Source: RFC 6386 section 9.3 "Segment-Based Adjustments", section 19.2 "Frame Header", update_segmentation
package struct SegmentHeader: Hashable, Sendable {
    /// Whether there are segments.
    package var isEnabled = false
    /// Whether each macroblock names its segment; else all are in the first.
    package var hasMap = false
    /// Whether the values below are values, not differences to those of the frame; a frame that gives none has zeros.
    // Deviation: the standard keeps those of earlier frames, which a picture has not; libwebp takes zeros.
    package var isAbsolute = true
    /// Quantizer index of each segment, or what is added to the frame's.
    package var quantizers = SIMD4<Int32>(repeating: 0)
    /// Loop filter level of each segment, or what is added to the frame's.
    package var filterLevels = SIMD4<Int32>(repeating: 0)
    /// Probabilities of the three nodes of the tree of segments.
    package var treeProbabilities = SIMD4<UInt8>(repeating: 255)

    package init() {}

    /// Reads the segmentation of a frame header.
    ///
    /// - Parameters:
    ///   - decoder: of the first partition.
    ///   - input: the first partition.
    package init(_ decoder: inout BooleanDecoder, _ input: Span<UInt8>) {
        isEnabled = decoder.flag(input)
        guard isEnabled else { return }
        hasMap = decoder.flag(input)
        if decoder.flag(input) {
            isAbsolute = decoder.flag(input)
            for index in 0..<4 { quantizers[index] = Int32(decoder.optionalSignedLiteral(7, input) ?? 0) }
            for index in 0..<4 { filterLevels[index] = Int32(decoder.optionalSignedLiteral(6, input) ?? 0) }
        }
        guard hasMap else { return }
        for index in 0..<3 {
            treeProbabilities[index] = decoder.flag(input) ? UInt8(decoder.literal(8, input)) : 255
        }
    }

    /// A value of a segment.
    ///
    /// - Parameters:
    ///   - frame: the frame's.
    ///   - values: ``quantizers`` or ``filterLevels``.
    package func value(frame: Int, _ values: SIMD4<Int32>, segment: Int) -> Int {
        guard isEnabled else { return frame }
        return Int(values[segment]) + (isAbsolute ? 0 : frame)
    }
}
