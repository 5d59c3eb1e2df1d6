import CodecTestSupport
import ImageCodecsCore
import ImageEncoding
import Testing

/// A made-up format that loses something: width and height as two bytes each, then one to four bytes for each gray pixel, by quality.
private struct CoarseEncoder: RowImageEncoder {
    let size: PixelSize
    let bytesPerPixel: Int
    private var isBegun = false

    init(_ size: PixelSize, _ quality: Double) {
        self.size = size
        bytesPerPixel = 1 + Int((3 * quality).rounded(.down))
    }

    var rowFormat: PixelFormat { .gray }
    var overheadByteCount: Int { 4 }

    mutating func write(_ row: Span<UInt8>, to bytes: inout [UInt8]) throws(ImageError) {
        if !isBegun { for side in [size.width, size.height] { bytes += [UInt8(side >> 8), UInt8(side & 255)] } }
        isBegun = true
        for index in row.indices { bytes += [UInt8](repeating: row[index], count: bytesPerPixel) }
    }

    mutating func finish(to bytes: inout [UInt8]) throws(ImageError) {}
}

private struct CoarseCoder: RowImageEncodingCoder {
    static let format = ImageFormat(rawValue: "test.coarse")

    func canDecode(_ header: Span<UInt8>) -> Bool { false }
    func inspect(_ data: ImageData, options: DecodingOptions) throws(ImageError) -> ImageInfo { throw .unknownFormat }
    func decode(_ data: ImageData, options: DecodingOptions) throws(ImageError) -> RasterImage { throw .unknownFormat }
    func canEncode(to format: ImageFormat) -> Bool { format == Self.format }
    func usesQuality(writing format: ImageFormat) -> Bool { true }
    func metadataKinds(writing format: ImageFormat) -> Set<ImageMetadata.Kind> { [.density] }
    func makeRowEncoder(
        of picture: EncodedPicture, format: ImageFormat, options: EncodingOptions
    ) throws(ImageError) -> CoarseEncoder {
        CoarseEncoder(picture.size, options.quality ?? 1)
    }
}

@Suite struct RowImageEncoderTests {
    private func file(_ options: EncodingOptions) throws -> [UInt8] {
        let bitmap = try Bitmap(size: PixelSize(width: 20, height: 10), format: .gray)
        return try CoarseCoder().encode(RasterImage(bitmap: bitmap), to: CoarseCoder.format, options: options)
    }

    private func width(_ file: [UInt8]) -> Int { Int(file[0]) << 8 | Int(file[1]) }

    /// 804, 604, 404 and 204 bytes are the lengths of all qualities.
    @Test(arguments: [(804, 804), (803, 604), (604, 604), (500, 404), (204, 204)])
    func aSizeLimitLowersTheQualityBeforeThePictureGetsSmaller(_ limit: Int, _ byteCount: Int) throws {
        for mayScaleDown in [false, true] {
            var options = EncodingOptions()
            options.maxFileByteCount = limit
            options.mayScaleDown = mayScaleDown
            let file = try file(options)
            #expect(file.count == byteCount && width(file) == 20)
        }
    }

    @Test func belowTheLowestQualityThePictureGetsSmaller() throws {
        var options = EncodingOptions()
        options.maxFileByteCount = 203
        let smaller = try file(options)
        #expect(smaller.count <= 203 && width(smaller) < 20)
        options.mayScaleDown = false
        #expect(throws: ImageError.self) { try file(options) }
    }

    @Test func metadataWithoutAPlaceAreReportedAsLost() throws {
        var metadata = ImageMetadata()
        metadata.comments = ["a comment"]
        metadata.density = PixelDensity(x: 300, y: 300, unit: .inch)
        var picture = try RasterImage(bitmap: Bitmap(size: PixelSize(width: 4, height: 3), format: .gray))
        picture.metadata = metadata
        let losses = LossLog()
        var options = EncodingOptions()
        options.losses = losses
        _ = try CoarseCoder().encode(picture, to: CoarseCoder.format, options: options)
        #expect(losses.lostMetadata == [.comments])
    }

    @Test(arguments: [-0.01, 1.01, .nan, .infinity])
    func aQualityThatIsNot0To1IsRefused(_ quality: Double) throws {
        #expect(throws: ImageError.self) { try file(EncodingOptions(quality: quality)) }
        #expect(try file(EncodingOptions(quality: 0)).count == 204)
    }
}
