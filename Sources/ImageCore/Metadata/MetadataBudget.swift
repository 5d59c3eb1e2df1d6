// Limits the memory for the metadata of a file, and counts what is kept.

/// Counts the metadata kept from one file, against `DecodingLimits.maxMetadataByteCount` and in the memory meter.
///
/// Everything is counted before it is made, and with what it takes in memory besides its contents: an entry of two
/// bytes is not two bytes. Readers ask ``charge(_:)`` and build an item only if the answer is `true`: an inspection
/// counts everything, so that its sum is what a decode will hold, but keeps no more than ``inspectionByteCount``.
package struct MetadataBudget: Sendable {
    /// What an entry takes besides its contents: its place in an array that doubles when it is full (up to three times
    /// 64 bytes), and the heads of up to four blocks of the allocator (48 bytes each).
    package static let entryByteCount = 384
    /// The largest single item (text, profile, EXIF block, packet) that is kept; larger ones are passed over, as libpng
    /// does from about the same size on.
    package static let largestItemByteCount = 8 << 20
    /// What an inspection keeps at most.
    package static let inspectionByteCount = 4 << 20
    /// Items from this size on are only built when the allocator shows that it has the memory: Swift's own containers
    /// end the process when they cannot grow.
    private static let probedByteCount = 1 << 18

    /// Bytes counted so far: what a decode of this file holds for its metadata.
    package private(set) var byteCount = 0
    private let allowed: Int
    private let keptAtMost: Int
    private var kept = 0
    private var reservation: MemoryReservation?
    /// Counts what is kept.
    package let meter: MemoryMeter?

    /// - Parameters:
    ///   - isInspection: whether little is to be kept.
    ///   - meter: counts what is kept.
    package init(limits: DecodingLimits, isInspection: Bool = false, meter: MemoryMeter? = nil) {
        allowed = max(0, limits.maxMetadataByteCount)
        keptAtMost = isInspection ? min(Self.inspectionByteCount, allowed) : .max
        self.meter = meter
    }

    /// Bytes that may still be counted.
    package var remaining: Int { allowed - byteCount }

    /// Throws if this many more bytes would exceed the limit on metadata; counts nothing.
    ///
    /// - Throws: `limitExceeded(.metadata)`.
    package func admit(_ newByteCount: Int) throws(ImageError) {
        guard newByteCount <= remaining else {
            throw .limitExceeded(.metadata, requested: byteCount.addingSaturated(newByteCount), allowed: allowed)
        }
    }

    /// The text of an item for which ``charge(_:)`` answered `true`.
    package func string(_ text: Span<UInt8>, _ encoding: TextTranscoder.Encoding) throws(ImageError) -> String {
        try TextTranscoder.string(text, encoding, meter: meter)
    }

    /// Counts an item.
    ///
    /// - Parameter contentByteCount: bytes of the item itself; `entryByteCount` is added.
    /// - Returns: whether it is to be kept.
    /// - Throws: `limitExceeded(.metadata)` when it is too much, `limitExceeded(.memory)` when there is no memory.
    package mutating func charge(_ contentByteCount: Int) throws(ImageError) -> Bool {
        let cost = contentByteCount.addingSaturated(Self.entryByteCount)
        try admit(cost)
        byteCount += cost
        guard cost <= keptAtMost - kept else { return false }
        if cost >= Self.probedByteCount { try AlignedStorage.probe(cost, meter: meter) }
        if reservation != nil, isKnownUniquelyReferenced(&reservation) {
            try reservation?.grow(by: cost)
        } else {
            // A copy of the decoder goes on by itself, and shares what was kept before; counted for both.
            reservation = try MemoryReservation(byteCount: kept + cost, meter: meter)
        }
        kept += cost
        return true
    }
}
