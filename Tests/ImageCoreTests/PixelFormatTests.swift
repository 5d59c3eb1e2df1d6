import Testing

import ImageCodecsCore

@Suite struct PixelFormatTests {
    @Test(arguments: PixelFormat.all)
    func nameLeadsBackToTheFormat(_ format: PixelFormat) {
        #expect(PixelFormat(name: format.name) == format)
    }

    @Test func unknownNamesAreNoFormat() {
        #expect(PixelFormat(name: "bgr565") == nil)
    }

    @Test func bytesPerPixelCountsPaddingAndDepth() {
        #expect(PixelFormat.bgrx.bytesPerPixel == 4)
        #expect(PixelFormat.rgb.bytesPerPixel == 3)
        #expect(PixelFormat.rgba16.bytesPerPixel == 8)
        #expect(PixelFormat.gray16.bytesPerPixel == 2)
        #expect(PixelFormat.grayAlpha.bytesPerPixel == 2)
    }
}
