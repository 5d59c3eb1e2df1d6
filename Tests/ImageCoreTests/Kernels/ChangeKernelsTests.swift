import CodecTestSupport
import ImageCodecsCore
import Testing

@Suite struct ChangeKernelsTests {
    /// Two rows that are equal over stretches, with transparent, translucent and opaque pixels.
    private func rows(_ count: Int, _ random: inout SeededRandom) -> (below: [UInt8], wanted: [UInt8]) {
        var (below, wanted): ([UInt8], [UInt8]) = ([], [])
        while below.count < 4 * count {
            let isSame = random.next() % 2 == 0
            for _ in 0..<1 + random.next() % 12 {
                let alphas: [UInt8] = [0, 128, 255, 255]
                let pixel = random.bytes(3) + [alphas[Int(random.next() % 4)]]
                below += pixel
                wanted += isSame ? pixel : random.bytes(3) + [alphas[Int(random.next() % 4)]]
            }
        }
        return (Array(below.prefix(4 * count)), Array(wanted.prefix(4 * count)))
    }

    @Test func kernelsEqualTheReference() {
        var random = SeededRandom(seed: 12)
        for count in Array(0...70) + [333] {
            for _ in 0..<8 {
                let (below, wanted) = rows(count, &random)
                let run = Int(random.next() % 10)
                var (first, second) = ([UInt8](repeating: 1, count: 4 * count), [UInt8](repeating: 2, count: 4 * count))
                var (copied, plain) = (first, second)
                below.withRawSpan { below in
                    wanted.withRawSpan { wanted in
                        #expect(
                            ChangeKernels.firstChange(below, wanted, count: count)
                                == ChangeKernelsReference.firstChange(below, wanted, count: count))
                        #expect(
                            ChangeKernels.lastChange(below, wanted, count: count)
                                == ChangeKernelsReference.lastChange(below, wanted, count: count))
                        #expect(
                            ChangeKernels.change(below, wanted, count: count)
                                == ChangeKernelsReference.change(below, wanted, count: count))
                        first.withMutableRawSpan {
                            ChangeKernels.keepChanges(
                                below, wanted, into: &$0, count: count, clear: 7, shortestRun: run)
                        }
                        second.withMutableRawSpan {
                            ChangeKernelsReference.keepChanges(
                                below, wanted, into: &$0, count: count, clear: 7, shortestRun: run)
                        }
                        copied.withMutableRawSpan { ChangeKernels.copy(wanted, into: &$0, count: count, clear: 9) }
                        plain.withMutableRawSpan {
                            ChangeKernelsReference.copy(wanted, into: &$0, count: count, clear: 9)
                        }
                    }
                }
                #expect(first == second && copied == plain, "\(count) pixels")
            }
        }
    }

    @Test func pixelsBecomeOpaqueOrTransparent() {
        var random = SeededRandom(seed: 4)
        for count in 0..<40 {
            let isOpaque = count % 3 == 0
            let row = (0..<count).flatMap { _ in
                random.bytes(3) + [isOpaque ? 255 : UInt8(truncatingIfNeeded: random.next())]
            }
            var (fast, plain) = (
                [UInt8](repeating: 9, count: 4 * count + 1), [UInt8](repeating: 9, count: 4 * count + 1)
            )
            let isTranslucent = fast.withMutableBytes { fast in
                row.withRawSpan { ChangeKernels.cutOut($0, into: &fast, count: count) }
            }
            let expected = plain.withMutableBytes { plain in
                row.withRawSpan { ChangeKernelsReference.cutOut($0, into: &plain, count: count) }
            }
            #expect(fast == plain && isTranslucent == expected)
        }
        var pixels: [UInt8] = [1, 2, 3, 127, 4, 5, 6, 128, 7, 8, 9, 255, 1, 1, 1, 0]
        let source = pixels
        _ = pixels.withMutableBytes { target in
            source.withRawSpan { ChangeKernels.cutOut($0, into: &target, count: 4) }
        }
        #expect(pixels == [0, 0, 0, 0, 4, 5, 6, 255, 7, 8, 9, 255, 0, 0, 0, 0])
    }

    @Test func shortRunsStayAndLongOnesBecomeTransparent() {
        let below: [UInt8] = [1, 1, 1, 255, 2, 2, 2, 255, 3, 3, 3, 255, 4, 4, 4, 255, 5, 5, 5, 255]
        var wanted = below
        wanted[4] = 9
        var kept = wanted
        below.withRawSpan { below in
            wanted.withRawSpan { wanted in
                kept.withMutableRawSpan {
                    ChangeKernels.keepChanges(below, wanted, into: &$0, count: 5, clear: 0, shortestRun: 3)
                }
            }
        }
        #expect(kept == Array(wanted[..<8]) + [UInt8](repeating: 0, count: 12))
    }
}
