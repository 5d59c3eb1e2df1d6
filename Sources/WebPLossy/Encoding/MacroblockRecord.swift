// What is kept of a macroblock between choosing and writing.

/// Modes of a coded macroblock, and which of its blocks have levels.
struct MacroblockRecord: BitwiseCopyable, Sendable {
    /// Modes of the sixteen subblocks if they have their own; else that of all luma comes first.
    var modes = SIMD16<UInt8>(repeating: 0)
    /// A bit for each block that has levels: sixteen of luma, four of U, four of V, then Y2.
    var coded: UInt32 = 0
    var chromaMode: UInt8 = 0
    var segment: UInt8 = 0
    var hasSubblockModes = false
    /// Whether what is shown in its place already stays: nothing of it is seen.
    var isLeftOut = false

    static let y2Bit: UInt32 = 1 << 24
}

/// Which blocks beside a macroblock have levels: bits 0...3 luma, 4 and 5 U, 6 and 7 V, 8 Y2.
struct BlockContexts: BitwiseCopyable, Sendable {
    var bits: UInt32 = 0

    @inline(__always)
    subscript(_ index: Int) -> Int {
        get { Int(bits >> UInt32(index) & 1) }
        set { bits = bits & ~(1 << UInt32(index)) | UInt32(newValue) << UInt32(index) }
    }

    static let y2 = 8

    /// What a macroblock without levels leaves.
    mutating func skip(hasY2: Bool) { bits = hasY2 ? 0 : bits & 1 << UInt32(Self.y2) }
}

extension MacroblockRecord {
    /// Calls `body` for each block that is coded, in the order of the file: its number as in ``coded``, its type, the position of its
    /// first level, and its context.
    ///
    /// - Parameter body: answers whether the block has levels.
    @inline(__always)
    func forEachBlock(
        above: inout BlockContexts, left: inout BlockContexts,
        _ body: (_ block: Int, _ type: Int, _ first: Int, _ context: Int) -> Void
    ) {
        let hasY2 = !hasSubblockModes
        func isCoded(_ block: Int) -> Int { Int(coded >> UInt32(block) & 1) }
        if hasY2 {
            body(24, 1, 0, above[BlockContexts.y2] + left[BlockContexts.y2])
            above[BlockContexts.y2] = isCoded(24)
            left[BlockContexts.y2] = isCoded(24)
        }
        for block in 0..<16 {
            let (x, y) = (block & 3, block >> 2)
            body(block, hasY2 ? 0 : 3, hasY2 ? 1 : 0, above[x] + left[y])
            above[x] = isCoded(block)
            left[y] = isCoded(block)
        }
        for block in 16..<24 {
            let plane = (block - 16) >> 2
            let (x, y) = (4 + 2 * plane + block & 1, 4 + 2 * plane + (block >> 1) & 1)
            body(block, 2, 0, above[x] + left[y])
            above[x] = isCoded(block)
            left[y] = isCoded(block)
        }
    }
}
