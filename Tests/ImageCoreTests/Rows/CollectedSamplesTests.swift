import CodecTestSupport
import ImageCodecsCore
import Testing

/// Interlaced pictures that are scaled down: what is kept of their samples gives the pixels that rows in order give.
@Suite struct CollectedSamplesTests {
    private static let size = PixelSize(width: 21, height: 13)

    private static let palette = Palette((0..<200).map { (index: UInt32) in index &* 0x0307_0B0D ^ 0x8000_0000 })
    private static let opaquePalette = Palette((0..<16).map { (index: UInt32) in index * 0x0A_0603 | 0xFF00_0000 })

    /// Every kind of samples that a file has, and the bytes that one pixel of it is kept in.
    private static let layouts: [(layout: SampleLayout, byteCount: Int)] =
        [1, 2, 4, 8].flatMap { (bits: Int) -> [(layout: SampleLayout, byteCount: Int)] in
            [
                (.gray(bits: bits, transparent: nil), 1), (.gray(bits: bits, transparent: 1), 1),
                (.indexed(bits: bits, palette: palette), 1), (.indexed(bits: bits, palette: opaquePalette), 1),
            ]
        } + [
            (.gray(bits: 16, transparent: nil), 2), (.gray(bits: 16, transparent: 0x0102), 2),
            (.grayAlpha(bits: 8), 2), (.grayAlpha(bits: 16), 4), (.rgb(bits: 8, transparent: nil), 3),
            (.rgb(bits: 8, transparent: SampleLayout.ColorKey(red: 3, green: 4, blue: 5)), 3),
            (.rgb(bits: 16, transparent: nil), 4), (.rgba(bits: 8), 4), (.rgba(bits: 16), 4), (.pixels(.rgba), 4),
            (.pixels(.bgraPremultiplied), 4),
        ]

    private static let formats: [PixelFormat] = [.bgraPremultiplied, .rgba, .rgb, .gray, .rgba16]

    private func sink(
        _ layout: SampleLayout, _ format: PixelFormat, _ order: RowOrder, meter: MemoryMeter
    ) throws -> RowSink {
        var options = DecodingOptions.thumbnail(width: 8, height: 8)
        options.pixelFormat = format
        let plan = try OutputPlan(
            size: Self.size, hasAlpha: layout.hasAlpha, nearestFormat: layout.nearestFormat, orientation: .left,
            options: options)
        var nothing: Bitmap?
        return try RowSink(
            plan: plan, layout: layout, order: order, reusable: &nothing, meter: meter, work: .unlimited)
    }

    /// The bits of a pixel, the first in the lowest bit.
    private func pixel(_ row: [UInt8], _ x: Int, _ bitCount: Int) -> [Bool] {
        (x * bitCount..<(x + 1) * bitCount).map { row[$0 / 8] >> UInt8(7 - $0 % 8) & 1 == 1 }
    }

    /// The pixels of a row from column `x` on, `step` apart, packed as the file has them.
    private func pass(_ row: [UInt8], x: Int, step: Int, bitCount: Int) -> (bytes: [UInt8], width: Int) {
        let columns = Array(stride(from: x, to: Self.size.width, by: step))
        var bytes = [UInt8](repeating: 0, count: (columns.count * bitCount + 7) / 8)
        for (place, bit) in columns.flatMap({ pixel(row, $0, bitCount) }).enumerated() where bit {
            bytes[place / 8] |= 0x80 >> UInt8(place % 8)
        }
        return (bytes, columns.count)
    }

    @Test func passesGiveThePictureThatRowsGive() throws {
        var random = SeededRandom(seed: 5)
        for (layout, byteCount) in Self.layouts {
            let rows = (0..<13).map { _ in random.bytes(layout.bytesPerRow(width: 21)) }
            for format in Self.formats {
                var inOrder = try sink(layout, format, .topToBottom, meter: MemoryMeter())
                let meter = MemoryMeter()
                var inPasses = try sink(layout, format, .passes, meter: meter)
                // Besides the samples, at most a row of them.
                #expect(meter.current <= byteCount * 21 * 14)
                for (y, row) in rows.enumerated() { row.withRawSpan { inOrder.write($0, y: y) } }
                for (x, step) in [(1, 2), (2, 4), (0, 4)] {
                    for y in (0..<12).reversed() {
                        let (bytes, width) = pass(rows[y], x: x, step: step, bitCount: layout.bitsPerPixel)
                        let place = PassRow(y: y, x: x, columnStep: step, width: width, shownRows: y..<y + 1)
                        bytes.withRawSpan { inPasses.write($0, at: place) }
                    }
                }
                rows[12].withRawSpan { inPasses.write($0, y: 12) }
                let result = try inPasses.result(work: .unlimited)
                #expect(try result == inOrder.result(work: .unlimited), "\(layout) \(format)")
                #expect(meter.peak <= inPasses.plan.peakByteCount(layout: layout, order: .passes))
            }
        }
    }

    @Test func aCopyKeepsItsSamples() throws {
        var sink = try sink(.gray(bits: 4, transparent: nil), .gray, .passes, meter: MemoryMeter())
        let black = [UInt8](repeating: 0, count: 11)
        for y in 0..<13 { black.withRawSpan { sink.write($0, y: y) } }
        var copy = sink
        try copy.makeUnique()
        let white = [UInt8](repeating: 255, count: 11)
        for y in 0..<13 { white.withRawSpan { copy.write($0, y: y) } }
        #expect(try Set(sink.result(work: .unlimited).packedBytes()) == [0])
        #expect(try Set(copy.result(work: .unlimited).packedBytes()) == [255])
    }

    @Test func theClockIsAskedWhileRowsAreScaled() throws {
        var options = DecodingOptions.thumbnail(width: 1, height: 1)
        options.limits = .unlimited
        let plan = try OutputPlan(
            size: PixelSize(width: 64, height: 4096), hasAlpha: false, nearestFormat: .gray, orientation: .up,
            options: options)
        var nothing: Bitmap?
        let sink = try RowSink(
            plan: plan, layout: .gray(bits: 8, transparent: nil), order: .passes, reusable: &nothing, meter: nil,
            work: .unlimited)
        var limits = DecodingLimits.unlimited
        limits.maxTime = .zero
        var work = WorkGuard(limits: limits)
        work.begin()
        #expect(throws: ImageError.self) { try sink.result(work: work) }
    }
}
