import CodecTestSupport
import Foundation
import ImageCodecsCore
import JPEGCodec
import PNGCodec
import Testing

/// The small files of `Tests/Fixtures/*/hostile`: each must decode as an independent decoder decodes it, or be refused
/// with the error it deserves, and obey the laws in every way it can be read.
@Suite struct HostileFixtureTests {
    @Test(arguments: Fixture.all("jpeg/hostile"))
    func jpegMeetsItsExpectation(_ fixture: Fixture) throws {
        try meetsItsExpectation(fixture, JPEGCoder())
    }

    @Test(arguments: Fixture.all("png/hostile"))
    func pngMeetsItsExpectation(_ fixture: Fixture) throws {
        try meetsItsExpectation(fixture, PNGCoder())
    }

    @Test(arguments: Fixture.all("jpeg/hostile"))
    func jpegObeysTheLaws(_ fixture: Fixture) throws { try obeysTheLaws(fixture, JPEGCoder()) }

    @Test(arguments: Fixture.all("png/hostile"))
    func pngObeysTheLaws(_ fixture: Fixture) throws { try obeysTheLaws(fixture, PNGCoder()) }

    @Test(arguments: ["jpeg", "png"])
    func thereAreHostileFixtures(_ format: String) {
        #expect(Fixture.all("\(format)/hostile").count >= 12)
    }

    private func meetsItsExpectation(_ fixture: Fixture, _ coder: any IncrementalImageCoder) throws {
        let file = [UInt8](try Data(contentsOf: fixture.url))
        var options = DecodingOptions()
        options.appliesOrientation = false
        options.pixelFormat = .rgba
        for pieceSize in [file.count, 1, 200] {
            do throws(ImageError) {
                let image =
                    pieceSize == file.count
                    ? try coder.decode(ImageData(file), options: options)
                    : try coder.decode(file, inPiecesOf: pieceSize, options: options)
                guard let crc = fixture.crc else {
                    #expect(fixture.errorCode == nil, "decoded in pieces of \(pieceSize)")
                    continue
                }
                #expect(image?.size == PixelSize(width: fixture.width ?? 0, height: fixture.height ?? 0))
                #expect(image.flatMap { try? PixelDigest.crc32(of: $0.bitmap) } == crc, "pieces of \(pieceSize)")
            } catch {
                // A file without an expectation may be refused.
                let isExpected = fixture.errorCode == error.code || fixture.errorCode == nil && fixture.crc == nil
                #expect(isExpected, "pieces of \(pieceSize): \(error)")
            }
        }
    }

    private func obeysTheLaws(_ fixture: Fixture, _ coder: any IncrementalImageCoder) throws {
        let file = [UInt8](try Data(contentsOf: fixture.url))
        let laws = DecoderLaws(coder)
        for (name, limits) in [
            ("untrusted", DecodingLimits.untrusted), ("default", .default), ("unlimited", .unlimited),
        ] {
            for strictness in DecodingOptions.Strictness.allCases {
                var options = DecodingOptions()
                options.limits = limits
                options.limits.maxTime = nil
                options.strictness = strictness
                let violations = laws.hostileViolations(
                    file, options: options, DecisionSource(seed: UInt64(file.count)))
                #expect(violations == [], "\(name)")
            }
        }
        for seed in 0..<2 as Range<UInt64> {
            #expect(laws.hostileViolations(file, DecisionSource(seed: seed)) == [], "seed \(seed)")
        }
    }

    /// Sound files of every feature too, and on two threads however small they are.
    @Test(arguments: FeatureFile.all, PixelFormat.all)
    func everyPixelFormatObeysTheLaws(_ file: FeatureFile, _ format: PixelFormat) throws {
        var options = DecodingOptions()
        options.limits.maxTime = nil
        options.pixelFormat = format
        options.maxThreadCount = 2
        let bytes = try file.bytes()
        let violations = DecoderLaws(file.coder).hostileViolations(
            bytes, options: options, DecisionSource(hashOf: bytes))
        #expect(violations == [])
    }
}
