import CodecTestSupport
import ImageCodecsCore
import PNGCodec
import Testing

/// Each chunk's typed metadata from bytes written by hand, and the malformed ones that are passed over.
@Suite struct AncillaryChunksTests {
    private func metadata(
        _ chunks: [(String, [UInt8])], depth: UInt8 = 8, colorType: UInt8 = 0, late: [(String, [UInt8])] = []
    ) throws -> ImageMetadata {
        let scanline = [0] + [UInt8](repeating: 0, count: SamplePNG.channels(colorType) * max(1, Int(depth) / 8))
        let file = PNGBuilder.file(
            width: 1, height: 1, depth: depth, colorType: colorType, chunks: chunks, scanlines: scanline, late: late)
        return try PNGCoder().decode(ImageData(file), options: .default).metadata
    }

    /// Bodies of the wrong length, before and after the right one.
    private func lengths(around right: Int) -> [[UInt8]] {
        [0, right - 1, right + 1, 2 * right].map { [UInt8](repeating: 1, count: max(0, $0)) }
    }

    private static let palette: (String, [UInt8]) = ("PLTE", [1, 2, 3, 4, 5, 6])

    @Test func gamma() throws {
        #expect(try metadata([("gAMA", [0, 0, 0xB1, 0x8F])]).gamma == 45455)
        #expect(try metadata([("gAMA", [0, 0, 0, 0])]).gamma == nil)
        for body in lengths(around: 4) { #expect(try metadata([("gAMA", body)]).gamma == nil) }
        // The first one counts.
        #expect(try metadata([("gAMA", [0, 0, 0, 9]), ("gAMA", [0, 0, 0, 8])]).gamma == 9)
    }

    @Test func chromaticities() throws {
        let body = (1...8).flatMap { PNGBuilder.bigEndian(UInt32($0) * 1000) }
        let read = try #require(try metadata([("cHRM", body)]).chromaticities)
        #expect(read.white == Chromaticities.Point(x: 1000, y: 2000))
        #expect(read.red == Chromaticities.Point(x: 3000, y: 4000))
        #expect(read.green == Chromaticities.Point(x: 5000, y: 6000))
        #expect(read.blue == Chromaticities.Point(x: 7000, y: 8000))
        for body in lengths(around: 32) { #expect(try metadata([("cHRM", body)]).chromaticities == nil) }
    }

    @Test func renderingIntent() throws {
        #expect(try metadata([("sRGB", [3])]).renderingIntent == .absoluteColorimetric)
        #expect(try metadata([("sRGB", [4])]).renderingIntent == nil)
        for body in lengths(around: 1) where body.count != 1 {
            #expect(try metadata([("sRGB", body)]).renderingIntent == nil)
        }
    }

    @Test func codePoints() throws {
        let read = try metadata([("cICP", [9, 16, 0, 1])]).codePoints
        #expect(read == CodingIndependentCodePoints(primaries: 9, transfer: 16, matrix: 0, isFullRange: true))
        #expect(try metadata([("cICP", [9, 16, 0, 2])]).codePoints == nil)
        for body in lengths(around: 4) { #expect(try metadata([("cICP", body)]).codePoints == nil) }
    }

    @Test func significantBits() throws {
        #expect(try metadata([("sBIT", [5])]).significantBits == [5])
        #expect(try metadata([("sBIT", [5, 6, 5])], colorType: 2).significantBits == [5, 6, 5])
        #expect(try metadata([("sBIT", [5, 6, 5, 1])], colorType: 6).significantBits == [5, 6, 5, 1])
        #expect(try metadata([Self.palette, ("sBIT", [5, 6, 5])], colorType: 3).significantBits == [5, 6, 5])
        #expect(try metadata([("sBIT", [16])], depth: 16).significantBits == [16])
        for wrong: [UInt8] in [[0], [9], [5, 5], []] {
            #expect(try metadata([("sBIT", wrong)]).significantBits == nil)
        }
    }

    @Test func background() throws {
        #expect(try metadata([("bKGD", [1, 2])]).background == .gray(0x0102))
        #expect(
            try metadata([("bKGD", [0, 1, 0, 2, 0, 3])], colorType: 2).background == .rgb(red: 1, green: 2, blue: 3))
        #expect(try metadata([Self.palette, ("bKGD", [1])], colorType: 3).background == .paletteIndex(1))
        #expect(try metadata([Self.palette, ("bKGD", [2])], colorType: 3).background == nil)
        #expect(try metadata([("bKGD", [1])]).background == nil)
        #expect(try metadata([("bKGD", [0, 1])], colorType: 6).background == nil)
    }

    @Test func histogram() throws {
        #expect(try metadata([Self.palette, ("hIST", [0, 7, 1, 0])], colorType: 3).histogram == [7, 256])
        #expect(try metadata([Self.palette, ("hIST", [0, 7])], colorType: 3).histogram == nil)
        #expect(try metadata([("hIST", [])]).histogram == nil)
    }

    @Test func density() throws {
        let body: [UInt8] = [0, 0, 0x0B, 0x13, 0, 0, 0x0B, 0x14, 1]
        #expect(try metadata([("pHYs", body)]).density == PixelDensity(x: 2835, y: 2836, unit: .meter))
        #expect(try metadata([("pHYs", body.dropLast() + [0])]).density?.unit == .aspectRatio)
        #expect(try metadata([("pHYs", body.dropLast() + [2])]).density == nil)
        for body in lengths(around: 9) { #expect(try metadata([("pHYs", body)]).density == nil) }
    }

    @Test func suggestedPalettes() throws {
        let eight = Array("warm\0".utf8) + [8, 1, 2, 3, 4, 0, 5]
        let sixteen = Array("cold\0".utf8) + [16, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5]
        let read = try metadata([("sPLT", eight), ("sPLT", sixteen)]).suggestedPalettes
        let entry = SuggestedPalette.Entry(red: 1, green: 2, blue: 3, alpha: 4, frequency: 5)
        #expect(
            read == [
                SuggestedPalette(name: "warm", sampleDepth: 8, entries: [entry]),
                SuggestedPalette(name: "cold", sampleDepth: 16, entries: [entry]),
            ])
        for wrong: [UInt8] in [
            [], [0, 8], Array("x".utf8), Array("x\0".utf8), Array("x\0".utf8) + [7], eight + [1],
            [UInt8](repeating: 65, count: 80) + [0, 8],
        ] {
            #expect(try metadata([("sPLT", wrong)]).suggestedPalettes.isEmpty)
        }
    }

    @Test func modificationTime() throws {
        let read = try metadata([("tIME", [0x07, 0xCB, 12, 31, 23, 59, 60])]).modificationTime
        #expect(read == ModificationTime(year: 1995, month: 12, day: 31, hour: 23, minute: 59, second: 60))
        for wrong: [UInt8] in [
            [7, 203, 0, 1, 0, 0, 0], [7, 203, 13, 1, 0, 0, 0], [7, 203, 1, 0, 0, 0, 0], [7, 203, 1, 32, 0, 0, 0],
            [7, 203, 1, 1, 24, 0, 0], [7, 203, 1, 1, 0, 60, 0], [7, 203, 1, 1, 0, 0, 61], [7, 203, 1, 1, 0, 0],
        ] {
            #expect(try metadata([("tIME", wrong)]).modificationTime == nil)
        }
    }

    @Test func exifAndItsOrientation() throws {
        let body = SamplePNG.exif(orientation: 6)
        for read in [try metadata([("eXIf", body)]), try metadata([], late: [("eXIf", body)])] {
            #expect(read.exif == body)
            // It is applied if it comes before the image data, and so not told again; after them it counts for nothing.
            #expect(read.orientation == .up)
        }
        let odd = try metadata([("eXIf", [1, 2, 3])])
        #expect(odd.exif == [1, 2, 3])
        #expect(odd.orientation == .up)
        #expect(try metadata([("eXIf", [])]).exif == nil)
    }

    @Test func aWrongChecksumHidesAnAncillaryChunk() throws {
        var builder = PNGBuilder()
        builder.addHeader(width: 1, height: 1, colorType: 0)
        builder.add("gAMA", [0, 0, 0, 9], flippedChecksumBits: 1)
        builder.add("pHYs", [0, 0, 0, 1, 0, 0, 0, 1, 1])
        builder.addImageData(PNGBuilder.stored([0, 7]))
        builder.add("IEND")
        let read = try PNGCoder().decode(ImageData(builder.bytes), options: .default).metadata
        #expect(read.gamma == nil)
        #expect(read.density != nil)
    }
}
