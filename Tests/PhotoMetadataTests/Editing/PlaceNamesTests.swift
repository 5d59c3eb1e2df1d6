import ImageCodecsCore
import ImagePhotoMetadata
import Testing

/// Names of places go with the position: those of XMP packets and of IPTC data.
@Suite struct PlaceNamesTests {
    private static let core = "http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/"

    private func packet(_ attributes: String, _ elements: String) -> [UInt8] {
        Array(
            """
            <r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><r:Description \
            xmlns:p="http://ns.adobe.com/photoshop/1.0/" xmlns:i="\(Self.core)" xmlns:t="http://ns.adobe.com/tiff/1.0/"\
            \(attributes)>\(elements)</r:Description></r:RDF>
            """.utf8)
    }

    @Test func namesOfPlacesLeaveThePacketAndTheRestStays() {
        var metadata = ImageMetadata()
        metadata.xmp = packet(
            " p:City=\"Munich\" p:Credit=\"Ada\"",
            "<p:State>Bavaria</p:State><p:Country>Germany</p:Country><i:Location>Marienplatz</i:Location>"
                + "<i:CountryCode>DEU</i:CountryCode><t:Make>X</t:Make><p:Headline>a city</p:Headline>")
        metadata.removeLocation()
        let after = metadata.xmpPacket
        #expect(after?.properties.map(\.name).sorted() == ["Credit", "Headline", "Make"])
        #expect(
            after?.values("Headline", in: .photoshop) == ["a city"]
                && after?.values("Credit", in: .photoshop) == ["Ada"])
    }

    @Test func aNewPlaceRemovesTheNamesOfTheOld() throws {
        var metadata = ImageMetadata()
        metadata.xmp = packet(" i:Location=\"Marienplatz\"", "<p:City>Munich</p:City>")
        metadata.iptc = resource(0x0404, dataSet(2, 90, "Munich"))
        metadata.texts = [
            TextEntry(keyword: "Raw profile type iptc", text: "1C"), TextEntry(keyword: "Title", text: "A"),
        ]
        try metadata.editExif { (exif) throws(ImageError) in
            try exif.setPosition(latitude: 1, longitude: 2, altitude: nil)
        }
        #expect(metadata.xmpPacket?.properties.isEmpty == true)
        #expect(metadata.iptc == nil && metadata.texts.map(\.keyword) == ["Title"])
    }

    // MARK: - IPTC data

    private func resource(_ number: Int, _ data: [UInt8]) -> [UInt8] {
        Array("8BIM".utf8) + [UInt8(number >> 8), UInt8(number & 255), 0, 0, 0, 0, UInt8(data.count >> 8)]
            + [UInt8(data.count & 255)] + data + (data.count % 2 == 0 ? [] : [0])
    }

    private func dataSet(_ record: UInt8, _ number: UInt8, _ text: String) -> [UInt8] {
        [0x1C, record, number, 0, UInt8(text.utf8.count)] + Array(text.utf8)
    }

    @Test func namesOfPlacesLeaveIPTCDataAndTheRestStays() {
        let version = dataSet(1, 90, "\u{1B}%G")
        let title = dataSet(2, 5, "T")
        let places = [26, 27, 90, 92, 95, 100, 101].map { dataSet(2, $0, "Munich") }
        // The length of a long one has bytes of its own.
        let long = [0x1C, 2, 120, 0x80, 2, 0, 3] + Array("abc".utf8)
        let address = resource(0x0BB7, [1])
        var metadata = ImageMetadata()
        metadata.iptc =
            address + resource(0x0404, version + places.flatMap { $0 } + title + long) + resource(0x0425, [9, 9])
            + resource(0x0422, [1, 2]) + resource(0x0424, [3])
        metadata.removeLocation()
        #expect(metadata.iptc == address + resource(0x0404, version + title + long))
    }

    @Test func resourcesThatTellNoPlaceStay() {
        var metadata = ImageMetadata()
        let resources = resource(0x0404, dataSet(2, 5, "Title")) + resource(0x0425, [9, 9]) + resource(0x0BB7, [1])
        metadata.iptc = resources
        metadata.removeLocation()
        #expect(metadata.iptc == resources)
    }

    @Test func whatCannotBeReadToItsEndGoes() {
        for damaged in [
            Array(resource(0x0404, dataSet(2, 90, "Munich")).dropLast(4)), resource(0x0BB7, [1]) + Array("Munich".utf8),
            resource(0x0404, [0x1C, 2, 90, 0, 9, 1]), resource(0x0404, [0x1C, 2, 90, 0x84, 0]),
            resource(0x0404, dataSet(2, 5, "T") + Array("Munich".utf8)),
        ] {
            var metadata = ImageMetadata()
            metadata.iptc = damaged
            metadata.removeLocation()
            #expect(metadata.iptc == nil || metadata.iptc == resource(0x0BB7, [1]))
        }
    }
}
