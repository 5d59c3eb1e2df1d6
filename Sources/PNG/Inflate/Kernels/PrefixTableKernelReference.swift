// A table of a prefix code, entry by entry: what the fast builder is compared with.

import ImageCore

/// The plain twin of ``PrefixTableKernel``.
package enum PrefixTableKernelReference {
    /// The symbol whose code the low bits of `bits` begin with, and how long that is; `nil` where there is none.
    ///
    /// Codes of a length follow each other, and begin behind those of shorter ones with a zero added.
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
}
