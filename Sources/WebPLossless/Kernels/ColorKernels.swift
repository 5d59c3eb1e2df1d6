// The color transform and the subtract-green transform undone, four pixels at a time.

enum ColorKernel {
    /// Pixels that there have to be behind the rows.
    static let margin = 4

    /// Adds to red and blue what green says about them, and to blue what red says.
    ///
    /// Source: RFC 9649 section 3.5.2 "Color Transform".
    ///
    /// - Parameters:
    ///   - source: pixels, row by row from index `first` on, and ``margin`` more.
    ///   - target: the rows that are written, from index `start` on, and ``margin`` more.
    ///   - factors: of the blocks: green to red, green to blue, red to blue, from the lowest byte on.
    ///   - firstRow: of the rows, in the picture.
    static func undo(
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

    /// SAFETY: `count` pixels and three more behind them lie in both; what is written behind is written again, or not read.
    @inline(__always)
    private static func undoStretch(
        _ source: UnsafePointer<UInt32>, _ target: UnsafeMutablePointer<UInt32>, _ count: Int, _ factors: UInt32
    ) {
        // A factor is a signed byte, in 32nds. With one operand in the high byte the upper half of a product by eight times
        // the factor is the product shifted by five, rounded down.
        let greenToRed = Int16(Int8(truncatingIfNeeded: factors)) &<< 3
        let greenToBlue = Int16(Int8(truncatingIfNeeded: factors &>> 8)) &<< 3
        let redToBlue = Int16(Int8(truncatingIfNeeded: factors &>> 16)) &<< 3
        let byGreen = PixelLanes(
            greenToBlue, greenToRed, greenToBlue, greenToRed, greenToBlue, greenToRed, greenToBlue, greenToRed)
        let byRed = PixelLanes(redToBlue, 0, redToBlue, 0, redToBlue, 0, redToBlue, 0)
        let low = FourPixels(repeating: 0x00FF_00FF)
        var i = 0
        while i < count {
            let pixels = unsafe loadFour(source + i)
            let green = pixels & FourPixels(repeating: 0xFF00)
            let greens = unsafe unsafeBitCast(green | (green &<< FourPixels(repeating: 16)), to: PixelLanes.self)
            let first = unsafe unsafeBitCast(multiplyHigh(greens, byGreen), to: FourPixels.self) & low
            let sum = addBytes(pixels, first)
            // Red, which is done, in the high byte of the low half.
            let red = (sum &>> FourPixels(repeating: 8)) & FourPixels(repeating: 0xFF00)
            let reds = unsafe unsafeBitCast(red, to: PixelLanes.self)
            let second = unsafe unsafeBitCast(multiplyHigh(reds, byRed), to: FourPixels.self)
            unsafe storeFour(addBytes(sum, second & FourPixels(repeating: 0xFF)), target + i)
            i &+= 4
        }
    }

    /// Adds green to red and blue.
    ///
    /// Source: RFC 9649 section 3.5.3 "Subtract Green Transform".
    ///
    /// - Parameters:
    ///   - source: pixels from index `first` on, and ``margin`` more.
    ///   - target: pixels that are written, from index `start` on, and ``margin`` more.
    static func addGreen(
        _ source: Span<UInt32>, from first: Int, _ target: inout MutableSpan<UInt32>, at start: Int, count: Int
    ) {
        precondition(first >= 0 && count >= 0 && source.count - first >= count + margin, "too few pixels")
        precondition(start >= 0 && target.count - start >= count + margin, "too few pixels")
        unsafe source.withUnsafeBufferPointer { source in
            unsafe target.withUnsafeMutableBufferPointer { target in
                guard let input = source.baseAddress, let output = target.baseAddress else { return }
                var i = 0
                // SAFETY: up to three pixels of the margin behind `count` are read and written.
                while i < count {
                    let pixels = unsafe loadFour(input + (first &+ i))
                    let green = (pixels &>> FourPixels(repeating: 8)) & FourPixels(repeating: 0xFF)
                    let both = green | (green &<< FourPixels(repeating: 16))
                    unsafe storeFour(addBytes(pixels, both), output + (start &+ i))
                    i &+= 4
                }
            }
        }
    }
}
