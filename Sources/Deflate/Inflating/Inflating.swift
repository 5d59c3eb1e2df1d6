// The narrow interface between PNG and whatever undoes its compression.

package import ImageCodecsCore

/// What one call of an inflater achieved.
package struct InflateStep: Hashable, Sendable {
    /// Compressed bytes read.
    package var consumed: Int
    /// Bytes unpacked.
    package var produced: Int
    /// Whether the stream, including its checksum, is complete.
    package var isFinished: Bool

    package init(consumed: Int, produced: Int, isFinished: Bool) {
        self.consumed = consumed
        self.produced = produced
        self.isFinished = isFinished
    }
}

/// Why an inflater gave up.
package enum InflateError: Error, Hashable, Sendable {
    /// The stream is damaged after what `partial` says was read and unpacked; the words are for people.
    case damaged(String, partial: InflateStep)
    /// Its working memory is not to be had.
    case outOfMemory

    /// zlib's words if the Adler-32 of the whole stream is not that of what it unpacked to.
    package static let wrongChecksum = "incorrect data check"
}

/// Undoes zlib compression piece by piece (RFC 1950 "ZLIB Compressed Data Format Specification").
///
/// A value: a copy is a checkpoint from which both go on independently.
/// Owns its output until the caller discards it: the format's window and the rows being made share these bytes.
package protocol Inflating: Sendable {
    /// Bytes that an inflater holds which keeps up to `capacity` unpacked bytes. Saturates.
    static func byteCount(capacity: Int) -> Int

    /// - Parameters:
    ///   - capacity: unpacked bytes that may wait to be taken, at least 1.
    ///   - isRaw: whether the stream is deflate alone (RFC 1951), without header and checksum.
    init(capacity: Int, isRaw: Bool, meter: MemoryMeter?) throws(ImageError)

    /// Makes the buffers this value's own, so that no call that follows copies them.
    mutating func makeUnique() throws(ImageError)

    /// Unpacked bytes that wait to be taken.
    var unpackedByteCount: Int { get }

    /// Reads `input` until it is used up, ``unpackedByteCount`` reaches `limit` (at most the capacity), or the stream
    /// ends.
    ///
    /// Every call costs a little, so give as much input and as high a limit as there is; the checksum is verified on the
    /// way.
    mutating func inflate(_ input: Span<UInt8>, limit: Int) throws(InflateError) -> InflateStep

    /// Shows the bytes that wait, in order.
    func withUnpacked<Result, Failure: Error>(_ body: (RawSpan) throws(Failure) -> Result) throws(Failure) -> Result

    /// Drops the first `count` of them. Back references can still reach them.
    mutating func discard(_ count: Int)
}

/// Bytes of the pieces that ``Inflating/inflateAll(_:meter:work:_:)`` hands out.
package let inflatePieceByteCount = 1 << 14

extension Inflating {
    /// An inflater of a zlib stream.
    package init(capacity: Int, meter: MemoryMeter?) throws(ImageError) {
        try self.init(capacity: capacity, isRaw: false, meter: meter)
    }

    /// Unpacks a stream up to its end or its first damage, a piece at a time.
    ///
    /// - Parameters:
    ///   - work: asked for each piece.
    ///   - take: gets the pieces in order, and says whether it wants more.
    /// - Returns: whether that is all: the stream is neither damaged nor incomplete, and all of it was wanted.
    package static func inflateAll(
        _ compressed: Span<UInt8>, meter: MemoryMeter?, work: inout WorkGuard,
        _ take: (Span<UInt8>) throws(ImageError) -> Bool
    ) throws(ImageError) -> Bool {
        var inflater = try Self(capacity: inflatePieceByteCount, meter: meter)
        var position = 0
        while true {
            // A byte unpacks to a thousand at most, so that a call is over soon however long the stream is.
            let rest = compressed.extracting(droppingFirst: position).extracting(first: inflatePieceByteCount)
            guard let step = try? inflater.inflate(rest, limit: inflatePieceByteCount) else { return false }
            position += step.consumed
            let wantsMore = try inflater.withUnpacked { bytes throws(ImageError) in
                try take(Span<UInt8>(_bytes: bytes))
            }
            guard wantsMore else { return false }
            if step.isFinished { return true }
            if step.produced == 0 && step.consumed == 0 { return false }
            inflater.discard(step.produced)
            try work.spend(step.consumed + step.produced)
        }
    }
}
