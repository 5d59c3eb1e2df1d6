import CodecTestSupport
import ImageCodecsCore
import ImagePhotoMetadata
import Testing
import WebPCodec

@Suite struct WebPOptimizingTests {
    private static let exif: [UInt8] = [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0]

    private func fixture(_ name: String) throws -> ImageData { ImageData(try FixtureBytes.read("webp/\(name)")) }

    private func chunks(_ file: ImageData) throws -> WebPChunks { try WebPChunks(file.withBytes { [UInt8]($0) }) }

    private static var exact: EncodingOptions {
        var options = EncodingOptions.best
        options.webp.keepsInvisibleColors = true
        return options
    }

    private func frames(_ file: ImageData) throws -> [Bitmap] {
        var options = DecodingOptions()
        options.pixelFormat = .rgba
        options.appliesOrientation = false
        let animation = try WebPCoder().makeAnimation(from: file, options: options)
        return try (0..<animation.frameCount).map { try animation.frame(at: $0).bitmap }
    }

    @Test(arguments: [
        "lossless.webp", "lossless-alpha.webp", "palette-5.webp", "lossy.webp", "lossy-alpha.webp",
        "five-frames-100ms.webp", "blend-clear.webp", "metadata-behind.webp",
    ])
    func pixelsAndMetadataStayAndFilesGetNoLonger(_ name: String) throws {
        let file = try fixture(name)
        let optimized = try WebPCoder().optimized(file, options: Self.exact)
        #expect(optimized.count <= file.count)
        #expect(try frames(file) == frames(optimized))
        let (before, after) = (
            try WebPCoder().inspect(file, options: .default), try WebPCoder().inspect(optimized, options: .default)
        )
        #expect(before.metadata == after.metadata && before.animation == after.animation)
        #expect(before.orientation == after.orientation && before.hasAlpha == after.hasAlpha)
        let again = try WebPCoder().optimized(optimized, options: Self.exact)
        #expect(again.withBytes { [UInt8]($0) } == optimized.withBytes { [UInt8]($0) })
    }

    @Test func alphaWithoutItsFlagIsNotLost() throws {
        // Our decoder takes pixels for opaque then, libwebp does not: the bitstream stays.
        let pixels = try EncoderPicture(.cutout, size: PixelSize(width: 40, height: 30), format: .rgba).bitmap
        let naive = try WebPChunks(WebPCoder().encode(RasterImage(bitmap: pixels), to: .webP, options: .default))
        var bitstream = try naive["VP8L"] + [UInt8](repeating: 0, count: 100)
        try #require(bitstream[4] & 0x10 != 0)
        bitstream[4] &= 0xEF
        let file = ImageData(WebPBuilder.file(WebPBuilder.chunk("VP8L", bitstream)))
        let optimized = try WebPCoder().optimized(file, options: Self.exact)
        #expect(try chunks(optimized)["VP8L"] == bitstream)
    }

    @Test func aLongBitstreamGetsShorterInAStillAndInAFrame() throws {
        // Noise of a few levels, eight bits a sample as an encoder has it that knows nothing.
        let pixels = try EncoderPicture(.flat, size: PixelSize(width: 40, height: 30), format: .rgba).bitmap
        let naive = try WebPChunks(WebPCoder().encode(RasterImage(bitmap: pixels), to: .webP, options: .default))
        let bitstream = try naive["VP8L"]
        // What follows the last pixel is no part of the picture.
        let long = bitstream + [UInt8](repeating: 0, count: 100)
        let still = ImageData(WebPBuilder.file(WebPBuilder.chunk("VP8L", long)))
        let optimized = try WebPCoder().optimized(still, options: Self.exact)
        #expect(try chunks(optimized)["VP8L"].count <= bitstream.count)
        #expect(try frames(optimized) == frames(still))
        let movie = ImageData(
            WebPBuilder.file(
                WebPBuilder.extendedHeader(flags: 2, width: 40, height: 30), WebPBuilder.animationHeader(loopCount: 2),
                WebPBuilder.frame(
                    x: 0, y: 0, width: 40, height: 30, milliseconds: 70, flags: 0, WebPBuilder.chunk("VP8L", long)),
                WebPBuilder.chunk("priv", [1, 2, 3])))
        let shorter = try WebPCoder().optimized(movie, options: Self.exact)
        #expect(try chunks(shorter).types == ["VP8X", "ANIM", "ANMF"])
        #expect(shorter.count <= movie.count - 112)
        #expect(try frames(shorter) == frames(movie))
    }

    @Test func lossyPicturesStayAsTheyAre() throws {
        let picture = try WebPChunks(FixtureBytes.read("webp/lossy.webp"))["VP8 "]
        let info = try WebPCoder().inspect(fixture("lossy.webp"), options: .default)
        let file = ImageData(
            WebPBuilder.file(
                WebPBuilder.extendedHeader(flags: 0x0C, width: info.size.width, height: info.size.height),
                WebPBuilder.chunk("VP8 ", picture), WebPBuilder.chunk("priv", [9]),
                WebPBuilder.chunk("EXIF", ExifBlock.bytes(nil, orientation: .down) ?? []),
                WebPBuilder.chunk("XMP ", [60, 62, 0])))
        let clean = try chunks(WebPCoder().optimized(file))
        #expect(clean.types == ["VP8X", "VP8 ", "EXIF", "XMP "])
        #expect(try clean["VP8 "] == picture && clean["XMP "] == [60, 62, 0])
        var options = EncodingOptions.best
        options.metadata = .none
        // The orientation belongs to the picture.
        let bare = try WebPCoder().optimized(file, options: options)
        #expect(try chunks(bare).types == ["VP8X", "VP8 ", "EXIF"])
        #expect(try WebPCoder().inspect(bare, options: .default).orientation == .down)
        let plain = try WebPCoder().replacingMetadata(of: file, with: ImageMetadata())
        #expect(try chunks(plain).types == ["VP8X", "VP8 ", "priv"])
        let upright = try WebPCoder().optimized(plain)
        #expect(try chunks(upright).types == ["VP8 "])
    }

    @Test(arguments: ["lossless-alpha.webp", "lossy.webp", "lossy-alpha.webp", "five-frames-100ms.webp"])
    func metadataAreReplacedAndNothingElse(_ name: String) throws {
        let file = try fixture(name)
        var metadata = ImageMetadata()
        metadata.exif = Self.exif
        metadata.xmp = [60, 62, 60]
        metadata.iccProfile = [UInt8](repeating: 3, count: 16) + Array("RGB ".utf8) + [UInt8](repeating: 3, count: 109)
        let changed = try WebPCoder().replacingMetadata(of: file, with: metadata)
        let read = try WebPCoder().decode(changed, options: .default)
        #expect(read.metadata == metadata)
        #expect(try frames(file) == frames(changed))
        let pictures = ["VP8 ", "VP8L", "ALPH", "ANIM", "ANMF"]
        let (before, after) = (try chunks(file), try chunks(changed))
        #expect(
            before.chunks.filter { pictures.contains($0.type) } == after.chunks.filter { pictures.contains($0.type) })
        #expect(after.types.first == "VP8X" && after.types.suffix(2) == ["EXIF", "XMP "])
        metadata.orientation = .left
        let turned = try WebPCoder().replacingMetadata(of: changed, with: metadata)
        #expect(try WebPCoder().inspect(turned, options: .default).orientation == .left)
        let removed = try WebPCoder().replacingMetadata(of: turned, with: ImageMetadata())
        #expect(try WebPCoder().inspect(removed, options: .default).metadata == ImageMetadata())
        #expect(
            try chunks(removed).chunks.filter { pictures.contains($0.type) }
                == before.chunks.filter { pictures.contains($0.type) })
    }

    @Test func alphaThatOnlyTheHeaderStatesIsKeptWithOtherMetadata() throws {
        let picture = try WebPChunks(FixtureBytes.read("webp/lossy.webp"))["VP8 "]
        let info = try WebPCoder().inspect(fixture("lossy.webp"), options: .default)
        let file = ImageData(
            WebPBuilder.file(
                WebPBuilder.extendedHeader(flags: 0x10, width: info.size.width, height: info.size.height),
                WebPBuilder.chunk("VP8 ", picture)))
        var metadata = ImageMetadata()
        metadata.xmp = [60, 62, 60]
        for metadata in [metadata, ImageMetadata()] {
            let changed = try WebPCoder().replacingMetadata(of: file, with: metadata)
            #expect(try WebPCoder().inspect(changed, options: .default).hasAlpha)
        }
    }

    @Test func blocksThatReadersPassOverGoWithEveryChange() throws {
        let picture = try WebPChunks(FixtureBytes.read("webp/lossy.webp"))["VP8 "]
        let info = try WebPCoder().inspect(fixture("lossy.webp"), options: .default)
        let secret = Array("SECRET".utf8)
        for (flags, hidden) in [
            (0x00, [WebPBuilder.chunk("EXIF", secret)]), (0x00, [WebPBuilder.chunk("XMP ", secret)]),
            (0x08, [WebPBuilder.chunk("EXIF", Self.exif), WebPBuilder.chunk("EXIF", secret)]),
            (0x04, [WebPBuilder.chunk("XMP ", [60, 62]), WebPBuilder.chunk("XMP ", secret)]),
            // Readers pass over what is empty or too long, and come to the next.
            (0x08, [WebPBuilder.chunk("EXIF", []), WebPBuilder.chunk("EXIF", Self.exif)]),
            (
                0x04,
                [
                    WebPBuilder.chunk("XMP ", secret + [UInt8](repeating: 32, count: 8 << 20)),
                    WebPBuilder.chunk("XMP ", [60, 62]),
                ]
            ),
        ] as [(UInt8, [[UInt8]])] {
            let header = WebPBuilder.extendedHeader(flags: flags, width: info.size.width, height: info.size.height)
            let file = ImageData(WebPBuilder.file(of: [header, WebPBuilder.chunk("VP8 ", picture)] + hidden))
            var metadata = try WebPCoder().inspect(file, options: .default).metadata
            if metadata.exif == secret { metadata.exif = nil }
            if metadata.xmp == secret { metadata.xmp = nil }
            let changed = try WebPCoder().replacingMetadata(of: file, with: metadata)
            let all = changed.withBytes { Array($0) }
            let staysHidden = all.indices.contains { all[$0...].starts(with: secret) }
            #expect(!staysHidden, "\(flags)")
            #expect(try WebPCoder().inspect(changed, options: .default).metadata == metadata, "\(flags)")
            let optimized = try WebPCoder().optimized(file)
            let kept = try WebPCoder().inspect(file, options: .default).metadata
            #expect(try WebPCoder().inspect(optimized, options: .default).metadata == kept, "\(flags)")
        }
    }

    /// A frame before a head of animation that is too short ends the reading of a file.
    @Test func blocksBehindDamageGo() throws {
        let size = try WebPCoder().inspect(fixture("lossless.webp"), options: .default).size
        let (width, height) = (size.width, size.height)
        let picture = WebPBuilder.chunk("VP8L", try WebPChunks(FixtureBytes.read("webp/lossless.webp"))["VP8L"])
        let frame = WebPBuilder.frame(
            x: 0, y: 0, width: width, height: height, milliseconds: 70, flags: 0, picture)
        let file = ImageData(
            WebPBuilder.file(
                WebPBuilder.extendedHeader(flags: 0x0E, width: width, height: height), frame,
                WebPBuilder.chunk("ANIM", [0, 0]), frame, WebPBuilder.chunk("EXIF", Array("SECRET".utf8)),
                WebPBuilder.chunk("XMP ", Array("SECRET".utf8))))
        let stored = try WebPCoder().storedMetadata(of: file, limits: .default)
        #expect(stored.exif == nil && stored.xmp == nil)
        let types = try chunks(WebPCoder().replacingMetadata(of: file, with: stored)).types
        #expect(types.contains("ANMF") && !types.contains("EXIF") && !types.contains("XMP "))
    }

    @Test func whatIsDamagedIsRefused() throws {
        for file in [
            [1, 2, 3], Array("RIFF....WEBP".utf8), Array(try FixtureBytes.read("webp/lossless.webp").dropLast(9)),
            try FixtureBytes.read("webp/no-picture.webp"), try FixtureBytes.read("webp/unknown-chunk-first.webp"),
        ] {
            #expect(throws: ImageError.self) { try WebPCoder().optimized(ImageData(file)) }
            #expect(throws: ImageError.self) {
                try WebPCoder().replacingMetadata(of: ImageData(file), with: ImageMetadata())
            }
        }
        let cut = WebPBuilder.file(WebPBuilder.chunk("VP8L", [0x2F, 3, 0, 0, 0, 1]))
        #expect(throws: ImageError.self) { try WebPCoder().optimized(ImageData(cut)) }
    }

    @Test func progressSaysThatBitstreamsAreCompressed() throws {
        var options = Self.exact
        let progress = ProgressLog()
        options.progress = progress
        _ = try WebPCoder().optimized(fixture("lossless.webp"), options: options)
        #expect(progress.current == (.compressing, nil))
    }

    @Test func limitsHold() throws {
        let file = try fixture("lossless.webp")
        var options = EncodingOptions.best
        options.limits.maxMemoryByteCount = 1000
        #expect(throws: ImageError.self) { try WebPCoder().optimized(file, options: options) }
        var limits = DecodingLimits.default
        limits.maxInputByteCount = 100
        #expect(throws: ImageError.limitExceeded(.input, requested: file.count, allowed: 100)) {
            try WebPCoder().optimized(file, limits: limits)
        }
        // Chunks without payload, whose list is longer than they are.
        let picture = try WebPChunks(FixtureBytes.read("webp/lossless.webp"))["VP8L"]
        let chunks = [WebPBuilder.chunk("VP8L", picture)] + (0..<5000).map { _ in WebPBuilder.chunk("priv", []) }
        limits = .default
        limits.maxMemoryByteCount = 1 << 17
        #expect(throws: ImageError.self) {
            try WebPCoder().replacingMetadata(
                of: ImageData(WebPBuilder.file(of: chunks)), with: ImageMetadata(), limits: limits)
        }
        limits = .default
        limits.maxTime = .zero
        #expect(throws: ImageError.self) { try WebPCoder().optimized(file, limits: limits) }
    }
}
