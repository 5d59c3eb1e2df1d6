// What a decode gets of the budget: as much as its inspection says.
//
//   inspection ──last word──▶ bytes of the budget ──▶ decode, which alone says what comes of the file
//
// A tolerant decode stops at damage that an inspection does not see, and so may give a picture of a file that the inspection
// is refused.

extension DecodingLimits {
    /// Bytes to be reserved for a decode, whatever became of its inspection; never more than ``maxMemoryByteCount``, which
    /// nothing exceeds.
    ///
    /// - Parameters:
    ///   - info: what the inspection said last.
    ///   - refusal: what ended it early. For want of memory, all that there may be is reserved.
    /// - Throws: `refusal` where it is `cancelled` or `limitExceeded(.time)`, which end the decode too, or came in front of
    ///   what the headers say: there is no picture then, and nobody knows how much looking for it would take.
    package func reservedByteCount(
        _ info: ImageInfo?, refusal: ImageError? = nil
    ) throws(ImageError) -> Int {
        switch refusal {
        case .cancelled?: throw .cancelled
        case .limitExceeded(.time, let requested, let allowed)?:
            throw .limitExceeded(.time, requested: requested, allowed: allowed)
        case .limitExceeded(.memory, _, _)?: return maxMemoryByteCount
        case let refusal? where info == nil: throw refusal
        default: return min(info?.peakByteCount ?? 0, maxMemoryByteCount)
        }
    }
}
