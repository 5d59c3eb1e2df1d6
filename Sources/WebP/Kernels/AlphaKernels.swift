// Alpha at speed: filters undone, and alpha put into rows of pixels, eight or sixteen pixels at a time.
//
// Plain twins of all of these are in `AlphaKernelsReference`.

import ImageCodecsCore

#if !ReferenceKernels
/// What is done to rows of alpha.
package enum AlphaKernels {
    private typealias Eight = SIMD8<UInt8>
    private typealias Sixteen = SIMD16<UInt8>

    /// Adds to each byte from `start` on the one before it, as it has become.
    ///
    /// - Precondition: `start` is 1...`rows.count`.
    package static func addLeft(_ rows: inout MutableSpan<UInt8>, from start: Int) {
        let count = rows.count
        precondition(start > 0 && start <= count)
        unsafe rows.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            let bytes = UnsafeMutableRawPointer(base)
            var left = unsafe base[start - 1]
            var x = start
            // SAFETY: x + 8 <= count in the loop of eight, x < count after it.
            while x &+ 8 <= count {
                // Sums of one byte, two, four, eight; the sum in front is added to all of them.
                var sums = unsafe bytes.loadUnaligned(fromByteOffset: x, as: Eight.self)
                sums &+= moved(sums, by: 8)
                sums &+= moved(sums, by: 16)
                sums &+= moved(sums, by: 32)
                sums &+= Eight(repeating: left)
                unsafe bytes.storeBytes(of: sums, toByteOffset: x, as: Eight.self)
                left = sums[7]
                x &+= 8
            }
            while x < count {
                unsafe left &+= base[x]
                unsafe base[x] = left
                x &+= 1
            }
        }
    }

    /// Bytes moved up by a number of bits, with zeros after them.
    @inline(__always)
    private static func moved(_ bytes: Eight, by bitCount: UInt64) -> Eight {
        let word = unsafe UInt64(littleEndian: unsafeBitCast(bytes, to: UInt64.self))
        return unsafe unsafeBitCast((word &<< bitCount).littleEndian, to: Eight.self)
    }

    /// Adds the row above.
    ///
    /// - Parameter rows: the row above, and after it as many bytes of the row.
    package static func addAbove(_ rows: inout MutableSpan<UInt8>) {
        let width = rows.count / 2
        unsafe rows.withUnsafeMutableBufferPointer { buffer in
            guard let above = buffer.baseAddress else { return }
            let row = unsafe above + width
            var x = 0
            // SAFETY: x + 16 <= width in the loop of sixteen, x < width after it; both rows have `width` bytes.
            while x &+ 16 <= width {
                let (a, b) = unsafe (
                    UnsafeRawPointer(above + x).loadUnaligned(as: Sixteen.self),
                    UnsafeRawPointer(row + x).loadUnaligned(as: Sixteen.self)
                )
                unsafe UnsafeMutableRawPointer(row + x).storeBytes(of: a &+ b, as: Sixteen.self)
                x &+= 16
            }
            while x < width {
                unsafe row[x] = row[x] &+ above[x]
                x &+= 1
            }
        }
    }

    /// Adds left plus above minus above left, held to a byte; to the first pixel the one above.
    ///
    /// - Parameter rows: the row above, and after it as many bytes of the row.
    package static func addGradient(_ rows: inout MutableSpan<UInt8>) {
        let width = rows.count / 2
        guard width > 0 else { return }
        unsafe rows.withUnsafeMutableBufferPointer { buffer in
            guard let above = buffer.baseAddress else { return }
            // SAFETY: both rows have `width` bytes, x is less.
            let row = unsafe above + width
            var left = unsafe Int32(row[0] &+ above[0])
            unsafe row[0] = UInt8(truncatingIfNeeded: left)
            var corner = unsafe Int32(above[0])
            var x = 1
            while x < width {
                let next = unsafe Int32(above[x])
                let expected = min(max(left &+ (next &- corner), 0), 255)
                left = unsafe (expected &+ Int32(row[x])) & 255
                unsafe row[x] = UInt8(truncatingIfNeeded: left)
                corner = next
                x &+= 1
            }
        }
    }

    /// Copies a row of pixels, with other alpha.
    ///
    /// - Parameters:
    ///   - alpha: one byte a pixel.
    ///   - row: four bytes a pixel; the fourth is not looked at.
    ///   - target: receives them.
    /// - Precondition: `row` and `target` have four bytes for each of alpha, or more.
    package static func merge(_ alpha: RawSpan, with row: RawSpan, into target: inout MutableRawSpan) {
        let width = alpha.byteCount
        precondition(row.byteCount >= 4 * width && target.byteCount >= 4 * width, "another row")
        unsafe alpha.withUnsafeBytes { alpha in
            unsafe row.withUnsafeBytes { row in
                unsafe target.withUnsafeMutableBytes { target in
                    guard let alpha = alpha.baseAddress, let row = row.baseAddress,
                        let target = target.baseAddress
                    else { return }
                    var x = 0
                    // SAFETY: x + 16 <= width in the loop of sixteen, x < width after it.
                    while x &+ 16 <= width {
                        let levels = unsafe alpha.loadUnaligned(fromByteOffset: x, as: Sixteen.self)
                        unsafe merge(levels, row + 4 &* x, target + 4 &* x)
                        x &+= 16
                    }
                    while x < width {
                        let level = unsafe alpha.load(fromByteOffset: x, as: UInt8.self)
                        let color = unsafe UInt32(
                            littleEndian: row.loadUnaligned(fromByteOffset: 4 &* x, as: UInt32.self))
                        let pixel = color & 0xFF_FFFF | UInt32(level) &<< 24
                        unsafe target.storeBytes(of: pixel.littleEndian, toByteOffset: 4 &* x, as: UInt32.self)
                        x &+= 1
                    }
                }
            }
        }
    }

    /// Sixteen pixels.
    // SAFETY: the caller promises 64 bytes in both places.
    @unsafe @inline(__always)
    private static func merge(
        _ levels: Sixteen, _ row: UnsafeRawPointer, _ target: UnsafeMutableRawPointer
    ) {
        let none = Sixteen(repeating: 0)
        // Words with a level on top, then pixels.
        var (low, high) = (none, none)
        (low.oddHalf, high.oddHalf) = (levels.lowHalf, levels.highHalf)
        unsafe mergeEight(unsafeBitCast(low, to: SIMD8<UInt16>.self), row, target)
        unsafe mergeEight(unsafeBitCast(high, to: SIMD8<UInt16>.self), row + 32, target + 32)
    }

    @unsafe @inline(__always)
    private static func mergeEight(
        _ levels: SIMD8<UInt16>, _ row: UnsafeRawPointer, _ target: UnsafeMutableRawPointer
    ) {
        let first = SIMD8<UInt16>(0, levels[0], 0, levels[1], 0, levels[2], 0, levels[3])
        let second = SIMD8<UInt16>(0, levels[4], 0, levels[5], 0, levels[6], 0, levels[7])
        let colors = SIMD4<UInt32>(repeating: UInt32(0xFF_FFFF).littleEndian)
        // SAFETY: 32 bytes in both places.
        let (a, b) = unsafe (
            row.loadUnaligned(as: SIMD4<UInt32>.self), row.loadUnaligned(fromByteOffset: 16, as: SIMD4<UInt32>.self)
        )
        unsafe target.storeBytes(
            of: (a & colors) | unsafeBitCast(first, to: SIMD4<UInt32>.self), as: SIMD4<UInt32>.self)
        unsafe target.storeBytes(
            of: (b & colors) | unsafeBitCast(second, to: SIMD4<UInt32>.self), toByteOffset: 16,
            as: SIMD4<UInt32>.self)
    }
}
#endif
