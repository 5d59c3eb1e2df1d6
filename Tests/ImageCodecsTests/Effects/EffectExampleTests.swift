import ImageCodecs
import Testing

// snippet: chain
func badge(_ photo: RasterImage) throws(ImageError) -> RasterImage {
    let square = PixelSize(width: 96, height: 96)
    return try photo.scaled(toFill: square).croppedToCenter(square)
        .tinted(PixelColor(rgba8: SIMD4(0, 64, 128, 64)))
        .roundingCorners(radius: 16)
}
// end of snippet

/// The code shown in the article "Changing pictures" does what the text beside it says.
@Suite struct EffectExampleTests {
    @Test func callsAreChained() throws {
        let photo = try RasterImage(bitmap: Bitmap(size: PixelSize(width: 300, height: 200), format: .bgrx))
        let badge = try badge(photo)
        #expect(badge.size == PixelSize(width: 96, height: 96))
        #expect(badge.bitmap[0, 0].alpha == 0)
        // Black under a quarter of blue.
        #expect(badge.bitmap[48, 48].rgba8 == SIMD4(0, 16, 32, 255))
    }
}
