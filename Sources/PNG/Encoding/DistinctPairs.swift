// How much variety a filter leaves in a scanline: the number of different pairs of neighbouring bytes.

import ImageCodecsCore

/// Counts the different pairs of neighbouring bytes in filtered scanlines.
///
/// A picture of few colours compresses by its repetitions, which a sum of magnitudes does not see: a scanline in which the same
/// pairs come again and again is cheap, however large the bytes are.
struct DistinctPairs: Sendable {
    /// The filtered scanline that is looked at.
    private var filtered: ScratchBuffer
    /// A bit for each pair; all zero between two calls.
    private var seen: ScratchBuffer

    /// Bytes of a bit for each of 2^16 pairs.
    private static let setByteCount = 1 << 13

    /// - Parameters:
    ///   - byteCount: bytes of the longest scanline.
    ///   - meter: counts the buffers.
    init(byteCount: Int, meter: MemoryMeter?) throws(ImageError) {
        filtered = try ScratchBuffer(byteCount: byteCount, meter: meter)
        seen = try ScratchBuffer(byteCount: Self.setByteCount, filledWith: 0, meter: meter)
    }

    /// Bytes that it holds. Saturates.
    static func estimatedByteCount(_ byteCount: Int) -> Int { byteCount.addingSaturated(setByteCount) }

    /// The number of pairs in a scanline that is filtered with `filter`; see
    /// ``FilterSelectionKernels/apply(_:_:above:byteCount:distance:into:)``.
    mutating func count(
        _ filter: ScanlineFilter, _ row: RawSpan, above: RawSpan, byteCount: Int, distance: Int
    ) -> Int {
        filtered.withMutableBytes { filtered in
            FilterSelectionKernels.apply(
                filter, row, above: above, byteCount: byteCount, distance: distance, into: &filtered)
        }
        return filtered.withBytes(0..<byteCount) { bytes in
            seen.withMutableBytes { seen in
                seen.withNumbers(of: UInt64.self) { seen in
                    var pair = 0
                    for index in 0..<bytes.byteCount {
                        pair = (pair << 8 | Int(bytes.byte(at: index))) & 0xFFFF
                        seen[pair >> 6] |= 1 << UInt64(pair & 63)
                    }
                    var count = 0
                    for index in seen.indices {
                        count += seen[index].nonzeroBitCount
                        seen[index] = 0
                    }
                    return count
                }
            }
        }
    }
}
