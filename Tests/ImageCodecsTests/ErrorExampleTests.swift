import CodecTestSupport
import ImageCodecs
import Testing

/// The examples of the article "Errors".
@Suite struct ErrorExampleTests {
    // snippet: catching
    func size(ofUpload bytes: [UInt8]) -> String {
        do throws(ImageError) {
            return "\(try RasterImage(bytes).size)"
        } catch .unknownFormat {
            return "no image"
        } catch .corrupt(_, .pngChunkCRC, let offset, _) {
            return "a chunk was changed on its way, near byte \(offset)"
        } catch {
            return error.suggestion.map { "\(error). \($0)" } ?? "\(error)"
        }
    }
    // end of snippet

    // snippet: closure
    func size(of data: ImageData, in registry: CoderRegistry) throws(ImageError) -> PixelSize? {
        try data.withBytes { (bytes) throws(ImageError) in
            var decoder = registry.makeIncrementalDecoder(options: .default)
            _ = try decoder.append(bytes)
            _ = try decoder.finish()
            return decoder.info?.size
        }
    }
    // end of snippet

    private static func picture() throws -> [UInt8] {
        let bitmap = try Bitmap(size: PixelSize(width: 5, height: 4), format: .rgb)
        return try RasterImage(bitmap: bitmap).encoded(as: .png)
    }

    @Test func anErrorIsCaughtByItsKind() throws {
        let file = try Self.picture()
        #expect(size(ofUpload: file) == "5x4")
        #expect(size(ofUpload: [1, 2, 3]) == "no image")
        var damaged = file
        damaged[29] ^= 1
        #expect(size(ofUpload: damaged).hasPrefix("a chunk was changed on its way, near byte 29"))
        #expect(size(ofUpload: Array(file.dropLast(20))).contains("Fetch the whole file"))
    }

    @Test func aClosureThatNamesItsErrorsThrowsThem() throws {
        let size = try size(of: ImageData(Self.picture()), in: .shared)
        #expect(size == PixelSize(width: 5, height: 4))
    }

    @Test(arguments: [
        ImageError.unknownFormat, .unsupported(.gif, feature: "decoding"), .truncated(.png, offset: 1),
        .corrupt(.png, .pngChunkCRC, offset: 1, reason: ""), .inputOutput(path: "", message: ""),
    ])
    func everyErrorOfAFileComesWithASuggestion(_ error: ImageError) {
        #expect(error.suggestion?.hasSuffix(".") == true)
    }

    @Test(arguments: [
        (ImageError.LimitKind.pixels, "maxPixelCount"), (.time, "maxTime"), (.input, "maxInputByteCount"),
        (.memory, "maxMemoryByteCount"), (.metadata, "maxMetadataByteCount"), (.scans, "maxScanCount"),
        (.frames, "maxFrameCount"), (.dimension, "maxDimension"),
    ])
    func aLimitIsCalledByItsName(_ kind: ImageError.LimitKind, _ name: String) {
        #expect(ImageError.limitExceeded(kind, requested: 2, allowed: 1).suggestion?.contains(name) == true)
    }
}
