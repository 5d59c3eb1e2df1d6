// Chroma at half the size, fitted to the decoder's upsampling, in vectors.
//
// In: rows of chroma at full size, with 4 fractional bits. Between: rows at half the size with 5 fractional bits. Out: rows at
// half the size with 4. What is computed is written down in `ChromaFit`.

import ImageCodecsCore

#if !ReferenceKernels
package enum ChromaFitKernels {
    private typealias V = WordVectors

    /// Two reductions of two rows of full size: the mean of each 2x2 samples, and the adjoint of the upsampling.
    ///
    /// - Parameters:
    ///   - rows: Byte offsets of the rows 2i - 1 ... 2i + 2; a word before and three after the last are read.
    ///   - count: Words that are written, rounded up to a multiple of eight.
    ///   - box, adjoint: Where they are written.
    package static func reduce(
        rows: (Int, Int, Int, Int), count: Int, box: Int, adjoint: Int, in workspace: inout MutableRawSpan
    ) {
        let padded = (count + 7) & ~7
        precondition(min(rows.0, rows.1, rows.2, rows.3) >= 2 && min(box, adjoint) >= 0 && count >= 0)
        precondition(max(rows.0, rows.1, rows.2, rows.3) + 4 * padded + 4 <= workspace.byteCount)
        precondition(max(box, adjoint) + 2 * padded <= workspace.byteCount)
        unsafe workspace.withUnsafeMutableBytes { workspace in
            let base = workspace.baseAddress!
            var x = 0
            while x < count {
                // SAFETY: checked above: words -1 ... 2 padded + 1 of the rows, words up to `padded` of the results.
                let first = unsafe quarter(base, rows, 4 &* x, box: box)
                let second = unsafe quarter(base, rows, 4 &* x &+ 16, box: box)
                unsafe base.storeBytes(
                    of: V.pack(first.box, second.box), toByteOffset: box &+ 2 &* x, as: Words.self)
                unsafe base.storeBytes(
                    of: V.pack(first.adjoint, second.adjoint), toByteOffset: adjoint &+ 2 &* x, as: Words.self)
                x &+= 8
            }
        }
    }

    /// Four words of both reductions.
    @inline(__always)
    private static func quarter(
        _ base: UnsafeMutableRawPointer, _ rows: (Int, Int, Int, Int), _ offset: Int, box: Int
    ) -> (box: Longs, adjoint: Longs) {
        // SAFETY: forwarded.
        let (near, left) = unsafe (column(base, rows, offset &+ 2), column(base, rows, offset &- 2))
        let (upper, lower) = unsafe (
            base.loadUnaligned(fromByteOffset: rows.1 &+ offset, as: Words.self),
            base.loadUnaligned(fromByteOffset: rows.2 &+ offset, as: Words.self)
        )
        let mean = (multiplyAdd(upper &+ lower, V.pairs(1, 1)) &+ 1) &>> 1
        let sum = multiplyAdd(left, V.pairs(1, 3)) &+ multiplyAdd(near, V.pairs(3, 1))
        return (mean, (sum &+ 16) &>> 5)
    }

    /// Weights 1, 3, 3, 1 down.
    @inline(__always)
    private static func column(_ base: UnsafeMutableRawPointer, _ rows: (Int, Int, Int, Int), _ offset: Int) -> Words {
        // SAFETY: forwarded.
        let (a, b, c, d) = unsafe (
            base.loadUnaligned(fromByteOffset: rows.0 &+ offset, as: Words.self),
            base.loadUnaligned(fromByteOffset: rows.1 &+ offset, as: Words.self),
            base.loadUnaligned(fromByteOffset: rows.2 &+ offset, as: Words.self),
            base.loadUnaligned(fromByteOffset: rows.3 &+ offset, as: Words.self)
        )
        let middle = b &+ c
        return a &+ d &+ middle &+ (middle &<< 1)
    }

    /// The first correction of a row: 1.6 times what the upsampling's adjoint gives of its error.
    ///
    /// - Parameters:
    ///   - rows: Byte offsets of the means above, in and below the row; a word before and one after the last are read.
    ///   - room: Byte offset of a row between, with room for a word before and one after.
    package static func correction(
        rows: (Int, Int, Int), adjoint: Int, count: Int, room: Int, into result: Int, in workspace: inout MutableRawSpan
    ) {
        check(rows, count, room, result, adjoint, workspace.byteCount)
        unsafe workspace.withUnsafeMutableBytes { workspace in
            let base = workspace.baseAddress!
            // SAFETY: checked above.
            unsafe smoothDown(base, rows, count, room)
            var x = 0
            while x < count {
                let error =
                    unsafe base.loadUnaligned(fromByteOffset: adjoint &+ 2 &* x, as: Words.self)
                    &- smoothAcross(base, room &+ 2 &* x)
                unsafe base.storeBytes(
                    of: (error &<< 1) &- V.multiplyHigh(error, 26214), toByteOffset: result &+ 2 &* x, as: Words.self)
                x &+= 8
            }
        }
    }

    /// The fitted row: means, plus twice the first correction, less what that correction changes in the second.
    ///
    /// - Parameters:
    ///   - rows: Byte offsets of the corrections above, in and below the row, as for ``correction``.
    ///   - box: Byte offset of the means.
    package static func fitted(
        rows: (Int, Int, Int), box: Int, count: Int, room: Int, into result: Int, in workspace: inout MutableRawSpan
    ) {
        check(rows, count, room, result, box, workspace.byteCount)
        unsafe workspace.withUnsafeMutableBytes { workspace in
            let base = workspace.baseAddress!
            // SAFETY: checked above.
            unsafe smoothDown(base, rows, count, room)
            var x = 0
            while x < count {
                let smooth = unsafe smoothAcross(base, room &+ 2 &* x)
                let change = unsafe base.loadUnaligned(fromByteOffset: rows.1 &+ 2 &* x, as: Words.self) &- smooth
                let sum =
                    unsafe base.loadUnaligned(fromByteOffset: box &+ 2 &* x, as: Words.self) &+ (change &<< 1)
                    &+ V.multiplyHigh(smooth, 26214)
                unsafe base.storeBytes(
                    of: V.clamp((sum &+ 1) &>> 1, -2048, 2032), toByteOffset: result &+ 2 &* x, as: Words.self)
                x &+= 8
            }
        }
    }

    private static func check(
        _ rows: (Int, Int, Int), _ count: Int, _ room: Int, _ result: Int, _ other: Int, _ byteCount: Int
    ) {
        let padded = 2 * ((count + 7) & ~7)
        precondition(count >= 1 && min(rows.0, rows.1, rows.2) >= 2 && room >= 2 && min(result, other) >= 0)
        precondition(max(rows.0, rows.1, rows.2, room) + padded + 2 <= byteCount)
        precondition(max(result, other) + padded <= byteCount)
    }

    /// Weights 3/16, 10/16, 3/16 down; the words before the first and after the last are copies of those.
    @inline(__always)
    private static func smoothDown(_ base: UnsafeMutableRawPointer, _ rows: (Int, Int, Int), _ count: Int, _ room: Int)
    {
        var x = 0
        while x < count {
            // SAFETY: the caller's checks.
            let (above, here, below) = unsafe (
                base.loadUnaligned(fromByteOffset: rows.0 &+ 2 &* x, as: Words.self),
                base.loadUnaligned(fromByteOffset: rows.1 &+ 2 &* x, as: Words.self),
                base.loadUnaligned(fromByteOffset: rows.2 &+ 2 &* x, as: Words.self)
            )
            let smooth = here &+ V.multiplyHigh((above &+ below) &- (here &<< 1), 12288)
            unsafe base.storeBytes(of: smooth, toByteOffset: room &+ 2 &* x, as: Words.self)
            x &+= 8
        }
        // SAFETY: the caller's checks: a word before and one after.
        unsafe base.storeBytes(
            of: base.load(fromByteOffset: room, as: Int16.self), toByteOffset: room &- 2, as: Int16.self)
        unsafe base.storeBytes(
            of: base.load(fromByteOffset: room &+ 2 &* count &- 2, as: Int16.self), toByteOffset: room &+ 2 &* count,
            as: Int16.self)
    }

    /// Weights 3/16, 10/16, 3/16 across.
    @inline(__always)
    private static func smoothAcross(_ base: UnsafeMutableRawPointer, _ offset: Int) -> Words {
        // SAFETY: the caller's checks: a word before and one after.
        let (left, here, right) = unsafe (
            base.loadUnaligned(fromByteOffset: offset &- 2, as: Words.self),
            base.loadUnaligned(fromByteOffset: offset, as: Words.self),
            base.loadUnaligned(fromByteOffset: offset &+ 2, as: Words.self)
        )
        return here &+ V.multiplyHigh((left &+ right) &- (here &<< 1), 12288)
    }
}
#endif
