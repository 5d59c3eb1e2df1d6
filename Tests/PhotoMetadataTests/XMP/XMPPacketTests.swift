import CodecTestSupport
import ImageCodecsCore
import ImagePhotoMetadata
import Testing

@Suite struct XMPPacketTests {
    private static func packet(_ attributes: String, _ elements: String) -> [UInt8] {
        Array(
            """
            <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
            <x:xmpmeta xmlns:x="adobe:ns:meta/"><!-- <a> -->
             <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
              <rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:dc='http://purl.org/dc/elements/1.1/'
                xmlns:exif="http://ns.adobe.com/exif/1.0/" xmlns:tiff="http://ns.adobe.com/tiff/1.0/" \(attributes)>
               \(elements)
              </rdf:Description>
             </rdf:RDF>
            </x:xmpmeta>
            <?xpacket end="w"?>
            """.utf8)
    }

    private static let both = packet(
        "xmp:Rating='4' tiff:Orientation = \"6\" exif:GPSLatitude=\"33,30.0S\"",
        """
        <xmp:CreateDate>2024-05-31</xmp:CreateDate>
        <dc:title><rdf:Alt><rdf:li xml:lang="de">H&#252;gel</rdf:li><rdf:li xml:lang="x-default">Hills &amp; &lt;sea&gt;</rdf:li></rdf:Alt></dc:title>
        <dc:creator><rdf:Seq><rdf:li>Ada</rdf:li><rdf:li><![CDATA[B & C]]></rdf:li></rdf:Seq></dc:creator>
        <dc:subject><rdf:Bag><rdf:li/></rdf:Bag></dc:subject>
        <exif:Flash rdf:parseType="Resource"><exif:Fired>True</exif:Fired></exif:Flash>
        <exif:GPSLongitude>151,12.6E</exif:GPSLongitude>
        <dc:source rdf:resource="http://example.org/a&amp;b"/>
        """)

    @Test func elementsAndAttributesAreProperties() throws {
        let packet = try #require(XMPPacket(Self.both))
        #expect(packet.isWhole)
        #expect(
            packet.properties.map(\.name) == [
                "Rating", "Orientation", "GPSLatitude", "CreateDate", "title", "creator", "subject", "Flash",
                "GPSLongitude",
                "source",
            ])
        #expect(packet.rating == 4 && packet.orientation == .right && packet.createDate == "2024-05-31")
        #expect(packet.title == "Hills & <sea>" && packet.creators == ["Ada", "B & C"] && packet.keywords == [""])
        let german = try #require(packet.properties[4].values.first)
        #expect(german.text == "Hügel" && german.language == "de")
        #expect(packet.properties[7].values.isEmpty && packet.values("Flash", in: .exif) == [])
        #expect(packet.values("source", in: .dublinCore) == ["http://example.org/a&b"])
        #expect(packet.summary == nil && packet.rights == nil && packet.dateCreated == nil && packet.creatorTool == nil)
    }

    @Test func rangesAreThoseOfAttributesAndElements() throws {
        let packet = try #require(XMPPacket(Self.both))
        func text(_ name: String) -> String? {
            packet.properties.first { $0.name == name }.map { String(decoding: Self.both[$0.range], as: UTF8.self) }
        }
        #expect(text("Orientation") == " tiff:Orientation = \"6\"")
        #expect(text("CreateDate") == "<xmp:CreateDate>2024-05-31</xmp:CreateDate>")
        #expect(text("source") == "<dc:source rdf:resource=\"http://example.org/a&amp;b\"/>")
    }

    @Test func thePlaceIsRemovedAndNothingElse() throws {
        var metadata = ImageMetadata()
        metadata.xmp = Self.both
        metadata.removeLocation()
        let before = try #require(XMPPacket(Self.both))
        let after = try #require(metadata.xmpPacket)
        #expect(after.properties.map(\.name) == before.properties.map(\.name).filter { !$0.hasPrefix("GPS") })
        #expect(XMPPacket.violations(Self.both) == [])
        #expect(metadata.xmp.map { String(decoding: $0, as: UTF8.self).contains("151") } == false)
        let plain = Self.packet("xmp:Rating='4'", "")
        metadata.xmp = plain
        metadata.removeLocation()
        #expect(metadata.xmp == plain)
    }

    @Test func aPlaceInsideOfAPropertyGoesWithIt() throws {
        var metadata = ImageMetadata()
        let bag = "<x:Pantry><rdf:Bag><rdf:li exif:GPSLatitude='1' xmp:Rating='4'/></rdf:Bag></x:Pantry>"
        metadata.xmp = Self.packet("xmp:Rating='4'", bag + "<x:Other>1</x:Other>")
        #expect(XMPPacket.violations(try #require(metadata.xmp)) == [])
        metadata.removeLocation()
        #expect(metadata.xmp == Self.packet("xmp:Rating='4'", "<x:Other>1</x:Other>"))
    }

    /// Where no property is, nothing can be taken out.
    @Test func aPlaceOutsideOfAllPropertiesGoesWithThePacket() {
        var metadata = ImageMetadata()
        let packet = Self.packet("xmp:Rating='4'", "")
        metadata.xmp = packet + Array("<exif:GPSLatitude>1</exif:GPSLatitude>".utf8)
        metadata.removeLocation()
        #expect(metadata.xmp == nil)
        metadata.xmp = packet
        metadata.removeLocation()
        #expect(metadata.xmp == packet)
    }

    @Test func copiesInTextsAreRemovedWithThePlace() {
        var metadata = ImageMetadata()
        metadata.texts = [
            TextEntry(keyword: "Title", text: "Hills"), TextEntry(keyword: "Raw profile type exif", text: "exif 12 00"),
        ]
        metadata.exif = [1, 2, 3]
        metadata.xmp = Array("<a".utf8)
        metadata.removeLocation()
        #expect(metadata.texts.map(\.keyword) == ["Title"] && metadata.exif == nil && metadata.xmp == nil)
    }

    @Test func namespacesCountAndNotPrefixes() throws {
        let packet = try #require(
            XMPPacket(
                Array(
                    """
                    <r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><r:Description xmlns:a="http://ns.adobe.com/xap/1.0/" a:Rating="1">\
                    <b:Rating xmlns:b="http://ns.adobe.com/xap/1.0/">2</b:Rating><a:Rating xmlns:a="urn:x">3</a:Rating>\
                    <b:Rating>4</b:Rating></r:Description></r:RDF>
                    """.utf8)))
        #expect(
            packet.properties.map(\.namespace.rawValue) == [
                "http://ns.adobe.com/xap/1.0/", "http://ns.adobe.com/xap/1.0/", "urn:x", "",
            ])
        #expect(packet.rating == 1)
    }

    @Test func malformedPacketsHaveWhatStandsBefore() throws {
        let text = String(decoding: Self.both, as: UTF8.self)
        let cuts = [
            text.replacing("</dc:title>", with: "</dc:tilte>"), text.replacing("<dc:creator>", with: "<dc:creator"),
            text.replacing("<dc:creator>", with: "<!DOCTYPE x [<!ENTITY a 'b'>]>"), text.replacing("'4'", with: "'4"),
            String(text.prefix(text.count - 60)),
        ]
        for cut in cuts {
            let packet = XMPPacket(Array(cut.utf8))
            #expect(packet?.isWhole != true)
            #expect((packet?.properties.count ?? 0) < 11)
        }
        for bytes in [[], Array("<a/>".utf8), [0x3C], Array("no XML".utf8)] { #expect(XMPPacket(bytes) == nil) }
    }

    @Test func hostilePacketsAreReadInTimeForTheirBytes() throws {
        let deep = Array(String(repeating: "<a>", count: 300_000).utf8)
        #expect(XMPPacket(deep) == nil)
        let rdf = "<r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>"
        let many = Array((rdf + "<r:Description " + String(repeating: "a:b='' ", count: 300_000) + "/></r:RDF>").utf8)
        #expect(XMPPacket(many)?.isWhole == false)
        let declared = (0..<20_000).map { "<p:q xmlns:p\($0)='u'/>" }.joined()
        #expect(XMPPacket(Array((rdf + declared).utf8))?.properties.isEmpty == true)
        let references = Self.packet("", "<dc:title>" + String(repeating: "&", count: 500_000) + "</dc:title>")
        #expect(XMPPacket(references)?.title?.utf8.count == 500_000)
    }

    @Test func everyPrefixAndDamagedPacketsEndWithoutATrap() {
        for count in 0...Self.both.count { #expect(XMPPacket.violations(Array(Self.both.prefix(count))) == []) }
        var random = SeededRandom(seed: 3)
        for _ in 0..<2000 {
            var bytes = Self.both
            for _ in 0..<3 {
                let byte = Array("<>/='\"&;:! a".utf8).randomElement(using: &random) ?? 0
                bytes[Int.random(in: bytes.indices, using: &random)] = byte
            }
            #expect(XMPPacket.violations(bytes) == [])
        }
    }

    @Test(arguments: ["a\u{0301}\u{0323}", String(repeating: "a", count: 300)])
    func namesThatXMPDoesNotHaveEndThePacket(name: String) throws {
        let packet = """
            <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description \
            xmlns:dc="http://purl.org/dc/elements/1.1/" dc:source="here"><dc:\(name)>x</dc:\(name)></rdf:Description></rdf:RDF>
            """
        let read = try #require(XMPPacket(Array(packet.utf8)))
        #expect(read.values("source", in: .dublinCore) == ["here"])
        #expect(read.properties.count == 1)
        #expect(!read.isWhole)
    }
}
