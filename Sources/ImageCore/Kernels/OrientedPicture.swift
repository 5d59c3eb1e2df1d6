// A picture seen through steps between its pixels, copied row by row or tile by tile.

#if !ReferenceKernels
/// Where the pixels of a picture come from and go to.
///
/// The pixel that goes to column `x` of row `y` comes from `source + x * stepAlongRow + y * stepAlongColumn`. Steps are
/// in bytes and may be negative; one of them is plus or minus a pixel, the other plus or minus a row of the source.
///
/// Whoever makes one vouches that every pixel of `size` lies in memory that can be read and written. The functions
/// are safe on that condition, and for columns and rows within `size`.
@safe
struct OrientedPicture {
    /// The pixel that becomes the top left one.
    let source: UnsafeRawPointer
    /// To the pixel that becomes the right neighbour.
    let stepAlongRow: Int
    /// To the pixel that becomes the neighbour below.
    let stepAlongColumn: Int
    let target: UnsafeMutableRawPointer
    let targetBytesPerRow: Int
    /// Size of the target.
    let size: PixelSize

    /// Copies rows of pixels without turning them: forwards or backwards.
    @inline(__always)
    func copyRows<Pixel: BitwiseCopyable>(_ type: Pixel.Type) {
        let pixelByteCount = MemoryLayout<Pixel>.size
        for y in 0..<size.height {
            // SAFETY: y < height, x < width; the makers of the picture vouch for those pixels on both sides.
            let from = unsafe source + y &* stepAlongColumn
            let to = unsafe target + y &* targetBytesPerRow
            if stepAlongRow == pixelByteCount {
                unsafe to.copyMemory(from: from, byteCount: size.width &* pixelByteCount)
            } else {
                for x in 0..<size.width {
                    let pixel = unsafe (from - x &* pixelByteCount).loadUnaligned(as: Pixel.self)
                    unsafe to.storeBytes(of: pixel, toByteOffset: x &* pixelByteCount, as: Pixel.self)
                }
            }
        }
    }

    /// Copies rows of pixels of 3 bytes without turning them.
    func copyRowsOfTriples() {
        if stepAlongRow == 3 {
            for y in 0..<size.height {
                // SAFETY: as in `copyRows`.
                unsafe (target + y &* targetBytesPerRow).copyMemory(
                    from: source + y &* stepAlongColumn, byteCount: size.width &* 3)
            }
        } else {
            copyTripleTile(columns: 0..<size.width, rows: 0..<size.height)
        }
    }

    /// Copies the pixels of a tile one by one, rows of the target innermost.
    @inline(__always)
    func copyTile<Pixel: BitwiseCopyable>(_ type: Pixel.Type, columns: Range<Int>, rows: Range<Int>) {
        for y in rows {
            // SAFETY: rows and columns lie within the target's size; the makers of the picture vouch for those pixels.
            let from = unsafe source + y &* stepAlongColumn
            let to = unsafe target + y &* targetBytesPerRow
            for x in columns {
                let pixel = unsafe (from + x &* stepAlongRow).loadUnaligned(as: Pixel.self)
                unsafe to.storeBytes(of: pixel, toByteOffset: x &* MemoryLayout<Pixel>.size, as: Pixel.self)
            }
        }
    }

    /// Copies the pixels of a tile, 3 bytes each.
    @inline(__always)
    func copyTripleTile(columns: Range<Int>, rows: Range<Int>) {
        for y in rows {
            // SAFETY: as in `copyTile`, a pixel being exactly 3 bytes.
            let from = unsafe source + y &* stepAlongColumn
            let to = unsafe target + y &* targetBytesPerRow
            for x in columns {
                let pixel = unsafe from + x &* stepAlongRow
                let two = unsafe pixel.loadUnaligned(as: UInt16.self)
                let third = unsafe pixel.load(fromByteOffset: 2, as: UInt8.self)
                unsafe to.storeBytes(of: two, toByteOffset: x &* 3, as: UInt16.self)
                unsafe to.storeBytes(of: third, toByteOffset: x &* 3 &+ 2, as: UInt8.self)
            }
        }
    }

    /// Turns 4x4 pixels of 4 bytes whose top left one goes to column `x` of row `y`.
    ///
    /// Four source rows of 16 bytes become four target rows of 16 bytes:
    /// ```
    /// a0 a1 a2 a3        a0 b0 c0 d0
    /// b0 b1 b2 b3   ─▶   a1 b1 c1 d1     (from bottom to top where the source's columns are mirrored)
    /// c0 c1 c2 c3        a2 b2 c2 d2
    /// d0 d1 d2 d3        a3 b3 c3 d3
    /// ```
    /// Only if axes are swapped, so that `stepAlongColumn` is ±4.
    @inline(__always)
    func transposeQuads(x: Int, y: Int) {
        typealias Quad = SIMD4<UInt32>
        let isMirrored = stepAlongColumn < 0
        // SAFETY: the block's 16 pixels lie within the target's size; a row of 4 in the source begins with that of the
        // target's top row, or with that of its bottom row if mirrored. 16 bytes are 4 pixels.
        let from = unsafe source + x &* stepAlongRow + (isMirrored ? y &+ 3 : y) &* stepAlongColumn
        let a = unsafe from.loadUnaligned(as: Quad.self)
        let b = unsafe (from + stepAlongRow).loadUnaligned(as: Quad.self)
        let c = unsafe (from + 2 &* stepAlongRow).loadUnaligned(as: Quad.self)
        let d = unsafe (from + 3 &* stepAlongRow).loadUnaligned(as: Quad.self)
        let abLow = Quad(a[0], b[0], a[1], b[1])
        let abHigh = Quad(a[2], b[2], a[3], b[3])
        let cdLow = Quad(c[0], d[0], c[1], d[1])
        let cdHigh = Quad(c[2], d[2], c[3], d[3])
        let step = isMirrored ? 0 &- targetBytesPerRow : targetBytesPerRow
        let to = unsafe target + (isMirrored ? y &+ 3 : y) &* targetBytesPerRow + x &* 4
        // SAFETY: rows y ..< y + 4 of the target in either order, 16 bytes at column x of each.
        unsafe to.storeBytes(of: Quad(lowHalf: abLow.lowHalf, highHalf: cdLow.lowHalf), as: Quad.self)
        unsafe (to + step).storeBytes(of: Quad(lowHalf: abLow.highHalf, highHalf: cdLow.highHalf), as: Quad.self)
        unsafe (to + 2 &* step).storeBytes(of: Quad(lowHalf: abHigh.lowHalf, highHalf: cdHigh.lowHalf), as: Quad.self)
        unsafe (to + 3 &* step).storeBytes(of: Quad(lowHalf: abHigh.highHalf, highHalf: cdHigh.highHalf), as: Quad.self)
    }
}
#endif
