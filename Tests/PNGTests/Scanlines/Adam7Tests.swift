import CodecTestSupport
import ImageCodecsCore
import PNGCodec
import Testing

@Suite struct Adam7Tests {
    /// PNG 3rd ed. §8.1 "Interlacing and pass extraction": the pass of every pixel of an 8x8 block.
    private static let pattern = [
        [1, 6, 4, 6, 2, 6, 4, 6], [7, 7, 7, 7, 7, 7, 7, 7], [5, 6, 5, 6, 5, 6, 5, 6], [7, 7, 7, 7, 7, 7, 7, 7],
        [3, 6, 4, 6, 3, 6, 4, 6], [7, 7, 7, 7, 7, 7, 7, 7], [5, 6, 5, 6, 5, 6, 5, 6], [7, 7, 7, 7, 7, 7, 7, 7],
    ]

    @Test func passesHaveThePixelsOfThePattern() {
        for width in 1...17 {
            for height in 1...17 {
                var counts = [Int](repeating: 0, count: 8)
                for y in 0..<height { for x in 0..<width { counts[Self.pattern[y % 8][x % 8]] += 1 } }
                let passes = Adam7.passes(of: PixelSize(width: width, height: height))
                #expect(passes.map(\.number) == (1...7).filter { counts[$0] > 0 })
                for pass in passes {
                    #expect(pass.size.pixelCount == counts[pass.number])
                    for row in 0..<pass.size.height {
                        for column in 0..<pass.size.width {
                            let (x, y) = (pass.x + column * pass.columnStep, pass.y + row * pass.rowStep)
                            #expect(x < width && y < height && Self.pattern[y % 8][x % 8] == pass.number)
                        }
                    }
                }
            }
        }
    }

    /// A gray picture whose samples are all different, interlaced, in stored blocks, and where each pass ends.
    private func picture(_ width: Int, _ height: Int) -> (file: [UInt8], samples: [UInt8], passEnds: [Int: Int]) {
        let samples = (0..<width * height).map { UInt8(truncatingIfNeeded: 1 + $0 * 37) }
        var lines: [UInt8] = []
        var ends: [Int: Int] = [:]
        for pass in 1...7 {
            for y in 0..<height {
                let columns = (0..<width).filter { Self.pattern[y % 8][$0 % 8] == pass }
                if !columns.isEmpty { lines += [0] + columns.map { samples[y * width + $0] } }
            }
            // Signature, IHDR, IDAT header, zlib header, block header.
            ends[pass] = 8 + 25 + 8 + 2 + 5 + lines.count
        }
        let file = PNGBuilder.file(width: width, height: height, colorType: 0, interlaced: true, scanlines: lines)
        return (file, samples, ends)
    }

    /// The sample a preview shows: the nearest known one above and left, in the block that the pass leaves.
    private func preview(_ samples: [UInt8], _ width: Int, _ x: Int, _ y: Int, afterPass pass: Int) -> UInt8 {
        let block = [(8, 8), (8, 8), (4, 8), (4, 4), (2, 4), (2, 2), (1, 2), (1, 1)][pass]
        return samples[(y - y % block.1) * width + x - x % block.0]
    }

    @Test(arguments: [(16, 16), (17, 13), (8, 8), (3, 2), (1, 1), (5, 1), (1, 9), (33, 40)])
    func everyPassShowsTheWholePictureInBlocks(_ width: Int, _ height: Int) throws {
        let (file, samples, ends) = picture(width, height)
        var options = DecodingOptions()
        options.pixelFormat = .gray
        let present = Set(Adam7.passes(of: PixelSize(width: width, height: height)).map(\.number))
        for pass in 1...7 {
            var decoder = PNGCoder().makeIncrementalDecoder(options: options)
            let end = ends[pass] ?? 0
            _ = try decoder.append(file.span.extracting(0..<end))
            let shown = try #require(try decoder.image())
            var expected: [UInt8] = []
            for y in 0..<height {
                // Missing passes bring no pixel, so a pass that is done counts with those after it.
                let known = (pass...7).first { $0 == 7 || present.contains($0 + 1) } ?? 7
                for x in 0..<width { expected.append(preview(samples, width, x, y, afterPass: known)) }
            }
            #expect(shown.bitmap.packedBytes() == expected, "pass \(pass)")
        }
    }

    /// Samples are kept for a thumbnail, not pixels: what is missing shows what it shows in the whole picture.
    @Test func aThumbnailOfAnUnfinishedPictureIsThatPictureScaled() throws {
        let (file, _, ends) = picture(33, 40)
        for count in stride(from: 8 + 25 + 8 + 2 + 5, to: (ends[7] ?? 0) + 1, by: 7) {
            var pictures: [Bitmap] = []
            for size in [DecodingOptions.OutputSize.full, .fitting(PixelSize(width: 9, height: 9))] {
                var options = DecodingOptions()
                options.size = size
                var decoder = PNGCoder().makeIncrementalDecoder(options: options)
                _ = try decoder.append(file.span.extracting(0..<count))
                if let image = try decoder.image() { pictures.append(image.bitmap) }
            }
            guard pictures.count == 2 else {
                #expect(pictures.isEmpty)
                continue
            }
            #expect(try pictures[0].scaled(to: pictures[1].size) == pictures[1], "\(count) bytes")
        }
    }

    @Test func thePassBeingDecodedRefinesItsRowsOnly() throws {
        let (file, samples, ends) = picture(16, 24)
        var options = DecodingOptions()
        options.pixelFormat = .gray
        var decoder = PNGCoder().makeIncrementalDecoder(options: options)
        // One of three rows of pass 1: a filter type byte and two pixels.
        _ = try decoder.append(file.span.extracting(0..<(8 + 25 + 8 + 2 + 5 + 3)))
        let first = try #require(try decoder.image())
        for y in 0..<24 {
            for x in 0..<16 {
                let expected = y < 8 ? preview(samples, 16, x, y, afterPass: 1) : 0
                #expect(first.bitmap.packedBytes()[y * 16 + x] == expected)
            }
        }
        #expect(first.partial?.passes == PartialReport.Progress(done: 0, total: 7))
        #expect(first.partial?.rows == [])
        // All passes but the last, of which three of twelve rows.
        decoder = PNGCoder().makeIncrementalDecoder(options: options)
        _ = try decoder.append(file.span.extracting(0..<((ends[6] ?? 0) + 3 * 17)))
        let last = try #require(try decoder.image())
        #expect(last.partial?.passes == PartialReport.Progress(done: 6, total: 7))
        #expect(last.partial?.rows == [0..<6])
        #expect(Array(last.bitmap.packedBytes()[..<(6 * 16)]) == Array(samples[..<(6 * 16)]))
    }
}
