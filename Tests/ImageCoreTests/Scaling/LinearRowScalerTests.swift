import CodecTestSupport
import Foundation
import ImageCodecsCore
import Testing

@Suite struct LinearRowScalerTests {
    private static let sizes: [(PixelSize, PixelSize)] = [
        ((1, 1), (1, 1)), ((1, 1), (7, 5)), ((2, 3), (1, 1)), ((1029, 1029), (512, 512)), ((40, 30), (39, 29)),
        ((40, 30), (13, 30)), ((13, 17), (100, 90)), ((1, 10000), (1, 1)), ((70000, 3), (1, 1)), ((3, 70000), (2, 3)),
        ((997, 601), (100, 60)), ((2, 517), (5, 1)),
    ].map { source, target in
        (PixelSize(width: source.0, height: source.1), PixelSize(width: target.0, height: target.1))
    }

    private func scaled(
        _ source: PixelSize, to target: PixelSize, isOpaque: Bool, _ row: (Int) -> [UInt8]
    ) throws -> [UInt8] {
        let meter = MemoryMeter()
        var scaler = try LinearRowScaler(source: source, target: target, isOpaque: isOpaque, meter: meter)
        #expect(meter.current <= LinearRowScaler.memoryByteCount(source: source, target: target))
        try scaler.makeUnique()
        var result: [UInt8] = []
        var numbers: [Int] = []
        for y in 0..<source.height {
            let bytes = row(y)
            bytes.span.withRawBytes { bytes in
                scaler.push(bytes) { y, row in
                    numbers.append(y)
                    for place in 0..<row.byteCount { result.append(row.byte(at: place)) }
                }
            }
        }
        #expect(numbers == Array(0..<target.height) && result.count == target.width * target.height * 4)
        return result
    }

    @Test(arguments: sizes)
    func plainColorsStayExact(_ source: PixelSize, _ target: PixelSize) throws {
        for pixel: [UInt8] in [
            [0, 0, 0, 255], [255, 255, 255, 255], [0, 0, 0, 0], [3, 77, 128, 129], [9, 130, 200, 255],
        ] {
            let row = [UInt8]((0..<source.width).map { _ in pixel }.joined())
            let result = try scaled(source, to: target, isOpaque: false) { _ in row }
            #expect(result.indices.allSatisfy { result[$0] == pixel[$0 & 3] }, "\(pixel)")
        }
    }

    @Test func everyByteComesBack() throws {
        for value in 0...255 {
            let pixel = [UInt8(value), UInt8(255 - value), 128, 255]
            let result = try scaled(
                PixelSize(width: 9, height: 2), to: PixelSize(width: 4, height: 1), isOpaque: true
            ) { _ in (0..<9).flatMap { _ in pixel } }
            #expect(result == (0..<4).flatMap { _ in pixel })
        }
    }

    /// The mean of black and white has half of the light: byte 188 of sRGB, not 128. The filter leaves a little of the finest pattern, most of it
    /// at the borders.
    @Test(arguments: [2, 4, 10, 40])
    func halfOfTheLightIs188(_ factor: Int) throws {
        let source = PixelSize(width: 160, height: 160)
        let target = PixelSize(width: 160 / factor, height: 160 / factor)
        let result = try scaled(source, to: target, isOpaque: true) { y in
            (0..<160).flatMap { x -> [UInt8] in
                let v: UInt8 = (x + y) % 2 == 0 ? 255 : 0; return [v, v, v, 0]
            }
        }
        #expect(stride(from: 0, to: result.count, by: 4).allSatisfy { (180...196).contains(result[$0]) })
        #expect(stride(from: 3, to: result.count, by: 4).allSatisfy { result[$0] == 255 })
        let middle = (target.height / 2 * target.width + target.width / 2) * 4
        #expect((187...189).contains(result[middle]))
    }

    /// The formulas in floating point, from the same weights.
    private func reference(_ rows: [[UInt8]], _ source: PixelSize, _ target: PixelSize) throws -> [Double] {
        func light(_ byte: Double) -> Double {
            let value = byte / 255
            return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        func cells(_ line: [[Double]], _ factor: Int) -> [[Double]] {
            stride(from: 0, to: line.count, by: factor).map { start in
                let part = line[start..<min(line.count, start + factor)]
                return (0..<4).map { channel in part.reduce(0) { $0 + $1[channel] } / Double(part.count) }
            }
        }
        func filtered(_ line: [[Double]], _ filter: LanczosFilter) -> [[Double]] {
            (0..<filter.outputCount).map { x in
                (0..<4).map { channel in
                    (0..<filter.tapCount).reduce(0) { sum, tap in
                        let cell = filter.start(ofOutput: x) + tap
                        guard cell < line.count else { return sum }
                        return sum + line[cell][channel] * Double(filter.weight(ofTap: tap, output: x)) / 16384
                    }
                }
            }
        }
        func scaled(_ lines: [[[Double]]], _ count: Int, _ wanted: Int) throws -> [[[Double]]] {
            let factor = BoxRowReducer.factor(source: count, target: wanted)
            let filter = try LanczosFilter(
                sourceCount: count, pixelsPerCell: factor, outputCount: wanted, layout: .pairs)
            return lines.map { filtered(cells($0, factor), filter) }
        }
        func turned(_ lines: [[[Double]]]) -> [[[Double]]] {
            lines[0].indices.map { x in lines.map { $0[x] } }
        }
        let pixels = rows.map { row in
            stride(from: 0, to: row.count, by: 4).map { place -> [Double] in
                let alpha = Double(row[place + 3])
                // The nearest byte that is not premultiplied.
                let straight = (0..<3).map { min(255, (Double(row[place + $0]) * 255 / max(alpha, 1)).rounded()) }
                return straight.map { light($0) * alpha / 255 } + [alpha / 255]
            }
        }
        let wide = try scaled(pixels, source.width, target.width)
        let result = turned(try scaled(turned(wide), source.height, target.height))
        return result.flatMap { row in
            row.flatMap { pixel -> [Double] in
                let alpha = min(max(pixel[3], 0), 1)
                let colors = (0..<3).map { channel -> Double in
                    let straight = alpha == 0 ? 0 : min(max(pixel[channel], 0), alpha) / alpha
                    let value = straight <= 0.0031308 ? straight * 12.92 : 1.055 * pow(straight, 1 / 2.4) - 0.055
                    return value * alpha * 255
                }
                return colors + [alpha * 255]
            }
        }
    }

    @Test(arguments: [((61, 47), (20, 11)), ((61, 47), (60, 46)), ((200, 9), (7, 5)), ((12, 10), (31, 33))])
    func samplesAreThoseOfTheFormulas(_ source: (Int, Int), _ target: (Int, Int)) throws {
        var random = SeededRandom(seed: 21)
        let size = PixelSize(width: source.0, height: source.1)
        let wanted = PixelSize(width: target.0, height: target.1)
        for isOpaque in [true, false] {
            let rows = (0..<size.height).map { _ in
                (0..<size.width).flatMap { _ -> [UInt8] in
                    let alpha = isOpaque ? 255 : [0, 255, 128 + Int(random.next() % 128)][Int(random.next() % 3)]
                    return (0..<3).map { _ in UInt8(Int(random.next() % 256) * alpha / 255) } + [UInt8(alpha)]
                }
            }
            let result = try scaled(size, to: wanted, isOpaque: isOpaque) { rows[$0] }
            let expected = try reference(rows, size, wanted)
            // Bytes are rounded twice if they are premultiplied, and those of dark colours with little alpha by more than one step.
            let worst = zip(result, expected).map { abs(Double($0) - $1) }.max() ?? 0
            #expect(worst < (isOpaque ? 1 : 3.5), "\(worst)")
        }
    }

    /// The bound that keeps sums within 32 bits.
    @Test func weightsWithoutTheirSignsAddUpToLessThanTwiceOne() throws {
        for (source, target) in [
            (1, 9), (2, 3), (3, 100), (5, 4), (7, 6), (10, 9), (64, 3), (64, 200), (1000, 999), (999, 1000),
        ] {
            let filter = try LanczosFilter(
                sourceCount: source, pixelsPerCell: BoxRowReducer.factor(source: source, target: target),
                outputCount: target, layout: .pairs)
            for x in 0..<target {
                let sum = (0..<filter.tapCount).reduce(0) { $0 + abs(Int(filter.weight(ofTap: $1, output: x))) }
                #expect(Double(sum) < 1.8 * 16384, "\(source) to \(target), \(x)")
            }
        }
    }

    @Test func inksAreScaledAsTheyAreStored() throws {
        var random = SeededRandom(seed: 3)
        let bytes = (0..<50 * 40 * 4).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        let inks = try Bitmap(copying: bytes, size: PixelSize(width: 50, height: 40), format: .cmyk)
        let target = PixelSize(width: 13, height: 9)
        #expect(try inks.scaled(to: target, scaling: .linear) == inks.scaled(to: target))
    }
}
