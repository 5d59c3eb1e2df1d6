// Quantizer indices of the frame header.

/// The quantizer index of luma AC coefficients, and how those of other coefficients differ from it.
///
/// - Source: RFC 6386 section 9.6 "Dequantization Indices", section 19.2 "Frame Header", quant_indices
package struct QuantizerHeader: Hashable, Sendable {
    /// 0...127, of luma AC coefficients.
    package var index: Int
    /// What is added for luma DC coefficients.
    package var lumaDCDelta: Int
    /// For Y2 coefficients.
    package var y2DCDelta: Int
    package var y2ACDelta: Int
    /// For chroma coefficients.
    package var chromaDCDelta: Int
    package var chromaACDelta: Int

    /// Reads the quantizer indices of a frame header.
    ///
    /// - Parameters:
    ///   - decoder: of the first partition.
    ///   - input: the first partition.
    package init(_ decoder: inout BooleanDecoder, _ input: Span<UInt8>) {
        index = decoder.literal(7, input)
        lumaDCDelta = decoder.optionalSignedLiteral(4, input) ?? 0
        y2DCDelta = decoder.optionalSignedLiteral(4, input) ?? 0
        y2ACDelta = decoder.optionalSignedLiteral(4, input) ?? 0
        chromaDCDelta = decoder.optionalSignedLiteral(4, input) ?? 0
        chromaACDelta = decoder.optionalSignedLiteral(4, input) ?? 0
    }
}
