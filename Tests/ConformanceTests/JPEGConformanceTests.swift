import CodecTestSupport
import ImageCore
import JPEG
import Testing

/// Every JPEG file of the conformance corpus, against the pixels independent decoders agree on.
@Suite(.enabled(if: Corpus.directory != nil, "\(Corpus.absence)"))
struct JPEGConformanceTests {
    private static var options: DecodingOptions {
        var options = DecodingOptions()
        options.pixelFormat = .rgba
        options.appliesOrientation = false
        return options
    }

    @Test(arguments: Corpus.entries(format: "jpeg"), [0, 1, 7, 4096])
    func fileMeetsItsExpectation(_ entry: CorpusEntry, pieceSize: Int) throws {
        let bytes = try Corpus.bytes(entry.path)
        let image: Image?
        do {
            image =
                pieceSize == 0
                ? try JPEGCoder().decode(ImageData(bytes), options: Self.options)
                : try JPEGCoder().decode(bytes, inPiecesOf: pieceSize, options: Self.options)
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

    @Test(arguments: Corpus.fuzzSeeds(format: "jpeg"))
    func fuzzingSeedsEnd(_ path: String) throws {
        let bytes = try Corpus.bytes(path)
        for strictness in DecodingOptions.Strictness.allCases {
            var options = DecodingOptions()
            options.limits = .untrusted
            options.strictness = strictness
            let oneShot = Result { () throws(ImageError) in
                try JPEGCoder().decode(ImageData(bytes), options: options).bitmap
            }
            let pieces = Result { () throws(ImageError) in
                try JPEGCoder().decode(bytes, inPiecesOf: 13, options: options)?.bitmap
            }
            switch (oneShot, pieces) {
            case (.success(let whole), .success(let cut)): #expect(whole == cut)
            case (.failure(let whole), .failure(let cut)): #expect(whole.code == cut.code)
            default: Issue.record("one shot and pieces differ: \(oneShot), \(pieces)")
            }
        }
    }
}
