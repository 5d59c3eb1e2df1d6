// The bytes a decoder has been fed and has not consumed yet.

/// Presents unread bytes as one contiguous span, copying only what a consumer left over.
///
/// A consumer takes whole units (a chunk header, a marker segment, an MCU row) and reports how many bytes it
/// used. While it uses everything, it reads the caller's bytes where they are; a rest is kept and put in front
/// of the next piece. Each byte is copied at most once and looked at again only by the unit it belongs to, so
/// feeding one byte at a time stays linear as long as a consumer can tell in constant time that a unit is
/// not complete.
package struct InputBuffer: Sendable {
    /// Bytes that were fed and not consumed.
    private var pending: [UInt8] = []
    /// Where the unread part of `pending` begins: bytes before it are consumed, and reclaimed when they are
    /// more than the rest.
    private var start = 0
    /// The offset of the first unread byte in the whole input.
    package private(set) var consumedCount = 0

    package init() {}

    /// Bytes that are waiting for more.
    package var pendingCount: Int { pending.count - start }

    /// Bytes that were fed so far.
    package var totalCount: Int { consumedCount + pendingCount }

    /// Lets `consume` read what is pending followed by `new`.
    ///
    /// - Parameter consume: gets all unread bytes and the offset of the first one in the whole input, and
    ///   returns how many it used. What it leaves is kept for the next call. When it throws, nothing of this
    ///   call counts as consumed.
    package mutating func feed(
        _ new: Span<UInt8>, _ consume: (Span<UInt8>, _ offset: Int) throws(ImageError) -> Int
    ) throws(ImageError) {
        if pendingCount == 0 {
            pending.removeAll(keepingCapacity: pending.capacity <= 1 << 16)
            start = 0
            let used = try consume(new, consumedCount)
            precondition(used >= 0 && used <= new.count, "consumed more than there is")
            consumedCount += used
            pending.append(new.extracting(droppingFirst: used))
        } else {
            pending.append(new)
            let used = try consume(pending.span.extracting(droppingFirst: start), consumedCount)
            precondition(used >= 0 && used <= pendingCount, "consumed more than there is")
            consumedCount += used
            start += used
            if start > pending.count / 2 {
                pending.removeFirst(start)
                start = 0
            }
        }
    }
}
