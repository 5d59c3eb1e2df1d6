// The search along chains, without pointers. Plain twin of ChainMatchKernel.

import ImageCodecsCore

package enum ChainMatchKernelReference: ChainMatching {
    /// See ``ChainMatchKernel/sum(_:prices:into:)``.
    package static func sum(_ bytes: RawSpan, prices: Span<UInt32>, into sums: inout MutableSpan<UInt32>) {
        var sum: UInt32 = 0
        for index in 0..<bytes.byteCount {
            sums[index] = sum
            sum += prices[Int(bytes.byte(at: index))]
        }
        sums[bytes.byteCount] = sum
    }

    /// See ``ChainMatchKernel/search(_:_:stop:end:origin:effort:prices:sums:from:table:sequences:)``.
    package static func search(
        _ window: RawSpan, _ state: inout MatchSearchState, stop: Int, end: Int, origin: Int, effort: ChainSearchEffort,
        prices: Span<UInt32>, sums: Span<UInt32>, from first: Int, table: inout MutableSpan<UInt16>,
        sequences: inout MutableSpan<UInt32>
    ) {
        func insert(_ position: Int) {
            let word = window.nativeUInt32(at: position)
            let number = UInt16(truncatingIfNeeded: position + origin)
            let before = table[heads + hash(word)]
            table[chain + Int(number & 0x7FFF)] = before
            table[heads + hash(word)] = number
            table[threes + threeHash(word)] = number
        }

        /// What a match saves, compared with its literals.
        func gain(_ position: Int, _ length: Int, _ distance: Int) -> Int {
            let literals = Int(sums[position + length - first]) - Int(sums[position - first])
            let slot = DeflateSymbols.distanceSlot(distance)
            return literals - Int(prices[DeflatePrices.lengths + length - 3])
                - Int(prices[DeflatePrices.distances + slot])
        }

        /// The match that saves the most.
        func find(_ position: Int, _ depth: Int) -> (length: Int, distance: Int, gain: Int) {
            let word = window.nativeUInt32(at: position)
            let number = UInt16(truncatingIfNeeded: position + origin)
            let limit = min(DeflateSymbols.longestMatch, end - position)
            let farthest = min(position, DeflateSymbols.windowByteCount - 1)
            var best = (length: 0, distance: 0, gain: 0)
            var longest = 3
            let three = Int(number &- table[threes + threeHash(word)])
            var candidate = table[heads + hash(word)]
            insert(position)
            let saved = sums[position + 3 - first] - sums[position - first]
            let reach = Int(prices[DeflatePrices.reaches + DeflatePrices.reachIndex(saved)])
            if three > 0, three <= min(farthest, reach) {
                let length = window.matchLength(at: position, distance: three, limit: limit)
                if length >= 3, gain(position, length, three) > 0 {
                    best = (length, three, gain(position, length, three))
                    longest = length
                    if length >= effort.niceLength { return best }
                }
            }
            var distance = Int(number &- candidate)
            // A chain that begins with other bytes is not followed.
            guard distance > 0, distance <= farthest,
                window.matchLength(at: position, distance: distance, limit: 4) == 4
            else { return best }
            for _ in 0..<depth {
                guard distance > 0, distance <= farthest else { break }
                let length = window.matchLength(at: position, distance: distance, limit: limit)
                if length > longest {
                    let gain = gain(position, length, distance)
                    if gain > best.gain { best = (length, distance, gain) }
                    longest = length
                    if length >= effort.niceLength || length == limit { break }
                }
                candidate = table[chain + Int(candidate & 0x7FFF)]
                let next = Int(number &- candidate)
                guard next > distance else { break }
                distance = next
            }
            return best
        }

        let lastStart = end - 4
        while state.position < min(stop, lastStart + 1) {
            var match = find(state.position, effort.depth)
            guard match.gain > 0 else {
                state.position += state.position - state.literalStart < effort.longRun ? 1 : 2
                continue
            }
            var start = state.position
            // The first place that is not in the tables.
            var new = start + 1
            while match.length < effort.lazyLength, start < lastStart {
                let next = find(start + 1, effort.lazyDepth)
                new = start + 2
                guard next.gain > match.gain else { break }
                start += 1
                match = next
            }
            if start > state.literalStart, match.length < DeflateSymbols.longestMatch, match.distance < start,
                window.byte(at: start - 1) == window.byte(at: start - 1 - match.distance)
            {
                start -= 1
                match.length += 1
            }
            sequences[state.wordCount] = UInt32(start - state.literalStart)
            sequences[state.wordCount + 1] = UInt32(match.length | match.distance << 16)
            state.wordCount += 2
            let next = start + match.length
            for inside in new..<max(new, min(next, lastStart + 1)) { insert(inside) }
            (state.position, state.literalStart) = (next, next)
        }
    }
}

#if ReferenceKernels
package typealias ChainMatchKernel = ChainMatchKernelReference
#endif
