import CodecTestSupport
import Foundation
import ImageCodecs
import ImageCodecsCore
import ImageInspection
import Testing

@Suite struct JPEGMapTests {
    /// Gray blocks in a row whose codes have one bit each: "same as the block before" and "end of the block".
    private static func plain(blocks: Int, _ coded: [UInt8]) -> ImageData {
        let size: [UInt8] = [0, 8, 0, UInt8(8 * blocks)]
        let oneCode = [UInt8](repeating: 0, count: 15)
        var bytes: [UInt8] = [0xFF, 0xD8, 0xFF, 0xDB, 0, 67, 0] + [UInt8](repeating: 1, count: 64)
        bytes += [0xFF, 0xC0, 0, 11, 8] + size + [1, 1, 0x11, 0]
        bytes += [0xFF, 0xC4, 0, 20, 0x00, 1] + oneCode + [0] + [0xFF, 0xC4, 0, 20, 0x10, 1] + oneCode + [0]
        bytes += [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0] + coded + [0xFF, 0xD9]
        return ImageData(bytes)
    }

    private func bits(_ map: FileMap, _ name: String) -> Int {
        map.account.entries.first { $0.name == name }?.bitCount ?? 0
    }

    @Test func aBlockOfTwoCodesHasTwoBits() throws {
        // Two blocks: 0 0, 0 0, and four bits of filling.
        let map = try FileMap(of: Self.plain(blocks: 2, [0x0F]))
        #expect(map.layers.first { $0.key == "bits" }?.values == [2 * 256, 2 * 256])
        #expect(bits(map, "DC coefficients") == 2 && bits(map, "AC coefficients") == 2)
        #expect(bits(map, "up to the next byte") == 4)
        #expect(map.layers.first { $0.key == "coefficients" }?.values == [0, 0])
        // Without any coefficient the mean is the middle.
        #expect(map.layers.first { $0.key == "dc" }?.values == [0x808080, 0x808080])
        #expect(!map.remarks.contains { $0.isProblem })
    }

    @Test func aScanThatEndsEarlyIsAProblem() throws {
        let map = try FileMap(of: Self.plain(blocks: 5, [0x00]))
        #expect(map.remarks.contains { $0.isProblem && $0.text.contains("from MCU 4 on") })
    }

    /// The sums of each file's scans, from its bytes alone.
    @Test func theBitsOfScansAreThoseOfTheirBytes() throws {
        for fixture in Fixture.sound("jpeg") {
            let bytes = Array(try Data(contentsOf: fixture.url))
            let listing = try JPEGMarkerListing(ImageData(bytes))
            let coded = listing.segments.reduce(0) { $0 + $1.codedByteCount }
            let restarts = listing.segments.reduce(0) { $0 + $1.restartCount }
            let map = try FileMap(of: ImageData(bytes))
            let sum = bits(map, "DC coefficients") + bits(map, "AC coefficients") + bits(map, "differences")
            // An arithmetic decoder looks at 16 bits before the first decision, and may leave some over.
            let isArithmetic = fixture.name.hasPrefix("arithmetic")
            let filling = bits(map, isArithmetic ? "beginnings and ends of intervals" : "up to the next byte")
            #expect(
                sum + filling + bits(map, "stuffed zeros") + bits(map, "restart markers") == 8 * coded, "\(fixture)")
            #expect(bits(map, "restart markers") == 16 * restarts)
            // Every scan and every restart interval is filled up to a byte.
            let scans = listing.segments.count { $0.name == "SOS" }
            #expect(filling <= (isArithmetic ? 32 : 7) * (scans + restarts), "\(fixture)")
            #expect(map.layers.first { $0.key == "bits" }?.sum == sum)
        }
    }

    /// Written again with Huffman codes, the coefficients are the same.
    @Test(arguments: ["arithmetic-restart", "arithmetic-progressive-restart"])
    func arithmeticCodedBlocksHaveTheCoefficientsOfTheirHuffmanCodedTwin(_ name: String) throws {
        let data = ImageData(try Data(contentsOf: Fixture.folder("jpeg/\(name).jpg")))
        let twin = try FileMap(of: try JPEGCoder().optimized(data))
        #expect(bits(twin, "DHT") > 0)
        let map = try FileMap(of: data)
        for key in ["coefficients", "dc"] {
            let layers = [map, twin].map { $0.layers.first { $0.key == key }?.values ?? [] }
            #expect(layers[0] == layers[1] && Set(layers[0]).count > 2, "\(key)")
        }
        // The statistics know what Huffman codes do not.
        #expect(bits(map, "AC coefficients") < bits(twin, "AC coefficients"))
    }

    /// Differences of 0 have the code `0`, those of one bit `10`.
    @Test func theBitsOfALosslessPixelAreThoseOfItsDifferences() throws {
        var bytes: [UInt8] = [0xFF, 0xD8, 0xFF, 0xC3, 0, 11, 8, 0, 2, 0, 3, 1, 1, 0x11, 0]
        bytes += [0xFF, 0xC4, 0, 21, 0x00, 1, 1] + [UInt8](repeating: 0, count: 14) + [0, 1]
        // 0, 1, 0 in the first row, 1, 1, 0 in the second: 0 101 0 101 101 0, and four bits of filling.
        bytes += [0xFF, 0xDA, 0, 8, 1, 1, 0, 1, 0, 0, 0b0101_0101, 0b1010_1111, 0xFF, 0xD9]
        let map = try FileMap(of: ImageData(bytes))
        #expect(map.layers.map(\.key) == ["bits"])
        #expect(map.layers.first?.values == [1, 3, 1, 3, 3, 1].map { $0 * 256 })
        #expect(bits(map, "differences") == 12 && bits(map, "up to the next byte") == 4)
    }

    @Test func theLayersOfScansComeToThatOfAll() throws {
        let data = ImageData(try Data(contentsOf: Fixture.folder("jpeg/landscape-progressive.jpg")))
        let layers = try FileMap(of: data).layers
        let all = try #require(layers.first { $0.key == "bits" })
        let scans = layers.filter { $0.key.hasPrefix("bits-scan-") }
        #expect(scans.count == 10)
        for place in all.values.indices {
            #expect(scans.reduce(0) { $0 + $1.values[place] } == all.values[place])
        }
    }

    @Test func eachMCUIsInTheRestartIntervalOfItsNumber() throws {
        let bytes = Array(try Data(contentsOf: Fixture.folder("jpeg/landscape-gray-restart.jpg")))
        let map = try FileMap(of: ImageData(bytes))
        let part = try #require(map.listing.parts.first { $0.name == "DRI" })
        // After marker and length, the number of MCUs.
        let interval = Int(bytes[part.offset + 4]) << 8 | Int(bytes[part.offset + 5])
        let layer = try #require(map.layers.first { $0.key == "restart" })
        #expect(layer.values == layer.values.indices.map { Int32($0 / interval) })
        #expect(layer.values.last ?? 0 > 0)
        let other = ImageData(try Data(contentsOf: Fixture.folder("jpeg/landscape-420.jpg")))
        #expect(try !FileMap(of: other).layers.contains { $0.key == "restart" })
    }

    /// A DC code of eight ones is none: the interval that begins with it is lost up to the next marker.
    @Test func damageEndsAtTheNextRestartMarker() throws {
        var bytes = Array(try Data(contentsOf: Fixture.folder("jpeg/landscape-gray-restart.jpg")))
        let whole = try FileMap(of: ImageData(bytes))
        let intervals = try #require(whole.layers.first { $0.key == "restart" }).values
        let marker = try #require(bytes.indices.first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xD1 })
        // The interval after RST1 is number 2. Stuffed, so that no marker comes of it.
        bytes.replaceSubrange(marker + 2..<marker + 6, with: [0xFF, 0, 0xFF, 0])
        let map = try FileMap(of: ImageData(bytes))
        let damage = try #require(map.layers.first { $0.key == "damage" })
        #expect(damage.values == intervals.map { $0 == 2 ? 1 : 0 })
        let count = intervals.count { $0 == 2 }
        let first = try #require(intervals.firstIndex(of: 2))
        #expect(
            map.remarks.contains { $0.text == "scan 1 is damaged at MCU \(first); \(count) MCUs cannot be decoded" })
        #expect(map.account.bitCount == 8 * bytes.count && map.account.bitCount(of: .unknown) > 0)
        // Means of all other intervals are what they were.
        let means = [whole, map].map { $0.layers.first { $0.key == "dc" }?.values ?? [] }
        let other = intervals.indices.filter { intervals[$0] != 2 }
        #expect(other.allSatisfy { means[0][$0] == means[1][$0] } && !other.isEmpty)
        #expect(!whole.layers.contains { $0.key == "damage" })
    }

    @Test func anIntervalThatIsMissingLeavesTheOthersInTheirPlaces() throws {
        let bytes = Array(try Data(contentsOf: Fixture.folder("jpeg/landscape-gray-restart.jpg")))
        let whole = try FileMap(of: ImageData(bytes))
        let intervals = try #require(whole.layers.first { $0.key == "restart" }).values
        func marker(_ number: UInt8) throws -> Int {
            try #require(bytes.indices.first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xD0 + number })
        }
        // Interval 2 and half of number 3, with the marker between them.
        let (start, end) = (try marker(1) + 2, (try marker(2) + 2 + (try marker(3))) / 2)
        let map = try FileMap(of: ImageData(Array(bytes[..<start] + bytes[end...])))
        let damage = try #require(map.layers.first { $0.key == "damage" }).values
        #expect(intervals.indices.allSatisfy { intervals[$0] == 2 || intervals[$0] == 3 || damage[$0] == 0 })
        let means = [whole, map].map { $0.layers.first { $0.key == "dc" }?.values ?? [] }
        let other = intervals.indices.filter { intervals[$0] < 2 || intervals[$0] > 3 }
        #expect(other.allSatisfy { means[0][$0] == means[1][$0] } && other.contains { intervals[$0] > 3 })
    }

    @Test(arguments: [
        "landscape-gray-restart.jpg", "landscape-progressive.jpg", "arithmetic-gray.jpg", "twelve-bits-gray.jpg",
    ])
    func theMeansOfBlocksAreThoseOfTheDecoder(_ name: String) throws {
        let data = ImageData(try Data(contentsOf: Fixture.folder("jpeg/\(name)")))
        let layer = try #require(try FileMap(of: data).layers.first { $0.key == "dc" })
        var options = DecodingOptions()
        options.pixelFormat = .rgb
        let picture = try RasterImage(data, options: options).bitmap
        // A whole block's mean after decoding: rounding and clamping of 64 samples make it a few levels.
        for row in 0..<picture.height / 8 {
            for column in 0..<picture.width / 8 {
                var sums = SIMD3<Int>(repeating: 0)
                for y in 0..<8 {
                    picture.withRow(8 * row + y) { bytes in
                        for x in 0..<8 {
                            for channel in 0..<3 { sums[channel] += Int(bytes[3 * (8 * column + x) + channel]) }
                        }
                    }
                }
                let value = layer.values[row * layer.gridSize.width + column]
                for channel in 0..<3 {
                    let sample = Int(value >> Int32(16 - 8 * channel) & 255)
                    #expect(abs(sample - sums[channel] / 64) <= 4, "\(name) \(column) \(row)")
                }
            }
        }
    }

    /// The more coefficients, the nearer is the picture.
    @Test func eachPictureOfMoreCoefficientsIsNearerToTheWhole() throws {
        let data = ImageData(try Data(contentsOf: Fixture.folder("jpeg/landscape-420.jpg")))
        let map = try FileMap(of: data)
        var options = DecodingOptions()
        options.pixelFormat = .rgb
        let whole = try RasterImage(data, options: options).bitmap
        var distances: [Int] = []
        for key in ["first-3", "first-6", "first-15"] {
            let layer = try #require(map.layers.first { $0.key == key })
            #expect(layer.gridSize == whole.size)
            var distance = 0
            for y in 0..<whole.height {
                whole.withRow(y) { row in
                    for x in 0..<whole.width {
                        let value = Int(layer.values[y * whole.width + x])
                        for (channel, shift) in [16, 8, 0].enumerated() {
                            distance += abs(Int(row[3 * x + channel]) - value >> shift & 255)
                        }
                    }
                }
            }
            distances.append(distance)
        }
        #expect(distances[0] > distances[1] && distances[1] > distances[2] && distances[2] > 0)
    }
}
