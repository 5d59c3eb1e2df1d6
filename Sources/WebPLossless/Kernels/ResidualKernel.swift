// The predictor transform done: pixels in, differences from their predictions out, a stretch of a row at a time. Unlike undoing
// it, no pixel waits for the one before: all around it are known, so that four are done at once in every mode.
//
//     TL  T  TR        the row above
//      L  X            this row
//
// In memory the row above ends where this one begins, so TR of the last column is this row's first pixel, as the format has it.

/// Modes of the predictor transform, and what differences cost.
package protocol ResidualModes {}

extension ResidualModes {
    /// How many modes there are.
    package static var modeCount: Int { 14 }
    /// Pixels before and after the picture that may be read, and after differences that may be written over.
    package static var margin: Int { 4 }
}

#if !ReferenceKernels

/// Predictions of four pixels at once.
///
/// SAFETY, for all of it: `pixel` and `above` are followed by `count` pixels and four more, and preceded by one.
///
/// Source: RFC 9649 section 3.5.1 "Predictor Transform".
@unsafe
struct ResidualRun {
    let pixel: UnsafePointer<UInt32>
    let above: UnsafePointer<UInt32>
    let count: Int

    /// Calls `body` with the place and the differences of each four pixels.
    @inline(__always)
    func differences(_ mode: Int, _ body: (Int, PixelQuadBytes) -> Void) {
        switch mode {
        case 1: unsafe each(body) { (i) in unsafe left(i) }
        case 2: unsafe each(body) { (i) in unsafe top(i) }
        case 3: unsafe each(body) { (i) in unsafe topRight(i) }
        case 4: unsafe each(body) { (i) in unsafe topLeft(i) }
        case 5: unsafe each(body) { (i) in unsafe ByteLanes.mean(ByteLanes.mean(left(i), topRight(i)), top(i)) }
        case 6: unsafe each(body) { (i) in unsafe ByteLanes.mean(left(i), topLeft(i)) }
        case 7: unsafe each(body) { (i) in unsafe ByteLanes.mean(left(i), top(i)) }
        case 8: unsafe each(body) { (i) in unsafe ByteLanes.mean(topLeft(i), top(i)) }
        case 9: unsafe each(body) { (i) in unsafe ByteLanes.mean(top(i), topRight(i)) }
        case 10:
            unsafe each(body) { (i) in
                unsafe ByteLanes.mean(ByteLanes.mean(left(i), topLeft(i)), ByteLanes.mean(top(i), topRight(i)))
            }
        case 11: unsafe each(body) { (i) in unsafe ByteLanes.select(left(i), top(i), topLeft(i)) }
        case 12:
            unsafe each(body) { (i) in
                unsafe ByteLanes.sum(left(i), top(i), less: topLeft(i))
            }
        case 13:
            unsafe each(body) { (i) in
                let middle = unsafe ByteLanes.mean(left(i), top(i))
                let corner = unsafe topLeft(i)
                let up = ByteLanes.half(ByteLanes.excess(middle, corner))
                let down = ByteLanes.half(ByteLanes.excess(corner, middle))
                return ByteLanes.excess(ByteLanes.limitedSum(middle, up), down)
            }
        default: unsafe each(body) { (_) in ByteLanes.opaqueBlack }
        }
    }

    @inline(__always)
    private func each(_ body: (Int, PixelQuadBytes) -> Void, _ prediction: (Int) -> PixelQuadBytes) {
        var i = 0
        while unsafe i < count {
            unsafe body(i, bytes(pixel + i) &- prediction(i))
            i &+= 4
        }
    }

    @inline(__always)
    private func bytes(_ pointer: UnsafePointer<UInt32>) -> PixelQuadBytes {
        unsafe UnsafeRawPointer(pointer).loadUnaligned(as: PixelQuadBytes.self)
    }

    @inline(__always) private func left(_ i: Int) -> PixelQuadBytes { unsafe bytes(pixel + (i &- 1)) }
    @inline(__always) private func top(_ i: Int) -> PixelQuadBytes { unsafe bytes(above + i) }
    @inline(__always) private func topRight(_ i: Int) -> PixelQuadBytes { unsafe bytes(above + (i &+ 1)) }
    @inline(__always) private func topLeft(_ i: Int) -> PixelQuadBytes { unsafe bytes(above + (i &- 1)) }
}

/// Arithmetic with the bytes of four pixels.
private enum ByteLanes {
    /// What mode 0 predicts.
    static let opaqueBlack = PixelQuadBytes(0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255)

    /// The means of all channels, rounded down.
    @inline(__always)
    static func mean(_ a: PixelQuadBytes, _ b: PixelQuadBytes) -> PixelQuadBytes { (a & b) &+ half(a ^ b) }

    @inline(__always)
    static func half(_ a: PixelQuadBytes) -> PixelQuadBytes {
        let words = unsafe unsafeBitCast(a, to: PixelQuad.self)
        let halves = (words &>> PixelQuad(repeating: 1)) & PixelQuad(repeating: 0x7F7F_7F7F)
        return unsafe unsafeBitCast(halves, to: PixelQuadBytes.self)
    }

    @inline(__always)
    static func smaller(_ a: PixelQuadBytes, _ b: PixelQuadBytes) -> PixelQuadBytes {
        a.replacing(with: b, where: b .< a)
    }

    /// `a - b`, at least 0.
    @inline(__always)
    static func excess(_ a: PixelQuadBytes, _ b: PixelQuadBytes) -> PixelQuadBytes { a &- smaller(a, b) }

    /// `a + b`, at most 255.
    @inline(__always)
    static func limitedSum(_ a: PixelQuadBytes, _ b: PixelQuadBytes) -> PixelQuadBytes { a &+ smaller(b, ~a) }

    /// `a + b - c`, limited to what a byte holds: of what `b` and `c` differ by, one part is zero.
    @inline(__always)
    static func sum(_ a: PixelQuadBytes, _ b: PixelQuadBytes, less c: PixelQuadBytes) -> PixelQuadBytes {
        excess(limitedSum(a, excess(b, c)), excess(c, b))
    }

    /// Mode 11: L if T is nearer to TL than L is, else T.
    @inline(__always)
    static func select(_ l: PixelQuadBytes, _ t: PixelQuadBytes, _ tl: PixelQuadBytes) -> PixelQuadBytes {
        let fromTop = channelSums((t &- tl).replacing(with: tl &- t, where: t .< tl))
        let fromLeft = channelSums((l &- tl).replacing(with: tl &- l, where: l .< tl))
        // Sums have ten bits: the sign of their difference spreads over the pixel.
        let takesLeft = (fromTop &- fromLeft) &>> SIMD4<Int32>(repeating: 31)
        let mask = unsafe unsafeBitCast(takesLeft, to: PixelQuadBytes.self)
        return t ^ ((t ^ l) & mask)
    }

    /// The sum of the channels of each pixel.
    @inline(__always)
    static func channelSums(_ a: PixelQuadBytes) -> SIMD4<Int32> {
        let words = unsafe unsafeBitCast(a, to: PixelQuad.self)
        let mask = PixelQuad(repeating: 0x00FF_00FF)
        let pairs = (words & mask) &+ ((words &>> PixelQuad(repeating: 8)) & mask)
        let sums = (pairs &+ (pairs &>> PixelQuad(repeating: 16))) & PixelQuad(repeating: 0xFFFF)
        return unsafe unsafeBitCast(sums, to: SIMD4<Int32>.self)
    }
}

package enum ResidualKernel: ResidualModes {
    /// Adds up, for each channel of a part of a row, how far its pixels are from what a mode predicts.
    ///
    /// - Parameters:
    ///   - pixels: the picture row by row, after ``margin`` pixels and before as many.
    ///   - width: of the picture.
    ///   - row: at least 1.
    ///   - columns: at least 1, at most 512 of them.
    ///   - sums: blue, green, red, alpha: sums of the lesser of each difference and 256 minus it.
    package static func addDistances(
        _ mode: Int, _ pixels: Span<UInt32>, width: Int, row: Int, columns: Range<Int>, to sums: inout SIMD4<UInt32>
    ) {
        let start = margin + row * width
        precondition(row > 0 && columns.lowerBound > 0 && columns.upperBound <= width && columns.count <= 512)
        precondition(start + columns.upperBound + margin <= pixels.count, "pixels that are missing")
        unsafe pixels.withUnsafeBufferPointer { pixels in
            // SAFETY: as many pixels as checked above.
            let pixel = unsafe pixels.baseAddress! + (start + columns.lowerBound)
            let run = unsafe ResidualRun(pixel: pixel, above: pixel - width, count: columns.count)
            // Sixteen bits hold 128 distances of at most 128 each, of each fourth pixel.
            var even = SIMD8<UInt16>()
            var odd = SIMD8<UInt16>()
            let whole = columns.count & ~3
            unsafe run.differences(mode) { i, bytes in
                let negated = PixelQuadBytes() &- bytes
                var distance = bytes.replacing(with: negated, where: negated .< bytes)
                if i >= whole { distance = masked(distance, count: columns.count &- i) }
                let words = unsafe unsafeBitCast(distance, to: SIMD8<UInt16>.self)
                even &+= words & SIMD8(repeating: 0xFF)
                odd &+= words &>> SIMD8(repeating: 8)
            }
            sums &+= SIMD4(
                UInt32(even[0]) &+ UInt32(even[2]) &+ UInt32(even[4]) &+ UInt32(even[6]),
                UInt32(odd[0]) &+ UInt32(odd[2]) &+ UInt32(odd[4]) &+ UInt32(odd[6]),
                UInt32(even[1]) &+ UInt32(even[3]) &+ UInt32(even[5]) &+ UInt32(even[7]),
                UInt32(odd[1]) &+ UInt32(odd[3]) &+ UInt32(odd[5]) &+ UInt32(odd[7]))
        }
    }

    /// The first `count` pixels, the others zero.
    @inline(__always)
    private static func masked(_ bytes: PixelQuadBytes, count: Int) -> PixelQuadBytes {
        let mask = PixelQuad(
            ~0, count > 1 ? ~0 : 0, count > 2 ? ~0 : 0, count > 3 ? ~0 : 0)
        return unsafe unsafeBitCast(unsafeBitCast(bytes, to: PixelQuad.self) & mask, to: PixelQuadBytes.self)
    }

    /// Writes the differences of a part of a row.
    ///
    /// - Parameters:
    ///   - pixels: the picture row by row, after ``margin`` pixels and before as many.
    ///   - width: of the picture.
    ///   - row: at least 1.
    ///   - columns: at least 1.
    ///   - target: gets as many pixels, and ``margin`` that mean nothing.
    package static func write(
        _ mode: Int, _ pixels: Span<UInt32>, width: Int, row: Int, columns: Range<Int>,
        to target: inout MutableSpan<UInt32>, at index: Int
    ) {
        let start = margin + row * width
        precondition(row > 0 && columns.lowerBound > 0 && columns.upperBound <= width)
        precondition(start + columns.upperBound + margin <= pixels.count, "pixels that are missing")
        precondition(index >= 0 && index + columns.count + margin <= target.count, "no room")
        unsafe pixels.withUnsafeBufferPointer { pixels in
            unsafe target.withUnsafeMutableBufferPointer { target in
                // SAFETY: as many pixels as checked above; up to three more are written than there are columns.
                let pixel = unsafe pixels.baseAddress! + (start + columns.lowerBound)
                let output = unsafe target.baseAddress! + index
                let run = unsafe ResidualRun(pixel: pixel, above: pixel - width, count: columns.count)
                unsafe run.differences(mode) { i, bytes in
                    unsafe UnsafeMutableRawPointer(output + i).storeBytes(of: bytes, as: PixelQuadBytes.self)
                }
            }
        }
    }
}
#endif
