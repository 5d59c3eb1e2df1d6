// The bytes a decoder has been fed and has not consumed yet.

/// Presents unread bytes as one contiguous span, copying only what a consumer left over.
///
/// A consumer takes whole syntax elements (a chunk header, a marker segment, an MCU) and reports how many bytes it used. While it
/// uses everything, it reads the caller's bytes where they are. A rest is kept; it is topped up from the next piece, by
/// no more than doubles it at a time, until the syntax element in it is complete, and reading then goes on in the caller's bytes.
/// So what is kept stays below twice the largest syntax element, and each byte is copied a bounded number of times however the
/// input is cut. Feeding is linear as long as a consumer can tell in time that does not grow with a syntax element's length that
/// the syntax element is not complete.
package struct InputBuffer: Sendable {
    /// Bytes that were fed and not consumed.
    private var pending: ByteCollector
    /// Where the unread part of `pending` begins: bytes before it are consumed, and reclaimed when they are
    /// more than the rest.
    private var start = 0
    /// The offset of the first unread byte in the whole input.
    package private(set) var consumedCount = 0

    /// The least number of bytes that a rest is topped up by.
    private static let smallestTopUp = 512

    /// - Parameter meter: counts what is kept.
    package init(meter: MemoryMeter? = nil) { pending = ByteCollector(meter: meter) }

    /// Bytes that are waiting for more.
    package var pendingCount: Int { pending.count - start }

    /// Bytes that were fed so far.
    package var totalCount: Int { consumedCount.addingSaturated(pendingCount) }

    /// Lets `consume` read what is pending followed by `new`, in one call or in several.
    ///
    /// - Parameters:
    ///   - work: asked while what is kept moves to more memory.
    ///   - consume: gets unread bytes, the offset of the first one in the whole input, and whether they are all there
    ///     are; returns how many it used. What it leaves comes again, with more after it. When it throws, nothing of that
    ///     call counts as consumed.
    /// - Throws: what `consume` throws, and `limitExceeded(.memory)` when a rest cannot be kept.
    package mutating func feed(
        _ new: Span<UInt8>, work: WorkGuard,
        _ consume: (Span<UInt8>, _ offset: Int, _ isAll: Bool) throws(ImageError) -> Int
    ) throws(ImageError) {
        var taken = 0
        while pendingCount > 0 {
            // Before it grows: what is consumed takes no room. The rest is a syntax element that was not complete, so it is moved
            // once for each of those.
            if start > 0 {
                try pending.removeFirst(start)
                start = 0
            }
            let topUp = min(new.count - taken, max(pendingCount, Self.smallestTopUp))
            try pending.append(new.extracting(taken..<taken + topUp), work: work)
            taken += topUp
            let (first, offset, isAll) = (start, consumedCount, taken == new.count)
            let used = try pending.withBytes { (bytes) throws(ImageError) in
                try consume(bytes.extracting(droppingFirst: first), offset, isAll)
            }
            try drop(used)
            if isAll { return }
            if pendingCount <= topUp {
                // Everything that was kept is consumed; the rest lies in the caller's bytes.
                taken -= pendingCount
                pending.removeAll()
                start = 0
            }
        }
        let rest = new.extracting(droppingFirst: taken)
        let used = try consume(rest, consumedCount, true)
        precondition(used >= 0 && used <= rest.count, "consumed more than there is")
        consumedCount += used
        try pending.append(rest.extracting(droppingFirst: used), work: work)
    }

    private mutating func drop(_ used: Int) throws(ImageError) {
        precondition(used >= 0 && used <= pendingCount, "consumed more than there is")
        consumedCount += used
        start += used
    }
}
