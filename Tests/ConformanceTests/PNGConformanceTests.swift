import CodecTestSupport
import ImageCodecsCore
import PNGCodec
import Testing

/// Every PNG file of the conformance corpus, against the pixels independent decoders agree on.
@Suite(.enabled(if: Corpus.directory != nil, "\(Corpus.absence)"))
struct PNGConformanceTests {
    private let checks = ConformanceChecks(coder: PNGCoder())

    @Test(arguments: Corpus.entries(format: "png"), [0, 1, 4097])
    func fileMeetsItsExpectation(_ entry: CorpusEntry, pieceSize: Int) throws {
        try checks.meetsItsExpectation(entry, pieceSize: pieceSize)
    }

    @Test(arguments: Corpus.fuzzSeeds(format: "png"))
    func fuzzingSeedsEnd(_ path: String) throws {
        try checks.seedEnds(path)
    }
}
