// The search that takes the least time: one look at where the next four bytes were last seen.

import ImageCodecsCore

/// What the fast search knows between two calls.
struct FastMatchState: Sendable {
    /// Where in the window the search goes on.
    var position: Int
    /// Where the literals begin that belong to no sequence yet.
    var literalStart: Int
    /// Words of sequences so far.
    var wordCount = 0
}

/// What the fast search looks things up with.
protocol FastMatching {}

extension FastMatching {
    /// Bits of a hash.
    static var hashBitCount: Int { 14 }
    /// Bytes of the table: two for each hash.
    static var tableByteCount: Int { 2 << hashBitCount }
    /// Bytes after a position that are looked at beside those of a match.
    static var lookAhead: Int { 8 }

    /// The hash of four bytes.
    @inline(__always)
    static func hash(_ word: UInt32) -> Int {
        Int(truncatingIfNeeded: (word &* 0x9E37_79B1) &>> UInt32(truncatingIfNeeded: 32 &- hashBitCount))
    }

    /// Whether a match is worth its bits: one of four bytes that is far away costs more than the literals it stands for.
    @inline(__always)
    static func isWorth(length: Int, distance: Int, farthestOfFour: Int) -> Bool {
        length > 4 || distance <= farthestOfFour
    }
}

#if !ReferenceKernels
enum FastMatchKernel: FastMatching {
    /// Looks for matches that begin before `stop`.
    ///
    /// The table has the low sixteen bits of where each hash was last seen. What they lead to is compared with the input, so that
    /// old and foreign entries do no harm.
    ///
    /// - Parameters:
    ///   - window: what distances reach, and the input.
    ///   - state: moved on.
    ///   - stop: where the search ends; at the latest three bytes before `end`.
    ///   - end: where the input ends; matches do not go on beyond it.
    ///   - origin: what is added to a position in the window to get the number that the table has.
    ///   - farthestOfFour: the largest distance at which a match of four bytes is used.
    ///   - table: ``tableByteCount`` bytes.
    ///   - sequences: takes two words for each match; as many as there are bytes from the first position to `end`, halved, and two
    ///     more have room.
    /// - Precondition: `window` has ``lookAhead`` bytes after `end`, of any value.
    static func search(
        _ window: RawSpan, _ state: inout FastMatchState, stop: Int, end: Int, origin: Int, farthestOfFour: Int,
        table: inout MutableRawSpan, sequences: inout MutableSpan<UInt32>
    ) {
        precondition(state.literalStart >= 0 && state.literalStart <= state.position, "outside of the window")
        let stop = min(stop, end - 3)
        precondition(end <= window.byteCount - lookAhead, "outside of the window")
        precondition(table.byteCount >= tableByteCount, "a table that is too small")
        let capacity = sequences.count
        unsafe window.withUnsafeBytes { window in
            unsafe table.withUnsafeMutableBytes { table in
                unsafe sequences.withUnsafeMutableBufferPointer { sequences in
                    let base = window.baseAddress!
                    let places = table.baseAddress!
                    let words = sequences.baseAddress!
                    var position = state.position
                    var literalStart = state.literalStart
                    var wordCount = state.wordCount
                    // SAFETY: position <= end - 4, and eight bytes after `end` are in the window; a candidate lies `distance` bytes
                    // before, which is at most `position`. Hashes have 14 bits, and the table two bytes for each.
                    while position < stop {
                        let word = unsafe base.loadUnaligned(fromByteOffset: position, as: UInt32.self)
                        let place = unsafe places + 2 &* hash(word)
                        let number = UInt16(truncatingIfNeeded: position &+ origin)
                        let distance = unsafe Int(number &- place.load(as: UInt16.self))
                        unsafe place.storeBytes(of: number, as: UInt16.self)
                        // Whether a place is in reach is hardly predictable, whether its bytes are equal is: one branch for
                        // both. `tooFar` is -1 or 0, and a place that is too far is compared with itself.
                        let farthest = min(position, DeflateSymbols.windowByteCount)
                        let tooFar = ((farthest &- distance) | (distance &- 1)) &>> 63
                        let candidate = unsafe base.loadUnaligned(
                            fromByteOffset: position &- (distance & ~tooFar), as: UInt32.self)
                        guard Int(candidate ^ word) | tooFar == 0 else {
                            position &+= 1
                            continue
                        }
                        let length = unsafe matchLength(
                            base + position, distance: distance, from: 4,
                            limit: min(DeflateSymbols.longestMatch, end &- position))
                        guard length >= 4,
                            isWorth(length: length, distance: distance, farthestOfFour: farthestOfFour)
                        else {
                            position &+= 1
                            continue
                        }
                        precondition(wordCount &+ 2 <= capacity, "no room for another sequence")
                        unsafe words[wordCount] = UInt32(truncatingIfNeeded: position &- literalStart)
                        unsafe words[wordCount &+ 1] = UInt32(truncatingIfNeeded: length | distance &<< 16)
                        wordCount &+= 2
                        let next = position &+ length
                        // Two more places are remembered: right after the begin, and right before the end.
                        unsafe remember(position &+ 1, base, places, origin)
                        if next &+ 2 <= end { unsafe remember(next &- 2, base, places, origin) }
                        position = next
                        literalStart = next
                    }
                    state.position = position
                    state.literalStart = literalStart
                    state.wordCount = wordCount
                }
            }
        }
    }
}

/// Notes where four bytes were seen.
///
/// SAFETY: the caller vouches for four bytes at `position`; the table has two bytes for each hash.
@inline(__always)
private func remember(_ position: Int, _ base: UnsafeRawPointer, _ places: UnsafeMutableRawPointer, _ origin: Int) {
    let word = unsafe base.loadUnaligned(fromByteOffset: position, as: UInt32.self)
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
