import CodecTestSupport
import ImageCodecsCore
import ImagePhotoMetadata
import PNGCodec
import Testing

@Suite struct PNGMetadataReplacingTests {
    private func metadata(_ file: ImageData) throws -> ImageMetadata {
        try PNGCoder().inspect(file, options: .default).metadata
    }

    private func bytes(_ file: ImageData) -> [UInt8] { file.withBytes { Array($0) } }

    /// Types and bodies.
    private func chunks(_ file: ImageData) -> [(type: String, body: [UInt8])] {
        let all = bytes(file)
        var (chunks, position): ([(type: String, body: [UInt8])], Int) = ([], 8)
        while position + 12 <= all.count {
            let count = all[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
            chunks.append(
                (
                    String(decoding: all[position + 4..<position + 8], as: UTF8.self),
                    Array(all[position + 8..<position + 8 + count])
                ))
            position += count + 12
        }
        return chunks
    }

    private static func wanted() throws -> ImageMetadata {
        var wanted = ImageMetadata()
        var editor = ExifEditor()
        try editor.set(.artist, to: .ascii("Ada"))
        wanted.exif = try editor.bytes()
        wanted.xmp = Array("<a/>".utf8)
        wanted.texts = [TextEntry(keyword: "Title", text: "Hills"), TextEntry(keyword: "Author", text: "Ω")]
        wanted.density = PixelDensity(x: 1000, y: 1000, unit: .meter)
        wanted.gamma = 45455
        wanted.modificationTime = ModificationTime(year: 2024, month: 5, day: 6, hour: 7, minute: 8, second: 9)
        return wanted
    }

    @Test(arguments: [
        "png/landscape.png", "png/chart-palette.png", "png/landscape-adam7.png", "png/turned-exif6.png",
        "png/mask-gray1.png",
    ])
    func everythingIsWrittenAndNothingElseChanges(_ name: String) throws {
        let file = ImageData(try FixtureBytes.read(name))
        let wanted = try Self.wanted()
        let changed = try PNGCoder().replacingMetadata(of: file, with: wanted)
        #expect(try metadata(changed) == wanted)
        var options = DecodingOptions()
        options.appliesOrientation = false
        #expect(
            try PNGCoder().decode(changed, options: options).bitmap == PNGCoder().decode(file, options: options).bitmap)
        let pictures = ["IHDR", "PLTE", "tRNS", "IDAT", "IEND"]
        let (before, after) = (chunks(file), chunks(changed))
        let kept = { (chunks: [(type: String, body: [UInt8])]) in
            chunks.filter { pictures.contains($0.type) }.map(\.body)
        }
        #expect(kept(before) == kept(after))
        // Colours before the palette, everything else before the image data.
        let places = Dictionary(after.enumerated().map { ($1.type, $0) }, uniquingKeysWith: min)
        #expect(try #require(places["gAMA"]) == 1)
        let picture = try #require(places["IDAT"])
        for type in ["eXIf", "pHYs", "tIME", "tEXt", "iTXt"] { #expect(places[type].map { $0 < picture } == true) }
        let bare = try PNGCoder().replacingMetadata(of: changed, with: ImageMetadata())
        #expect(try metadata(bare) == ImageMetadata())
        #expect(kept(chunks(bare)) == kept(before))
    }

    @Test func whatIsTheSameStaysWhereItIs() throws {
        let file = ImageData(
            PNGBuilder.onePixel(chunks: [
                ("prVt", [1, 2, 3]), ("tEXt", Array("Title\0Hills".utf8)), ("gAMA", [0, 0, 0xB1, 0x8F]),
            ]) + Array("after the end".utf8))
        var wanted = try metadata(file)
        #expect(try bytes(PNGCoder().replacingMetadata(of: file, with: wanted)) == bytes(file))
        wanted.density = PixelDensity(x: 1, y: 2, unit: .aspectRatio)
        let changed = bytes(try PNGCoder().replacingMetadata(of: file, with: wanted))
        #expect(changed.suffix(13) == Array("after the end".utf8))
        #expect(
            chunks(ImageData(changed.dropLast(13))).map(\.type) == [
                "IHDR", "prVt", "tEXt", "gAMA", "pHYs", "IDAT", "IEND",
            ])
        #expect(changed.count == file.count + 9 + 12)
    }

    @Test func chunksThatReadersPassOverGoWithEveryChange() throws {
        let exif = try #require(ExifBlock.bytes(nil, orientation: .left))
        let packet = { (text: String) in Array("XML:com.adobe.xmp\0\0\0\0\0<\(text)/>".utf8) }
        let hidden: [[(String, [UInt8])]] = [
            [("eXIf", Array("SECRET".utf8))], [("eXIf", exif), ("eXIf", Array("SECRET".utf8))],
            [("iTXt", packet("a")), ("iTXt", packet("SECRET"))],
        ]
        for chunks in hidden {
            for damagesFirst in [false, true] {
                var file = PNGBuilder.onePixel(chunks: chunks)
                let secret = Array("SECRET".utf8)
                if damagesFirst {
                    // The checksum of the first chunk after the header.
                    file[8 + 25 + 8 + chunks[0].1.count] ^= 1
                }
                var wanted = try metadata(ImageData(file))
                if wanted.xmp.map({ $0 == Array("<SECRET/>".utf8) }) == true { wanted.xmp = nil }
                if wanted.exif == secret { wanted.exif = nil }
                wanted.density = PixelDensity(x: 1, y: 2, unit: .aspectRatio)
                let changed = try PNGCoder().replacingMetadata(of: ImageData(file), with: wanted)
                let all = bytes(changed)
                let staysHidden = all.indices.contains { all[$0...].starts(with: secret) }
                #expect(!staysHidden, "\(chunks), \(damagesFirst)")
                #expect(try metadata(changed) == wanted, "\(chunks), \(damagesFirst)")
            }
        }
    }

    private func contains(_ file: ImageData, _ text: String) -> Bool {
        let all = bytes(file)
        return all.indices.contains { all[$0...].starts(with: Array(text.utf8)) }
    }

    /// Damaged texts with a copy of EXIF or XMP may stand beside texts that can be read.
    @Test func textsThatReadersPassOverGoAndTheOthersStay() throws {
        let exif = try #require(ExifBlock.bytes(nil, orientation: .left))
        let hidden: [(String, [UInt8])] = [
            ("zTXt", Array("Raw profile type exif\0\0SECRET".utf8)), ("tEXt", Array("\0SECRET".utf8)),
            ("iTXt", Array("XML:com.adobe.xmp\0\u{2}\0\0\0SECRET".utf8)),
            ("iTXt", Array("exif:GPSLatitude\0SECRET".utf8)),
        ]
        // Also a text with a keyword that the standard does not allow.
        let readable: [(String, [UInt8])] = [
            ("tEXt", Array("Title\0Hills".utf8)), ("eXIf", exif), ("tEXt", Array("p  q\0A".utf8)),
        ]
        for chunk in hidden {
            let file = ImageData(PNGBuilder.onePixel(chunks: [chunk] + readable))
            let changed = try PNGCoder().replacingMetadata(of: file, with: metadata(file))
            #expect(bytes(changed) == PNGBuilder.onePixel(chunks: readable), "\(chunk)")
        }
    }

    /// A second header ends the reading of a damaged file.
    @Test func whatComesBehindDamageGoes() throws {
        let exif = try #require(ExifBlock.bytes(nil, orientation: .left))
        for (type, body) in [("eXIf", exif), ("tEXt", Array("Title\0Hills".utf8))] {
            var builder = PNGBuilder()
            builder.addHeader(width: 1, height: 1)
            let damaged = PNGBuilder.onePixel(chunks: []).dropLast(12) + builder.bytes[8...]
            builder = PNGBuilder()
            builder.add(type, body)
            let file = ImageData(damaged + builder.bytes[8...])
            let stored = try PNGCoder().storedMetadata(of: file, limits: .default)
            #expect(stored == ImageMetadata())
            #expect(try bytes(PNGCoder().replacingMetadata(of: file, with: stored)) == Array(damaged), "\(type)")
        }
    }

    /// A critical chunk of no type ends the reading; an ancillary one is passed over.
    @Test(arguments: [("Ab1d", false), ("ab1d", true)])
    func whatComesBehindACriticalChunkThatIsNoneGoes(_ type: String, _ isRead: Bool) throws {
        var builder = PNGBuilder()
        builder.add(type, [1])
        let chunk = builder.bytes[8...]
        builder.add("tEXt", Array("Title\0SECRET".utf8))
        builder.add("IEND")
        let start = PNGBuilder.onePixel(chunks: []).dropLast(12)
        let file = ImageData(start + builder.bytes[8...])
        let stored = try PNGCoder().storedMetadata(of: file, limits: .default)
        #expect(stored.texts.count == (isRead ? 1 : 0))
        let same = try bytes(PNGCoder().replacingMetadata(of: file, with: stored))
        #expect(same == (isRead ? Array(start + builder.bytes[8...]) : Array(start)))
        let emptied = try bytes(PNGCoder().replacingMetadata(of: file, with: ImageMetadata()))
        #expect(emptied == (isRead ? Array(start + chunk + builder.bytes.suffix(12)) : Array(start)))
    }

    /// Of several texts one goes, and the others stay as they are, also those that an encoder would not write so.
    @Test func otherTextsStayAsTheyAre() throws {
        let texts: [(String, [UInt8])] = [
            ("tEXt", Array("Title\0Hills".utf8)), ("zTXt", Array("A\0\0".utf8) + [0x78, 0x9C, 3, 0, 0, 0, 0, 1]),
            ("tEXt", Array(" b  c\0x\0".utf8)), ("iTXt", Array("D\0\0\0en_US\0\0d".utf8)),
            ("tEXt", Array("Title\0Hills".utf8)),
        ]
        let copy = ("tEXt", Array("Raw profile type exif\0SECRET".utf8))
        let file = ImageData(PNGBuilder.onePixel(chunks: [copy] + texts))
        var wanted = try metadata(file)
        #expect(wanted.texts.count == 6)
        wanted.removeLocation()
        let changed = try PNGCoder().replacingMetadata(of: file, with: wanted)
        #expect(bytes(changed) == PNGBuilder.onePixel(chunks: texts))
        wanted.texts.removeFirst()
        wanted.texts.append(TextEntry(keyword: "E", text: "e"))
        let more = try PNGCoder().replacingMetadata(of: changed, with: wanted)
        // One of two equal ones is left, the first; what is new stands before the image data, as they do.
        let expected = Array(texts[..<4]) + [("tEXt", Array("E\0e".utf8))]
        #expect(bytes(more) == PNGBuilder.onePixel(chunks: expected))
    }

    @Test(.timeLimit(.minutes(1))) func manyTextsAreWrittenInTime() throws {
        let texts = (0..<40_000).map { _ in ("tEXt", Array("A\0".utf8)) }
        let file = ImageData(PNGBuilder.onePixel(chunks: texts))
        let stored = try PNGCoder().storedMetadata(of: file, limits: .default)
        #expect(try bytes(PNGCoder().replacingMetadata(of: file, with: stored)) == bytes(file))
    }

    @Test func packetsMayEndWithAZero() throws {
        let file = ImageData(PNGBuilder.onePixel(chunks: []))
        var wanted = ImageMetadata()
        wanted.xmp = Array("<a/>\0".utf8)
        let changed = try PNGCoder().replacingMetadata(of: file, with: wanted)
        #expect(try metadata(changed).xmp == Array("<a/>".utf8))
    }

    @Test func aSecondChunkThatIsCutOffGoes() throws {
        let exif = try #require(ExifBlock.bytes(nil, orientation: .left))
        let packet = { (text: String) in Array("XML:com.adobe.xmp\0\0\0\0\0<\(text)/>".utf8) }
        for (type, first, second) in [
            ("eXIf", exif, Array("SECRET".utf8)), ("iTXt", packet("a"), packet("SECRET")),
            ("tEXt", Array("Title\0Hills".utf8), Array("Title\0SECRET".utf8)),
        ] {
            var builder = PNGBuilder()
            builder.add(type, second)
            let file =
                Array(PNGBuilder.onePixel(chunks: [(type, first)]).dropLast(12)) + builder.bytes[8...].dropLast(2)
            let stored = try PNGCoder().storedMetadata(of: ImageData(file), limits: .default)
            let changed = bytes(try PNGCoder().replacingMetadata(of: ImageData(file), with: stored))
            #expect(changed == Array(PNGBuilder.onePixel(chunks: [(type, first)]).dropLast(12)), "\(type)")
        }
    }

    /// The date of a file that says none can be no date.
    @Test func aTimeThatIsNoneGoes() throws {
        let file = ImageData(PNGBuilder.onePixel(chunks: [("tIME", [7, 0xE8, 13, 1, 1, 1, 1])]))
        let changed = try PNGCoder().replacingMetadata(of: file, with: metadata(file))
        #expect(bytes(changed) == PNGBuilder.onePixel(chunks: []))
    }

    @Test func chunksThatAreCutOffAreRefused() throws {
        let all = bytes(ImageData(try FixtureBytes.read("metadata/photo.png")))
        let whole = try PNGCoder().replacingMetadata(of: ImageData(all), with: ImageMetadata()).count
        for count in stride(from: 0, to: all.count - 12, by: 11) {
            guard let changed = try? PNGCoder().replacingMetadata(of: ImageData(all[..<count]), with: ImageMetadata())
            else { continue }
            #expect(changed.count <= whole)
        }
        #expect(throws: ImageError.self) {
            try PNGCoder().replacingMetadata(of: ImageData(all[..<(all.count / 2)]), with: ImageMetadata())
        }
    }
}
