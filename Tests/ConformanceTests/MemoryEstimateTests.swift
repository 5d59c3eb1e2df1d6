import APNGCodec
import CodecTestSupport
import GIFCodec
import ImageCodecsCore
import JPEGCodec
import Testing
import WebPCodec

/// How far estimates lie above what was held: stills of the conformance corpus, each decoded in one call.
///
/// That of a GIF is the highest: its headers do not say whether more frames come, so it counts a canvas, and one to go back to.
@Suite(.enabled(if: Corpus.directory != nil, "\(Corpus.absence)"))
struct MemoryEstimateTests {
    private struct Still: CustomStringConvertible {
        let path: String
        let estimate: Int
        let held: Int
        let allowed: Int

        var ratio: Double { Double(estimate) / Double(max(held, 1)) }
        var description: String { "\(path): \(estimate) bytes estimated, \(held) held, \(allowed) allowed" }
    }

    private static let coders: [(format: String, coder: any ImageCoder)] = [
        ("png", APNGCoder()), ("gif", GIFCoder()), ("jpeg", JPEGCoder()), ("webp", WebPCoder()),
    ]

    /// What is held of a still, and what was estimated; `nil` for an animation.
    private func still(_ entry: CorpusEntry, _ coder: any ImageCoder, _ options: DecodingOptions) throws -> Still? {
        let file = try Corpus.bytes(entry.path)
        let allowance = try MemoryAllowance(coder, file, options)
        guard allowance.info.animation == nil else { return nil }
        let meter = MemoryMeter()
        var options = options
        options.memoryMeter = meter
        _ = try coder.decode(ImageData(file), options: options)
        return Still(
            path: entry.path, estimate: allowance.info.estimatedPeakByteCount, held: meter.peak,
            allowed: allowance.byteCount(holdsFrames: false))
    }

    private func tell(_ name: String, _ stills: [Still]) -> Double {
        guard let worst = stills.max(by: { $0.ratio < $1.ratio }) else { return 1 }
        let median = stills.map(\.ratio).sorted()[stills.count / 2]
        print("\(name), \(stills.count) stills: estimate / held \(median) (median), \(worst.ratio) (\(worst))")
        return median
    }

    @Test(arguments: [DecodingOptions.default, .thumbnail(width: 64, height: 64)])
    func halfOfTheEstimatesAreAtMostThreeTenthsTooHigh(_ options: DecodingOptions) throws {
        let size = options.size == .full ? "full size" : "thumbnails"
        var all: [Still] = []
        for (format, coder) in Self.coders {
            let stills = try Corpus.entries(format: format).filter { $0.expect == .decode }
                .compactMap { try still($0, coder, options) }
            _ = tell("\(format), \(size)", stills)
            all += stills
        }
        #expect(tell("all, \(size)", all) <= 1.3)
        for still in all where still.held > still.allowed { Issue.record("\(still)") }
    }
}
