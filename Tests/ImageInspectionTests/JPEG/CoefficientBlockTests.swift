import CodecTestSupport
import Foundation
import ImageCodecs
import ImageCodecsCore
import ImageInspection
import Testing

/// One block of a JPEG picture taken apart.
@Suite struct CoefficientBlockTests {
    private func data(_ name: String) throws -> ImageData {
        ImageData(try Data(contentsOf: Fixture.folder("jpeg/\(name)")))
    }

    /// A gray block whose steps are all 16, with a DC code 0 (a difference of three bits) and AC codes 0 (end of the block) and 10 (a zero, then
    /// a value of one bit). The data are 0 101, 10 0, 0: a DC coefficient of 5, -1 for the half wave down (second in the zig-zag order), the end.
    private static let plain: ImageData = {
        var bytes: [UInt8] = [0xFF, 0xD8, 0xFF, 0xDB, 0, 67, 0] + [UInt8](repeating: 16, count: 64)
        bytes += [0xFF, 0xC0, 0, 11, 8, 0, 8, 0, 8, 1, 1, 0x11, 0]
        bytes += [0xFF, 0xC4, 0, 20, 0x00, 1] + [UInt8](repeating: 0, count: 15) + [3]
        bytes += [0xFF, 0xC4, 0, 21, 0x10, 1, 1] + [UInt8](repeating: 0, count: 14) + [0x00, 0x11]
        bytes += [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0, 0b0101_1000, 0xFF, 0xD9]
        return ImageData(bytes)
    }()

    @Test func aBlockIsTheSumOfItsPatterns() throws {
        let block = try #require(try FileMap(of: Self.plain).block)
        #expect(block.place == PixelRect(x: 0, y: 0, width: 8, height: 8))
        #expect(block.coefficients == [5] + [Int](repeating: 0, count: 7) + [-1] + [Int](repeating: 0, count: 55))
        #expect(block.steps == [Int](repeating: 16, count: 64))
        // A mean of 5 * 16 / 8 = 10, and -16 / 4 / sqrt(2) = -2.83 times the cosine of 1, 3, 5 ... sixteenths of pi.
        #expect(block.pattern(0).allSatisfy { abs($0 - 10) < 1e-9 })
        #expect(block.samples == [135, 136, 136, 137, 139, 140, 140, 141].flatMap { [Int](repeating: $0, count: 8) })
    }

    @Test func theSymbolsOfABlockAreItsBits() throws {
        let block = try #require(try FileMap(of: Self.plain).block)
        #expect(
            block.symbols.map(\.text) == [
                "DC coefficient: 5 more than in the block before", "1 zero, then -1", "end of the block",
            ])
        #expect(block.symbols.map(\.codeBitCount) == [1, 2, 1] && block.symbols.map(\.valueBitCount) == [3, 1, 0])
        #expect(block.bitCount == 8)
    }

    @Test func theBlockOfTheMostBitsIsTheOneThatIsShown() throws {
        let map = try FileMap(of: data("landscape-gray-restart.jpg"))
        let block = try #require(map.block)
        // Gray: an MCU is a block.
        let layer = try #require(map.layers.first { $0.key == "bits" })
        #expect(Int(try #require(layer.values.max())) == 256 * block.bitCount)
        let cell = block.place.y / 8 * layer.gridSize.width + block.place.x / 8
        #expect(Int(layer.values[cell]) == 256 * block.bitCount)
    }

    @Test(arguments: ["landscape-420.jpg", "landscape-progressive.jpg", "landscape-gray-restart.jpg"])
    func theBitsOfBlocksAreThoseOfTheirMCU(_ name: String) throws {
        let data = try data(name)
        let map = try FileMap(of: data)
        let layer = try #require(map.layers.first { $0.key == "bits-first" } ?? map.layers.first { $0.key == "bits" })
        for cell in [0, layer.gridSize.width + 1, layer.values.count / 2 + 3] {
            let (left, top) = (
                cell % layer.gridSize.width * layer.cellSize.width, cell / layer.gridSize.width * layer.cellSize.height
            )
            var sum = 0
            for y in stride(from: top, to: top + layer.cellSize.height, by: 8) {
                for x in stride(from: left, to: left + layer.cellSize.width, by: 8) {
                    let block = try #require(try FileMap(of: data, block: (x + 7, y)).block)
                    #expect(block.place == PixelRect(x: x, y: y, width: 8, height: 8))
                    #expect(block.bitCount == block.symbols.reduce(0) { $0 + $1.codeBitCount + $1.valueBitCount })
                    sum += block.bitCount
                }
            }
            #expect(Int(layer.values[cell]) == 256 * sum, "\(name), cell \(cell)")
        }
    }

    /// Exact patterns against the decoder's integer transform.
    @Test(arguments: ["landscape-gray-restart.jpg", "landscape-420.jpg", "landscape-progressive.jpg"])
    func theSamplesOfABlockAreThoseOfTheDecoder(_ name: String) throws {
        let data = try data(name)
        var options = DecodingOptions()
        options.pixelFormat = .gray
        let picture = try RasterImage(data, options: options).bitmap
        for place in [(0, 0), (72, 48), (100, 20), (30, 90)] {
            let block = try #require(try FileMap(of: data, block: place).block)
            for (index, sample) in block.samples.enumerated() {
                let (x, y) = (block.place.x + index % 8, block.place.y + index / 8)
                guard x < picture.width, y < picture.height else { continue }
                let decoded = picture.withRow(y) { Int($0[x]) }
                #expect(abs(sample - decoded) <= 1, "\(name): \(x), \(y)")
            }
        }
    }

    @Test func aPixelOutsideOfThePictureIsInNoBlock() throws {
        for place in [(8, 0), (0, 8), (-1, 0), (0, .min), (.max, .max)] {
            #expect(try FileMap(of: Self.plain, block: place).block == nil)
        }
        #expect(try FileMap(of: Self.plain, block: (7, 7)).block != nil)
    }

    @Test func thePictureHasThePatternsAndTheBlock() throws {
        let bitmap = try #require(try FileMap(of: Self.plain).block).bitmap()
        func level(_ x: Int, _ y: Int) -> Int { bitmap.withRow(y) { Int($0[3 * x]) } }
        // Two patterns of 32 pixels with lines of two around them; the first is the mean, below it the half wave down.
        #expect(level(10, 10) == 138 && level(10, 36) == 125 && level(10, 67) == 131)
        // An empty one, and the first and last row of the block.
        #expect(level(50, 10) == 226 && level(320, 10) == 135 && level(320, 260) == 141)
    }
}
