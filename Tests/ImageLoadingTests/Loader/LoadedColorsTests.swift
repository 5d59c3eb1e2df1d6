import ImageCodecs
import ImageColor
import ImageLoading
import Testing

@Suite struct LoadedColorsTests {
    private let pixels: [UInt8] = [255, 128, 64, 90, 20, 200]
    /// These colours of Display P3 as Little CMS 2.16 has them in sRGB, relative colorimetric.
    private let shown = [255, 119, 38, 99, 10, 208]

    @Test func picturesAreInSRGBUnlessTheRequestSaysOtherwise() async throws {
        let size = PixelSize(width: 2, height: 1)
        var image = RasterImage(bitmap: try Bitmap(copying: pixels, size: size, format: .rgb))
        image.metadata.iccProfile = StandardColorSpace.displayP3.iccProfile
        let loader = ImageLoader.make(CountingSource(try image.encoded(as: .png)), memory: true)
        var request = ImageRequest("test:a")
        request.options.pixelFormat = .rgb
        let converted = try await loader.image(for: request).image
        #expect(zip(converted.bitmap.packedBytes(), shown).allSatisfy { abs(Int($0) - $1) <= 1 })
        #expect(converted.metadata.iccProfile == nil)
        request.options.color = .asStored
        let stored = try await loader.image(for: request).image
        #expect(stored.bitmap.packedBytes() == pixels)
        #expect(stored.metadata.iccProfile == StandardColorSpace.displayP3.iccProfile)
    }
}
