import CodecTestSupport
import ImageCodecs
import Testing

@Suite struct TintTests {
    private let red = PixelColor(rgba8: SIMD4(255, 0, 0, 255))
    private let half = PixelColor(rgba8: SIMD4(200, 100, 0, 128))

    private func bitmap(_ format: PixelFormat, _ bytes: [UInt8]) throws -> Bitmap {
        try Bitmap(
            copying: bytes, size: PixelSize(width: bytes.count / format.bytesPerPixel, height: 1), format: format)
    }

    @Test func anOpaqueColourLeavesTheShape() throws {
        // Opaque, half transparent, transparent.
        let tinted = try bitmap(.bgraPremultiplied, [10, 20, 30, 255, 5, 6, 7, 128, 0, 0, 0, 0]).tinted(red)
        #expect(tinted.packedBytes() == [0, 0, 255, 255, 0, 0, 128, 128, 0, 0, 0, 0])
        #expect(try bitmap(.gray, [90]).tinted(red).packedBytes() == [255, 0, 0])
    }

    @Test func aTranslucentColourIsMixed() throws {
        // (200 * 128 + 30 * 127) / 255 = 115.3; (100 * 128 + 20 * 127) / 255 = 60.2; 10 * 127 / 255 = 4.98.
        #expect(try bitmap(.rgb, [30, 20, 10]).tinted(half).packedBytes() == [115, 60, 5])
        #expect(try bitmap(.bgrx, [10, 20, 30, 255]).tinted(half).packedBytes() == [5, 60, 115, 255])
        #expect(try bitmap(.rgba, [30, 20, 10, 77]).tinted(half).packedBytes() == [115, 60, 5, 77])
        // (200 * 128 * 77 / 255 + 9 * 127) / 255 = 34.8
        #expect(try bitmap(.rgbaPremultiplied, [9, 6, 3, 77]).tinted(half).packedBytes() == [35, 18, 1, 77])
    }

    @Test func sixteenBitsStaySixteen() throws {
        var deep = try Bitmap(size: PixelSize(width: 1, height: 1), format: .rgba16)
        try deep.withMutableRow16(0) { row in
            for (index, value) in [1000, 2000, 3000, 65535].enumerated() { row[index] = UInt16(value) }
        }
        let color = PixelColor(red: 65535, green: 0, blue: 0, alpha: 13107)  // a fifth
        let tinted = try deep.tinted(color)
        // 13107 + 800; 1600; 2400
        #expect(tinted[0, 0] == PixelColor(red: 13907, green: 1600, blue: 2400, alpha: 65535))
    }

    @Test func noColourExceedsItsAlpha() throws {
        var random = SeededRandom(seed: 5)
        for _ in 0..<2000 {
            let alpha = random.bytes(1)[0]
            let pixel = random.bytes(3).map { UInt8(Int($0) * Int(alpha) / 255) } + [alpha]
            let bytes = random.bytes(4)
            let color = PixelColor(rgba8: SIMD4(bytes[0], bytes[1], bytes[2], bytes[3]))
            let tinted = try bitmap(.rgbaPremultiplied, pixel).tinted(color).packedBytes()
            #expect(tinted[3] == alpha)
            #expect(tinted[..<3].allSatisfy { $0 <= alpha })
        }
    }
}
