import APNGCodec
import CodecTestSupport
import GIFCodec
import ImageCodecsCore
import Testing
import WebPCodec

/// Every frame of every GIF, APNG and WebP file of the conformance corpus, against independent readers and compositors.
@Suite(.enabled(if: Corpus.directory != nil, "\(Corpus.absence)"))
struct AnimationConformanceTests {
    @Test(arguments: Corpus.entries(format: "gif"), [0, 1, 4097])
    func gifMeetsItsExpectation(_ entry: CorpusEntry, pieceSize: Int) throws {
        try AnimationChecks(coder: GIFCoder()).meetsItsExpectation(entry, pieceSize: pieceSize)
    }

    @Test(arguments: Corpus.entries(format: "apng"), [0, 1, 4097])
    func apngMeetsItsExpectation(_ entry: CorpusEntry, pieceSize: Int) throws {
        try AnimationChecks(coder: APNGCoder()).meetsItsExpectation(entry, pieceSize: pieceSize)
    }

    @Test(arguments: Corpus.entries(format: "webp"), [0, 1, 4097])
    func webpMeetsItsExpectation(_ entry: CorpusEntry, pieceSize: Int) throws {
        try AnimationChecks(coder: WebPCoder()).meetsItsExpectation(entry, pieceSize: pieceSize)
    }

    @Test(arguments: Corpus.entries(format: "png"))
    func plainFilesDecodeAsByPNGsCoder(_ entry: CorpusEntry) throws {
        try ConformanceChecks(coder: APNGCoder()).meetsItsExpectation(entry, pieceSize: 0)
    }

    @Test(arguments: Corpus.fuzzSeeds(format: "gif"))
    func fuzzingSeedsEnd(_ path: String) throws {
        try ConformanceChecks(coder: GIFCoder()).seedEnds(path)
    }

    @Test(arguments: Corpus.fuzzSeeds(format: "webp"))
    func fuzzingSeedsOfWebPEnd(_ path: String) throws {
        try ConformanceChecks(coder: WebPCoder()).seedEnds(path)
    }
}

/// What is checked on every animation.
private struct AnimationChecks<Coder: IncrementalImageCoder> {
    let coder: Coder

    private static var options: DecodingOptions {
        var options = DecodingOptions()
        options.pixelFormat = .rgba
        options.appliesOrientation = false
        return options
    }

    /// The frames, with the number of plays; `nil` for stills.
    private func decode(_ bytes: [UInt8], pieceSize: Int) throws -> (frames: [ImageFrame], loopCount: Int?) {
        guard pieceSize > 0 else {
            let image = try coder.decode(ImageData(bytes), options: Self.options)
            return (image.frames, image.animation?.loopCount)
        }
        var decoder = coder.makeIncrementalDecoder(options: Self.options)
        for start in stride(from: 0, to: bytes.count, by: pieceSize) {
            _ = try decoder.append(bytes.span.extracting(start..<min(bytes.count, start + pieceSize)))
        }
        _ = try decoder.finish()
        guard let animation = try decoder.animation() else {
            let bitmap = try #require(try decoder.image()).bitmap
            return ([ImageFrame(bitmap: bitmap, duration: .zero)], nil)
        }
        return (try (0..<animation.frameCount).map { try animation.frame(at: $0) }, animation.loopCount)
    }

    /// The file decodes to the frames independent decoders agree on, or is refused, as the manifest says.
    func meetsItsExpectation(_ entry: CorpusEntry, pieceSize: Int) throws {
        let bytes = try Corpus.bytes(entry.path)
        let (frames, loopCount): ([ImageFrame], Int?)
        do {
            (frames, loopCount) = try decode(bytes, pieceSize: pieceSize)
        } catch {
            #expect(entry.expect != .decode, "\(error)")
            return
        }
        #expect(entry.expect != .reject)
        if let width = entry.width, let height = entry.height {
            #expect(frames.allSatisfy { $0.bitmap.size == PixelSize(width: width, height: height) })
        }
        guard entry.expect == .decode else { return }
        #expect(loopCount == entry.loop)
        if let durations = entry.durationsMS { #expect(frames.map(\.duration.wholeMilliseconds) == durations) }
        let crcs = entry.crcs ?? []
        #expect(frames.count == entry.frames ?? crcs.count)
        if (entry.maxAbsoluteDifference ?? 0) > 0 {
            try areLike(frames, entry)
        } else {
            let mine = try frames.map { try PixelDigest.crc32(of: $0.bitmap) }
            #expect(mine == crcs)
        }
    }

    /// Each frame is as near to its reference picture as the manifest asks.
    private func areLike(_ frames: [ImageFrame], _ entry: CorpusEntry) throws {
        let paths = entry.expectedPNG ?? []
        #expect(paths.count == frames.count)
        for (frame, path) in zip(frames, paths) {
            let reference = try APNGCoder().decode(ImageData(Corpus.bytes(path)), options: Self.options).bitmap
            let difference = DecoderLaws.largestDifference(frame.bitmap, Self.withoutHiddenColors(reference))
            #expect(difference <= entry.maxAbsoluteDifference ?? 0, "\(path)")
        }
    }

    /// Frames have colour 0 if alpha is 0.
    private static func withoutHiddenColors(_ bitmap: Bitmap) -> Bitmap {
        let width = bitmap.width
        var bitmap = bitmap
        for y in 0..<bitmap.height {
            bitmap.withMutableRowBytes(y) { BlendKernels.hideColors(&$0, count: width) }
        }
        return bitmap
    }
}
