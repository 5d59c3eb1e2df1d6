// Binary trees of earlier places, without pointers. Plain twin of TreeMatchKernel.

import ImageCodecsCore

package enum TreeMatchKernelReference: TreeMatching {
    /// See ``TreeMatchKernel/find(_:_:end:isLast:origin:depth:niceLength:skipped:table:matches:matchCount:ends:from:)``.
    package static func find(
        _ window: RawSpan, _ range: Range<Int>, end: Int, isLast: Bool, origin: Int, depth: Int, niceLength: Int,
        skipped: inout Int,
        table: inout MutableSpan<UInt32>, matches: inout MutableSpan<UInt32>, matchCount: inout Int,
        ends: inout MutableSpan<UInt32>, from first: Int
    ) {
        for position in range {
            defer { ends[position - first] = UInt32(matchCount) }
            guard end - position >= 4 else { continue }
            let limit = min(DeflateSymbols.longestMatch, end - position)
            let found = search(
                position, window, limit, inserts: isLast || limit == DeflateSymbols.longestMatch,
                number: UInt32(truncatingIfNeeded: position + origin + 1), depth, &table)
            guard skipped == 0 else {
                skipped -= 1
                continue
            }
            guard let longest = found.last else { continue }
            let isNarrow = matches.count - matchCount < 2 * mostMatches + (end - position)
            for match in isNarrow ? [longest] : found {
                matches[matchCount] = match
                matchCount += 1
            }
            if PackedMatch.length(longest) >= niceLength { skipped = PackedMatch.length(longest) - 1 }
        }
    }

    /// Looks for matches of a position, which becomes the root of its tree if `inserts`; they come by ascending length.
    private static func search(
        _ position: Int, _ window: RawSpan, _ limit: Int, inserts: Bool, number: UInt32, _ depth: Int,
        _ table: inout MutableSpan<UInt32>
    ) -> [UInt32] {
        let word = window.nativeUInt32(at: position)
        let farthest = min(position, DeflateSymbols.windowByteCount - 1)
        var found: [UInt32] = []
        let three = threes + threeHash(word)
        let distance = Int(number &- table[three])
        if distance > 0, distance <= farthest,
            window.matchLength(at: position, distance: distance, limit: min(3, limit)) == 3
        {
            found.append(PackedMatch.word(3, distance))
        }
        if inserts { table[three] = number }
        var node = table[heads + hash(word)]
        if inserts { table[heads + hash(word)] = number }
        var before = children + 2 * Int(number & 0x7FFF)
        var after = before + 1
        var (bestLength, lastDistance) = (3, 0)
        for _ in 0..<depth {
            let distance = Int(number &- node)
            guard node != 0, distance > lastDistance, distance <= farthest else { break }
            lastDistance = distance
            let place = children + 2 * Int(node & 0x7FFF)
            let length = window.matchLength(at: position, distance: distance, limit: limit)
            if length > bestLength, found.count < mostMatches {
                bestLength = length
                found.append(PackedMatch.word(length, distance))
            }
            if length == limit {
                if inserts {
                    table[before] = table[place]
                    table[after] = table[place + 1]
                }
                return found
            }
            if window.byte(at: position - distance + length) < window.byte(at: position + length) {
                if inserts { table[before] = node }
                before = place + 1
                node = table[before]
            } else {
                if inserts { table[after] = node }
                after = place
                node = table[after]
            }
        }
        if inserts {
            table[before] = 0
            table[after] = 0
        }
        return found
    }
}

#if ReferenceKernels
package typealias TreeMatchKernel = TreeMatchKernelReference
#endif
