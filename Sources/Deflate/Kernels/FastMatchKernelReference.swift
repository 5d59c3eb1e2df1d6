// The search that takes the least time, without pointers. Plain twin of FastMatchKernel.

import ImageCodecsCore

package enum FastMatchKernelReference: FastMatching {
    /// See ``FastMatchKernel/search(_:_:stop:end:origin:table:sequences:)``.
    package static func search(
        _ window: RawSpan, _ state: inout MatchSearchState, stop: Int, end: Int, origin: Int,
        table: inout MutableRawSpan, sequences: inout MutableSpan<UInt32>
    ) {
        func remember(_ position: Int) -> UInt16 {
            let low = UInt64(window.nativeUInt32(at: position))
            let high = UInt64(window.nativeUInt32(at: position + 4))
            #if _endian(little)
            let place = 2 * hash(low | high << 32)
            #else
            let place = 2 * hash(low << 32 | high)
            #endif
            let before = table.bytes.nativeUInt16(at: place)
            table.storeBytes(
                of: UInt16(truncatingIfNeeded: position + origin), toByteOffset: place, as: UInt16.self)
            return before
        }
        let stop = min(stop, end - shortestMatch + 1)
        while state.position < stop {
            let position = state.position
            let distance = Int(UInt16(truncatingIfNeeded: position + origin) &- remember(position))
            state.position += 1
            guard distance > 0, distance <= min(position, DeflateSymbols.windowByteCount) else { continue }
            let length = window.matchLength(
                at: position, distance: distance, limit: min(DeflateSymbols.longestMatch, end - position))
            guard length >= shortestMatch else { continue }
            sequences[state.wordCount] = UInt32(position - state.literalStart)
            sequences[state.wordCount + 1] = UInt32(length | distance << 16)
            state.wordCount += 2
            let next = position + length
            if position + 1 < stop { _ = remember(position + 1) }
            if next - 2 < stop { _ = remember(next - 2) }
            (state.position, state.literalStart) = (next, next)
        }
    }
}

extension RawSpan {
    /// How many bytes from `position` on equal those `distance` bytes before, at most `limit`.
    func matchLength(at position: Int, distance: Int, limit: Int) -> Int {
        var length = 0
        while length < limit, byte(at: position + length) == byte(at: position + length - distance) { length += 1 }
        return length
    }
}

#if ReferenceKernels
package typealias FastMatchKernel = FastMatchKernelReference
#endif
