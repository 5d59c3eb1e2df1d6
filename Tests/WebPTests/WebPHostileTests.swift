import CodecTestSupport
import ImageCodecsCore
import ImageInspection
import Testing
import WebPCodec

/// Few bytes that stand for much: what they may buy.
@Suite struct WebPHostileTests {
    /// A lossless bitstream whose codes have one symbol each: every pixel is transparent black and takes no bits. Without
    /// the header it is the coding of an alpha plane.
    private static func constant(width: Int, height: Int, isPlane: Bool = false) -> [UInt8] {
        var bits: [(value: Int, count: Int)] =
            isPlane ? [] : [(0x2F, 8), (width - 1, 14), (height - 1, 14), (1, 1), (0, 3)]
        // No transform, no cache, one group; five codes: simple, one symbol, of one bit, 0.
        bits += [(0, 1), (0, 1), (0, 1)]
        for _ in 0..<5 { bits.append((1, 4)) }
        return packed(bits)
    }

    /// Numbers in so many bits each, the lowest first.
    private static func packed(_ bits: [(value: Int, count: Int)]) -> [UInt8] {
        var (bytes, filled) = ([UInt8](), 0)
        for (value, count) in bits {
            for bit in 0..<count {
                if filled % 8 == 0 { bytes.append(0) }
                bytes[filled / 8] |= UInt8(value >> bit & 1) << UInt8(filled % 8)
                filled += 1
            }
        }
        return bytes
    }

    /// An alpha plane of zeros, of whatever size the canvas has.
    private static let constantAlpha = WebPBuilder.chunk("ALPH", [1] + constant(width: 1, height: 1, isPlane: true))

    @Test func constantPicturesTakeNoBits() throws {
        let file = WebPBuilder.file(WebPBuilder.chunk("VP8L", Self.constant(width: 300, height: 200)))
        let image = try WebPCoder().decode(ImageData(file), options: .default)
        #expect(image.size == PixelSize(width: 300, height: 200))
        #expect(image.bitmap.packedBytes().allSatisfy { $0 == 0 })
    }

    @Test func lossyPicturesThatAreNotToBeShownAreUnsupported() throws {
        var file = try FixtureBytes.read("webp/lossy/even-sides.webp")
        file[20] &= ~0b1_0000
        let error = #expect(throws: ImageError.self) { try WebPCoder().decode(ImageData(file), options: .default) }
        #expect(error?.code == "unsupported")
    }

    @Test func alphaThatDoesNotCountIsLimited() throws {
        // Planes of 16 Mpx in 12 bytes each: two may be for nothing.
        let file = WebPBuilder.file(
            of: [WebPBuilder.extendedHeader(flags: 16, width: 4096, height: 4096)]
                + Array(repeating: Self.constantAlpha, count: 10))
        let error = #expect(throws: ImageError.self) { try WebPCoder().decode(ImageData(file), options: .default) }
        #expect(error?.damageCode == .webpChunkOrder)
        #expect(error?.offset == 30 + 3 * Self.constantAlpha.count)
    }

    @Test func aPlaneIsRefusedBeforeItTakesMemory() throws {
        let file = WebPBuilder.file(
            WebPBuilder.extendedHeader(flags: 16, width: 16383, height: 16383), Self.constantAlpha)
        let meter = MemoryMeter(limit: 1 << 30)
        var options = DecodingOptions()
        options.limits = .unlimited
        options.limits.maxMemoryByteCount = 1 << 30
        options.memoryMeter = meter
        let error = #expect(throws: ImageError.self) { try WebPCoder().decode(ImageData(file), options: options) }
        #expect(error?.code == "limitExceeded")
        #expect(meter.peak < 1 << 20)
    }

    @Test func whatIsKeptOfACutFrameIsWithinTheLaw() throws {
        let tiny = WebPBuilder.chunk("VP8L", Self.constant(width: 1, height: 1))
        let long = WebPBuilder.chunk(
            "VP8L", Self.constant(width: 1, height: 1) + [UInt8](repeating: 7, count: 400_000))
        let file = WebPBuilder.file(
            WebPBuilder.extendedHeader(flags: 2, width: 1, height: 1), WebPBuilder.animationHeader(loopCount: 0),
            WebPBuilder.frame(x: 0, y: 0, width: 1, height: 1, milliseconds: 10, flags: 0, tiny),
            WebPBuilder.frame(x: 0, y: 0, width: 1, height: 1, milliseconds: 10, flags: 0, long))
        let cut = Array(file.dropLast(20_000))
        var options = DecodingOptions()
        options.strictness = .tolerant
        let allowed = try MemoryAllowance(WebPCoder(), cut, options).byteCount(holdsFrames: false)
        let meter = MemoryMeter()
        options.memoryMeter = meter
        var decoder = WebPCoder().makeIncrementalDecoder(options: options)
        for start in stride(from: 0, to: cut.count, by: 1000) {
            _ = try decoder.append(cut.span.extracting(start..<min(cut.count, start + 1000)))
        }
        _ = try decoder.finish()
        #expect(meter.peak > 380_000)
        #expect(meter.peak <= allowed)
    }

    /// A code of one symbol takes four bits; what it costs must not be its alphabet.
    @Test func groupsOfFewBitsCostAsLittle() throws {
        // A picture of one pixel, a cache of eleven bits, and an entropy image that calls for the last of 65,536 groups.
        var bits: [(value: Int, count: Int)] = [(0x2F, 8), (0, 14), (0, 14), (1, 1), (0, 3)]
        bits += [(0, 1), (1, 1), (11, 4), (1, 1), (0, 3), (0, 1)]
        for symbol in [255, 255, 0, 0, 0] { bits += [(0b101, 3), (symbol, 8)] }
        for _ in 0..<65_536 * 5 { bits.append((1, 4)) }
        let file = WebPBuilder.file(WebPBuilder.chunk("VP8L", Self.packed(bits)))
        var options = DecodingOptions.default
        let log = WorkLog()
        options.workLog = log
        #expect(try WebPCoder().decode(ImageData(file), options: options).size == PixelSize(width: 1, height: 1))
        #expect(log.unitCount < 12 * file.count)
    }

    /// Planes of alpha that are replaced cost as much as the one that counts.
    @Test func someAlphaMayBeReplaced() throws {
        let head = WebPBuilder.extendedHeader(flags: 16, width: 200, height: 200)
        let picture = WebPBuilder.chunk("VP8L", Self.constant(width: 200, height: 200))
        func decode(planes: Int) throws -> Int {
            var options = DecodingOptions.default
            let log = WorkLog()
            options.workLog = log
            _ = try WebPCoder().decode(
                ImageData(
                    WebPBuilder.file(
                        of: [head] + Array(repeating: Self.constantAlpha, count: planes) + [picture])),
                options: options)
            return log.unitCount
        }
        #expect(try decode(planes: 3) < 24 * 200 * 200)
        #expect(throws: ImageError.self) { try decode(planes: 10) }
    }

    /// What a listing decodes of transforms is bounded for the file, not for each of its chunks.
    @Test func listingsOfManySmallBitstreamsCostLittle() throws {
        // 850x850 pixels, a predictor for blocks of four, whose modes are all one symbol.
        var bits: [(value: Int, count: Int)] = [(0x2F, 8), (849, 14), (849, 14), (1, 1), (0, 3)]
        bits += [(1, 1), (0, 2), (0, 3), (0, 1)]
        for _ in 0..<5 { bits.append((1, 4)) }
        bits += [(0, 1), (0, 1), (0, 1)]
        for _ in 0..<5 { bits.append((1, 4)) }
        let chunk = WebPBuilder.chunk("VP8L", Self.packed(bits))
        let file = WebPBuilder.file(of: Array(repeating: chunk, count: 5000))
        let parts = try FileListing(of: ImageData(file), limits: .default).parts
        #expect(parts.count == 5001)
        #expect((10..<200).contains(parts.count { $0.summary.contains("predictor") }))
    }

    /// A few bytes may claim a picture of the largest size: a listing takes no memory for it.
    @Test func listingsOfManySmallFramesCostLittle() throws {
        // The first partition is 64 bytes of bools that are false, which end in the modes of the first row.
        let head: [UInt8] = [0x10, 0x08, 0, 0x9D, 0x01, 0x2A, 0xFF, 0x3F, 0xFF, 0x3F]
        let chunk = WebPBuilder.chunk("VP8 ", head + Array(repeating: 0, count: 66))
        var limits = DecodingLimits.default
        limits.maxMemoryByteCount = 1 << 20
        let file = WebPBuilder.file(of: Array(repeating: chunk, count: 100))
        let parts = try FileListing(of: ImageData(file), limits: limits).parts
        #expect(parts.count { $0.summary.hasPrefix("16383x16383 pixels; profile 0, 1 partition, quantizer 0") } == 100)
        limits.maxTime = .zero
        #expect(throws: ImageError.self) { try FileListing(of: ImageData(file), limits: limits) }
    }
}
