// Huffman-coded differences of a lossless scan, MCU by MCU.

import ImageCodecsCore
import JPEGBaselineCodec

/// What goes on from MCU to MCU: where the next bits are. Predictions need whole rows and are added later.
struct LosslessState: EntropyDecodingState {
    var reader = EntropyBitReader()
    var isDamaged = false

    mutating func beginInterval() {}
}

/// One sample of an MCU: the table of its difference, and where that goes.
struct LosslessUnit: Hashable, Sendable {
    /// Where its table begins among those of the scan.
    let table: Int
    /// Its place in MCU column 0, and from one column to the next.
    let base: Int
    let step: Int
}

enum DifferenceDecoding {
    /// Bits of a look-up. With twelve most codes of a photograph's differences are there with their bits; those of deep samples have too
    /// many, and what is there is foreseen better if it is little.
    static func lookupBits(precision: Int) -> Int { precision > 12 ? HuffmanTable.lookupBits : 12 }

    /// Decodes the differences of a run of MCUs, up to one that is damaged or for which bytes are missing.
    ///
    /// - Parameters:
    ///   - units: The samples of an MCU in their order.
    ///   - tables: Made for ``HuffmanTable/Use/lossless``, with look-ups of `lookupBits`.
    ///   - differences: Receives the differences modulo 2^16.
    /// - Returns: The column of that MCU and where the reader was before it; if there is none, the end of the run.
    /// - Source: ITU-T T.81 (1992) §H.2.2 "Huffman decoding of the differences" with §F.2.2.1; a difference of size 16 is 32768
    ///   and has no further bits (§H.1.2.2, table H.2).
    static func decode(
        _ run: Range<Int>, units: [LosslessUnit], tables: [Int32], lookupBits: Int, state: inout LosslessState,
        input: RawSpan, differences: inout MutableSpan<UInt16>
    ) -> (column: Int, before: EntropyBitReader) {
        tables.withSpan { entries in
            units.withSpan { units in
                decode(run, units, entries, tables, lookupBits, &state, input, &differences)
            }
        }
    }

    @inline(__always)
    private static func decode(
        _ run: Range<Int>, _ units: Span<LosslessUnit>, _ entries: Span<Int32>, _ tables: [Int32],
        _ lookupBits: Int, _ state: inout LosslessState, _ input: RawSpan, _ differences: inout MutableSpan<UInt16>
    ) -> (column: Int, before: EntropyBitReader) {
        var (reader, isDamaged, before) = (state.reader, false, state.reader)
        var column = run.lowerBound
        while column < run.upperBound {
            before = reader
            for index in 0..<units.count {
                let unit = units[index]
                // A code and the bits of its difference are at most 31.
                if reader.count < 32 { reader.refill(input) }
                let entry = entries[unit.table &+ HuffmanTable.lookup &+ reader.peek(lookupBits)]
                var difference = entry &>> 16
                if entry & HuffmanTable.Entry.unresolved == 0 {
                    reader.skip(Int(entry & 63))
                } else {
                    var size = Int(entry &>> 8) & 255
                    if entry & 63 != 0 {
                        reader.skip(Int(entry & 63))
                    } else {
                        size = longSymbol(&reader, tables, at: unit.table, &isDamaged)
                    }
                    difference = size == 16 ? 32768 : size == 0 ? 0 : reader.readSigned(size)
                }
                differences[unit.base &+ column &* unit.step] = UInt16(truncatingIfNeeded: difference)
            }
            if reader.hasOverrun || isDamaged { break }
            column &+= 1
        }
        (state.reader, state.isDamaged) = (reader, isDamaged)
        return (column, before)
    }

    /// The symbol of a code that is longer than the look-up's windows.
    @inline(never)
    private static func longSymbol(
        _ reader: inout EntropyBitReader, _ tables: [Int32], at table: Int, _ isDamaged: inout Bool
    ) -> Int {
        var copy = reader
        let symbol = HuffmanTable.decodeSymbolReference(
            &copy, entry: HuffmanTable.Entry.unresolved, tables: tables, at: table, isDamaged: &isDamaged)
        reader = copy
        return symbol
    }
}
