// The tables in force at some point of the stream.

package import ImageCodecsCore

/// What DQT, DHT, DAC and DRI segments have defined so far; scans copy what they use, so tables may be redefined between
/// scans.
///
/// All definitions lie in one array, which the first of them allocates:
///
///     [0 ..< 512]        four quantization tables: 64 steps in zig-zag order, a byte each, or two, the higher one first
///     [512 ..< 1600]     four DC tables: 16 counts and 256 symbols
///     [1600 ..< 2688]    four AC tables
///
/// - Source: ITU-T T.81 (1992) §B.2.4 "Table-specification and miscellaneous marker segment syntax".
package struct DecodingTables: Hashable, Sendable {
    private var definitions: [UInt8] = []
    /// A bit for each slot that is defined: 0...3 quantization, 4...7 DC, 8...11 AC.
    private var defined: UInt16 = 0
    /// A bit for each quantization table of which a step has two bytes.
    private var wide: UInt16 = 0
    /// Whether the standard's tables stand in for those of the slots 0 and 1 that are not defined, as Motion JPEG expects.
    package var hasStandardTables = false
    /// MCUs between restart markers, 0 for none.
    package var restartInterval = 0
    /// What DAC segments have defined.
    package private(set) var conditioning = ArithmeticConditioning()

    private static let byteCount = 4 * quantizationByteCount + 8 * huffmanByteCount
    private static let quantizationByteCount = 128
    private static let huffmanByteCount = 16 + 256

    package init() {}

    /// Reads every table of a DQT segment.
    package mutating func readQuantization(_ body: Span<UInt8>, offset: Int) throws(ImageError) {
        reserveDefinitions()
        try QuantizationTable.readEach(body, offset: offset) { slot, steps in
            let bit: UInt16 = 1 << UInt16(slot)
            defined |= bit
            wide = steps.count == Self.quantizationByteCount ? wide | bit : wide & ~bit
            definitions.withMutableBytes { $0.copy(steps, at: slot * Self.quantizationByteCount) }
        }
    }

    /// Reads every table of a DHT segment.
    package mutating func readHuffman(_ body: Span<UInt8>, offset: Int) throws(ImageError) {
        reserveDefinitions()
        try HuffmanSpecification.readEach(body, offset: offset) { tableClass, slot, definition in
            defined |= Self.bit(tableClass, slot)
            definitions.withMutableBytes { $0.copy(definition, at: Self.start(tableClass, slot)) }
        }
    }

    /// Reads every value of a DAC segment.
    package mutating func readConditioning(_ body: Span<UInt8>, offset: Int) throws(ImageError) {
        try conditioning.read(body, offset: offset)
    }

    private mutating func reserveDefinitions() {
        if definitions.isEmpty { definitions = Array(repeating: 0, count: Self.byteCount) }
    }

    private static func bit(_ tableClass: HuffmanSpecification.Class, _ slot: Int) -> UInt16 {
        1 << UInt16(4 + 4 * tableClass.rawValue + slot)
    }

    private static func start(_ tableClass: HuffmanSpecification.Class, _ slot: Int) -> Int {
        4 * quantizationByteCount + (4 * tableClass.rawValue + slot) * huffmanByteCount
    }

    /// Calls `body` with the definition of a Huffman table: 16 counts, then its symbols and what is of no meaning; `nil` if
    /// there is none.
    private func withDefinition<R>(
        _ tableClass: HuffmanSpecification.Class, _ slot: Int, _ body: (Span<UInt8>) throws(ImageError) -> R
    ) throws(ImageError) -> R? {
        guard (0...3).contains(slot) else { return nil }
        if defined & Self.bit(tableClass, slot) != 0 {
            let start = Self.start(tableClass, slot)
            return try definitions.withSpan { (bytes) throws(ImageError) in
                try body(bytes.extracting(start..<start + Self.huffmanByteCount))
            }
        }
        guard hasStandardTables, slot < 2 else { return nil }
        return try StandardTables.definitions[2 * slot + tableClass.rawValue].withSpan(body)
    }

    /// Which of the standard's tables that of a slot is; `nil` if it is another.
    func standardTable(_ tableClass: HuffmanSpecification.Class, slot: Int) -> StandardTables.Table? {
        let found = try? withDefinition(tableClass, slot) { (definition) throws(ImageError) in
            StandardTables.table(tableClass, definition)
        }
        return found ?? nil
    }

    /// Makes the table of that slot ready for decoding, which is work.
    ///
    /// - Parameter entries: Receives the table from `start` on; zeros so far.
    /// - Throws: `corrupt` if there is no such table, or it is none that a scan can have.
    package func writeHuffmanTable(
        _ tableClass: HuffmanSpecification.Class, slot: Int, use: HuffmanTable.Use, offset: Int,
        lookupBits: Int = HuffmanTable.lookupBits, to entries: inout [Int32], at start: Int, _ work: inout WorkGuard
    ) throws(ImageError) {
        try work.spend(HuffmanTable.count)
        let found: Void? = try withDefinition(tableClass, slot) { (definition) throws(ImageError) in
            try HuffmanTable.write(
                definition, use: use, offset: offset, lookupBits: lookupBits, to: &entries, at: start)
        }
        guard found != nil else {
            throw .corruptJPEG(.jpegHuffmanMissing, offset, "scan without its Huffman table")
        }
    }

    /// Puts the quantisation steps of a component into natural order.
    ///
    /// - Parameters:
    ///   - steps: Receives the values of a `DequantizationTable` from `start` on; zeros so far.
    /// - Throws: `corrupt` if there is no such table.
    func writeSteps(
        slot: Int, offset: Int, to steps: inout ContiguousArray<Int16>, at start: Int
    ) throws(ImageError) {
        guard (0...3).contains(slot), defined & 1 << UInt16(slot) != 0 else {
            throw .corruptJPEG(.jpegQuantizationMissing, offset, "scan without its quantization table")
        }
        let isWide = wide & 1 << UInt16(slot) != 0
        definitions.withSpan { bytes in
            let table = bytes.extracting(droppingFirst: slot * Self.quantizationByteCount)
            steps.withMutableSpan { steps in
                for index in 0..<64 {
                    let step =
                        isWide ? UInt16(table[2 * index]) << 8 | UInt16(table[2 * index + 1]) : UInt16(table[index])
                    steps[start + Int(ZigZagOrder.natural[index])] = Int16(bitPattern: step)
                }
            }
        }
    }
}
