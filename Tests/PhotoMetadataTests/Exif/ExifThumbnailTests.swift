import ImageCodecsCore
import ImagePhotoMetadata
import Testing

@Suite struct ExifThumbnailTests {
    private let first: [UInt8] = [0xFF, 0xD8, 1, 2, 3, 0xFF, 0xD9]
    private let second: [UInt8] = [0xFF, 0xD8, 9, 8, 0xFF, 0xD9]

    /// One directory with an orientation of 6.
    private let bigEndian: [UInt8] = [
        0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0,
    ]
    private let littleEndian: [UInt8] = [
        0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 0x01, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0,
    ]

    @Test func theFirstDirectoryAndTheByteOrderStay() throws {
        for exif in [bigEndian, littleEndian, Array("Exif\0\0".utf8) + bigEndian] {
            let result = try #require(ExifThumbnail.embed(jpeg: first, into: exif, byteCount: 1000))
            #expect(result[..<2] == exif.suffix(26)[exif.count - 26..<exif.count - 24])
            #expect(exifOrientation(in: result.span) == .right)
            #expect(ExifThumbnail.jpeg(in: result) == first)
        }
    }

    @Test func withoutDataADirectoryIsMade() throws {
        for exif in [nil, [1, 2, 3]] as [[UInt8]?] {
            let result = try #require(ExifThumbnail.embed(jpeg: first, into: exif, byteCount: 1000))
            #expect(exifOrientation(in: result.span) == .up)
            #expect(ExifThumbnail.jpeg(in: result) == first)
        }
    }

    @Test func anotherPictureIsReplaced() throws {
        let once = try #require(ExifThumbnail.embed(jpeg: first, into: littleEndian, byteCount: 1000))
        let twice = try #require(ExifThumbnail.embed(jpeg: second, into: once, byteCount: 1000))
        #expect(ExifThumbnail.jpeg(in: twice) == second)
        #expect(exifOrientation(in: twice.span) == .right)
        let isGone = !twice.indices.dropLast(4).contains { twice[$0..<$0 + 4] == [0xD8, 1, 2, 3] }
        #expect(isGone)
    }

    /// The structure ends with its only entry.
    @Test func aMissingLinkIsAdded() throws {
        let result = try #require(ExifThumbnail.embed(jpeg: first, into: Array(bigEndian.dropLast(4)), byteCount: 1000))
        #expect(exifOrientation(in: result.span) == .right)
        #expect(ExifThumbnail.jpeg(in: result) == first)
    }

    @Test func whatIsTooLongIsLeftOut() {
        let needed = 26 + 42 + first.count
        #expect(ExifThumbnail.embed(jpeg: first, into: bigEndian, byteCount: needed)?.count == needed)
        #expect(ExifThumbnail.embed(jpeg: first, into: bigEndian, byteCount: needed - 1) == nil)
    }

    @Test func dataWithoutAPictureHaveNone() {
        #expect(ExifThumbnail.jpeg(in: bigEndian) == nil)
        #expect(ExifThumbnail.jpeg(in: [1, 2, 3]) == nil)
    }
}
