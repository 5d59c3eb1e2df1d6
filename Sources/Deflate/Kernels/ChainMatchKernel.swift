// The search along chains of earlier places, with lazy choice: a match waits until it is known that the next byte begins none
// that saves more.
//
//   heads    hash of four bytes  ──▶ the last place that has it
//   chain    a place             ──▶ the one before with the same hash
//   threes   hash of three bytes ──▶ the last place that has it
//
// All are the low sixteen bits of positions, so that nothing has to be changed when the window moves on: what is too old shows a
// distance that is no larger than the one before it, or other bytes.

import ImageCodecsCore

/// How long matches are looked for.
package struct ChainSearchEffort: Hashable, Sendable {
    /// Places looked at for one position.
    package var depth: Int
    /// Places looked at for the position after a match.
    package var lazyDepth: Int
    /// A match of this length is used without looking further along the chain.
    package var niceLength: Int
    /// From a match of this length on, none is looked for at the next byte.
    package var lazyLength: Int
    /// From this many literals on, every second position is looked at: there is little to find.
    package var longRun: Int

    package init(depth: Int, lazyDepth: Int, niceLength: Int, lazyLength: Int, longRun: Int) {
        (self.depth, self.lazyDepth, self.niceLength, self.lazyLength) = (depth, lazyDepth, niceLength, lazyLength)
        self.longRun = longRun
    }
}

/// Where parts of the tables of a chain search begin, in words of sixteen bits.
package protocol ChainMatching {}

extension ChainMatching {
    /// Bits of the hashes of four and of three bytes.
    package static var hashBitCount: Int { 16 }
    package static var threeHashBitCount: Int { 15 }
    package static var heads: Int { 0 }
    package static var chain: Int { 1 << hashBitCount }
    package static var threes: Int { chain + DeflateSymbols.windowByteCount }
    /// Bytes of all tables.
    package static var tableByteCount: Int { 2 * (threes + 1 << threeHashBitCount) }
    /// Bytes after the input that may be looked at.
    package static var lookAhead: Int { 8 }

    @inline(__always)
    package static func hash(_ word: UInt32) -> Int {
        Int(truncatingIfNeeded: (word &* 0x9E37_79B1) &>> UInt32(truncatingIfNeeded: 32 &- hashBitCount))
    }

    /// 0 if the first three bytes of words are equal that were loaded in the order of memory.
    @inline(__always)
    package static func differenceInThree(_ first: UInt32, _ second: UInt32) -> Int {
        Int(truncatingIfNeeded: UInt32(littleEndian: first ^ second) &<< 8)
    }

    /// The hash of the first three bytes of a word that was loaded in the order of memory.
    @inline(__always)
    package static func threeHash(_ word: UInt32) -> Int {
        let three = UInt32(littleEndian: word) &<< 8
        return Int(truncatingIfNeeded: (three &* 0x9E37_79B1) &>> UInt32(truncatingIfNeeded: 32 &- threeHashBitCount))
    }
}

#if !ReferenceKernels
package enum ChainMatchKernel: ChainMatching {
    /// Adds up what literals cost.
    ///
    /// - Parameters:
    ///   - bytes: the literals.
    ///   - prices: of the 256 literals, and maybe more.
    ///   - sums: gets the sum of the prices before each byte, and that of all.
    package static func sum(_ bytes: RawSpan, prices: Span<UInt32>, into sums: inout MutableSpan<UInt32>) {
        precondition(prices.count >= 256 && sums.count > bytes.byteCount, "tables that are too small")
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe prices.withUnsafeBufferPointer { prices in
                unsafe sums.withUnsafeMutableBufferPointer { sums in
                    var sum: UInt32 = 0
                    // SAFETY: there is a price for each byte, and one sum more than there are bytes.
                    for index in 0..<bytes.count {
                        unsafe sums[index] = sum
                        unsafe sum &+= prices[Int(bytes[index])]
                    }
                    unsafe sums[bytes.count] = sum
                }
            }
        }
    }

    /// Looks for matches, and goes on until a position is reached that is not before `stop`.
    ///
    /// - Parameters:
    ///   - window: what distances reach, and the input.
    ///   - state: moved on.
    ///   - stop: where the search ends.
    ///   - end: where the input ends; matches do not go on beyond it.
    ///   - origin: what is added to a position in the window to get the number that the tables have.
    ///   - effort: how long to look.
    ///   - prices: what literals and matches cost; see ``DeflatePrices``.
    ///   - sums: what the literals before each byte of the input cost together, the first for `first`; one more than there are bytes.
    ///   - first: the position in the window that `sums` begins with.
    ///   - table: ``tableByteCount`` bytes, at a multiple of two.
    ///   - sequences: takes two words for each match; as many as there are bytes from the first position to `end`, and two more have
    ///     room.
    /// - Precondition: `window` has ``lookAhead`` bytes after `end`, of any value.
    package static func search(
        _ window: RawSpan, _ state: inout MatchSearchState, stop: Int, end: Int, origin: Int, effort: ChainSearchEffort,
        prices: Span<UInt32>, sums: Span<UInt32>, from first: Int, table: inout MutableSpan<UInt16>,
        sequences: inout MutableSpan<UInt32>
    ) {
        precondition(state.literalStart >= first && state.literalStart <= state.position && first >= 0, "no such place")
        precondition(end <= window.byteCount - lookAhead && sums.count > end - first, "outside of the window")
        precondition(
            table.count >= tableByteCount / 2 && prices.count >= DeflatePrices.count, "tables that are too small")
        let capacity = sequences.count
        precondition(state.wordCount >= 0 && state.wordCount <= capacity, "no such sequence")
        unsafe window.withUnsafeBytes { window in
            unsafe prices.withUnsafeBufferPointer { prices in
                unsafe sums.withUnsafeBufferPointer { sums in
                    unsafe table.withUnsafeMutableBufferPointer { table in
                        unsafe sequences.withUnsafeMutableBufferPointer { sequences in
                            let tables = unsafe ChainTables(
                                base: window.baseAddress!, prices: prices.baseAddress!,
                                sums: sums.baseAddress! - first, table: table.baseAddress!, end: end,
                                lastStart: end - 4, origin: origin)
                            unsafe tables.search(
                                &state, until: stop, effort, words: sequences.baseAddress!, capacity: capacity)
                        }
                    }
                }
            }
        }
    }
}

/// A match and how much less it costs than its literals, in sixteenths of a bit.
private struct Match {
    var length = 0
    var distance = 0
    var gain: Int32 = 0
}

/// How far back the last places are that have the hashes of a position.
private struct Candidates {
    var three: Int
    var four: Int
    /// Whether one of them may begin a match. It is seldom so, and the loop goes on at once if it is not.
    var isPromising: Bool
}

/// SAFETY, for all of it. Positions that are looked at are at most `lastStart`, four bytes before `end`, and eight bytes after
/// `end` are in the window. A candidate lies `distance` bytes before its position, which is at most the position itself. Hashes
/// have as many bits as their tables, and chains are looked up with fifteen bits. Sums reach from the first position to `end`.
/// Lengths are 3...258 and slots at most 29, for which there are prices; there is a reach for each index of one.
@unsafe
private struct ChainTables {
    typealias Layout = ChainMatchKernel

    let base: UnsafeRawPointer
    let prices: UnsafePointer<UInt32>
    let sums: UnsafePointer<UInt32>
    let table: UnsafeMutablePointer<UInt16>
    let end: Int
    let lastStart: Int
    let origin: Int

    func search(
        _ state: inout MatchSearchState, until stop: Int, _ effort: ChainSearchEffort,
        words: UnsafeMutablePointer<UInt32>,
        capacity: Int
    ) {
        let stop = unsafe min(stop, lastStart &+ 1)
        var (position, literalStart, wordCount) = (state.position, state.literalStart, state.wordCount)
        while position < stop {
            let candidates = unsafe look(at: position)
            var match = Match()
            if candidates.isPromising {
                match = unsafe best(position, candidates, effort.depth, effort.niceLength)
            }
            guard match.gain > 0 else {
                position &+= position &- literalStart < effort.longRun ? 1 : 2
                continue
            }
            // The first place that is not in the tables.
            var new = position &+ 1
            while match.length < effort.lazyLength, unsafe position < lastStart {
                let candidates = unsafe look(at: position &+ 1)
                new = position &+ 2
                guard candidates.isPromising else { break }
                let next = unsafe best(position &+ 1, candidates, effort.lazyDepth, effort.niceLength)
                guard next.gain > match.gain else { break }
                position &+= 1
                match = next
            }
            if position > literalStart, unsafe isLonger(match, position) {
                position &-= 1
                match.length &+= 1
            }
            precondition(wordCount &+ 2 <= capacity, "no room for another sequence")
            unsafe words[wordCount] = UInt32(truncatingIfNeeded: position &- literalStart)
            unsafe words[wordCount &+ 1] = UInt32(truncatingIfNeeded: match.length | match.distance &<< 16)
            wordCount &+= 2
            let next = position &+ match.length
            let last = unsafe min(next &- 1, lastStart)
            while new <= last {
                let word = unsafe base.loadUnaligned(fromByteOffset: new, as: UInt32.self)
                _ = unsafe insert(new, word)
                new &+= 1
            }
            (position, literalStart) = (next, next)
        }
        state = MatchSearchState(position: position, literalStart: literalStart, wordCount: wordCount)
    }

    /// Makes a place the last one of its hashes.
    ///
    /// - Returns: how far back those are that were.
    @inline(__always)
    private func insert(_ position: Int, _ word: UInt32) -> (three: UInt16, four: UInt16) {
        let number = unsafe UInt16(truncatingIfNeeded: position &+ origin)
        let head = Layout.heads &+ Layout.hash(word)
        let three = Layout.threes &+ Layout.threeHash(word)
        let (before, threeBefore) = unsafe (table[head], table[three])
        unsafe table[Layout.chain &+ Int(number & 0x7FFF)] = before
        unsafe table[head] = number
        unsafe table[three] = number
        return (number &- threeBefore, number &- before)
    }

    /// The last places with the hashes of a position, after which it is one itself.
    @inline(__always)
    private func look(at position: Int) -> Candidates {
        let word = unsafe base.loadUnaligned(fromByteOffset: position, as: UInt32.self)
        let distances = unsafe insert(position, word)
        let (three, four) = (Int(distances.three), Int(distances.four))
        // Three bytes are seldom near enough to save anything.
        var isThree = false
        if unsafe three <= min(position, reach(position)) {
            let before = unsafe base.loadUnaligned(fromByteOffset: position &- three, as: UInt32.self)
            isThree = Layout.differenceInThree(before, word) == 0
        }
        // Whether a place is in the window is hardly predictable, whether its bytes are equal is: one branch for both. What is before
        // the window is not looked at, but the window's begin.
        let place = four > position ? 0 : position &- four
        let before = unsafe base.loadUnaligned(fromByteOffset: place, as: UInt32.self)
        let isFour = (before ^ word) | (UInt32(truncatingIfNeeded: four) & 0x8000) == 0
        return Candidates(three: three, four: four, isPromising: isThree || isFour)
    }

    /// How far back three bytes may be that are no more than three, to save anything.
    @inline(__always)
    private func reach(_ position: Int) -> Int {
        let literals = unsafe sums[position &+ 3] &- sums[position]
        return unsafe Int(prices[DeflatePrices.reaches &+ DeflatePrices.reachIndex(literals)])
    }

    /// The match that saves the most.
    @inline(never)
    private func best(_ position: Int, _ candidates: Candidates, _ depth: Int, _ niceLength: Int) -> Match {
        let place = unsafe base + position
        let word = unsafe place.loadUnaligned(as: UInt32.self)
        let number = unsafe UInt16(truncatingIfNeeded: position &+ origin)
        let limit = unsafe min(DeflateSymbols.longestMatch, end &- position)
        let farthest = min(position, DeflateSymbols.windowByteCount &- 1)
        let startSum = unsafe sums[position]
        var best = Match()
        var bestLength = 3

        let three = candidates.three
        if three > 0, unsafe three <= min(farthest, reach(position)) {
            let before = unsafe place.loadUnaligned(fromByteOffset: 0 &- three, as: UInt32.self)
            if Layout.differenceInThree(before, word) == 0 {
                let length = unsafe matchLength(place, distance: three, from: 3, limit: limit)
                let gain = unsafe gain(startSum, position, length, three)
                if gain > 0 {
                    best = Match(length: length, distance: three, gain: gain)
                    bestLength = length
                    if length >= niceLength { return best }
                }
            }
        }

        var distance = candidates.four
        var candidate = number &- UInt16(truncatingIfNeeded: distance)
        var left = depth
        // A chain that begins with other bytes is not followed: it seldom leads to a match, and its length is hardly predictable.
        guard distance > 0, distance <= farthest,
            unsafe place.loadUnaligned(fromByteOffset: 0 &- distance, as: UInt32.self) == word
        else { return best }
        while distance > 0, distance <= farthest, left > 0 {
            // Only a longer match is worth a longer distance: its last four bytes are the quickest to tell.
            let end = unsafe place.loadUnaligned(fromByteOffset: bestLength &- 3, as: UInt32.self)
            if unsafe place.loadUnaligned(fromByteOffset: bestLength &- 3 &- distance, as: UInt32.self) == end,
                unsafe place.loadUnaligned(fromByteOffset: 0 &- distance, as: UInt32.self) == word
            {
                let length = unsafe matchLength(place, distance: distance, from: 4, limit: limit)
                if length > bestLength {
                    let gain = unsafe gain(startSum, position, length, distance)
                    if gain > best.gain { best = Match(length: length, distance: distance, gain: gain) }
                    bestLength = length
                    if length >= niceLength || length == limit { break }
                }
            }
            candidate = unsafe table[Layout.chain &+ Int(candidate & 0x7FFF)]
            let next = Int(number &- candidate)
            // A chain leads to ever older places; what does not is left from an older one.
            if next <= distance { break }
            distance = next
            left &-= 1
        }
        return best
    }

    /// Whether a match goes on for one byte before its begin, which was not looked at or began none of its own.
    @inline(__always)
    private func isLonger(_ match: Match, _ position: Int) -> Bool {
        guard match.length < DeflateSymbols.longestMatch, match.distance < position else { return false }
        let before = unsafe base.load(fromByteOffset: position &- 1 &- match.distance, as: UInt8.self)
        return unsafe base.load(fromByteOffset: position &- 1, as: UInt8.self) == before
    }

    /// What a match saves, compared with its literals.
    @inline(__always)
    private func gain(_ startSum: UInt32, _ position: Int, _ length: Int, _ distance: Int) -> Int32 {
        let literals = unsafe sums[position &+ length] &- startSum
        let slot = DeflateSymbols.distanceSlot(distance)
        let match = unsafe prices[DeflatePrices.lengths &+ length &- 3] &+ prices[DeflatePrices.distances &+ slot]
        return Int32(truncatingIfNeeded: literals) &- Int32(truncatingIfNeeded: match)
    }
}
#endif
