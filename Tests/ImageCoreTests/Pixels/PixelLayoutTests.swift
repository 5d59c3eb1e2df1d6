import ImageCodecsCore
import Testing

@Suite struct PixelLayoutTests {
    @Test func theLastRowEndsWithItsLastPixel() throws {
        let layout = try PixelLayout(size: PixelSize(width: 5, height: 3), format: .rgb, bytesPerRow: 16)
        #expect(layout.rowByteCount == 15)
        #expect(layout.byteCount == 16 + 16 + 15)
        #expect(layout.byteRange(ofRow: 2) == 32..<47)
    }

    @Test func rowsFollowEachOtherWhereNothingIsSaid() throws {
        let layout = try PixelLayout(size: PixelSize(width: 5, height: 3), format: .rgba16)
        #expect(layout.bytesPerRow == 40)
        #expect(layout.byteCount == 120)
    }

    @Test func noPixelsTakeNoBytes() throws {
        #expect(try PixelLayout(size: PixelSize(width: 5, height: 0), format: .rgb, bytesPerRow: 99).byteCount == 0)
        #expect(try PixelLayout(size: PixelSize(width: 0, height: 5), format: .rgb, bytesPerRow: 99).byteCount == 0)
    }

    @Test func rowsOfMoreBytesThanThereAreNumbersAreRefused() {
        #expect(throws: ImageError.self) {
            try PixelLayout(size: PixelSize(width: .max, height: 0), format: .rgba)
        }
    }
}
