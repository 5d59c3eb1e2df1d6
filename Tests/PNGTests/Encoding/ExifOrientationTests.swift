import CodecTestSupport
import ImageCodecsCore
import PNGCodec
import Testing

@Suite struct ExifOrientationTests {
    /// The eXIf chunk written for a picture with this EXIF block that still has to be turned so.
    private func block(_ exif: [UInt8]?, _ orientation: Orientation) throws -> [UInt8]? {
        var image = RasterImage(bitmap: try Bitmap(size: PixelSize(width: 5, height: 2), format: .rgb))
        image.metadata.exif = exif
        image.orientation = orientation
        return try ReferencePNG(PNGCoder().encode(image, to: .png, options: .default)).body("eXIf")
    }

    // "II", 42, directory at 8; two entries: Orientation (SHORT) 6 and XResolution; no further directory.
    private let littleEndian: [UInt8] = [
        0x49, 0x49, 42, 0, 8, 0, 0, 0, 2, 0,
        0x12, 0x01, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0,
        0x1A, 0x01, 5, 0, 1, 0, 0, 0, 38, 0, 0, 0,
        0, 0, 0, 0, 72, 0, 0, 0, 1, 0, 0, 0,
    ]

    // "MM", 42, directory at 8; two entries: ImageWidth 5 and XResolution at 38; next directory at 46.
    private let withoutTag: [UInt8] = [
        0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 2,
        0x01, 0x00, 0, 4, 0, 0, 0, 1, 0, 0, 0, 5,
        0x01, 0x1A, 0, 5, 0, 0, 0, 1, 0, 0, 0, 38,
        0, 0, 0, 46, 0, 0, 0, 72, 0, 0, 0, 1,
        0, 0, 0, 0, 0, 0, 9,
    ]

    @Test func theTagBecomesWhatThePixelsNeed() throws {
        for orientation in Orientation.allCases {
            var expected = littleEndian
            expected[18] = UInt8(orientation.rawValue)
            #expect(try block(littleEndian, orientation) == expected)
        }
    }

    @Test func nothingIsWrittenForUprightPicturesWithoutExif() throws {
        #expect(try block(nil, .up) == nil)
        #expect(try block([1, 2, 3], .up) == nil)
    }

    @Test func turnedPicturesGetABlockOfTheirOwn() throws {
        let expected: [UInt8] = [
            0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 8, 0, 0, 0, 0, 0, 0,
        ]
        #expect(try block(nil, .left) == expected)
        // Neither a wrong number instead of 42 nor a directory beyond the end is a TIFF structure.
        #expect(try block([0x4D, 0x4D, 0, 43, 0, 0, 0, 8, 0, 0], .left) == expected)
        #expect(try block([0x4D, 0x4D, 0, 42, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0], .left) == expected)
        #expect(try block(Array(littleEndian.prefix(30)), .left) == expected)
    }

    @Test func aMissingTagIsAddedInACopyOfTheDirectory() throws {
        #expect(try block(withoutTag, .up) == withoutTag)
        let directory: [UInt8] = [
            0, 3,
            0x01, 0x00, 0, 4, 0, 0, 0, 1, 0, 0, 0, 5,
            0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0,
            0x01, 0x1A, 0, 5, 0, 0, 0, 1, 0, 0, 0, 38,
            0, 0, 0, 46,
        ]
        var expected = withoutTag + [0] + directory
        expected[7] = 54
        #expect(try block(withoutTag, .right) == expected)
    }

    @Test func decodingAndWritingKeepsThePictureUpright() throws {
        var image = RasterImage(bitmap: try Bitmap(size: PixelSize(width: 5, height: 2), format: .rgb))
        image.orientation = .right
        let file = try PNGCoder().encode(image, to: .png, options: .default)
        let turned = try PNGCoder().decode(ImageData(file), options: .default)
        #expect(turned.size == PixelSize(width: 2, height: 5) && turned.orientation == .up)
        let again = try PNGCoder().decode(
            ImageData(PNGCoder().encode(turned, to: .png, options: .default)), options: .default)
        #expect(again.size == PixelSize(width: 2, height: 5) && again.orientation == .up)
        var options = DecodingOptions()
        options.appliesOrientation = false
        let raw = try PNGCoder().decode(ImageData(file), options: options)
        #expect(raw.size == PixelSize(width: 5, height: 2) && raw.orientation == .right)
    }

    @Test func everyOrientationOfADirectoryIsReplaced() throws {
        // "II", 42, directory at 8; Orientation 9, which is none, Orientation 6, ResolutionUnit, Orientation 8.
        var exif: [UInt8] = [
            0x49, 0x49, 42, 0, 8, 0, 0, 0, 4, 0,
            0x12, 0x01, 3, 0, 1, 0, 0, 0, 9, 0, 0, 0,
            0x12, 0x01, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0,
            0x28, 0x01, 3, 0, 1, 0, 0, 0, 2, 0, 0, 0,
            0x12, 0x01, 3, 0, 1, 0, 0, 0, 8, 0, 0, 0,
            0, 0, 0, 0,
        ]
        let written = try block(exif, .up)
        for index in [18, 30, 54] { exif[index] = 1 }
        #expect(written == exif)
    }
}
