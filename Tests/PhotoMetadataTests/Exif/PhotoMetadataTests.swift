import ImageCodecsCore
import ImagePhotoMetadata
import Testing

@Suite struct PhotoMetadataTests {
    private func photo(_ values: [ExifTag: ExifValue]) throws -> PhotoMetadata {
        var editor = ExifEditor()
        for (tag, value) in values { try editor.set(tag, to: value) }
        return try #require(try editor.bytes().flatMap { PhotoMetadata(exif: $0) })
    }

    @Test func valuesThatMakeNoSenseAreNone() throws {
        let wrong = try photo([
            .make: .ascii("  \0"), .model: .short([1]), .exposureTime: .rational([ExifRational(1, 0)]),
            .fNumber: .rational([ExifRational(0, 1)]), .photographicSensitivity: .short([0]), .flash: .short([200]),
            .dateTimeOriginal: .ascii("2024:13:01 00:00:00"), .dateTime: .ascii("    :  :     :  :  "),
            .gpsLatitude: .rational([ExifRational(91, 1)]), .gpsLatitudeReference: .ascii("N"),
            .gpsLongitude: .rational([ExifRational(9, 1)]), .gpsImageDirection: .rational([ExifRational(360, 1)]),
            .orientation: .short([9]),
        ])
        #expect(wrong.make == nil && wrong.model == nil && wrong.exposureTime == nil && wrong.aperture == nil)
        #expect(wrong.iso == nil && wrong.flash == nil && wrong.originalDate == nil && wrong.modifiedDate == nil)
        // A longitude of which it is not known whether it is east or west is none.
        #expect(wrong.location == nil && wrong.orientation == nil && wrong.thumbnailRange == nil)
        #expect(PhotoMetadata(exif: [1, 2, 3]) == nil && ImageMetadata().photo == nil)
    }

    @Test func copyrightHasTwoParts() throws {
        #expect(try photo([.copyright: .ascii("Ada")]).copyright == "Ada")
        #expect(try photo([.copyright: .ascii("Ada\0Ben")]).copyright == "Ada\nBen")
        #expect(try photo([.copyright: .ascii(" \0Ben")]).copyright == "Ben")
    }

    @Test func sensitivitiesTooLargeForTheirTagStandElsewhere() throws {
        #expect(try photo([.photographicSensitivity: .short([65535]), .isoSpeed: .long([102_400])]).iso == 102_400)
        #expect(try photo([.photographicSensitivity: .short([65535])]).iso == 65535)
        #expect(try photo([.photographicSensitivity: .short([200]), .isoSpeed: .long([102_400])]).iso == 200)
    }

    /// Exif 2.32 §4.6.5, tag 37385 "Flash".
    @Test func flashBitsSayWhatItDid() throws {
        let fired = try #require(PhotoFlash(rawValue: 0x4F))
        #expect(fired.hasFired && fired.hasReturnedLight == true && fired.mode == .forcedOn && fired.reducesRedEyes)
        let off = try #require(PhotoFlash(rawValue: 0x10))
        #expect(!off.hasFired && off.hasReturnedLight == nil && off.mode == .forcedOff && off.isPresent)
        let none = try #require(PhotoFlash(rawValue: 0x20))
        #expect(!none.isPresent && none.mode == nil)
        #expect(PhotoFlash(rawValue: 0x80) == nil && PhotoFlash(rawValue: -1) == nil)
    }

    @Test(arguments: [
        ("2024:05:31 18:04:59", "25", "+09:00", "2024-05-31T18:04:59.25+09:00"),
        ("2024:05:31 18:04:59", nil, nil, "2024-05-31T18:04:59"),
        ("2024-05-31T18:04:59", "000", "Z", "2024-05-31T18:04:59.0Z"),
        ("0001:01:01 00:00:60", "1234567891", "-03:30", "0001-01-01T00:00:60.123456789-03:30"),
        ("2024:05:31 18:04:59", "x", "+25:00", "2024-05-31T18:04:59"),
        ("2024:05:32 18:04:59", nil, nil, nil), ("2024:05:31 24:04:59", nil, nil, nil), ("2024:05:31", nil, nil, nil),
        ("2024:05:31 1a:04:59", nil, nil, nil), ("", nil, nil, nil),
    ])
    func datesAreDigits(_ date: String, _ subsecond: String?, _ offset: String?, _ expected: String?) throws {
        var values: [ExifTag: ExifValue] = [.dateTimeOriginal: .ascii(date), .make: .ascii("M")]
        values[.subsecondTimeOriginal] = subsecond.map { .ascii($0) }
        values[.offsetTimeOriginal] = offset.map { .ascii($0) }
        #expect(try photo(values).originalDate?.description == expected)
    }

    @Test func positionsHaveSides() throws {
        var values: [ExifTag: ExifValue] = [
            .gpsLatitude: .rational([ExifRational(52, 1), ExifRational(30, 1), ExifRational(0, 0)]),
            .gpsLatitudeReference: .ascii("S"), .gpsAltitude: .rational([ExifRational(7, 2)]),
            .gpsTimeStamp: .rational([ExifRational(9, 1), ExifRational(4, 1), ExifRational(119, 2)]),
            .gpsDateStamp: .ascii("2024:05:31"), .gpsImageDirection: .rational([ExifRational(543, 2)]),
            .gpsImageDirectionReference: .ascii("M"),
        ]
        let place = try #require(try photo(values).location)
        #expect(place.latitude == -52.5 && place.longitude == nil && place.altitude == 3.5)
        #expect(place.timeStamp?.description == "2024-05-31T09:04:59.5Z")
        #expect(place.direction?.degrees == 271.5 && place.direction?.isMagnetic == true)
        values[.gpsDateStamp] = nil
        values[.gpsAltitudeReference] = .byte([1])
        let other = try #require(try photo(values).location)
        #expect(other.timeStamp == nil && other.altitude == -3.5)
    }

    @Test func theThumbnailIsInTheBytesThatAreHeld() throws {
        let jpeg: [UInt8] = [0xFF, 0xD8, 1, 2, 0xFF, 0xD9]
        let exif = try #require(ExifThumbnail.embed(jpeg: jpeg, into: nil, byteCount: 1000))
        for bytes in [exif, Array("Exif\0\0".utf8) + exif] {
            let range = try #require(PhotoMetadata(exif: bytes)?.thumbnailRange)
            #expect(Array(bytes[range]) == jpeg)
        }
    }
}
