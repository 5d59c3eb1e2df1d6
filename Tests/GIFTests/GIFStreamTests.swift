import CodecTestSupport
import GIFCodec
import ImageCodecsCore
import Testing

/// What readers make of files that say less than they should.
@Suite struct GIFStreamTests {
    private func options(_ strictness: DecodingOptions.Strictness, _ format: PixelFormat = .rgba) -> DecodingOptions {
        var options = DecodingOptions()
        options.pixelFormat = format
        options.strictness = strictness
        return options
    }

    private func screen(_ width: UInt8, _ height: UInt8, flags: UInt8 = 0) -> [UInt8] {
        Array("GIF89a".utf8) + [width, 0, height, 0, flags, 0, 0]
    }

    private func image(_ width: UInt8, _ height: UInt8, flags: UInt8 = 0) -> [UInt8] {
        [0x2C, 0, 0, 0, 0, width, 0, height, 0, flags]
    }

    /// The pixels of all frames, strictly and tolerantly, at once and byte by byte.
    private func frames(_ file: [UInt8]) throws -> [[UInt8]] {
        var all: [[[UInt8]]] = []
        for strictness in DecodingOptions.Strictness.allCases {
            let options = options(strictness)
            let image = try GIFCoder().decode(ImageData(file), options: options)
            #expect(!image.isPartial)
            all.append(image.frames.map { $0.bitmap.packedBytes() })
            let pieces = try GIFCoder().decode(file, inPiecesOf: 1, options: options)
            #expect(pieces?.bitmap == image.bitmap && pieces?.isPartial == false)
            let animation = try GIFCoder().makeAnimation(from: ImageData(file), options: options)
            all.append(try (0..<animation.frameCount).map { try animation.frame(at: $0).bitmap.packedBytes() })
        }
        #expect(all.allSatisfy { $0 == all[0] })
        return all[0]
    }

    /// Codes of three bits: clear, 0, 1, 2; then of four: end.
    private static let threePixels: [UInt8] = [2, 2, 0x44, 0x54, 0]

    /// GIF89a section 11 "About Color Tables".
    @Test func withoutAColorTableIndicesAreBlackAndWhiteAndBlack() throws {
        let expected: [UInt8] = [0, 0, 0, 255, 255, 255, 255, 255, 0, 0, 0, 255]
        #expect(try frames(screen(3, 1) + image(3, 1) + Self.threePixels + [0x3B]) == [expected])
        // Index 1 is transparent.
        let control: [UInt8] = [0x21, 0xF9, 4, 1, 10, 0, 1, 0]
        let clear: [UInt8] = [0, 0, 0, 255, 0, 0, 0, 0, 0, 0, 0, 255]
        #expect(try frames(screen(3, 1) + control + image(3, 1) + Self.threePixels + [0x3B]) == [clear])
    }

    @Test func aFrameWithoutAColorTableDoesNotUseThatOfAnother() throws {
        let own = image(3, 1, flags: 0x80) + [9, 8, 7, 6, 5, 4] + Self.threePixels
        #expect(
            try frames(screen(3, 1) + own + image(3, 1) + Self.threePixels + [0x3B]) == [
                [9, 8, 7, 255, 6, 5, 4, 255, 0, 0, 0, 255], [0, 0, 0, 255, 255, 255, 255, 255, 0, 0, 0, 255],
            ])
    }

    /// The smallest files there are: 26 bytes.
    @Test(arguments: [0, 0x40] as [UInt8], [0, 2, 8] as [UInt8])
    func anImageWithoutDataShowsNothing(_ flags: UInt8, _ codeSize: UInt8) throws {
        let empty = image(1, 1, flags: flags) + [codeSize, 0]
        #expect(try frames(screen(1, 1) + empty + [0x3B]) == [[0, 0, 0, 0]])
        // Of an animation the frame before stays.
        let first = image(1, 1) + [2, 2, 0x4C, 1, 0]
        #expect(
            try frames(screen(1, 1) + first + empty + empty + [0x3B])
                == [[UInt8]](
                    repeating: [255, 255, 255, 255], count: 3))
    }

    @Test func dataWithoutPixelsAreTooShort() throws {
        // Clear and end.
        let file = screen(1, 1) + image(1, 1) + [2, 1, 0x2C, 0, 0x3B]
        let error = #expect(throws: ImageError.self) {
            try GIFCoder().decode(ImageData(file), options: options(.strict))
        }
        #expect(error?.damageCode == .gifImageDataShort)
    }

    /// 300 pixels, each a code of eight bits: 100 come after each clear code.
    private static let rows: [UInt8] = {
        var codes: [UInt8] = []
        for pixel in 0..<300 { codes += (pixel % 100 == 0 ? [0x80] : []) + [UInt8(pixel / 10)] }
        return codes + [0x81]
    }()

    /// A gray picture of 10x30 pixels whose rows have their numbers, in sub-blocks of this many bytes.
    private func rowsFile(subBlock: Int, isInterlaced: Bool = false) -> [UInt8] {
        var file = screen(10, 30, flags: 0x86)
        for level in 0..<128 as Range<UInt8> { file += [level, level, level] }
        file += image(10, 30, flags: isInterlaced ? 0x40 : 0) + [7]
        for start in stride(from: 0, to: Self.rows.count, by: subBlock) {
            let data = Self.rows[start..<min(Self.rows.count, start + subBlock)]
            file += [UInt8(data.count)] + data
        }
        return file + [0, 0x3B]
    }

    /// Bytes before the first sub-block.
    private static let dataOffset = 13 + 384 + 10 + 1

    @Test(arguments: [false, true])
    func bytesOfACutSubBlockAreDecodedIfDamageIsTolerated(_ isInterlaced: Bool) throws {
        let whole = rowsFile(subBlock: 255, isInterlaced: isInterlaced)
        let single = rowsFile(subBlock: 1, isInterlaced: isInterlaced)
        let options = options(.tolerant)
        for count in [11, 12, 55, 100, 254, 255, 256, 290, 303, 304] {
            // So many bytes of codes are there, in sub-blocks of 255 bytes and of one.
            let cut = Array(whole.prefix(Self.dataOffset + count + (count > 255 ? 2 : 1)))
            let image = try GIFCoder().decode(ImageData(cut), options: options)
            let plain = Array(single.prefix(Self.dataOffset + 2 * count))
            let other = try GIFCoder().decode(ImageData(plain), options: options)
            #expect(image.bitmap == other.bitmap, "\(count)")
            #expect(image.partial?.rows == other.partial?.rows)
            // A clear code comes before every hundredth pixel.
            let rowCount = (count - (count + 100) / 101) / 10
            if !isInterlaced { #expect(image.partial?.rows == [0..<min(30, rowCount)], "\(count)") }
            #expect(image.partial?.cause == .truncated(.gif, offset: cut.count))
            for size in [1, 7, 256] {
                let pieces = try GIFCoder().decode(cut, inPiecesOf: size, options: options)
                #expect(pieces?.bitmap == image.bitmap && pieces?.partial == image.partial)
            }
            #expect(throws: ImageError.truncated(.gif, offset: cut.count)) {
                try GIFCoder().decode(ImageData(cut), options: self.options(.strict))
            }
            let violations = DecoderLaws(GIFCoder()).hostileViolations(cut, options: options, DecisionSource(seed: 3))
            #expect(violations == [])
        }
    }

    @Test func aLaterFrameIsCutLikewise() throws {
        let one = rowsFile(subBlock: 255)
        let second = Array(one[(13 + 384)...])
        let cut = Array(one.dropLast()) + second.prefix(11 + 1 + 120)
        let options = options(.tolerant)
        let image = try GIFCoder().decode(ImageData(cut), options: options)
        let animation = try GIFCoder().makeAnimation(from: ImageData(cut), options: options)
        #expect(image.frames.count == 2 && animation.frameCount == 2)
        #expect(try animation.frame(at: 1).bitmap == image.frames[1].bitmap)
        // Two clear codes, 118 pixels.
        #expect(try animation.frame(at: 1).partial?.rows == [0..<11])
        var decoder = GIFCoder().makeIncrementalDecoder(options: options)
        for index in cut.indices { _ = try decoder.append(cut.span.extracting(index..<index + 1)) }
        _ = try decoder.finish()
        let pieces = try #require(try decoder.animation())
        #expect(try pieces.frame(at: 1).bitmap == image.frames[1].bitmap)
    }
}
