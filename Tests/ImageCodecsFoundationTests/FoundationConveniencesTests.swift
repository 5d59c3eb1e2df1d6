import CodecTestSupport
import Foundation
import ImageCodecsFoundation
import ImagePipeline
import Testing

@Suite struct FoundationConveniencesTests {
    private let landscape = Fixture.folder("png").appendingPathComponent("landscape.png")

    @Test func dataAndURLGiveTheSamePicture() throws {
        let fromURL = try RasterImage(contentsOf: landscape)
        let fromData = try RasterImage(data: Data(contentsOf: landscape))
        #expect(fromURL.bitmap == fromData.bitmap)
        #expect(try ImageInfo(contentsOf: landscape) == ImageInfo(data: Data(contentsOf: landscape)))
        #expect(fromURL.bitmap.packedData.count == 240 * 160 * 4)
    }

    @Test func anErrorIsLocalized() throws {
        let error: any Error = ImageError.corrupt(.png, .pngChunkCRC, offset: 7, reason: "wrong CRC of IDAT")
        #expect(error.localizedDescription == "damaged PNG at byte 7: wrong CRC of IDAT")
        #expect((error as? any LocalizedError)?.failureReason == "png.chunk-crc")
        #expect((error as? any LocalizedError)?.recoverySuggestion?.contains(".tolerant") == true)
    }

    @Test func dataSlicesStartAtTheirOwnFirstByte() throws {
        let padded = try Data([1, 2, 3]) + Data(contentsOf: landscape)
        #expect(try RasterImage(data: padded.dropFirst(3)).size == PixelSize(width: 240, height: 160))
    }

    @Test func dataAndURLsAreDecodedForTasks() async throws {
        let expected = try RasterImage(contentsOf: landscape).bitmap
        #expect(try await RasterImage.decoded(contentsOf: landscape).bitmap == expected)
        #expect(try await RasterImage.decoded(from: Data(contentsOf: landscape)).bitmap == expected)
        let url = try #require(URL(string: "https://example.org/cat.png"))
        let error = await #expect(throws: ImageError.self) { try await RasterImage.decoded(contentsOf: url) }
        #expect(error?.code == "invalidArgument")
    }

    @Test func otherURLsAreRefused() throws {
        let url = try #require(URL(string: "https://example.org/cat.png"))
        let error = #expect(throws: ImageError.self) { try RasterImage(contentsOf: url) }
        #expect(error == .invalidArgument("not a file URL: https://example.org/cat.png"))
    }

    @Test func percentEscapesInURLsNameTheFile() throws {
        // The file name contains "@", which URLs may carry escaped.
        let url = try #require(URL(string: Fixture.folder("png").absoluteString + "/badge%402x.png"))
        #expect(try RasterImage(contentsOf: url).scale == 2)
    }
}

@Suite struct PartialImagesTests {
    private func pieces(of name: String, _ size: Int) throws -> AsyncStream<Data> {
        let data = try Data(contentsOf: Fixture.folder("png").appendingPathComponent(name))
        return AsyncStream { continuation in
            for start in stride(from: 0, to: data.count, by: size) {
                continuation.yield(data[start..<min(start + size, data.count)])
            }
            continuation.finish()
        }
    }

    @Test func picturesGrowAndTheLastIsWhole() async throws {
        var reports: [PartialReport?] = []
        var last: RasterImage?
        for try await image in try pieces(of: "landscape.png", 1000).partialImages() {
            reports.append(image.partial)
            last = image
        }
        #expect(reports.count > 10)
        #expect(reports.dropLast().allSatisfy { $0 != nil })
        let whole = try #require(last)
        #expect(!whole.isPartial)
        let path = Fixture.folder("png").appendingPathComponent("landscape.png").path
        #expect(try whole.bitmap == RasterImage(contentsOfFile: path).bitmap)
    }

    @Test func aTruncatedSourceThrowsAtItsEnd() async throws {
        var count = 0
        let error = await #expect(throws: ImageError.self) {
            for try await _ in try pieces(of: "truncated.png", 1000).partialImages() { count += 1 }
        }
        #expect(error?.code == "truncated")
        #expect(count > 0)
    }
}
