// The search that takes the least time, without pointers. Plain twin of FastMatchKernel.

import ImageCodecsCore

enum FastMatchKernelReference: FastMatching {
    /// See ``FastMatchKernel/search(_:_:stop:end:origin:farthestOfFour:table:sequences:)``.
    static func search(
        _ window: RawSpan, _ state: inout FastMatchState, stop: Int, end: Int, origin: Int, farthestOfFour: Int,
        table: inout MutableRawSpan, sequences: inout MutableSpan<UInt32>
    ) {
        func remember(_ position: Int) -> UInt16 {
            let place = 2 * hash(window.nativeUInt32(at: position))
            let before = table.bytes.nativeUInt16(at: place)
            table.storeBytes(
                of: UInt16(truncatingIfNeeded: position + origin), toByteOffset: place, as: UInt16.self)
            return before
        }
        while state.position < min(stop, end - 3) {
            let position = state.position
            let distance = Int(UInt16(truncatingIfNeeded: position + origin) &- remember(position))
            state.position += 1
            guard distance > 0, distance <= min(position, DeflateSymbols.windowByteCount) else { continue }
            let length = window.matchLength(
                at: position, distance: distance, limit: min(DeflateSymbols.longestMatch, end - position))
            guard length >= 4, isWorth(length: length, distance: distance, farthestOfFour: farthestOfFour) else {
                continue
            }
            sequences[state.wordCount] = UInt32(position - state.literalStart)
            sequences[state.wordCount + 1] = UInt32(length | distance << 16)
            state.wordCount += 2
            let next = position + length
            _ = remember(position + 1)
            if next + 2 <= end { _ = remember(next - 2) }
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
typealias FastMatchKernel = FastMatchKernelReference
#endif
