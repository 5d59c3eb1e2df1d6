// Which pixels are decoded with which prefix code group: the entropy image, with the groups that it uses counted from 0.
//
// The entropy image has a meta prefix code of sixteen bits for each block. The bitstream has a group for each number up to the
// largest of them, whether a block uses it or not: one block can call for 65536 groups. Those that are used are few, at
// most as many as there are blocks, and only they are kept.

import ImageCodecsCore

/// The numbers of groups that blocks use.
///
/// Source: RFC 9649 section 3.7.2.2 "Decoding of Meta Prefix Codes".
struct MetaPrefixCodes: Sendable {
    /// The exponent of the blocks' side, 2...9.
    let sizeBits: Int
    let blocksPerRow: Int
    /// For each block, the index, among the used groups, of the one that its pixels are decoded with.
    private(set) var groups: NumberBuffer<UInt16>
    /// Groups that the bitstream has.
    private(set) var declaredCount = 0
    /// Groups that some block uses.
    private(set) var usedCount = 0
    /// For each 64 numbers a word with a bit for each that is used, then how many before those are.
    private var used: NumberBuffer<UInt64>

    /// - Parameters:
    ///   - image: the entropy image, four bytes a pixel.
    ///   - size: of it, in pixels.
    init(
        _ image: ScratchBuffer, size: PixelSize, sizeBits: Int, meter: MemoryMeter?, work: inout WorkGuard
    ) throws(ImageError) {
        self.sizeBits = sizeBits
        blocksPerRow = size.width
        groups = try NumberBuffer(count: size.width * size.height, meter: meter)
        used = try NumberBuffer(count: 0, meter: nil)
        for row in 0..<size.height {
            copyNumbers(image, size.width * row..<size.width * (row + 1))
            try work.spend(size.width)
        }
        used = try NumberBuffer(count: 2 * ((declaredCount + 63) / 64), meter: meter)
        for row in 0..<size.height {
            mark(size.width * row..<size.width * (row + 1))
            try work.spend(size.width)
        }
        countUsed()
        for row in 0..<size.height {
            rank(size.width * row..<size.width * (row + 1))
            try work.spend(size.width)
        }
    }

    private mutating func copyNumbers(_ image: ScratchBuffer, _ range: Range<Int>) {
        var largest = 0
        image.withBytes { pixels in
            groups.withMutableSpan { groups in
                for block in range {
                    // Red and green, of blue, green, red and alpha.
                    let number = Int(pixels.byte(at: 4 * block + 2)) << 8 | Int(pixels.byte(at: 4 * block + 1))
                    groups[block] = UInt16(number)
                    largest = max(largest, number)
                }
            }
        }
        declaredCount = max(declaredCount, largest + 1)
    }

    /// Records which numbers there are.
    private mutating func mark(_ range: Range<Int>) {
        groups.withSpan { groups in
            used.withMutableSpan { used in
                for block in range {
                    let number = Int(groups[block])
                    used[2 * (number >> 6)] |= 1 << UInt64(number & 63)
                }
            }
        }
    }

    private mutating func countUsed() {
        usedCount = used.withMutableSpan { used in
            var sum = 0
            for word in stride(from: 0, to: used.count, by: 2) {
                used[word + 1] = UInt64(sum)
                sum += used[word].nonzeroBitCount
            }
            return sum
        }
    }

    /// Replaces each group number by its index among the used ones.
    private mutating func rank(_ range: Range<Int>) {
        used.withSpan { used in
            groups.withMutableSpan { groups in
                for block in range {
                    let number = Int(groups[block])
                    let below = used[2 * (number >> 6)] & ((1 << UInt64(number & 63)) - 1)
                    groups[block] = UInt16(Int(used[2 * (number >> 6) + 1]) + below.nonzeroBitCount)
                }
            }
        }
    }

    /// Whether a block uses group `number` of the bitstream.
    func isUsed(_ number: Int) -> Bool { used.withSpan { $0[2 * (number >> 6)] >> UInt64(number & 63) & 1 == 1 } }

    mutating func makeUnique() throws(ImageError) {
        try groups.makeUnique()
        try used.makeUnique()
    }

    /// The most memory that the numbers of `blockCount` blocks take.
    static func byteCount(blockCount: Int) -> Int { 2 * blockCount + 16 << 10 }
}
