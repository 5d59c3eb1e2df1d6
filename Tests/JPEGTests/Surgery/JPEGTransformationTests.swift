import CodecTestSupport
import ImageCodecsCore
import ImagePhotoMetadata
import JPEGBaselineCodec
import JPEGCodec
import Testing

/// Changes of whole blocks, against jpegtran's files and against arithmetic by hand.
@Suite struct JPEGTransformationTests {
    /// A transformation, and the file that jpegtran makes of the same source by the same one.
    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        var transformation: JPEGTransformation

        init(
            _ name: String, _ orientation: Orientation = .up, crop: PixelRect? = nil, isGray: Bool = false,
            edges: JPEGTransformation.Edges = .keep
        ) {
            self.name = name
            transformation = JPEGTransformation(orientation: orientation, crop: crop)
            transformation.isGray = isGray
            transformation.edges = edges
        }

        var testDescription: String { name }
    }

    static let cases = [
        Case("rotate-90-keep", .right), Case("rotate-180-trim", .down, edges: .trim), Case("rotate-270-keep", .left),
        Case("flip-horizontal-keep", .upMirrored), Case("flip-vertical-trim", .downMirrored, edges: .trim),
        Case("transpose-keep", .leftMirrored), Case("transverse-trim", .rightMirrored, edges: .trim),
        Case("transverse-keep", .rightMirrored),
        Case("crop", crop: PixelRect(x: 21, y: 19, width: 18, height: 9), edges: .perfect),
        Case("rotate-90-crop", .right, crop: PixelRect(x: 3, y: 17, width: 18, height: 20)),
        Case("gray", isGray: true),
    ]

    @Test(arguments: cases) func filesHaveTheCoefficientsOfJpegtrans(_ test: Case) throws {
        let source = try ImageData.fixture("surgery/source.jpg")
        let expected = try ImageData.fixture("surgery/\(test.name).jpg")
        for isProgressive in [false, true] {
            var options = EncodingOptions()
            options.jpeg.isProgressive = isProgressive
            let ours = try JPEGCoder().transformed(source, by: test.transformation, options: options)
            #expect(try WrittenBlocks(ours.array).hasPicture(of: WrittenBlocks(expected.array)))
            #expect(
                try JPEGCoder().decode(ours, options: .default).bitmap
                    == JPEGCoder().decode(expected, options: .default).bitmap)
        }
    }

    /// 43x37 pixels of 4:2:0: an incomplete column and row of MCUs.
    @Test func incompleteMCUsThatWouldComeFirstAreRefused() throws {
        let source = try ImageData.fixture("surgery/source.jpg")
        for orientation in Orientation.allCases {
            let transformation = JPEGTransformation(orientation: orientation)
            if orientation == .up || orientation == .leftMirrored {
                #expect(throws: Never.self) { try JPEGCoder().transformed(source, by: transformation) }
            } else {
                #expect(throws: ImageError.self) { try JPEGCoder().transformed(source, by: transformation) }
            }
        }
        // A part without them is turned.
        let inner = JPEGTransformation(orientation: .down, crop: PixelRect(x: 0, y: 0, width: 32, height: 20))
        #expect(throws: Never.self) { try JPEGCoder().transformed(source, by: inner) }
        let outside = JPEGTransformation(crop: PixelRect(x: 40, y: 0, width: 4, height: 4))
        #expect(throws: ImageError.self) { try JPEGCoder().transformed(source, by: outside) }
        let far = JPEGTransformation(crop: PixelRect(x: .max, y: .max, width: .max, height: .max))
        #expect(throws: ImageError.self) { try JPEGCoder().transformed(source, by: far) }
    }

    @Test(arguments: [
        // The start goes down to a multiple of 16, and the size grows by as much.
        (PixelRect(x: 17, y: 15, width: 5, height: 3), PixelSize(width: 6, height: 18)),
        (PixelRect(x: 16, y: 32, width: 27, height: 5), PixelSize(width: 27, height: 5)),
        (PixelRect(x: 42, y: 36, width: 1, height: 1), PixelSize(width: 11, height: 5)),
    ])
    func partsBeginWhereAnMCUDoes(_ part: PixelRect, _ size: PixelSize) throws {
        let source = try ImageData.fixture("surgery/source.jpg")
        let file = try JPEGCoder().transformed(source, by: JPEGTransformation(crop: part))
        #expect(try WrittenBlocks(file.array).size == size)
    }

    /// By hand: the coefficient of row r and column c comes from row c and column r, and has the other sign if c is odd; the
    /// left block becomes the upper one.
    @Test func aQuarterTurnTransposesBlocksAndChangesSigns() throws {
        let geometry = try #require(
            FrameGeometry(
                size: PixelSize(width: 16, height: 8),
                components: [
                    FrameGeometry.ComponentSpecification(
                        identifier: 1, horizontalSampling: 1, verticalSampling: 1, quantizationTable: 0)
                ]))
        var picture = try CoefficientPicture.empty(geometry, .grayscale)
        let stored: [(block: Int, row: Int, column: Int, value: Int16)] = [
            (0, 0, 0, 10), (0, 0, 1, 7), (0, 1, 0, 5), (0, 1, 2, -3), (1, 0, 0, 20),
        ]
        picture.coefficients[0].values.withMutableBytes { bytes in
            bytes.withNumbers(of: Int16.self) { values in
                for (block, row, column, value) in stored {
                    let position = ZigZagOrder.natural.firstIndex(of: UInt8(8 * row + column)) ?? 0
                    values[64 * block + position] = value
                }
            }
        }
        let file = ImageData(try picture.file(.sequential))
        let turned = try WrittenBlocks(
            JPEGCoder().transformed(file, by: JPEGTransformation(orientation: .right)).array)
        var upper = [Int16](repeating: 0, count: 64)
        (upper[0], upper[8], upper[1], upper[8 * 2 + 1]) = (10, 7, -5, 3)
        let lower = [20] + [Int16](repeating: 0, count: 63)
        #expect(turned.size == PixelSize(width: 8, height: 16) && turned.blocks == [[upper, lower]])
    }

    @Test(arguments: 0..<24) func fourQuartersAndInversesAreNothing(seed: UInt64) throws {
        var random = SeededRandom(seed: 100 + seed)
        let picture = try CoefficientPicture.random(&random)
        let file = ImageData(try picture.file(.progressive(.coarse), segments: picture.segments))
        let before = try WrittenBlocks(file.array)
        var quarter = JPEGTransformation(orientation: .right)
        quarter.edges = .keep
        var turned = file
        for _ in 0..<4 { turned = try JPEGCoder().transformed(turned, by: quarter, options: .init(effort: .fast)) }
        #expect(try WrittenBlocks(turned.array).hasPicture(of: before))
        for orientation in Orientation.allCases {
            var (there, back) = (quarter, quarter)
            (there.orientation, back.orientation) = (orientation, orientation.inverse)
            let result = try JPEGCoder().transformed(JPEGCoder().transformed(file, by: there), by: back)
            #expect(try WrittenBlocks(result.array).hasPicture(of: before), "\(orientation)")
        }
    }

    @Test func theOrientationOfEXIFIsAppliedAndReset() throws {
        let source = try ImageData.fixture("surgery/source.jpg")
        var metadata = try JPEGCoder().inspect(source, options: .default).metadata
        try metadata.editExif { (exif) throws(ImageError) in
            try exif.set(.orientation, to: .short([UInt16(Orientation.right.rawValue)]))
            try exif.set(ExifTag(.exif, 0xA002), to: .long([43]))
            try exif.set(ExifTag(.exif, 0xA003), to: .long([37]))
        }
        metadata.exif = ExifThumbnail.embed(jpeg: source.array, into: metadata.exif, byteCount: 60_000)
        let file = try JPEGCoder().replacingMetadata(of: source, with: metadata)
        #expect(try JPEGCoder().inspect(file, options: .default).orientation == .right)
        var upright = JPEGTransformation()
        upright.edges = .keep
        let turned = try JPEGCoder().transformed(file, by: upright)
        let info = try JPEGCoder().inspect(turned, options: .default)
        let exif = try #require(info.metadata.exif.flatMap { ExifBlock($0) })
        #expect(info.orientation == .up && info.size == PixelSize(width: 37, height: 43))
        #expect(exif[ExifTag(.exif, 0xA002)]?.integer == 37 && exif[ExifTag(.exif, 0xA003)]?.integer == 43)
        // The preview is turned too; it has no incomplete MCUs left where they would come first.
        let preview = try #require(info.metadata.exif.flatMap { ExifThumbnail.jpeg(in: $0) })
        var trimming = JPEGTransformation(orientation: .right)
        trimming.edges = .trim
        #expect(
            try WrittenBlocks(preview).hasPicture(
                of: WrittenBlocks(JPEGCoder().transformed(source, by: trimming).array)))
        #expect(try WrittenBlocks(preview).marker == .sof0)
        let expected = try ImageData.fixture("surgery/rotate-90-keep.jpg")
        #expect(try WrittenBlocks(turned.array).hasPicture(of: WrittenBlocks(expected.array)))
        // A part has none, and neither has a picture whose preview is no picture.
        let part = JPEGTransformation(crop: PixelRect(x: 0, y: 0, width: 16, height: 16))
        #expect(try Self.preview(JPEGCoder().transformed(file, by: part)) == nil)
        metadata.exif = ExifThumbnail.embed(jpeg: [0xFF, 0xD8, 0xFF], into: metadata.exif, byteCount: 60_000)
        let damaged = try JPEGCoder().replacingMetadata(of: source, with: metadata)
        #expect(try Self.preview(damaged) != nil && Self.preview(JPEGCoder().transformed(damaged, by: upright)) == nil)
        // Left alone, it stays.
        var left = JPEGTransformation(crop: PixelRect(x: 0, y: 0, width: 16, height: 16))
        left.appliesOrientation = false
        #expect(
            try JPEGCoder().inspect(JPEGCoder().transformed(file, by: left), options: .default).orientation == .right)
    }

    private static func preview(_ file: ImageData) throws -> [UInt8]? {
        try JPEGCoder().inspect(file, options: .default).metadata.exif.flatMap { ExifThumbnail.jpeg(in: $0) }
    }

    @Test func onlyPicturesWithLumaBecomeGray() throws {
        var gray = JPEGTransformation()
        gray.isGray = true
        #expect(throws: ImageError.self) { try JPEGCoder().transformed(.fixture("cmyk.jpg"), by: gray) }
        let file = try JPEGCoder().transformed(.fixture("landscape-gray-restart.jpg"), by: gray)
        #expect(try WrittenBlocks(file.array).sampling == [[1, 1]])
    }
}
