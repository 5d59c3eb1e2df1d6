import APNGCodec
import CodecTestSupport
import FuzzComponents
import GIFCodec
import HostileFiles
import ImageCodecsCore
import ImageInspection
import JPEGCodec
import JPEGBaselineCodec
import PNGCodec
import Testing
import WebPCodec

/// The decoders that are asked for by name, and the samples that two of them give besides the picture, on hostile files.
@Suite struct NamedDecoderTests {
    private static let seeds = Array(0..<60 as Range<UInt64>)

    private func decoder(_ format: StructuredFormat, _ options: DecodingOptions) -> any IncrementalImageDecoder {
        switch format {
        case .png: PNGCoder().makeIncrementalDecoder(options: options)
        case .jpeg: JPEGDecoder(options: options)
        case .gif: GIFCoder().makeIncrementalDecoder(options: options)
        case .apng: APNGCoder().makeIncrementalDecoder(options: options)
        case .webp: WebPCoder().makeIncrementalDecoder(options: options)
        }
    }

    /// What comes of a file.
    private struct Outcome: Equatable {
        var bitmap: Bitmap?
        var error: String?
    }

    /// Feeds a decoder.
    private func feed(_ file: [UInt8], _ size: Int, to decoder: inout some IncrementalImageDecoder) -> Outcome {
        do throws(ImageError) {
            for start in stride(from: 0, to: file.count, by: size) {
                _ = try decoder.append(file.span.extracting(start..<min(start + size, file.count)))
            }
            _ = try decoder.finish()
            return Outcome(bitmap: try decoder.image()?.bitmap)
        } catch {
            return Outcome(error: error.code)
        }
    }

    private func options(_ seed: UInt64) -> DecodingOptions {
        var options = DecodingOptions()
        options.limits = .untrusted
        options.limits.maxTime = nil
        options.strictness = seed % 2 == 0 ? .strict : .tolerant
        if seed % 5 == 0 { options.size = .fitting(PixelSize(width: 9, height: 9)) }
        return options
    }

    @Test(arguments: StructuredFormat.allCases)
    func aDecoderByItsNameIsThatOfItsCoder(_ format: StructuredFormat) {
        for seed in Self.seeds {
            let file = format.file(DecisionSource(seed: seed))
            let options = options(seed)
            var named = decoder(format, options)
            var ofCoder = format.coder.makeIncrementalDecoder(options: options)
            #expect(feed(file, 700, to: &named) == feed(file, 700, to: &ofCoder), "seed \(seed)")
        }
    }

    /// Planes take no more than their bytes besides what the law allows for the picture, and are the same however the file is
    /// cut and whoever decodes it.
    @Test func planesOfJPEGAreThoseOfEveryWayToDecode() {
        var planeCount = 0
        for seed in 0..<200 as Range<UInt64> {
            let file = HostileJPEG.file(DecisionSource(seed: seed))
            var options = options(seed)
            let allowed = try? MemoryAllowance(JPEGCoder(), file, options).byteCount(holdsFrames: true)
            var expected: [Bitmap]?
            for size in [file.count, 90] {
                let meter = MemoryMeter(limit: .max)
                options.memoryMeter = meter
                var decoder = JPEGDecoder(options: options, keepsPlanes: true)
                let outcome = feed(file, size, to: &decoder)
                let peak = meter.peak
                let planes = decoder.componentPlanes
                if let allowed, outcome.error == nil {
                    let byteCount = planes.reduce(0) { $0 + $1.byteCount }
                    #expect(peak <= allowed + byteCount, "seed \(seed), pieces of \(size)")
                }
                #expect(expected == nil || planes == expected, "seed \(seed)")
                expected = planes
                var baseline = JPEGBaselineDecoder(options: options, keepsPlanes: true)
                let other = feed(file, size, to: &baseline)
                if other.error != "unsupported" {
                    #expect(other == outcome, "seed \(seed)")
                    #expect(baseline.componentPlanes == planes, "seed \(seed)")
                }
            }
            planeCount += expected?.count ?? 0
        }
        #expect(planeCount > 100)
    }

    /// Any table has a quality that it is nearest to.
    @Test func qualitiesAreWithinTheirScale() throws {
        var count = 0
        for seed in Self.seeds {
            let file = HostileJPEG.file(DecisionSource(seed: seed))
            guard let listing = try? JPEGMarkerListing(ImageData(file)), let estimate = listing.qualityEstimate else {
                continue
            }
            #expect((1...100).contains(estimate.quality), "seed \(seed)")
            count += 1
        }
        #expect(count > 20)
    }
}
