import CodecTestSupport
import DeflateCodec
import ImageCodecsCore
import PNGCodec
import Testing

/// Files that claim much or repeat much: they must end soon, in little memory.
@Suite struct HostilePNGTests {
    private func decode(_ file: [UInt8], pieceSize: Int = .max) -> Result<RasterImage?, ImageError> {
        Result { () throws(ImageError) in
            var options = DecodingOptions()
            options.limits = .untrusted
            options.limits.maxTime = nil
            guard pieceSize < file.count else { return try PNGCoder().decode(ImageData(file), options: options) }
            return try PNGCoder().decode(file, inPiecesOf: pieceSize, options: options)
        }
    }

    private func expectPixel(_ result: Result<RasterImage?, ImageError>) {
        guard case .success(let image) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(image?.size == PixelSize(width: 1, height: 1))
    }

    @Test(arguments: ["tEXt", "eXIf", "iCCP", "zTXt", "abCd", "sPLT"])
    func longAncillaryChunksMayComeByteByByte(_ type: String) {
        let body = Array("key\0\0".utf8) + [UInt8](repeating: 65, count: 1_000_000)
        expectPixel(decode(PNGBuilder.onePixel(chunks: [(type, body)]), pieceSize: 1))
    }

    @Test func manyTinyChunksCostNoMoreThanTheirBytes() {
        // An entry of two bytes costs its place too: 4 MiB have room for ten thousand.
        let texts = (0..<4_000).map { _ in ("tEXt", Array("k\0v".utf8)) }
        let unknown = (0..<20_000).map { _ in ("abCd", [UInt8]()) }
        let packed = (0..<2_000).map { _ in ("zTXt", Array("k\0\0".utf8) + PNGBuilder.stored([65])) }
        for pieceSize in [1, Int.max] {
            expectPixel(
                decode(PNGBuilder.onePixel(chunks: texts + unknown + packed, late: texts), pieceSize: pieceSize))
        }
    }

    @Test(arguments: [1, 1000, Int.max])
    func manyTinyTextsHitTheLimit(_ pieceSize: Int) {
        let allowed = DecodingLimits.untrusted.maxMetadataByteCount
        let cost = MetadataBudget.entryByteCount + 2
        let body = Array("k\0v".utf8)
        let enough = PNGBuilder.onePixel(chunks: (0..<allowed / cost).map { _ in ("tEXt", body) })
        expectPixel(decode(enough, pieceSize: pieceSize))
        let tooMuch = PNGBuilder.onePixel(chunks: (0...allowed / cost).map { _ in ("tEXt", body) })
        let result = decode(tooMuch, pieceSize: pieceSize)
        guard case .failure(let error) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(
            error == .limitExceeded(.metadata, requested: (allowed / cost + 1) * cost, allowed: allowed))
    }

    @Test func anInspectionRefusesTheTextsADecodeRefuses() {
        let body = Array("k\0v".utf8)
        let late = (0..<20_000).map { _ in ("tEXt", body) }
        var options = DecodingOptions()
        options.limits = .untrusted
        options.limits.maxTime = nil
        for file in [PNGBuilder.onePixel(chunks: late), PNGBuilder.onePixel(late: late)] {
            #expect(throws: ImageError.self) { try PNGCoder().inspect(ImageData(file), options: options) }
            #expect(throws: ImageError.self) { try PNGCoder().decode(ImageData(file), options: options) }
        }
    }

    @Test func manyEmptyImageDataChunksAreTaken() {
        var builder = PNGBuilder()
        builder.addHeader(width: 1, height: 1, colorType: 0)
        for _ in 0..<50_000 { builder.add("IDAT") }
        builder.addImageData(PNGBuilder.stored([0, 1]), chunkSize: 1)
        for _ in 0..<50_000 { builder.add("IDAT") }
        builder.add("IEND")
        for pieceSize in [1, Int.max] { expectPixel(decode(builder.bytes, pieceSize: pieceSize)) }
    }

    @Test func manyEmptyDeflateBlocksAreTaken() {
        let empty: [UInt8] = [0, 0, 0, 0xFF, 0xFF]
        let stream = PNGBuilder.stored([0, 1])
        let body = Array(stream[..<2]) + (0..<100_000).flatMap { _ in empty } + stream[2...]
        var builder = PNGBuilder()
        builder.addHeader(width: 1, height: 1, colorType: 0)
        builder.addImageData(body)
        builder.add("IEND")
        for pieceSize in [1, 7, Int.max] { expectPixel(decode(builder.bytes, pieceSize: pieceSize)) }
    }

    /// A block with codes of its own and one with the fixed codes, both empty, in a hundred bits: both need tables.
    private let emptyBlocks: [(value: Int, bitCount: Int)] = [
        (0, 1), (2, 2), (0, 5), (0, 5), (14, 4),
        // Symbols 18 and 1 have codes of one bit: 0 is said to be 256 lengths, then two of 1.
        (0, 6), (1, 3), (0, 42), (1, 3), (1, 1), (127, 7), (1, 1), (107, 7), (0, 1), (0, 1),
        (0, 1), (0, 1), (1, 2), (0, 7),
    ]

    @Test(arguments: Inflater.Kind.allCases)
    func emptyBlocksWithTablesAskTheClock(_ kind: Inflater.Kind) throws {
        let bits = (emptyBlocks + emptyBlocks).flatMap { field in (0..<field.bitCount).map { field.value >> $0 & 1 } }
        let blocks = stride(from: 0, to: bits.count, by: 8).map { start in
            UInt8((0..<8).reduce(0) { $0 | bits[start + $1] << $1 })
        }
        #expect(blocks.count == 25)
        let stream = PNGBuilder.stored([0, 1])
        var builder = PNGBuilder()
        builder.addHeader(width: 1, height: 1, colorType: 0)
        builder.addImageData(stream[..<2] + (0..<40_000).flatMap { _ in blocks } + stream[2...])
        builder.add("IEND")
        let log = WorkLog()
        var options = DecodingOptions()
        options.workLog = log
        let image = try Inflater.choice.withValue(kind) { () throws(ImageError) in
            try PNGCoder().decode(ImageData(builder.bytes), options: options)
        }
        #expect(image.size == PixelSize(width: 1, height: 1))
        #expect(log.checkCount >= builder.bytes.count / 16_384)
    }

    @Test(
        arguments: ["IDAT", "abCd", "tEXt", "iCCP", "IEND", "PLTE", "tRNS"],
        [0x7FFF_FFFF, 0x8000_0000, .max] as [UInt32])
    func absurdLengthsEnd(_ type: String, _ length: UInt32) {
        for colorType: UInt8 in [0, 3] {
            var builder = PNGBuilder()
            builder.addHeader(width: 1, height: 1, colorType: colorType)
            if type != "PLTE" { builder.add("PLTE", [1, 2, 3]) }
            if type == "IEND" { builder.addImageData(PNGBuilder.stored([0, 0])) }
            builder.add(type, [1, 2, 3], claimedLength: length)
            for pieceSize in [1, Int.max] {
                // An IEND that claims a body ends the picture all the same, as in libpng.
                guard case .failure(let error) = decode(builder.bytes, pieceSize: pieceSize) else {
                    #expect(type == "IEND" && length == 0x7FFF_FFFF)
                    continue
                }
                #expect(["corrupt", "truncated", "limitExceeded"].contains(error.code), "\(error)")
            }
        }
    }

    @Test(arguments: [(0x7FFF_FFFF, 0x7FFF_FFFF), (0x7FFF_FFFF, 1), (1, 0x7FFF_FFFF)])
    func absurdSizesAreRefusedBeforeMemoryIsTaken(_ width: Int, _ height: Int) {
        for interlaced in [false, true] {
            var builder = PNGBuilder()
            builder.addHeader(width: width, height: height, depth: 16, colorType: 6, interlaced: interlaced)
            builder.addImageData([0x78, 1])
            for limits in [DecodingLimits.default, .untrusted] {
                for box in [nil, PixelSize(width: 10, height: 10)] {
                    let meter = MemoryMeter()
                    var options = DecodingOptions()
                    options.limits = limits
                    options.memoryMeter = meter
                    options.size = box.map { .fitting($0) } ?? .full
                    #expect(throws: ImageError.self) {
                        try PNGCoder().decode(ImageData(builder.bytes), options: options)
                    }
                    #expect(meter.peak == 0)
                }
            }
            // Without limits the numbers must not overflow, whatever comes of them.
            var options = DecodingOptions()
            options.limits = .unlimited
            options.limits.maxMemoryByteCount = 1 << 30
            #expect(throws: ImageError.self) { try PNGCoder().decode(ImageData(builder.bytes), options: options) }
            #expect(throws: ImageError.self) { try PNGCoder().inspect(ImageData(builder.bytes), options: options) }
        }
    }

    @Test func aTallPictureOfOneColumnDecodesInLittleMemory() throws {
        // A megapixel from 1.1 kB: work is bounded by the pixels, memory by the promise.
        let file = PNGBuilder.file(
            width: 1, height: 1 << 20, depth: 1, colorType: 0,
            scanlines: [UInt8](repeating: 0, count: 2 << 20), isCompressed: true)
        let meter = MemoryMeter()
        var options = DecodingOptions.thumbnail(width: 1, height: 100)
        options.memoryMeter = meter
        #expect(try PNGCoder().decode(ImageData(file), options: options).size == PixelSize(width: 1, height: 100))
        #expect(meter.peak < 300_000)
    }

    @Test func aThumbnailOfTwelveMegapixelsTakesLessThanFourMegabytes() throws {
        let (width, height) = (4000, 3000)
        var lines: [UInt8] = []
        lines.reserveCapacity((width * 3 + 1) * height)
        for y in 0..<height {
            lines.append(0)
            for x in 0..<width {
                lines.append(UInt8(truncatingIfNeeded: x >> 4))
                lines.append(UInt8(truncatingIfNeeded: y >> 4))
                lines.append(UInt8(truncatingIfNeeded: (x ^ y) >> 5))
            }
        }
        let data = ImageData(
            PNGBuilder.file(width: width, height: height, scanlines: lines, isCompressed: true))
        lines = []
        let meter = MemoryMeter()
        var options = DecodingOptions.thumbnail(width: 400, height: 300)
        options.memoryMeter = meter
        options.limits.maxMemoryByteCount = 4 << 20
        let promised = try PNGCoder().inspect(data, options: options).estimatedPeakByteCount
        let image = try PNGCoder().decode(data, options: options)
        #expect(image.size == PixelSize(width: 400, height: 300))
        #expect(meter.peak <= promised)
        #expect(meter.peak < 4 << 20)
    }

    /// Rows after a wrong one are not made, so what is told is what came first, however the file is read.
    @Test(arguments: [1, 2], [1, 5, Int.max])
    func theFirstWrongRowIsTold(_ threads: Int, _ pieceSize: Int) throws {
        // Rows 1 and 3 have filter types that are none.
        var lines = [UInt8](repeating: 0, count: 6 * 5)
        lines[5] = 5
        lines[3 * 5] = 9
        let file = PNGBuilder.file(
            width: 4, height: 6, colorType: 3, chunks: [("PLTE", [UInt8](repeating: 7, count: 6))], scanlines: lines)
        var options = DecodingOptions()
        options.maxThreadCount = threads
        let error = #expect(throws: ImageError.self) {
            try SecondThread.isForAll.withValue(threads > 1) {
                guard pieceSize < file.count else {
                    return _ = try PNGCoder().decode(ImageData(file), options: options)
                }
                _ = try PNGCoder().decode(file, inPiecesOf: pieceSize, options: options)
            }
        }
        #expect(error?.damageCode == .pngFilterType)
        #expect("\(error as Any)".contains("row 1"))
    }
}
