// The frame header: what the first partition says before the modes of the macroblocks.

package import ImageCodecsCore

/// Everything that holds for a whole key frame.
///
/// - Source: RFC 6386 section 9.2 "Color Space and Pixel Type (Key Frames Only)" to section 9.11 "Remaining Frame Header Data
///   (Key Frame)", section 19.2 "Frame Header"
package struct VP8FrameHeader: Hashable, Sendable {
    /// 0: YUV as in ITU-R BT.601; 1 is reserved.
    package var colorSpace: Int
    /// Whether the header says that no sample needs to be clamped. They are clamped all the same.
    package var needsNoClamping: Bool
    package var segments: SegmentHeader
    package var filter: FilterHeader
    /// 1, 2, 4 or 8.
    package var partitionCount: Int
    package var quantizers: QuantizerHeader
    /// Whether the probabilities would stay for further frames, of which there are none.
    package var keepsProbabilities: Bool
    package var probabilities: TokenProbabilities
    /// The probability that a macroblock has residue; `nil` if all have.
    package var skipProbability: UInt8?

    /// Reads a frame header.
    ///
    /// - Parameters:
    ///   - decoder: at the start of the first partition; after the header afterwards.
    ///   - input: the first partition.
    ///   - offset: where it stands in the file.
    package init(_ decoder: inout BooleanDecoder, _ input: Span<UInt8>, offset: Int) throws(ImageError) {
        colorSpace = decoder.literal(1, input)
        needsNoClamping = decoder.flag(input)
        segments = SegmentHeader(&decoder, input)
        filter = FilterHeader(&decoder, input)
        partitionCount = 1 << decoder.literal(2, input)
        quantizers = QuantizerHeader(&decoder, input)
        keepsProbabilities = decoder.flag(input)
        probabilities = TokenProbabilities(&decoder, input)
        skipProbability = decoder.flag(input) ? UInt8(decoder.literal(8, input)) : nil
        guard !decoder.isDry else {
            throw .corrupt(
                .webP, .vp8FirstPartition, offset: offset + input.count,
                reason: "the first partition ends in the frame header")
        }
    }

    /// What the headers of macroblocks depend on.
    package var modeParameters: ModeParameters {
        var parameters = ModeParameters()
        parameters.hasSegmentMap = segments.hasMap
        parameters.segmentProbabilities = segments.treeProbabilities
        parameters.skipProbability = skipProbability
        return parameters
    }
}
