import CodecTestSupport
import ImageCodecsCore
import Testing

@Suite struct RowScalerTests {
    private func isPlain(_ pixels: [UInt8], _ pixel: [UInt8]) -> Bool {
        pixels.indices.allSatisfy { pixels[$0] == pixel[$0 & 3] }
    }

    private static let sizes: [(PixelSize, PixelSize)] = [
        ((1, 1), (1, 1)), ((1, 1), (7, 5)), ((2, 3), (1, 1)), ((1029, 1029), (512, 512)), ((40, 30), (40, 30)),
        ((40, 30), (39, 29)), ((40, 30), (13, 30)), ((13, 17), (100, 90)), ((1, 10000), (1, 1)), ((60000, 1), (100, 1)),
        ((70000, 3), (1, 1)), ((3, 70000), (2, 3)), ((997, 601), (100, 60)), ((501, 2), (3, 9)), ((2, 517), (5, 1)),
        ((140_001, 2), (1, 1)),
    ].map { source, target in
        (PixelSize(width: source.0, height: source.1), PixelSize(width: target.0, height: target.1))
    }

    @Test(arguments: sizes)
    func plainColorsStayExact(_ source: PixelSize, _ target: PixelSize) throws {
        for pixel: [UInt8] in [
            [0, 0, 0, 255], [255, 255, 255, 255], [0, 0, 0, 0], [3, 77, 128, 129], [1, 1, 1, 1],
        ] {
            let row = [UInt8]((0..<source.width).map { _ in pixel }.joined())
            let result = try scaled(source, to: target, opaque: false) { _ in row }
            #expect(isPlain(result, pixel))
        }
    }

    @Test(arguments: sizes)
    func opaquePicturesGetAlpha255WhateverTheFourthByteIs(_ source: PixelSize, _ target: PixelSize) throws {
        var random = SeededRandom(seed: 7)
        let rows = (0..<2).map { _ in
            [UInt8]((0..<source.width).map { _ in [10, 200, 255, UInt8(truncatingIfNeeded: random.next())] }.joined())
        }
        let result = try scaled(source, to: target, opaque: true) { y in rows[y & 1] }
        #expect(isPlain(result, [10, 200, 255, 255]))
    }

    @Test func sameSizeCopies() throws {
        var random = SeededRandom(seed: 1)
        let size = PixelSize(width: 37, height: 11)
        var pixels = random.bytes(size.width * size.height * 4)
        for index in stride(from: 3, to: pixels.count, by: 4) { pixels[index] = 255 }
        #expect(try scaled(pixels, size, to: size, opaque: false) == pixels)
        #expect(try scaled(pixels, size, to: size, opaque: true) == pixels)
    }

    @Test(arguments: [(64, 48, 20, 15), (64, 48, 31, 7), (20, 9, 41, 30), (300, 200, 10, 10)])
    func colorsNeverExceedAlpha(_ width: Int, _ height: Int, _ newWidth: Int, _ newHeight: Int) throws {
        var random = SeededRandom(seed: 3)
        var pixels = [UInt8](repeating: 0, count: width * height * 4)
        for pixel in stride(from: 0, to: pixels.count, by: 4) {
            let alpha = UInt8.random(in: 0...1, using: &random) * 255
            pixels[pixel + 3] = alpha
            for channel in 0..<3 { pixels[pixel + channel] = alpha / UInt8.random(in: 1...3, using: &random) }
        }
        let result = try scaled(
            pixels, PixelSize(width: width, height: height), to: PixelSize(width: newWidth, height: newHeight),
            opaque: false)
        for pixel in stride(from: 0, to: result.count, by: 4) {
            #expect(result[pixel..<pixel + 3].max()! <= result[pixel + 3])
        }
    }

    @Test func aPictureOfAnyWidthIsNotShifted() throws {
        // A vertical edge in the middle stays in the middle whatever is left over at the right of the box grid.
        for width in 400..<440 {
            var pixels: [UInt8] = []
            for x in 0..<width {
                let level: UInt8 = 2 * x + 1 < width ? 0 : 2 * x + 1 == width ? 128 : 255
                pixels += [level, level, level, 255]
            }
            let result = try scaled(
                pixels, PixelSize(width: width, height: 1), to: PixelSize(width: 41, height: 1), opaque: true)
            #expect(abs(Int(result[20 * 4]) - 128) <= 2)
            let left = (0..<20).map { Int(result[$0 * 4]) }
            let right = (0..<20).map { 255 - Int(result[(40 - $0) * 4]) }
            #expect(zip(left, right).allSatisfy { abs($0 - $1) <= 2 })
        }
    }

    /// Waves 78 pixels long.
    private func waves(_ count: Int) -> [Int] {
        (0..<count).map { x in Int(128 + 100 * sineOfPi(times: Double(x) / 39)) }
    }

    private func pixels(_ levels: [Int]) -> [UInt8] {
        levels.flatMap { level -> [UInt8] in [0, 0, UInt8(level), 255] }
    }

    @Test(arguments: [2, 4, 8])
    func aPictureReducedBeforehandIsNotStretched(_ reduction: Int) throws {
        // The last pixel pushed may stand for a part of what the others do: the wave ends where it ends in the whole.
        for width in 400..<417 {
            let wave = waves(width)
            let cells = stride(from: 0, to: width, by: reduction).map { start in
                let cell = wave[start..<min(start + reduction, width)]
                return cell.reduce(0, +) / cell.count
            }
            let target = PixelSize(width: 23, height: 1)
            let whole = try scaled(
                pixels(wave), PixelSize(width: width, height: 1), to: target,
                opaque: true)
            var scaler = try RowScaler(
                source: PixelSize(width: width, height: 1), reduction: reduction, target: target, alpha: .opaque)
            #expect(scaler.pushed == PixelSize(width: cells.count, height: 1))
            var result: [UInt8] = []
            let row = pixels(cells)
            row.withRawSpan(first: row.count) { scaler.push($0) { _, row in result.append(row) } }
            #expect(zip(result, whole).allSatisfy { abs(Int($0) - Int($1)) <= 5 })
        }
    }

    @Test func aCopyContinuesOnItsOwn() throws {
        var random = SeededRandom(seed: 5)
        let source = PixelSize(width: 50, height: 40)
        let target = PixelSize(width: 9, height: 8)
        let rows = (0..<source.height).map { _ in random.bytes(source.width * 4) }
        var first = try RowScaler(source: source, target: target, alpha: .opaque)
        for row in rows[..<23] { row.withRawSpan(first: row.count) { first.push($0) { _, _ in } } }
        var second = first
        try first.makeUnique()
        try second.makeUnique()
        var results: [[UInt8]] = [[], []]
        for row in rows[23...] {
            row.withRawSpan(first: row.count) { first.push($0) { _, row in results[0].append(row) } }
        }
        for row in rows[23...] {
            row.withRawSpan(first: row.count) { second.push($0) { _, row in results[1].append(row) } }
        }
        #expect(results[0] == results[1])
        #expect(!results[0].isEmpty)
    }

    @Test func rowsBehindTheLastAreIgnored() throws {
        var scaler = try RowScaler(
            source: PixelSize(width: 2, height: 1), target: PixelSize(width: 1, height: 1), alpha: .opaque)
        let row: [UInt8] = [1, 2, 3, 4, 1, 2, 3, 4]
        var rowCount = 0
        for _ in 0..<3 { row.withRawSpan(first: row.count) { scaler.push($0) { _, _ in rowCount += 1 } } }
        #expect(rowCount == 1)
    }

    @Test(arguments: sizes)
    func memoryIsBoundedBeforehand(_ source: PixelSize, _ target: PixelSize) throws {
        let scaler = try RowScaler(source: source, target: target, alpha: .premultiplied)
        let bound = RowScaler.memoryByteCount(source: source, target: target)
        #expect(scaler.memoryByteCount <= bound)
        #expect(bound <= scaler.memoryByteCount * 2)
        for reduction in [2, 4, 8] {
            let scaler = try RowScaler(source: source, reduction: reduction, target: target, alpha: .premultiplied)
            let bound = RowScaler.memoryByteCount(source: source, reduction: reduction, target: target)
            #expect(scaler.memoryByteCount <= bound)
        }
    }

    @Test func memoryOfAThumbnailIsSmall() throws {
        let bound = RowScaler.memoryByteCount(
            source: PixelSize(width: 4000, height: 3000), target: PixelSize(width: 400, height: 300))
        #expect(bound < 150_000)
    }

    @Test func memoryOfImpossibleSizesSaturates() throws {
        let one = PixelSize(width: 1, height: 1)
        #expect(RowScaler.memoryByteCount(source: PixelSize(width: .max, height: .max), target: one) == .max)
        #expect(RowScaler.memoryByteCount(source: one, target: PixelSize(width: 0, height: 4)) == .max)
        let huge = PixelSize(width: 1 << 31, height: 1 << 31)
        #expect(RowScaler.memoryByteCount(source: huge, target: huge) < .max)
        #expect(RowScaler.memoryByteCount(source: huge, target: one) < .max)
        #expect(RowScaler.memoryByteCount(source: one, target: huge) < .max)
    }
}
