// The predictor transform undone: differences in, pixels out, a stretch of a row at a time.
//
//     TL  T  TR        the row above, which is done
//      L  X            this row: L is done, X is next
//
// If a prediction needs the row above alone, four pixels are done at once. If it needs L, each pixel waits for the one
// before: those chains are kept short, and in vector registers.

/// Rows of pixels that predictions are undone in.
package protocol PredictorRows {}

extension PredictorRows {
    /// Pixels that there have to be after the rows.
    package static var margin: Int { 4 }

    /// The sums of all channels.
    @inline(__always)
    static func addPixels(_ a: UInt32, _ b: UInt32) -> UInt32 {
        (((a & 0xFF00_FF00) &+ (b & 0xFF00_FF00)) & 0xFF00_FF00)
            | (((a & 0x00FF_00FF) &+ (b & 0x00FF_00FF)) & 0x00FF_00FF)
    }
}

#if !ReferenceKernels
/// The functions that compute the fourteen modes.
///
/// SAFETY, for all of it: `source` has `count` pixels and three more after them, as has `target`, which also has one in
/// front; `above` has one in front, `count`, and four after. `PredictorKernel` checks that once for all rows.
///
/// Source: RFC 9649 section 3.5.1 "Predictor Transform".
@unsafe
struct PredictorRun {
    let source: UnsafePointer<UInt32>
    let above: UnsafePointer<UInt32>
    let target: UnsafeMutablePointer<UInt32>
    let count: Int

    @inline(__always)
    func undo(_ mode: UInt8) {
        switch mode {
        case 1: unsafe addLeft()
        case 2: unsafe wide { (above) in unsafe loadFour(above) }
        case 3: unsafe wide { (above) in unsafe loadFour(above + 1) }
        case 4: unsafe wide { (above) in unsafe loadFour(above - 1) }
        case 5: unsafe chain { (l, above) in unsafe half(half(l &+ lanes(above + 1)) &+ lanes(above)) }
        case 6: unsafe chain { (l, above) in unsafe half(l &+ lanes(above - 1)) }
        case 7: unsafe chain { (l, above) in unsafe half(l &+ lanes(above)) }
        case 8: unsafe wide { (above) in unsafe meanBytes(loadFour(above - 1), loadFour(above)) }
        case 9: unsafe wide { (above) in unsafe meanBytes(loadFour(above), loadFour(above + 1)) }
        case 10:
            unsafe chain { (l, above) in
                let right = unsafe half(lanes(above) &+ lanes(above + 1))
                return unsafe half(half(l &+ lanes(above - 1)) &+ right)
            }
        case 11: unsafe gradient { (l, above) in unsafe select(l, lanes(above), lanes(above - 1)) }
        case 12: unsafe gradient { (l, above) in unsafe clamped(l &+ (lanes(above) &- lanes(above - 1))) }
        case 13:
            unsafe chain { (l, above) in
                let mean = unsafe half(l &+ lanes(above))
                let step = unsafe mean &- lanes(above - 1)
                // Half, towards zero.
                let isBelow = (step &>> PixelLanes(repeating: 15)) & PixelLanes(repeating: 1)
                return clamped(mean &+ ((step &+ isBelow) &>> PixelLanes(repeating: 1)))
            }
        // Mode 0, and 14 and 15, which are not defined.
        default: unsafe wide { (_) in PixelQuad(repeating: 0xFF00_0000) }
        }
    }

    /// Sums of channels have nine bits, so a shift is one of numbers without sign too.
    @inline(__always)
    private func half(_ a: PixelLanes) -> PixelLanes { a &>> PixelLanes(repeating: 1) }

    /// Predictions that do not need the pixel before; up to three pixels more are written.
    @inline(__always)
    private func wide(_ prediction: (UnsafePointer<UInt32>) -> PixelQuad) {
        var i = 0
        while unsafe i < count {
            unsafe storeFour(addBytes(loadFour(source + i), prediction(above + i)), target + i)
            i &+= 4
        }
    }

    /// Predictions that do.
    @inline(__always)
    private func chain(_ prediction: (PixelLanes, UnsafePointer<UInt32>) -> PixelLanes) {
        var left = unsafe lanes(target - 1)
        var i = 0
        while unsafe i < count {
            left = unsafe addLowBytes(prediction(left, above + i), lanes(source + i))
            unsafe target[i] = pixel(left)
            i &+= 1
        }
    }

    /// The same for predictions that are T if L is TL: with differences of zero X then is T, and so on to the right, so
    /// that the row above is copied. Drawn pictures have little else.
    @inline(__always)
    private func gradient(_ prediction: (PixelLanes, UnsafePointer<UInt32>) -> PixelLanes) {
        var left = unsafe lanes(target - 1)
        var i = 0
        while unsafe i < count {
            if unsafe areZero(loadFour(source + i)) && target[i &- 1] == above[i &- 1] {
                repeat {
                    unsafe storeFour(loadFour(above + i), target + i)
                    i &+= 4
                } while unsafe i < count && areZero(loadFour(source + i))
                // The same pixel in this row has just been written as a part of four: to read it now takes long.
                left = unsafe lanes(above + (i &- 1))
                continue
            }
            let end = unsafe min(i &+ 4, count)
            while i < end {
                left = unsafe addLowBytes(prediction(left, above + i), lanes(source + i))
                unsafe target[i] = pixel(left)
                i &+= 1
            }
        }
    }

    /// Mode 1: running sums, four at a time; up to three pixels more are written.
    @inline(__always)
    private func addLeft() {
        var left = unsafe PixelQuad(repeating: target[-1])
        var i = 0
        while unsafe i < count {
            var v = unsafe loadFour(source + i)
            v = addBytes(v, PixelQuad(0, v[0], v[1], v[2]))
            v = addBytes(v, PixelQuad(0, 0, v[0], v[1]))
            v = addBytes(v, left)
            unsafe storeFour(v, target + i)
            left = PixelQuad(repeating: v[3])
            i &+= 4
        }
    }

    /// Mode 11: L if T is nearer to TL than L is, else T.
    @inline(__always)
    private func select(_ l: PixelLanes, _ t: PixelLanes, _ tl: PixelLanes) -> PixelLanes {
        let fromTop = larger(t &- tl, tl &- t)
        // |L - TL| - |T - TL| in each channel, with as little as possible after L; then the sum of them in all four lanes.
        let d = larger(l &- (tl &+ fromTop), (tl &- fromTop) &- l)
        let pairs = d &+ PixelLanes(d[2], d[3], d[0], d[1], d[6], d[7], d[4], d[5])
        let sum =
            pairs
            &+ PixelLanes(
                pairs[1], pairs[0], pairs[3], pairs[2], pairs[4], pairs[5], pairs[6], pairs[7])
        // Above zero: L is farther from TL than T is.
        let takesLeft = (PixelLanes() &- sum) &>> PixelLanes(repeating: 15)
        return t ^ ((t ^ l) & takesLeft)
    }
}

package enum PredictorKernel: PredictorRows {
    /// Undoes the transform on some rows.
    ///
    /// - Parameters:
    ///   - source: differences, row by row from index `first` on, and ``margin`` more.
    ///   - target: the row above the first, which is not read if that is the picture's first; after it the rows that are
    ///     written, and ``margin`` more.
    ///   - modes: of the blocks.
    ///   - firstRow: of the rows, in the picture.
    package static func undo(
        _ source: Span<UInt32>, from first: Int, _ target: inout MutableSpan<UInt32>, width: Int, firstRow: Int,
        rowCount: Int, modes: Span<UInt8>, sizeBits: Int
    ) {
        let blocksPerRow = (width + (1 << sizeBits) - 1) >> sizeBits
        precondition(first >= 0 && width > 0 && rowCount >= 0 && source.count - first >= width * rowCount + margin)
        precondition(target.count >= width * (rowCount + 1) + margin, "too few pixels")
        precondition(rowCount == 0 || modes.count >= ((firstRow + rowCount - 1) >> sizeBits + 1) * blocksPerRow)
        unsafe source.withUnsafeBufferPointer { source in
            unsafe target.withUnsafeMutableBufferPointer { target in
                unsafe modes.withUnsafeBufferPointer { modes in
                    // SAFETY: as large as checked above, so none is empty.
                    guard var input = source.baseAddress, let above = target.baseAddress,
                        let modes = modes.baseAddress
                    else { return }
                    unsafe input += first
                    for row in 0..<rowCount {
                        let rowModes = unsafe modes + ((firstRow + row) >> sizeBits) * blocksPerRow
                        unsafe undoRow(
                            input + row * width, above + row * width, above + (row + 1) * width, width: width,
                            isFirst: firstRow + row == 0, modes: rowModes, sizeBits: sizeBits)
                    }
                }
            }
        }
    }

    private static func undoRow(
        _ source: UnsafePointer<UInt32>, _ above: UnsafePointer<UInt32>, _ target: UnsafeMutablePointer<UInt32>,
        width: Int, isFirst: Bool, modes: UnsafePointer<UInt8>, sizeBits: Int
    ) {
        // SAFETY: the row above is followed in memory by this one, whose first pixel is the last one's top right; before
        // column 1 there is column 0.
        let first = isFirst ? 0xFF00_0000 : unsafe above[0]
        unsafe target[0] = addPixels(source[0], first)
        var x = 1
        while x < width {
            let end = isFirst ? width : min(((x >> sizeBits) + 1) << sizeBits, width)
            let run = unsafe PredictorRun(source: source + x, above: above + x, target: target + x, count: end - x)
            unsafe run.undo(isFirst ? 1 : modes[x >> sizeBits])
            x = end
        }
    }
}
#endif
