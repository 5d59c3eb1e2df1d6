import CodecTestSupport
import ImageCodecsCore
import Testing

/// What is checked on every file of the conformance corpus, whichever coder it is for.
struct ConformanceChecks<Coder: IncrementalImageCoder> {
    let coder: Coder

    private static var options: DecodingOptions {
        var options = DecodingOptions()
        options.pixelFormat = .rgba
        options.appliesOrientation = false
        return options
    }

    /// The file decodes to the pixels independent decoders agree on, or is refused, as the manifest says.
    ///
    /// - Parameter pieceSize: bytes fed at a time; 0 decodes in one shot.
    func meetsItsExpectation(_ entry: CorpusEntry, pieceSize: Int) throws {
        let bytes = try Corpus.bytes(entry.path)
        let image: RasterImage?
        do {
            image =
                pieceSize == 0
                ? try coder.decode(ImageData(bytes), options: Self.options)
                : try coder.decode(bytes, inPiecesOf: pieceSize, options: Self.options)
        } catch {
            #expect(entry.expect != .decode, "\(error)")
            return
        }
        #expect(entry.expect != .reject)
        let bitmap = try #require(image).bitmap
        if let width = entry.width, let height = entry.height {
            #expect(bitmap.size == PixelSize(width: width, height: height))
        }
        if entry.expect == .decode {
            #expect(try PixelDigest.crc32(of: bitmap) == entry.crcs?.first)
        }
    }

    /// A fuzzing seed ends, with the same result in one shot and in pieces.
    func seedEnds(_ path: String) throws {
        let bytes = try Corpus.bytes(path)
        for strictness in DecodingOptions.Strictness.allCases {
            var options = DecodingOptions()
            options.limits = .untrusted
            options.strictness = strictness
            let oneShot = Result { () throws(ImageError) in
                try coder.decode(ImageData(bytes), options: options).bitmap
            }
            let pieces = Result { () throws(ImageError) in
                try coder.decode(bytes, inPiecesOf: 13, options: options)?.bitmap
            }
            switch (oneShot, pieces) {
            case (.success(let whole), .success(let cut)): #expect(whole == cut)
            case (.failure(let whole), .failure(let cut)):
                #expect(whole.code == cut.code)
            default: Issue.record("one shot and pieces differ: \(oneShot), \(pieces)")
            }
        }
    }
}
