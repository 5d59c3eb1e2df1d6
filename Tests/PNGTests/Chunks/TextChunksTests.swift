import CodecTestSupport
import ImageCodecsCore
import PNGCodec
import Testing

@Suite struct TextChunksTests {
    private func metadata(_ chunks: [(String, [UInt8])], maxMetadataByteCount: Int = 1 << 20) throws -> ImageMetadata {
        var options = DecodingOptions()
        options.limits.maxMetadataByteCount = maxMetadataByteCount
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

    /// What stands before the compressed part of a chunk.
    private func start(of type: String) -> [UInt8] { utf8(type == "iTXt" ? "k\0\u{1}\0\0\0" : "k\0\0") }

    /// 200 kB of zeros in 230 bytes.
    private static let bomb = PNGBuilder.deflated([UInt8](repeating: 0, count: 200_000), level: 9)

    @Test(arguments: ["zTXt", "iCCP", "iTXt"])
    func bombsHitTheLimit(_ type: String) throws {
        let chunk = (type, start(of: type) + Self.bomb)
        #expect(try metadata([chunk], maxMetadataByteCount: 210_000) != ImageMetadata())
        #expect {
            try metadata([chunk], maxMetadataByteCount: 100_000)
        } throws: {
            guard case .limitExceeded(.metadata, let requested, 100_000)? = $0 as? ImageError else { return false }
            return requested > 100_000
        }
        // Two that fit alone do not fit together, except that of two profiles only one is read.
        if type != "iCCP" {
            #expect(throws: ImageError.self) { try metadata([chunk, chunk], maxMetadataByteCount: 210_000) }
        }
    }

    /// What a stream unpacks to before its damage is work, too.
    @Test(arguments: ["zTXt", "iCCP", "iTXt"])
    func damagedBombsHitTheLimit(_ type: String) throws {
        let chunk = (type, start(of: type) + Self.bomb.dropLast(4) + [1, 2, 3, 4])
        #expect(try metadata([chunk], maxMetadataByteCount: 210_000) == ImageMetadata())
        // Unpacking for nothing may come to twice what may be kept.
        #expect(throws: ImageError.self) { try metadata([chunk, chunk, chunk], maxMetadataByteCount: 210_000) }
    }

    @Test func longPlainTextHitsTheLimitBeforeItIsCollected() throws {
        let chunk = ("tEXt", utf8("k\0") + [UInt8](repeating: 65, count: 1000))
        #expect(throws: ImageError.limitExceeded(.metadata, requested: 1002, allowed: 1001)) {
            try metadata([chunk], maxMetadataByteCount: 1001)
        }
        // Keyword and text, and the place of the entry.
        let cost = 1001 + MetadataBudget.entryByteCount
        #expect(throws: ImageError.limitExceeded(.metadata, requested: cost, allowed: cost - 1)) {
            try metadata([chunk], maxMetadataByteCount: cost - 1)
        }
        #expect(try metadata([chunk], maxMetadataByteCount: cost).texts.count == 1)
    }

    @Test func latin1CountsAsTheUTF8ItBecomes() throws {
        let chunk = ("tEXt", utf8("k\0") + [UInt8](repeating: 0xE9, count: 1000))
        let cost = 2001 + MetadataBudget.entryByteCount
        #expect(try metadata([chunk], maxMetadataByteCount: cost).texts.count == 1)
        #expect(throws: ImageError.self) { try metadata([chunk], maxMetadataByteCount: cost - 1) }
    }

    /// Invalid UTF-8 grows threefold.
    @Test func repairedTextCountsAsItIsRepaired() throws {
        let chunk = ("iTXt", utf8("k\0\0\0\0\0") + [UInt8](repeating: 0x80, count: 1000))
        let cost = 3001 + MetadataBudget.entryByteCount
        let read = try metadata([chunk], maxMetadataByteCount: cost)
        #expect(read.texts.map(\.text) == [String(repeating: "\u{FFFD}", count: 1000)])
        #expect(throws: ImageError.self) { try metadata([chunk], maxMetadataByteCount: cost - 1) }
    }

    @Test(arguments: ["zTXt", "iCCP", "iTXt"])
    func anItemOfMoreThanEightMebibytesIsPassedOver(_ type: String) throws {
        let largest = MetadataBudget.largestItemByteCount
        let bomb = PNGBuilder.deflated([UInt8](repeating: 65, count: largest + 1), level: 9)
        #expect(try metadata([(type, start(of: type) + bomb)], maxMetadataByteCount: 64 << 20) == ImageMetadata())
    }

    #if SystemZlib
    // Without zlib nothing here packs a bomb.
    @Test(arguments: ["zTXt", "iCCP", "iTXt"])
    func aBombHoldsItsTextTwiceAtMost(_ type: String) throws {
        for count in [200_000, 5 << 20] {
            let bomb = PNGBuilder.deflated([UInt8](repeating: 65, count: count), level: 9)
            for isLate in [false, true] {
                let chunk = [(type, start(of: type) + bomb)]
                let file = PNGBuilder.onePixel(chunks: isLate ? [] : chunk, late: isLate ? chunk : [])
                let data = ImageData(file)
                var options = DecodingOptions()
                let inspection = MemoryMeter()
                options.memoryMeter = inspection
                let info = try PNGCoder().inspect(data, options: options)
                let meter = MemoryMeter()
                options.memoryMeter = meter
                let image = try PNGCoder().decode(data, options: options)
                // The item and what it is made from, and an inflater.
                let most = info.estimatedPeakByteCount + 2 * count + 2 * file.count + 300_000
                #expect(meter.peak <= most && meter.peak > count)
                #expect(inspection.peak <= most)
                #expect(info.estimatedPeakByteCount < 100_000)
                // What is beyond four mebibytes an inspection only counts.
                let isKept = count < MetadataBudget.inspectionByteCount
                #expect((info.metadata == image.metadata) == isKept)
                #expect(image.metadata != ImageMetadata())
            }
        }
    }
    #endif
}
