// Samples between pictures and subblocks: rows of pixels to samples, samples of planes to subblocks, levels to memory and back.

import ImageCodecsCore

#if !ReferenceKernels
/// Moves samples and levels.
package enum SampleGatheringKernels {
    /// Luma of a row of pixels.
    ///
    /// - Parameters:
    ///   - pixels: red, green, blue and alpha.
    ///   - count: of pixels.
    ///   - offset: where the first sample goes.
    package static func luma(_ pixels: RawSpan, count: Int, into plane: inout MutableRawSpan, at offset: Int) {
        precondition(count >= 0 && pixels.byteCount >= 4 * count && offset >= 0 && offset + count <= plane.byteCount)
        unsafe pixels.withUnsafeBytes { pixels in
            unsafe plane.withUnsafeMutableBytes { plane in
                for x in 0..<count {
                    // SAFETY: `x < count`, and both have as many (checked above).
                    let pixel = unsafe pixels.loadUnaligned(fromByteOffset: 4 &* x, as: UInt32.self)
                    let (r, g, b) = (Int32(pixel & 255), Int32(pixel &>> 8 & 255), Int32(pixel &>> 16 & 255))
                    let sum = PlaneColors.luma(r, g, b)
                    unsafe plane.storeBytes(
                        of: UInt8(truncatingIfNeeded: sum), toByteOffset: offset &+ x, as: UInt8.self)
                }
            }
        }
    }

    /// Chroma of two rows of pixels.
    ///
    /// - Parameters:
    ///   - upper, lower: pixels.
    ///   - count: of pixels in each; the last one counts twice if that is odd.
    ///   - u, v: where the first samples go.
    package static func chroma(
        _ upper: RawSpan, _ lower: RawSpan, count: Int, into plane: inout MutableRawSpan, u: Int, v: Int
    ) {
        let half = (count + 1) / 2
        precondition(count > 0 && upper.byteCount >= 4 * count && lower.byteCount >= 4 * count)
        precondition(min(u, v) >= 0 && max(u, v) + half <= plane.byteCount)
        unsafe upper.withUnsafeBytes { upper in
            unsafe lower.withUnsafeBytes { lower in
                unsafe plane.withUnsafeMutableBytes { plane in
                    for x in 0..<half {
                        let (first, second) = (8 &* x, min(8 &* x &+ 4, 4 &* count &- 4))
                        // SAFETY: both pixels are among `count` (checked above).
                        let a = unsafe upper.loadUnaligned(fromByteOffset: first, as: UInt32.self)
                        let b = unsafe upper.loadUnaligned(fromByteOffset: second, as: UInt32.self)
                        let c = unsafe lower.loadUnaligned(fromByteOffset: first, as: UInt32.self)
                        let d = unsafe lower.loadUnaligned(fromByteOffset: second, as: UInt32.self)
                        // Sums of red and of blue side by side.
                        let m: UInt32 = 0x00FF_00FF
                        let ends = (a & m) &+ (b & m) &+ (c & m) &+ (d & m)
                        let middle = (a &>> 8 & 255) &+ (b &>> 8 & 255) &+ (c &>> 8 & 255) &+ (d &>> 8 & 255)
                        let (red, green, blue) = (Int32(ends & 0xFFFF), Int32(middle), Int32(ends &>> 16))
                        unsafe plane.storeBytes(
                            of: UInt8(truncatingIfNeeded: PlaneColors.u(red, green, blue)), toByteOffset: u &+ x,
                            as: UInt8.self)
                        unsafe plane.storeBytes(
                            of: UInt8(truncatingIfNeeded: PlaneColors.v(red, green, blue)), toByteOffset: v &+ x,
                            as: UInt8.self)
                    }
                }
            }
        }
    }

    /// Four subblocks side by side.
    ///
    /// - Parameters:
    ///   - offset: of the upper left sample.
    ///   - stride: from row to row.
    package static func fourBlocks(
        _ plane: RawSpan, at offset: Int, stride: Int
    ) -> (BlockSamples, BlockSamples, BlockSamples, BlockSamples) {
        precondition(offset >= 0 && stride >= 16 && offset + 3 * stride + 16 <= plane.byteCount)
        return unsafe plane.withUnsafeBytes { bytes in
            @inline(__always) func row(_ y: Int) -> SIMD4<UInt32> {
                // SAFETY: sixteen bytes of one of four rows (checked above).
                unsafe bytes.loadUnaligned(fromByteOffset: offset &+ y &* stride, as: SIMD4<UInt32>.self)
            }
            let (a, b, c, d) = (row(0), row(1), row(2), row(3))
            @inline(__always) func block(_ x: Int) -> BlockSamples {
                // SAFETY: four rows of four bytes are sixteen bytes.
                unsafe unsafeBitCast(SIMD4(a[x], b[x], c[x], d[x]), to: BlockSamples.self)
            }
            return (block(0), block(1), block(2), block(3))
        }
    }

    /// Two subblocks side by side.
    package static func twoBlocks(_ plane: RawSpan, at offset: Int, stride: Int) -> (BlockSamples, BlockSamples) {
        precondition(offset >= 0 && stride >= 8 && offset + 3 * stride + 8 <= plane.byteCount)
        return unsafe plane.withUnsafeBytes { bytes in
            @inline(__always) func row(_ y: Int) -> SIMD2<UInt32> {
                // SAFETY: eight bytes of one of four rows (checked above).
                unsafe bytes.loadUnaligned(fromByteOffset: offset &+ y &* stride, as: SIMD2<UInt32>.self)
            }
            let (a, b, c, d) = (row(0), row(1), row(2), row(3))
            // SAFETY: four rows of four bytes are sixteen bytes.
            return unsafe (
                unsafeBitCast(SIMD4(a[0], b[0], c[0], d[0]), to: BlockSamples.self),
                unsafeBitCast(SIMD4(a[1], b[1], c[1], d[1]), to: BlockSamples.self)
            )
        }
    }

    /// Stores the levels of a block.
    package static func store(_ levels: BlockValues, at index: Int, in memory: inout MutableRawSpan) {
        precondition(index >= 0 && 32 * index + 32 <= memory.byteCount)
        unsafe memory.withUnsafeMutableBytes { bytes in
            // SAFETY: 32 bytes (checked above).
            unsafe bytes.storeBytes(of: levels, toByteOffset: 32 &* index, as: BlockValues.self)
        }
    }

    /// The levels of a block.
    package static func load(at index: Int, from memory: RawSpan) -> BlockValues {
        precondition(index >= 0 && 32 * index + 32 <= memory.byteCount)
        // SAFETY: 32 bytes (checked above).
        return unsafe memory.withUnsafeBytes { bytes in
            unsafe bytes.loadUnaligned(fromByteOffset: 32 &* index, as: BlockValues.self)
        }
    }

    /// The rows of a subblock, four samples each, the first one lowest.
    @inline(__always)
    package static func rows(_ block: BlockSamples) -> SIMD4<UInt32> {
        // SAFETY: four rows of four bytes are sixteen bytes.
        unsafe unsafeBitCast(block, to: SIMD4<UInt32>.self)
    }

    /// A subblock of four rows.
    @inline(__always)
    package static func block(_ rows: SIMD4<UInt32>) -> BlockSamples {
        // SAFETY: as above.
        unsafe unsafeBitCast(rows, to: BlockSamples.self)
    }
}
#endif

/// From red, green and blue to luma and chroma, as decoders undo it.
///
/// - Source: ITU-R BT.601 in 65,536ths, with 219 and 224 levels
package enum PlaneColors {
    /// Luma of a pixel.
    @inline(__always)
    package static func luma(_ r: Int32, _ g: Int32, _ b: Int32) -> Int32 {
        (16839 &* r &+ 33059 &* g &+ 6420 &* b &+ 1_081_344) &>> 16
    }

    /// Chroma of four pixels, of which these are the sums.
    @inline(__always)
    package static func u(_ r: Int32, _ g: Int32, _ b: Int32) -> Int32 {
        (28800 &* b &- 9719 &* r &- 19081 &* g &+ 33_685_504) &>> 18
    }

    @inline(__always)
    package static func v(_ r: Int32, _ g: Int32, _ b: Int32) -> Int32 {
        (28800 &* r &- 24116 &* g &- 4684 &* b &+ 33_685_504) &>> 18
    }
}
