// Kernels for samples that are looked up: palette indices, and gray of fewer than eight bits.
//
// A table holds 256 pixels in the destination's format, so no index can be out of bounds. Samples below eight bits
// have the leftmost pixel in the most significant bits (PNG 3rd ed. §7.2 "Scanlines").

enum PaletteKernels {
    /// Samples of `bits` (1, 2, 4, 8) -> pixels of `bytesPerPixel` (1...4), each the low bytes of `table[sample]`.
    ///
    /// - Precondition: `table` has 256 entries.
    static func lookUp(
        _ source: RawSpan, into destination: inout MutableRawSpan, width: Int, bits: Int, bytesPerPixel: Int,
        table: [UInt32]
    ) {
        precondition(table.count == 256 && (1...4).contains(bytesPerPixel) && [1, 2, 4, 8].contains(bits))
        unsafe withPixelRows(source, (width * bits + 7) / 8, &destination, bytesPerPixel * width) { from, to in
            let mask = UInt32(1) &<< UInt32(truncatingIfNeeded: bits) &- 1
            var x = 0
            while x < width {
                let bit = x &* bits
                let shift = UInt32(truncatingIfNeeded: 8 &- bits &- (bit & 7))
                let sample = unsafe (loadByte(from, bit &>> 3) &>> shift) & mask
                var pixel = table[Int(truncatingIfNeeded: sample)]
                for k in 0..<bytesPerPixel {
                    unsafe storeByte(to, bytesPerPixel &* x &+ k, pixel)
                    pixel &>>= 8
                }
                x &+= 1
            }
        }
    }

    /// The largest of `width` samples of `bits` (1, 2, 4, 8); padding after the last one does not count.
    static func largestSample(_ source: RawSpan, width: Int, bits: Int) -> Int {
        guard width > 0 else { return 0 }
        precondition([1, 2, 4, 8].contains(bits))
        precondition((width * bits + 7) / 8 <= source.byteCount, "the source row is shorter than its width")
        return unsafe source.withUnsafeBytes { row in
            guard let row = row.baseAddress else { return 0 }
            let mask = UInt32(1) &<< UInt32(truncatingIfNeeded: bits) &- 1
            var largest: UInt32 = 0
            var x = 0
            while x < width {
                let bit = x &* bits
                let shift = UInt32(truncatingIfNeeded: 8 &- bits &- (bit & 7))
                largest = max(largest, unsafe (loadByte(row, bit &>> 3) &>> shift) & mask)
                x &+= 1
            }
            return Int(truncatingIfNeeded: largest)
        }
    }

    /// A table of straight RGBA pixels in another format, each pixel in the low bytes of its entry, the rest 0.
    static func converted(_ rgba: [UInt32], by step: ConversionStep, bytesPerPixel: Int) -> [UInt32] {
        var packed = [UInt8](repeating: 0, count: rgba.count * bytesPerPixel)
        unsafe packed.withUnsafeMutableBytes { packed in
            // SAFETY: the span does not outlive the closure; UInt32 has no padding and bytes may hold anything.
            var destination = unsafe packed.mutableBytes
            unsafe step.run(rgba.span.bytes, into: &destination, width: rgba.count)
        }
        return rgba.indices.map { entry in
            let pixel = packed[entry * bytesPerPixel..<(entry + 1) * bytesPerPixel]
            return pixel.reversed().reduce(0) { $0 << 8 | UInt32($1) }
        }
    }
}
