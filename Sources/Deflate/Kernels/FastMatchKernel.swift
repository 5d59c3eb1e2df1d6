// The search that takes the least time: one look at where the next eight bytes were last seen.
//
// Shorter matches are not looked for. In filtered scanlines they save hardly a bit, and each one found is a branch that was not
// foreseen: with a hash of four bytes files of photographs were 1 to 8 % larger, and took twice the time.

import ImageCodecsCore

/// Where a search is.
package struct MatchSearchState: Sendable {
    /// Where in the window it goes on.
    package var position: Int
    /// Where the literals begin that belong to no sequence yet.
    package var literalStart: Int
    /// Words of sequences so far.
    package var wordCount = 0

    /// The state before the first byte of a segment.
    package init(at start: Int) { (position, literalStart) = (start, start) }

    package init(position: Int, literalStart: Int, wordCount: Int) {
        (self.position, self.literalStart, self.wordCount) = (position, literalStart, wordCount)
    }
}

/// What the fast search looks things up with.
package protocol FastMatching {}

extension FastMatching {
    /// Bits of a hash.
    package static var hashBitCount: Int { 14 }
    /// Bytes of the table: two for each hash.
    package static var tableByteCount: Int { 2 << hashBitCount }
    /// Bytes of the shortest match.
    package static var shortestMatch: Int { 8 }
    /// Bytes after the input that may be looked at.
    package static var lookAhead: Int { 8 }

    /// The farthest from one position to the next.
    package static var longestStride: Int { 4 }

    /// How far the next position is after this many in a row at which nothing was found: where nothing repeats, not every
    /// position is worth a look, and a match that began between two of them is found from its middle.
    @inline(__always)
    package static func stride(afterMisses count: Int) -> Int { min(1 &+ count &>> 5, longestStride) }

    /// The hash of eight bytes.
    @inline(__always)
    package static func hash(_ word: UInt64) -> Int {
        Int(truncatingIfNeeded: (word &* 0x9E37_79B1_85EB_CA87) &>> UInt64(truncatingIfNeeded: 64 &- hashBitCount))
    }
}

#if !ReferenceKernels
package enum FastMatchKernel: FastMatching {
    /// Looks for matches that begin before `stop`.
    ///
    /// The table has the low sixteen bits of where each hash was last seen. What they lead to is compared with the input, so that
    /// old and foreign entries do no harm.
    ///
    /// - Parameters:
    ///   - window: what distances reach, and the input.
    ///   - state: moved on.
    ///   - stop: where the search ends, if it does not end for want of eight bytes.
    ///   - end: where the input ends; matches do not go on beyond it.
    ///   - origin: what is added to a position in the window to get the number that the table has.
    ///   - table: ``tableByteCount`` bytes.
    ///   - sequences: takes two words for each match.
    /// - Precondition: `window` has ``lookAhead`` bytes after `end`, of any value; there is room for all words.
    package static func search(
        _ window: RawSpan, _ state: inout MatchSearchState, stop: Int, end: Int, origin: Int,
        table: inout MutableRawSpan, sequences: inout MutableSpan<UInt32>
    ) {
        precondition(state.literalStart >= 0 && state.literalStart <= state.position, "outside of the window")
        let stop = min(stop, end - shortestMatch + 1)
        precondition(end <= window.byteCount - lookAhead, "outside of the window")
        precondition(table.byteCount >= tableByteCount, "a table that is too small")
        let capacity = sequences.count
        precondition(state.wordCount >= 0 && state.wordCount <= capacity, "no such sequence")
        unsafe window.withUnsafeBytes { window in
            unsafe table.withUnsafeMutableBytes { table in
                unsafe sequences.withUnsafeMutableBufferPointer { sequences in
                    let base = window.baseAddress!
                    let places = table.baseAddress!
                    let words = sequences.baseAddress!
                    var (position, literalStart, wordCount) = (state.position, state.literalStart, state.wordCount)
                    var misses = 0
                    // SAFETY: position <= end - 8, all the more when it goes back; a candidate lies `distance` bytes before, which
                    // is at most `position`. Hashes have 14 bits, and the table two bytes for each. Words are stored below
                    // `capacity`.
                    while position < stop {
                        let word = unsafe base.loadUnaligned(fromByteOffset: position, as: UInt64.self)
                        let place = unsafe places + 2 &* hash(word)
                        let number = UInt16(truncatingIfNeeded: position &+ origin)
                        let distance = unsafe Int(number &- place.load(as: UInt16.self))
                        unsafe place.storeBytes(of: number, as: UInt16.self)
                        // Whether a place is in reach is hardly predictable, whether its bytes are equal is: one branch for
                        // both. `tooFar` is -1 or 0, and a place that is too far is compared with itself.
                        let farthest = min(position, DeflateSymbols.windowByteCount)
                        let tooFar = ((farthest &- distance) | (distance &- 1)) &>> 63
                        let candidate = unsafe base.loadUnaligned(
                            fromByteOffset: position &- (distance & ~tooFar), as: UInt64.self)
                        guard (candidate ^ word) | UInt64(bitPattern: Int64(tooFar)) == 0 else {
                            misses &+= 1
                            position &+= stride(afterMisses: misses)
                            continue
                        }
                        misses = 0
                        // Where positions were passed over, the match may have begun before.
                        var back = 0
                        let mostBack = min(position &- literalStart, min(position &- distance, longestStride))
                        while back < mostBack,
                            unsafe base.load(fromByteOffset: position &- back &- 1, as: UInt8.self)
                                == base.load(fromByteOffset: position &- back &- 1 &- distance, as: UInt8.self)
                        {
                            back &+= 1
                        }
                        position &-= back
                        let length = unsafe matchLength(
                            base + position, distance: distance, from: 8,
                            limit: min(DeflateSymbols.longestMatch, end &- position))
                        precondition(wordCount &+ 2 <= capacity, "no room for another sequence")
                        unsafe words[wordCount] = UInt32(truncatingIfNeeded: position &- literalStart)
                        unsafe words[wordCount &+ 1] = UInt32(truncatingIfNeeded: length | distance &<< 16)
                        wordCount &+= 2
                        let next = position &+ length
                        // Two more places are remembered: right after the begin, and right before the end.
                        if position &+ 1 < stop { unsafe remember(position &+ 1, base, places, origin) }
                        if next &- 2 < stop { unsafe remember(next &- 2, base, places, origin) }
                        (position, literalStart) = (next, next)
                    }
                    state = MatchSearchState(
                        position: position, literalStart: literalStart, wordCount: wordCount)
                }
            }
        }
    }
}

/// Notes where eight bytes were seen.
///
/// SAFETY: the caller vouches for eight bytes at `position`; the table has two bytes for each hash.
@inline(__always)
private func remember(_ position: Int, _ base: UnsafeRawPointer, _ places: UnsafeMutableRawPointer, _ origin: Int) {
    let word = unsafe base.loadUnaligned(fromByteOffset: position, as: UInt64.self)
    unsafe places.storeBytes(
        of: UInt16(truncatingIfNeeded: position &+ origin), toByteOffset: 2 &* FastMatchKernel.hash(word),
        as: UInt16.self)
}

/// How many bytes at `place` equal those `distance` bytes before, at most `limit`, of which the first `known` do.
///
/// SAFETY: the caller vouches for `limit` bytes from `place` on, for eight more, and for `distance` bytes before.
@inline(__always)
func matchLength(_ place: UnsafeRawPointer, distance: Int, from known: Int, limit: Int) -> Int {
    var length = known
    while length < limit {
        let ahead = unsafe place.loadUnaligned(fromByteOffset: length, as: UInt64.self)
        let before = unsafe place.loadUnaligned(fromByteOffset: length &- distance, as: UInt64.self)
        let difference = UInt64(littleEndian: ahead ^ before)
        if difference != 0 {
            return min(limit, length &+ difference.trailingZeroBitCount &>> 3)
        }
        length &+= 8
    }
    return limit
}
#endif
