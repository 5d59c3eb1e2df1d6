import CodecTestSupport
import ImageCodecsCore
import ImagePhotoMetadata
import JPEGBaselineCodec
import JPEGCodec
import Testing

/// Optimized files have the coefficients of their originals, whatever these are, and no more bytes.
@Suite struct JPEGOptimizingTests {
    private static let fixtures = [
        "landscape-420.jpg", "landscape-progressive.jpg", "landscape-gray-restart.jpg", "cmyk.jpg",
        "cmyk-progressive.jpg",
    ]

    private func decode(_ file: ImageData) throws -> Bitmap { try JPEGCoder().decode(file, options: .default).bitmap }

    @Test(arguments: fixtures, EncodingOptions.Effort.allCases)
    func picturesStayAndFilesGetNoLonger(_ name: String, _ effort: EncodingOptions.Effort) throws {
        let file = try ImageData.fixture(name)
        let optimized = try JPEGCoder().optimized(file, options: EncodingOptions(effort: effort))
        #expect(optimized.count <= file.count)
        #expect(try decode(optimized) == decode(file))
        #expect(
            try JPEGCoder().inspect(optimized, options: .default).metadata
                == JPEGCoder().inspect(file, options: .default).metadata)
        #expect(try WrittenBlocks(optimized.array).hasPicture(of: WrittenBlocks(file.array)))
    }

    @Test(arguments: 0..<30) func coefficientsOfAnySamplingAndStyleStay(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let picture = try CoefficientPicture.random(&random)
        let process: CoefficientFileWriter.Process =
            seed % 2 == 0 ? .sequential : .progressive(.uniform(.twoTwiceRefined))
        let file = try picture.file(process, segments: picture.segments)
        let optimized = try JPEGCoder().optimized(ImageData(file)).array
        #expect(try WrittenBlocks(optimized).hasPicture(of: WrittenBlocks(file)))
        #expect(optimized.count <= file.count)
    }

    /// Of two components with one identifier, a scan of the second alone would be taken for one of the first.
    @Test(arguments: [true, false]) func componentsOfOneIdentifierGetTheirOwn(_ isProgressive: Bool) throws {
        var file = try ImageData.fixture("landscape-420.jpg").array
        let frame = try #require(JPEGBytes.frameHeader(in: file))
        let scan = try #require(JPEGBytes.segment([0xDA], in: file))
        #expect(file[frame + 10] == 1 && file[frame + 13] == 2 && file[scan + 7] == 2)
        (file[frame + 13], file[scan + 7]) = (1, 1)
        var options = EncodingOptions(effort: .fast)
        options.jpeg.isProgressive = isProgressive
        let optimized = try JPEGCoder().optimized(ImageData(file), options: options)
        #expect(try decode(optimized) == decode(ImageData(file)))
    }

    @Test func aColorTransformAfterTheScanStaysWithoutEffect() throws {
        let file = try ImageData.fixture("landscape-420.jpg").array
        let adobe: [UInt8] = [0xFF, 0xEE, 0, 14] + Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 0]
        let late = ImageData(file.dropLast(2) + adobe + [0xFF, 0xD9])
        let optimized = try JPEGCoder().optimized(late)
        #expect(try decode(optimized) == decode(late) && decode(late) == decode(ImageData(file)))
    }

    @Test func stepsOfSixteenBitsStay() throws {
        var random = SeededRandom(seed: 3)
        var picture = try CoefficientPicture.random(&random)
        picture.quantizationTables = [300, 4].map { first in
            QuantizationTable(values: (0..<64).map { first + UInt16($0) })
        }
        let file = ImageData(try picture.file(.progressive(.fine), segments: picture.segments))
        var options = EncodingOptions.best
        options.jpeg.isProgressive = false
        let optimized = try JPEGCoder().optimized(file, options: options)
        #expect(try WrittenBlocks(optimized.array).marker == .sof1)
        #expect(try decode(optimized) == decode(file))
    }

    /// Decoders estimate what is not there; a file that says it is zero would show another picture.
    @Test func scansThatLeaveOutBitsAreRefusedOrTold() throws {
        let file = try ImageData.fixture("landscape-progressive.jpg").array
        let scans = file.indices.filter { $0 + 1 < file.count && file[$0] == 0xFF && file[$0 + 1] == 0xDA }
        #expect(scans.count > 3)
        let part = ImageData(file[..<scans[3]] + [0xFF, 0xD9])
        _ = try decode(part)
        let error = #expect(throws: ImageError.self) { try JPEGCoder().optimized(part) }
        #expect(error?.damageCode == .jpegScanMissing)
        let surgery = Surgery(EncodingOptions(), limits: .default, strictness: .tolerant)
        #expect(try surgery.optimized(part).damage != nil)
    }

    @Test func aFileThatGetsNoSmallerIsItself() throws {
        let once = try JPEGCoder().optimized(.fixture("landscape-420.jpg"))
        #expect(try JPEGCoder().optimized(once).array == once.array)
    }

    @Test func processAndRestartIntervalsAreAsAskedFor() throws {
        let file = try ImageData.fixture("landscape-progressive.jpg")
        var options = EncodingOptions.best
        options.jpeg.isProgressive = false
        options.jpeg.restartInterval = 13
        let sequential = try WrittenBlocks(JPEGCoder().optimized(file, options: options).array)
        #expect(sequential.marker == .sof0 && sequential.scanCount == 1)
        // 150x100 pixels of 4:4:4 are 19 x 13 MCUs, so 19 intervals.
        #expect(sequential.restartMarkerCount == 18)
        options.jpeg.isProgressive = true
        let progressive = try WrittenBlocks(JPEGCoder().optimized(file, options: options).array)
        #expect(progressive.marker == .sof2 && progressive.restartMarkerCount >= 18)
        options.jpeg.restartInterval = 70_000
        #expect(throws: ImageError.self) { try JPEGCoder().optimized(file, options: options) }
    }

    @Test func lessMetadataLeaveWhatComponentsMeanAndHowThePictureStands() throws {
        let file = try JPEGCoder().editingMetadata(of: .fixture("landscape-420.jpg")) { metadata in
            metadata.exif = ExifBlock.bytes(nil, orientation: .left)
            metadata.orientation = .left
            metadata.comments = ["gone"]
        }
        let trailing = ImageData(file.array + [1, 2, 3])
        #expect(try JPEGCoder().optimized(trailing).array.suffix(3) == [1, 2, 3])
        var options = EncodingOptions.best
        options.metadata = .none
        let stripped = try JPEGCoder().optimized(trailing, options: options)
        let metadata = try JPEGCoder().inspect(stripped, options: .default).metadata
        #expect(metadata.orientation == .left && metadata.comments.isEmpty)
        #expect(stripped.array.suffix(2) == [0xFF, 0xD9])
        // Adobe's marker decides whether inks are inverted.
        let inks = try ImageData.fixture("cmyk.jpg")
        #expect(try decode(JPEGCoder().optimized(inks, options: options)) == decode(inks))
    }

    @Test func unknownSegmentsStayInTheirOrder() throws {
        let file = try ImageData.fixture("landscape-420.jpg").array
        let segments: [UInt8] = [0xFF, 0xE9, 0, 4, 7, 8, 0xFF, 0xFE, 0, 3, 0x41, 0xFF, 0xE9, 0, 2]
        let optimized = try JPEGCoder().optimized(ImageData(file[..<2] + segments + file[2...])).array
        #expect(optimized[2...].starts(with: segments))
    }
}

extension JPEGCoder {
    /// A file with other metadata.
    fileprivate func editingMetadata(
        of file: ImageData, _ change: (inout ImageMetadata) -> Void
    ) throws -> ImageData {
        var metadata = try inspect(file, options: .default).metadata
        change(&metadata)
        return try replacingMetadata(of: file, with: metadata)
    }
}
