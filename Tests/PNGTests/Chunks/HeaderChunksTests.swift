import CodecTestSupport
import ImageCodecsCore
import PNGCodec
import Testing

/// The rules about which chunks must, may and must not be there, and in which order.
@Suite struct HeaderChunksTests {
    private static let palette: [UInt8] = [10, 20, 30, 40, 50, 60]

    /// A one-pixel file from chunks, IHDR first unless the list says otherwise.
    private func file(_ chunks: [String], colorType: UInt8 = 0) -> [UInt8] {
        var builder = PNGBuilder()
        for chunk in chunks {
            switch chunk {
            case "IHDR": builder.addHeader(width: 1, height: 1, colorType: colorType)
            case "IDAT":
                builder.addImageData(
                    PNGBuilder.stored([0] + [UInt8](repeating: 1, count: SamplePNG.channels(colorType))))
            case "PLTE": builder.add("PLTE", Self.palette)
            case "tRNS": builder.add("tRNS", colorType == 3 ? [255, 7] : [0, 1])
            default: builder.add(chunk)
            }
        }
        return builder.bytes
    }

    private func decode(_ chunks: [String], colorType: UInt8 = 0) throws -> [UInt8] {
        var options = DecodingOptions()
        options.pixelFormat = .rgba
        return try PNGCoder().decode(ImageData(file(chunks, colorType: colorType)), options: options).bitmap
            .packedBytes()
    }

    @Test(arguments: [
        ["IHDR", "IDAT", "IEND"], ["IHDR", "PLTE", "IDAT", "IEND"], ["IHDR", "IDAT", "PLTE", "IEND"],
        ["IHDR", "abCd", "IDAT", "abCd", "IEND"], ["IHDR", "IDAT", "IEND", "IHDR"],
    ])
    func soundOrdersDecode(_ chunks: [String]) throws {
        #expect(try decode(chunks) == [1, 1, 1, 255])
    }

    @Test(arguments: [
        [], ["IEND"], ["IDAT", "IEND"], ["PLTE", "IHDR", "IDAT", "IEND"], ["IHDR", "IEND"],
        ["IHDR", "IHDR", "IDAT", "IEND"],
        ["IHDR", "IDAT", "IHDR", "IEND"], ["abCd", "IHDR", "IDAT", "IEND"],
    ])
    func unsoundOrdersThrow(_ chunks: [String]) {
        #expect(throws: ImageError.self) { try decode(chunks) }
    }

    @Test func unknownCriticalChunksAreUnsupportedByName() {
        #expect(throws: ImageError.unsupported(.png, feature: "critical chunk ABCD")) {
            try decode(["IHDR", "ABCD", "IDAT", "IEND"])
        }
    }

    @Test func applesVariantIsSaidOnceBeforeTheHeader() {
        let body: [UInt8] = [0x50, 0, 0x20, 2]
        func error(_ chunks: [(String, [UInt8])]) -> DamageCode? {
            var builder = PNGBuilder()
            for (type, body) in chunks { builder.add(type, body) }
            builder.add("IEND")
            return (#expect(throws: ImageError.self) { try PNGCoder().decode(ImageData(builder.bytes)) })?.damageCode
        }
        let header = ("IHDR", [0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0] as [UInt8])
        #expect(error([header, ("CgBI", body)]) == .pngChunkOrder)
        #expect(error([("CgBI", body), ("CgBI", body), header]) == .pngChunkOrder)
        #expect(error([("CgBI", body + [0]), header]) == .pngChunkOrder)
        #expect(error([("CgBI", body), header]) == .pngImageDataMissing)
    }

    @Test func indexedColorNeedsOnePaletteInFront() throws {
        #expect(try decode(["IHDR", "PLTE", "IDAT", "IEND"], colorType: 3) == [40, 50, 60, 255])
        for wrong in [
            ["IHDR", "IDAT", "IEND"], ["IHDR", "PLTE", "PLTE", "IDAT", "IEND"],
            ["IHDR", "PLTE", "IDAT", "PLTE", "IEND"],
            ["IHDR", "IDAT", "PLTE", "IEND"],
        ] {
            #expect(throws: ImageError.self) { try decode(wrong, colorType: 3) }
        }
    }

    @Test(arguments: [0, 1, 2, 4, 769, 771])
    func palettesAreOneTo256WholeColors(_ count: Int) {
        let file = PNGBuilder.file(
            width: 1, height: 1, colorType: 3, chunks: [("PLTE", [UInt8](repeating: 1, count: count))],
            scanlines: [0, 0])
        #expect(throws: ImageError.corrupt(.png, .pngPaletteLength, offset: 33, reason: "PLTE of \(count) bytes")) {
            try PNGCoder().decode(ImageData(file), options: .default)
        }
    }

    @Test func transparencyCountsOnlyInItsPlace() throws {
        #expect(try decode(["IHDR", "PLTE", "tRNS", "IDAT", "IEND"], colorType: 3) == [40, 50, 60, 7])
        #expect(try decode(["IHDR", "tRNS", "PLTE", "IDAT", "IEND"], colorType: 3) == [40, 50, 60, 255])
        #expect(try decode(["IHDR", "PLTE", "IDAT", "tRNS", "IEND"], colorType: 3) == [40, 50, 60, 255])
        #expect(try decode(["IHDR", "tRNS", "IDAT", "IEND"]) == [1, 1, 1, 0])
    }

    @Test(
        arguments: [(0, [1]), (0, [0, 1, 2]), (2, [0, 1]), (4, [0, 1]), (6, [0, 1, 0, 1, 0, 1]), (3, [])]
            as [(UInt8, [UInt8])])
    func unfitTransparencyIsIgnored(_ colorType: UInt8, _ body: [UInt8]) throws {
        let line = [0] + [UInt8](repeating: 1, count: SamplePNG.channels(colorType))
        let plain = PNGBuilder.file(
            width: 1, height: 1, colorType: colorType, chunks: [("PLTE", Self.palette)], scanlines: line)
        let odd = PNGBuilder.file(
            width: 1, height: 1, colorType: colorType, chunks: [("PLTE", Self.palette), ("tRNS", body)],
            scanlines: line)
        let expected = try PNGCoder().decode(ImageData(plain), options: .default).bitmap
        #expect(try PNGCoder().decode(ImageData(odd), options: .default).bitmap == expected)
    }

    @Test func colorKeysCompareAtTheFilesOwnDepth() throws {
        // Two 16-bit samples whose high bytes are equal: only the second is the key. Then two bits, of which the key
        // names the low ones.
        let wide = PNGBuilder.file(
            width: 2, height: 1, depth: 16, colorType: 0, chunks: [("tRNS", [0x12, 0x35])],
            scanlines: [0, 0x12, 0x34, 0x12, 0x35])
        let narrow = PNGBuilder.file(
            width: 2, height: 1, depth: 2, colorType: 0, chunks: [("tRNS", [0xFF, 0xFE])], scanlines: [0, 0b1011_0000])
        var options = DecodingOptions()
        options.pixelFormat = .grayAlpha
        #expect(try PNGCoder().decode(ImageData(wide), options: options).bitmap.packedBytes() == [18, 255, 18, 0])
        #expect(try PNGCoder().decode(ImageData(narrow), options: options).bitmap.packedBytes() == [170, 0, 255, 255])
    }

    @Test(arguments: ["IHDR", "PLTE"])
    func aWrongChecksumOfACriticalChunkIsCorrupt(_ type: String) {
        var builder = PNGBuilder()
        let header = PNGBuilder.bigEndian(1) + PNGBuilder.bigEndian(1) + [8, 3, 0, 0, 0]
        builder.add("IHDR", header, flippedChecksumBits: type == "IHDR" ? 1 : 0)
        builder.add("PLTE", Self.palette, flippedChecksumBits: type == "PLTE" ? 0x8000_0000 : 0)
        builder.addImageData(PNGBuilder.stored([0, 0]))
        builder.add("IEND")
        let offset = type == "IHDR" ? 29 : 47
        for strictness in DecodingOptions.Strictness.allCases {
            var options = DecodingOptions()
            options.strictness = strictness
            #expect(throws: ImageError.corrupt(.png, .pngChunkCRC, offset: offset, reason: "wrong CRC of \(type)")) {
                try PNGCoder().decode(ImageData(builder.bytes), options: options)
            }
        }
    }
}
