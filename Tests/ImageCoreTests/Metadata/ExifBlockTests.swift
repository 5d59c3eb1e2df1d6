import CodecTestSupport
import ImageCodecsCore
import Testing

@Suite struct ExifBlockTests {
    // What stands at which offset:
    //   0 header   8 main directory   62 "Maker\0"   68 Exif directory   98 1/250   106 GPS directory   136 52, 31, 12.25
    private static let littleEndian: [UInt8] =
        [
            0x49, 0x49, 0x2A, 0x00, 8, 0, 0, 0,  // "II", 42, directory at 8
            4, 0,  // four entries
            0x0F, 0x01, 2, 0, 6, 0, 0, 0, 62, 0, 0, 0,  // 271 Make, ASCII, 6 bytes at 62
            0x12, 0x01, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0,  // 274 Orientation, SHORT, 6
            0x69, 0x87, 4, 0, 1, 0, 0, 0, 68, 0, 0, 0,  // 0x8769, LONG, Exif directory at 68
            0x25, 0x88, 4, 0, 1, 0, 0, 0, 106, 0, 0, 0,  // 0x8825, LONG, GPS directory at 106
            0, 0, 0, 0,  // no further directory
        ] + Array("Maker\0".utf8) + [
            2, 0,  // two entries
            0x9A, 0x82, 5, 0, 1, 0, 0, 0, 98, 0, 0, 0,  // 0x829A ExposureTime, RATIONAL at 98
            0x04, 0x92, 10, 0, 1, 0, 0, 0, 98, 0, 0, 0,  // 0x9204 ExposureBiasValue, SRATIONAL at 98
            0, 0, 0, 0,
            1, 0, 0, 0, 250, 0, 0, 0,  // 1/250
            2, 0,  // two entries
            1, 0, 2, 0, 2, 0, 0, 0, 0x4E, 0, 0, 0,  // 1 GPSLatitudeRef, ASCII, "N\0" in the entry
            2, 0, 5, 0, 3, 0, 0, 0, 136, 0, 0, 0,  // 2 GPSLatitude, three RATIONALs at 136
            0, 0, 0, 0,
            52, 0, 0, 0, 1, 0, 0, 0, 31, 0, 0, 0, 1, 0, 0, 0, 0xC9, 4, 0, 0, 100, 0, 0, 0,  // 52, 31, 1225/100
        ]

    private func block(_ change: (inout [UInt8]) -> Void = { _ in }) throws -> ExifBlock {
        var bytes = Self.littleEndian
        change(&bytes)
        return try #require(ExifBlock(bytes))
    }

    @Test func valuesAreFoundByDirectoryAndTag() throws {
        let exif = try block()
        #expect(exif.tags() == [271, 274, 0x8769, 0x8825])
        #expect(exif.tags(in: .exif) == [0x829A, 0x9204])
        #expect(exif.tags(in: .gps) == [1, 2])
        #expect(exif.text(271) == "Maker")
        #expect(exif.integer(274) == 6)
        #expect(exif.rational(0x829A, in: .exif) == TIFFRational(1, 250))
        #expect(exif.text(1, in: .gps) == "N")
        #expect(
            (0..<3).map { exif.rational(2, in: .gps, at: $0) }
                == [TIFFRational(52, 1), TIFFRational(31, 1), TIFFRational(1225, 100)])
        #expect(exif.entry(2, in: .gps)?.type == .rational)
        #expect(exif.entry(2, in: .gps)?.valueCount == 3)
    }

    @Test func theSegmentsNameInFrontIsSkipped() throws {
        let exif = try #require(ExifBlock(Array("Exif\0\0".utf8) + Self.littleEndian))
        #expect(exif.tiff == Self.littleEndian)
        #expect(exif.text(271) == "Maker")
    }

    @Test func otherTypesAndPlacesHaveNoValue() throws {
        let exif = try block()
        #expect(exif.integer(271) == nil && exif.rational(271) == nil && exif.text(274) == nil)
        #expect(exif.integer(274, at: 1) == nil && exif.integer(274, at: -1) == nil)
        #expect(exif.rational(2, in: .gps, at: 3) == nil)
        #expect(exif.integer(274, in: .exif) == nil && exif.entry(999) == nil)
    }

    @Test func signsAreThoseOfTheType() throws {
        let exif = try block { $0.replaceSubrange(98..<102, with: [0xFF, 0xFF, 0xFF, 0xFF]) }
        #expect(exif.rational(0x829A, in: .exif) == TIFFRational(0xFFFF_FFFF, 250))
        #expect(exif.rational(0x9204, in: .exif) == TIFFRational(-1, 250))
        for (type, value) in [(1, 0xFE), (3, 0xFFFE), (4, 0xFFFF_FFFE), (6, -2), (7, 0xFE), (8, -2), (9, -2)] {
            let exif = try block {
                $0.replaceSubrange(24..<34, with: [UInt8(type), 0, 1, 0, 0, 0, 0xFE, 0xFF, 0xFF, 0xFF])
            }
            #expect(exif.integer(274) == value)
        }
    }

    @Test func valuesBeyondTheEndAreNotThere() throws {
        // Make: six bytes that end one byte too late; then 2^32 - 1 of them; then at 2^32 - 1.
        let end = UInt8(Self.littleEndian.count - 5)
        #expect(try block { $0[18] = end }.text(271) == nil)
        #expect(try block { $0[18] = end - 1 }.text(271) != nil)
        #expect(try block { $0.replaceSubrange(14..<18, with: [0xFF, 0xFF, 0xFF, 0xFF]) }.text(271) == nil)
        #expect(try block { $0.replaceSubrange(18..<22, with: [0xFF, 0xFF, 0xFF, 0xFF]) }.text(271) == nil)
        // As fractions, 2^32 - 1 of them take more bytes than a 32-bit offset can name.
        let many = try block { $0.replaceSubrange(12..<18, with: [5, 0, 0xFF, 0xFF, 0xFF, 0xFF]) }
        #expect(many.entry(271)?.valueCount == 0xFFFF_FFFF && many.rational(271) == nil)
        // A type that does not exist.
        #expect(try block { $0[12] = 13 }.entry(271)?.type == nil)
        #expect(try block { $0[12] = 13 }.integer(271) == nil)
    }

    @Test func directoriesThatPointAtEachOtherAreReadOnce() throws {
        // The Exif and the GPS directory are the main one, which names itself as the next.
        let exif = try block {
            $0.replaceSubrange(42..<46, with: [8, 0, 0, 0])
            $0.replaceSubrange(54..<58, with: [8, 0, 0, 0])
            $0.replaceSubrange(58..<62, with: [8, 0, 0, 0])
        }
        for directory in ExifBlock.Directory.allCases { #expect(exif.integer(274, in: directory) == 6) }
    }

    @Test func directoriesOutsideTheDataAreNone() throws {
        for offset: [UInt8] in [[0, 0, 0, 0], [7, 0, 0, 0], [159, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0xFF]] {
            let exif = try block { $0.replaceSubrange(42..<46, with: offset) }
            #expect(exif.tags(in: .exif).isEmpty && exif.entry(0x829A, in: .exif) == nil)
            #expect(exif.text(1, in: .gps) == "N")
        }
    }

    @Test func aDirectoryHasNoMoreEntriesThanThereAreBytes() throws {
        let exif = try block { $0.replaceSubrange(8..<10, with: [0xFF, 0xFF]) }
        #expect(exif.tags().count == (Self.littleEndian.count - 10) / 12)
        #expect(exif.integer(274) == 6)
    }

    @Test func longTextsAreCut() throws {
        let letters = [UInt8](repeating: 0x41, count: 10_000)
        var bytes = Self.littleEndian + letters
        bytes.replaceSubrange(14..<22, with: [0x10, 0x27, 0, 0, 160, 0, 0, 0])
        #expect(ExifBlock(bytes)?.text(271) == String(repeating: "A", count: ExifBlock.maxTextByteCount))
    }

    @Test func everyPrefixAndDamagedDataEndWithoutATrap() {
        func readAll(_ bytes: [UInt8]) {
            guard let exif = ExifBlock(bytes) else { return }
            for directory in ExifBlock.Directory.allCases {
                for tag in exif.tags(in: directory) {
                    for index in [-1, 0, 1, 2, Int.max] {
                        _ = exif.integer(tag, in: directory, at: index)
                        _ = exif.rational(tag, in: directory, at: index)
                    }
                    _ = exif.text(tag, in: directory)
                }
            }
            for orientation in Orientation.allCases {
                let written = ExifBlock.bytes(bytes, orientation: orientation)
                #expect(written.flatMap { exifOrientation(in: $0.span) } ?? .up == orientation)
            }
        }
        for count in 0...Self.littleEndian.count { readAll(Array(Self.littleEndian.prefix(count))) }
        var random = SeededRandom(seed: 27)
        for _ in 0..<5000 {
            var bytes = Self.littleEndian
            for _ in 0..<4 {
                let byte = [0, 1, 8, 0x7F, 0x80, 0xFF, UInt8.random(in: 0...255, using: &random)]
                bytes[Int.random(in: bytes.indices, using: &random)] = byte.randomElement(using: &random) ?? 0
            }
            readAll(bytes)
        }
    }

    @Test func aNameInFrontIsNotWritten() throws {
        let named = Array("Exif\0\0".utf8) + Self.littleEndian
        #expect(ExifBlock.bytes(named, orientation: .right) == Self.littleEndian)
        var expected = Self.littleEndian
        expected[30] = 3
        #expect(ExifBlock.bytes(named, orientation: .down) == expected)
    }

    @Test func theFirstOfTwoTagsIsTheOneThatCounts() throws {
        // Make becomes another orientation, one that no reader can read.
        let exif = try block { $0.replaceSubrange(10..<22, with: [0x12, 0x01, 3, 0, 1, 0, 0, 0, 99, 0, 0, 0]) }
        #expect(exifOrientation(in: exif.tiff.span) == .right)
        let written = try #require(ExifBlock.bytes(exif.tiff, orientation: .left))
        #expect(exifOrientation(in: written.span) == .left)
    }
}
