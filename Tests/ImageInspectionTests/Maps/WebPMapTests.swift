import CodecTestSupport
import Foundation
import ImageCodecs
import ImageCodecsCore
import ImageInspection
import Testing

@Suite struct WebPMapTests {
    private static func files(_ folder: String) -> [URL] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: Fixture.folder(folder).path)) ?? []
        return names.filter { $0.hasSuffix(".webp") }.sorted().map { Fixture.folder(folder).appendingPathComponent($0) }
    }

    private func bits(_ map: FileMap, _ name: String) -> Int {
        map.account.entries.first { $0.name == name }?.bitCount ?? 0
    }

    @Test func twoPackedPixelsHaveOneBitEach() throws {
        // Read bit by bit in the article ABitstreamBitByBit of WebPLosslessCodec: after all tables two bits are left, one for each row.
        let data = ImageData(try Data(contentsOf: Fixture.folder("webp/lossless/two-colors-4x2.webp")))
        let map = try FileMap(of: data)
        #expect(bits(map, "pixels") == 2)
        #expect(map.layers.first { $0.key == "bits" }?.values == [256, 256])
    }

    @Test func whatIsLeftAfterTheLastPixelIsLessThanTwoBytes() throws {
        for url in Self.files("webp/lossless") {
            let data = ImageData(try Data(contentsOf: url))
            guard (try? RasterImage(data)) != nil, let map = try? FileMap(of: data) else { continue }
            #expect(map.account.bitCount(of: .unknown) == 0, "\(url.lastPathComponent)")
            #expect(!map.remarks.contains { $0.text.contains("ends early") }, "\(url.lastPathComponent)")
        }
    }

    /// Where nothing or only green was subtracted, the coded pixels are those of the picture.
    @Test func codedPixelsAreThoseOfTheDecoder() throws {
        var count = 0
        var options = DecodingOptions()
        options.pixelFormat = .rgba
        let names = ["predictor", "color", "color indexing"]
        for url in Self.files("webp/lossless") {
            let data = ImageData(try Data(contentsOf: url))
            guard let map = try? FileMap(of: data), let coded = map.layers.first(where: { $0.key == "coded" }),
                let table = map.sections.first?.tables.first,
                table.rows.allSatisfy({ !names.contains($0[0]) }),
                let picture = try? RasterImage(data, options: options).bitmap
            else { continue }
            let addsGreen = !table.rows.isEmpty
            count += 1
            for y in 0..<picture.height {
                picture.withRow(y) { row in
                    for x in 0..<picture.width {
                        let value = UInt32(coded.values[y * picture.width + x]) ^ 0x808080
                        let green = UInt8(value >> 8 & 255)
                        let red = UInt8(value >> 16) &+ (addsGreen ? green : 0)
                        let blue = UInt8(value & 255) &+ (addsGreen ? green : 0)
                        #expect(row[4 * x] == red && row[4 * x + 1] == green && row[4 * x + 2] == blue)
                    }
                }
            }
        }
        #expect(count > 0)
    }

    @Test func partitionsEndWhereTheirMacroblocksDo() throws {
        for url in Self.files("webp/lossy") {
            let data = ImageData(try Data(contentsOf: url))
            guard (try? RasterImage(data)) != nil, let map = try? FileMap(of: data) else { continue }
            let partitions = map.sections.first { $0.title == "Lossy coding" }?.tables.first?.rows.count ?? 0
            // An encoder ends each partition with at most 32 bits (RFC 6386 section 7.3): if one bool was read too many or too few, far
            // more are left in most files, or none.
            #expect(bits(map, "ends of partitions") <= 40 * partitions, "\(url.lastPathComponent)")
            #expect(partitions >= 2)
        }
    }

    @Test func modesAreThoseOfTheMacroblocks() throws {
        // All macroblocks of this fixture are in one of four segments.
        let data = ImageData(try Data(contentsOf: Fixture.folder("webp/lossy/four-segments.webp")))
        let segments = try #require(try FileMap(of: data).layers.first { $0.key == "segment" })
        #expect(segments.values.allSatisfy { (0..<4).contains($0) })
    }
}
