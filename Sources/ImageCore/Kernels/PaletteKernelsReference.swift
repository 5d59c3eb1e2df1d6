// Plain twin of PaletteKernels: one sample at a time.

package enum PaletteKernelsReference {
    /// See `PaletteKernels.lookUp`.
    package static func lookUp(
        _ source: RawSpan, into destination: inout MutableRawSpan, width: Int, _ table: PixelTable
    ) {
        var place = 0
        for x in 0..<width {
            var pixel = table[sample(source, x, bits: table.bits)]
            for _ in 0..<table.bytesPerPixel {
                destination.setByte(UInt8(truncatingIfNeeded: pixel), at: place)
                pixel >>= 8
                place += 1
            }
        }
    }

    private static func sample(_ row: RawSpan, _ x: Int, bits: Int) -> Int {
        Int(row.byte(at: x * bits / 8)) >> (8 - bits - x * bits % 8) & (1 << bits - 1)
    }
}

#if ReferenceKernels
typealias PaletteKernels = PaletteKernelsReference
#endif
