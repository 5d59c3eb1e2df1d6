import CodecTestSupport
import Foundation
import ImageCodecs
import ImageCodecsCore
import ImageInspection
import Testing
import WebPLossyCodec

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

    /// When subtract green alone is left to be undone, green has to be added to red and blue.
    @Test func whatIsLeftBeforeTheLastTransformLeadsToThePicture() throws {
        var count = 0
        var options = DecodingOptions()
        options.pixelFormat = .rgba
        for url in Self.files("webp/lossless") {
            let data = ImageData(try Data(contentsOf: url))
            guard let map = try? FileMap(of: data), let table = map.sections.first?.tables.first,
                table.rows.count > 1, table.rows[0][0] == "subtract green",
                let layer = map.layers.last(where: { $0.key.hasPrefix("without-") }),
                let picture = try? RasterImage(data, options: options).bitmap
            else { continue }
            count += 1
            for y in 0..<picture.height {
                let isRight = picture.withRow(y) { row in
                    (0..<picture.width).allSatisfy { x in
                        let value = UInt32(layer.values[y * picture.width + x]) ^ 0x80_00_80
                        let green = UInt8(value >> 8 & 255)
                        return row[4 * x] == UInt8(value >> 16 & 255) &+ green && row[4 * x + 1] == green
                            && row[4 * x + 2] == UInt8(value & 255) &+ green
                    }
                }
                #expect(isRight, "\(url.lastPathComponent), row \(y)")
            }
        }
        #expect(count > 0)
    }

    @Test func eachPixelIsOfOneGroupOfPrefixCodes() throws {
        let data = ImageData(try Data(contentsOf: Fixture.folder("webp/lossless/groups.webp")))
        let map = try FileMap(of: data)
        let tables = try #require(map.sections.first).tables
        let rows = try #require(tables.first { $0.title == "Groups of prefix codes" }).rows
        #expect(rows.count > 1)
        // 128x192 pixels; the layer has the group of each.
        let layer = try #require(map.layers.first { $0.key == "group" })
        #expect(rows.map { $0[1] } == rows.indices.map { index in "\(layer.values.count { $0 == Int32(index) })" })
        #expect(rows.reduce(0) { $0 + (Int($1[1]) ?? 0) } == 128 * 192)
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

    private func values(_ map: FileMap, _ key: String) throws -> [Int] {
        try #require(map.layers.first { $0.key == key }).values.map { Int($0 & 255) }
    }

    @Test func predictionAndResidueAreThePictureBeforeTheLoopFilter() throws {
        var count = 0
        for url in Self.files("webp/lossy") {
            let data = ImageData(try Data(contentsOf: url))
            guard (try? RasterImage(data)) != nil, let map = try? FileMap(of: data) else { continue }
            let (prediction, difference) = (try values(map, "prediction"), try values(map, "difference"))
            let sums = try values(map, "unfiltered")
            for (index, sum) in sums.enumerated() where (1...254).contains(difference[index]) {
                guard prediction[index] + difference[index] - 128 != sum else { continue }
                Issue.record("\(url.lastPathComponent): cell \(index)")
                break
            }
            count += sums.count
        }
        #expect(count > 10_000)
    }

    @Test func withoutALoopFilterThatIsTheLumaOfTheDecoder() throws {
        let data = ImageData(try Data(contentsOf: Fixture.folder("webp/lossy/no-filter.webp")))
        let map = try FileMap(of: data)
        let part = try #require(map.listing.parts.first { $0.name == "VP8 " })
        let count = try #require(part.byteCount)
        var decoder = VP8Decoder(byteCount: count, keepsPlanes: true)
        try data.withBytes { bytes throws(ImageError) in
            try decoder.append(bytes.extracting(part.offset + 8..<part.offset + 8 + count))
        }
        try decoder.finish()
        let luma = try decoder.planes()[0]
        let expected = (0..<luma.height).flatMap { y in
            luma.withRow(y) { row in (0..<luma.width).map { Int(row[$0]) } }
        }
        #expect(try values(map, "unfiltered") == expected)
    }

    /// 268 megapixels in 13 bytes.
    @Test(arguments: ["picture-larger-than-canvas.webp", "frame-larger-than-canvas.webp"])
    func aPictureLargerThanItsCanvasIsNotLookedInto(_ name: String) throws {
        let bytes = try FixtureBytes.read("museum/" + name)
        let map = try FileMap(of: ImageData(bytes))
        #expect(
            map.layers.isEmpty && map.remarks.contains { $0.isProblem && $0.text.contains("larger than its canvas") })
        #expect(map.account.entries.reduce(0) { $0 + $1.bitCount } == 8 * bytes.count)
    }

    @Test func ofAPictureThatIsCutOffTheRestIsUnknown() throws {
        let data = try Data(contentsOf: Fixture.folder("webp/lossy/normal-filter.webp"))
        let half = ImageData(data.prefix(data.count / 2))
        let layer = try #require(try FileMap(of: half).layers.first { $0.key == "unfiltered" })
        #expect(layer.values.first ?? -1 >= 0)
        #expect(layer.values.last == -1)
    }
}
