import CodecTestSupport
import ImageCore
import PNG
import Testing

@Suite struct TextChunksTests {
    private func metadata(_ chunks: [(String, [UInt8])], maxMetadata: Int = 1 << 20) throws -> ImageMetadata {
        var options = DecodingOptions()
        options.limits.maxMetadata = maxMetadata
        return try PNGCoder().decode(ImageData(PNGBuilder.onePixel(chunks: chunks)), options: options).metadata
    }

    private func utf8(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test func latin1BecomesText() throws {
        let read = try metadata([("tEXt", utf8("Title\0") + [0x63, 0x61, 0x66, 0xE9])])
        #expect(read.texts == [TextEntry(keyword: "Title", text: "caf\u{E9}")])
        #expect(try metadata([("tEXt", utf8("Empty\0"))]).texts == [TextEntry(keyword: "Empty", text: "")])
    }

    @Test func compressedTextIsUnpacked() throws {
        for stream in [PNGBuilder.stored(utf8("hello")), PNGBuilder.deflated(utf8("hello"))] {
            let read = try metadata([("zTXt", utf8("Comment\0\0") + stream)])
            #expect(read.texts == [TextEntry(keyword: "Comment", text: "hello")])
        }
    }

    @Test func internationalTextKeepsItsLanguage() throws {
        let expected = TextEntry(keyword: "Title", text: "Größe", language: "de", translatedKeyword: "Titel")
        let plain = utf8("Title\0") + [0, 0] + utf8("de\0Titel\0Größe")
        let packed = utf8("Title\0") + [1, 0] + utf8("de\0Titel\0") + PNGBuilder.stored(utf8("Größe"))
        #expect(try metadata([("iTXt", plain), ("iTXt", packed)]).texts == [expected, expected])
    }

    @Test func xmpIsKeptAsBytes() throws {
        let packet = utf8("<x:xmpmeta/>") + [0xFF]
        let read = try metadata([("iTXt", utf8("XML:com.adobe.xmp\0\0\0\0\0") + packet)])
        #expect(read.xmp == packet)
        #expect(read.texts.isEmpty)
    }

    @Test func profilesAreUnpacked() throws {
        let profile = [UInt8](repeating: 3, count: 500)
        let read = try metadata([("iCCP", utf8("name\0\0") + PNGBuilder.deflated(profile))])
        #expect(read.iccProfile == profile)
        #expect(read.iccProfileName == "name")
    }

    @Test func malformedTextIsPassedOver() throws {
        let long = [UInt8](repeating: 65, count: 80)
        let stream = PNGBuilder.stored(utf8("hello"))
        let wrong: [(String, [UInt8])] = [
            ("tEXt", []), ("tEXt", utf8("no zero byte")), ("tEXt", utf8("\0no keyword")), ("tEXt", long + [0]),
            ("zTXt", utf8("k\0")), ("zTXt", utf8("k\0") + [1] + stream), ("zTXt", utf8("k\0\0") + stream.dropLast()),
            ("zTXt", utf8("k\0\0") + stream.dropLast() + [0x55]), ("zTXt", utf8("k\0\0junk")), ("zTXt", utf8("k\0\0")),
            ("iTXt", utf8("k\0")), ("iTXt", utf8("k\0\u{2}\0\0\0")), ("iTXt", utf8("k\0\u{1}\u{1}\0\0") + stream),
            ("iTXt", utf8("k\0\0\0language")), ("iTXt", utf8("k\0\0\0\0translated")),
            ("iTXt", utf8("k\0\u{1}\0\0\0junk")),
            ("iCCP", utf8("k\0\0junk")), ("iCCP", utf8("k\0\0") + PNGBuilder.stored([])),
            ("iCCP", long + [0, 0] + stream),
        ]
        for chunk in wrong {
            let read = try metadata([chunk])
            #expect(read.texts.isEmpty && read.iccProfile == nil && read.xmp == nil, "\(chunk)")
        }
    }

    /// 200 kB of zeros in 230 bytes.
    private static let bomb = PNGBuilder.deflated([UInt8](repeating: 0, count: 200_000), level: 9)

    @Test(arguments: [("zTXt", "k\0\0"), ("iCCP", "k\0\0"), ("iTXt", "k\0\u{1}\0\0\0")])
    func bombsHitTheLimit(_ type: String, _ start: String) throws {
        let chunk = (type, utf8(start) + Self.bomb)
        #expect(try metadata([chunk], maxMetadata: 210_000) != ImageMetadata())
        #expect {
            try metadata([chunk], maxMetadata: 100_000)
        } throws: {
            guard case .limitExceeded(.metadata, let requested, 100_000)? = $0 as? ImageError else { return false }
            return requested > 100_000
        }
        // Two that fit alone do not fit together, except that of two profiles only one is read.
        if type != "iCCP" {
            #expect(throws: ImageError.self) { try metadata([chunk, chunk], maxMetadata: 210_000) }
        }
    }

    /// What a stream unpacks to in front of its damage is work, too.
    @Test(arguments: [("zTXt", "k\0\0"), ("iCCP", "k\0\0"), ("iTXt", "k\0\u{1}\0\0\0")])
    func damagedBombsHitTheLimit(_ type: String, _ start: String) throws {
        let chunk = (type, utf8(start) + Self.bomb.dropLast(4) + [1, 2, 3, 4])
        #expect(try metadata([chunk], maxMetadata: 210_000) == ImageMetadata())
        #expect(throws: ImageError.self) { try metadata([chunk, chunk], maxMetadata: 210_000) }
    }

    @Test func longPlainTextHitsTheLimitBeforeItIsCollected() throws {
        let chunk = ("tEXt", utf8("k\0") + [UInt8](repeating: 65, count: 1000))
        #expect(throws: ImageError.limitExceeded(.metadata, requested: 1002, allowed: 1001)) {
            try metadata([chunk], maxMetadata: 1001)
        }
        #expect(try metadata([chunk], maxMetadata: 1002).texts.count == 1)
    }
}
