// Bits in a register, for the loops that decode pixels.
//
//   bits    the next bit lowest; `count` of them are real
//   next    the first byte that is not in `bits`, or only in part
//
// In the middle of the input eight bytes are read at once, whatever of them fits; bytes of which only a part fits are read
// again, and the bits are the same. Near its end bytes are read one by one, `count` is exact, and falls below zero if a
// symbol takes bits that are not there.

#if !ReferenceKernels
@unsafe
struct BitWindow {
    private(set) var bits: UInt64 = 0
    private(set) var count = 0
    private(set) var next: UnsafeRawPointer
    private let end: UnsafeRawPointer

    /// - Parameters:
    ///   - position: a bit of the input, or its end.
    ///   - input: not empty.
    init(_ position: Int, _ base: UnsafeRawPointer, byteCount: Int) {
        // SAFETY: the byte of the position is read only if the position is inside of it, and so below the end.
        unsafe next = base + position / 8
        unsafe end = base + byteCount
        if position & 7 != 0 {
            unsafe bits = UInt64(next.load(as: UInt8.self)) >> UInt64(position & 7)
            unsafe count = 8 - position & 7
            unsafe next += 1
        }
    }

    /// The bit that is next, counted from `base`.
    func position(from base: UnsafeRawPointer) -> Int { unsafe (next - base) * 8 - count }

    /// Makes sure that there are 56 bits.
    ///
    /// SAFETY: eight bytes are there from `next` on: the loop has asked ``hasMargin``, and between that and the last fill of a
    /// unit `next` has moved by at most seven bytes.
    @inline(__always)
    mutating func fill() {
        let word = unsafe UInt64(littleEndian: next.loadUnaligned(as: UInt64.self))
        unsafe bits |= word &<< UInt64(truncatingIfNeeded: count)
        unsafe next += (63 &- count) &>> 3
        unsafe count |= 56
    }

    /// Whether a unit can be decoded with ``fill()``: twice, which takes 7 + 8 bytes.
    @inline(__always)
    var hasMargin: Bool { unsafe end - next >= 16 }

    /// Reads what is there, up to 56 bits or more.
    @inline(__always)
    mutating func fillCarefully() {
        // SAFETY: bytes below the end. A negative count, if bits were taken that are not there, stays.
        while unsafe count >= 0 && count <= 55 && next < end {
            unsafe bits |= UInt64(next.load(as: UInt8.self)) &<< UInt64(truncatingIfNeeded: count)
            unsafe count &+= 8
            unsafe next += 1
        }
    }

    /// ``fill()``, or ``fillCarefully()`` if bits may be missing.
    @inline(__always)
    mutating func fill(careful: Bool) {
        if careful { unsafe fillCarefully() } else { unsafe fill() }
    }

    @inline(__always)
    mutating func drop(_ n: Int) {
        unsafe bits &>>= UInt64(truncatingIfNeeded: n)
        unsafe count &-= n
    }

    /// The next `n` bits, at most 18.
    @inline(__always)
    mutating func readBits(_ n: Int) -> Int {
        let value = unsafe Int(truncatingIfNeeded: bits) & ((1 &<< n) &- 1)
        unsafe drop(n)
        return value
    }

    /// The next symbol of the code whose table this is.
    ///
    /// SAFETY: the table is complete for all bits of its mask, and a sub-table for all of its bits; see `PrefixTableKernel`.
    @inline(__always)
    mutating func symbol(_ table: UnsafePointer<UInt16>, _ mask: UInt64) -> Int {
        var entry = unsafe Int(table[Int(truncatingIfNeeded: bits & mask)])
        var n = entry & 15
        if n > PrefixTableKernel.rootBitLimit {
            // A mask is one less than a power of two.
            unsafe drop((mask &+ 1).trailingZeroBitCount)
            let subBits = n &- PrefixTableKernel.rootBitLimit
            let place = unsafe Int(truncatingIfNeeded: bits) & ((1 &<< subBits) &- 1)
            entry = unsafe Int(table[(entry &>> 4) &+ place])
            n = entry & 15
        }
        unsafe drop(n)
        return entry &>> 4
    }

    /// A length or a distance: a small number itself, or its highest bits and more after them.
    ///
    /// Without branches, as which of both it is cannot be foreseen.
    @inline(__always)
    mutating func prefixedValue(_ symbol: Int) -> Int {
        // All ones for 0 and 1, which stand for themselves; 2 and 3 do so too, without bits after them.
        let isSmallest = (symbol &- 2) &>> (Int.bitWidth &- 1)
        let extra = ((symbol &- 2) &>> 1) & ~isSmallest
        let highest = ((2 &+ (symbol & 1)) &<< extra) &- (2 & isSmallest)
        return unsafe highest &+ readBits(extra) &+ 1
    }
}
#endif
