// The innermost loop of inflate: symbols in, literals and copies out, while there is more input and room than one round
// can need.
//
//   bits ──▶ look-up ──▶ literals, up to eight ─────────────────────────────────▶ output
//                   └──▶ length ──▶ look-up of a distance ──▶ copy of earlier output ──▶ output
//
// The entry for the next bits is looked up before what the current one says is written.

/// Why a run of symbols stopped.
enum InflatePause: Hashable, Sendable {
    /// All input is used that is not needed for a symbol that is not all there; or, in the fast loop, there is too little.
    case inputUsed
    /// There is no room for the next symbol; or, in the fast loop, too little.
    case outputFull
    /// The end of the block.
    case endOfBlock
    /// So many bytes of a copy are left, for which there is no room.
    case copy(length: Int, distance: Int)
    /// Bits that are no code of a literal or length.
    case invalidLiteralLength
    /// Bits that are no code of a distance.
    case invalidDistance
    /// A distance to before the first byte.
    case tooFar
}

/// The buffer of a window.
protocol InflateWindow {}

extension InflateWindow {
    /// Bytes after the limit of the output that copies may write to.
    static var overrun: Int { 64 }
}

#if !ReferenceKernels
enum InflateKernel: InflateWindow {
    /// Bytes of input that a round may read: two words, of which the second begins seven bytes after the first.
    private static let inputMargin = 15
    /// Bytes that the literals of a round take.
    private static let outputMargin = 8

    /// Decodes symbols while input and room are ample.
    ///
    /// - Parameters:
    ///   - tables: the elements of ``InflateTables``, filled for the block.
    ///   - window: earlier output, and room for more after it.
    ///   - end: where the output ends; moved on. Distances reach back to the window's start.
    ///   - limit: where it ends at the latest.
    ///   - input: read up to `inputEnd`.
    /// - Returns: `outputFull` or `inputUsed` when it is time for the careful loop; some room and input may be left.
    static func decode(
        _ reader: inout InflateBitReader, _ tables: Span<UInt32>, _ window: inout MutableRawSpan, end: inout Int,
        limit: Int,
        _ input: Span<UInt8>, inputEnd: Int
    ) -> InflatePause {
        precondition(tables.count >= InflateTables.count, "tables that are too small")
        precondition(end >= 0 && end <= limit && limit <= window.byteCount - overrun, "outside of the window")
        precondition(reader.position >= 0 && inputEnd <= input.count, "outside of the input")
        guard inputEnd - reader.position >= inputMargin + 7 else { return .inputUsed }
        guard limit - end >= outputMargin else { return .outputFull }
        return unsafe tables.withUnsafeBufferPointer { tables in
            unsafe window.withUnsafeMutableBytes { window in
                unsafe input.withUnsafeBytes { input in
                    // SAFETY: none is empty, as checked above.
                    guard let table = tables.baseAddress, let base = window.baseAddress, let bytes = input.baseAddress
                    else { return .inputUsed }
                    var run = unsafe InflateRun(
                        base: base, table: table, lastSource: bytes + (inputEnd - inputMargin),
                        lastTarget: base + (limit - outputMargin), source: bytes + reader.position, target: base + end,
                        bits: reader.bits, bitCount: UInt64(truncatingIfNeeded: reader.bitCount))
                    let pause = unsafe run.decode()
                    end = unsafe run.target - base
                    reader.position = unsafe run.source - bytes
                    (reader.bits, reader.bitCount) = unsafe (run.bits, Int(truncatingIfNeeded: run.bitCount))
                    return pause
                }
            }
        }
    }
}

/// The state of a run, which its loop keeps in registers.
///
/// SAFETY, for all of it. A round begins at or below `lastSource`, 15 bytes before the end of the input, and reads two words
/// at most, the second no more than seven bytes after the first. It begins at or below `lastTarget`, 8 bytes before the limit:
/// four look-ups of at most two literals each fill no more, and a copy that would end after `lastTarget` is not begun; what
/// copies write too much stays within ``InflateKernel/overrun``. A copy begins at `base` or after it. Roots are looked up
/// with as many bits as they have, sub-tables lie in the tables whole.
@unsafe
private struct InflateRun {
    let base: UnsafeMutableRawPointer
    let table: UnsafePointer<UInt32>
    let lastSource: UnsafeRawPointer
    let lastTarget: UnsafeMutableRawPointer
    var source: UnsafeRawPointer
    var target: UnsafeMutableRawPointer
    var bits: UInt64
    var bitCount: UInt64

    /// Fills up to 56 bits or more; only the low six bits of `bitCount` count. Those after them are the stream's too, up to
    /// the 64th.
    @inline(__always)
    private static func refill(_ bits: inout UInt64, _ bitCount: inout UInt64, _ source: inout UnsafeRawPointer) {
        // Bytes of which only a part fits are read again; the bits before them are the same.
        let word = unsafe UInt64(littleEndian: source.loadUnaligned(as: UInt64.self))
        bits |= word &<< bitCount
        unsafe source += Int(truncatingIfNeeded: 7 &- ((bitCount &>> 3) & 7))
        bitCount |= 56
    }

    /// The entry for the next bits.
    @inline(__always)
    private static func literalLength(_ table: UnsafePointer<UInt32>, _ bits: UInt64) -> UInt32 {
        unsafe table[Int(truncatingIfNeeded: bits & ((1 << UInt64(InflateTables.literalLengthRootBits)) - 1))]
    }

    /// Writes the literals of an entry, uses up its bits and looks up the next.
    @inline(__always)
    private static func emit(
        _ entry: inout UInt32, _ table: UnsafePointer<UInt32>, _ bits: inout UInt64, _ bitCount: inout UInt64,
        _ target: inout UnsafeMutableRawPointer
    ) {
        let literals = entry
        bits &>>= UInt64(literals)
        bitCount &-= UInt64(literals)
        entry = unsafe literalLength(table, bits)
        unsafe target.storeBytes(of: UInt16(truncatingIfNeeded: literals &>> 16).littleEndian, as: UInt16.self)
        unsafe target += PrefixEntry.literalCount(literals)
    }

    /// The value of a length or distance: its extra bits come after its code.
    @inline(__always)
    private static func value(_ entry: UInt32, _ bits: UInt64) -> Int {
        let belongs = bits & ~(~0 &<< UInt64(entry))
        return PrefixEntry.value(entry) &+ Int(truncatingIfNeeded: belongs &>> UInt64((entry &>> 8) & 15))
    }

    mutating func decode() -> InflatePause {
        let (base, table, lastSource, lastTarget) = unsafe (base, table, lastSource, lastTarget)
        var (source, target, bits, bitCount) = unsafe (source, target, bits, bitCount)
        let distances = unsafe table + InflateTables.distance.lowerBound
        var pause = InflatePause.inputUsed
        unsafe Self.refill(&bits, &bitCount, &source)
        var entry = unsafe Self.literalLength(table, bits)
        while unsafe source <= lastSource && target <= lastTarget {
            // There are 56 bits, and `entry` is what the first of them say.
            if PrefixEntry.isLiteral(entry) {
                unsafe Self.emit(&entry, table, &bits, &bitCount, &target)
                if PrefixEntry.isLiteral(entry) {
                    unsafe Self.emit(&entry, table, &bits, &bitCount, &target)
                    if PrefixEntry.isLiteral(entry) {
                        unsafe Self.emit(&entry, table, &bits, &bitCount, &target)
                        if PrefixEntry.isLiteral(entry) {
                            // Four times 11 bits are used. Eleven more were looked at: 55 of the 56.
                            unsafe Self.emit(&entry, table, &bits, &bitCount, &target)
                            unsafe Self.refill(&bits, &bitCount, &source)
                            continue
                        }
                    }
                }
                unsafe Self.refill(&bits, &bitCount, &source)
            }
            if PrefixEntry.isSpecial(entry) {
                if PrefixEntry.isSubTable(entry) {
                    let choice =
                        (bits &>> UInt64(InflateTables.literalLengthRootBits))
                        & ~(~0 &<< UInt64(PrefixEntry.codeBits(entry)))
                    entry = unsafe table[PrefixEntry.value(entry) &+ Int(truncatingIfNeeded: choice)]
                    if PrefixEntry.isLiteral(entry) {
                        unsafe Self.emit(&entry, table, &bits, &bitCount, &target)
                        unsafe Self.refill(&bits, &bitCount, &source)
                        continue
                    }
                }
                if PrefixEntry.isSpecial(entry) {
                    bits &>>= UInt64(entry)
                    bitCount &-= UInt64(entry)
                    pause = PrefixEntry.isEndOfBlock(entry) ? .endOfBlock : .invalidLiteralLength
                    break
                }
            }
            // At most 20 bits for the length and 28 for the distance.
            let length = unsafe Self.value(entry, bits)
            bits &>>= UInt64(entry)
            bitCount &-= UInt64(entry)
            var distanceEntry = unsafe distances[
                Int(truncatingIfNeeded: bits & ((1 << UInt64(InflateTables.distanceRootBits)) - 1))]
            if PrefixEntry.isSpecial(distanceEntry) {
                if PrefixEntry.isSubTable(distanceEntry) {
                    let choice =
                        (bits &>> UInt64(InflateTables.distanceRootBits))
                        & ~(~0 &<< UInt64(PrefixEntry.codeBits(distanceEntry)))
                    distanceEntry = unsafe table[PrefixEntry.value(distanceEntry) &+ Int(truncatingIfNeeded: choice)]
                }
                if PrefixEntry.isSpecial(distanceEntry) {
                    bits &>>= UInt64(distanceEntry)
                    bitCount &-= UInt64(distanceEntry)
                    pause = .invalidDistance
                    break
                }
            }
            let distance = unsafe Self.value(distanceEntry, bits)
            bits &>>= UInt64(distanceEntry)
            bitCount &-= UInt64(distanceEntry)
            guard unsafe distance <= target - base else {
                pause = .tooFar
                break
            }
            let end = unsafe target + length
            guard unsafe end <= lastTarget else {
                pause = .copy(length: length, distance: distance)
                break
            }
            unsafe Self.refill(&bits, &bitCount, &source)
            entry = unsafe Self.literalLength(table, bits)
            unsafe Self.copy(to: target, distance, end)
            unsafe target = end
        }
        // Whole bytes are given back; on entry there were fewer than eight bits, or the first symbol used them all.
        bitCount &= 63
        unsafe source -= Int(truncatingIfNeeded: bitCount &>> 3)
        bitCount &= 7
        bits &= (1 &<< bitCount) &- 1
        unsafe (self.source, self.target, self.bits, self.bitCount) = unsafe (source, target, bits, bitCount)
        return pause
    }

    @inline(__always)
    private static func copy16(_ from: UnsafeMutableRawPointer, _ to: UnsafeMutableRawPointer) {
        unsafe to.storeBytes(of: from.loadUnaligned(as: SIMD16<UInt8>.self), as: SIMD16<UInt8>.self)
    }

    /// Copies what lies `distance` bytes back, up to `end`; no more than 63 bytes more are written.
    @inline(__always)
    private static func copy(to start: UnsafeMutableRawPointer, _ distance: Int, _ end: UnsafeMutableRawPointer) {
        var target = unsafe start
        var from = unsafe start + (0 &- distance)
        if distance >= 16 {
            unsafe copy16(from, target)
            unsafe copy16(from + 16, target + 16)
            unsafe copy16(from + 32, target + 32)
            unsafe copy16(from + 48, target + 48)
            unsafe target += 64
            unsafe from += 32
            while unsafe target < end {
                unsafe from += 32
                unsafe copy16(from, target)
                unsafe copy16(from + 16, target + 16)
                unsafe target += 32
            }
        } else if distance == 1 {
            let fill = unsafe SIMD16<UInt8>(repeating: from.load(as: UInt8.self))
            unsafe target.storeBytes(of: fill, as: SIMD16<UInt8>.self)
            unsafe target.storeBytes(of: fill, toByteOffset: 16, as: SIMD16<UInt8>.self)
            repeat {
                unsafe target.storeBytes(of: fill, toByteOffset: 32, as: SIMD16<UInt8>.self)
                unsafe target.storeBytes(of: fill, toByteOffset: 48, as: SIMD16<UInt8>.self)
                unsafe target += 32
            } while unsafe target + 32 < end
        } else if distance >= 8 {
            // What is after the distance is wrong in each store, and put right by the next.
            let pattern = unsafe from.loadUnaligned(as: SIMD16<UInt8>.self)
            repeat {
                unsafe target.storeBytes(of: pattern, as: SIMD16<UInt8>.self)
                unsafe target += distance
            } while unsafe target < end
        } else {
            let shift = UInt64(truncatingIfNeeded: 8 &* distance)
            var pattern = unsafe UInt64(littleEndian: from.loadUnaligned(as: UInt64.self))
            pattern &= (1 &<< shift) &- 1
            pattern |= pattern &<< shift
            // A shift of 64 or more bits would be one of fewer.
            if distance < 4 { pattern |= pattern &<< (2 &* shift) }
            let step = distance == 3 ? 6 : distance <= 4 ? 8 : distance
            let word = pattern.littleEndian
            repeat {
                unsafe target.storeBytes(of: word, as: UInt64.self)
                unsafe target += step
            } while unsafe target < end
        }
    }
}
#endif
