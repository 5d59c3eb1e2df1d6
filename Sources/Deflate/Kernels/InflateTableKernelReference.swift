// A table of a prefix code, entry by entry, and single symbols by the rules: what the fast builder is compared with.

import ImageCodecsCore

/// The plain twin of ``InflateTableKernel``.
package enum InflateTableKernelReference {
    /// The symbol whose code the low bits of `bits` begin with, and how long that is; `nil` if there is none.
    ///
    /// Codes of a length follow each other, and begin after those of shorter ones with a zero added.
    ///
    /// Source: RFC 1951 section 3.2.2 "Use of Huffman coding in the "deflate" format".
    package static func symbol(_ bits: Int, lengths: [Int]) -> (symbol: Int, length: Int)? {
        var (code, first) = (0, 0)
        for length in 1...15 {
            code = code << 1 | bits >> (length - 1) & 1
            let symbols = lengths.indices.filter { lengths[$0] == length }
            if code - first < symbols.count { return (symbols[code - first], length) }
            first = (first + symbols.count) << 1
        }
        return nil
    }

    /// See ``InflateTableKernel/build(_:in:symbols:)``.
    package static func build(
        _ plan: PrefixTablePlan, in elements: inout MutableSpan<UInt32>, symbols: Span<UInt32>
    ) -> PrefixCodeShape {
        var counts = [Int](repeating: 0, count: 16)
        for place in plan.lengths { counts[Int(elements[place] & 15)] += 1 }
        let shape = shape(counts, plan.lengths.count)
        switch shape {
        case .complete: fill(plan, counts, in: &elements, symbols)
        case .empty, .single:
            // No code at all, or one of one bit, which is a zero.
            let first = plan.lengths.first { elements[$0] & 15 != 0 }
            let zero = first.map { symbols[$0 - plan.lengths.lowerBound] } ?? PrefixEntry.invalid
            for index in 0..<1 << plan.rootBits {
                let entry = index % 2 == 0 ? zero : PrefixEntry.invalid
                elements[plan.table.lowerBound + index] = entry + PrefixEntry.oneCodeBit
            }
        case .incomplete, .oversubscribed: break
        }
        return shape
    }

    private static func shape(_ counts: [Int], _ symbolCount: Int) -> PrefixCodeShape {
        if counts[0] == symbolCount { return .empty }
        // Codes that are left when those of a length and of all shorter ones are taken.
        var left = 1
        for length in 1...15 {
            left = 2 * left - counts[length]
            if left < 0 { return .oversubscribed }
        }
        if left == 0 { return .complete }
        return counts[0] == symbolCount - 1 && counts[1] == 1 ? .single : .incomplete
    }

    private static func fill(
        _ plan: PrefixTablePlan, _ counts: [Int], in elements: inout MutableSpan<UInt32>, _ symbols: Span<UInt32>
    ) {
        let (start, rootBits) = (plan.table.lowerBound, plan.rootBits)
        var code = 0
        var (end, subTable, bitCount, prefix) = (1 << rootBits, 0, 0, -1)
        for length in 1...15 {
            var left = counts[length]
            for symbol in 0..<plan.lengths.count where Int(elements[plan.lengths.lowerBound + symbol] & 15) == length {
                let entry = symbols[symbol] + PrefixEntry.oneCodeBit * UInt32(length)
                if length <= rootBits {
                    for index in stride(from: code, to: 1 << rootBits, by: 1 << length) {
                        elements[start + index] = entry
                    }
                } else {
                    if code & (1 << rootBits - 1) != prefix {
                        prefix = code & (1 << rootBits - 1)
                        bitCount = subTableBits(length, left, counts, rootBits)
                        (subTable, end) = (end, end + 1 << bitCount)
                        elements[start + prefix] =
                            PrefixEntry.subTable | UInt32(start + subTable) << 16 | UInt32(bitCount) << 8
                    }
                    for index in stride(from: code >> rootBits, to: 1 << bitCount, by: 1 << (length - rootBits)) {
                        elements[start + subTable + index] = entry
                    }
                }
                code = successor(of: code, bitCount: length)
                left -= 1
            }
        }
    }

    /// How many bits choose in a sub-table whose first code has `length` bits, of which `left` are to come: it ends with the
    /// first code that has as many bits as fill it.
    private static func subTableBits(_ length: Int, _ left: Int, _ counts: [Int], _ rootBits: Int) -> Int {
        var (length, filled) = (length, left)
        while filled < 1 << (length - rootBits), length < 15 {
            length += 1
            filled = 2 * filled + counts[length]
        }
        return length - rootBits
    }

    /// The code that follows, both turned around: one is added at the highest bit, and carried down. After the last
    /// code it is 0.
    private static func successor(of code: Int, bitCount: Int) -> Int {
        var (code, bit) = (code, 1 << (bitCount - 1))
        while code & bit != 0 {
            code -= bit
            bit >>= 1
        }
        return code | bit
    }

    /// See ``InflateTableKernel/pairLiterals(_:rootBits:in:)``.
    package static func pairLiterals(_ table: Range<Int>, rootBits: Int, in elements: inout MutableSpan<UInt32>) {
        // From the end on, so that those that are looked up are of one literal still.
        for index in (0..<1 << rootBits).reversed() {
            let first = elements[table.lowerBound + index]
            let taken = PrefixEntry.usedBits(first)
            guard PrefixEntry.isLiteral(first), taken <= rootBits else { continue }
            let second = elements[table.lowerBound + index >> taken]
            let secondTaken = PrefixEntry.usedBits(second)
            guard PrefixEntry.isLiteral(second), taken + secondTaken <= rootBits else { continue }
            let value = UInt32(PrefixEntry.value(second)) << 24
            elements[table.lowerBound + index] = first + PrefixEntry.oneLiteral + UInt32(secondTaken) + value
        }
    }
}

#if ReferenceKernels
package typealias InflateTableKernel = InflateTableKernelReference
#endif
