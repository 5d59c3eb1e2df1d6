// Builds the look-up table of a prefix code from its code lengths.
//
//   entry    symbol << 4 | bits        how many bits the code has, 0...8
//            offset << 4 | 8 + bits    a longer code: the sub-table at `offset` is looked up with the next `bits` bits, 1...7;
//                                      its entries have the bits of the code that are left
//
//   table    [ 1 << rootBits entries | sub-table | sub-table | ... ]      rootBits: the longest length, at most 8; fewer
//                                                                         if that makes the table of a sparse code smaller
//
// Bits come lowest first, codes are sorted by their first bit: a code is kept reversed, and counts up from its highest bit.

import ImageCodecsCore

/// What is wrong with code lengths.
package enum PrefixCodeProblem: Sendable, Hashable {
    case overfull
    case incomplete

    func error(_ reader: VP8LBitReader) -> ImageError {
        switch self {
        case .overfull: reader.damage(.vp8lPrefixCodeOverfull, "a prefix code with more codes than there is room for")
        case .incomplete: reader.damage(.vp8lPrefixCodeIncomplete, "a prefix code that is not complete")
        }
    }
}

/// The table of a prefix code, as it was built.
package struct BuiltPrefixTable: Sendable, Hashable {
    /// Entries of root and sub-tables.
    package let entryCount: Int
    /// Bits that the root is looked up with.
    package let rootBits: Int
    /// The shortest code; 0 if there is one symbol, which takes no bits.
    package let shortest: Int
    /// The longest code; 0 if there is one symbol.
    package let longest: Int
    /// Whether the code is that of the symbols 0..<2^n with n bits each: one table for all such codes of n bits.
    package let isFlat: Bool

    package init(entryCount: Int, rootBits: Int, shortest: Int, longest: Int, isFlat: Bool) {
        self.entryCount = entryCount
        self.rootBits = rootBits
        self.shortest = shortest
        self.longest = longest
        self.isFlat = isFlat
    }

    /// The table of a code with one symbol.
    package static let ofOneSymbol = BuiltPrefixTable(
        entryCount: 1, rootBits: 0, shortest: 0, longest: 0, isFlat: false)
}

/// Why a table was not built.
package struct PrefixTableError: Error, Hashable, Sendable {
    package let problem: PrefixCodeProblem

    package init(problem: PrefixCodeProblem) { self.problem = problem }
}

/// Sizes, and the tables of simple codes.
package protocol PrefixTableLayout {}

extension PrefixTableLayout {
    static var longestLength: Int { 15 }
    /// The most bits that the root is looked up with.
    package static var rootBitLimit: Int { 8 }
    /// The most bits that a sub-table is looked up with.
    static var subTableBitLimit: Int { 7 }

    /// How many bits the root is looked up with, so that those of the longest codes which are left fit a sub-table.
    ///
    /// - Parameter limit: at most ``rootBitLimit``.
    static func rootBits(longest: Int, limit: Int) -> Int { min(longest, max(limit, longest - subTableBitLimit)) }
    /// Entries that a table may have: offsets have twelve bits. The most that a code of 2328 symbols needs is 2704.
    static var largestEntryCount: Int { 1 << 12 }

    // Where things lie in the workspace.
    fileprivate static var countStart: Int { 0 }
    fileprivate static var offsetStart: Int { 16 }
    fileprivate static var sortedStart: Int { 32 }
    package static var tableStart: Int { sortedStart + PrefixAlphabet.largest }
    /// Numbers of the workspace.
    package static var workspaceCount: Int { tableStart + largestEntryCount }

    /// Builds the table of a simple code, as if its symbols had lengths of 1.
    ///
    /// A symbol that the alphabet has not gets no code: a code of distances has 40 symbols, and eight bits for one.
    ///
    /// - Parameter symbols: the second is -1 if there is none.
    package static func build(
        _ symbols: (first: Int, second: Int), alphabet: Int, workspace: inout MutableSpan<UInt16>
    ) -> Result<BuiltPrefixTable, PrefixTableError> {
        let first = symbols.first < alphabet ? symbols.first : -1
        let second = symbols.second < alphabet ? symbols.second : -1
        let (low, high) = (min(first, second), max(first, second))
        guard high >= 0 else { return .failure(PrefixTableError(problem: .incomplete)) }
        guard low >= 0, low != high else {
            workspace[tableStart] = UInt16(high << 4)
            return .success(.ofOneSymbol)
        }
        workspace[tableStart] = UInt16(low << 4 | 1)
        workspace[tableStart + 1] = UInt16(high << 4 | 1)
        return .success(
            BuiltPrefixTable(entryCount: 2, rootBits: 1, shortest: 1, longest: 1, isFlat: high == 1))
    }

    /// The code after `code`, both reversed; the same if it is the last.
    @inline(__always)
    static func nextReversed(_ code: Int, _ length: Int) -> Int {
        let open = ~code & ((1 &<< length) &- 1)
        guard open != 0 else { return code }
        // The highest bit that is not set gets set, those above it are cleared.
        let bit = 1 &<< (Int.bitWidth &- 1 &- open.leadingZeroBitCount)
        return code & (bit &- 1) | bit
    }
}

#if !ReferenceKernels
/// Builds tables.
///
/// A code is valid that has exactly one symbol, of whatever length, which then takes no bits; or one that uses up all bit
/// patterns. Others are refused before an entry is written.
///
/// Source: RFC 9649 section 3.7.2.1 "Decoding and Building the Prefix Codes".
package enum PrefixTableKernel: PrefixTableLayout {
    /// Builds the table of a code in the workspace, from ``tableStart`` on.
    ///
    /// - Parameters:
    ///   - lengths: 0...15, one for each symbol.
    ///   - workspace: ``workspaceCount`` numbers.
    ///   - rootLimit: the most bits that the root is looked up with, at most ``rootBitLimit``; codes of fifteen bits take
    ///     eight in any case.
    package static func build(
        _ lengths: Span<UInt8>, workspace: inout MutableSpan<UInt16>, rootLimit: Int = rootBitLimit
    ) -> Result<BuiltPrefixTable, PrefixTableError> {
        precondition(lengths.count <= PrefixAlphabet.largest && workspace.count >= workspaceCount, "too small")
        precondition(rootLimit > 0 && rootLimit <= rootBitLimit, "a root of \(rootLimit) bits")
        return unsafe lengths.withUnsafeBufferPointer { lengths in
            unsafe workspace.withUnsafeMutableBufferPointer { workspace in
                // SAFETY: neither is empty if it is accessed: the workspace as checked above, lengths below their count.
                guard let base = workspace.baseAddress, let first = lengths.baseAddress else {
                    return .failure(PrefixTableError(problem: .incomplete))
                }
                return unsafe build(first, lengths.count, base, rootLimit)
            }
        }
    }

    private static func build(
        _ lengths: UnsafePointer<UInt8>, _ count: Int, _ workspace: UnsafeMutablePointer<UInt16>, _ rootLimit: Int
    ) -> Result<BuiltPrefixTable, PrefixTableError> {
        let counts = unsafe workspace + countStart
        // SAFETY: sixteen counts, sixteen offsets and as many sorted symbols as there are lengths lie in the workspace; a
        // length is at most 15, as masked.
        for length in 0...longestLength { unsafe counts[length] = 0 }
        let table = unsafe workspace + tableStart
        let used = unsafe listUsed(lengths, count, table, counts)
        guard used > 0 else { return .failure(PrefixTableError(problem: .incomplete)) }
        let offsets = unsafe workspace + offsetStart
        var (left, next, shortest, longest) = (1, 0, 0, 0)
        for length in 1...longestLength {
            let these = unsafe Int(counts[length])
            unsafe offsets[length] = UInt16(truncatingIfNeeded: next)
            next += these
            left = left * 2 - these
            if left < 0, used > 1 { return .failure(PrefixTableError(problem: .overfull)) }
            if these > 0 {
                if shortest == 0 { shortest = length }
                longest = length
            }
        }
        guard left == 0 || used == 1 else { return .failure(PrefixTableError(problem: .incomplete)) }
        let sorted = unsafe workspace + sortedStart
        for index in 0..<used {
            let symbol = unsafe Int(table[index])
            let length = unsafe Int(lengths[symbol] & 15)
            let place = unsafe Int(offsets[length])
            unsafe sorted[place] = UInt16(truncatingIfNeeded: symbol)
            unsafe offsets[length] = UInt16(truncatingIfNeeded: place &+ 1)
        }
        if used == 1 {
            unsafe table[0] = sorted[0] &<< 4
            return .success(.ofOneSymbol)
        }
        let rootBits = rootBits(longest: longest, limit: rootLimit)
        let lastSymbol = unsafe Int(sorted[used &- 1])
        let built = unsafe fill(
            table, sorted: sorted, counts: counts, shortest: shortest, longest: longest, rootBits: rootBits)
        guard let built else { return .failure(PrefixTableError(problem: .overfull)) }
        return .success(
            BuiltPrefixTable(
                entryCount: built, rootBits: rootBits, shortest: shortest, longest: longest,
                isFlat: shortest == longest && lastSymbol == used &- 1))
    }

    /// Lists the symbols that have codes, where the table will be, and counts the lengths.
    ///
    /// - Returns: how many there are.
    @inline(__always)
    private static func listUsed(
        _ lengths: UnsafePointer<UInt8>, _ count: Int, _ list: UnsafeMutablePointer<UInt16>,
        _ counts: UnsafeMutablePointer<UInt16>
    ) -> Int {
        var (used, symbol) = (0, 0)
        while symbol < count {
            // SAFETY: eight lengths from the symbol on are below the count. The list is no longer than there are symbols.
            if symbol &+ 8 <= count,
                unsafe UnsafeRawPointer(lengths + symbol).loadUnaligned(as: UInt64.self) == 0
            {
                symbol &+= 8
                continue
            }
            let end = min(symbol &+ 8, count)
            while symbol < end {
                let length = unsafe Int(lengths[symbol] & 15)
                unsafe counts[length] &+= 1
                unsafe list[used] = UInt16(truncatingIfNeeded: symbol)
                used &+= length > 0 ? 1 : 0
                symbol &+= 1
            }
        }
        return used
    }

    /// Writes the entries of a code that is complete; how many there are, or `nil` if they do not fit.
    private static func fill(
        _ table: UnsafeMutablePointer<UInt16>, sorted: UnsafePointer<UInt16>, counts: UnsafePointer<UInt16>,
        shortest: Int, longest: Int, rootBits: Int
    ) -> Int? {
        var (code, next) = (0, 0)
        // SAFETY: the codes of each length are written at places below 1 << length, which is at most the root's size; what
        // is copied doubles that. The code is complete, so there are as many sorted symbols as codes.
        // All codes may be longer than the root has bits.
        for length in min(shortest, rootBits)...rootBits {
            for _ in unsafe 0..<Int(counts[length]) {
                unsafe table[code] = sorted[next] &<< 4 | UInt16(truncatingIfNeeded: length)
                next &+= 1
                code = nextReversed(code, length)
            }
            if length < rootBits {
                unsafe (table + (1 &<< length)).update(from: table, count: 1 &<< length)
            }
        }
        var end = 1 << rootBits
        guard longest > rootBits else { return end }
        var (root, start, bits) = (-1, 0, 0)
        for length in rootBits + 1...longest {
            var left = unsafe Int(counts[length])
            while left > 0 {
                if code & ((1 &<< rootBits) &- 1) != root {
                    root = code & ((1 &<< rootBits) &- 1)
                    // As many bits as the codes that begin like this one have at most.
                    bits = length - rootBits
                    var room = left
                    while room < 1 &<< bits, rootBits + bits < longestLength {
                        bits &+= 1
                        room = unsafe room &* 2 &+ Int(counts[rootBits &+ bits])
                    }
                    start = end
                    end += 1 << bits
                    // No code comes here; it keeps what is written inside the table whatever is above.
                    guard end <= largestEntryCount else { return nil }
                    unsafe table[root] = UInt16(truncatingIfNeeded: start &<< 4 | (rootBitLimit &+ bits))
                }
                let entry = unsafe sorted[next] &<< 4 | UInt16(truncatingIfNeeded: length &- rootBits)
                var place = code &>> rootBits
                // SAFETY: places below 1 << bits of a sub-table that ends at `end`.
                while place < 1 &<< bits {
                    unsafe table[start &+ place] = entry
                    place &+= 1 &<< (length &- rootBits)
                }
                next &+= 1
                left &-= 1
                code = nextReversed(code, length)
            }
        }
        return end
    }
}
#endif
