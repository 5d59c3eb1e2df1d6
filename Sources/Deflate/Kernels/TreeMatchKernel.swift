// All matches worth considering at every position: binary trees of earlier places.
//
//   heads     hash of four bytes  ──▶ the last place that has it: the root of a tree, sorted by the bytes that follow
//   children  a place             ──▶ the roots of what sorts before and after it, both older than the place
//   threes    hash of three bytes ──▶ the last place that has it
//
// A new place becomes the root. On the way down to where it would stand, the old tree is split into what sorts before and after
// it, and every place passed shows how long a match with it is. Places are numbers of positions in the whole input, modulo 2^32;
// 0 is none.

import ImageCodecsCore

/// A match with all that a search for the cheapest way asks of it, packed into a word.
///
///   bits 0...8 length   9...13 symbol of the distance   14...29 distance
package enum PackedMatch {
    @inline(__always)
    package static func word(_ length: Int, _ distance: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: length | DeflateSymbols.distanceSlot(distance) &<< 9 | distance &<< 14)
    }

    @inline(__always) package static func length(_ word: UInt32) -> Int { Int(truncatingIfNeeded: word & 0x1FF) }
    @inline(__always) package static func slot(_ word: UInt32) -> Int { Int(truncatingIfNeeded: (word &>> 9) & 31) }
    @inline(__always) package static func distance(_ word: UInt32) -> UInt32 { word &>> 14 }
}

/// Where parts of the tables of a tree search begin, in words.
package protocol TreeMatching {}

extension TreeMatching {
    /// Bits of the hashes of four and of three bytes.
    package static var hashBitCount: Int { 16 }
    package static var threeHashBitCount: Int { 17 }
    package static var heads: Int { 0 }
    package static var threes: Int { 1 << hashBitCount }
    package static var children: Int { threes + 1 << threeHashBitCount }
    /// Words of all tables.
    package static var tableCount: Int { children + 2 * DeflateSymbols.windowByteCount }
    /// Bytes after the input that may be looked at.
    package static var lookAhead: Int { 8 }
    /// Matches that are noted for one position at most.
    package static var mostMatches: Int { 64 }

    @inline(__always)
    package static func hash(_ word: UInt32) -> Int {
        Int(truncatingIfNeeded: (word &* 0x9E37_79B1) &>> UInt32(truncatingIfNeeded: 32 &- hashBitCount))
    }

    /// The hash of the first three bytes of a word that was loaded in the order of memory.
    @inline(__always)
    package static func threeHash(_ word: UInt32) -> Int {
        let three = UInt32(littleEndian: word) &<< 8
        return Int(truncatingIfNeeded: (three &* 0x9E37_79B1) &>> UInt32(truncatingIfNeeded: 32 &- threeHashBitCount))
    }
}

#if !ReferenceKernels
package enum TreeMatchKernel: TreeMatching {
    /// Notes the matches of the positions of a range: for each length that none nearer has, the nearest.
    ///
    /// - Parameters:
    ///   - window: what distances reach, and the input.
    ///   - range: the positions.
    ///   - end: where the input ends; matches do not go on beyond it.
    ///   - isLast: whether nothing follows. Otherwise places near the end are not put into the trees: what follows them, which is
    ///     what trees are sorted by, is not known yet.
    ///   - origin: what is added to a position in the window to get its number, less 1.
    ///   - depth: places looked at for one position.
    ///   - niceLength: positions within a match of this length get no matches of their own.
    ///   - skipped: how many positions are still within such a match; moved on.
    ///   - table: ``tableCount`` words.
    ///   - matches: takes words of ``PackedMatch``, by ascending length for each position.
    ///   - matchCount: how many there are; moved on.
    ///   - ends: gets, for each position from `first` on, how many matches there are up to and with it.
    ///   - first: the position of the first of `ends`.
    /// - Precondition: `window` has ``lookAhead`` bytes after `end`, of any value; `matches` has room for one match of each position up
    ///   to `end`, and ``mostMatches``.
    package static func find(
        _ window: RawSpan, _ range: Range<Int>, end: Int, isLast: Bool, origin: Int, depth: Int, niceLength: Int,
        skipped: inout Int,
        table: inout MutableSpan<UInt32>, matches: inout MutableSpan<UInt32>, matchCount: inout Int,
        ends: inout MutableSpan<UInt32>, from first: Int
    ) {
        precondition(range.lowerBound >= first && first >= 0 && range.upperBound <= end, "outside of the window")
        precondition(end <= window.byteCount - lookAhead && ends.count >= end - first, "outside of the window")
        precondition(table.count >= tableCount, "a table that is too small")
        precondition(matchCount >= 0 && matches.count - matchCount >= mostMatches + end - range.lowerBound, "no room")
        let capacity = matches.count
        unsafe window.withUnsafeBytes { window in
            unsafe table.withUnsafeMutableBufferPointer { table in
                unsafe matches.withUnsafeMutableBufferPointer { matches in
                    let tree = unsafe MatchTree(
                        base: window.baseAddress!, table: table.baseAddress!, matches: matches.baseAddress!,
                        origin: origin, depth: depth)
                    for position in range {
                        // Four bytes are hashed.
                        if end &- position >= 4 {
                            let limit = min(DeflateSymbols.longestMatch, end &- position)
                            let isSorted = isLast || limit == DeflateSymbols.longestMatch
                            if skipped > 0 {
                                if isSorted { _ = unsafe tree.search(position, limit, inserts: true, notedFrom: nil) }
                                skipped &-= 1
                            } else {
                                // If there is little room left, only the longest is kept.
                                let isNarrow = capacity &- matchCount < 2 &* mostMatches &+ (end &- position)
                                let count = unsafe tree.search(
                                    position, limit, inserts: isSorted, notedFrom: matchCount)
                                if count > 0 {
                                    let longest = unsafe matches[matchCount &+ count &- 1]
                                    if isNarrow { unsafe matches[matchCount] = longest }
                                    matchCount &+= isNarrow ? 1 : count
                                    let length = PackedMatch.length(longest)
                                    if length >= niceLength { skipped = length &- 1 }
                                }
                            }
                        }
                        ends[position &- first] = UInt32(truncatingIfNeeded: matchCount)
                    }
                }
            }
        }
    }
}

/// SAFETY, for all of it. Positions have four bytes before the end of the input and eight after it. A place lies `distance` bytes
/// before its position, at most the position itself and 32767. Hashes have as many bits as their tables, and children are looked up
/// with fifteen bits. At most ``TreeMatchKernel/mostMatches`` matches are noted, for which there is room: the caller has left that many
/// beside one for each position.
@unsafe
private struct MatchTree {
    typealias Layout = TreeMatchKernel

    let base: UnsafeRawPointer
    let table: UnsafeMutablePointer<UInt32>
    let matches: UnsafeMutablePointer<UInt32>
    let origin: Int
    let depth: Int

    /// Looks for matches of a position.
    ///
    /// - Parameters:
    ///   - inserts: whether it becomes the root of its tree.
    ///   - start: where matches are noted; `nil` if they are not.
    /// - Returns: how many were noted.
    @inline(__always)
    func search(_ position: Int, _ limit: Int, inserts: Bool, notedFrom start: Int?) -> Int {
        let place = unsafe base + position
        let word = unsafe place.loadUnaligned(as: UInt32.self)
        let number = unsafe UInt32(truncatingIfNeeded: position &+ origin &+ 1)
        let farthest = min(position, DeflateSymbols.windowByteCount &- 1)
        var count = 0
        var bestLength = 3

        let three = unsafe table + (Layout.threes &+ Layout.threeHash(word))
        if let start {
            let distance = unsafe Int(number &- three.pointee)
            if distance > 0, distance <= farthest {
                let length = unsafe matchLength(place, distance: distance, from: 0, limit: min(3, limit))
                if length == 3 {
                    unsafe matches[start] = PackedMatch.word(3, distance)
                    count = 1
                }
            }
        }
        if inserts { unsafe three.pointee = number }

        let head = unsafe table + (Layout.heads &+ Layout.hash(word))
        var node = unsafe head.pointee
        if inserts { unsafe head.pointee = number }
        // Where the next place that sorts before, and after, is to be hung.
        var before = unsafe table + (Layout.children &+ 2 &* Int(number & 0x7FFF))
        var after = unsafe before + 1
        // How many bytes are known to be equal on either side.
        var (beforeLength, afterLength) = (0, 0)
        var lastDistance = 0
        var left = unsafe depth
        while left > 0 {
            let distance = Int(number &- node)
            guard node != 0, distance > lastDistance, distance <= farthest else { break }
            lastDistance = distance
            left &-= 1
            let children = unsafe table + (Layout.children &+ 2 &* Int(node & 0x7FFF))
            let length = unsafe matchLength(
                place, distance: distance, from: min(beforeLength, afterLength), limit: limit)
            if let start, length > bestLength, count < Layout.mostMatches {
                bestLength = length
                unsafe matches[start &+ count] = PackedMatch.word(length, distance)
                count &+= 1
            }
            if length == limit {
                // What is equal as far as it matters need not be sorted: its children take its place.
                if inserts {
                    unsafe before.pointee = children.pointee
                    unsafe after.pointee = children[1]
                }
                return count
            }
            if unsafe (place - distance).load(fromByteOffset: length, as: UInt8.self)
                < place.load(fromByteOffset: length, as: UInt8.self)
            {
                if inserts { unsafe before.pointee = node }
                unsafe before = children + 1
                node = unsafe before.pointee
                beforeLength = length
            } else {
                if inserts { unsafe after.pointee = node }
                unsafe after = children
                node = unsafe after.pointee
                afterLength = length
            }
        }
        if inserts {
            unsafe before.pointee = 0
            unsafe after.pointee = 0
        }
        return count
    }
}
#endif
