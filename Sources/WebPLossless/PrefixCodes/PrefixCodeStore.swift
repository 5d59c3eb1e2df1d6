// The prefix code groups of one image: tables in one block of memory, one after another, as large as each of them is.
//
//   records   sixteen numbers for each group: where its tables are, what is special about it
//   arena     [ green | red | blue | alpha | distance | whole pixels, if that pays | green | ... ]

import ImageCore

/// The groups of five prefix codes that the pixels of one image are decoded with.
///
/// Groups that no pixel uses are read, for others are behind them, and not kept.
///
/// Source: RFC 9649 section 3.7.2.1 "Decoding and Building the Prefix Codes".
struct PrefixCodeStore: Sendable {
    /// ``PrefixGroupRecord/stride`` numbers for each group.
    private(set) var records: NumberBuffer<UInt32>
    /// Tables.
    private(set) var arena: ScratchBuffer
    /// Bytes of tables.
    private(set) var byteCount = 0
    /// Groups that are complete.
    private(set) var groupCount = 0
    /// Whether red, blue and alpha take no bits in any group.
    private(set) var codesOnlyGreen = true

    /// What is known of the group that is being read.
    private var current = CurrentGroup()
    private let budget: Int
    private let meter: MemoryMeter?

    private struct CurrentGroup: Sendable {
        var starts = SIMD8<UInt32>()
        var masks = SIMD8<UInt32>()
        /// The shortest code of each channel, and the symbol where there is one alone.
        var shortest = SIMD8<Int>()
        var symbols = SIMD8<UInt32>()
        var codeCount = 0
    }

    /// The share of bit patterns of which a table of whole pixels has to have one, in entries.
    private static let leastPackedCount = PackedTableKernel.entryCount / 4
    private static let firstByteCount = 1 << 12

    /// - Parameters:
    ///   - groupCount: how many groups will be kept.
    ///   - budget: the most bytes that tables may take.
    init(groupCount: Int, budget: Int, meter: MemoryMeter?) throws(ImageError) {
        records = try NumberBuffer(count: groupCount * PrefixGroupRecord.stride, meter: meter)
        arena = try ScratchBuffer(byteCount: min(Self.firstByteCount, budget), meter: meter)
        self.budget = budget
        self.meter = meter
    }

    mutating func makeUnique() throws(ImageError) {
        try records.makeUnique()
        try arena.makeUnique()
    }

    /// Adds the next code of the group that is being read.
    ///
    /// - Parameter table: what was built in the workspace of `buffer`.
    mutating func append(_ table: BuiltPrefixTable, _ buffer: borrowing CodeLengthBuffer) throws(ImageError) {
        try reserve(2 * table.entryCount)
        let (start, end) = (byteCount, byteCount + 2 * table.entryCount)
        var first: UInt16 = 0
        arena.withMutableBytes(start..<end) { target in
            buffer.workspace.withSpan { workspace in
                first = workspace[PrefixTableKernel.tableStart]
                target.withNumbers(of: UInt16.self) { numbers in
                    for entry in 0..<table.entryCount {
                        numbers[entry] = workspace[PrefixTableKernel.tableStart + entry]
                    }
                }
            }
        }
        let code = current.codeCount
        current.starts[code] = UInt32(start / 2)
        current.masks[code] = UInt32(1 << table.rootBits) - 1
        current.shortest[code] = table.shortest
        current.symbols[code] = UInt32(first >> 4)
        current.codeCount += 1
        byteCount = end
    }

    /// Ends the group that is being read: writes its record.
    mutating func endGroup(_ buffer: inout CodeLengthBuffer) throws(ImageError) {
        let group = current
        let isTrivial = (0..<5).map { group.masks[$0] == 0 }
        let onlyGreen = isTrivial[1] && isTrivial[2] && isTrivial[3]
        var literal = onlyGreen ? group.symbols[3] << 24 | group.symbols[1] << 16 | group.symbols[2] : 0
        var kind = PrefixGroupRecord.kindFull
        if onlyGreen {
            kind = PrefixGroupRecord.kindGreen
            if isTrivial[0], group.symbols[0] < PrefixAlphabet.literalCount {
                kind = PrefixGroupRecord.kindConstant
                literal |= group.symbols[0] << 8
            }
        } else if isTrivial[3] {
            kind = PrefixGroupRecord.kindOpaque
            literal = group.symbols[3] << 24
        }
        let base = groupCount * PrefixGroupRecord.stride
        records.withMutableSpan { records in
            for code in 0..<5 {
                records[base + PrefixGroupRecord.tableStart + code] = group.starts[code]
                records[base + PrefixGroupRecord.maskStart + code] = group.masks[code]
            }
            records[base + PrefixGroupRecord.kind] = kind
            records[base + PrefixGroupRecord.literal] = literal
        }
        codesOnlyGreen = codesOnlyGreen && onlyGreen
        let shortest = group.shortest[0] + group.shortest[1] + group.shortest[2] + group.shortest[3]
        if kind != PrefixGroupRecord.kindConstant, shortest < PackedTableKernel.bitCount {
            try appendPackedTable(&buffer, base: base)
        }
        groupCount += 1
        current = CurrentGroup()
    }

    /// Keeps a table of whole pixels where it will find some often enough.
    private mutating func appendPackedTable(_ buffer: inout CodeLengthBuffer, base: Int) throws(ImageError) {
        let found = buffer.packed.withMutableSpan { table in
            records.withSpan { records in
                arena.withBytes { arena in
                    PackedTableKernel.fill(
                        &table, record: records.extracting(base..<base + PrefixGroupRecord.stride), arena: arena)
                }
            }
        }
        guard found >= Self.leastPackedCount else { return }
        let start = (byteCount + 7) / 8 * 8
        let end = start + 8 * PackedTableKernel.entryCount
        // It only makes decoding faster.
        guard end <= budget else { return }
        try reserve(end - byteCount)
        arena.withMutableBytes(start..<end) { target in
            buffer.packed.withSpan { table in
                target.withNumbers(of: UInt64.self) { numbers in
                    for entry in 0..<PackedTableKernel.entryCount { numbers[entry] = table[entry] }
                }
            }
        }
        records.withMutableSpan { records in
            records[base + PrefixGroupRecord.packedStart] = UInt32(start / 8)
            records[base + PrefixGroupRecord.packedMask] = UInt32(PackedTableKernel.entryCount - 1)
        }
        byteCount = end
    }

    /// Makes room for `count` more bytes.
    private mutating func reserve(_ count: Int) throws(ImageError) {
        let needed = byteCount + count
        guard needed > arena.byteCount else { return }
        guard needed <= budget else {
            throw .limitExceeded(.memory, requested: needed, allowed: budget)
        }
        // The last step is a large one, so that old and new together stay within one and a half times the budget.
        let doubled = max(needed, 2 * arena.byteCount)
        var larger = try ScratchBuffer(byteCount: doubled > budget / 2 ? budget : doubled, meter: meter)
        let used = byteCount
        arena.withBytes(0..<used) { old in larger.withMutableBytes { $0.copy(old) } }
        arena = larger
    }

    // MARK: The promise

    /// Bytes that the tables of one group take at most: 2704, 630 three times and 410 entries, which is what the largest
    /// alphabets need with roots of eight bits, and a table of whole pixels.
    private static let largestGroupByteCount = 2 * (2704 + 3 * 630 + 410) + 8 * (PackedTableKernel.entryCount + 1)

    /// Bytes that tables may take.
    ///
    /// Encoders make a group where it pays: its code lengths have to be fewer bits than it saves, which takes thousands of
    /// pixels. A photograph of 4 million pixels has 55 groups and 180 KB of tables, one of a million with the greatest effort
    /// 22 groups and 65 KB. The bound is twenty times that; what exceeds it was made to exhaust memory.
    ///
    /// - Parameters:
    ///   - groupCount: the most groups that there can be.
    ///   - pixelCount: of the picture.
    static func budget(groupCount: Int, pixelCount: Int) -> Int {
        min(groupCount * largestGroupByteCount, min((1 << 20) + pixelCount, 1 << 25))
    }

    /// The most memory that groups take: while the arena grows, there are two.
    static func byteCount(groupCount: Int, pixelCount: Int) -> Int {
        budget(groupCount: groupCount, pixelCount: pixelCount) * 3 / 2 + firstByteCount
            + 4 * PrefixGroupRecord.stride * groupCount
    }
}
