import CodecTestSupport
import Foundation
import ImageCodecs
import ImageCodecsCore
import ImageInspection
import Testing

/// What holds for the map of every file.
@Suite struct FileMapTests {
    private static let formats = ["png", "apng", "gif", "jpeg", "webp"]

    /// Every fixture, damaged ones too.
    private static let files: [URL] = formats.flatMap { format in
        let enumerator = FileManager.default.enumerator(at: Fixture.folder(format), includingPropertiesForKeys: nil)
        return (enumerator?.allObjects as? [URL] ?? []).filter {
            ["png", "gif", "jpg", "webp"].contains($0.pathExtension)
        }.sorted { $0.path < $1.path }
    }

    private func check(_ map: FileMap, byteCount: Int) {
        // Each bit once: no more and no fewer than the file has.
        #expect(map.account.bitCount == 8 * byteCount)
        #expect(map.account.entries.allSatisfy { $0.bitCount > 0 })
        var position = 0
        for region in map.regions {
            #expect(region.offset == position)
            position += region.byteCount
        }
        #expect(position == byteCount)
        for layer in map.layers {
            #expect(layer.values.count == layer.gridSize.width * layer.gridSize.height)
            #expect(layer.gridSize.width * layer.cellSize.width >= layer.area.width)
            #expect((layer.gridSize.height - 1) * layer.cellSize.height < layer.area.height)
            if case .classes(let classes) = layer.kind {
                #expect(layer.values.allSatisfy { $0 < Int32(classes.count) })
            }
        }
    }

    @Test(arguments: formats) func theBitsOfAFixtureAreThoseOfTheFile(_ format: String) throws {
        for url in Self.files where url.path.contains("/Fixtures/\(format)/") {
            let bytes = Array(try Data(contentsOf: url))
            guard let map = try? FileMap(of: ImageData(bytes)) else { continue }
            check(map, byteCount: bytes.count)
        }
    }

    @Test(arguments: formats) func nothingIsWrongWithFixturesThatDecode(_ format: String) throws {
        for fixture in Fixture.sound(format) {
            let map = try FileMap(of: ImageData(try Data(contentsOf: fixture.url)))
            // What decoders put up with is told nevertheless.
            let damage = map.remarks.filter { $0.text.contains("damaged") || $0.text.contains("cannot be decoded") }
            #expect(damage.isEmpty, "\(fixture): \(damage.map(\.text))")
            #expect(!map.layers.isEmpty, "\(fixture)")
        }
    }

    @Test(arguments: [
        "png/landscape.png", "jpeg/landscape-progressive.jpg", "jpeg/arithmetic-progressive-restart.jpg",
        "jpeg/lossless-rgb.jpg", "gif/interlaced.gif", "webp/lossy.webp",
    ]) func everyPrefixHasAMapOrAnError(_ name: String) throws {
        let bytes = Array(try Data(contentsOf: Fixture.folder(name)))
        for count in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 60)) {
            guard let map = try? FileMap(of: ImageData(Array(bytes[..<count]))) else { continue }
            check(map, byteCount: count)
        }
    }

    @Test(arguments: formats) func changedBytesDoNoHarm(_ format: String) throws {
        var random = SeededRandom(seed: 7)
        for fixture in Fixture.sound(format).prefix(6) {
            let bytes = Array(try Data(contentsOf: fixture.url))
            for _ in 0..<8 {
                var damaged = bytes
                for _ in 0..<3 {
                    damaged[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
                }
                guard let map = try? FileMap(of: ImageData(damaged), limits: .untrusted) else { continue }
                check(map, byteCount: bytes.count)
            }
        }
    }

    @Test func reducedLayersHaveTheSameSum() throws {
        for name in ["png/landscape.png", "jpeg/landscape-420.jpg", "gif/interlaced.gif", "webp/lossy.webp"] {
            let data = ImageData(try Data(contentsOf: Fixture.folder(name)))
            let whole = try #require(try FileMap(of: data).layers.first { $0.key == "bits" })
            let small = try #require(try FileMap(of: data, maxCellCount: 10).layers.first { $0.key == "bits" })
            #expect(small.values.count <= 10 && small.sum == whole.sum)
        }
    }

    @Test func memoryAndTimeAreLimited() throws {
        let data = ImageData(try Data(contentsOf: Fixture.folder("png/landscape.png")))
        var limits = DecodingLimits.default
        limits.maxMemoryByteCount = 100_000
        #expect(throws: ImageError.self) { try FileMap(of: data, limits: limits) }
        limits = .default
        limits.maxTime = .nanoseconds(1)
        #expect(throws: ImageError.self) { try FileMap(of: data, limits: limits) }
        limits = .default
        limits.maxPixelCount = 100
        #expect(throws: ImageError.self) { try FileMap(of: data, limits: limits) }
    }

    @Test func eachValueOfASmallLayerHasAColourOfItsOwn() throws {
        let data = ImageData(try Data(contentsOf: Fixture.folder("gif/interlaced.gif")))
        for layer in try FileMap(of: data).layers where layer.kind != .colors {
            let coloring = LayerColoring(layer)
            #expect(Set(coloring.entries.map(\.color)).count == coloring.entries.count)
            #expect(coloring.entries.count <= 256)
            #expect(try coloring.bitmap().size == layer.gridSize)
        }
    }
}
