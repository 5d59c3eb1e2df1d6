// Builds the table of one prefix code: lengths of codes in, an entry for any bits that may come next out.
//
//   lengths ──▶ how many codes of each length ──▶ symbols in the order of their codes ──▶ root, sub-tables
//
// Codes are read from their highest bit on, and come lowest bit first: an index is a code turned around. A root for codes
// of n bits is two copies of the one for n - 1 bits, one after the other, with the codes of n bits put in.

/// Which table of a prefix code is to be built.
package struct PrefixTablePlan: Sendable {
    /// Where the lengths lie among the elements, 0...15 each: 320 at most.
    package var lengths: Range<Int>
    /// Where the table goes.
    package var table: Range<Int>
    /// Bits that its root is looked up with.
    package var rootBits: Int

    package init(lengths: Range<Int>, table: Range<Int>, rootBits: Int) {
        (self.lengths, self.table, self.rootBits) = (lengths, table, rootBits)
    }
}

/// Whether lengths make a code.
package enum PrefixCodeShape: Hashable, Sendable {
    /// Any bits are codes.
    case complete
    /// No symbol has a code.
    case empty
    /// One symbol has a code, of one bit.
    case single
    /// Some bits are no code.
    case incomplete
    /// There are more codes than bits can tell apart.
    case oversubscribed
}

#if !ReferenceKernels
package enum InflateTableKernel {
    private static let longestCode = InflateTables.longestCode
    private static let mostSymbols = 320

    /// Builds a table if the shape is `complete`; if it is `empty` or `single`, bits that are no code get entries that
    /// say so. For other shapes nothing is written.
    ///
    /// - Parameter symbols: the entry of each symbol without the bits of its code, as many as there are lengths or more.
    /// - Precondition: the table has room for the root, and for the sub-tables that the code may have.
    package static func build(
        _ plan: PrefixTablePlan, in elements: inout MutableSpan<UInt32>, symbols: Span<UInt32>
    ) -> PrefixCodeShape {
        let (lengths, table) = (plan.lengths, plan.table)
        precondition(lengths.lowerBound >= 0 && lengths.upperBound <= elements.count, "lengths outside of the elements")
        precondition(table.lowerBound >= 0 && table.upperBound <= elements.count, "a table outside of the elements")
        precondition(lengths.count <= mostSymbols && lengths.count <= symbols.count, "lengths without symbols")
        precondition(table.count >= 1 << plan.rootBits && plan.rootBits > 0, "a table without room for its root")
        return unsafe elements.withUnsafeMutableBufferPointer { elements in
            unsafe symbols.withUnsafeBufferPointer { symbols in
                // SAFETY: neither is empty, by the checks above.
                guard let base = elements.baseAddress, let symbols = symbols.baseAddress else { return .empty }
                return unsafe withUnsafeTemporaryAllocation(of: UInt16.self, capacity: mostSymbols + 32) { scratch in
                    guard let scratch = scratch.baseAddress else { return .empty }
                    var builder = unsafe PrefixTableBuilder(
                        plan, elements: base, symbols: symbols, sorted: scratch, counts: scratch + mostSymbols)
                    return unsafe builder.build()
                }
            }
        }
    }

    /// Gives entries of one literal a second one if the bits of the root say which it is.
    ///
    /// - Parameter table: where the table lies among the elements; its root comes first.
    package static func pairLiterals(_ table: Range<Int>, rootBits: Int, in elements: inout MutableSpan<UInt32>) {
        precondition(table.lowerBound >= 0 && table.upperBound <= elements.count, "a table outside of the elements")
        precondition(table.count >= 1 << rootBits && rootBits > 1, "a table without room for its root")
        unsafe elements.withUnsafeMutableBufferPointer { elements in
            guard let base = elements.baseAddress else { return }
            // SAFETY: the root lies among the elements, a multiple of four of them (checked above), and no index is larger
            // when it is shifted.
            let root = unsafe base + table.lowerBound
            var index = (1 &<< rootBits) &- 4
            while index >= 0 {
                unsafe pairFour(root, index, rootBits)
                index &-= 4
            }
        }
    }

    /// Pairs four entries; those before them are of one literal still.
    ///
    /// Vectors, because what would be branches could not be foreseen.
    @inline(__always)
    private static func pairFour(_ root: UnsafeMutablePointer<UInt32>, _ index: Int, _ rootBits: Int) {
        // SAFETY: four entries lie in the root from `index` on.
        let place = unsafe UnsafeMutableRawPointer(root + index)
        let first = unsafe place.loadUnaligned(as: SIMD4<UInt32>.self)
        var second = SIMD4<UInt32>()
        for lane in 0..<4 {
            second[lane] = unsafe root[(index &+ lane) &>> Int(truncatingIfNeeded: first[lane] & 63)]
        }
        let lowBits = SIMD4<UInt32>(repeating: 63)
        let taken = second & lowBits
        let room = SIMD4<UInt32>(repeating: UInt32(truncatingIfNeeded: rootBits)) &- (first & lowBits) &- taken
        // Negative if one is no literal, or both are longer than the root's bits.
        let signs = ((first | second) &<< SIMD4(repeating: 16)) | room
        let isNoPair = SIMD4<Int32>(truncatingIfNeeded: signs) &>> SIMD4(repeating: 31)
        let literal = (second & SIMD4(repeating: 0xFF_0000)) &<< SIMD4(repeating: 8)
        let addition = taken &+ SIMD4(repeating: PrefixEntry.oneLiteral) &+ literal
        let pairs = first &+ (addition & ~SIMD4<UInt32>(truncatingIfNeeded: isNoPair))
        unsafe place.storeBytes(of: pairs, as: SIMD4<UInt32>.self)
    }
}

/// SAFETY, for all of it: `lengths` and `table` lie among the elements, `sorted` has room for every symbol and `counts` for
/// two numbers for each length, as the kernel's entry checked. A length is taken modulo 16; a code of n bits is below 2^n, and
/// so below 2^root in the root; sub-tables are only written if they fit.
@unsafe
private struct PrefixTableBuilder {
    private let lengths: UnsafePointer<UInt32>
    private let lengthCount: Int
    private let table: UnsafeMutablePointer<UInt32>
    private let tableCount: Int
    /// Where the table lies among the elements.
    private let tableStart: Int
    private let rootBits: Int
    private let symbols: UnsafePointer<UInt32>
    /// Symbols in the order of their codes.
    private let sorted: UnsafeMutablePointer<UInt16>
    /// Codes of each length.
    private let counts: UnsafeMutablePointer<UInt16>
    /// Where the next symbol of each length goes; after the counts.
    private let places: UnsafeMutablePointer<UInt16>

    init(
        _ plan: PrefixTablePlan, elements: UnsafeMutablePointer<UInt32>, symbols: UnsafePointer<UInt32>,
        sorted: UnsafeMutablePointer<UInt16>, counts: UnsafeMutablePointer<UInt16>
    ) {
        unsafe lengths = UnsafePointer(elements + plan.lengths.lowerBound)
        unsafe lengthCount = plan.lengths.count
        unsafe table = elements + plan.table.lowerBound
        unsafe tableCount = plan.table.count
        unsafe tableStart = plan.table.lowerBound
        unsafe rootBits = plan.rootBits
        unsafe self.symbols = symbols
        unsafe self.sorted = sorted
        unsafe self.counts = counts
        unsafe places = counts + 16
    }

    mutating func build() -> PrefixCodeShape {
        let shape = unsafe count()
        switch shape {
        case .complete:
            unsafe sort()
            unsafe fill()
        case .empty, .single: unsafe fillAlmostEmpty()
        case .incomplete, .oversubscribed: break
        }
        return shape
    }

    /// Counts the codes of each length.
    private func count() -> PrefixCodeShape {
        unsafe counts.update(repeating: 0, count: 32)
        let pairCount = unsafe lengthCount &>> 1
        // In two places, for equal lengths stand side by side and would wait for each other.
        for pair in 0..<pairCount {
            unsafe counts[Int(lengths[2 &* pair] & 15)] &+= 1
            unsafe places[Int(lengths[2 &* pair &+ 1] & 15)] &+= 1
        }
        if unsafe lengthCount & 1 == 1 { unsafe counts[Int(lengths[lengthCount &- 1] & 15)] &+= 1 }
        for length in 0..<16 { unsafe counts[length] &+= places[length] }
        if unsafe Int(counts[0]) == lengthCount { return .empty }
        // Codes that are left when those of a length and of all shorter ones are taken.
        var left = 1
        for length in 1...15 {
            left = unsafe 2 * left - Int(counts[length])
            if left < 0 { return .oversubscribed }
        }
        if left == 0 { return .complete }
        return unsafe Int(counts[0]) == lengthCount - 1 && counts[1] == 1 ? .single : .incomplete
    }

    private func sort() {
        var place: UInt16 = 0
        for length in 1...15 {
            unsafe places[length] = place
            unsafe place &+= counts[length]
        }
        unsafe places[0] = place
        // Symbols without codes come last, where nobody looks.
        for symbol in 0..<(unsafe lengthCount) {
            let length = unsafe Int(lengths[symbol] & 15)
            unsafe sorted[Int(places[length])] = UInt16(truncatingIfNeeded: symbol)
            unsafe places[length] &+= 1
        }
    }

    /// No code at all, or one of one bit, which is a zero.
    private func fillAlmostEmpty() {
        unsafe table[0] = PrefixEntry.invalid &+ PrefixEntry.oneCodeBit
        unsafe table[1] = PrefixEntry.invalid &+ PrefixEntry.oneCodeBit
        for symbol in 0..<(unsafe lengthCount) where unsafe lengths[symbol] & 15 != 0 {
            unsafe table[0] = symbols[symbol] &+ PrefixEntry.oneCodeBit
        }
        for length in 1..<(unsafe rootBits) {
            // SAFETY: 2 * 2^length <= 2^root entries.
            unsafe (table + 1 &<< length).update(from: table, count: 1 &<< length)
        }
    }

    private func fill() {
        let rootBits = unsafe rootBits
        var (place, length, code) = (0, 1, 0)
        // Codes of the root, whose length is that of the copies.
        while length <= rootBits {
            if length > 1 {
                // SAFETY: 2 * 2^(length - 1) <= 2^root entries.
                let half = 1 &<< (length &- 1)
                unsafe (table + half).update(from: table, count: half)
            }
            let addition = PrefixEntry.oneCodeBit &* UInt32(truncatingIfNeeded: length)
            var left = unsafe Int(counts[length])
            while left > 0 {
                unsafe table[code] = symbols[Int(sorted[place])] &+ addition
                code = unsafe Self.successor(of: code, bitCount: length)
                place &+= 1
                left &-= 1
            }
            length &+= 1
        }
        unsafe fillSubTables(place, code)
    }

    /// Longer codes, which begin with the bits of `code`.
    private func fillSubTables(_ firstPlace: Int, _ firstCode: Int) {
        var (place, code) = (firstPlace, firstCode)
        let (rootBits, counts) = unsafe (rootBits, counts)
        let rootMask = (1 &<< rootBits) &- 1
        var (end, start, bitCount, prefix) = (1 &<< rootBits, 0, 0, -1)
        for length in rootBits + 1..<16 {
            let addition = PrefixEntry.oneCodeBit &* UInt32(truncatingIfNeeded: length)
            var left = unsafe Int(counts[length])
            while left > 0 {
                if code & rootMask != prefix {
                    prefix = code & rootMask
                    (start, bitCount) = unsafe (end, subTableBits(length, left))
                    end &+= 1 &<< bitCount
                    // Never so: see `InflateTables`.
                    guard unsafe end <= tableCount else { return }
                    let place = unsafe UInt32(truncatingIfNeeded: tableStart &+ start)
                    unsafe table[prefix] =
                        PrefixEntry.subTable | place &<< 16 | UInt32(truncatingIfNeeded: bitCount) &<< 8
                }
                let entry = unsafe symbols[Int(sorted[place])] &+ addition
                var index = start &+ (code &>> rootBits)
                while index < end {
                    unsafe table[index] = entry
                    index &+= 1 &<< (length &- rootBits)
                }
                code = unsafe Self.successor(of: code, bitCount: length)
                place &+= 1
                left &-= 1
            }
        }
    }

    /// How many bits choose in a sub-table whose first code has `length` bits, of which `left` are to come: it ends with the
    /// first code that has as many bits as fill it.
    private func subTableBits(_ length: Int, _ left: Int) -> Int {
        var (length, filled) = (length, left)
        while unsafe filled < 1 &<< (length &- rootBits), length < 15 {
            length &+= 1
            filled = unsafe 2 &* filled &+ Int(counts[length])
        }
        return unsafe length &- rootBits
    }

    /// The code of `bitCount` bits that follows, both turned around: ones at the end become zeros, and the zero before
    /// them a one; after the last code it is 0.
    @inline(__always)
    private static func successor(of code: Int, bitCount: Int) -> Int {
        let zeros = ~code & ((1 &<< bitCount) &- 1)
        guard zeros != 0 else { return 0 }
        let bit = 1 &<< (63 &- zeros.leadingZeroBitCount)
        return code & (bit &- 1) | bit
    }
}
#endif
