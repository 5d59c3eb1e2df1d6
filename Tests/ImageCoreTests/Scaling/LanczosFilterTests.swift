import ImageCodecsCore
import Testing

@Suite struct LanczosFilterTests {
    @Test func sineIsExactWhereItIsKnown() {
        // sin(πx) for multiples of 1/12, from √2, √3 and √6.
        let known: [(Double, Double)] = [
            (0, 0), (1.0 / 12, 0.25881904510252074), (1.0 / 6, 0.5), (0.25, 0.7071067811865476),
            (1.0 / 3, 0.8660254037844386), (5.0 / 12, 0.9659258262890683), (0.5, 1), (0.75, 0.7071067811865476),
            (1, 0), (1.25, -0.7071067811865476), (1.5, -1), (2, 0), (2.25, 0.7071067811865476), (2.5, 1),
        ]
        for (x, sine) in known {
            #expect(abs(sineOfPi(times: x) - sine) < 1e-15)
            #expect(abs(sineOfPi(times: -x) + sine) < 1e-15)
        }
    }

    @Test func kernelIsOneInTheMiddleAndZeroAtWholeNumbers() {
        #expect(lanczos(0) == 1)
        for x in [-4.0, -3, -2, -1, 1, 2, 3, 4] { #expect(abs(lanczos(x)) < 1e-15) }
        // sinc(1/2) sinc(1/6) = 2/π · 3/π, sinc(3/2) sinc(1/2) = -4/(3π²)
        #expect(abs(lanczos(0.5) - 0.6079271018540267) < 1e-15)
        #expect(abs(lanczos(-1.5) + 0.13509491152311703) < 1e-15)
    }

    @Test(arguments: [LanczosFilter.TapLayout.pairs, .crossedFours])
    func weightsOfEveryPixelHaveTheSumOneAndStayInTheLine(_ layout: LanczosFilter.TapLayout) throws {
        for source in [1, 2, 3, 4, 5, 7, 10, 16, 25, 99, 100, 101, 640, 1029] {
            for output in [1, 2, 3, 4, 5, 6, 7, 12, 25, 50, 99, 100, 333, 1029] {
                let factor = BoxRowReducer.factor(source: source, target: output)
                let filter = try LanczosFilter(
                    sourceCount: source, pixelsPerCell: factor, outputCount: output, layout: layout)
                let bound = LanczosFilter.maximumTapCount(
                    sourceCount: source, pixelsPerCell: factor, outputCount: output, layout: layout)
                #expect(filter.inputCount == (source + factor - 1) / factor)
                #expect(filter.tapCount <= bound && bound <= 40 && filter.tapCount % layout.alignment == 0)
                for x in Set([0, 1, 2, 3, output / 3, output / 2, output - 2, output - 1])
                where (0..<output).contains(x) {
                    let weights = (0..<filter.tapCount).map { Int(filter.weight(ofTap: $0, output: x)) }
                    let start = filter.start(ofOutput: x)
                    let end = filter.end(ofOutput: x)
                    #expect(weights.reduce(0, +) == LanczosFilter.one)
                    // So that 255 times any of these sums, twice over, fits 32 bits.
                    #expect(weights.reduce(0) { $0 + abs($1) } < 2 * LanczosFilter.one)
                    #expect(start < end && end <= filter.inputCount && end - start <= filter.tapCount)
                    #expect(weights[(end - start)...].allSatisfy { $0 == 0 })
                    #expect(start == 0 || start + filter.tapCount <= filter.inputCount)
                }
                for x in 1..<max(1, output) {
                    #expect(filter.start(ofOutput: x - 1) <= filter.start(ofOutput: x))
                    #expect(filter.end(ofOutput: x - 1) <= filter.end(ofOutput: x))
                }
            }
        }
    }

    @Test func halvingGivesTheTextbookWeights() throws {
        // Far from the borders: lanczos((k + 0.5) / 2) for k = 0...5, normalised to a sum of 1/2, in units of 2^-14:
        // 7313.58, 2220.12, -1091.79, -557.03, 246.68, 60.44.
        let filter = try LanczosFilter(sourceCount: 100, pixelsPerCell: 1, outputCount: 50, layout: .pairs)
        #expect(filter.tapCount == 12)
        let weights = (0..<12).map { filter.weight(ofTap: $0, output: 25) }
        #expect(weights == [60, 247, -557, -1092, 2220, 7314, 7314, 2220, -1092, -557, 247, 60])
        #expect(filter.start(ofOutput: 25) == 45)
    }

    @Test func sameSizeTakesOneCellWhole() throws {
        let filter = try LanczosFilter(sourceCount: 9, pixelsPerCell: 1, outputCount: 9, layout: .pairs)
        for x in 0..<9 {
            let weights = (0..<filter.tapCount).filter { filter.weight(ofTap: $0, output: x) != 0 }
            #expect(weights.count == 1)
            #expect(filter.start(ofOutput: x) + weights[0] == x)
            #expect(Int(filter.weight(ofTap: weights[0], output: x)) == LanczosFilter.one)
        }
    }
}
