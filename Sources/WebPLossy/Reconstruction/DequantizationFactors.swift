// From quantizer indices to factors.

/// What coefficients are multiplied with, by segment and kind of block.
///
/// - Source: RFC 6386 section 14.1 "Dequantization"
package struct DequantizationFactors: Hashable, Sendable {
    /// Luma DC, luma AC, Y2 DC, Y2 AC, chroma DC, chroma AC.
    package static let countPerSegment = 6
    package static let count = 4 * countPerSegment

    /// Six factors for each of four segments.
    package let values: [Int32]

    /// - Parameters:
    ///   - quantizers: of the frame.
    ///   - segments: what segments change.
    package init(_ quantizers: QuantizerHeader, _ segments: SegmentHeader) {
        var values: [Int32] = []
        values.reserveCapacity(Self.count)
        for segment in 0..<4 {
            let index = segments.value(frame: quantizers.index, segments.quantizers, segment: segment)
            func dc(_ delta: Int, limit: Int = 127) -> Int32 {
                Int32(QuantizerTables.dc[min(max(index + delta, 0), limit)])
            }
            func ac(_ delta: Int) -> Int32 { Int32(QuantizerTables.ac[min(max(index + delta, 0), 127)]) }
            values += [
                dc(quantizers.lumaDCDelta), ac(0),
                2 * dc(quantizers.y2DCDelta), max(8, ac(quantizers.y2ACDelta) * 155 / 100),
                // The factor of chroma DC coefficients is 132 at most, that of index 117.
                dc(quantizers.chromaDCDelta, limit: 117), ac(quantizers.chromaACDelta),
            ]
        }
        self.values = values
    }
}
