// Which segments are worth a search that takes several times as long.

package import ImageCodecsCore

/// Counts what a quick search finds in the segments of a stream, and what a finer one has saved.
///
/// A quick search weighs a match against its literals. Where hardly any literals are left, what stands in for a match is another one,
/// and a finer search saves up to half: in gradients, maps, texts. In screenshots and photographs it saves a few hundredths. Short
/// streams take little time anyway, and where there are some literals for each match, a tenth is saved that is looked for in them.
package struct RefinementChoice: Sendable {
    private var literalCount = 0
    private var matchCount = 0
    /// Segments that are passed over, and how many will be the next time.
    private var pause = 0
    private var nextPause = 1
    package let isShort: Bool
    private let bounds: Bounds

    /// Matches that are nearly as long as they can be stand for this many bytes or more: no other way is much shorter, unless the
    /// stream is short and its headers count.
    private static let longMatch = 192
    /// What is worth a finer search.
    private struct Bounds: Sendable {
        /// Five matches have fewer literals than this.
        let mostLiterals: Int
        /// At least this part of a segment is saved.
        let leastGain: Int

        static let long = Bounds(mostLiterals: 3, leastGain: 32)
        static let short = Bounds(mostLiterals: 25, leastGain: 64)
        /// The same after a search that finds no matches below eight bytes.
        static let shortQuick = Bounds(mostLiterals: 200, leastGain: 100)
    }

    /// Bytes of the longest stream that is short.
    package static let shortByteCount = 1 << 20

    /// - Parameters:
    ///   - byteCount: how many bytes the stream will have, `Int.max` if that is not known.
    ///   - isQuick: whether the search is ``FastSearch``, which finds no matches below eight bytes.
    package init(byteCount: Int = .max, isQuick: Bool = false) {
        isShort = byteCount <= Self.shortByteCount
        bounds = !isShort ? .long : isQuick ? .shortQuick : .short
    }

    /// Counts a segment.
    ///
    /// - Parameters:
    ///   - sequences: what was found, two words each; see ``DeflateSequence``.
    ///   - wordCount: words of them.
    ///   - byteCount: what they stand for.
    /// - Returns: whether a finer search is worth its time: if the stream so far has fewer than three literals for five matches; if
    ///   it is short five for each match, or 40 if the search was a quick one.
    package mutating func isWorthwhile(_ sequences: NumberBuffer<UInt32>, wordCount: Int, _ byteCount: Int) -> Bool {
        let matches = wordCount / 2
        let literals = sequences.withSpan { words in (0..<matches).reduce(0) { $0 + Int(words[2 * $1]) } }
        literalCount += literals
        matchCount += matches
        guard 5 * literalCount < bounds.mostLiterals * matchCount,
            isShort || Self.longMatch * (literals + matches) > byteCount
        else { return false }
        pause -= 1
        return pause < 0
    }

    /// Records what a finer search has made of a segment: if that is little, more segments are passed over each time.
    ///
    /// - Parameters:
    ///   - before: bits of the segment as it was found first.
    ///   - after: bits as the finer search found it.
    package mutating func record(before: Int, after: Int) {
        guard before - after < before / bounds.leastGain else { return }
        pause = nextPause
        nextPause *= 2
    }
}
