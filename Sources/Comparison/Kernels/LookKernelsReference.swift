// Number by number. Plain twins of LookKernels and PerceptionKernels.

import ImageCodecsCore

package enum LookKernelsReference {
    /// See `LookKernels.writeLight`.
    package static func writeLight(
        of pixels: RawSpan, count: Int, in memory: inout MutableRawSpan, at place: Int, stride: Int
    ) {
        for x in 0...count {
            for sample in 0..<3 {
                let byte = pixels.byte(at: 4 * min(x, count - 1) + sample)
                memory.setFloat(LookFormulas.light[Int(byte)], at: place + sample * stride + x)
            }
        }
    }

    /// See `LookKernels.halve`.
    package static func halve(
        _ memory: inout MutableRawSpan, upper: Int, lower: Int, stride: Int, count: Int, to target: Int,
        targetStride: Int
    ) {
        for row in 0..<6 {
            let (above, below, to) = (upper + row * stride, lower + row * stride, target + row * targetStride)
            for x in 0...count {
                let column = 2 * min(x, count - 1)
                let left = memory.float(at: above + column) + memory.float(at: below + column)
                let right = memory.float(at: above + column + 1) + memory.float(at: below + column + 1)
                memory.setFloat((left + right) * 0.25, at: to + x)
            }
        }
    }

    /// See `LookKernels.blurColumns`.
    package static func blurColumns(
        _ memory: inout MutableRawSpan, _ window: LookWindow, column: Int, count: Int, to target: Int, second: Int
    ) {
        for (first, target) in [(0, target), (1, second)] {
            for x in 0..<count {
                let value = LookFormulas.blur { memory.float(at: window.place(first + 5 + $0) + column + x) }
                memory.setFloat(value, at: target + x)
            }
        }
    }

    /// See `LookKernels.blurRow`.
    package static func blurRow(_ memory: inout MutableRawSpan, at place: Int, count: Int, to target: Int) {
        for x in 0..<count {
            memory.setFloat(LookFormulas.blur { memory.float(at: place + x + $0) }, at: target + x)
        }
    }
}

package enum PerceptionKernelsReference {
    /// See `PerceptionKernels.writeColors`.
    package static func writeColors(
        _ memory: inout MutableRawSpan, light: Int, stride: Int, count: Int, to target: Int, targetStride: Int,
        products: LookChannels
    ) {
        for x in 0..<(count + 3) & ~3 {
            let isColumn = x < count
            let pictures = [0, 3].map { row in
                let light = (0..<3).map { memory.float(at: light + (row + $0) * stride + x) }
                return isColumn ? colors(light[0], light[1], light[2]) : [0, 0, 0]
            }
            for (channel, kind) in [LookChannels.x, .y, .b].enumerated() {
                let (one, other) = (pictures[0][channel], pictures[1][channel])
                let place = target + 4 * channel * targetStride + x
                memory.setFloat(one, at: place)
                memory.setFloat(other, at: place + targetStride)
                guard products.contains(kind) else { continue }
                memory.setFloat(one * one + other * other, at: place + 2 * targetStride)
                memory.setFloat((one - other) * (one - other), at: place + 3 * targetStride)
            }
        }
    }

    private static func colors(_ red: Float, _ green: Float, _ blue: Float) -> [Float] {
        let roots = [LookFormulas.long, LookFormulas.medium, LookFormulas.short].map { cone -> SIMD4<Float> in
            let x = red * cone.x + green * cone.y + blue * cone.z + LookFormulas.bias
            let guess = LookFormulas.inverseRootBits(SIMD4(repeating: x.bitPattern))
            return LookFormulas.cubeRoots(
                of: SIMD4(repeating: x), near: SIMD4(repeating: Float(bitPattern: guess.x)))
        }
        let opponents = LookFormulas.opponents(roots[0], roots[1], roots[2])
        return [opponents.x.x, opponents.y.x, opponents.b.x]
    }

    /// See `PerceptionKernels.sums`.
    package static func sums(
        _ memory: RawSpan, first: Int, second: Int, blurred: Int, stride: Int, count: Int,
        hasProducts: Bool
    ) -> LookSums {
        var sums = LookVectorSums()
        for start in Swift.stride(from: 0, to: count, by: 4) {
            var (loss, edges) = (SIMD4<Float>(), SIMD4<Float>())
            for lane in 0..<min(4, count - start) {
                let x = start + lane
                let means = (0..<(hasProducts ? 4 : 2)).map { row in
                    SIMD4(repeating: memory.float(at: blurred + row * stride + x))
                }
                let one = (memory.float(at: first + x) - means[0].x).magnitude
                let other = (memory.float(at: second + x) - means[1].x).magnitude
                edges[lane] = LookFormulas.edgeChange(SIMD4(repeating: one), SIMD4(repeating: other)).x
                if hasProducts { loss[lane] = LookFormulas.structureLoss(means[0], means[1], means[2], means[3]).x }
            }
            sums.add(loss, magnitude(loss), edges, magnitude(edges))
        }
        return sums.total
    }

    private static func magnitude(_ value: SIMD4<Float>) -> SIMD4<Float> {
        SIMD4(value.x.magnitude, value.y.magnitude, value.z.magnitude, value.w.magnitude)
    }
}

extension LookFormulas {
    /// The mean of the numbers from five before to five after, weighed by a Gaussian, in the order in which kernels add.
    fileprivate static func blur(_ number: (Int) -> Float) -> Float {
        let weights = gaussian
        var sum = number(0) * weights.0
        sum += (number(-1) + number(1)) * weights.1
        sum += (number(-2) + number(2)) * weights.2
        sum += (number(-3) + number(3)) * weights.3
        sum += (number(-4) + number(4)) * weights.4
        return sum + (number(-5) + number(5)) * weights.5
    }
}

extension RawSpan {
    /// The number at a place, which is a number of them from the beginning.
    fileprivate func float(at place: Int) -> Float { Float(bitPattern: nativeUInt32(at: 4 * place)) }
}

extension MutableRawSpan {
    fileprivate func float(at place: Int) -> Float { bytes.float(at: place) }

    fileprivate mutating func setFloat(_ value: Float, at place: Int) {
        storeBytes(of: value.bitPattern, toByteOffset: 4 * place, as: UInt32.self)
    }
}

#if ReferenceKernels
package typealias LookKernels = LookKernelsReference
package typealias PerceptionKernels = PerceptionKernelsReference
#endif
