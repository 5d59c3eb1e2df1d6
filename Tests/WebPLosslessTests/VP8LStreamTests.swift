import CodecTestSupport
import ImageCodecsCore
import Testing
import WebPLosslessCodec

/// The stream decoder against a decoder by the book.
@Suite struct VP8LStreamTests {
    @Test(arguments: 0..<20)
    func randomStreamsDecodeAsByTheBook(_ part: Int) throws {
        for seed in 0..<10 {
            let random = RandomVP8L(DecisionSource(seed: UInt64(part * 10 + seed)))
            let file = random.writer.bytes
            let expected = try PlainVP8L.picture(file)
            let decoded = DecodedVP8L(file)
            #expect(decoded.error == nil && decoded.stream.isComplete)
            #expect(decoded.pixels == expected.pixels, "seed \(part * 10 + seed)")
            let size = PixelSize(width: random.width, height: random.height)
            #expect(decoded.isWithinEstimate(file, size: size))
        }
    }

    @Test(arguments: [1, 2, 4, 11])
    func colorsOfTheCacheAfterLongRunsAreAsByTheBook(cacheBits: Int) throws {
        var source = DecisionSource(seed: UInt64(cacheBits))
        let (width, height) = (200, 100)
        // Green, and lengths and colors of the cache after it: sixteen symbols of four bits.
        let greens = Array(0..<8) + [256, 260, 268, 269, 270] + [280, 281, 280 + (1 << cacheBits) - 1]
        let used = Set(greens).union(cacheBits == 1 ? [8] : [])
        let lengths = (0..<280 + 1 << cacheBits).map { used.contains($0) ? 4 : 0 }
        let (green, two) = (WrittenCode(lengths), WrittenCode([1, 1]))
        var writer = VP8LWriter()
        writer.writeHeader(width: width, height: height)
        writer.write(0, 1)
        writer.write(1, 1)
        writer.write(cacheBits, 4)
        writer.write(0, 1)
        writer.writeNormal(lengths)
        for symbols in [[0, 1], [0, 1], [255], [0, 1]] { writer.writeSimple(symbols) }
        var place = 0
        while place < width * height {
            let symbol = place < width ? source.below(8) : greens[source.below(greens.count)]
            let extraBits = symbol < 260 || symbol >= 280 ? 0 : (symbol - 258) / 2
            let extra = source.below(1 << extraBits)
            let length =
                symbol < 256 || symbol >= 280
                ? 1 : extraBits == 0 ? symbol - 255 : (2 + symbol % 2) << extraBits + extra + 1
            guard place + length <= width * height else { continue }
            place += length
            writer.write(symbol, green)
            if symbol < 256 {
                for _ in 0..<2 { writer.write(source.below(2), two) }
            } else if symbol < 280 {
                writer.write(extra, extraBits)
                // From above or from the left.
                writer.write(source.below(2), two)
            }
        }
        let expected = try PlainVP8L.picture(writer.bytes)
        for pieceSize in [1, 1 << 20] {
            let decoded = DecodedVP8L(writer.bytes, pieceSize: pieceSize)
            #expect(decoded.stream.isComplete && decoded.pixels == expected.pixels)
        }
    }

    @Test(arguments: 0..<12, [1, 3, 64])
    func cutsDoNotMatter(_ seed: Int, pieceSize: Int) {
        let file = RandomVP8L(DecisionSource(seed: UInt64(1000 + seed))).writer.bytes
        let whole = DecodedVP8L(file)
        let pieces = DecodedVP8L(file, pieceSize: pieceSize)
        #expect(pieces.stream.isComplete)
        #expect(pieces.bytes == whole.bytes)
        #expect(pieces.stream.imageInfo == whole.stream.imageInfo)
    }

    @Test(arguments: 0..<40)
    func planesAreTheGreenChannel(_ seed: Int) throws {
        let random = RandomVP8L(DecisionSource(seed: UInt64(2000 + seed)), hasHeader: false)
        let size = PixelSize(width: random.width, height: random.height)
        var plain = PlainVP8L(random.writer.bytes)
        let expected = try plain.pixels(random.width, random.height).map { UInt8($0 >> 8 & 255) }
        #expect(DecodedVP8L(random.writer.bytes, .alpha(size)).bytes == expected)
        #expect(DecodedVP8L(random.writer.bytes, .alpha(size), pieceSize: 1).bytes == expected)
    }

    @Test(arguments: 0..<40)
    func palettesWithoutCacheTakeAByteAPixel(_ seed: Int) throws {
        // Two colors, eight pixels a byte; then a palette of 200; green alone takes bits.
        var source = DecisionSource(seed: UInt64(seed))
        let (width, height) = (source.number(in: 1...300), source.number(in: 1...60))
        var writer = VP8LWriter()
        writer.writeHeader(width: width, height: height)
        let colorCount = seed % 2 == 0 ? 2 : 200
        writer.write(1, 1)
        writer.write(3, 2)
        writer.write(colorCount - 1, 8)
        writer.write(0, 1)
        writer.writeConstantGroup(alpha: 1, red: 2, green: 3, blue: 4)
        writer.write(0, 3)
        let lengths = Array(repeating: 8, count: 192) + Array(repeating: 0, count: 64) + [3, 4, 4] + [0, 0]
        var codeLengths = lengths + Array(repeating: 0, count: 280 - lengths.count)
        // 192/256 + 1/4 of copies.
        codeLengths[256] = 3
        writer.writeNormal(codeLengths)
        for symbol in [0, 0, 255] { writer.writeSimple([symbol]) }
        writer.writeNormal([1, 2, 2] + Array(repeating: 0, count: 37))
        let (green, distance) = (WrittenCode(codeLengths), WrittenCode([1, 2, 2] + Array(repeating: 0, count: 37)))
        let codedWidth = colorCount == 2 ? (width + 7) / 8 : width
        var place = 0
        while place < codedWidth * height {
            let length = source.number(in: 1...3)
            if place > 2 * codedWidth + 2, length <= codedWidth * height - place, source.oneIn(2) {
                writer.write(255 + length, green)
                writer.write(source.below(3), distance)
                place += length
            } else {
                writer.write(source.below(192), green)
                place += 1
            }
        }
        let decoded = DecodedVP8L(writer.bytes)
        let expected = try PlainVP8L.picture(writer.bytes)
        #expect(decoded.pixels == expected.pixels)
        #expect(DecodedVP8L(writer.bytes, pieceSize: 1).pixels == expected.pixels)
    }

    @Test(arguments: 0..<60)
    func palettesWithCacheAreAsByTheBook(_ seed: Int) throws {
        var source = DecisionSource(seed: UInt64(seed))
        let (width, height) = (source.number(in: 20...300), source.number(in: 1...60))
        let (cacheBits, alpha) = (1 + seed % 11, seed % 3 == 0 ? 0 : 255)
        // Places where the first literals go; or any, so that in some of them there is nothing.
        let colors = (0..<16).map { UInt32(alpha) << 24 | UInt32($0) << 8 }
        var places = Array(Set(colors.map { ColorCache.place(of: $0, bitCount: cacheBits) })).sorted()
        if seed % 2 == 1 { places = Array(0..<min(16, 1 << cacheBits)) }
        let placeBits = Int.bitWidth - 1 - places.count.leadingZeroBitCount
        places = Array(places.prefix(1 << placeBits))
        var writer = VP8LWriter()
        writer.writeHeader(width: width, height: height)
        let colorCount = seed % 5 == 0 ? 2 : 200
        writer.write(1, 1)
        writer.write(3, 2)
        writer.write(colorCount - 1, 8)
        writer.write(0, 1)
        writer.writeConstantGroup(alpha: 1, red: 2, green: 3, blue: 4)
        writer.write(0, 1)
        writer.write(1, 1)
        writer.write(cacheBits, 4)
        writer.write(0, 1)
        // Half literals, a quarter copies, a quarter colors of the cache.
        var lengths = Array(repeating: 8, count: 128) + Array(repeating: 0, count: 152 + 1 << cacheBits)
        for (symbol, length) in [(256, 3), (257, 4), (266, 4)] { lengths[symbol] = length }
        for place in places { lengths[280 + place] = 2 + placeBits }
        writer.writeNormal(lengths)
        for symbol in [0, 0, alpha] { writer.writeSimple([symbol]) }
        let distances = [1, 2, 2] + Array(repeating: 0, count: 37)
        writer.writeNormal(distances)
        let (green, distance) = (WrittenCode(lengths), WrittenCode(distances))
        let codedWidth = colorCount == 2 ? (width + 7) / 8 : width
        var place = 0
        while place < codedWidth * height {
            let rest = codedWidth * height - place
            if place < 16 {
                writer.write(place, green)
                place += 1
            } else if rest >= 64, place > 2 * codedWidth + 2, source.oneIn(4) {
                // Lengths of 33 to 48 have four more bits.
                let (symbol, extra) = source.oneIn(4) ? (266, source.below(16)) : (256 + source.below(2), 0)
                writer.write(symbol, green)
                if symbol == 266 { writer.write(extra, 4) }
                writer.write(source.below(3), distance)
                place += symbol == 266 ? 33 + extra : symbol - 255
            } else {
                let color = source.oneIn(2) ? source.below(128) : 280 + places[source.below(places.count)]
                writer.write(color, green)
                place += 1
            }
        }
        let expected = try PlainVP8L.picture(writer.bytes)
        #expect(DecodedVP8L(writer.bytes).pixels == expected.pixels)
        let pieces = DecodedVP8L(writer.bytes, pieceSize: 1)
        #expect(pieces.stream.isComplete && pieces.pixels == expected.pixels)
    }

    @Test func copiesAreCheckpoints() {
        let file = RandomVP8L(DecisionSource(seed: 77)).writer.bytes
        let whole = DecodedVP8L(file)
        for cut in stride(from: 5, to: file.count, by: 3) {
            var first = VP8LStream(.picture, meter: nil)
            var work = WorkGuard.unlimited
            var rows: [UInt8] = []
            var used = 0
            do {
                for _ in 0..<2 {
                    used += try first.consume(
                        file.span.extracting(used..<cut), offset: used, isFinal: false, work: &work
                    ) { row, _ in rows.append(row) }
                }
                var second = first
                for copy in 0..<2 {
                    var rest: [UInt8] = []
                    try copy == 0 ? first.makeUnique() : second.makeUnique()
                    if copy == 0 {
                        _ = try first.consume(
                            file.span.extracting(used..<file.count), offset: used, isFinal: true, work: &work
                        ) { row, _ in rest.append(row) }
                    } else {
                        _ = try second.consume(
                            file.span.extracting(used..<file.count), offset: used, isFinal: true, work: &work
                        ) { row, _ in rest.append(row) }
                    }
                    #expect(rows + rest == whole.bytes, "cut at \(cut)")
                }
            } catch {
                Issue.record("cut at \(cut): \(error)")
            }
        }
    }

    @Test func factsNeedNoPixels() {
        let file = RandomVP8L(DecisionSource(seed: 5), size: (300, 200)).writer.bytes
        let decoded = DecodedVP8L(file, extent: .headers)
        #expect(decoded.stream.isComplete && decoded.bytes.isEmpty)
        #expect(decoded.stream.imageInfo == DecodedVP8L(file).stream.imageInfo)
        #expect(decoded.peak < 300 * 200)
    }
}
