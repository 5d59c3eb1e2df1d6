import CodecTestSupport
import ImageCodecsCore
import ImagePhotoMetadata
import Testing

@Suite struct ExifOrientationTests {
    /// A directory with a make (ASCII, elsewhere), the orientation and a resolution unit.
    private static let littleEndian: [UInt8] = [
        0x49, 0x49, 0x2A, 0x00, 8, 0, 0, 0,  // "II", 42, directory at 8
        3, 0,  // three entries
        0x0F, 0x01, 2, 0, 4, 0, 0, 0, 0x41, 0x42, 0x43, 0x00,  // 271 Make, ASCII, 4 bytes "ABC\0"
        0x12, 0x01, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0,  // 274 Orientation, SHORT, 1 value: 6
        0x28, 0x01, 3, 0, 1, 0, 0, 0, 2, 0, 0, 0,  // 296 ResolutionUnit
        0, 0, 0, 0,  // no further directory
    ]
    private static let bigEndian: [UInt8] = [
        0x4D, 0x4D, 0x00, 0x2A, 0, 0, 0, 10,  // "MM", 42, directory at 10
        0xFF, 0xFF,  // something else
        0, 1,  // one entry
        0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 3, 0, 0,  // 274 Orientation, SHORT, 1 value: 3
        0, 0, 0, 0,
    ]
    private func orientation(_ exif: some Sequence<UInt8>) -> Orientation? {
        let bytes = Array(exif)
        return exifOrientation(in: bytes.span)
    }

    private static let prefix = Array("Exif\0\0".utf8)

    @Test func bothByteOrdersAreRead() {
        #expect(orientation(Self.littleEndian) == .right)
        #expect(orientation(Self.bigEndian) == .down)
    }

    @Test func theSegmentsNameInFrontIsSkipped() {
        #expect(orientation(Self.prefix + Self.littleEndian) == .right)
        #expect(orientation(Self.prefix + Self.bigEndian) == .down)
    }

    @Test func bytesAndLongsAreAcceptedToo() {
        var exif = Self.bigEndian
        exif.replaceSubrange(14..<24, with: [0, 4, 0, 0, 0, 1, 0, 0, 0, 8])
        #expect(orientation(exif) == .left)
        exif.replaceSubrange(14..<24, with: [0, 1, 0, 0, 0, 1, 5, 0, 0, 0])
        #expect(orientation(exif) == .leftMirrored)
    }

    @Test(arguments: [0, 9, 255])
    func otherValuesAreNoOrientation(_ value: UInt8) {
        var exif = Self.littleEndian
        exif[30] = value
        #expect(orientation(exif) == nil)
    }

    @Test func aDirectoryThatIsCutOffIsReadAsFarAsItGoes() {
        #expect(orientation(Self.littleEndian[..<34]) == .right)
        for count in 0..<34 { #expect(orientation(Self.littleEndian[..<count]) == nil) }
    }

    @Test func offsetsOutsideTheDataAreNoDirectory() {
        for offset: [UInt8] in [
            [0, 0, 0, 0], [7, 0, 0, 0], [49, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0x7F], [0xFF, 0xFF, 0xFF, 0xFF],
        ] {
            var exif = Self.littleEndian
            exif.replaceSubrange(4..<8, with: offset)
            #expect(orientation(exif) == nil)
        }
    }

    @Test func otherFilesAreNoEXIF() {
        #expect(orientation([UInt8]()) == nil)
        #expect(orientation(Self.prefix) == nil)
        var exif = Self.littleEndian
        exif[2] = 0x2B  // BigTIFF
        #expect(orientation(exif) == nil)
        exif = Self.littleEndian
        exif[1] = 0x4D
        #expect(orientation(exif) == nil)
    }

    @Test func damagedDataEndWithoutATrap() {
        var random = SeededRandom(seed: 11)
        for _ in 0..<20000 {
            var exif = Bool.random(using: &random) ? Self.littleEndian : Self.prefix + Self.bigEndian
            for _ in 0..<3 {
                exif[Int.random(in: exif.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            exif.removeLast(Int.random(in: 0...10, using: &random))
            _ = orientation(exif)
        }
    }
}
