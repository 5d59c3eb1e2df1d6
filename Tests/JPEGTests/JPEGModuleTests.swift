import JPEG
import Testing

@Suite struct JPEGModuleTests {
    @Test func importingJPEGBringsImageCore() {
        #expect(PixelFormat.bgrx.bytesPerPixel == 4)
    }
}
