import CodecTestSupport
import ImageCodecsCore
import ImagePhotoMetadata
import JPEGBaselineCodec
import JPEGCodec
import Testing

/// Pictures that replace parts of others, against jpegtran's files and by comparing blocks.
@Suite struct PastingTests {
    private static func pasted(
        _ patch: ImageData, x: Int, y: Int, _ transformation: JPEGTransformation = JPEGTransformation(),
        into file: String = "surgery/source.jpg"
    ) throws -> ImageData {
        try JPEGCoder().transformed(.fixture(file), by: transformation, pasting: [JPEGPatch(patch, x: x, y: y)])
    }

    /// 16x32 pixels within 43x37, and 27x21 that reach the right and the lower edge, where their MCUs are incomplete.
    @Test(arguments: [("patch", 16, 0), ("patch-edge", 16, 16)])
    func filesHaveTheCoefficientsOfJpegtrans(_ name: String, x: Int, y: Int) throws {
        let ours = try Self.pasted(.fixture("surgery/\(name).jpg"), x: x, y: y)
        let expected = try ImageData.fixture("surgery/\(name)-pasted.jpg")
        #expect(try WrittenBlocks(ours.array).hasPicture(of: WrittenBlocks(expected.array)))
        #expect(
            try JPEGCoder().decode(ours, options: .default).bitmap
                == JPEGCoder().decode(expected, options: .default).bitmap)
    }

    @Test func whatDoesNotFitIsRefused() throws {
        let patch = try ImageData.fixture("surgery/patch.jpg")
        let edge = try ImageData.fixture("surgery/patch-edge.jpg")
        for (file, x, y) in [
            (patch, 8, 0), (patch, 0, 8), (patch, 32, 0), (patch, 0, 16), (patch, -16, 0), (patch, .max, .max),
            (patch, .min, 0), (edge, 0, 0), (edge, 0, 16), (edge, 16, 0),
        ] {
            #expect(throws: ImageError.self) { try Self.pasted(file, x: x, y: y) }
        }
        // Other tables, other sampling, other components, no picture at all.
        let first = JPEGTransformation(crop: PixelRect(x: 0, y: 0, width: 16, height: 16))
        for name in ["landscape-420.jpg", "cmyk.jpg"] {
            let other = try JPEGCoder().transformed(.fixture(name), by: first)
            #expect(throws: ImageError.self, "\(name)") { try Self.pasted(other, x: 0, y: 0) }
        }
        var options = EncodingOptions(effort: .fast)
        options.quality = 0.6
        options.jpeg.subsampling = .yCbCr444
        let image = try JPEGCoder().decode(patch, options: .default)
        let full = try JPEGCoder().encode(image, to: .jpeg, options: options)
        let error = #expect(throws: ImageError.self) { try Self.pasted(ImageData(full), x: 0, y: 0) }
        #expect(error?.description.contains("sampling") == true)
        // A larger one is not read.
        let (meter, plain) = (MemoryMeter(), MemoryMeter())
        var metered = EncodingOptions()
        metered.memoryMeter = plain
        _ = try JPEGCoder().transformed(.fixture("surgery/source.jpg"), by: .init(), options: metered)
        metered.memoryMeter = meter
        #expect(throws: ImageError.self) {
            try JPEGCoder().transformed(
                .fixture("surgery/source.jpg"), by: .init(),
                pasting: [JPEGPatch(.fixture("landscape-420.jpg"), x: 0, y: 0)], options: metered)
        }
        #expect(meter.peak <= plain.peak)
        let damaged = ImageData(patch.array.dropLast(40))
        #expect(throws: ImageError.self) {
            try JPEGCoder().transformed(
                .fixture("surgery/source.jpg"), by: .init(), pasting: [JPEGPatch(damaged, x: 0, y: 0)],
                strictness: .tolerant)
        }
        #expect(throws: ImageError.self) { try Self.pasted([0xFF, 0xD8], x: 0, y: 0) }
    }

    @Test func incompleteMCUsAwayFromTheEdgeCanBeLeftOut() throws {
        var trimming = JPEGTransformation()
        trimming.edges = .trim
        let edge = try ImageData.fixture("surgery/patch-edge.jpg")
        let ours = try WrittenBlocks(Self.pasted(edge, x: 0, y: 0, trimming).array)
        let first = JPEGTransformation(crop: PixelRect(x: 0, y: 0, width: 16, height: 16))
        let whole = try JPEGCoder().transformed(edge, by: first)
        #expect(try ours == WrittenBlocks(Self.pasted(whole, x: 0, y: 0).array))
        #expect(try ours != WrittenBlocks(JPEGCoder().transformed(.fixture("surgery/source.jpg"), by: .init()).array))
    }

    /// A part that is cut out and pasted again changes nothing, whatever was done with both.
    @Test(arguments: Orientation.allCases) func partsOfAPictureFitWhereTheyWere(_ orientation: Orientation) throws {
        let source = try ImageData.fixture("surgery/source.jpg")
        var turn = JPEGTransformation(orientation: orientation)
        turn.edges = .trim
        let whole = try JPEGCoder().transformed(source, by: turn)
        let part = try JPEGCoder().transformed(
            whole, by: JPEGTransformation(crop: PixelRect(x: 16, y: 16, width: 16, height: 16)))
        let again = try JPEGCoder().transformed(source, by: turn, pasting: [JPEGPatch(part, x: 16, y: 16)])
        #expect(try WrittenBlocks(again.array).hasPicture(of: WrittenBlocks(whole.array)))
        let moved = try JPEGCoder().transformed(source, by: turn, pasting: [JPEGPatch(part, x: 0, y: 0)])
        #expect(try !WrittenBlocks(moved.array).hasPicture(of: WrittenBlocks(whole.array)))
    }

    /// Luma of 4:2:0 has two blocks of a gray picture in an MCU; the colours that were there go.
    @Test func grayPicturesHaveNoColorsAndColorsLeaveGrayOnes() throws {
        let source = try ImageData.fixture("surgery/source.jpg")
        var gray = JPEGTransformation()
        gray.isGray = true
        var part = gray
        part.crop = PixelRect(x: 0, y: 0, width: 16, height: 32)
        let patch = try JPEGCoder().transformed(.fixture("surgery/patch.jpg"), by: part)
        let ours = try WrittenBlocks(Self.pasted(patch, x: 16, y: 0).array)
        let colored = try WrittenBlocks(Self.pasted(.fixture("surgery/patch.jpg"), x: 16, y: 0).array)
        #expect(ours.blocks[0] == colored.blocks[0])
        let before = try WrittenBlocks(source.array)
        for component in 1...2 {
            // Three blocks in a row.
            for (index, block) in ours.blocks[component].enumerated() {
                let isPasted = index % 3 == 1 && index / 3 < 2
                #expect(block == (isPasted ? Array(repeating: 0, count: 64) : before.blocks[component][index]))
            }
        }
        let luma = try Self.pasted(.fixture("surgery/patch.jpg"), x: 16, y: 0, gray)
        #expect(try WrittenBlocks(luma.array).blocks == [ours.blocks[0]])
    }

    /// The patch says that it lies on its side; it comes upright.
    @Test func patchesAreTurnedAsTheirMetadataSay() throws {
        let source = try ImageData.fixture("surgery/source.jpg")
        var turn = JPEGTransformation(orientation: .left)
        turn.edges = .trim
        let whole = try JPEGCoder().transformed(source, by: turn)
        var metadata = ImageMetadata()
        metadata.orientation = .right
        let part = try JPEGCoder().transformed(
            whole, by: JPEGTransformation(crop: PixelRect(x: 0, y: 0, width: 32, height: 32)))
        let patch = try JPEGCoder().replacingMetadata(of: part, with: metadata)
        let upright = try JPEGCoder().transformed(patch, by: JPEGTransformation())
        let ours = try WrittenBlocks(Self.pasted(patch, x: 0, y: 0).array)
        #expect(try ours == WrittenBlocks(Self.pasted(upright, x: 0, y: 0).array))
        // As it is stored, its tables have rows for columns.
        var asStored = JPEGTransformation()
        asStored.appliesOrientation = false
        #expect(throws: ImageError.self) { try Self.pasted(patch, x: 0, y: 0, asStored) }
    }

    @Test func memoryAndTimeArePatchesToo() throws {
        let patch = try ImageData.fixture("landscape-420.jpg")
        let meter = MemoryMeter()
        var options = EncodingOptions()
        options.memoryMeter = meter
        let patches = [JPEGPatch(patch, x: 0, y: 0)]
        _ = try JPEGCoder().transformed(patch, by: .init(), pasting: patches, options: options)
        let geometry = try #require(CoefficientFileByTheBook(patch.array).geometry)
        // Of one that was read and the one that is written; what is pasted is read later.
        #expect(meter.peak > 2 * 128 * Int(geometry.paddedBlockCount))
        #expect(meter.peak <= 2 * 136 * Int(geometry.paddedBlockCount) + 65536 && meter.current == 0)
        var limits = DecodingLimits.default
        limits.maxMemoryByteCount = meter.peak - 1
        #expect(throws: ImageError.self) {
            try JPEGCoder().transformed(patch, by: .init(), pasting: patches, limits: limits)
        }
    }
}
