import CodecTestSupport
import ImageCodecs
import Testing

/// What metadata say of a picture's size and preview after it was changed, in files.
@Suite struct ChangedPictureMetadataTests {
    private static let sizeTags = [
        ExifTag(.exif, 0xA002), ExifTag(.exif, 0xA003), ExifTag(.main, 0x0100), ExifTag(.main, 0x0101),
    ]

    /// A picture of 40x24 pixels that its metadata describe rightly, with previews in all places.
    private static func image(_ orientation: Orientation = .up) throws -> RasterImage {
        let bitmap = try EncoderPicture(.scene, size: PixelSize(width: 40, height: 24), format: .rgb).bitmap
        var image = RasterImage(bitmap: bitmap, orientation: orientation)
        try image.metadata.editExif { (exif) throws(ImageError) in
            try exif.set(.artist, to: .ascii("Ada"))
            try exif.set(.orientation, to: .short([UInt16(orientation.rawValue)]))
            for (tag, side) in zip(sizeTags, [40, 24, 40, 24] as [UInt16]) { try exif.set(tag, to: .short([side])) }
        }
        let preview: [UInt8] = [0xFF, 0xD8] + [UInt8](repeating: 0x77, count: 40) + [0xFF, 0xD9]
        image.metadata.exif = ExifThumbnail.embed(jpeg: preview, into: image.metadata.exif, byteCount: 65000)
        image.metadata.xmp = Array(
            """
            <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
            <rdf:Description xmlns:exif="http://ns.adobe.com/exif/1.0/" xmlns:tiff="http://ns.adobe.com/tiff/1.0/" \
            xmlns:xmp="http://ns.adobe.com/xap/1.0/" exif:PixelXDimension="40" tiff:Orientation='\(orientation.rawValue)'>\
            <exif:PixelYDimension>24</exif:PixelYDimension><tiff:ImageWidth>40</tiff:ImageWidth>\
            <tiff:ImageLength>24</tiff:ImageLength>\
            <xmp:Thumbnails><rdf:Alt><rdf:li>aGVsbG8=</rdf:li></rdf:Alt></xmp:Thumbnails><xmp:Rating>4</xmp:Rating>\
            </rdf:Description></rdf:RDF></x:xmpmeta>
            """.utf8)
        // A resource of three bytes that stays, and a preview of two.
        image.metadata.iptc =
            Array("8BIM\u{4}\u{4}\0\0\0\0\0\u{3}abc\0".utf8) + Array("8BIM\u{4}\u{C}\0\0\0\0\0\u{2}xy".utf8)
        return image
    }

    private func read(_ file: [UInt8]) throws -> ImageMetadata {
        var options = DecodingOptions()
        options.inspectsAllMetadata = true
        return try ImageInfo(ImageData(file), options: options).metadata
    }

    private func sides(_ metadata: ImageMetadata) -> [Int?] {
        let block = metadata.exif.flatMap { ExifBlock($0) }
        let packet = metadata.xmpPacket
        let names: [(String, XMPPacket.Namespace)] = [
            ("PixelXDimension", .exif), ("PixelYDimension", .exif), ("ImageWidth", .tiff), ("ImageLength", .tiff),
        ]
        return Self.sizeTags.map { block?[$0]?.integer }
            + names.map { packet?.values($0.0, in: $0.1).first.flatMap { Int($0) } }
    }

    private func hasPreview(_ metadata: ImageMetadata) -> [Bool] {
        [
            metadata.exif.flatMap { ExifBlock($0) }?.thumbnailRange != nil
                || metadata.exif?.contains(0x77) ?? false,
            metadata.xmpPacket?.properties.contains { $0.name == "Thumbnails" } ?? false,
        ]
    }

    @Test(arguments: [ImageFormat.jpeg, .png, .webP]) func aPictureThatIsTheSameKeepsAll(_ format: ImageFormat) throws {
        let image = try Self.image(.right)
        let after = try read(image.encoded(as: format))
        #expect(after.exif == image.metadata.exif && after.xmp == image.metadata.xmp)
        if format == .jpeg { #expect(after.iptc == image.metadata.iptc) }
        #expect(try image.scaled(toFit: PixelSize(width: 100, height: 100)).metadata == image.metadata)
        #expect(try image.converted(to: .rgba).metadata == image.metadata)
    }

    @Test(arguments: [ImageFormat.jpeg, .png, .webP]) func sizesFollowAndPreviewsGo(_ format: ImageFormat) throws {
        let image = try Self.image()
        var small = EncodingOptions()
        small.maxPixelSize = PixelSize(width: 20, height: 20)
        let files: [(file: [UInt8], size: [Int])] = [
            (try image.cropped(to: PixelRect(x: 2, y: 2, width: 10, height: 12)).encoded(as: format), [10, 12]),
            (try image.rotated(.clockwise).encoded(as: format), [24, 40]),
            (try image.scaled(to: PixelSize(width: 7, height: 5)).encoded(as: format), [7, 5]),
            (try image.encoded(as: format, options: small), [20, 12]),
            (try image.blurred(radius: 2).encoded(as: format), [40, 24]),
        ]
        for (file, size) in files {
            let after = try read(file)
            #expect(sides(after) == size + size + size + size)
            #expect(hasPreview(after) == [false, false])
            #expect(after.exif.flatMap { ExifBlock($0) }?[.artist]?.text == "Ada" && after.xmpPacket?.rating == 4)
            if format == .jpeg {
                #expect(after.iptc.map { String(decoding: $0, as: UTF8.self).contains("abc") } == true)
            }
            if format == .jpeg { #expect(after.iptc?.count == 16) }
        }
    }

    @Test func aPictureThatIsTurnedAsItsFileSaysIsDescribedRightly() throws {
        let file = ImageData(try Self.image(.right).encoded(as: .png))
        for isStreamed in [false, true] {
            var conversion = ImageConversion()
            if isStreamed { conversion.encoding.effort = .fast }
            var turned: [UInt8] = []
            try conversion.convert(file, to: .jpeg) { turned.append(contentsOf: $0) }
            let after = try read(turned)
            #expect(sides(after) == [24, 40, 24, 40, 24, 40, 24, 40] && hasPreview(after) == [false, false])
            #expect(after.orientation == .up && after.xmpPacket?.orientation == .up)
        }
        // Whoever decodes and encodes gets the same.
        let again = try read(RasterImage(file).encoded(as: .webP))
        #expect(sides(again) == [24, 40, 24, 40, 24, 40, 24, 40] && hasPreview(again) == [false, false])
    }

    @Test func smallFilesSayTheirOwnSize() throws {
        var options = EncodingOptions()
        options.maxFileByteCount = try Self.image().encoded(as: .png).count - 100
        options.png.mayReduceColors = false
        let after = try read(Self.image().encoded(as: .png, options: options))
        let size = try ImageInfo(ImageData(Self.image().encoded(as: .png, options: options))).size
        #expect(size != PixelSize(width: 40, height: 24) && sides(after).prefix(2) == [size.width, size.height])
        #expect(hasPreview(after) == [false, false])
    }
}
