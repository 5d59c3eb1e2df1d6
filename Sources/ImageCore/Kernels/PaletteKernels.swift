// Kernels for samples that are looked up: palette indices, and gray of fewer than eight bits.
//
// Samples below eight bits have the leftmost pixel in the most significant bits (PNG 3rd ed. §7.2 "Scanlines"). Their
// pixels are looked up a whole byte of samples at a time.
//
// SAFETY, for every load and store from rows: their lengths are checked at the entry (`withPixelRows`), and loops stay
// below the number of pixels or whole bytes.

/// What samples of up to eight bits stand for, in the destination's format.
package struct PixelTable: Sendable {
    /// Bits of a sample: 1, 2, 4 or 8.
    package let bits: Int
    /// Bytes of a pixel: 1...4.
    package let bytesPerPixel: Int
    /// 256 pixels in the low bytes, so that no sample can be out of bounds.
    fileprivate let pixels: [UInt32]
    /// For samples below eight bits: the pixels of each of the 256 values of a byte, side by side.
    fileprivate let groups: [UInt8]

    /// Makes a table out of 256 straight RGBA pixels.
    ///
    /// - Parameter step: What leads from RGBA to the pixels of this table.
    package init(bits: Int, rgba: [UInt32], _ step: ConversionStep, bytesPerPixel: Int) {
        precondition([1, 2, 4, 8].contains(bits) && (1...4).contains(bytesPerPixel) && rgba.count == 256)
        self.bits = bits
        self.bytesPerPixel = bytesPerPixel
        // On most machines the entries lie in memory as they should.
        let straight = UInt32(1).littleEndian == 1 ? rgba : rgba.map { $0.littleEndian }
        var pixels = [UInt32](repeating: 0, count: 256)
        straight.withRawSpan { straight in
            pixels.withMutableBytes { step.run(straight, into: &$0, width: 256) }
        }
        if bytesPerPixel < 4 { Self.spread(&pixels, bytesPerPixel: bytesPerPixel) }
        self.pixels = pixels
        groups = bits == 8 ? [] : Self.groups(bits: bits, pixels, bytesPerPixel: bytesPerPixel)
    }

    private init(pixels: [UInt32], bytesPerPixel: Int) {
        self.bits = 8
        self.bytesPerPixel = bytesPerPixel
        self.pixels = pixels
        groups = []
    }

    /// Gives pixels that lie side by side a word each: the last first, for those before it lie below.
    private static func spread(_ pixels: inout [UInt32], bytesPerPixel: Int) {
        let mask = UInt32.max >> UInt32(32 - 8 * bytesPerPixel)
        for sample in (0..<256).reversed() {
            let pixel = pixels.withMutableBytes { $0.bytes.nativeUInt32(at: sample * bytesPerPixel) }
            pixels[sample] = pixel & mask
        }
    }

    private static func groups(bits: Int, _ pixels: [UInt32], bytesPerPixel: Int) -> [UInt8] {
        let mask = 1 << bits - 1
        var samples: [UInt8] = []
        samples.reserveCapacity(256 * 8 / bits)
        for byte in 0..<256 {
            var shift = 8 - bits
            while shift >= 0 {
                samples.append(UInt8(truncatingIfNeeded: byte &>> shift & mask))
                shift -= bits
            }
        }
        var groups = [UInt8](repeating: 0, count: samples.count * bytesPerPixel)
        let eightBit = PixelTable(pixels: pixels, bytesPerPixel: bytesPerPixel)
        groups.withMutableBytes { groups in
            samples.withRawSpan { PaletteKernels.lookUp($0, into: &groups, width: samples.count, eightBit) }
        }
        return groups
    }

    /// The pixel a sample stands for.
    package subscript(sample: Int) -> UInt32 { pixels[sample & 255] }
}

#if !ReferenceKernels
enum PaletteKernels {
    /// Samples -> the pixels they stand for.
    static func lookUp(
        _ source: RawSpan, into destination: inout MutableRawSpan, width: Int, _ table: PixelTable
    ) {
        let (bits, bytesPerPixel) = (table.bits, table.bytesPerPixel)
        unsafe withPixelRows(source, (width * bits + 7) / 8, &destination, bytesPerPixel * width) { from, to in
            let pixelsPerByte = 8 / bits
            var x = 0
            if bits == 8 {
                x = unsafe lookUpPixels(from, to, width, table)
            } else {
                x = unsafe lookUpGroups(from, to, width / pixelsPerByte, table) * pixelsPerByte
            }
            // What is left: the last pixels of a row.
            while x < width {
                let shift = 8 - bits - x * bits % 8
                let sample = unsafe Int(truncatingIfNeeded: loadByte(from, x * bits / 8)) >> shift & (1 << bits - 1)
                unsafe storePixel(to, bytesPerPixel * x, table[sample], bytesPerPixel)
                x += 1
            }
        }
    }

    /// Looks samples of eight bits up, as many as whole words can be written for; returns how many.
    private static func lookUpPixels(
        _ from: UnsafeRawPointer, _ to: UnsafeMutableRawPointer, _ width: Int, _ table: PixelTable
    ) -> Int {
        unsafe table.pixels.withUnsafeBytes { pixels in
            // SAFETY: 256 entries, checked here; a sample is a byte.
            guard pixels.count == 1024, let pixels = pixels.baseAddress else { return 0 }
            var x = 0
            switch table.bytesPerPixel {
            case 1:
                while x < width {
                    unsafe storeByte(to, x, load(pixels, 4 &* sample(from, x)))
                    x &+= 1
                }
            case 2:
                while x < width {
                    unsafe store(to, 2 &* x, load(pixels, 4 &* sample(from, x), as: UInt16.self))
                    x &+= 1
                }
            case 3:
                // Four bytes are written for three, the next store mends them.
                while x < width &- 1 {
                    unsafe store(to, 3 &* x, load(pixels, 4 &* sample(from, x), as: UInt32.self))
                    x &+= 1
                }
            default:
                // Pictures with palettes mostly are flat: sixteen equal samples are one look-up.
                while x < width &- 15 {
                    let (low, high): (UInt64, UInt64) = unsafe (load(from, x), load(from, x &+ 8))
                    if low == high && low == (low &<< 8 | low &>> 56) {
                        let flat = unsafe FourPixels(repeating: load(pixels, 4 &* sample(from, x)))
                        for k in stride(from: x, to: x &+ 16, by: 4) { unsafe store(to, 4 &* k, flat) }
                    } else {
                        unsafe store(to, 4 &* x, fourPixels(pixels, low))
                        unsafe store(to, 4 &* x &+ 16, fourPixels(pixels, low &>> 32))
                        unsafe store(to, 4 &* x &+ 32, fourPixels(pixels, high))
                        unsafe store(to, 4 &* x &+ 48, fourPixels(pixels, high &>> 32))
                    }
                    x &+= 16
                }
                while x < width &- 3 {
                    unsafe store(to, 4 &* x, fourPixels(pixels, UInt64(load(from, x, as: UInt32.self))))
                    x &+= 4
                }
            }
            return x
        }
    }

    /// The pixels of the four samples in the low bytes.
    // SAFETY: the caller vouches for 256 pixels.
    @inline(__always)
    private static func fourPixels(_ pixels: UnsafeRawPointer, _ samples: UInt64) -> FourPixels {
        let (first, second) = (Int(truncatingIfNeeded: samples & 255), Int(truncatingIfNeeded: samples &>> 8 & 255))
        let third = Int(truncatingIfNeeded: samples &>> 16 & 255)
        let fourth = Int(truncatingIfNeeded: samples &>> 24 & 255)
        return unsafe FourPixels(
            load(pixels, 4 &* first), load(pixels, 4 &* second), load(pixels, 4 &* third), load(pixels, 4 &* fourth))
    }

    /// Looks `byteCount` whole bytes of samples up; returns how many were.
    private static func lookUpGroups(
        _ from: UnsafeRawPointer, _ to: UnsafeMutableRawPointer, _ byteCount: Int, _ table: PixelTable
    ) -> Int {
        let size = 8 / table.bits * table.bytesPerPixel
        return unsafe table.groups.withUnsafeBytes { groups in
            // SAFETY: 256 groups of `size` bytes, checked here; each is copied in pieces that add up to `size`.
            guard groups.count == 256 * size, let groups = groups.baseAddress else { return 0 }
            switch size {
            case 2: unsafe copyGroups(from, to, byteCount, groups, UInt16.self, pieces: 1)
            case 4: unsafe copyGroups(from, to, byteCount, groups, UInt32.self, pieces: 1)
            case 6: unsafe copyGroups(from, to, byteCount, groups, UInt16.self, pieces: 3)
            case 8: unsafe copyGroups(from, to, byteCount, groups, UInt64.self, pieces: 1)
            case 12: unsafe copyGroups(from, to, byteCount, groups, UInt32.self, pieces: 3)
            case 16: unsafe copyGroups(from, to, byteCount, groups, SIMD2<UInt64>.self, pieces: 1)
            case 24: unsafe copyGroups(from, to, byteCount, groups, UInt64.self, pieces: 3)
            case 32: unsafe copyGroups(from, to, byteCount, groups, SIMD2<UInt64>.self, pieces: 2)
            default: return 0
            }
            return byteCount
        }
    }

    @inline(__always)
    private static func copyGroups<Piece: BitwiseCopyable>(
        _ from: UnsafeRawPointer, _ to: UnsafeMutableRawPointer, _ byteCount: Int, _ groups: UnsafeRawPointer,
        _ type: Piece.Type, pieces: Int
    ) {
        let pieceSize = MemoryLayout<Piece>.size
        let size = pieceSize &* pieces
        var i = 0
        while i < byteCount {
            let group = unsafe sample(from, i) &* size
            unsafe store(to, i &* size, load(groups, group, as: Piece.self))
            if pieces > 1 {
                unsafe store(to, i &* size &+ pieceSize, load(groups, group &+ pieceSize, as: Piece.self))
            }
            if pieces > 2 {
                unsafe store(to, i &* size &+ 2 &* pieceSize, load(groups, group &+ 2 &* pieceSize, as: Piece.self))
            }
            i &+= 1
        }
    }

    @inline(__always)
    private static func sample(_ row: UnsafeRawPointer, _ offset: Int) -> Int {
        Int(truncatingIfNeeded: unsafe loadByte(row, offset))
    }

    @inline(__always)
    private static func storePixel(
        _ row: UnsafeMutableRawPointer, _ offset: Int, _ pixel: UInt32, _ bytesPerPixel: Int
    ) {
        var pixel = pixel
        for byte in 0..<bytesPerPixel {
            unsafe storeByte(row, offset + byte, pixel)
            pixel &>>= 8
        }
    }
}
#endif
