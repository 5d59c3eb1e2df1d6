// The color transform and the subtract-green transform undone, four pixels at a time.

/// Rows of pixels that colors are undone in.
package protocol ColorRows {}

extension ColorRows {
    /// Pixels that there have to be after the rows.
    package static var margin: Int { 4 }
}

#if !ReferenceKernels
package enum ColorKernel: ColorRows {
    /// Adds to red and blue what green says about them, and to blue what red says.
    ///
    /// Source: RFC 9649 section 3.5.2 "Color Transform".
    ///
    /// - Parameters:
    ///   - source: pixels, row by row from index `first` on, and ``margin`` more.
    ///   - target: the rows that are written, from index `start` on, and ``margin`` more.
    ///   - factors: of the blocks: green to red, green to blue, red to blue, from the lowest byte on.
    ///   - firstRow: of the rows, in the picture.
    package static func undo(
        _ source: Span<UInt32>, from first: Int, _ target: inout MutableSpan<UInt32>, at start: Int, width: Int,
        firstRow: Int, rowCount: Int, factors: Span<UInt32>, sizeBits: Int
    ) {
        let blocksPerRow = (width + (1 << sizeBits) - 1) >> sizeBits
        precondition(first >= 0 && width > 0 && rowCount >= 0 && source.count - first >= width * rowCount + margin)
        precondition(start >= 0 && target.count - start >= width * rowCount + margin, "too few pixels")
        precondition(rowCount == 0 || factors.count >= ((firstRow + rowCount - 1) >> sizeBits + 1) * blocksPerRow)
        unsafe source.withUnsafeBufferPointer { source in
            unsafe target.withUnsafeMutableBufferPointer { target in
                unsafe factors.withUnsafeBufferPointer { factors in
                    // SAFETY: as large as checked above, so none is empty.
                    guard let input = source.baseAddress, let output = target.baseAddress,
                        let factors = factors.baseAddress
                    else { return }
                    for row in 0..<rowCount {
                        let rowFactors = unsafe factors + ((firstRow + row) >> sizeBits) * blocksPerRow
                        var x = 0
                        while x < width {
                            let end = min(x + 1 << sizeBits, width)
                            unsafe undoStretch(
                                input + (first + row * width + x), output + (start + row * width + x), end - x,
                                rowFactors[x >> sizeBits])
                            x = end
                        }
                    }
                }
            }
        }
    }

    /// SAFETY: `count` pixels and three more after them lie in both; what is written after is written again, or not read.
    @inline(__always)
    private static func undoStretch(
        _ source: UnsafePointer<UInt32>, _ target: UnsafeMutablePointer<UInt32>, _ count: Int, _ factors: UInt32
    ) {
        guard factors & 0xFF_FFFF != 0 else {
            unsafe target.update(from: source, count: count)
            return
        }
        // A factor is a signed byte, in 32nds: a product has at most fifteen bits.
        let greenToRed = Int16(Int8(truncatingIfNeeded: factors))
        let greenToBlue = Int16(Int8(truncatingIfNeeded: factors &>> 8))
        let redToBlue = Int16(Int8(truncatingIfNeeded: factors &>> 16))
        let byGreen = PixelLanes(
            greenToBlue, greenToRed, greenToBlue, greenToRed, greenToBlue, greenToRed, greenToBlue, greenToRed)
        // Zero, but the compiler does not know it: it would take products of nothing apart, one lane at a time.
        let nothing = Int16(truncatingIfNeeded: count &>> 32)
        let byRed = PixelLanes(redToBlue, nothing, redToBlue, nothing, redToBlue, nothing, redToBlue, nothing)
        let low = PixelQuad(repeating: 0x00FF_00FF)
        var i = 0
        while i < count {
            let pixels = unsafe loadFour(source + i)
            // Green, with its sign, in both halves of a pixel: that of blue and that of red.
            let green = signedHighBytes(pixels) & PixelQuad(repeating: 0xFFFF)
            let first = scaled(green | (green &<< PixelQuad(repeating: 16)), byGreen) & low
            let sum = addBytes(pixels, first)
            // Red, which is done, with its sign in the half of blue; in the other half, which counts for nothing, blue.
            let turned = (sum &>> PixelQuad(repeating: 8)) | (sum &<< PixelQuad(repeating: 24))
            let red = signedHighBytes(turned)
            let second = scaled(red, byRed) & low
            unsafe storeFour(addBytes(sum, second), target + i)
            i &+= 4
        }
    }

    /// The upper byte of each half of the pixels, as a signed number of sixteen bits.
    @inline(__always)
    private static func signedHighBytes(_ pixels: PixelQuad) -> PixelQuad {
        let halves = unsafe unsafeBitCast(pixels, to: PixelLanes.self) &>> PixelLanes(repeating: 8)
        return unsafe unsafeBitCast(halves, to: PixelQuad.self)
    }

    /// The halves times the factors, in 32nds, rounded down.
    @inline(__always)
    private static func scaled(_ pixels: PixelQuad, _ factors: PixelLanes) -> PixelQuad {
        let products = unsafe (unsafeBitCast(pixels, to: PixelLanes.self) &* factors) &>> PixelLanes(repeating: 5)
        return unsafe unsafeBitCast(products, to: PixelQuad.self)
    }

    /// Adds green to red and blue.
    ///
    /// Source: RFC 9649 section 3.5.3 "Subtract Green Transform".
    ///
    /// - Parameters:
    ///   - source: pixels from index `first` on, and ``margin`` more.
    ///   - target: pixels that are written, from index `start` on, and ``margin`` more.
    package static func addGreen(
        _ source: Span<UInt32>, from first: Int, _ target: inout MutableSpan<UInt32>, at start: Int, count: Int
    ) {
        precondition(first >= 0 && count >= 0 && source.count - first >= count + margin, "too few pixels")
        precondition(start >= 0 && target.count - start >= count + margin, "too few pixels")
        unsafe source.withUnsafeBufferPointer { source in
            unsafe target.withUnsafeMutableBufferPointer { target in
                guard let input = source.baseAddress, let output = target.baseAddress else { return }
                var i = 0
                // SAFETY: up to three pixels of the margin after `count` are read and written.
                while i < count {
                    let pixels = unsafe loadFour(input + (first &+ i))
                    let green = (pixels &>> PixelQuad(repeating: 8)) & PixelQuad(repeating: 0xFF)
                    let both = green | (green &<< PixelQuad(repeating: 16))
                    unsafe storeFour(addBytes(pixels, both), output + (start &+ i))
                    i &+= 4
                }
            }
        }
    }

    /// The green channel of some pixels, which is an alpha plane.
    ///
    /// - Parameters:
    ///   - source: four bytes a pixel.
    ///   - target: a byte for each.
    package static func extractGreen(_ source: RawSpan, _ target: inout MutableSpan<UInt8>) {
        precondition(source.byteCount >= 4 * target.count, "too few pixels")
        unsafe source.withUnsafeBytes { source in
            unsafe target.withUnsafeMutableBufferPointer { target in
                guard let input = source.baseAddress else { return }
                // SAFETY: there are four bytes in the source for each of the target.
                for x in 0..<target.count {
                    unsafe target[x] = input.load(fromByteOffset: 4 &* x &+ 1, as: UInt8.self)
                }
            }
        }
    }
}
#endif
