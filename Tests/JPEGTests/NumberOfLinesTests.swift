import CodecTestSupport
import ImageCodecsCore
import JPEGCodec
import Testing

/// DNL segments that replace the height of the frame header; T.81 §B.2.5.
@Suite struct NumberOfLinesTests {
    private struct Files {
        /// A file that says what it has: 67x45 pixels.
        let right: [UInt8]
        /// The same data; the frame header says 64 lines, a DNL segment after the first scan 45.
        let redefined: [UInt8]
    }

    private static let kinds: [(isProgressive: Bool, subsampling: JPEGSubsampling, interval: Int)] = [
        (false, .yCbCr444, 0), (false, .yCbCr420, 0), (false, .yCbCr420, 5), (false, .yCbCr444, 2),
        (true, .yCbCr444, 0), (true, .yCbCr420, 0), (true, .yCbCr420, 5),
    ]

    private func files(_ kind: Int, lines: Int = 45, stated: Int = 64) throws -> Files {
        let (isProgressive, subsampling, interval) = Self.kinds[kind]
        let picture = try EncoderPicture(.scene, size: PixelSize(width: 67, height: lines))
        var options = EncodingOptions()
        options.jpeg.isProgressive = isProgressive
        options.jpeg.subsampling = subsampling
        options.jpeg.restartInterval = interval
        let right = try JPEGCoder().encode(RasterImage(bitmap: picture.bitmap), to: .jpeg, options: options)
        return Files(right: right, redefined: try redefined(right, lines: lines, stated: stated))
    }

    private func redefined(_ file: [UInt8], lines: Int, stated: Int) throws -> [UInt8] {
        var file = file
        let frame = try #require(JPEGBytes.frameHeader(in: file))
        file[frame + 5] = UInt8(stated >> 8)
        file[frame + 6] = UInt8(stated & 255)
        let end = try #require(JPEGBytes.endOfFirstScan(in: file))
        file.insert(contentsOf: [0xFF, 0xDC, 0, 4, UInt8(lines >> 8), UInt8(lines & 255)], at: end)
        return file
    }

    private func decode(_ file: [UInt8], _ options: DecodingOptions = .default) throws -> RasterImage {
        try JPEGCoder().decode(ImageData(file), options: options)
    }

    @Test(arguments: kinds.indices) func fewerLinesGiveThePictureOfThatHeight(_ kind: Int) throws {
        let files = try files(kind)
        let expected = try decode(files.right).bitmap
        #expect(expected.size == PixelSize(width: 67, height: 45))
        for options in [DecodingOptions.default, .tolerant] {
            let image = try decode(files.redefined, options)
            #expect(image.bitmap.packedBytes() == expected.packedBytes() && !image.isPartial)
            #expect(try JPEGCoder().inspect(ImageData(files.redefined), options: options).size == expected.size)
            for count in [1, 10, 1000] {
                let pieces = try #require(try JPEGCoder().decode(files.redefined, inPiecesOf: count, options: options))
                #expect(pieces.size == expected.size && !pieces.isPartial)
                #expect(pieces.bitmap.packedBytes() == expected.packedBytes(), "pieces of \(count)")
            }
        }
    }

    @Test(arguments: kinds.indices) func thumbnailsAreThoseOfThatHeight(_ kind: Int) throws {
        let files = try files(kind)
        for options in [DecodingOptions.thumbnail(width: 20, height: 20), .thumbnail(width: 100, height: 9)] {
            let expected = try decode(files.right, options).bitmap
            #expect(try decode(files.redefined, options).bitmap.packedBytes() == expected.packedBytes())
            let pieces = try JPEGCoder().decode(files.redefined, inPiecesOf: 50, options: options)
            #expect(pieces?.size == expected.size)
        }
    }

    @Test(arguments: [Orientation.right, .downMirrored]) func shorterPicturesAreTurned(_ orientation: Orientation)
        throws
    {
        var image = RasterImage(bitmap: try EncoderPicture(.scene, size: PixelSize(width: 67, height: 45)).bitmap)
        image.orientation = orientation
        var options = EncodingOptions()
        options.jpeg.subsampling = .yCbCr444
        for isProgressive in [false, true] {
            options.jpeg.isProgressive = isProgressive
            let right = try JPEGCoder().encode(image, to: .jpeg, options: options)
            let file = try redefined(right, lines: 45, stated: 64)
            let expected = try decode(right).bitmap
            #expect(try decode(file).bitmap.packedBytes() == expected.packedBytes())
            let pieces = try JPEGCoder().decode(file, inPiecesOf: 50, options: .default)
            #expect(pieces?.size == expected.size && pieces?.bitmap.packedBytes() == expected.packedBytes())
        }
    }

    @Test(arguments: kinds.indices) func moreLinesAreDecodedFromAWholeFile(_ kind: Int) throws {
        let files = try files(kind, lines: 64, stated: 45)
        let expected = try decode(files.right).bitmap
        #expect(try decode(files.redefined).bitmap.packedBytes() == expected.packedBytes())
    }

    @Test func inPiecesMoreLinesAreDamage() throws {
        let files = try files(0, lines: 64, stated: 45)
        #expect(throws: ImageError.self) {
            try JPEGCoder().decode(files.redefined, inPiecesOf: 100, options: .default)
        }
        let image = try JPEGCoder().decode(files.redefined, inPiecesOf: 100, options: .tolerant)
        #expect(image?.size == PixelSize(width: 67, height: 45))
    }

    @Test func linesThatTheDataDoNotHaveAreDamage() throws {
        let right = try files(0).right
        for (lines, stated) in [(60, 64), (64, 64), (65535, 64)] {
            let file = try redefined(right, lines: lines, stated: stated)
            let error = #expect(throws: ImageError.self) { try decode(file) }
            #expect(error?.code == "corrupt", "\(lines)")
            #expect(throws: ImageError.self) { try JPEGCoder().decode(file, inPiecesOf: 100, options: .default) }
            let image = try decode(file, .tolerant)
            #expect(image.isPartial && image.size.height == lines)
        }
    }

    @Test func aHeightOfZeroIsDamage() throws {
        let file = try redefined(files(0).right, lines: 0, stated: 45)
        #expect(throws: ImageError.self) { try decode(file) }
        #expect(try decode(file, .tolerant).size.height == 45)
    }

    @Test func limitsHoldForTheNewHeight() throws {
        let file = try redefined(files(0).right, lines: 65535, stated: 45)
        var options = DecodingOptions.tolerant
        options.limits.maxDimension = 1000
        let error = #expect(throws: ImageError.self) { try decode(file, options) }
        #expect(error?.code == "limitExceeded")
    }
}
