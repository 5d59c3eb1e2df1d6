import CodecTestSupport
import ImageCodecsCore
import PNGCodec
import Testing

@Suite struct PNGOptimizingTests {
    private func decoded(_ file: ImageData) throws -> RasterImage {
        var options = DecodingOptions()
        options.pixelFormat = .rgba16
        options.appliesOrientation = false
        return try PNGCoder().decode(file, options: options)
    }

    private func fixture(_ name: String) throws -> ImageData {
        ImageData(try FixtureBytes.read("png/\(name)"))
    }

    @Test(arguments: [
        "landscape.png", "landscape-adam7.png", "badge@2x.png", "chart-palette.png", "heights-gray16.png",
        "mask-gray1.png", "turned-exif6.png",
    ])
    func pixelsAndMetadataStayAndFilesGetNoLonger(_ name: String) throws {
        let file = try fixture(name)
        let optimized = try PNGCoder().optimized(file)
        #expect(optimized.count <= file.count)
        let (before, after) = (try decoded(file), try decoded(optimized))
        #expect(before.bitmap == after.bitmap && before.metadata == after.metadata)
        #expect(before.orientation == after.orientation)
    }

    @Test func metadataAreLeftOutIfAsked() throws {
        var image = RasterImage(bitmap: try EncoderPicture(.scene, size: PixelSize(width: 60, height: 40)).bitmap)
        image.metadata.texts = [TextEntry(keyword: "Title", text: "a name")]
        image.metadata.gamma = 45455
        let file = ImageData(try PNGCoder().encode(image, to: .png, options: .best))
        var options = EncodingOptions.best
        options.metadata = .colors
        let optimized = try decoded(PNGCoder().optimized(file, options: options))
        #expect(optimized.metadata.texts.isEmpty && optimized.metadata.gamma == 45455)
    }

    @Test func aFileThatGetsNoSmallerIsHandedBack() throws {
        let file = try PNGCoder().optimized(fixture("landscape.png"))
        let again = try PNGCoder().optimized(file)
        #expect(again.withBytes { [UInt8]($0) } == file.withBytes { [UInt8]($0) })
    }

    @Test func animationsAreRefused() throws {
        let file = ImageData(try FixtureBytes.read("apng/plays-3.png"))
        #expect(throws: ImageError.self) { try PNGCoder().optimized(file) }
    }

    @Test func damagedFilesAreRefused() throws {
        #expect(throws: ImageError.self) { try PNGCoder().optimized(fixture("truncated.png")) }
        #expect(throws: ImageError.self) { try PNGCoder().optimized(ImageData([1, 2, 3])) }
    }
}
