import CodecTestSupport
import ImageCodecsCore
import Testing
import WebPLosslessCodec

/// Every fixture against what libwebp reads from it, and the laws of decoding on them.
@Suite struct VP8LFixtureTests {
    private static var straight: DecodingOptions {
        var options = DecodingOptions()
        options.pixelFormat = .rgba
        return options
    }

    @Test func thereAreFixtures() {
        #expect(Fixture.sound("webp/lossless").count >= 30)
        #expect(Fixture.damaged("webp/lossless").count >= 4)
    }

    @Test(arguments: Fixture.sound("webp/lossless"))
    func soundFilesDecodeInOneShot(_ fixture: Fixture) throws {
        let image = try RawVP8LCoder().decode(ImageData(fixture.bitstream()), options: Self.straight)
        #expect(image.bitmap.width == fixture.width && image.bitmap.height == fixture.height)
        #expect(try PixelDigest.crc32(of: image.bitmap) == fixture.crc)
    }

    @Test(arguments: Fixture.sound("webp/lossless"), [1, 7, 4096])
    func soundFilesDecodeInPieces(_ fixture: Fixture, pieceSize: Int) throws {
        let file = try fixture.bitstream()
        var decoder = VP8LDecoder(options: Self.straight)
        for start in stride(from: 0, to: file.count, by: pieceSize) {
            _ = try decoder.append(file.span.extracting(start..<min(file.count, start + pieceSize)))
        }
        #expect(try decoder.finish().isComplete)
        #expect(try decoder.image().map { try PixelDigest.crc32(of: $0.bitmap) } == fixture.crc)
    }

    @Test(arguments: Fixture.damaged("webp/lossless"))
    func damagedFilesAreReported(_ fixture: Fixture) throws {
        let file = try fixture.bitstream()
        do {
            _ = try RawVP8LCoder().decode(ImageData(file), options: .default)
            Issue.record("it decodes")
        } catch {
            #expect(error.code == fixture.errorCode)
        }
    }

    @Test(arguments: Fixture.sound("webp/lossless").filter { !$0.name.hasPrefix("wide") })
    func theLawsHold(_ fixture: Fixture) throws {
        let violations = DecoderLaws(RawVP8LCoder()).violations(try fixture.bitstream(), sampleCount: 4)
        #expect(violations == [])
    }

    @Test func decodesCanBeStopped() async throws {
        let fixture = try #require(Fixture.sound("webp/lossless").first { $0.name == "groups.webp" })
        #expect(await DecoderLaws(RawVP8LCoder()).decodesCanBeStopped(try fixture.bitstream()) == [])
    }

    @Test func factsTellHowAPictureIsCoded() throws {
        let fixture = try #require(Fixture.sound("webp/lossless").first { $0.name == "colors-16.webp" })
        var decoder = VP8LDecoder()
        let file = try fixture.bitstream()
        _ = try decoder.append(file.span)
        #expect(decoder.imageInfo.transforms == [.colorIndexing(colorCount: 16, pixelsPerByte: 2)])
        #expect(decoder.imageInfo.prefixCodeGroupCount == 1)
        #expect(decoder.imageInfo.metaPrefixBlockSize == nil)
    }

    /// The file of the article "A bitstream bit by bit".
    @Test func theFileOfTheArticleIsAsItSays() throws {
        let fixture = try #require(Fixture.sound("webp/lossless").first { $0.name == "two-colors-4x2.webp" })
        let file = try fixture.bitstream()
        let written: [UInt8] = [
            0x2F, 0x03, 0x40, 0x00, 0x00, 0x0F, 0x10, 0xF3, 0xBF, 0xFF, 0xF3, 0x1F, 0x0E, 0xE6, 0x20, 0xA2, 0xFF, 0x11,
        ]
        #expect(file == written)
        let decoded = DecodedVP8L(file)
        let (red, blue): (UInt32, UInt32) = (0xFFFF_0000, 0xFF00_00FF)
        #expect(decoded.pixels == [red, red, red, blue, blue, blue, blue, blue])
        #expect(decoded.stream.imageInfo.transforms == [.colorIndexing(colorCount: 2, pixelsPerByte: 8)])
        #expect(ColorCache.place(of: red, bitCount: 4) == 5)
    }
}
