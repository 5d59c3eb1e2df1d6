import CodecTestSupport
import ImageCodecsCore
import PNGCodec
import Testing

@Suite struct EncodingChoiceTests {
    private func encoded(
        width: Int, height: Int, _ effort: EncodingOptions.Effort, _ color: (_ x: Int, _ y: Int) -> [UInt8]
    ) throws -> [UInt8] {
        let pixels = (0..<height).flatMap { y in (0..<width).flatMap { x in color(x, y) } }
        let bitmap = try Bitmap(packed: pixels, size: PixelSize(width: width, height: height), format: .rgb)
        var options = EncodingOptions()
        options.effort = effort
        return try PNGCoder().encode(RasterImage(bitmap: bitmap), to: .png, options: options)
    }

    /// The body of PLTE, three bytes a colour.
    private func palette(_ file: [UInt8]) -> [[UInt8]] {
        var offset = 8
        while offset + 8 <= file.count {
            let length = file[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
            if Array(file[offset + 4..<offset + 8]) == Array("PLTE".utf8) {
                return stride(from: offset + 8, to: offset + 8 + length, by: 3).map { Array(file[$0..<$0 + 3]) }
            }
            offset += 12 + length
        }
        return []
    }

    /// Each pixel has the colour before or after that of its left neighbour, in a list without any order of brightness: a palette in
    /// that order leaves differences of 1.
    @Test(arguments: [EncodingOptions.Effort.default, .best])
    func aPaletteIsInTheOrderOfNeighbors(_ effort: EncodingOptions.Effort) throws {
        var random = SeededRandom(seed: 3)
        let colors = (0..<60).map { number in [UInt8(number)] + random.bytes(2) }
        var places: [Int] = []
        var place = 30
        for _ in 0..<200 * 200 {
            place = place == 0 ? 1 : place == 59 ? 58 : place + (random.next() % 2 == 0 ? 1 : -1)
            places.append(place)
        }
        let file = try encoded(width: 200, height: 200, effort) { x, y in colors[places[200 * y + x]] }
        let palette = palette(file)
        #expect(palette == colors || palette == colors.reversed())
        // A step is one of two: a bit a pixel, and what the codes and the palette take; matches by chance cost default half as much again.
        #expect(file.count < 200 * 200 / 8 * (effort == .best ? 5 : 6) / 4 + 400)
    }

    /// One row of noise that comes again and again, more of it than filters are tried on: the noise once, and hardly more.
    @Test func rowsThatRepeatAreWrittenOnce() throws {
        var random = SeededRandom(seed: 4)
        let row = random.bytes(3 * 700)
        let file = try encoded(width: 700, height: 1000, .best) { x, _ in Array(row[3 * x..<3 * x + 3]) }
        #expect(file.count < 2100 + 5000)
        #expect(
            try file.count
                <= encoded(width: 700, height: 1000, .default) { x, _ in Array(row[3 * x..<3 * x + 3]) }.count)
    }

    /// Black and white, each pixel unlike the one above with a chance of one in 100. Of such a picture, zlib 1.2.13 makes 3790 bytes at
    /// level 9 without a filter, and 2926 of the differences from the upper neighbours.
    @Test func smallPicturesOfOneBitAreFiltered() throws {
        var random = SeededRandom(seed: 6)
        let (width, height) = (400, 400)
        var isWhite = [Bool](repeating: false, count: width * height)
        for index in isWhite.indices {
            let above = index < width ? random.next() % 2 == 0 : isWhite[index - width]
            isWhite[index] = above != (random.next() % 100 == 0)
        }
        let file = try encoded(width: width, height: height, .default) { x, y in
            Array(repeating: isWhite[width * y + x] ? 255 : 0, count: 3)
        }
        #expect(file.count < 3200)
    }

    /// A tile of sixteen colours and an odd width: with two pixels in a byte only every other one of them repeats. oxipng 9 at its
    /// level 2 takes 1598 bytes.
    @Test func tilesOfAnOddWidthRepeatAtEachPixel() throws {
        var state: UInt32 = 1
        let tile = (0..<37 * 53).map { _ in
            state = state &* 1_103_515_245 &+ 12345
            return Int(state >> 28)
        }
        let file = try encoded(width: 200, height: 200, .default) { x, y in
            let number = tile[y % 53 * 37 + x % 37]
            return [UInt8(16 * number), UInt8(255 - 9 * number), UInt8(truncatingIfNeeded: 71 * number)]
        }
        #expect(20 * file.count <= 21 * 1598)
    }

    @Test func picturesOfOneRowAndOneColumnKeepTheirPixels() throws {
        for (width, height) in [(1, 1), (1, 300), (300, 1), (2, 2)] {
            for effort in [EncodingOptions.Effort.fast, .default, .best] {
                let color: (Int, Int) -> [UInt8] = { x, y in [UInt8((x + y) * 7 % 256), UInt8(x % 13), UInt8(y % 5)] }
                let file = try encoded(width: width, height: height, effort, color)
                var options = DecodingOptions()
                options.pixelFormat = .rgb
                let decoded = try PNGCoder().decode(ImageData(file), options: options).bitmap.packedBytes()
                #expect(decoded == (0..<height).flatMap { y in (0..<width).flatMap { x in color(x, y) } })
            }
        }
    }
}
