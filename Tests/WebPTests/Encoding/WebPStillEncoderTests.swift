import CodecTestSupport
import ImageCodecsCore
import ImagePhotoMetadata
import Testing
import WebPCodec

@Suite struct WebPStillEncoderTests {
    private func encoded(
        _ pixels: [[UInt8]], width: Int, _ options: EncodingOptions = .default, orientation: Orientation = .up,
        metadata: ImageMetadata = ImageMetadata()
    ) throws -> [UInt8] {
        let size = PixelSize(width: width, height: pixels.count / width)
        let bitmap = try Bitmap(packed: Array(pixels.joined()), size: size, format: .rgba)
        let image = RasterImage(bitmap: bitmap, orientation: orientation, metadata: metadata)
        return try WebPCoder().encode(image, to: .webP, options: options)
    }

    private func decoded(_ file: [UInt8]) throws -> RasterImage {
        var options = DecodingOptions()
        options.pixelFormat = .rgba
        options.appliesOrientation = false
        return try WebPCoder().decode(ImageData(file), options: options)
    }

    private static func profile(_ space: String) -> [UInt8] {
        var profile = [UInt8](repeating: 7, count: 301)
        profile.replaceSubrange(16..<20, with: Array(space.utf8))
        return profile
    }

    @Test func aPictureAloneIsASimpleFile() throws {
        let file = try encoded([[9, 8, 7, 255], [1, 2, 3, 255]], width: 2)
        let chunks = try WebPChunks(file)
        #expect(chunks.types == ["VP8L"])
        // Signature, width minus one and height minus one in 14 bits each, no alpha, version 0.
        #expect(try Array(chunks["VP8L"].prefix(5)) == [0x2F, 1, 0, 0, 0])
        #expect(file.count % 2 == 0)
        let transparent = try WebPChunks(encoded([[9, 8, 7, 254]], width: 1))
        #expect(try Array(transparent["VP8L"].prefix(5)) == [0x2F, 0, 0, 0, 0x10])
    }

    @Test func metadataMakeAnExtendedFile() throws {
        var metadata = ImageMetadata()
        metadata.iccProfile = Self.profile("RGB ")
        metadata.xmp = Array("<x/>".utf8)
        metadata.exif = [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0]
        let file = try encoded([[9, 8, 7, 255], [1, 2, 3, 9]], width: 2, metadata: metadata)
        let chunks = try WebPChunks(file)
        #expect(chunks.types == ["VP8X", "ICCP", "VP8L", "EXIF", "XMP "])
        // Colour profile, alpha, EXIF, XMP; reserved bytes; 2x1 pixels.
        #expect(try chunks["VP8X"] == [0x20 | 0x10 | 0x08 | 0x04, 0, 0, 0, 1, 0, 0, 0, 0, 0])
        #expect(try chunks["ICCP"] == metadata.iccProfile && chunks["XMP "] == metadata.xmp)
        #expect(try chunks["EXIF"] == metadata.exif)
        let read = try decoded(file).metadata
        #expect(read == metadata)
        var options = EncodingOptions()
        options.metadata = .colors
        let colors = try WebPChunks(encoded([[9, 8, 7, 255]], width: 1, options, metadata: metadata))
        #expect(colors.types == ["VP8X", "ICCP", "VP8L"])
        #expect(try colors["VP8X"][0] == 0x20)
        options.metadata = .none
        #expect(try WebPChunks(encoded([[9, 8, 7, 255]], width: 1, options, metadata: metadata)).types == ["VP8L"])
    }

    @Test func theOrientationIsWrittenAsEXIF() throws {
        var options = EncodingOptions()
        for policy in EncodingOptions.MetadataPolicy.allCases {
            options.metadata = policy
            let file = try encoded([[1, 2, 3, 255], [9, 9, 9, 255]], width: 2, options, orientation: .right)
            let chunks = try WebPChunks(file)
            #expect(chunks.types == ["VP8X", "VP8L", "EXIF"])
            #expect(try decoded(file).orientation == .right)
            #expect(try WebPCoder().decode(ImageData(file), options: .default).size == PixelSize(width: 1, height: 2))
        }
        // What EXIF said of a picture that was turned already is replaced.
        var metadata = ImageMetadata()
        metadata.exif = ExifBlock.bytes(nil, orientation: .left)
        let upright = try decoded(encoded([[1, 2, 3, 255]], width: 1, metadata: metadata))
        #expect(upright.orientation == .up)
    }

    @Test func whatHasNoPlaceIsRecorded() throws {
        func losses(
            _ format: PixelFormat = .rgb, _ change: (inout ImageMetadata) -> Void
        ) throws -> (all: [EncodingLoss], metadata: Set<ImageMetadata.Kind>) {
            var metadata = ImageMetadata()
            change(&metadata)
            var options = EncodingOptions()
            let log = LossLog()
            options.losses = log
            var bitmap = try Bitmap(size: PixelSize(width: 3, height: 2), format: format)
            // A sample of sixteen bits that is no byte twice.
            bitmap.withMutableRowBytes(0) { $0.setByte(1, at: 0) }
            _ = try WebPCoder().encode(RasterImage(bitmap: bitmap, metadata: metadata), to: .webP, options: options)
            return (EncodingLoss.allCases.filter { log.count(of: $0) > 0 }, log.lostMetadata)
        }
        #expect(try losses { $0.xmp = [60] }.metadata == [])
        #expect(try losses(.gray16) { _ in }.all == [.sampleDepth])
        #expect(try losses(.rgba16) { $0.comments = ["a"] } == ([.sampleDepth], [.comments]))
        #expect(try losses { $0.iptc = [1] }.metadata == [.iptc])
        #expect(try losses { $0.gamma = 100_000 }.metadata == [.gamma])
        #expect(try losses { $0.gamma = 45_455 }.metadata == [])
        #expect(try losses { $0.iccProfile = Self.profile("GRAY") }.metadata == [.iccProfile])
        #expect(
            try losses {
                ($0.gamma, $0.iccProfile) = (100_000, Self.profile("RGB "))
            }.metadata == [])
        #expect(
            try losses {
                $0.codePoints = CodingIndependentCodePoints(primaries: 9, transfer: 16, matrix: 0, isFullRange: true)
            }.metadata == [.codePoints])
    }

    @Test func whatNoFileHoldsIsRefused() throws {
        for size in [PixelSize(width: 16_385, height: 1), PixelSize(width: 1, height: 16_385)] {
            let bitmap = try Bitmap(size: size, format: .gray)
            #expect(throws: ImageError.limitExceeded(.dimension, requested: 16_385, allowed: 16_384)) {
                try WebPCoder().encode(RasterImage(bitmap: bitmap), to: .webP, options: .default)
            }
        }
    }

    @Test func aQualityOfLosslessFilesIsRefusedUnlessNearLosslessIsAskedFor() throws {
        let pixels = try EncoderPicture(.scene, size: PixelSize(width: 60, height: 40), format: .rgba).bitmap
        func file(_ quality: Double?, _ isNearLossless: Bool) throws -> [UInt8] {
            var options = EncodingOptions()
            options.quality = quality
            options.webp.isLossless = true
            options.webp.isNearLossless = isNearLossless
            return try WebPCoder().encode(RasterImage(bitmap: pixels), to: .webP, options: options)
        }
        let exact = try file(nil, false)
        for quality in [0, 0.5, 1, .nan, -1, 7] {
            #expect(throws: ImageError.self) { try file(quality, false) }
        }
        #expect(try file(1, true) == exact)
        for quality in [-0.01, 1.01, .nan, .infinity] {
            #expect(throws: ImageError.self) { try file(quality, true) }
        }
        #expect(try decoded(file(0, true)).size == pixels.size)
    }

    @Test func colorsOfInvisiblePixelsAreKeptOnRequest() throws {
        let pixels: [[UInt8]] = [[9, 8, 7, 0], [1, 2, 3, 255], [4, 5, 6, 1], [200, 100, 0, 0]]
        var options = EncodingOptions()
        options.webp.keepsInvisibleColors = true
        #expect(try decoded(encoded(pixels, width: 2, options)).bitmap.packedBytes() == pixels.flatMap { $0 })
        let other = try decoded(encoded(pixels, width: 2)).bitmap.packedBytes()
        #expect(Array(other[4..<12]) == [1, 2, 3, 255, 4, 5, 6, 1] && other[3] == 0 && other[15] == 0)
    }
}
