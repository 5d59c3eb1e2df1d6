// Decompresses a zlib stream: bytes in as they come, and a window of output that waits until the caller uses it.
//
//   header ──▶ block header ──┬─▶ stored: length, bytes ──────────┬──▶ next block, or the checksum
//    CMF FLG     last? kind   ├─▶ fixed codes ──────────▶ symbols ─┤
//                             └─▶ code lengths ──▶ codes ▶ symbols ─┘
//
//   buffer  [ what back references see, 32 KiB | what waits to be taken | room ............ | overrun of copies ]
//           0                                  start                    end
//
// When there is no room after the end, what is still needed is moved to the front.

package import ImageCodecsCore

/// ``Inflating`` written in Swift.
///
/// Damage of a stream is found at the same bit and after the same output as by zlib, and described in the same words,
/// whatever the pieces are.
///
/// Source: RFC 1950 "ZLIB Compressed Data Format Specification", RFC 1951 "DEFLATE Compressed Data Format Specification".
package struct SwiftInflater: Inflating {
    /// What comes next in the stream.
    private enum Stage: Sendable {
        case header
        /// The identifier of a preset dictionary (DICTID), none of which this inflater has.
        case dictionary
        case blockHeader
        case storedLength
        /// Stored bytes, of which `left` are still to come.
        case stored(left: Int)
        case dynamicHeader(DynamicHeader)
        case symbols
        /// The rest of a copy that there was no room for.
        case copy(length: Int, distance: Int)
        case checksum
        case finished
        case damaged(InflateDamage)
    }

    /// How far back a distance reaches at most.
    private static let windowByteCount = 1 << 15
    /// Input of a block after which its literals are paired: many short blocks cost no more than their codes.
    private static let pairingByteCount = 512
    /// Literals of a block are paired if more of it than this is known to be there, or was decoded: making the table took 26,000
    /// instructions, and saved 25,000 of a block of 2,700 bytes.
    private static let leastPairedByteCount = 1 << 11

    private let capacity: Int
    private let meter: MemoryMeter?
    /// Whether header and checksum are not there.
    private let isRaw: Bool
    private var stage: Stage
    private var isLastBlock = false
    private var reader = InflateBitReader()
    private var tables: InflateTables
    private var tableKind = TableKind.none
    /// Whether the block was found long enough for a table of pairs.
    private var isPaired = false
    /// Input of the block that was decoded before that.
    private var unpairedByteCount = 0
    private var buffer: ScratchBuffer
    /// Where the bytes begin that wait to be taken.
    private var start = 0
    /// Where they end.
    private var end = 0
    private var adler = Adler32()

    /// What the tables are filled with.
    private enum TableKind: Sendable {
        case none
        case fixed
        case dynamic
    }

    // MARK: Memory

    /// Room after what may wait, so that a window is moved once for this many bytes and not at every call.
    private static func slack(_ capacity: Int) -> Int { min(max(capacity, 1 << 14), 1 << 16) }

    private static func bufferByteCount(_ capacity: Int) -> Int {
        (windowByteCount + InflateKernel.overrun + slack(capacity)).addingSaturated(max(1, capacity))
    }

    package static func byteCount(capacity: Int) -> Int {
        bufferByteCount(capacity).addingSaturated(InflateTables.byteCount)
    }

    package init(capacity: Int, isRaw: Bool, meter: MemoryMeter?) throws(ImageError) {
        self.capacity = max(1, capacity)
        self.isRaw = isRaw
        stage = isRaw ? .blockHeader : .header
        self.meter = meter
        tables = try InflateTables(meter: meter)
        buffer = try ScratchBuffer(byteCount: Self.bufferByteCount(capacity), meter: meter)
    }

    package mutating func makeUnique() throws(ImageError) {
        try tables.elements.makeUnique()
        guard !buffer.isUnique() else { return }
        // Bytes that neither wait nor can be reached by back references are not copied.
        var own = try ScratchBuffer(byteCount: buffer.byteCount, meter: meter)
        let kept = visible
        buffer.withBytes(kept) { bytes in own.withMutableBytes { $0.copy(bytes) } }
        buffer = own
        moveDown(by: kept.lowerBound)
    }

    /// What waits, and what back references see.
    private var visible: Range<Int> { max(0, min(start, end - Self.windowByteCount))..<end }

    private mutating func moveDown(by count: Int) {
        start -= count
        end -= count
    }

    package var unpackedByteCount: Int { end - start }

    package func withUnpacked<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try buffer.withBytes(start..<end, body)
    }

    package mutating func discard(_ count: Int) {
        precondition(count >= 0 && count <= unpackedByteCount, "more than there is")
        start += count
    }

    /// Makes sure that `count` bytes may wait.
    private mutating func makeRoom(_ count: Int) {
        guard start + count > buffer.byteCount - InflateKernel.overrun else { return }
        let kept = visible
        buffer.withMutableBytes { $0.move(from: kept.lowerBound, to: 0, count: kept.count) }
        moveDown(by: kept.lowerBound)
    }

    // MARK: Decoding

    package mutating func inflate(_ input: Span<UInt8>, limit: Int) throws(InflateError) -> InflateStep {
        do throws(ImageError) { try makeUnique() } catch { throw .outOfMemory }
        let limit = min(limit, capacity)
        makeRoom(limit)
        reader.position = 0
        let before = end
        var summed = end
        decode(input, limit: max(end, start + limit), summed: &summed)
        sum(from: &summed)
        var step = InflateStep(consumed: reader.position, produced: end - before, isFinished: false)
        switch stage {
        case .damaged(let damage): throw .damaged(damage.rawValue, partial: step)
        case .finished: step.isFinished = true
        default: break
        }
        return step
    }

    /// Adds the output from `summed` on to the checksum.
    private mutating func sum(from summed: inout Int) {
        guard summed < end else { return }
        var adler = adler
        buffer.withBytes(summed..<end) { adler.add($0) }
        self.adler = adler
        summed = end
    }

    /// Goes on until the input is used up, the output ends at `limit` and more is to come, or the stream ends.
    private mutating func decode(_ input: Span<UInt8>, limit: Int, summed: inout Int) {
        while true {
            switch stage {
            case .header:
                guard reader.need(16, input) else { return }
                stage = Self.readHeader(&reader)
            case .dictionary:
                guard reader.need(32, input) else { return }
                stage = .damaged(.presetDictionary)
            case .blockHeader:
                guard !isLastBlock else {
                    reader.alignToByte()
                    stage = isRaw ? .finished : .checksum
                    continue
                }
                guard reader.need(3, input) else { return }
                readBlockHeader()
            case .storedLength:
                guard reader.need(32, input) else { return }
                let (length, complement) = (reader.readBits(16), reader.readBits(16))
                stage = length == complement ^ 0xFFFF ? .stored(left: length) : .damaged(.storedLength)
            case .stored(let left):
                let count = copyStored(left, input, limit)
                stage = count == left ? .blockHeader : .stored(left: left - count)
                if count < left { return }
            case .dynamicHeader(var header):
                let outcome = tables.elements.withMutableSpan { header.read(&reader, input, &$0) }
                switch outcome {
                case .inputUsed:
                    stage = .dynamicHeader(header)
                    return
                case .finished: stage = .symbols
                case .damaged(let damage): stage = .damaged(damage)
                }
            case .symbols:
                let before = reader.position
                let pause = Self.decodeSymbols(
                    &reader, &tables, &isPaired, unpairedByteCount, &buffer, end: &end, limit: limit, input)
                if !isPaired { unpairedByteCount += reader.position - before }
                switch pause {
                case .inputUsed, .outputFull: return
                case .endOfBlock: stage = .blockHeader
                case .copy(let length, let distance): stage = .copy(length: length, distance: distance)
                case .invalidLiteralLength: stage = .damaged(.literalLengthCode)
                case .invalidDistance: stage = .damaged(.distanceCode)
                case .tooFar: stage = .damaged(.distanceTooFar)
                }
            case .copy(let length, let distance):
                let left = Self.copy(length, distance, &buffer, &end, limit)
                stage = left > 0 ? .copy(length: left, distance: distance) : .symbols
                if left > 0 { return }
            case .checksum:
                guard reader.need(32, input) else { return }
                sum(from: &summed)
                let stored = UInt32(truncatingIfNeeded: reader.readBits(32)).byteSwapped
                stage = stored == adler.value ? .finished : .damaged(.checksum)
            case .finished, .damaged: return
            }
        }
    }

    /// Two bytes: method and window size, and a number that makes them a multiple of 31.
    ///
    /// Source: RFC 1950 section 2.2 "Data format". As with zlib, a distance beyond the window that the header states is
    /// accepted as long as it is within 32 KiB.
    private static func readHeader(_ reader: inout InflateBitReader) -> Stage {
        let (method, flags) = (reader.readBits(8), reader.readBits(8))
        guard (method << 8 | flags) % 31 == 0 else { return .damaged(.header) }
        guard method & 15 == 8 else { return .damaged(.method) }
        guard method >> 4 <= 7 else { return .damaged(.windowSize) }
        return flags & 0x20 == 0 ? .blockHeader : .dictionary
    }

    /// Three bits: whether it is the last block, and its kind.
    ///
    /// Source: RFC 1951 section 3.2.3 "Details of block format".
    private mutating func readBlockHeader() {
        isLastBlock = reader.readBits(1) == 1
        switch reader.readBits(2) {
        case 0:
            reader.alignToByte()
            stage = .storedLength
        case 1:
            if tableKind != .fixed { tables.elements.withMutableSpan { InflateTables.makeFixedTables(&$0) } }
            tableKind = .fixed
            // Nothing to pair: two fixed codes of literals, 16 bits or more, do not fit into the root's bits.
            isPaired = true
            stage = .symbols
        case 2:
            tableKind = .dynamic
            (isPaired, unpairedByteCount) = (false, 0)
            stage = .dynamicHeader(DynamicHeader())
        default: stage = .damaged(.blockType)
        }
    }

    /// Copies bytes of a stored block, as many as there are and as there is room for.
    ///
    /// Source: RFC 1951 section 3.2.4 "Non-compressed blocks (BTYPE=00)".
    private mutating func copyStored(_ left: Int, _ input: Span<UInt8>, _ limit: Int) -> Int {
        let count = min(left, input.count - reader.position, limit - end)
        let bytes = input.extracting(reader.position..<reader.position + count)
        buffer.withMutableBytes(end..<end + count) { $0.copy(bytes) }
        reader.position += count
        end += count
        return count
    }

    /// Decodes symbols fast, then with care; the parts are passed apart from each other, so that none is copied while
    /// another changes.
    private static func decodeSymbols(
        _ reader: inout InflateBitReader, _ tables: inout InflateTables, _ isPaired: inout Bool,
        _ unpairedByteCount: Int, _ buffer: inout ScratchBuffer, end: inout Int, limit: Int, _ input: Span<UInt8>
    ) -> InflatePause {
        buffer.withMutableBytes { window in
            let ahead = input.count - reader.position
            if !isPaired, unpairedByteCount + ahead > leastPairedByteCount {
                let single = min(max(0, pairingByteCount - unpairedByteCount), ahead)
                let pause = tables.elements.withSpan { tables in
                    InflateKernel.decode(
                        &reader, tables, &window, end: &end, limit: limit, input, inputEnd: reader.position + single)
                }
                guard pause == .inputUsed || pause == .outputFull else { return pause }
                if pause == .inputUsed {
                    tables.elements.withMutableSpan { InflateTables.pairLiterals(&$0) }
                    isPaired = true
                }
            }
            return tables.elements.withSpan { tables in
                let pause = InflateKernel.decode(
                    &reader, tables, &window, end: &end, limit: limit, input, inputEnd: input.count)
                guard pause == .inputUsed || pause == .outputFull else { return pause }
                return SymbolDecoder.decode(&reader, tables, &window, end: &end, limit: limit, input)
            }
        }
    }

    private static func copy(
        _ length: Int, _ distance: Int, _ buffer: inout ScratchBuffer, _ end: inout Int, _ limit: Int
    ) -> Int {
        buffer.withMutableBytes { SymbolDecoder.copy(length, distance, &$0, &end, limit) }
    }
}
