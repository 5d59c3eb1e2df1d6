// Plain twin of PrefixTableKernel: the same table, codes one by one, every access checked.

import ImageCodecsCore

package enum PrefixTableKernelReference: PrefixTableLayout {
    /// See ``PrefixTableKernel/build(_:workspace:rootLimit:)``.
    package static func build(
        _ lengths: Span<UInt8>, workspace: inout MutableSpan<UInt16>, rootLimit: Int = rootBitLimit
    ) -> Result<BuiltPrefixTable, PrefixTableError> {
        var counts = [Int](repeating: 0, count: longestLength + 1)
        for symbol in 0..<lengths.count { counts[Int(lengths[symbol] & 15)] += 1 }
        let used = lengths.count - counts[0]
        guard used > 0 else { return .failure(PrefixTableError(problem: .incomplete)) }
        if used == 1 {
            for symbol in 0..<lengths.count where lengths[symbol] & 15 > 0 {
                workspace[tableStart] = UInt16(symbol << 4)
            }
            return .success(.ofOneSymbol)
        }
        var (left, shortest, longest) = (1, 0, 0)
        for length in 1...longestLength {
            left = left * 2 - counts[length]
            if left < 0 { return .failure(PrefixTableError(problem: .overfull)) }
            guard counts[length] > 0 else { continue }
            if shortest == 0 { shortest = length }
            longest = length
        }
        guard left == 0 else { return .failure(PrefixTableError(problem: .incomplete)) }
        let rootBits = rootBits(longest: longest, limit: rootLimit)
        let count = fill(lengths, counts, rootBits: rootBits, longest: longest, &workspace)
        var isFlat = shortest == longest
        for symbol in 0..<lengths.count where lengths[symbol] & 15 > 0 && symbol >= used { isFlat = false }
        return .success(
            BuiltPrefixTable(
                entryCount: count, rootBits: rootBits, shortest: shortest, longest: longest, isFlat: isFlat))
    }

    /// Writes the entries of a code that is complete; how many there are.
    private static func fill(
        _ lengths: Span<UInt8>, _ counts: [Int], rootBits: Int, longest: Int, _ workspace: inout MutableSpan<UInt16>
    ) -> Int {
        var code = 0
        var (end, root, start, bits) = (1 << rootBits, -1, 0, 0)
        for length in 1...longest {
            var left = counts[length]
            for symbol in 0..<lengths.count where Int(lengths[symbol] & 15) == length {
                if length <= rootBits {
                    for place in stride(from: code, to: 1 << rootBits, by: 1 << length) {
                        workspace[tableStart + place] = UInt16(symbol << 4 | length)
                    }
                } else {
                    if code & (1 << rootBits - 1) != root {
                        root = code & (1 << rootBits - 1)
                        bits = subTableBits(length, left, counts, rootBits)
                        (start, end) = (end, end + 1 << bits)
                        workspace[tableStart + root] = UInt16(start << 4 | (rootBitLimit + bits))
                    }
                    for place in stride(from: code >> rootBits, to: 1 << bits, by: 1 << (length - rootBits)) {
                        workspace[tableStart + start + place] = UInt16(symbol << 4 | (length - rootBits))
                    }
                }
                code = nextReversed(code, length)
                left -= 1
            }
        }
        return end
    }

    /// As many bits as the codes that begin like one of `length` bits, of which `left` are to come, have at most.
    private static func subTableBits(_ length: Int, _ left: Int, _ counts: [Int], _ rootBits: Int) -> Int {
        var (bits, room) = (length - rootBits, left)
        while room < 1 << bits, rootBits + bits < longestLength {
            bits += 1
            room = room * 2 + counts[rootBits + bits]
        }
        return bits
    }
}

#if ReferenceKernels
package typealias PrefixTableKernel = PrefixTableKernelReference
#endif
