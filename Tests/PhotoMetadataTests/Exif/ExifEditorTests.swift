import CodecTestSupport
import ImageCodecsCore
import ImagePhotoMetadata
import Testing

@Suite struct ExifEditorTests {
    /// Main directory at 8 with Make at 62 and a note of 6 bytes at 92; Exif directory at 74, whose only field is the note.
    private static let littleEndian: [UInt8] =
        [
            0x49, 0x49, 0x2A, 0, 8, 0, 0, 0,  // "II", 42, directory at 8
            4, 0,  // four entries
            0x0F, 0x01, 2, 0, 12, 0, 0, 0, 62, 0, 0, 0,  // 271 Make, ASCII, 12 bytes at 62
            0x12, 0x01, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0,  // 274 Orientation, SHORT, 6
            0x69, 0x87, 4, 0, 1, 0, 0, 0, 74, 0, 0, 0,  // 0x8769, LONG, Exif directory at 74
            0x00, 0xFF, 4, 0, 1, 0, 0, 0, 92, 0, 0, 0,  // a private tag, LONG, 92
            0, 0, 0, 0,  // no further directory
        ] + Array("Maker Works\0".utf8) + [
            1, 0,  // one entry
            0x7C, 0x92, 7, 0, 6, 0, 0, 0, 92, 0, 0, 0,  // 0x927C MakerNote, UNDEFINED, 6 bytes at 92
            0, 0, 0, 0, 1, 2, 3, 4, 5, 6,
        ]

    private func edited(
        _ bytes: [UInt8] = littleEndian, _ change: (inout ExifEditor) throws -> Void
    ) throws -> [UInt8]? {
        var editor = ExifEditor(ExifBlock(bytes))
        try change(&editor)
        return try editor.bytes()
    }

    @Test func withoutChangesTheBlockIsTheSame() throws {
        #expect(try edited { _ in } == Self.littleEndian)
        #expect(try edited { $0.remove(.artist) } == Self.littleEndian)
        #expect(try ExifEditor().bytes() == nil)
    }

    @Test func aValueOfTheSameLengthChangesNothingElse() throws {
        var expected = Self.littleEndian
        expected.replaceSubrange(62..<74, with: Array("Other Works\0".utf8))
        #expect(try edited { try $0.set(.make, to: .ascii("Other Works")) } == expected)
        expected = Self.littleEndian
        expected[30] = 3
        #expect(try edited { try $0.set(.orientation, to: .short([3])) } == expected)
    }

    @Test func whatIsRemovedIsGoneAndNothingMoves() throws {
        let result = try #require(try edited { $0.remove(.make) })
        let block = try #require(ExifBlock(result))
        #expect(block.fields(in: .main).map(\.tag.number) == [274, 0x8769, 0xFF00])
        #expect(block.field(.makerNote)?.range == 92..<98 && block[.makerNote] == .undefined([1, 2, 3, 4, 5, 6]))
        // The directory is shorter by an entry, and the text is zeros.
        #expect(result.count == Self.littleEndian.count && Array(result[50..<74]) == [UInt8](repeating: 0, count: 24))
    }

    @Test func newTagsGoWhereTheyBelongAndNotesStay() throws {
        let result = try #require(
            try edited { editor in
                try editor.set(.artist, to: .ascii("Ada"))
                try editor.set(.exposureTime, to: .rational([ExifRational(1, 250)]))
                try editor.set(.gpsLatitudeReference, to: .ascii("N"))
            })
        let block = try #require(ExifBlock(result))
        #expect(block.fields(in: .main).map(\.tag.number) == [271, 274, 315, 0x8769, 0x8825, 0xFF00])
        #expect(block.fields(in: .exif).map(\.tag.number) == [0x829A, 0x927C])
        #expect(block[.artist] == .ascii("Ada") && block[.make] == .ascii("Maker Works"))
        #expect(block[.exposureTime] == .rational([ExifRational(1, 250)]))
        #expect(block[.gpsLatitudeReference] == .ascii("N"))
        #expect(block.field(.makerNote)?.range == 92..<98 && Array(result[92..<98]) == [1, 2, 3, 4, 5, 6])
    }

    @Test func removedDirectoriesLeaveNothingBehind() throws {
        let result = try #require(
            try edited { editor in
                try editor.setPosition(latitude: -33.5, longitude: 151.21, altitude: -12.5)
            })
        let placed = try #require(PhotoMetadata(exif: result)?.location)
        #expect(placed.latitude == -33.5 && placed.altitude == -12.5)
        let longitude = try #require(placed.longitude)
        #expect((longitude - 151.21).magnitude < 1e-7)
        // Everything at the end was the place's, but for the main directory, which was too long for its place.
        let back = try #require(try edited(result) { $0.remove(.gps) })
        let block = try #require(ExifBlock(back))
        #expect(block.directories == [.main, .exif] && block.fields(in: .main).count == 4)
        #expect(!back.indices.dropLast(3).contains { back[$0..<$0 + 4] == [0x57, 0x47, 0x53, 0x2D] })
        #expect(try edited(result) { $0.remove(ExifTag(.main, 0x8825)) } == back)
        #expect(try edited { $0.remove(.exif) }.flatMap { ExifBlock($0) }?.directories == [.main])
        #expect(try edited { editor in for directory in ExifDirectory.allCases { editor.remove(directory) } } == nil)
    }

    @Test func theThumbnailGoesWithItsPicture() throws {
        let jpeg: [UInt8] = [0xFF, 0xD8, 7, 7, 7, 7, 0xFF, 0xD9]
        let bytes = try #require(ExifThumbnail.embed(jpeg: jpeg, into: Self.littleEndian, byteCount: 1000))
        let named = try #require(try edited(bytes) { try $0.set(.artist, to: .ascii("Somebody else")) })
        #expect(ExifThumbnail.jpeg(in: named) == jpeg)
        let bare = try #require(try edited(named) { $0.remove(.thumbnail) })
        #expect(ExifBlock(bare)?.thumbnailRange == nil && ExifBlock(bare)?[.artist] == .ascii("Somebody else"))
        #expect(!bare.contains(0xD8) && !bare.contains(0xD9))
    }

    @Test func bytesThatOthersUseStay() throws {
        // The private tag becomes a text at the place of Make.
        var bytes = Self.littleEndian
        bytes.replaceSubrange(46..<58, with: [0x00, 0xFF, 2, 0, 12, 0, 0, 0, 62, 0, 0, 0])
        let result = try edited(bytes) { $0.remove(.make) }
        #expect(result.flatMap { ExifBlock($0) }?[ExifTag(.main, 0xFF00)] == .ascii("Maker Works"))
    }

    @Test func aTagThatIsThereTwiceIsThereOnceWhenItIsSet() throws {
        var bytes = Self.littleEndian
        bytes.replaceSubrange(10..<22, with: bytes[22..<34])
        let block = try #require(
            try edited(bytes) { try $0.set(.orientation, to: .short([1])) }.flatMap { ExifBlock($0) })
        #expect(block.fields(in: .main).map(\.tag.number) == [274, 0x8769, 0xFF00])
    }

    @Test func everyTypeIsWrittenAsItIsRead() throws {
        let values: [ExifValue] = [
            .byte([1, 2, 3, 4, 5]), .ascii("a\0b"), .short([1, 0xFFFF, 3]), .long([0, 0xFFFF_FFFF]),
            .rational([ExifRational(1, 3), ExifRational(0xFFFF_FFFF, 0)]), .signedByte([-1, 1]), .undefined([9]),
            .signedShort([-2, 2]), .signedLong([Int32.min]), .signedRational([ExifRational(-1, 2)]), .float([1.5, -2]),
            .double([0.1]),
        ]
        #expect(Set(values.map(\.type)).count == ExifValueType.allCases.count)
        for start in [Self.littleEndian, [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0]] {
            let result = try edited(start) { editor in
                for value in values { try editor.set(ExifTag(.exif, value.type.rawValue), to: value) }
            }
            let block = try #require(result.flatMap { ExifBlock($0) })
            for value in values { #expect(block[ExifTag(.exif, value.type.rawValue)] == value) }
        }
    }

    @Test func whatCannotBeWrittenIsRefused() {
        let wrong: [(tag: ExifTag, value: ExifValue)] = [
            (ExifTag(.main, 0x8769), .long([8])), (ExifTag(.exif, 0xA005), .long([8])),
            (ExifTag(.thumbnail, 0x0103), .short([6])), (ExifTag(.thumbnail, 0x0201), .long([8])),
            (.artist, .short([])),
            (.exposureTime, .rational([ExifRational(-1, 2)])), (.exposureTime, .rational([ExifRational(1 << 32, 2)])),
            (.exposureBias, .signedRational([ExifRational(1 << 31, 2)])),
        ]
        for (tag, value) in wrong {
            #expect(throws: ImageError.self) { try edited { try $0.set(tag, to: value) } }
        }
        for (latitude, longitude) in [(91.0, 0.0), (0, -181), (.nan, 0), (0, .infinity)] {
            #expect(throws: ImageError.self) {
                try edited { try $0.setPosition(latitude: latitude, longitude: longitude) }
            }
        }
    }

    @Test func whatDoesNotExistAnyMoreIsNotKept() throws {
        // The main directory states 300 entries, and the private tag has a text beyond the end.
        var bytes = Self.littleEndian
        bytes.replaceSubrange(46..<58, with: [0x00, 0xFF, 2, 0, 12, 0, 0, 0, 250, 0, 0, 0])
        bytes = Array(bytes[..<58])
        bytes[8] = 44
        let block = try #require(
            try edited(bytes) { try $0.set(.artist, to: .ascii("Ada Ada Ada")) }.flatMap { ExifBlock($0) })
        #expect(block.fields(in: .main).map(\.tag.number) == [274, 315])
    }

    @Test func theOrientationOfMetadataFollows() throws {
        var metadata = ImageMetadata()
        try metadata.editExif { (exif) throws(ImageError) in try exif.set(.orientation, to: .short([6])) }
        #expect(metadata.orientation == .right && metadata.photo?.orientation == .right)
        try metadata.editExif { (exif) throws(ImageError) in try exif.set(.artist, to: .ascii("Ada")) }
        #expect(metadata.orientation == .right)
        metadata.orientation = .up
        try metadata.editExif { (exif) throws(ImageError) in try exif.set(.artist, to: .ascii("Ben")) }
        #expect(metadata.orientation == .up)
        try metadata.editExif { (exif) throws(ImageError) in exif.remove(.main) }
        #expect(metadata.exif == nil && metadata.orientation == .up)
    }

    @Test func tagsAreFoundByName() {
        #expect(ExifTag(named: "artist") == .artist && ExifTag(named: "gps:GPSAltitude") == .gpsAltitude)
        #expect(ExifTag(named: "main:0x9C9B") == ExifTag(.main, 0x9C9B) && ExifTag(named: "FNumber") == .fNumber)
        #expect(ExifTag(named: "Thumbnail:Compression") == ExifTag(.thumbnail, 0x0103))
        for name in ["", ":", "0x9C9B", "main:0x10000", "camera:Make", "gps:Artist", "Artist:", "main:0x"] {
            #expect(ExifTag(named: name) == nil)
        }
        #expect(ExifTag.artist.name == "Artist" && ExifTag(.gps, 0x013B).name == nil)
        #expect(ExifTag.exposureTime.valueType == .rational)
    }

    /// A block with tags that lead to a GPS directory at byte 38, or to nowhere: a type and an offset for each.
    private static func block(locations: [(type: UInt8, offset: UInt8)]) -> [UInt8] {
        var bytes: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0, UInt8(locations.count), 0]
        for location in locations { bytes += [0x25, 0x88, location.type, 0, 1, 0, 0, 0, location.offset, 0, 0, 0] }
        bytes += [UInt8](repeating: 0, count: 38 - bytes.count)
        return bytes + [1, 0, 1, 0, 2, 0, 2, 0, 0, 0, 0x4E, 0, 0, 0, 0, 0, 0, 0]
    }

    @Test func directoriesBehindTheTypeForDirectoriesAreRead() throws {
        let block = try #require(ExifBlock(Self.block(locations: [(13, 38)])))
        #expect(block[.gpsLatitudeReference] == .ascii("N"))
    }

    @Test(arguments: [[(4, 200), (4, 38)], [(4, 38), (4, 38)], [(13, 38)]] as [[(UInt8, UInt8)]])
    func everyTagThatLeadsToALocationIsRemoved(locations: [(UInt8, UInt8)]) throws {
        let block = try #require(ExifBlock(Self.block(locations: locations.map { ($0.0, $0.1) })))
        var editor = ExifEditor(block)
        try editor.set(.artist, to: .ascii("Ada"))
        let wasThere = editor.remove(.gps)
        #expect(wasThere)
        let bytes = try #require(try editor.bytes())
        let edited = try #require(ExifBlock(bytes))
        #expect(edited.fields(in: .main).map(\.tag) == [.artist])
        let isLeft = editor.remove(.gps)
        #expect(!isLeft)
    }

    @Test func aTagThatLeadsToALocationFromAnotherDirectoryIsRemoved() throws {
        var editor = ExifEditor()
        try editor.set(ExifTag(.exif, 0x8825), to: .long([8]))
        try editor.set(.exposureTime, to: .rational([ExifRational(1, 250)]))
        let wasThere = editor.remove(.gps)
        #expect(wasThere)
        let edited = try #require(try editor.bytes().flatMap { ExifBlock($0) })
        #expect(edited.fields(in: .exif).map(\.tag) == [.exposureTime])
    }
}
