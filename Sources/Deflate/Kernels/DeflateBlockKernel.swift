// The two loops over every symbol of a block: how often each occurs, and its bits.

import ImageCodecsCore

/// Where the codes of a block stand in one table of words: bits below, their number from bit 24 on.
package enum DeflateCodeTable {
    /// Codes of the 256 literals begin here, and after them stands that of the end of the block.
    package static let literals = 0, endOfBlock = 256
    /// Codes of lengths 3...258 with their extra bits.
    package static let lengths = 257
    /// Codes of the 30 distance symbols, without extra bits.
    package static let distances = lengths + 256
    /// Words of the table: more than there are codes, so that a length of any nine bits stays in it.
    package static let count = 1 << 10
}

/// Where occurrences are counted in one table of words.
package enum DeflateCounts {
    /// Symbols of literals and lengths, and after them those of distances.
    package static let literalLengths = 0, distances = 288
    /// Words of the table.
    package static let count = distances + 32
}

/// Bits that are on their way into a buffer of bytes, the first in the lowest bit.
package struct DeflateBits: Sendable {
    /// Bits that make no whole byte yet; none above ``count``.
    package var bits: UInt64 = 0
    /// How many: 0...7 between two calls.
    package var count = 0
    /// Where in the buffer the next byte goes.
    package var position = 0

    package init(bits: UInt64 = 0, count: Int = 0, position: Int = 0) {
        (self.bits, self.count, self.position) = (bits, count, position)
    }
}

/// What kernels ask of the buffer that bits go to.
package protocol DeflateBitTarget {}

extension DeflateBitTarget {
    /// Bytes after the last one written that may be overwritten.
    package static var overrun: Int { 8 }
}

#if !ReferenceKernels
package enum DeflateBlockKernel: DeflateBitTarget {
    /// Counts the symbols of sequences.
    ///
    /// - Parameters:
    ///   - sequences: words, two each; see ``DeflateSequence``.
    ///   - window: the input.
    ///   - start: where in it the first sequence begins.
    ///   - lengthSlots: ``DeflateSymbols/lengthSlots``.
    ///   - counts: laid out as ``DeflateCounts`` says; what is counted is added.
    /// - Precondition: the sequences end within `window`, their matches have lengths of 3...258 and distances of 1...32768.
    package static func count(
        _ sequences: Span<UInt32>, _ window: RawSpan, from start: Int, lengthSlots: Span<UInt8>,
        into counts: inout MutableSpan<UInt32>
    ) {
        precondition(counts.count >= DeflateCounts.count && lengthSlots.count >= 256, "tables that are too small")
        precondition(start >= 0 && start <= window.byteCount, "outside of the window")
        // Neighbours that are equal are counted in different tables, so that no count waits for the one before.
        unsafe withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 4 * 256) { tables in
            // SAFETY: the tables are initialised here, and every index into them is a byte plus at most 768.
            unsafe tables.initialize(repeating: 0)
            let byTurns = tables.baseAddress!
            unsafe window.withUnsafeBytes { window in
                var position = start
                var index = 0
                while index &+ 1 < sequences.count {
                    let literalCount = Int(sequences[index])
                    let match = sequences[index &+ 1]
                    precondition(literalCount <= window.count &- position, "literals outside of the window")
                    let end = position &+ literalCount
                    // SAFETY: position...end lie in the window, checked above.
                    while position &+ 4 <= end {
                        let word = unsafe window.loadUnaligned(fromByteOffset: position, as: UInt32.self)
                        unsafe byTurns[Int(word & 255)] &+= 1
                        unsafe byTurns[256 &+ Int((word &>> 8) & 255)] &+= 1
                        unsafe byTurns[512 &+ Int((word &>> 16) & 255)] &+= 1
                        unsafe byTurns[768 &+ Int(word &>> 24)] &+= 1
                        position &+= 4
                    }
                    while position < end {
                        unsafe byTurns[Int(window[position])] &+= 1
                        position &+= 1
                    }
                    if match != 0 {
                        let length = Int(match & 0x1FF)
                        counts[DeflateSymbols.firstLength &+ Int(lengthSlots[length &- 3])] &+= 1
                        counts[DeflateCounts.distances &+ DeflateSymbols.distanceSlot(Int(match &>> 16))] &+= 1
                        position &+= length
                    }
                    index &+= 2
                }
            }
            for byte in 0..<256 {
                // SAFETY: as above.
                counts[byte] &+=
                    unsafe byTurns[byte] &+ byTurns[256 &+ byte] &+ byTurns[512 &+ byte] &+ byTurns[768 &+ byte]
            }
        }
    }

    /// Writes the symbols of sequences.
    ///
    /// - Parameters:
    ///   - sequences: words, two each; see ``DeflateSequence``.
    ///   - window: the input.
    ///   - start: where in it the first sequence begins.
    ///   - codes: laid out as ``DeflateCodeTable`` says.
    ///   - target: takes the bits.
    ///   - bits: moved on.
    /// - Precondition: as for ``count(_:_:from:lengthSlots:into:)``; `target` has room for all bits, and for ``overrun`` bytes more.
    package static func write(
        _ sequences: Span<UInt32>, _ window: RawSpan, from start: Int, codes: Span<UInt32>,
        to target: inout MutableRawSpan, _ bits: inout DeflateBits
    ) {
        precondition(codes.count >= DeflateCodeTable.count, "a table that is too small")
        precondition(start >= 0 && start <= window.byteCount, "outside of the window")
        precondition(bits.position >= 0 && bits.count >= 0 && bits.count < 8, "no such place")
        let byteCount = target.byteCount
        unsafe codes.withUnsafeBufferPointer { codes in
            unsafe window.withUnsafeBytes { window in
                unsafe target.withUnsafeMutableBytes { target in
                    var run = unsafe BitRun(
                        codes: codes.baseAddress!, target: target.baseAddress!, lastStore: byteCount - overrun,
                        bits: bits.bits, count: UInt64(truncatingIfNeeded: bits.count), position: bits.position)
                    unsafe run.storesFour = codes[..<256].allSatisfy { unsafe $0 &>> 24 <= BitRun.mostBitsOfFour }
                    var position = start
                    var index = 0
                    while index &+ 1 < sequences.count {
                        let literalCount = Int(sequences[index])
                        let match = sequences[index &+ 1]
                        precondition(literalCount <= window.count &- position, "literals outside of the window")
                        // SAFETY: the literals lie in the window, checked above.
                        unsafe run.write(literals: window.baseAddress! + position, literalCount)
                        position &+= literalCount
                        if match != 0 {
                            unsafe run.write(match: match)
                            position &+= Int(match & 0x1FF)
                        }
                        index &+= 2
                    }
                    bits = unsafe DeflateBits(
                        bits: run.bits, count: Int(truncatingIfNeeded: run.count), position: run.position)
                }
            }
        }
    }
}

/// SAFETY, for all of it: a store begins at `lastStore` at the latest, which is checked before each, and writes eight bytes.
/// Codes are looked up with bytes, with lengths of nine bits, and with slots of at most 31; the table has
/// 1024: 257 + 511 and 513 + 31 are less. A code with its extra bits has at most 28 bits; at most 7 are left over by each store.
@unsafe
private struct BitRun {
    /// Four codes of this many bits fit beside the 7 that may be left over.
    static var mostBitsOfFour: UInt32 { 14 }

    let codes: UnsafePointer<UInt32>
    let target: UnsafeMutableRawPointer
    let lastStore: Int
    var bits: UInt64
    var count: UInt64
    var position: Int
    /// Whether no literal's code has more than ``mostBitsOfFour``.
    var storesFour = false

    @inline(__always)
    mutating func add(_ code: UInt32) {
        unsafe bits |= UInt64(code & 0xFF_FFFF) &<< count
        unsafe count &+= UInt64(code &>> 24)
    }

    @inline(__always)
    mutating func store() {
        precondition(unsafe position <= lastStore, "no room for more bits")
        unsafe target.storeBytes(of: bits.littleEndian, toByteOffset: position, as: UInt64.self)
        unsafe position &+= Int(truncatingIfNeeded: count &>> 3)
        unsafe bits &>>= count & 56
        unsafe count &= 7
    }

    /// Literals: three of at most 15 bits fit beside the 7 that may be left over, and four of at most 14.
    @inline(__always)
    mutating func write(literals: UnsafeRawPointer, _ literalCount: Int) {
        var index = 0
        while unsafe storesFour && index &+ 4 <= literalCount {
            let word = unsafe UInt32(littleEndian: literals.loadUnaligned(fromByteOffset: index, as: UInt32.self))
            unsafe add(codes[Int(word & 255)])
            unsafe add(codes[Int((word &>> 8) & 255)])
            unsafe add(codes[Int((word &>> 16) & 255)])
            unsafe add(codes[Int(word &>> 24)])
            unsafe store()
            index &+= 4
        }
        while index &+ 3 <= literalCount {
            unsafe add(codes[Int(literals.load(fromByteOffset: index, as: UInt8.self))])
            unsafe add(codes[Int(literals.load(fromByteOffset: index &+ 1, as: UInt8.self))])
            unsafe add(codes[Int(literals.load(fromByteOffset: index &+ 2, as: UInt8.self))])
            unsafe store()
            index &+= 3
        }
        while index < literalCount {
            unsafe add(codes[Int(literals.load(fromByteOffset: index, as: UInt8.self))])
            index &+= 1
        }
        unsafe store()
    }

    /// A match: at most 20 and 28 bits.
    @inline(__always)
    mutating func write(match: UInt32) {
        let length = max(3, Int(match & 0x1FF))
        let distance = Int(match &>> 16)
        unsafe add(codes[DeflateCodeTable.lengths &+ length &- 3])
        let slot = DeflateSymbols.distanceSlot(distance)
        unsafe add(codes[DeflateCodeTable.distances &+ slot])
        let extraBits = DeflateSymbols.distanceExtraBits(slot)
        let extra = UInt64(truncatingIfNeeded: distance &- 1) & (1 &<< UInt64(truncatingIfNeeded: extraBits) &- 1)
        unsafe bits |= extra &<< count
        unsafe count &+= UInt64(truncatingIfNeeded: extraBits)
        unsafe store()
    }
}
#endif
