// Loops of SSIMULACRA 2 over rows of numbers, four columns at a time.
//
// All rows of one comparison are in one block of memory: places are numbers of `Float` from its beginning. Only additions,
// multiplications and divisions of IEEE numbers are used, in a fixed order and never fused, so that every processor finds the
// same score. `LookKernelsReference` says the same without pointers.

import ImageCodecsCore

#if !ReferenceKernels
private typealias Four = SIMD4<Float>

/// The loops over one row, or two.
package enum LookKernels {
    /// Writes the linear light of a row of pixels: red, green and blue, each to a row of its own. The last column is repeated once.
    ///
    /// - Parameters:
    ///   - pixels: at least `count` pixels of four bytes: red, green, blue, and one that is not looked at.
    ///   - count: columns.
    ///   - place: of the first column of red.
    ///   - stride: from one row to the next; greater than `count`.
    package static func writeLight(
        of pixels: RawSpan, count: Int, in memory: inout MutableRawSpan, at place: Int, stride: Int
    ) {
        precondition(count > 0 && count < stride && count <= pixels.byteCount / 4, "row too short")
        checkPlaces(place, 3 * stride, in: memory)
        LookFormulas.light.withSpan { light in
            precondition(light.count == 256, "not one for each byte")
            unsafe light.withUnsafeBufferPointer { light in
                unsafe pixels.withUnsafeBytes { pixels in
                    unsafe memory.withUnsafeMutableBytes { memory in
                        // SAFETY: checked above: `count` pixels, 256 numbers, and three rows longer than `count`.
                        guard let pixels = pixels.baseAddress, let light = light.baseAddress,
                            let red = unsafe floats(memory, place)
                        else { return }
                        let (green, blue) = unsafe (red + stride, red + 2 &* stride)
                        for x in 0..<count {
                            let pixel = unsafe pixels.loadUnaligned(fromByteOffset: 4 &* x, as: UInt32.self)
                            unsafe red[x] = light[Int(pixel & 0xFF)]
                            unsafe green[x] = light[Int(pixel &>> 8 & 0xFF)]
                            unsafe blue[x] = light[Int(pixel &>> 16 & 0xFF)]
                        }
                        unsafe red[count] = red[count &- 1]
                        unsafe green[count] = green[count &- 1]
                        unsafe blue[count] = blue[count &- 1]
                    }
                }
            }
        }
    }

    /// Writes six rows of half the columns from twice six: the means of squares of four. The last column is repeated once.
    ///
    /// - Parameters:
    ///   - upper: the place of the first of six rows, whose last column is repeated if their number is odd.
    ///   - lower: that of the six rows below.
    ///   - stride: from one of these rows to the next; at least `2 * count + 7`.
    ///   - count: columns of the result.
    ///   - target: the place of the first row that is written.
    ///   - targetStride: from one of those to the next; at least `count + 4`.
    package static func halve(
        _ memory: inout MutableRawSpan, upper: Int, lower: Int, stride: Int, count: Int, to target: Int,
        targetStride: Int
    ) {
        precondition(count > 0 && 2 * count + 7 <= stride && count + 4 <= targetStride, "row too short")
        checkPlaces(upper, 6 * stride, in: memory)
        checkPlaces(lower, 6 * stride, in: memory)
        checkPlaces(target, 6 * targetStride, in: memory)
        let quarter = Four(repeating: 0.25)
        unsafe memory.withUnsafeMutableBytes { memory in
            for row in 0..<6 {
                // SAFETY: checked above: the last vectors end at most seven columns after the last, within the stride.
                guard let above = unsafe floats(memory, upper + row * stride),
                    let below = unsafe floats(memory, lower + row * stride),
                    let to = unsafe floats(memory, target + row * targetStride)
                else { return }
                var x = 0
                while x < count {
                    let left = unsafe load(above, 2 &* x) + load(below, 2 &* x)
                    let right = unsafe load(above, 2 &* x &+ 4) + load(below, 2 &* x &+ 4)
                    let both = SIMD8(lowHalf: left, highHalf: right)
                    unsafe store((both.evenHalf + both.oddHalf) * quarter, to, x)
                    x &+= 4
                }
                unsafe to[count] = to[count &- 1]
            }
        }
    }

    /// Adds the numbers of eleven rows of each column, weighed by a Gaussian; for two rows that follow each other.
    ///
    /// - Parameters:
    ///   - window: where the twelve rows are.
    ///   - column: the first column, relative to the places of the window's rows.
    ///   - count: columns, a multiple of four.
    ///   - target: the place of the first row that is written.
    ///   - second: that of the other.
    package static func blurColumns(
        _ memory: inout MutableRawSpan, _ window: LookWindow, column: Int, count: Int, to target: Int, second: Int
    ) {
        precondition(count >= 0 && count & 3 == 0, "no whole vectors")
        checkPlaces(target, count, in: memory)
        checkPlaces(second, count, in: memory)
        for row in 0..<12 { checkPlaces(window.place(row) + column, count, in: memory) }
        let weights = LookFormulas.gaussian
        let w0 = Four(repeating: weights.0)
        let w1 = Four(repeating: weights.1)
        let w2 = Four(repeating: weights.2)
        let w3 = Four(repeating: weights.3)
        let w4 = Four(repeating: weights.4)
        let w5 = Four(repeating: weights.5)
        unsafe memory.withUnsafeMutableBytes { memory in
            // SAFETY: checked above: `count` numbers are in the block from each place on.
            guard let a = unsafe floats(memory, window.place(0) + column),
                let b = unsafe floats(memory, window.place(1) + column),
                let c = unsafe floats(memory, window.place(2) + column),
                let d = unsafe floats(memory, window.place(3) + column),
                let e = unsafe floats(memory, window.place(4) + column),
                let f = unsafe floats(memory, window.place(5) + column),
                let g = unsafe floats(memory, window.place(6) + column),
                let h = unsafe floats(memory, window.place(7) + column),
                let i = unsafe floats(memory, window.place(8) + column),
                let j = unsafe floats(memory, window.place(9) + column),
                let k = unsafe floats(memory, window.place(10) + column),
                let l = unsafe floats(memory, window.place(11) + column),
                let upper = unsafe floats(memory, target), let lower = unsafe floats(memory, second)
            else { return }
            var x = 0
            while x < count {
                let vf = unsafe load(f, x)
                let vg = unsafe load(g, x)
                var first = vf * w0
                var other = vg * w0
                let ve = unsafe load(e, x)
                let vh = unsafe load(h, x)
                first += (ve + vg) * w1
                other += (vf + vh) * w1
                let vd = unsafe load(d, x)
                let vi = unsafe load(i, x)
                first += (vd + vh) * w2
                other += (ve + vi) * w2
                let vc = unsafe load(c, x)
                let vj = unsafe load(j, x)
                first += (vc + vi) * w3
                other += (vd + vj) * w3
                let vb = unsafe load(b, x)
                let vk = unsafe load(k, x)
                first += (vb + vj) * w4
                other += (vc + vk) * w4
                unsafe store(first + (load(a, x) + vk) * w5, upper, x)
                unsafe store(other + (vb + load(l, x)) * w5, lower, x)
                x &+= 4
            }
        }
    }

    /// Adds the eleven numbers around each of a row, weighed by a Gaussian.
    ///
    /// - Parameters:
    ///   - place: of the first number; five are before it and after the last.
    ///   - count: columns, a multiple of eight.
    ///   - target: the place of the first number that is written; none of those is read.
    package static func blurRow(_ memory: inout MutableRawSpan, at place: Int, count: Int, to target: Int) {
        precondition(count >= 0 && count & 7 == 0 && place >= 5, "no whole vectors")
        checkPlaces(place - 5, count + 10, in: memory)
        checkPlaces(target, count, in: memory)
        let weights = LookFormulas.gaussian
        let w0 = Four(repeating: weights.0)
        let w1 = Four(repeating: weights.1)
        let w2 = Four(repeating: weights.2)
        let w3 = Four(repeating: weights.3)
        let w4 = Four(repeating: weights.4)
        let w5 = Four(repeating: weights.5)
        unsafe memory.withUnsafeMutableBytes { memory in
            // SAFETY: checked above: `count` numbers are in the block from each place on, and five around the first.
            guard let from = unsafe floats(memory, place), let to = unsafe floats(memory, target) else { return }
            var x = 0
            while x < count {
                // Eight at a time: half of the numbers that the second four need are those of the first.
                let m1 = unsafe load(from, x &- 1)
                let p0 = unsafe load(from, x)
                let p1 = unsafe load(from, x &+ 1)
                let p2 = unsafe load(from, x &+ 2)
                let p3 = unsafe load(from, x &+ 3)
                let p4 = unsafe load(from, x &+ 4)
                let p5 = unsafe load(from, x &+ 5)
                var first = p0 * w0 + (m1 + p1) * w1
                var other = p4 * w0 + (p3 + p5) * w1
                unsafe first += (load(from, x &- 2) + p2) * w2
                unsafe other += (p2 + load(from, x &+ 6)) * w2
                unsafe first += (load(from, x &- 3) + p3) * w3
                unsafe other += (p1 + load(from, x &+ 7)) * w3
                unsafe first += (load(from, x &- 4) + p4) * w4
                unsafe other += (p0 + load(from, x &+ 8)) * w4
                unsafe first += (load(from, x &- 5) + p5) * w5
                unsafe other += (m1 + load(from, x &+ 9)) * w5
                unsafe store(first, to, x)
                unsafe store(other, to, x &+ 4)
                x &+= 8
            }
        }
    }

    private static func checkPlaces(_ place: Int, _ count: Int, in memory: borrowing MutableRawSpan) {
        let total = memory.byteCount / 4
        precondition(place >= 0 && count >= 0 && place <= total && count <= total - place, "outside of the block")
    }
}

// MARK: - Vectors in memory

extension LookKernels {
    // SAFETY: the caller has checked that the place is in the block.
    @inline(__always)
    static func floats(_ memory: UnsafeMutableRawBufferPointer, _ place: Int) -> UnsafeMutablePointer<Float>? {
        unsafe memory.baseAddress.map { unsafe ($0 + 4 &* place).assumingMemoryBound(to: Float.self) }
    }

    // SAFETY: the caller has checked that four numbers follow.
    @inline(__always)
    static func load(_ row: UnsafeMutablePointer<Float>, _ x: Int) -> SIMD4<Float> {
        unsafe UnsafeRawPointer(row + x).loadUnaligned(as: SIMD4<Float>.self)
    }

    // SAFETY: as for `load`.
    @inline(__always)
    static func store(_ value: SIMD4<Float>, _ row: UnsafeMutablePointer<Float>, _ x: Int) {
        unsafe UnsafeMutableRawPointer(row + x).storeBytes(of: value, as: SIMD4<Float>.self)
    }

    @inline(__always)
    static func magnitude(_ value: SIMD4<Float>) -> SIMD4<Float> {
        unsafe unsafeBitCast(
            unsafeBitCast(value, to: SIMD4<UInt32>.self) & SIMD4(repeating: 0x7FFF_FFFF), to: SIMD4<Float>.self)
    }
}
#endif
