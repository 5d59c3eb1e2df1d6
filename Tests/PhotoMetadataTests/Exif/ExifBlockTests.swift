import CodecTestSupport
import ImageCodecsCore
import ImagePhotoMetadata
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

    private static let directories: [ExifDirectory] = [.main, .exif, .gps]

    private func numbers(_ exif: ExifBlock, in directory: ExifDirectory = .main) -> [UInt16] {
        exif.fields(in: directory).map(\.tag.number)
    }

    @Test func valuesAreFoundByDirectoryAndTag() throws {
        let exif = try block()
        #expect(exif.directories == Self.directories)
        #expect(numbers(exif) == [271, 274, 0x8769, 0x8825])
        #expect(numbers(exif, in: .exif) == [0x829A, 0x9204])
        #expect(numbers(exif, in: .gps) == [1, 2])
        #expect(exif[.make] == .ascii("Maker"))
        #expect(exif[.orientation] == .short([6]))
        #expect(exif[.exposureTime] == .rational([ExifRational(1, 250)]))
        #expect(exif[.gpsLatitudeReference] == .ascii("N"))
        #expect(
            exif[.gpsLatitude] == .rational([ExifRational(52, 1), ExifRational(31, 1), ExifRational(1225, 100)]))
        let latitude = try #require(exif.field(.gpsLatitude))
        #expect(latitude.type == .rational && latitude.count == 3 && latitude.range == 136..<160)
        #expect(exif.value(of: latitude, maxCount: 1) == .rational([ExifRational(52, 1)]))
        #expect(exif.value(of: latitude, maxCount: 0) == .rational([]))
    }

    @Test func fieldsOfAnotherBlockHaveNoValueOrAnotherOne() throws {
        let latitude = try #require(block().field(.gpsLatitude))
        let short = try #require(ExifBlock(Array(Self.littleEndian.prefix(100))))
        #expect(short.value(of: latitude) == nil)
    }

    @Test func theSegmentsNameInFrontIsSkipped() throws {
        let exif = try #require(ExifBlock(Array("Exif\0\0".utf8) + Self.littleEndian))
        #expect(exif.bytes == Self.littleEndian)
        #expect(exif[.make] == .ascii("Maker"))
    }

    @Test func otherTypesAndPlacesHaveNoValue() throws {
        let exif = try block()
        #expect(exif[.make]?.integer == nil && exif[.make]?.rationals == [] && exif[.orientation]?.text == nil)
        #expect(exif[ExifTag(.exif, 274)] == nil && exif[ExifTag(.main, 999)] == nil && exif[.model] == nil)
        #expect(exif.fields(in: .thumbnail).isEmpty && exif.thumbnailRange == nil)
    }

    @Test func signsAreThoseOfTheType() throws {
        let exif = try block { $0.replaceSubrange(98..<102, with: [0xFF, 0xFF, 0xFF, 0xFF]) }
        #expect(exif[.exposureTime] == .rational([ExifRational(0xFFFF_FFFF, 250)]))
        #expect(exif[.exposureBias] == .signedRational([ExifRational(-1, 250)]))
        let values: [(type: UInt8, value: ExifValue)] = [
            (1, .byte([0xFE])), (3, .short([0xFFFE])), (4, .long([0xFFFF_FFFE])), (6, .signedByte([-2])),
            (7, .undefined([0xFE])), (8, .signedShort([-2])), (9, .signedLong([-2])),
        ]
        for (type, value) in values {
            let exif = try block {
                $0.replaceSubrange(24..<34, with: [type, 0, 1, 0, 0, 0, 0xFE, 0xFF, 0xFF, 0xFF])
            }
            #expect(exif[.orientation] == value)
        }
        // 1.5 and -2 as IEEE 754 has them.
        let float = try block { $0.replaceSubrange(24..<34, with: [11, 0, 1, 0, 0, 0, 0, 0, 0xC0, 0x3F]) }
        #expect(float[.orientation] == .float([1.5]))
        let double = try block {
            $0.replaceSubrange(24..<34, with: [12, 0, 1, 0, 0, 0, 98, 0, 0, 0])
            $0.replaceSubrange(98..<106, with: [0, 0, 0, 0, 0, 0, 0, 0xC0])
        }
        #expect(double[.orientation] == .double([-2]))
    }

    @Test func valuesBeyondTheEndAreNotThere() throws {
        // Make: six bytes that end one byte too late; then 2^32 - 1 of them; then at 2^32 - 1; then in the header.
        let end = UInt8(Self.littleEndian.count - 5)
        #expect(try block { $0[18] = end }[.make] == nil)
        #expect(try block { $0[18] = end - 1 }[.make] != nil)
        #expect(try block { $0.replaceSubrange(14..<18, with: [0xFF, 0xFF, 0xFF, 0xFF]) }[.make] == nil)
        #expect(try block { $0.replaceSubrange(18..<22, with: [0xFF, 0xFF, 0xFF, 0xFF]) }[.make] == nil)
        #expect(try block { $0[18] = 7 }[.make] == nil)
        // As fractions, 2^32 - 1 of them take more bytes than a 32-bit offset can name.
        let many = try block { $0.replaceSubrange(12..<18, with: [5, 0, 0xFF, 0xFF, 0xFF, 0xFF]) }
        #expect(many.field(.make)?.count == 0xFFFF_FFFF && many[.make] == nil)
        // A type that does not exist.
        #expect(try block { $0[12] = 13 }.field(.make)?.type == nil)
        #expect(try block { $0[12] = 13 }[.make] == nil)
    }

    @Test func directoriesThatPointAtEachOtherAreReadOnce() throws {
        // The Exif and the GPS directory are the main one, which names itself as the next.
        let exif = try block {
            $0.replaceSubrange(42..<46, with: [8, 0, 0, 0])
            $0.replaceSubrange(54..<58, with: [8, 0, 0, 0])
            $0.replaceSubrange(58..<62, with: [8, 0, 0, 0])
        }
        #expect(exif.directories == [.main, .exif, .gps, .thumbnail])
        for directory in exif.directories {
            #expect(exif.fields(in: directory).count == 4 && exif[ExifTag(directory, 274)] == .short([6]))
        }
        #expect(exif.editViolations() == [])
    }

    @Test func directoriesOutsideTheDataAreNone() throws {
        for offset: [UInt8] in [[0, 0, 0, 0], [7, 0, 0, 0], [159, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0xFF]] {
            let exif = try block { $0.replaceSubrange(42..<46, with: offset) }
            #expect(exif.fields(in: .exif).isEmpty && exif.field(.exposureTime) == nil)
            #expect(exif[.gpsLatitudeReference] == .ascii("N"))
        }
    }

    @Test func aDirectoryHasNoMoreEntriesThanThereAreBytes() throws {
        let exif = try block { $0.replaceSubrange(8..<10, with: [0xFF, 0xFF]) }
        #expect(exif.fields(in: .main).count == (Self.littleEndian.count - 10) / 12)
        #expect(exif[.orientation] == .short([6]))
    }

    @Test func everyPrefixAndDamagedDataCanBeReadAndEdited() {
        func check(_ bytes: [UInt8]) {
            _ = PhotoMetadata(exif: bytes)
            #expect(ExifBlock(bytes)?.editViolations() ?? [] == [])
            for orientation in Orientation.allCases {
                let written = ExifBlock.bytes(bytes, orientation: orientation)
                #expect(written.flatMap { exifOrientation(in: $0.span) } ?? .up == orientation)
            }
        }
        for count in 0...Self.littleEndian.count { check(Array(Self.littleEndian.prefix(count))) }
        var random = SeededRandom(seed: 27)
        for _ in 0..<2000 {
            var bytes = Self.littleEndian
            for _ in 0..<4 {
                let byte = [0, 1, 8, 0x7F, 0x80, 0xFF, UInt8.random(in: 0...255, using: &random)]
                bytes[Int.random(in: bytes.indices, using: &random)] = byte.randomElement(using: &random) ?? 0
            }
            check(bytes)
        }
    }

    @Test func thousandsOfFieldsThatShareBytesTakeNoTimeOfTheirOwn() throws {
        // 5000 fields, each of all 60,000 bytes of values: 300 MB if each were read.
        var bytes: [UInt8] = [0x49, 0x49, 0x2A, 0, 8, 0, 0, 0, 0x88, 0x13]
        for number in 0..<5000 {
            bytes += [UInt8(number & 255), UInt8(number >> 8 | 0x40), 7, 0, 0x60, 0xEA, 0, 0, 10, 0, 0, 0]
        }
        bytes += [0, 0, 0, 0]
        let exif = try #require(ExifBlock(bytes))
        #expect(exif.fields(in: .main).count { $0.range == 10..<60_010 } == 5000)
        var editor = ExifEditor(exif)
        try editor.set(.artist, to: .ascii("Ada"))
        let edited = try #require(try editor.bytes())
        // The old directory is values of its fields, so that it stays, and a new one is at the end.
        #expect(edited.count == 60_010 + 2 + 5001 * 12 + 4)
        #expect(ExifBlock(edited)?.fields(in: .main).count == 5001)
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
        #expect(exifOrientation(in: exif.bytes.span) == .right)
        let written = try #require(ExifBlock.bytes(exif.bytes, orientation: .left))
        #expect(exifOrientation(in: written.span) == .left)
    }
}
