// From how often symbols occur to how many bits their codes have: Huffman's algorithm, and package-merge where its codes get too
// long.

/// Makes the lengths of prefix codes; keeps its working arrays from one code to the next.
package struct PrefixCodeLengths: Sendable {
    /// Number of occurrences above, symbol below, ascending.
    private var leaves: [UInt64] = []
    /// What ``huffman()`` works in: weights, then parents, then depths.
    private var work: [Int] = []

    /// What ``packageMerge(limit:into:)`` works in: nodes of a level, packages of the level before, the kinds of all nodes.
    private var merged: [Int] = []
    private var packages: [Int] = []
    private var isLeaf: [Bool] = []

    package init() {}

    private static let symbolBits: UInt64 = 16
    /// The leaf without a symbol, lighter than any other.
    private static let nobody: UInt64 = 1 << symbolBits - 1

    /// The lengths of a code that costs the least, none longer than `limit`.
    ///
    /// Codes are complete: at least two symbols get one, those of the lowest numbers if fewer occur.
    ///
    /// - Parameters:
    ///   - counts: occurrences of each symbol; fewer than 2^16 symbols, of which at most 2^`limit` occur.
    ///   - limit: the most bits, at most 16.
    ///   - floor: symbols that occur less often are taken to occur this often, so that few codes get too long.
    ///   - keepsPlace: whether a code, one of the longest, is left to nobody: some formats have no code of ones alone.
    ///   - lengths: gets as many lengths as there are counts, 0 for symbols without a code.
    package mutating func make(
        _ counts: [UInt32], limit: Int, floor: UInt32 = 1, keepsPlace: Bool = false, into lengths: inout [UInt8]
    ) {
        leaves.removeAll(keepingCapacity: true)
        // Nobody's code: its symbol is beyond all others, and occurs less often than any.
        if keepsPlace { leaves.append(Self.nobody) }
        for symbol in 0..<counts.count {
            lengths[symbol] = 0
            if counts[symbol] > 0 {
                leaves.append(UInt64(max(floor, counts[symbol])) << Self.symbolBits | UInt64(symbol))
            }
        }
        var filling = 0
        while leaves.count < 2 {
            if counts[filling] == 0 { leaves.append(1 << Self.symbolBits | UInt64(filling)) }
            filling += 1
        }
        leaves.sort()
        huffman()
        // Depths descend from the rarest symbol to the most frequent one.
        if work[0] > limit {
            packageMerge(limit: limit, into: &lengths)
            return
        }
        for index in 0..<leaves.count where leaves[index] != Self.nobody { lengths[symbol(index)] = UInt8(work[index]) }
    }

    private func symbol(_ index: Int) -> Int { Int(leaves[index] & (1 << Self.symbolBits - 1)) }

    private func weight(_ index: Int) -> Int { Int(leaves[index] >> Self.symbolBits) }

    /// Sets `work` to the depths of the leaves in Huffman's tree.
    ///
    /// Works in place: an inner node replaces the first weight that is used up, and later holds the place of its parent, then its
    /// depth (A. Moffat and J. Katajainen, "In-place calculation of minimum-redundancy codes", 1995).
    private mutating func huffman() {
        let count = leaves.count
        work.removeAll(keepingCapacity: true)
        for index in 0..<count { work.append(weight(index)) }
        var (leaf, root) = (0, 0)
        // The two lightest of leaves and inner nodes become children of the next inner node.
        for next in 0..<count - 1 {
            var sum = 0
            for _ in 0..<2 {
                if leaf >= count || (root < next && work[root] < work[leaf]) {
                    sum += work[root]
                    work[root] = next
                    root += 1
                } else {
                    sum += work[leaf]
                    leaf += 1
                }
            }
            work[next] = sum
        }
        // Depths of inner nodes, from the root down.
        work[count - 2] = 0
        for index in stride(from: count - 3, through: 0, by: -1) { work[index] = work[work[index]] + 1 }
        // Of the places in each depth that inner nodes leave free, leaves take all.
        var (available, used, depth) = (1, 0, 0)
        (root, leaf) = (count - 2, count - 1)
        while available > 0 {
            while root >= 0, work[root] == depth {
                used += 1
                root -= 1
            }
            while available > used {
                work[leaf] = depth
                leaf -= 1
                available -= 1
            }
            available = 2 * used
            depth += 1
            used = 0
        }
    }

    /// The best lengths up to a limit (L. Larmore and D. Hirschberg, "A fast algorithm for optimal length-limited Huffman codes",
    /// 1990).
    ///
    /// Level by level, the leaves are merged with packages, each two neighbours of the level before. Of the last level the
    /// lightest 2 n - 2 are chosen, of each level before what its packages are made of; a leaf's length is in how many levels it
    /// is chosen. Leaves are chosen in their order, so their number says which.
    private mutating func packageMerge(limit: Int, into lengths: inout [UInt8]) {
        let count = leaves.count
        // Of each level, whether the node at each place is a leaf; a level has fewer than 2 n nodes.
        isLeaf.removeAll(keepingCapacity: true)
        packages.removeAll(keepingCapacity: true)
        var starts: [Int] = []
        for _ in 0..<limit {
            starts.append(isLeaf.count)
            merged.removeAll(keepingCapacity: true)
            var (leaf, package) = (0, 0)
            while leaf < count || package < packages.count {
                let takesLeaf = package >= packages.count || (leaf < count && weight(leaf) <= packages[package])
                merged.append(takesLeaf ? weight(leaf) : packages[package])
                isLeaf.append(takesLeaf)
                if takesLeaf { leaf += 1 } else { package += 1 }
            }
            packages.removeAll(keepingCapacity: true)
            for pair in 0..<merged.count / 2 { packages.append(merged[2 * pair] + merged[2 * pair + 1]) }
        }
        var chosenCount = 2 * count - 2
        for start in starts.reversed() {
            var leafCount = 0
            for place in start..<start + chosenCount where isLeaf[place] { leafCount += 1 }
            for leaf in 0..<leafCount where leaves[leaf] != Self.nobody { lengths[symbol(leaf)] += 1 }
            chosenCount = 2 * (chosenCount - leafCount)
        }
    }
}

/// The codes that follow from their lengths, bits reversed as they stand in the stream.
package enum CanonicalCodes {
    /// Sets `codes` to the codes of `lengths`: bits below, their number from bit 24 on; 0 for symbols without a code.
    ///
    /// - Source: RFC 1951 section 3.2.2 "Use of Huffman coding in the 'deflate' format".
    package static func make(_ lengths: [UInt8], into codes: inout [UInt32]) {
        var next = [UInt32](repeating: 0, count: 17)
        for length in lengths where length > 0 { next[Int(length) + 1] += 1 }
        // next[n + 1] is the number of codes of n bits; becomes the first code of n + 1 bits.
        for length in 1..<17 { next[length] = (next[length] + next[length - 1]) << 1 }
        for symbol in 0..<lengths.count {
            let length = UInt32(lengths[symbol])
            guard length > 0 else {
                codes[symbol] = 0
                continue
            }
            let code = next[Int(length)]
            next[Int(length)] += 1
            codes[symbol] = bitReversed(code, count: length) | length << 24
        }
    }

    private static func bitReversed(_ code: UInt32, count: UInt32) -> UInt32 {
        var (rest, reversed) = (code, UInt32(0))
        for _ in 0..<count {
            reversed = reversed << 1 | rest & 1
            rest >>= 1
        }
        return reversed
    }
}
