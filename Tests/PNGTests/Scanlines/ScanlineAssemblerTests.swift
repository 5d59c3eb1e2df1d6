import CodecTestSupport
import DeflateCodec
import ImageCodecsCore
import PNGCodec
import Testing

/// Scanlines for somebody who is no picture: as a sub-frame of an animation wants them.
@Suite struct ScanlineAssemblerTests {
    private struct Lines: ScanlineConsumer {
        var bytes: [[UInt8]] = []
        var places: [[Int]] = []

        mutating func consume(_ scanline: RawSpan, row: Int, of pass: Adam7.Pass) {
            bytes.append(scanline.copiedBytes())
            places.append([pass.number, row])
        }
    }

    private func header(width: UInt32, height: UInt32, interlaced: Bool) throws -> ImageHeader {
        let body = PNGBuilder.bigEndian(width) + PNGBuilder.bigEndian(height) + [8, 4, 0, 0, interlaced ? 1 : 0]
        return try ImageHeader(body.span, offset: 16)
    }

    /// Gray and alpha, filter type Sub; and what that is without the filter.
    private func frame(_ size: PixelSize, interlaced: Bool) -> (stream: [UInt8], lines: [[UInt8]]) {
        var random = SeededRandom(seed: UInt64(size.width))
        let widths =
            interlaced
            ? Adam7.passes(of: size).flatMap { Array(repeating: $0.size.width, count: $0.size.height) }
            : Array(repeating: size.width, count: size.height)
        var (filtered, lines): ([UInt8], [[UInt8]]) = ([], [])
        for width in widths {
            var line = random.bytes(2 * width)
            filtered += [1] + line
            for index in line.indices.dropFirst(2) { line[index] &+= line[index - 2] }
            lines.append(line)
        }
        return (PNGBuilder.deflated(filtered), lines)
    }

    @Test(arguments: [false, true], [1, 3, .max])
    func framesOfOtherSizesGoThroughTheSameCode(_ interlaced: Bool, _ pieceByteCount: Int) throws {
        let file = try header(width: 100, height: 90, interlaced: interlaced)
        for size in [PixelSize(width: 7, height: 5), PixelSize(width: 1, height: 1), PixelSize(width: 64, height: 300)]
        {
            let header = file.forFrame(of: size)
            let (stream, expected) = frame(size, interlaced: interlaced)
            let meter = MemoryMeter()
            var assembler = try ScanlineAssembler.make(header: header, meter: meter)
            var lines = Lines()
            var work = WorkGuard.unlimited
            var position = 0
            while position < stream.count {
                let end = position + min(pieceByteCount, stream.count - position)
                try assembler.consume(
                    stream.span.extracting(position..<end), offset: position, into: &lines, &work)
                position = end
            }
            #expect(assembler.isFinished && assembler.pass == nil)
            #expect(lines.bytes == expected)
            let places = interlaced ? Adam7.passes(of: size).map { [$0.number, $0.size.height] } : [[0, size.height]]
            #expect(lines.places == places.flatMap { place in (0..<place[1]).map { [place[0], $0] } })
            #expect(meter.peak <= ScanlineAssembler.byteCount(header))
        }
    }

    /// Lines of every form: undone four and two at a time, one by one, and put together from pieces; in two widths of
    /// pixels, by both inflaters, fed whole and in pieces.
    @Test(arguments: [1, 30, 4000, 9000, 15_000, 25_000, 40_000], Inflater.Kind.allCases)
    func rowsAreThoseOfTheReference(_ width: Int, _ kind: Inflater.Kind) throws {
        try Inflater.choice.withValue(kind) {
            for (colorType, depth, distance) in [(4, 8, 2), (6, 16, 8)] as [(UInt8, UInt8, Int)] {
                let body = PNGBuilder.bigEndian(UInt32(width / distance * 2 + 1)) + PNGBuilder.bigEndian(11)
                let header = try ImageHeader((body + [depth, colorType, 0, 0, 0]).span, offset: 16)
                let byteCount = header.bytesPerScanline(width: header.size.width)
                var random = SeededRandom(seed: UInt64(width + distance))
                var (filtered, expected): ([UInt8], [[UInt8]]) = ([], [])
                for _ in 0..<header.size.height {
                    let filter = ScanlineFilter.allCases[[0, 1, 2, 3, 3, 4, 4, 4][Int(random.next() % 8)]]
                    let row = random.bytes(byteCount)
                    filtered += [filter.rawValue] + row
                    let above = expected.last ?? [UInt8](repeating: 0, count: byteCount)
                    expected.append(undoFilterReference(filter, row, above: above, distance: distance))
                }
                let stream = PNGBuilder.deflated(filtered, level: 1)
                for pieceByteCount in [Int.max, 5000] {
                    let meter = MemoryMeter()
                    var assembler = try ScanlineAssembler.make(header: header, meter: meter)
                    var lines = Lines()
                    var work = WorkGuard.unlimited
                    var position = 0
                    while position < stream.count {
                        let end = position + min(pieceByteCount, stream.count - position)
                        try assembler.consume(
                            stream.span.extracting(position..<end), offset: position, into: &lines, &work)
                        if position % 3 == 0 {
                            try assembler.finishRows(into: &lines, &work)
                            #expect(assembler.place == assembler.placeWithWaitingRows)
                        }
                        position = end
                    }
                    #expect(assembler.isFinished && lines.bytes == expected)
                    #expect(meter.peak <= ScanlineAssembler.byteCount(header))
                }
            }
        }
    }
}
