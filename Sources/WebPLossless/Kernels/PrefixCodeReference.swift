// Plain twin of PrefixTableKernel and of BitWindow: codes counted up one by one, bits taken one by one.
//
// Source: RFC 9649 section 3.7.2.1 "Decoding and Building the Prefix Codes".

/// A prefix code by the book.
package struct PrefixCodeReference: Sendable {
    /// What a code may be.
    package enum Problem: Hashable, Sendable { case overfull, incomplete }

    private struct Code: Hashable {
        let length: Int
        /// The first bit highest.
        let bits: Int
    }

    private var symbols: [Code: Int] = [:]
    /// The symbol that takes no bits, for it is the only one.
    private var single: Int?

    /// - Parameter lengths: 0...15, one for each symbol.
    /// - Throws: the problem of lengths that make no code.
    package init(_ lengths: [UInt8]) throws(PrefixCodeError) {
        let used = lengths.indices.filter { lengths[$0] > 0 }
        if used.isEmpty { throw PrefixCodeError(problem: .incomplete) }
        if used.count == 1 {
            single = used[0]
            return
        }
        // Of all patterns of fifteen bits, how many begin with a code.
        let taken = used.reduce(0) { $0 + 1 << (15 - Int(lengths[$1])) }
        if taken > 1 << 15 { throw PrefixCodeError(problem: .overfull) }
        if taken < 1 << 15 { throw PrefixCodeError(problem: .incomplete) }
        var next = 0
        for length in 1...15 {
            next <<= 1
            for symbol in used where Int(lengths[symbol]) == length {
                symbols[Code(length: length, bits: next)] = symbol
                next += 1
            }
        }
    }

    /// The next symbol; `nil` where the bits end before.
    ///
    /// - Parameter bit: gives the next bit, or `nil`.
    package func symbol(_ bit: () -> Int?) -> Int? {
        if let single { return single }
        var (length, bits) = (0, 0)
        while length < 15 {
            guard let next = bit() else { return nil }
            (length, bits) = (length + 1, bits << 1 | next)
            if let symbol = symbols[Code(length: length, bits: bits)] { return symbol }
        }
        return nil
    }
}

/// Why lengths are no code.
package struct PrefixCodeError: Error, Hashable, Sendable {
    package let problem: PrefixCodeReference.Problem

    package init(problem: PrefixCodeReference.Problem) { self.problem = problem }
}
