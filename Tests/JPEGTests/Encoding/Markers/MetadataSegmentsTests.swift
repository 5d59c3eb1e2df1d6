import CodecTestSupport
import ImageCodecsCore
import JPEGBaselineCodec
import JPEGCodec
import Testing

/// What is written is what the decoder reads; what has no room is refused.
@Suite struct MetadataSegmentsTests {
    /// A file of one block in each component, or its error.
    private func file(
        _ metadata: ImageMetadata, orientation: Orientation = .up, model: JPEGColorModel = .yCbCr
    ) throws -> [UInt8] {
        let components = (0..<model.componentCount).map {
            FrameGeometry.ComponentSpecification(
                identifier: UInt8($0 + 1), horizontalSampling: 1, verticalSampling: 1, quantizationTable: 0)
        }
        let geometry = try #require(FrameGeometry(size: PixelSize(width: 8, height: 5), components: components))
        let picture = try CoefficientPicture.empty(geometry, model)
        let segments = try MetadataSegments(metadata, orientation: orientation, colorModel: model).bytes()
        var work = WorkGuard.unlimited
        var writer = try CoefficientFileWriter(
            picture, process: .sequential, segments: segments, meter: nil, work: &work)
        var file: [UInt8] = []
        try writer.write(work: &work) { (bytes) throws(ImageError) in file.append(bytes) }
        return file
    }

    private func roundTrip(
        _ metadata: ImageMetadata, orientation: Orientation = .up, model: JPEGColorModel = .yCbCr
    ) throws -> ImageMetadata {
        let file = try file(metadata, orientation: orientation, model: model)
        return try JPEGCoder().inspect(ImageData(file), options: .default).metadata
    }

    private func profile(_ space: String, byteCount: Int) -> [UInt8] {
        var random = SeededRandom(seed: 7)
        var profile = random.bytes(byteCount)
        profile.replaceSubrange(16..<20, with: Array(space.utf8))
        return profile
    }

    /// Little-endian, one directory with an orientation of 6 and a text.
    private let exif: [UInt8] = [
        0x49, 0x49, 42, 0, 8, 0, 0, 0, 2, 0,
        0x0F, 0x01, 2, 0, 4, 0, 0, 0, 0x41, 0x42, 0x43, 0,
        0x12, 0x01, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0,
        0, 0, 0, 0,
    ]

    @Test func everythingThatHasAPlaceComesBack() throws {
        var metadata = ImageMetadata()
        metadata.exif = exif
        metadata.xmp = Array("<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"/>".utf8)
        metadata.iccProfile = profile("RGB ", byteCount: 200_000)
        metadata.iptc = (0..<150_000).map { UInt8(truncatingIfNeeded: $0) }
        metadata.density = PixelDensity(x: 300, y: 150, unit: .inch)
        metadata.comments = ["one", "zwei, größer"]
        let found = try roundTrip(metadata, orientation: .right)
        #expect(found.exif == exif)
        #expect(found.orientation == .right)
        #expect(found.xmp == metadata.xmp)
        #expect(found.iccProfile == metadata.iccProfile)
        #expect(found.iptc == metadata.iptc)
        #expect(found.density == metadata.density)
        #expect(found.comments == metadata.comments)
    }

    @Test(arguments: Orientation.allCases) func theOrientationIsThatOfThePicture(orientation: Orientation) throws {
        var metadata = ImageMetadata()
        #expect(try roundTrip(metadata, orientation: orientation).orientation == orientation)
        metadata.exif = exif
        #expect(try roundTrip(metadata, orientation: orientation).orientation == orientation)
    }

    @Test func anUprightPictureWithoutMetadataHasNoExif() throws {
        #expect(try roundTrip(ImageMetadata()).exif == nil)
    }

    @Test(arguments: [
        (PixelDensity(x: 2835, y: 2835, unit: .meter), PixelDensity(x: 72, y: 72, unit: .inch)),
        (PixelDensity(x: 118, y: 59, unit: .centimeter), PixelDensity(x: 118, y: 59, unit: .centimeter)),
        (PixelDensity(x: 4, y: 3, unit: .aspectRatio), PixelDensity(x: 4, y: 3, unit: .aspectRatio)),
        (PixelDensity(x: 131_070, y: 65_535, unit: .inch), PixelDensity(x: 65_535, y: 32_767, unit: .aspectRatio)),
    ])
    func densitiesGetAUnitOfTheFormat(density: PixelDensity, expected: PixelDensity) throws {
        var metadata = ImageMetadata()
        metadata.density = density
        #expect(try roundTrip(metadata).density == expected)
    }

    @Test(arguments: [
        ("RGB ", JPEGColorModel.yCbCr, true), ("RGB ", .rgb, true), ("RGB ", .grayscale, false),
        ("RGB ", .cmyk, false), ("GRAY", .grayscale, true), ("GRAY", .yCbCr, false), ("CMYK", .cmyk, true),
        ("CMYK", .ycck, true), ("CMYK", .yCbCr, false), ("Lab ", .yCbCr, false),
    ])
    func aProfileGoesWithItsOwnPixels(space: String, model: JPEGColorModel, isWritten: Bool) throws {
        var metadata = ImageMetadata()
        metadata.iccProfile = profile(space, byteCount: 500)
        #expect(try roundTrip(metadata, model: model).iccProfile == (isWritten ? metadata.iccProfile : nil))
    }

    @Test(arguments: [JPEGColorModel.grayscale, .rgb, .yCbCr, .cmyk, .ycck])
    func theMarkersSayWhatTheComponentsMean(model: JPEGColorModel) throws {
        let file = try file(ImageMetadata(), model: model)
        let name: [UInt8] = Array((model == .grayscale || model == .yCbCr ? "JFIF" : "Adobe").utf8)
        #expect(Array(file[6..<6 + name.count]) == name)
        #expect(try JPEGCoder().inspect(ImageData(file), options: .default).format == .jpeg)
    }

    /// Longer than one segment, and than two.
    @Test(arguments: [65_503, 65_600, 140_000]) func longPacketsBecomeExtensions(byteCount: Int) throws {
        var metadata = ImageMetadata()
        let start = "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\">"
        metadata.xmp = Array((start + String(repeating: "x", count: byteCount - start.utf8.count)).utf8)
        #expect(try roundTrip(metadata).xmp == metadata.xmp)
    }

    @Test func theLongestPacketOfOneSegmentStaysWhole() {
        let packet = [UInt8](repeating: 32, count: 65_502)
        #expect(ExtendedXMP(packet).segmentBodies.map(\.count) == [29 + 65_502])
    }

    /// A main packet of another writer and its extension, as the decoder puts them together.
    @Test func aPacketWithItsExtensionIsTakenApartAgain() throws {
        let rest = Array("<x:xmpmeta xmlns:x=\"adobe:ns:meta/\">more</x:xmpmeta>".utf8)
        let main = Array(
            ("<?xpacket begin=''?><x:xmpmeta>xmpNote:HasExtendedXMP='" + MD5Digest(of: rest).hexadecimal
                + "'</x:xmpmeta>\n<?xpacket end='w'?>\n").utf8)
        let split = ExtendedXMP(main + rest)
        #expect(split.main == main)
        #expect(split.rest == rest)
        var metadata = ImageMetadata()
        metadata.xmp = main + rest
        #expect(try roundTrip(metadata).xmp == main + rest)
    }

    @Test func whatIsTooLongIsRefusedByName() throws {
        func message(_ change: (inout ImageMetadata) -> Void) -> String? {
            var metadata = ImageMetadata()
            change(&metadata)
            do {
                _ = try MetadataSegments(metadata, orientation: .up, colorModel: .yCbCr).bytes()
            } catch ImageError.invalidArgument(let message) {
                return message
            } catch {}
            return nil
        }
        let fitting = exif + [UInt8](repeating: 0, count: 65_527 - exif.count)
        #expect(message { $0.exif = fitting } == nil)
        #expect(
            message { $0.exif = fitting + [0] }?.contains("EXIF data of 65528 bytes: a JPEG file has room for 65527")
                == true)
        #expect(message { $0.comments = [String(repeating: "c", count: 65_533)] } == nil)
        #expect(message { $0.iccProfile = profile("RGB ", byteCount: 255 * 65_519) } == nil)
        #expect(
            message { $0.iccProfile = profile("RGB ", byteCount: 255 * 65_519 + 1) }?.contains("ICC profile") == true)
    }
}
