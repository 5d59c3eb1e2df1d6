// Plain twin of PaletteKernels: one sample at a time.

package enum PaletteReference {
    /// The pixels of a row of samples.
    package static func lookUp(_ row: [UInt8], width: Int, _ table: PixelTable) -> [UInt8] {
        samples(row, width: width, bits: table.bits).flatMap { sample in
            (0..<table.bytesPerPixel).map { UInt8(truncatingIfNeeded: table[sample] >> UInt32(8 * $0)) }
        }
    }

    /// The largest sample of a row.
    package static func largestSample(_ row: [UInt8], width: Int, bits: Int) -> Int {
        samples(row, width: width, bits: bits).max() ?? 0
    }

    private static func samples(_ row: [UInt8], width: Int, bits: Int) -> [Int] {
        (0..<width).map { x in
            Int(row[x * bits / 8]) >> (8 - bits - x * bits % 8) & (1 << bits - 1)
        }
    }
}
