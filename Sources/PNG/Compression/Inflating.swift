// The narrow interface between PNG and whatever undoes its compression.

package import ImageCore

/// What one call of an inflater achieved.
package struct InflateStep: Hashable, Sendable {
    /// Compressed bytes read.
    package var consumed: Int
    /// Bytes written.
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
    /// The stream is damaged behind what `partial` says was read and written; the words are for people.
    case damaged(String, partial: InflateStep)
    /// Its working memory is not to be had.
    case outOfMemory

    /// zlib's words where the Adler-32 of the whole stream is not that of what it unpacked to.
    package static let wrongChecksum = "incorrect data check"
}

/// Undoes zlib compression piece by piece (RFC 1950). A value: a copy is a checkpoint from which both go on independently.
/// Owns what it unpacks until it is taken: the window of the format and the rows in the making are the same bytes.
package protocol Inflating: Sendable {
    /// Bytes that an inflater holds which keeps up to `capacity` unpacked bytes. Saturates.
    static func byteCount(capacity: Int) -> Int
    /// - Parameter capacity: unpacked bytes that may wait to be taken, at least 1.
    init(capacity: Int, meter: MemoryMeter?) throws(ImageError)
    /// Makes the buffers this value's own, so that no call that follows copies them.
    mutating func makeUnique() throws(ImageError)
    /// Unpacked bytes that wait to be taken.
    var unpackedByteCount: Int { get }
    /// Reads `input` until it is used up, `unpackedByteCount` reaches `limit` (at most the capacity), or the stream ends.
    mutating func inflate(_ input: Span<UInt8>, limit: Int) throws(InflateError) -> InflateStep
    /// Shows the bytes that wait, in order.
    func withUnpacked<Result, Failure: Error>(_ body: (RawSpan) throws(Failure) -> Result) throws(Failure) -> Result
    /// Takes the first `count` of them away. They stay what back references see.
    mutating func discard(_ count: Int)
}
