// The codes of one group, as the loop that decodes pixels has them at hand.

#if !ReferenceKernels
/// Tables of a group, read from its record.
///
/// SAFETY, for all of it: records and tables are those that `PrefixCodeStore` made, so that a table has an entry for each
/// pattern of its mask, and a record names tables of the arena.
@unsafe
struct PixelCodes {
    private let record: UnsafePointer<UInt32>
    private let arena: UnsafeRawPointer
    /// One of the kinds of `PrefixGroupRecord`.
    let kind: UInt32
    /// What of a pixel takes no bits.
    let literal: UInt32
    let green: UnsafePointer<UInt16>
    let greenMask: UInt64
    private let red: UnsafePointer<UInt16>
    private let redMask: UInt64
    private let blue: UnsafePointer<UInt16>
    private let blueMask: UInt64
    private let packed: UnsafePointer<UInt64>
    private let packedMask: UInt64

    @inline(__always)
    init(_ record: UnsafePointer<UInt32>, _ arena: UnsafeRawPointer) {
        unsafe self.record = record
        unsafe self.arena = arena
        unsafe kind = record[PrefixGroupRecord.kind]
        unsafe literal = record[PrefixGroupRecord.literal]
        unsafe green = Self.table(record, arena, 0)
        unsafe greenMask = Self.mask(record, 0)
        unsafe red = Self.table(record, arena, 1)
        unsafe redMask = Self.mask(record, 1)
        unsafe blue = Self.table(record, arena, 2)
        unsafe blueMask = Self.mask(record, 2)
        unsafe packed = (arena + Int(record[PrefixGroupRecord.packedStart]) &* 8).assumingMemoryBound(to: UInt64.self)
        unsafe packedMask = UInt64(record[PrefixGroupRecord.packedMask])
    }

    @inline(__always)
    private static func table(
        _ record: UnsafePointer<UInt32>, _ arena: UnsafeRawPointer, _ code: Int
    ) -> UnsafePointer<UInt16> {
        unsafe (arena + Int(record[PrefixGroupRecord.tableStart &+ code]) &* 2).assumingMemoryBound(to: UInt16.self)
    }

    @inline(__always)
    private static func mask(_ record: UnsafePointer<UInt32>, _ code: Int) -> UInt64 {
        unsafe UInt64(record[PrefixGroupRecord.maskStart &+ code])
    }

    /// The table of code 0...4.
    @inline(__always)
    func table(_ code: Int) -> UnsafePointer<UInt16> { unsafe Self.table(record, arena, code) }

    /// The mask of code 0...4.
    @inline(__always)
    func mask(_ code: Int) -> UInt64 { unsafe Self.mask(record, code) }

    /// The whole pixel that `bits` begin with, and how many it takes; 0 if there is none.
    @inline(__always)
    func packedEntry(_ bits: UInt64) -> UInt64 {
        unsafe packedMask == 0 ? 0 : packed[Int(truncatingIfNeeded: bits & packedMask)]
    }

    /// The pixel of a green value, with its other channels.
    @inline(__always)
    func pixel(_ greenValue: Int, _ window: inout BitWindow, careful: Bool) -> UInt32 {
        var pixel = unsafe literal | UInt32(truncatingIfNeeded: greenValue) &<< 8
        if unsafe kind == PrefixGroupRecord.kindGreen { return pixel }
        let redValue = unsafe window.symbol(red, redMask)
        let blueValue = unsafe window.symbol(blue, blueMask)
        pixel |= UInt32(truncatingIfNeeded: redValue) &<< 16 | UInt32(truncatingIfNeeded: blueValue)
        if unsafe kind == PrefixGroupRecord.kindFull {
            if unsafe window.count < PrefixTableKernel.longestLength { unsafe window.fill(careful: careful) }
            let alphaValue = unsafe window.symbol(table(3), mask(3))
            pixel |= UInt32(truncatingIfNeeded: alphaValue) &<< 24
        }
        return pixel
    }
}
#endif
