import CodecTestSupport
import ImageCodecsCore
import Testing

@Suite struct BitmapCopyingTests {
    private let size = PixelSize(width: 7, height: 4)

    /// Random pixels as a bitmap may hold them.
    private func pixels(_ format: PixelFormat) -> [UInt8] {
        var random = SeededRandom(seed: 3)
        var bytes = random.bytes(28 * format.bytesPerPixel)
        if format == .bgrx { for index in stride(from: 3, to: bytes.count, by: 4) { bytes[index] = 255 } }
        return bytes
    }

    @Test(arguments: PixelFormat.all)
    func packedPixelsAreCopied(_ format: PixelFormat) throws {
        let bytes = pixels(format)
        let bitmap = try Bitmap(copying: bytes, size: size, format: format)
        #expect(bitmap.format == format && bitmap.size == size)
        #expect(bitmap.packedBytes() == bytes)
    }

    @Test(arguments: PixelFormat.all)
    func whatIsBetweenRowsIsLeftOut(_ format: PixelFormat) throws {
        let bytes = pixels(format)
        let rowByteCount = 7 * format.bytesPerPixel
        var padded: [UInt8] = []
        for y in 0..<4 {
            padded += bytes[y * rowByteCount..<(y + 1) * rowByteCount]
            // The last row ends with its last pixel.
            if y < 3 { padded += [1, 2, 3] }
        }
        let bitmap = try Bitmap(copying: padded.span, size: size, format: format, bytesPerRow: rowByteCount + 3)
        #expect(bitmap.packedBytes() == bytes)
    }

    @Test func thePaddingByteOfBGRXBecomes255() throws {
        let bitmap = try Bitmap(copying: [1, 2, 3, 4], size: PixelSize(width: 1, height: 1), format: .bgrx)
        #expect(bitmap.packedBytes() == [1, 2, 3, 255])
    }

    @Test func tooFewBytesAreRefused() {
        #expect(
            throws: ImageError.invalidArgument(
                "the pixels are 83 bytes: 7x4 pixels of rgb, 21 bytes from row to row, take 84")
        ) { try Bitmap(copying: [UInt8](repeating: 0, count: 83), size: size, format: .rgb) }
    }

    @Test func impossibleLayoutsAreRefused() {
        let bytes = [UInt8](repeating: 0, count: 1000)
        for (size, bytesPerRow) in [
            (PixelSize(width: -1, height: 4), 64), (PixelSize(width: 4, height: -1), 64),
            (PixelSize(width: 7, height: 4), 20), (PixelSize(width: 7, height: 4), -21),
            (PixelSize(width: 7, height: 4), Int.max), (PixelSize(width: .max, height: 4), Int.max),
        ] {
            let error = #expect(throws: ImageError.self) {
                try Bitmap(copying: bytes, size: size, format: .rgb, bytesPerRow: bytesPerRow)
            }
            #expect(error?.code == "invalidArgument", "\(size), \(bytesPerRow)")
        }
    }

    @Test func aBitmapWithoutPixelsNeedsNoBytes() throws {
        #expect(try Bitmap(copying: [UInt8](), size: PixelSize(width: 0, height: 9), format: .rgb).packedBytes() == [])
        #expect(try Bitmap(copying: [UInt8](), size: PixelSize(width: 9, height: 0), format: .rgb).packedBytes() == [])
    }

    // MARK: - Cropping

    @Test(arguments: PixelFormat.all)
    func aCropHoldsThePixelsOfItsRectangle(_ format: PixelFormat) throws {
        let bitmap = try Bitmap(copying: pixels(format), size: size, format: format)
        for rect in [
            PixelRect(size), PixelRect(x: 2, y: 1, width: 3, height: 2), PixelRect(x: 6, y: 3, width: 1, height: 1),
        ] {
            let part = try bitmap.cropped(to: rect)
            #expect(part.size == rect.size && part.format == format)
            for y in 0..<rect.height {
                for x in 0..<rect.width { #expect(part[x, y] == bitmap[rect.x + x, rect.y + y]) }
            }
        }
    }

    @Test func anEmptyCropIsEmpty() throws {
        let bitmap = try Bitmap(size: size, format: .rgb)
        #expect(try bitmap.cropped(to: PixelRect(x: 7, y: 4, width: 0, height: 0)).packedBytes() == [])
    }

    @Test func rectanglesOutsideAreRefused() throws {
        let bitmap = try Bitmap(size: size, format: .rgb)
        #expect(throws: ImageError.invalidArgument("3x2+5+0 is not within a picture of 7x4 pixels")) {
            try bitmap.cropped(to: PixelRect(x: 5, y: 0, width: 3, height: 2))
        }
        for rect in [
            PixelRect(x: -1, y: 0, width: 2, height: 2), PixelRect(x: 0, y: 3, width: 1, height: 2),
            PixelRect(x: 0, y: 0, width: -1, height: 2), PixelRect(x: 1, y: 1, width: .max, height: 1),
            PixelRect(x: .max, y: 0, width: 1, height: 1),
        ] {
            let error = #expect(throws: ImageError.self) { try bitmap.cropped(to: rect) }
            #expect(error?.code == "invalidArgument", "\(rect)")
        }
    }
}
