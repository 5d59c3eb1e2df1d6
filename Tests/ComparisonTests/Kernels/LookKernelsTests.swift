import CodecTestSupport
import ImageCodecsCore
import ImageComparison
import Testing

@Suite struct LookKernelsTests {
    /// A block of numbers of 0...1, as the light of pixels is.
    private func block(_ count: Int, seed: UInt64) -> [UInt8] {
        var random = SeededRandom(seed: seed)
        var bytes = [UInt8](repeating: 0, count: 4 * count)
        bytes.withMutableBytes { memory in
            for place in 0..<count {
                let number = Float(UInt32.random(in: 0...0xFFFF, using: &random)) / 65535
                memory.storeBytes(of: number.bitPattern, toByteOffset: 4 * place, as: UInt32.self)
            }
        }
        return bytes
    }

    /// Whether both blocks have the same numbers at some places.
    private func areEqual(_ one: [UInt8], _ other: [UInt8], _ places: Range<Int>) -> Bool {
        one[4 * places.lowerBound..<4 * places.upperBound] == other[4 * places.lowerBound..<4 * places.upperBound]
    }

    @Test func lightIsTheReferences() {
        for count in [1, 2, 3, 4, 5, 8, 31, 64] {
            var random = SeededRandom(seed: UInt64(count))
            let pixels = random.bytes(4 * count)
            var (fast, plain) = (block(4 * 80, seed: 1), block(4 * 80, seed: 1))
            pixels.withRawSpan(first: pixels.count) { pixels in
                fast.withMutableBytes { LookKernels.writeLight(of: pixels, count: count, in: &$0, at: 8, stride: 80) }
                plain.withMutableBytes {
                    LookKernelsReference.writeLight(of: pixels, count: count, in: &$0, at: 8, stride: 80)
                }
            }
            #expect(fast == plain, "\(count) pixels")
        }
    }

    @Test func halvesAreTheReferences() {
        for count in [1, 2, 3, 4, 5, 8, 17] {
            let original = block(18 * 60, seed: UInt64(count))
            var (fast, plain) = (original, original)
            fast.withMutableBytes {
                LookKernels.halve(&$0, upper: 0, lower: 360, stride: 60, count: count, to: 720, targetStride: 40)
            }
            plain.withMutableBytes {
                LookKernelsReference.halve(
                    &$0, upper: 0, lower: 360, stride: 60, count: count, to: 720, targetStride: 40)
            }
            for row in 0..<6 {
                #expect(areEqual(fast, plain, 720 + 40 * row..<720 + 40 * row + count + 1), "\(count) columns")
            }
        }
    }

    @Test(arguments: [-5, -1, 0, 4, 20, 27])
    func blurredColumnsAreTheReferences(_ first: Int) {
        let window = LookWindow(ring: 48, stride: 48, first: first, height: 31, zeros: 0)
        let original = block(19 * 48, seed: UInt64(first + 5))
        for count in [4, 8, 20] {
            var (fast, plain) = (original, original)
            fast.withMutableBytes {
                LookKernels.blurColumns(&$0, window, column: 3, count: count, to: 17 * 48, second: 18 * 48)
            }
            plain.withMutableBytes {
                LookKernelsReference.blurColumns(&$0, window, column: 3, count: count, to: 17 * 48, second: 18 * 48)
            }
            #expect(fast == plain)
        }
    }

    @Test func blurredRowsAreTheReferences() {
        let original = block(200, seed: 3)
        for count in [8, 16, 64] {
            var (fast, plain) = (original, original)
            fast.withMutableBytes { LookKernels.blurRow(&$0, at: 7, count: count, to: 100) }
            plain.withMutableBytes { LookKernelsReference.blurRow(&$0, at: 7, count: count, to: 100) }
            #expect(fast == plain)
        }
    }

    /// Of numbers that are all alike the mean is that number.
    @Test func theGaussianAddsUpToOne() {
        let weights = LookFormulas.gaussian
        let sides = weights.1 + weights.2 + weights.3 + weights.4 + weights.5
        #expect(abs(weights.0 + 2 * sides - 1) < 1e-6)
    }

    @Test func coloursAreTheReferences() {
        for count in [1, 2, 3, 4, 5, 8, 19] {
            for products in [LookChannels.y, [.x, .y, .b], []] {
                let original = block(18 * 24, seed: UInt64(count))
                var (fast, plain) = (original, original)
                fast.withMutableBytes {
                    PerceptionKernels.writeColors(
                        &$0, light: 0, stride: 24, count: count, to: 144, targetStride: 24, products: products)
                }
                plain.withMutableBytes {
                    PerceptionKernelsReference.writeColors(
                        &$0, light: 0, stride: 24, count: count, to: 144, targetStride: 24, products: products)
                }
                for row in 0..<12 where row % 4 < 2 || products.contains(LookChannels(rawValue: 1 << (row / 4))) {
                    let first = 144 + 24 * row
                    #expect(areEqual(fast, plain, first..<first + (count + 3) & ~3), "\(count) columns, row \(row)")
                }
            }
        }
    }

    @Test func sumsAreTheReferences() {
        let memory = block(6 * 40, seed: 9)
        for count in [1, 2, 3, 4, 5, 8, 31] {
            for hasProducts in [false, true] {
                memory.withRawSpan(first: memory.count) { memory in
                    let fast = PerceptionKernels.sums(
                        memory, first: 0, second: 40, blurred: 80, stride: 40, count: count, hasProducts: hasProducts)
                    let plain = PerceptionKernelsReference.sums(
                        memory, first: 0, second: 40, blurred: 80, stride: 40, count: count, hasProducts: hasProducts)
                    #expect(fast == plain, "\(count) columns")
                }
            }
        }
    }
}
