// The narrow interface between PNG and whatever undoes its compression.

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

/// Undoes zlib compression piece by piece (RFC 1950 "ZLIB Compressed Data Format Specification").
///
/// A value: a copy is a checkpoint from which both go on independently.
package protocol Inflating: Sendable {
    /// Reads `input` and writes the output from `outputRange.lowerBound` on, until the input is used up, the
    /// range is full, or the stream ends.
    ///
    /// Give as large a range as there is room for: every call costs a little, and the checksum is verified on
    /// the way.
    mutating func inflate(
        _ input: Span<UInt8>, into output: inout MutableRawSpan, _ outputRange: Range<Int>
    ) throws(InflateError) -> InflateStep
}
