// Linear light to the colours that SSIMULACRA 2 compares, and what two pictures of them have in common.

import ImageCodecsCore

#if !ReferenceKernels
private typealias Four = SIMD4<Float>

/// The loops from light to colours, and from blurred colours to differences.
package enum PerceptionKernels {
    /// Writes the colours of a row of both pictures, and for some channels the sums of their squares and the squares of their difference.
    ///
    /// Columns after the last become zero, up to a multiple of four.
    ///
    /// - Parameters:
    ///   - light: the place of the first of six rows: red, green, blue of one picture, then of the other.
    ///   - stride: from one of these to the next; at least `count` rounded up to a multiple of four.
    ///   - count: columns.
    ///   - target: the place of the first of twelve rows; see ``LookPlane``.
    ///   - targetStride: from one of these to the next; as `stride`.
    ///   - products: the channels whose third and fourth rows are written.
    package static func writeColors(
        _ memory: inout MutableRawSpan, light: Int, stride: Int, count: Int, to target: Int, targetStride: Int,
        products: LookChannels
    ) {
        let whole = (count + 3) & ~3
        precondition(count > 0 && whole <= stride && whole <= targetStride, "row too short")
        let total = memory.byteCount / 4
        precondition(light >= 0 && light <= total && 6 * stride <= total - light, "outside of the block")
        precondition(
            target >= 0 && target <= total && 11 * targetStride + whole <= total - target, "outside of the block")
        unsafe memory.withUnsafeMutableBytes { memory in
            // SAFETY: checked above: six rows of `stride` numbers, and twelve of at least `whole`.
            guard let from = unsafe LookKernels.floats(memory, light),
                let to = unsafe LookKernels.floats(memory, target)
            else { return }
            for first in Swift.stride(from: 0, to: whole, by: 4) {
                let one = unsafe colors(
                    LookKernels.load(from, first), LookKernels.load(from, first &+ stride),
                    LookKernels.load(from, first &+ 2 &* stride))
                let other = unsafe colors(
                    LookKernels.load(from, first &+ 3 &* stride), LookKernels.load(from, first &+ 4 &* stride),
                    LookKernels.load(from, first &+ 5 &* stride))
                let row = unsafe to + first
                unsafe store(one.x, other.x, row, targetStride, products.contains(.x))
                unsafe store(
                    one.y, other.y, row + 4 &* targetStride, targetStride, products.contains(.y))
                unsafe store(
                    one.b, other.b, row + 8 &* targetStride, targetStride, products.contains(.b))
            }
            for row in 0..<12 {
                for x in count..<whole { unsafe to[row * targetStride + x] = 0 }
            }
        }
    }

    // SAFETY: the caller has checked that four numbers follow in four rows.
    @inline(__always)
    private static func store(
        _ one: Four, _ other: Four, _ row: UnsafeMutablePointer<Float>, _ stride: Int, _ products: Bool
    ) {
        unsafe LookKernels.store(one, row, 0)
        unsafe LookKernels.store(other, row, stride)
        guard products else { return }
        let difference = one - other
        unsafe LookKernels.store(one * one + other * other, row, 2 &* stride)
        unsafe LookKernels.store(difference * difference, row, 3 &* stride)
    }

    /// One for the first lanes, zero for the others.
    @inline(__always)
    private static func mask(_ count: Int) -> Four {
        count >= 4 ? Four(repeating: 1) : Four(1, count > 1 ? 1 : 0, count > 2 ? 1 : 0, 0)
    }

    @inline(__always)
    private static func colors(_ red: Four, _ green: Four, _ blue: Four) -> (x: Four, y: Four, b: Four) {
        let l = red * LookFormulas.long.x + green * LookFormulas.long.y + blue * LookFormulas.long.z
        let m = red * LookFormulas.medium.x + green * LookFormulas.medium.y + blue * LookFormulas.medium.z
        let s = red * LookFormulas.short.x + green * LookFormulas.short.y + blue * LookFormulas.short.z
        return LookFormulas.opponents(cubeRoots(l), cubeRoots(m), cubeRoots(s))
    }

    /// Cube roots of numbers in 0...1 to which the bias is added.
    @inline(__always)
    private static func cubeRoots(_ values: Four) -> Four {
        let x = values + LookFormulas.bias
        let guess = LookFormulas.inverseRootBits(unsafe unsafeBitCast(x, to: SIMD4<UInt32>.self))
        return LookFormulas.cubeRoots(of: x, near: unsafe unsafeBitCast(guess, to: Four.self))
    }

    /// Adds up the differences of one row.
    ///
    /// - Parameters:
    ///   - first: the place of the row of one picture.
    ///   - second: that of the other's.
    ///   - blurred: the place of the first of four rows, or two, of blurred numbers: of the two pictures, the sum of their squares and the
    ///     squares of their difference.
    ///   - stride: from one of these to the next.
    ///   - count: columns.
    ///   - hasProducts: whether there are four.
    package static func sums(
        _ memory: RawSpan, first: Int, second: Int, blurred: Int, stride: Int, count: Int,
        hasProducts: Bool
    ) -> LookSums {
        let total = memory.byteCount / 4
        let whole = (count + 3) & ~3
        precondition(count > 0 && first >= 0 && second >= 0 && blurred >= 0 && stride >= 0, "outside of the block")
        precondition(max(first, second) <= total && whole <= total - max(first, second), "outside of the block")
        precondition(blurred <= total && 3 * stride + whole <= total - blurred, "outside of the block")
        return unsafe memory.withUnsafeBytes { memory in
            guard let base = memory.baseAddress else { return LookSums() }
            // SAFETY: checked above: `whole` numbers from the first two places on, and from the others.
            return unsafe sums(
                base + 4 * first, base + 4 * second, base + 4 * blurred, 4 * stride, count, hasProducts)
        }
    }

    private static func sums(
        _ first: UnsafeRawPointer, _ second: UnsafeRawPointer, _ blurred: UnsafeRawPointer, _ stride: Int, _ count: Int,
        _ hasProducts: Bool
    ) -> LookSums {
        var sums = LookVectorSums()
        var x = 0
        while x < count {
            let at = unsafe blurred + 4 &* x
            let one = unsafe at.loadUnaligned(as: Four.self)
            let other = unsafe (at + stride).loadUnaligned(as: Four.self)
            let edges = LookFormulas.edgeChange(
                unsafe LookKernels.magnitude((first + 4 &* x).loadUnaligned(as: Four.self) - one),
                unsafe LookKernels.magnitude((second + 4 &* x).loadUnaligned(as: Four.self) - other))
            var structure = Four()
            if hasProducts {
                let squares = unsafe (at + 2 &* stride).loadUnaligned(as: Four.self)
                let differences = unsafe (at + 3 &* stride).loadUnaligned(as: Four.self)
                structure = LookFormulas.structureLoss(one, other, squares, differences)
            }
            if x &+ 4 <= count {
                sums.add(structure, LookKernels.magnitude(structure), edges, LookKernels.magnitude(edges))
            } else {
                let mask = mask(count &- x)
                let (structure, edges) = (structure * mask, edges * mask)
                sums.add(structure, LookKernels.magnitude(structure), edges, LookKernels.magnitude(edges))
            }
            x &+= 4
        }
        return sums.total
    }
}
#endif
