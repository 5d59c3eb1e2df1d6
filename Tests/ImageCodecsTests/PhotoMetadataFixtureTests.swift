import CodecTestSupport
import ImageCodecs
import Testing

/// Files whose tags exiftool wrote (Scripts/make-fixtures): what it was told to write has to be read, and what it reads has to stay.
@Suite struct PhotoMetadataFixtureTests {
    private static let names = ["photo.jpg", "photo.png", "photo.webp"]

    private func file(_ name: String) throws -> ImageData { ImageData(try FixtureBytes.read("metadata/\(name)")) }

    private func pixels(_ file: ImageData) throws -> Bitmap { try RasterImage(file).bitmap }

    @Test(arguments: names) func tagsAreThoseThatWereWritten(_ name: String) throws {
        let metadata = try ImageInfo(file(name)).metadata
        let photo = try #require(metadata.photo)
        #expect(photo.make == "Camera Works" && photo.model == "CW-1" && photo.software == "exiftool")
        #expect(photo.artist == "Ada" && photo.copyright == "2024 Ada" && photo.imageDescription == "Hills")
        #expect(photo.lensMake == "Glass Works" && photo.lensModel == "GW 35")
        #expect(photo.exposureTime == ExifRational(1, 250) && photo.aperture == 2.8 && photo.iso == 400)
        #expect(photo.exposureBias.map { ($0 + 0.67).magnitude < 0.001 } == true)
        #expect(photo.focalLength == 35 && photo.focalLengthIn35mmFilm == 52)
        #expect(photo.flash?.hasFired == true && photo.flash?.mode == .automatic)
        #expect(photo.originalDate?.description == "2024-05-31T18:04:59.25+09:00")
        #expect(photo.digitizedDate?.description == "2024-05-31T18:05:00-03:30")
        #expect(photo.modifiedDate?.description == "2024-06-01T10:00:00.5Z")
        let location = try #require(photo.location)
        #expect(location.latitude == -33.5 && location.altitude == -12.5)
        #expect(location.longitude.map { ($0 - 151.21).magnitude < 1e-6 } == true)
        #expect(location.timeStamp?.description == "2024-05-31T09:04:59.5Z")
        #expect(location.direction?.degrees == 271.5 && location.direction?.isMagnetic == false)
        #expect(photo.orientation == .right && metadata.orientation == .right)
        let exif = try #require(metadata.exif)
        let thumbnail = try RasterImage(exif[#require(photo.thumbnailRange)])
        #expect(thumbnail.size == PixelSize(width: 16, height: 11))
        #expect(ExifBlock(exif)?.directories == [.main, .exif, .interoperability, .gps, .thumbnail])
    }

    @Test(arguments: names) func propertiesAreThoseThatWereWritten(_ name: String) throws {
        let packet = try #require(try ImageInfo(file(name)).metadata.xmpPacket)
        #expect(packet.isWhole && packet.title == "Hills & \"water\"" && packet.creators == ["Ada", "Ben"])
        #expect(packet.rights == "2024 Ada" && packet.rating == 4 && packet.orientation == .right)
        #expect(packet.createDate == "2024-05-31T18:04:59+09:00" && packet.values("City", in: .photoshop) == ["Sydney"])
    }

    @Test(arguments: names) func onlyWhatWasAskedForChanges(_ name: String) throws {
        let file = try file(name)
        let before = try ImageInfo(file).metadata
        let edited = try CoderRegistry.shared.editingMetadata(of: file) { (metadata) throws(ImageError) in
            try metadata.editExif { (exif) throws(ImageError) in
                try exif.set(.artist, to: .ascii("Ben, who has a longer name"))
            }
        }
        let after = try ImageInfo(edited).metadata
        #expect(
            after.photo?.artist == "Ben, who has a longer name"
                && after.photo?.originalDate == before.photo?.originalDate)
        #expect(after.photo?.location == before.photo?.location && after.orientation == before.orientation)
        #expect(after.xmp == before.xmp && after.density == before.density && after.texts == before.texts)
        #expect(try pixels(edited) == pixels(file))
        #expect(try CoderRegistry.shared.replacingMetadata(of: edited, with: after).bytes() == edited.bytes())
    }

    @Test(arguments: names) func thePlaceIsRemoved(_ name: String) throws {
        let file = try file(name)
        let edited = try CoderRegistry.shared.editingMetadata(of: file) { (metadata) throws(ImageError) in
            metadata.removeLocation()
        }
        let metadata = try ImageInfo(edited).metadata
        #expect(metadata.photo?.location == nil && metadata.photo?.make == "Camera Works")
        #expect(metadata.xmpPacket?.values("GPSLatitude", in: .exif) == [] && metadata.xmpPacket?.rating == 4)
        #expect(try pixels(edited) == pixels(file))
    }

    @Test(arguments: names) func withoutMetadataOnlyThePictureIsLeft(_ name: String) throws {
        let bare = try CoderRegistry.shared.replacingMetadata(of: file(name), with: ImageMetadata())
        let info = try ImageInfo(bare)
        #expect(info.metadata.exif == nil && info.metadata.xmp == nil && info.orientation == .up)
        #expect(info.size == PixelSize(width: 48, height: 32))
        #expect(bare.count < 2500)
    }

    @Test(arguments: names) func editedMetadataAreEncoded(_ name: String) throws {
        let format = try ImageInfo(file(name)).format
        var image = try RasterImage(file(name))
        try image.metadata.editExif { (exif) throws(ImageError) in
            exif.remove(.gps)
            try exif.set(.artist, to: .ascii("Ben"))
        }
        let written = try ImageInfo(image.encoded(as: format)).metadata
        #expect(written.photo?.artist == "Ben" && written.photo?.location == nil && written.photo?.iso == 400)
        // The pixels were turned by the decoder.
        #expect(written.orientation == .up)
    }

    @Test func otherFormatsSayThatTheyCannot() throws {
        let gif = ImageData(
            try FixtureBytes.read("gif/\(#require(FixtureBytes.names(in: "gif").first { $0.hasSuffix(".gif") }))"))
        #expect(throws: ImageError.invalidArgument("GIF files have no place for EXIF data")) {
            try CoderRegistry.shared.editingMetadata(of: gif) { (metadata) throws(ImageError) in
                try metadata.editExif { (exif) throws(ImageError) in try exif.set(.artist, to: .ascii("Ada")) }
            }
        }
        #expect(throws: ImageError.unknownFormat) {
            try CoderRegistry.shared.replacingMetadata(of: [1, 2, 3], with: ImageMetadata())
        }
    }
}

extension ImageData {
    fileprivate func bytes() -> [UInt8] { withBytes { bytes in (0..<bytes.count).map { bytes[$0] } } }
}
