// The prefix code groups of one image: tables in one block of memory, one after another, as large as each of them is.
//
//   records   sixteen numbers for each group: where its tables are, what is special about it
//   arena     [ green | red | blue | alpha | distance | whole pixels, if that pays | green | ... ]
//
// Nothing here limits memory except the meter. What a file can make of few bytes is bounded by how tables are kept:
//
//   2^n symbols of n bits each     one table in the arena for all such codes: 58 bits can stand for 768 entries
//   a sparse code                  a smaller root, so that there are about as many entries as symbols
//   whole pixels                   only while all tables together stay within 56 bytes for each byte that codes them

import ImageCodecsCore

/// The groups of five prefix codes that the pixels of one image are decoded with.
///
/// Groups that no pixel uses are read, because others come after them, and not kept.
///
/// Records and tables take at most 56 bytes for each byte that codes them, and 128 while the arena grows and there are two for
/// a moment, besides 32 KiB. Codes of less than fifteen bits stay below 48. The worst one known has runs of lengths of 4, 8, 12
/// and 15 bits: 112 bits for 384 entries, 55 bytes for a byte. Measured at the meter on 4096 groups, for each byte that codes
/// them (`VP8LMemoryTests.tablesAreBoundedByTheBytesThatCodeThem`): 105 if each group has a table of whole pixels, 100 if each
/// has four of the worst codes, 30 if each has five symbols and nothing else.
///
/// Source: RFC 9649 section 3.7.2.1 "Decoding and Building the Prefix Codes".
struct PrefixCodeStore: Sendable {
    /// ``PrefixGroupRecord/stride`` numbers for each group.
    private var records: ScratchBuffer
    /// Tables.
    private var arena: ScratchBuffer
    /// Bytes of tables.
    private(set) var byteCount = 0
    /// Groups that are complete.
    private(set) var groupCount = 0
    /// Whether red, blue and alpha take no bits in any group.
    private(set) var codesOnlyGreen = true
    /// What all pixels have besides green, if it takes no bits and is the same in all groups.
    private(set) var literal: UInt32?

    /// What is known of the group that is being read.
    private var current = CurrentGroup()
    /// Where the table of 2^n symbols of n bits each is, if there is one.
    private var flatStarts = SIMD16<UInt32>(repeating: .max)
    /// Bits that codes in the store took in the bitstream.
    private var codedBitCount = 0
    /// Whether there are tables of whole pixels.
    private let hasPackedTables: Bool
    private let meter: MemoryMeter?

    private struct CurrentGroup: Sendable {
        var starts = SIMD8<UInt32>()
        var masks = SIMD8<UInt32>()
        /// The shortest and the longest code of each channel, and the symbol if there is one alone.
        var shortest = SIMD8<Int>()
        var longest = SIMD8<Int>()
        var symbols = SIMD8<UInt32>()
        var codeCount = 0
    }

    private static let firstByteCount = 1 << 12
    /// Entries for each bit, above which a code is sparse: one of 2,800 codes in 270 files that encoders made or that tests
    /// are, which have 0.8 on average.
    private static let sparseRatio = 3
    /// Bytes of tables and records for each byte that codes them, up to which tables of whole pixels are kept. None of those
    /// files has a group that would want one and is refused it.
    private static let packedRatio = 56

    /// Pixels of a group, on average, for which a table of whole pixels is made: it takes about as long as five hundred.
    private static let packedPixelCount = 1 << 10

    /// - Parameters:
    ///   - groupCount: how many groups will be kept.
    ///   - pixelCount: of the image.
    init(groupCount: Int, pixelCount: Int, meter: MemoryMeter?) throws(ImageError) {
        hasPackedTables = pixelCount >= Self.packedPixelCount * groupCount
        records = try ScratchBuffer(byteCount: 4 * groupCount * PrefixGroupRecord.stride, meter: meter)
        arena = try ScratchBuffer(byteCount: Self.firstByteCount, meter: meter)
        self.meter = meter
    }

    /// The bits of a smaller root for the table of a sparse code: half of the longest code, so that root and sub-tables are
    /// alike.
    ///
    /// - Parameters:
    ///   - table: with the largest root.
    ///   - bitCount: bits that the lengths took in the bitstream.
    /// - Returns: `nil` if the table is as large as it may be.
    static func smallerRoot(for table: BuiltPrefixTable, bitCount: Int) -> Int? {
        guard table.entryCount > sparseRatio * bitCount, !table.isFlat else { return nil }
        let half = max(1, (table.longest + 1) / 2)
        return half < table.rootBits ? half : nil
    }

    mutating func makeUnique() throws(ImageError) {
        try records.makeUnique()
        try arena.makeUnique()
    }

    /// The records of the groups that are complete, and the tables that they name.
    func withTables<R>(_ body: (_ records: Span<UInt32>, _ arena: RawSpan) -> R) -> R {
        records.withBytes { records in arena.withBytes { body(Span(_bytes: records), $0) } }
    }

    private mutating func withRecords(_ body: (inout MutableSpan<UInt32>) -> Void) {
        records.withMutableBytes { $0.withNumbers(of: UInt32.self, body) }
    }

    /// Adds the next code of the group that is being read.
    ///
    /// - Parameters:
    ///   - table: what was built in the workspace.
    ///   - bitCount: bits that the lengths took in the bitstream.
    mutating func append(
        _ table: BuiltPrefixTable, bitCount: Int, _ workspace: borrowing VP8LWorkspace
    ) throws(ImageError) {
        codedBitCount += bitCount
        let known = table.isFlat ? flatStarts[table.longest] : .max
        let start = known == .max ? try appendEntries(table, workspace) : known
        if table.isFlat { flatStarts[table.longest] = start }
        let code = current.codeCount
        current.starts[code] = start
        current.masks[code] = UInt32(1 << table.rootBits) - 1
        current.shortest[code] = table.shortest
        current.longest[code] = table.longest
        let first = Int(start) * 2
        current.symbols[code] = arena.withBytes { UInt32($0.nativeUInt16(at: first) >> 4) }
        current.codeCount += 1
    }

    /// Copies a table into the arena.
    ///
    /// - Returns: where it is, in entries.
    private mutating func appendEntries(
        _ table: BuiltPrefixTable, _ workspace: borrowing VP8LWorkspace
    ) throws(ImageError) -> UInt32 {
        try reserve(2 * table.entryCount)
        let (start, end) = (byteCount, byteCount + 2 * table.entryCount)
        arena.withMutableBytes(start..<end) { target in
            workspace.withTable(entryCount: table.entryCount) { target.copy($0) }
        }
        byteCount = end
        return UInt32(start / 2)
    }

    /// Ends the group that is being read: writes its record.
    mutating func endGroup(_ workspace: inout VP8LWorkspace) throws(ImageError) {
        let group = current
        let onlyGreen = group.masks[1] | group.masks[2] | group.masks[3] == 0
        var literal = onlyGreen ? group.symbols[3] << 24 | group.symbols[1] << 16 | group.symbols[2] : 0
        var kind = PrefixGroupRecord.kindFull
        if onlyGreen {
            kind = PrefixGroupRecord.kindGreen
            if group.masks[0] == 0, group.symbols[0] < PrefixAlphabet.literalCount {
                kind = PrefixGroupRecord.kindConstant
                literal |= group.symbols[0] << 8
            }
        } else if group.masks[3] == 0 {
            kind = PrefixGroupRecord.kindOpaque
            literal = group.symbols[3] << 24
        }
        let base = groupCount * PrefixGroupRecord.stride
        withRecords { records in
            for code in 0..<5 {
                records[base + PrefixGroupRecord.tableStart + code] = group.starts[code]
                records[base + PrefixGroupRecord.maskStart + code] = group.masks[code]
            }
            records[base + PrefixGroupRecord.kind] = kind
            records[base + PrefixGroupRecord.literal] = literal
            records[base + PrefixGroupRecord.packedStart] = 0
            records[base + PrefixGroupRecord.packedMask] = 0
        }
        codesOnlyGreen = codesOnlyGreen && onlyGreen
        let others = literal & ~0xFF00
        self.literal = onlyGreen && (groupCount == 0 || self.literal == others) ? others : nil
        let shortest = group.shortest[0] + group.shortest[1] + group.shortest[2] + group.shortest[3]
        if hasPackedTables, kind != PrefixGroupRecord.kindConstant, shortest < PackedTableKernel.largestBitCount {
            let longest = group.longest[0] + group.longest[1] + group.longest[2] + group.longest[3]
            try appendPackedTable(&workspace, base: base, bitCount: min(longest, PackedTableKernel.largestBitCount))
        }
        groupCount += 1
        current = CurrentGroup()
    }

    /// Keeps a table of whole pixels if there is memory for it, and if it finds one for at least a quarter of all bit patterns.
    ///
    /// - Parameter bitCount: bits that it is looked up with.
    private mutating func appendPackedTable(
        _ workspace: inout VP8LWorkspace, base: Int, bitCount: Int
    ) throws(ImageError) {
        let entryCount = 1 << bitCount
        let start = (byteCount + 7) / 8 * 8
        let end = start + 8 * entryCount
        // It only makes decoding faster. The first one may cost more than it is coded with.
        let recordByteCount = 4 * PrefixGroupRecord.stride * (groupCount + 1)
        let most = Self.firstByteCount + Self.packedRatio * (codedBitCount / 8)
        guard end + recordByteCount <= most else { return }
        let found = workspace.withPacked { table in
            withTables { records, arena in
                PackedTableKernel.fill(
                    &table, bitCount: bitCount, record: records.extracting(base..<base + PrefixGroupRecord.stride),
                    arena: arena)
            }
        }
        guard found > 0, 4 * found >= entryCount else { return }
        try reserve(end - byteCount)
        arena.withMutableBytes(start..<end) { target in
            workspace.withPackedBytes(entryCount: entryCount) { target.copy($0) }
        }
        withRecords { records in
            records[base + PrefixGroupRecord.packedStart] = UInt32(start / 8)
            records[base + PrefixGroupRecord.packedMask] = UInt32(entryCount - 1)
        }
        byteCount = end
    }

    /// Makes room for `count` more bytes.
    private mutating func reserve(_ count: Int) throws(ImageError) {
        let needed = byteCount + count
        guard needed > arena.byteCount else { return }
        // Small steps, because there are two arenas for a moment: each byte is moved eight times, which is little beside
        // what it takes to build a table.
        let more = max(2 * Self.firstByteCount, needed / 8)
        var larger = try ScratchBuffer(byteCount: needed + more, meter: meter)
        let used = byteCount
        arena.withBytes(0..<used) { old in larger.withMutableBytes { $0.copy(old) } }
        arena = larger
    }
}
