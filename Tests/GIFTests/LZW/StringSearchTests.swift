import CodecTestSupport
import ImageCodecsCore
import Testing

@testable import GIFCodec

@Suite struct StringSearchTests {
    private static let width = 24, height = 20
    private static let colors: [SIMD4<Float>] = (0..<40).map { number in
        let (a, b) = (Float(number % 7) * 4, Float(number % 3) * 5)
        return SIMD4<Float>(Float(number * 6), a, b, 0)
    }

    /// Points near the colours, the nearest colour of each, and the indices that a search finds.
    private func search(
        lambda: Float, strength: Float = 0, seed: UInt64 = 1, transparent: [Int] = [], shown: [SIMD4<Float>] = []
    ) -> (pixels: LossyPixels, indices: [UInt8]) {
        var source = DecisionSource(seed: seed)
        let count = Self.width * Self.height
        var pixels = LossyPixels(
            points: [], nearest: [], weights: [], shown: shown, count: count, width: Self.width)
        for place in 0..<count {
            let near = Self.colors[(place / 9 + source.below(4)) % Self.colors.count]
            let point = near + SIMD4(Float(source.below(50)) / 10, Float(source.below(30)) / 10, 0, 0)
            pixels.points.append(point)
            pixels.nearest.append(UInt8(nearest(to: point)))
            pixels.weights.append(transparent.contains(place) ? 0 : 0.5 + Float(source.below(8)) / 2)
        }
        var search = StringSearch(
            Self.colors + [.zero], transparent: Self.colors.count, minimumCodeSize: 6, mostNodes: 200)
        search.begin(lambda: lambda, strength: strength)
        var errors = [SIMD4<Float>](repeating: .zero, count: count + Self.width)
        var indices = [UInt8](repeating: 0, count: count)
        var position = 0
        while position < count {
            search.search(
                pixels, errors: &errors, from: &position, to: min(count, position + 7), indices: &indices)
        }
        return (pixels, indices)
    }

    private func nearest(to point: SIMD4<Float>) -> Int {
        Self.colors.indices.min { square(Self.colors[$0], point) < square(Self.colors[$1], point) } ?? 0
    }

    private func square(_ first: SIMD4<Float>, _ second: SIMD4<Float>) -> Float {
        let difference = first - second
        return (difference * difference).sum()
    }

    @Test func withoutToleranceEveryPixelGetsItsNearestColor() {
        let (pixels, indices) = search(lambda: 1e-6)
        #expect(indices == pixels.nearest)
    }

    @Test(arguments: [0.5, 4, 16, 64] as [Float])
    func noColorIsFartherThanTheToleranceAllows(_ lambda: Float) {
        for seed in 1...4 as ClosedRange<UInt64> {
            let (pixels, indices) = search(lambda: lambda, seed: seed)
            for (place, index) in indices.enumerated() {
                let point = pixels.points[place]
                let extra = square(Self.colors[Int(index)], point) - square(Self.colors[nearest(to: point)], point)
                #expect(extra * pixels.weights[place] <= lambda * 1.001)
            }
        }
    }

    @Test func moreToleranceMakesFewerCodes() throws {
        let counts = try [1e-6, 4, 16, 64].map { lambda in
            let indices = search(lambda: Float(lambda), strength: 0.6).indices
            var search = try ClearSearch(meter: nil)
            var work = WorkGuard.unlimited
            return try indices.withRawSpan { (indices) throws(ImageError) in
                try search.clears(indices, minimumCodeSize: 6, at: [], work: &work).bitCount
            }
        }
        #expect(counts == counts.sorted(by: >), "\(counts)")
    }

    @Test func pixelsThatHaveToBeTransparentAre() {
        let transparent = [0, 1, 5, 23, 24, 100, 101, 102, 479]
        let (_, indices) = search(lambda: 16, strength: 0.6, transparent: transparent)
        for (place, index) in indices.enumerated() {
            #expect((Int(index) == Self.colors.count) == transparent.contains(place))
        }
    }

    @Test func whatIsShownStaysWhereItIsNearer() {
        let points = search(lambda: 4).pixels.points
        let block = 5 * Self.width..<10 * Self.width
        let shown = points.enumerated().map { place, point in
            block.contains(place) ? point + SIMD4(0.1, 0, 0, 0) : SIMD4(1e9, 0, 0, 0)
        }
        let (_, indices) = search(lambda: 4, shown: shown)
        let kept = indices.indices.filter { Int(indices[$0]) == Self.colors.count }
        #expect(kept.allSatisfy { block.contains($0) })
        #expect(kept.count > block.count / 2)
    }

    @Test func aTableOfOneColorIsSearchedToo() {
        var search = StringSearch(
            [.zero], transparent: -1, minimumCodeSize: 2, mostNodes: 8)
        search.begin(lambda: 4, strength: 0.6)
        let pixels = LossyPixels(
            points: [SIMD4<Float>](repeating: SIMD4(9, 9, 9, 0), count: 50), nearest: [UInt8](repeating: 0, count: 50),
            weights: [Float](repeating: 1, count: 50), shown: [], count: 50, width: 1)
        var errors = [SIMD4<Float>](repeating: .zero, count: 51)
        var indices = [UInt8](repeating: 7, count: 50)
        var position = 0
        search.search(pixels, errors: &errors, from: &position, to: 50, indices: &indices)
        #expect(position == 50 && indices.allSatisfy { $0 == 0 })
    }
}
