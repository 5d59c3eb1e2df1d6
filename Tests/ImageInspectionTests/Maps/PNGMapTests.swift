import CodecTestSupport
import Foundation
import ImageCodecsCore
import ImageInspection
import Testing

/// Small PNG files of which every bit is known.
@Suite struct PNGMapTests {
    private func file(width: Int, height: Int, depth: UInt8 = 8, _ stream: [UInt8]) -> ImageData {
        var builder = PNGBuilder()
        builder.addHeader(width: width, height: height, depth: depth, colorType: 0)
        builder.addImageData(stream)
        builder.add("IEND")
        return ImageData(builder.bytes)
    }

    private func bits(_ map: FileMap, _ name: String) -> Int? {
        map.account.entries.first { $0.name == name }?.bitCount
    }

    /// zlib's stream of a row of ten equal pixels with the fixed codes, decoded by hand (RFC 1951 section 3.2.6):
    /// 1 10, 00110000 literal 0, 00110111 literal 7, 0000111 length 9, 00000 distance 1, 0000000 end, 00 filling.
    private static let match: [UInt8] = [0x78, 1, 0x63, 0x60, 0x87, 3, 0, 1, 0x8C, 0, 0x47]

    @Test func aMatchSharesItsBits() throws {
        let map = try FileMap(of: file(width: 10, height: 1, Self.match))
        #expect(bits(map, "filter types") == 8 && bits(map, "pixels") == 20)
        #expect(bits(map, "headers of deflate blocks") == 3 && bits(map, "ends of deflate blocks") == 7)
        #expect(bits(map, "up to the next byte") == 2 && bits(map, "zlib header and checksum") == 48)
        let layer = try #require(map.layers.first { $0.key == "bits" })
        // The literal has 8 bits; nine pixels share twelve, which are 341 or 342 of 256 parts each.
        #expect(layer.values[0] == 8 * 256)
        #expect(layer.values[1...].allSatisfy { $0 == 341 || $0 == 342 } && layer.sum == 20)
        let source = try #require(map.layers.first { $0.key == "source" })
        #expect(source.values == [0] + [Int32](repeating: 1, count: 9))
        let distance = try #require(map.layers.first { $0.key == "distance" })
        #expect(distance.values == [0] + [Int32](repeating: 1, count: 9))
        #expect(map.remarks.allSatisfy { !$0.isProblem })
    }

    @Test func pixelsOfAByteShareItsBits() throws {
        // The same ten bytes as pixels of one bit: eighty of them, the first eight of one bit each.
        let map = try FileMap(of: file(width: 80, height: 1, depth: 1, Self.match))
        let layer = try #require(map.layers.first { $0.key == "bits" })
        #expect(layer.values.prefix(8).allSatisfy { $0 == 256 } && layer.sum == 20)
    }

    @Test func storedBytesHaveEightBits() throws {
        // Two rows of four pixels, with filters None and Up, in a stored block.
        let stream: [UInt8] = [
            0x78, 1, 1, 10, 0, 0xF5, 0xFF, 0, 1, 2, 3, 4, 2, 5, 6, 7, 8, 0, 0x96, 0, 0x27,
        ]
        let map = try FileMap(of: file(width: 4, height: 2, stream))
        // Three bits, five up to the byte, 16 for the length and 16 for its check.
        #expect(bits(map, "headers of deflate blocks") == 40 && bits(map, "filter types") == 16)
        let layer = try #require(map.layers.first { $0.key == "bits" })
        #expect(layer.values == [Int32](repeating: 8 * 256, count: 8))
        let filter = try #require(map.layers.first { $0.key == "filter" })
        #expect(filter.values == [0, 2] && filter.cellWords == "row")
        #expect(map.layers.first { $0.key == "source" }?.values.allSatisfy { $0 == 5 } == true)
    }

    @Test func aWrongChecksumOfTheStreamIsAProblem() throws {
        var stream = Self.match
        stream[10] ^= 1
        let map = try FileMap(of: file(width: 10, height: 1, stream))
        #expect(map.remarks.contains { $0.isProblem && $0.text.contains("checksum") })
    }

    @Test func theStreamOfEveryFixtureHasItsChecksum() throws {
        for fixture in Fixture.sound("png") {
            let map = try FileMap(of: ImageData(try Data(contentsOf: fixture.url)))
            #expect(!map.remarks.contains { $0.text.contains("checksum") }, "\(fixture)")
        }
    }

    /// A code is whole if its words of all lengths fill the space of words: RFC 1951 section 3.2.2.
    @Test func codeLengthsOfDynamicBlocksMakeWholeCodes() throws {
        var blockCount = 0
        for fixture in Fixture.sound("png") {
            let map = try FileMap(of: ImageData(try Data(contentsOf: fixture.url)))
            for table in map.sections.flatMap(\.tables) where table.title == "Deflate blocks" {
                let column = try #require(table.columns.firstIndex(of: "codes by their bits"))
                for row in table.rows where row[1] == "dynamic" {
                    blockCount += 1
                    let lengths = row[column].split(separator: ", ").map {
                        $0.split(separator: " bits: ").map { Int($0) ?? 0 }
                    }
                    #expect(lengths.reduce(0) { $0 + $1[1] << (15 - $1[0]) } == 1 << 15, "\(fixture) \(row)")
                }
            }
        }
        #expect(blockCount > 4)
    }

    @Test func interlacedPicturesShowTheirPasses() throws {
        let data = ImageData(try Data(contentsOf: Fixture.folder("apng/adam7.png")))
        let map = try FileMap(of: data)
        let first = try #require(map.layers.first { $0.key == "pass-1" })
        // PNG 3rd ed. §8.1: pass 1 has every eighth pixel of every eighth row.
        for y in 0..<first.gridSize.height {
            for x in 0..<first.gridSize.width {
                #expect(
                    first.values[y * first.gridSize.width + x]
                        == first.values[y / 8 * 8 * first.gridSize.width + x / 8 * 8])
            }
        }
    }
}
