import CodecTestSupport
import ImageCodecs
import ImageCodecsCore
import ImageInspection
import Testing

/// Pictures of four pixels whose colour indexing comes before, after and between other transforms.
@Suite struct VP8LTransformOrderTests {
    private enum Transform: Int {
        case predictor = 0
        case subtractGreen = 2
        case colorIndexing = 3
    }

    /// Bits of a VP8L bitstream, the lowest first.
    private struct Bits {
        var bytes: [UInt8] = []
        private var count = 0

        mutating func put(_ value: Int, _ bitCount: Int) {
            for bit in 0..<bitCount {
                if count % 8 == 0 { bytes.append(0) }
                bytes[bytes.count - 1] |= UInt8(value >> bit & 1) << UInt8(count % 8)
                count += 1
            }
        }

        /// Five prefix codes of one symbol each, which takes no bit: every pixel is `green` and nothing else (RFC 9649 section 3.7.2.1.1
        /// "Simple Code Length Code").
        mutating func putCodes(green: Int) {
            for symbol in [green, 0, 0, 255, 0] {
                put(1, 1)
                put(0, 1)
                put(1, 1)
                put(symbol, 8)
            }
        }
    }

    /// A picture of 4x1 pixels whose colours are 0 and 1 by turns of the palette 10, 20 (green).
    private func file(_ transforms: [Transform]) -> ImageData {
        var bits = Bits()
        bits.put(0x2F, 8)
        bits.put(3, 14)
        bits.put(0, 14)
        bits.put(0, 4)
        for transform in transforms {
            bits.put(1, 1)
            bits.put(transform.rawValue, 2)
            switch transform {
            case .predictor:
                // Blocks of four pixels, no color cache; mode 0.
                bits.put(0, 3)
                bits.put(0, 1)
                bits.putCodes(green: 0)
            case .subtractGreen: break
            case .colorIndexing:
                // Two colors, each 10 more than the one before.
                bits.put(1, 8)
                bits.put(0, 1)
                bits.putCodes(green: 10)
            }
        }
        // No more transforms, no color cache, no entropy image; one pixel that holds the four indices 1, 0, 1, 0.
        bits.put(0, 3)
        bits.putCodes(green: 0b0101)
        return ImageData(WebPBuilder.file(WebPBuilder.chunk("VP8L", bits.bytes)))
    }

    private func pixels(_ data: ImageData) throws -> [[UInt8]] {
        var options = DecodingOptions()
        options.pixelFormat = .rgb
        let bitmap = try RasterImage(data, options: options).bitmap
        return bitmap.withRow(0) { row in (0..<bitmap.width).map { x in (0..<3).map { row[3 * x + $0] } } }
    }

    private func between(_ data: ImageData) throws -> [MapLayer] {
        try FileMap(of: data).layers.filter { $0.key.hasPrefix("without-") }
    }

    @Test func afterOtherTransformsIndicesAreNotTakenForColours() throws {
        let data = file([.subtractGreen, .colorIndexing])
        // Indices become colors first, then green is added.
        #expect(try pixels(data) == [[20, 20, 20], [10, 10, 10], [20, 20, 20], [10, 10, 10]])
        #expect(try between(data).isEmpty)
        let coded = try #require(try FileMap(of: data).layers.first { $0.key == "coded" })
        #expect(coded.values == [0x80_80_80 ^ 0x00_05_00])
    }

    @Test func beforeOtherTransformsPackedPixelsAreShown() throws {
        let data = file([.colorIndexing, .subtractGreen])
        // Green is added to the packed pixel, of which green alone counts.
        #expect(try pixels(data) == [[0, 20, 0], [0, 10, 0], [0, 20, 0], [0, 10, 0]])
        let layers = try between(data)
        #expect(layers.map(\.key) == ["without-subtract-green"])
        #expect(layers.first?.values == [0x05_05_05])
    }

    @Test func betweenOtherTransformsPicturesEndBeforeIt() throws {
        let data = file([.subtractGreen, .colorIndexing, .predictor])
        #expect(try pixels(data) == [[20, 20, 20], [10, 10, 10], [20, 20, 20], [10, 10, 10]])
        let layers = try between(data)
        #expect(layers.map(\.key) == ["without-predictor"])
        #expect(layers.first?.gridSize == PixelSize(width: 1, height: 1))
    }

    /// - Source: RFC 9649 section 3.5 "Transforms": each is allowed once.
    @Test func aTransformThatIsThereTwiceEndsTheMap() throws {
        let data = file([.subtractGreen, .subtractGreen])
        #expect(throws: ImageError.self) { try pixels(data) }
        let map = try FileMap(of: data)
        #expect(map.layers.isEmpty && map.remarks.contains { $0.isProblem && $0.text.contains("ends early") })
    }
}
