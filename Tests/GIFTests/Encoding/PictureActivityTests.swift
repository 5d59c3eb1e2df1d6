import CodecTestSupport
import ImageCodecsCore
import Testing

@testable import GIFCodec

@Suite struct PictureActivityTests {
    @Test(arguments: [(1, 1), (1, 9), (9, 1), (2, 3), (17, 12)])
    func meansAreThoseOfAllNeighbors(_ width: Int, _ height: Int) {
        var source = DecisionSource(seed: UInt64(width * 31 + height))
        let grays = (0..<width * height).map { _ in source.below(256) }
        var activity = PictureActivity(width: width, height: height)
        func gray(_ x: Int, _ y: Int) -> Int { grays[y * width + x] }
        func difference(_ x: Int, _ y: Int) -> Int {
            (x + 1 < width ? abs(gray(x + 1, y) - gray(x, y)) : 0)
                + (y + 1 < height ? abs(gray(x, y + 1) - gray(x, y)) : 0)
        }
        for y in 0..<height {
            while let row = activity.missingRow(for: y) {
                var pixels: [UInt8] = []
                for x in 0..<width { pixels += [UInt8](repeating: UInt8(gray(x, row)), count: 3) + [255] }
                pixels.withRawSpan { activity.add($0) }
            }
            for x in 0..<width {
                var sum = 0
                for row in y - 2...y + 2 {
                    for column in x - 2...x + 2 {
                        sum += difference(min(max(column, 0), width - 1), min(max(row, 0), height - 1))
                    }
                }
                #expect(abs(activity.mean(x, y) - Float(sum) / 25) < 0.01)
            }
        }
    }
}
