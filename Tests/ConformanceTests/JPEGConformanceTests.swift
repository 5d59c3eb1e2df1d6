import CodecTestSupport
import ImageCodecsCore
import JPEGCodec
import Testing

/// Every JPEG file of the conformance corpus, against the pixels independent decoders agree on.
@Suite(.enabled(if: Corpus.directory != nil, "\(Corpus.absence)"))
struct JPEGConformanceTests {
    private let checks = ConformanceChecks(coder: JPEGCoder())

    @Test(arguments: Corpus.entries(format: "jpeg"), [0, 1, 4097])
    func fileMeetsItsExpectation(_ entry: CorpusEntry, pieceSize: Int) throws {
        try checks.meetsItsExpectation(entry, pieceSize: pieceSize)
    }

    @Test(arguments: Corpus.fuzzSeeds(format: "jpeg"))
    func fuzzingSeedsEnd(_ path: String) throws {
        try checks.seedEnds(path)
    }
}
