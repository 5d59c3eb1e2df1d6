// Inverse transforms: coefficients to residue, and residue added to what was predicted.
//
// Sums wrap at sixteen bits, as those of the vectors that encoders were tested with. Coefficients of real files are far
// from there; if a subblock has but a few, so that a decoder may do without vectors, hostile ones do not wrap.

import ImageCodecsCore

#if !ReferenceKernels
/// Inverse transforms of subblocks.
package enum TransformKernels {
    /// The second-order transform: sixteen Y2 coefficients to the DC coefficients of the luma subblocks.
    ///
    /// - Parameters:
    ///   - count: positions up to the last token; none but the first is looked at if that is 0 or 1.
    ///   - source: sixteen coefficients, which are set if `count` is more than 0.
    /// - Source: RFC 6386 section 14.3 "Implementation of the WHT Inversion"
    // SAFETY: the caller promises sixteen coefficients in both places.
    @unsafe @inline(__always)
    static func inverseWHT(_ source: UnsafePointer<Int16>, count: Int, into target: UnsafeMutablePointer<Int16>) {
        if count <= 1 {
            let dc = count == 0 ? 0 : unsafe (Int32(source[0]) &+ 3) &>> 3
            unsafe fill(target, Int16(truncatingIfNeeded: dc))
            return
        }
        unsafe wholeInverseWHT(source, into: target)
    }

    /// Sixteen times the same number.
    @unsafe @inline(__always)
    static func fill(_ block: UnsafeMutablePointer<Int16>, _ value: Int16) {
        let four = UInt64(UInt16(bitPattern: value)) &* 0x0001_0001_0001_0001
        let bytes = UnsafeMutableRawPointer(block)
        // SAFETY: sixteen numbers are 32 bytes.
        unsafe bytes.storeBytes(of: four, as: UInt64.self)
        unsafe bytes.storeBytes(of: four, toByteOffset: 8, as: UInt64.self)
        unsafe bytes.storeBytes(of: four, toByteOffset: 16, as: UInt64.self)
        unsafe bytes.storeBytes(of: four, toByteOffset: 24, as: UInt64.self)
    }

    @unsafe @inline(never)
    private static func wholeInverseWHT(_ source: UnsafePointer<Int16>, into target: UnsafeMutablePointer<Int16>) {
        let bytes = unsafe UnsafeRawPointer(source)
        @inline(__always) func row(_ index: Int) -> Longs {
            // SAFETY: four coefficients of sixteen.
            let words = unsafe bytes.loadUnaligned(fromByteOffset: 8 &* index, as: SIMD4<Int16>.self)
            return Longs(Int32(words[0]), Int32(words[1]), Int32(words[2]), Int32(words[3]))
        }
        let (r0, r1, r2, r3) = (row(0), row(1), row(2), row(3))
        let (a0, a1, a2, a3) = (r0 &+ r3, r1 &+ r2, r1 &- r2, r0 &- r3)
        unsafe storeLine(a0 &+ a1, target)
        unsafe storeLine(a3 &+ a2, target + 4)
        unsafe storeLine(a0 &- a1, target + 8)
        unsafe storeLine(a3 &- a2, target + 12)
    }

    /// The second dimension of the second-order transform for four of its sixteen numbers.
    // SAFETY: the caller promises room for four.
    @unsafe @inline(__always)
    private static func storeLine(_ c: Longs, _ target: UnsafeMutablePointer<Int16>) {
        let dc = c[0] &+ 3
        let (b0, b1, b2, b3) = (dc &+ c[3], c[1] &+ c[2], c[1] &- c[2], dc &- c[3])
        unsafe target[0] = Int16(truncatingIfNeeded: (b0 &+ b1) &>> 3)
        unsafe target[1] = Int16(truncatingIfNeeded: (b3 &+ b2) &>> 3)
        unsafe target[2] = Int16(truncatingIfNeeded: (b0 &- b1) &>> 3)
        unsafe target[3] = Int16(truncatingIfNeeded: (b3 &- b2) &>> 3)
    }

    /// The residue of two subblocks side by side: four rows, the left subblock in the low half of each.
    typealias Residue = (Words, Words, Words, Words)

    /// Transforms two subblocks.
    ///
    /// - Source: RFC 6386 section 14.4 "Implementation of the DCT Inversion"
    // SAFETY: the caller promises sixteen coefficients in both places.
    @unsafe @inline(__always)
    static func residue(_ left: UnsafePointer<Int16>, _ right: UnsafePointer<Int16>) -> Residue {
        let (l, r) = unsafe (UnsafeRawPointer(left), UnsafeRawPointer(right))
        // SAFETY: 32 bytes each.
        return unsafe residue(
            (l.loadUnaligned(as: Words.self), l.loadUnaligned(fromByteOffset: 16, as: Words.self)),
            (r.loadUnaligned(as: Words.self), r.loadUnaligned(fromByteOffset: 16, as: Words.self)))
    }

    /// The same for coefficients at hand: two rows and two more of each subblock.
    @inline(__always)
    static func residue(_ left: (Words, Words), _ right: (Words, Words)) -> Residue {
        let (l01, l23) = (asQuads(left.0), asQuads(left.1))
        let (r01, r23) = (asQuads(right.0), asQuads(right.1))
        let rows = pass(
            asWords(interleaveLow(l01, r01)), asWords(interleaveHigh(l01, r01)), asWords(interleaveLow(l23, r23)),
            asWords(interleaveHigh(l23, r23)))
        let turned = transposed(rows)
        let columns = pass(turned.0 &+ Words(repeating: 4), turned.1, turned.2, turned.3)
        let three = Words(repeating: 3)
        return transposed((columns.0 &>> three, columns.1 &>> three, columns.2 &>> three, columns.3 &>> three))
    }

    /// One dimension of the transform, eight columns at a time.
    @inline(__always)
    private static func pass(_ i0: Words, _ i1: Words, _ i2: Words, _ i3: Words) -> Residue {
        let (a, b) = (i0 &+ i2, i0 &- i2)
        let c = timesSine(i1) &- timesCosine(i3)
        let d = timesCosine(i1) &+ timesSine(i3)
        return (a &+ d, b &+ c, b &- c, a &- d)
    }

    /// sqrt(2) * cos(pi / 8) = 1 + 20091 / 65536.
    @inline(__always)
    static func timesCosine(_ a: Words) -> Words { multiplyHigh(a, Words(repeating: 20091)) &+ a }

    /// sqrt(2) * sin(pi / 8) = 35468 / 65536 = 1 - 30068 / 65536.
    @inline(__always)
    static func timesSine(_ a: Words) -> Words { multiplyHigh(a, Words(repeating: -30068)) &+ a }

    /// Transposes the two 4x4 halves.
    @inline(__always)
    static func transposed(_ r: Residue) -> Residue {
        // a00 a10 a01 a11 a02 a12 a03 a13, and so on.
        let ab0 = asLongs(interleaveLowWords(r.0, r.1))
        let cd0 = asLongs(interleaveLowWords(r.2, r.3))
        let ab1 = asLongs(interleaveHighWords(r.0, r.1))
        let cd1 = asLongs(interleaveHighWords(r.2, r.3))
        // Columns 0 and 1 of the left, then 2 and 3; the same of the right.
        let l01 = asQuads(interleaveLow(ab0, cd0))
        let l23 = asQuads(interleaveHigh(ab0, cd0))
        let r01 = asQuads(interleaveLow(ab1, cd1))
        let r23 = asQuads(interleaveHigh(ab1, cd1))
        return (
            asWords(interleaveLow(l01, r01)), asWords(interleaveHigh(l01, r01)),
            asWords(interleaveLow(l23, r23)), asWords(interleaveHigh(l23, r23))
        )
    }

    /// Adds the residue of two subblocks to eight columns of four rows.
    // SAFETY: the caller promises four rows of eight bytes, `stride` apart.
    @unsafe @inline(__always)
    static func add(_ residue: Residue, to target: UnsafeMutableRawPointer, stride: Int) {
        unsafe addRow(residue.0, target)
        unsafe addRow(residue.1, target + stride)
        unsafe addRow(residue.2, target + 2 &* stride)
        unsafe addRow(residue.3, target + 3 &* stride)
    }

    @unsafe @inline(__always)
    private static func addRow(_ residue: Words, _ target: UnsafeMutableRawPointer) {
        // SAFETY: eight bytes, which the caller promises.
        let row = asBytes(UnsignedQuads(unsafe target.loadUnaligned(as: UInt64.self), 0))
        let sum = packUnsigned(widenLow(row) &+ residue, Words(repeating: 0))
        unsafe target.storeBytes(of: asQuads(sum)[0], as: UInt64.self)
    }

    /// Four rows of four bytes, the first one's lowest.
    typealias FourRows = SIMD4<UInt32>

    /// Adds the residue of the left subblock to four rows.
    @inline(__always)
    static func addLeft(_ residue: Residue, to rows: FourRows) -> FourRows {
        let upper = asWords(interleaveLow(asQuads(residue.0), asQuads(residue.1)))
        let lower = asWords(interleaveLow(asQuads(residue.2), asQuads(residue.3)))
        return sum(upper, lower, rows)
    }

    /// Adds the residue of the right subblock to four rows.
    @inline(__always)
    static func addRight(_ residue: Residue, to rows: FourRows) -> FourRows {
        let upper = asWords(interleaveHigh(asQuads(residue.0), asQuads(residue.1)))
        let lower = asWords(interleaveHigh(asQuads(residue.2), asQuads(residue.3)))
        return sum(upper, lower, rows)
    }

    @inline(__always)
    private static func sum(_ upper: Words, _ lower: Words, _ rows: FourRows) -> FourRows {
        let bytes = unsafe unsafeBitCast(rows, to: Bytes16.self)
        let sum = packUnsigned(widenLow(bytes) &+ upper, widenHigh(bytes) &+ lower)
        return unsafe unsafeBitCast(sum, to: FourRows.self)
    }

    /// Whether sums of a subblock with up to three coefficients might leave sixteen bits.
    // SAFETY: the caller promises sixteen coefficients.
    @unsafe @inline(__always)
    static func isLarge(_ block: UnsafePointer<Int16>) -> Bool {
        // 8191 + 4 + 2 * 10702 is less than 2^15.
        let (a, b, c) = unsafe (Int32(block[0]), Int32(block[1]), Int32(block[4]))
        return UInt32(bitPattern: (a &+ 8192) | (b &+ 8192) | (c &+ 8192)) >= 16384
    }

    /// Adds the residue of a subblock with up to three coefficients, whose sums do not wrap, to four columns of four rows.
    // SAFETY: the caller promises sixteen coefficients, and four rows of four bytes, `stride` apart.
    @unsafe @inline(never)
    static func addShort(_ block: UnsafePointer<Int16>, to target: UnsafeMutableRawPointer, stride: Int) {
        let (dc, right, down) = unsafe (Int32(block[0]) &+ 4, Int32(block[1]), Int32(block[4]))
        @inline(__always) func cosine(_ a: Int32) -> Int32 { ((a &* 20091) &>> 16) &+ a }
        @inline(__always) func sine(_ a: Int32) -> Int32 { (a &* 35468) &>> 16 }
        let across = Longs(cosine(right), sine(right), 0 &- sine(right), 0 &- cosine(right))
        let along = Longs(cosine(down), sine(down), 0 &- sine(down), 0 &- cosine(down))
        for y in 0..<4 {
            for x in 0..<4 {
                let offset = y &* stride &+ x
                // SAFETY: a byte of the four rows.
                let sample = unsafe Int32(target.load(fromByteOffset: offset, as: UInt8.self))
                let sum = sample &+ ((dc &+ across[x] &+ along[y]) &>> 3)
                unsafe target.storeBytes(of: UInt8(clamping: sum), toByteOffset: offset, as: UInt8.self)
            }
        }
    }
}
#endif
