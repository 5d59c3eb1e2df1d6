// The careful loop: decodes symbols one at a time near the ends of input and room, with the results of `InflateKernel`.

import ImageCodecsCore

/// Decodes the symbols of a block without a margin: input may end after any byte, and room after any byte.
///
/// Source: RFC 1951 section 3.2.3 "Details of block format", 3.2.5 "Compressed blocks (length and distance codes)".
enum SymbolDecoder {
    /// Decodes until the input is used up, the output reaches `limit`, the block ends, or something is wrong.
    ///
    /// A symbol is taken with all that belongs to it or not at all; a copy that has no room is left to be made.
    ///
    /// - Parameters: see ``InflateKernel/decode(_:_:_:end:limit:_:inputEnd:)``.
    static func decode(
        _ reader: inout InflateBitReader, _ tables: Span<UInt32>, _ window: inout MutableRawSpan, end: inout Int,
        limit: Int,
        _ input: Span<UInt8>
    ) -> InflatePause {
        while true {
            // If a symbol is not all there, none of its bits are consumed; the bytes that were read stay in the reader.
            guard
                let symbol = entry(
                    &reader, tables, InflateTables.literalLength, InflateTables.literalLengthRootBits, 0, input)
            else { return .inputUsed }
            if PrefixEntry.isLiteral(symbol) {
                guard end < limit else { return .outputFull }
                window.storeBytes(of: UInt8(truncatingIfNeeded: symbol &>> 16), toByteOffset: end, as: UInt8.self)
                end += 1
                reader.drop(PrefixEntry.codeBits(symbol))
                continue
            }
            if PrefixEntry.isSpecial(symbol) {
                reader.drop(PrefixEntry.usedBits(symbol))
                return PrefixEntry.isEndOfBlock(symbol) ? .endOfBlock : .invalidLiteralLength
            }
            let lengthBits = PrefixEntry.usedBits(symbol)
            guard reader.need(lengthBits, input),
                let second = entry(
                    &reader, tables, InflateTables.distance, InflateTables.distanceRootBits, lengthBits, input)
            else { return .inputUsed }
            guard !PrefixEntry.isSpecial(second) else {
                reader.drop(lengthBits + PrefixEntry.usedBits(second))
                return .invalidDistance
            }
            guard reader.need(lengthBits + PrefixEntry.usedBits(second), input) else { return .inputUsed }
            let length = value(symbol, &reader)
            let distance = value(second, &reader)
            guard distance <= end else { return .tooFar }
            let left = copy(length, distance, &window, &end, limit)
            if left > 0 { return .copy(length: left, distance: distance) }
        }
    }

    /// Copies what there is room for.
    ///
    /// - Precondition: `distance` is 1...end.
    /// - Returns: how many bytes are left to be copied.
    static func copy(
        _ length: Int, _ distance: Int, _ window: inout MutableRawSpan, _ end: inout Int, _ limit: Int
    ) -> Int {
        let (start, stop) = (end - distance, end + min(length, limit - end))
        let left = length - (stop - end)
        while end < stop {
            // What was copied continues the pattern: twice as much each time.
            let count = min(stop - end, end - start)
            window.move(from: start, to: end, count: count)
            end += count
        }
        return left
    }

    /// The entry of the code that begins `skipped` bits on; `nil` where the input ends before the code does.
    private static func entry(
        _ reader: inout InflateBitReader, _ tables: Span<UInt32>, _ table: Range<Int>, _ rootBits: Int, _ skipped: Int,
        _ input: Span<UInt8>
    ) -> UInt32? {
        while true {
            let (bits, count) = (reader.bits &>> UInt64(skipped), reader.bitCount - skipped)
            var entry = tables[table.lowerBound + Int(truncatingIfNeeded: bits & ((1 &<< UInt64(rootBits)) &- 1))]
            // What stands after the bits that are there does not matter for an entry whose code they hold.
            if PrefixEntry.isSubTable(entry), count >= rootBits {
                let choice = bits &>> UInt64(rootBits) & ((1 &<< UInt64(PrefixEntry.codeBits(entry))) &- 1)
                entry = tables[PrefixEntry.value(entry) + Int(truncatingIfNeeded: choice)]
            }
            if !PrefixEntry.isSubTable(entry), PrefixEntry.codeBits(entry) <= count { return entry }
            guard reader.readByte(input) else { return nil }
        }
    }

    /// The value of a length or distance all of whose bits are there.
    private static func value(_ entry: UInt32, _ reader: inout InflateBitReader) -> Int {
        let codeBits = PrefixEntry.codeBits(entry)
        reader.drop(codeBits)
        return PrefixEntry.value(entry) + reader.readBits(PrefixEntry.usedBits(entry) - codeBits)
    }
}
