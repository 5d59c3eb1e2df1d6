// What every encoder of animations must obey, beside the laws of `EncoderLaws`.
//
//   let laws = AnimationEncoderLaws(APNGCoder(), writing: .apng)
//   #expect(laws.violations(movie, options) == [])

package import ImageCodecsCore
import ImageEncoding

/// The laws of encoding animations without loss, for one coder and one format.
package struct AnimationEncoderLaws: Sendable {
    private let coder: any AnimatedImageCoder
    private let format: ImageFormat
    private let registry: CoderRegistry
    private let traits: Traits

    /// What a format does not keep.
    package struct Traits: Sendable {
        /// Whether translucent pixels stay.
        var keepsTranslucency = true
        /// Whether equal frames stay apart, and durations what they are.
        var keepsTiming = true
        /// The most colours of a frame whose pixels keep theirs, transparency included; `nil` if all do.
        var colorCount: Int?
        /// Whether that is the number for all frames together.
        var sharesTable = false
        /// How much longer or shorter a frame may be shown, for each frame that it is made of.
        var durationTolerance = Duration.milliseconds(10)

        /// All is kept.
        package static let lossless = Traits()

        /// Equal frames become one, durations are milliseconds.
        package static let webP = Traits(keepsTiming: false, durationTolerance: .zero)

        /// Pixels are opaque or transparent, durations hundredths of a second.
        package static func gif(colorCount: Int = 256, sharesTable: Bool = false) -> Traits {
            Traits(
                keepsTranslucency: false, keepsTiming: false, colorCount: colorCount, sharesTable: sharesTable)
        }
    }

    package init(
        _ coder: any AnimatedImageCoder, writing format: ImageFormat, _ traits: Traits = .lossless
    ) {
        self.coder = coder
        self.format = format
        self.traits = traits
        registry = CoderRegistry([coder])
    }

    /// Violations of all laws that are about one animation.
    package func violations(_ movie: RandomMovie, _ options: EncodingOptions = .default) -> [String] {
        let all =
            framesComeBack(movie, options) + everyWayGivesTheSameFile(movie, options)
            + memoryStaysWithinTheEstimate(movie, options) + limitsAreCheckedFirst(movie, options)
            + theClockIsAsked(movie, options)
        return all.map { "\(movie) \(options.effort): \($0)" }
    }

    /// The bytes of a file, written from a provider.
    package func file(_ movie: RandomMovie, _ options: EncodingOptions) throws(ImageError) -> [UInt8] {
        var file: [UInt8] = []
        var hasEmptyPieces = false
        try registry.encode(movie, to: format, options: options) { piece in
            hasEmptyPieces = hasEmptyPieces || piece.isEmpty
            file.append(contentsOf: piece)
        }
        if hasEmptyPieces { throw .invalidArgument("an empty piece came") }
        return file
    }

    /// A strict decoder composes the frames' pixels, with their durations and the number of plays.
    package func framesComeBack(_ movie: RandomMovie, _ options: EncodingOptions) -> [String] {
        attempt("reading") { () throws(ImageError) in
            let file = try file(movie, options)
            return try differences(ImageData(file), movie, loopCount: options.loopCount ?? movie.loopCount)
        }
    }

    /// What is different in a file.
    package func differences(
        _ file: ImageData, _ movie: RandomMovie, loopCount: Int
    ) throws(ImageError) -> [String] {
        var decoding = DecodingOptions()
        decoding.pixelFormat = .rgba
        decoding.limits = .unlimited
        let read = try coder.makeAnimation(from: file, options: decoding)
        guard traits.keepsTiming else { return try differences(read, Timeline(movie, traits), loopCount: loopCount) }
        var violations: [String] = []
        if read.frameCount != movie.frameCount { return ["\(read.frameCount) frames came back"] }
        if read.info.animation?.loopCount != loopCount {
            violations.append("\(read.info.animation.map { "\($0.loopCount)" } ?? "no") plays came back")
        }
        for index in 0..<movie.frameCount {
            let frame = try read.frame(at: index)
            if try frame.bitmap != movie.expectedPixels(at: index) {
                violations.append("other pixels in frame \(index)")
            }
            if try frame.duration != movie.duration(at: index) {
                violations.append("frame \(index) is shown \(frame.duration)")
            }
        }
        return violations
    }

    /// What is different if frames may be merged and durations rounded.
    private func differences(
        _ read: any AnimatedImageProvider, _ wanted: Timeline, loopCount: Int
    ) throws(ImageError) -> [String] {
        let found = try Timeline(read)
        guard (traits.sharesTable ? wanted.colorCount : wanted.largestColorCount) <= traits.colorCount ?? .max else {
            return found.frames.count <= wanted.frames.count ? [] : ["\(found.frames.count) frames came back"]
        }
        if found.frames.count != wanted.frames.count { return ["\(found.frames.count) frames came back"] }
        var violations: [String] = []
        if found.frames.count > 1, read.info.animation?.loopCount != loopCount {
            violations.append("\(read.info.animation.map { "\($0.loopCount)" } ?? "no") plays came back")
        }
        for (index, (frame, other)) in zip(found.frames, wanted.frames).enumerated() {
            if frame.pixels != other.pixels { violations.append("other pixels in frame \(index)") }
            guard found.frames.count > 1 else { break }
            let difference = frame.duration - other.duration
            let tolerance = traits.durationTolerance * other.count
            if difference > tolerance || difference < .zero - tolerance {
                violations.append("frame \(index) is shown \(frame.duration), not \(other.duration)")
            }
        }
        return violations
    }

    /// From a provider, from an image that is held, and frame by frame: the same bytes, and the same again.
    package func everyWayGivesTheSameFile(_ movie: RandomMovie, _ options: EncodingOptions) -> [String] {
        attempt("ways") { () throws(ImageError) in
            let whole = try file(movie, options)
            var violations: [String] = []
            if try file(movie, options) != whole { violations.append("the same animation makes another file") }
            if try coder.encode(movie.image, to: format, options: options) != whole {
                violations.append("an image that is held makes another file")
            }
            if try pushed(movie, options, MemoryMeter(), isSurveyed: true) != whole {
                violations.append("frames one by one make another file")
            }
            let unseen = try pushed(movie, options, MemoryMeter(), isSurveyed: false)
            return try violations
                + differences(ImageData(unseen), movie, loopCount: options.loopCount ?? movie.loopCount)
                .map { "not surveyed: \($0)" }
        }
    }

    private func pushed(
        _ movie: RandomMovie, _ options: EncodingOptions, _ meter: MemoryMeter, isSurveyed: Bool
    ) throws(ImageError) -> [UInt8] {
        var options = options
        options.memoryMeter = meter
        var session = try session(movie, options)
        var file: [UInt8] = []
        if isSurveyed { for frame in movie.frames { try session.survey(frame.bitmap) } }
        for frame in movie.frames {
            try session.write(frame.bitmap, for: frame.duration) { file.append(contentsOf: $0) }
        }
        try session.finish { file.append(contentsOf: $0) }
        return file
    }

    private func session(
        _ movie: RandomMovie, _ options: EncodingOptions
    ) throws(ImageError) -> AnimationEncodingSession {
        try registry.makeAnimationEncodingSession(
            to: format, size: movie.info.size, pixelFormat: movie.info.decodedFormat, frameCount: movie.frameCount,
            loopCount: movie.loopCount, metadata: movie.info.metadata, options: options)
    }

    /// No more memory is held than the session says before its first frame, and all of it is given back.
    package func memoryStaysWithinTheEstimate(_ movie: RandomMovie, _ options: EncodingOptions) -> [String] {
        attempt("memory") { () throws(ImageError) in
            let estimate = try session(movie, options).estimatedPeakByteCount
            var violations: [String] = []
            for isSurveyed in [true, false] {
                let meter = MemoryMeter()
                _ = try pushed(movie, options, meter, isSurveyed: isSurveyed)
                if meter.peak > estimate { violations.append("held \(meter.peak) of \(estimate) bytes") }
                if meter.current != 0 { violations.append("\(meter.current) bytes are held after the end") }
            }
            return violations
        }
    }

    /// A session whose estimate is not allowed is refused, and nothing is allocated for it; one that is just allowed is not.
    package func limitsAreCheckedFirst(_ movie: RandomMovie, _ options: EncodingOptions) -> [String] {
        attempt("limits") { () throws(ImageError) in
            var options = options
            let estimate = try session(movie, options).estimatedPeakByteCount
            // Without a meter of ours: the limit is that of the session's.
            options.limits = EncodingLimits(maxMemoryByteCount: estimate)
            _ = try file(movie, options)
            let meter = MemoryMeter()
            options.memoryMeter = meter
            options.limits = EncodingLimits(maxMemoryByteCount: estimate - 1)
            do throws(ImageError) {
                _ = try file(movie, options)
                return ["a limit below the estimate was not kept"]
            } catch .limitExceeded(.encodingMemory, let requested, let allowed) {
                return requested == estimate && allowed == estimate - 1 && meter.peak == 0
                    ? [] : ["refused with \(requested) of \(allowed), \(meter.peak) bytes held"]
            }
        }
    }

    /// The clock is asked for every frame and its rows, when it is looked at and when it is written.
    package func theClockIsAsked(_ movie: RandomMovie, _ options: EncodingOptions) -> [String] {
        attempt("clock") { () throws(ImageError) in
            var options = options
            let log = WorkLog()
            options.workLog = log
            _ = try file(movie, options)
            let frameCount = 2 * movie.frameCount
            let pixelCount = frameCount * movie.info.size.width * movie.info.size.height
            return log.checkCount >= frameCount && log.unitCount >= pixelCount
                ? [] : ["\(log.checkCount) of \(frameCount) checks, \(log.unitCount) of \(pixelCount) units"]
        }
    }

    /// A file is no longer than is allowed, or the smallest that was reached is named.
    package func sizeLimitsAreMet(_ movie: RandomMovie, _ options: EncodingOptions) -> [String] {
        attempt("size") { () throws(ImageError) in
            let whole = try file(movie, options)
            var violations: [String] = []
            for share in [2.0, 1, 0.8, 0.4, 0.1, 0.01] {
                for mayScaleDown in [true, false] {
                    var options = options
                    options.mayScaleDown = mayScaleDown
                    let most = max(1, Int(Double(whole.count) * share))
                    options.maxFileByteCount = most
                    do throws(ImageError) {
                        let file = try file(movie, options)
                        if file.count > most { violations.append("\(file.count) bytes, \(most) are allowed") }
                        let read = try coder.makeAnimation(from: ImageData(file), options: .default)
                        if traits.keepsTiming, read.frameCount != movie.frameCount {
                            violations.append("\(read.frameCount) frames")
                        }
                        if !mayScaleDown, read.info.size != movie.info.size {
                            violations.append("scaled without leave")
                        }
                    } catch .invalidArgument(let text) {
                        if !text.contains("\(most)") { violations.append("refused: \(text)") }
                        if share >= 1 { violations.append("refused \(most) of \(whole.count) bytes") }
                    }
                }
            }
            return violations.map { "\(movie): \($0)" }
        }
    }

    /// A session that is used in a wrong way, or whose sink fails, says so, says it again, and holds nothing.
    package func misuseIsRefused(_ movie: RandomMovie) -> [String] {
        // Of a single frame, no survey is no missing one.
        let cases = Misuse.allCases.filter { $0 != .missingSurvey || movie.frames.count > 1 }
        return cases.flatMap { misuse in
            var options = EncodingOptions()
            let meter = MemoryMeter()
            options.memoryMeter = meter
            var found: [String] = []
            do throws(ImageError) {
                try misused(misuse, movie, options)
                found.append("\(misuse) does not matter")
            } catch {
                let expected = misuse == .failingSink ? "inputOutput" : "invalidArgument"
                if error.code != expected { found.append("\(misuse): \(error.code) \(error)") }
            }
            if meter.current != 0 { found.append("\(misuse): \(meter.current) bytes are held after the end") }
            return found
        }
    }

    private enum Misuse: CaseIterable {
        case extraFrame, missingFrame, extraSurvey, missingSurvey, lateSurvey, otherSize, failingSink
    }

    private func misused(
        _ misuse: Misuse, _ movie: RandomMovie, _ options: EncodingOptions
    ) throws(ImageError) {
        var session = try session(movie, options)
        let sink: EncodedBytesSink = { (_) throws(ImageError) in
            if misuse == .failingSink { throw .inputOutput(path: "", message: "full") }
        }
        var failure: ImageError?
        do throws(ImageError) {
            let frames = movie.frames.map(\.bitmap)
            if misuse == .extraSurvey { for frame in frames + [frames[0]] { try session.survey(frame) } }
            if misuse == .missingSurvey, frames.count > 1 { try session.survey(frames[0]) }
            for frame in misuse == .missingFrame ? Array(frames.dropLast()) : frames {
                let other =
                    try misuse == .otherSize ? Bitmap(size: PixelSize(width: 99, height: 1), format: .rgb) : frame
                try session.write(other, for: .zero, to: sink)
                if misuse == .lateSurvey { try session.survey(frame) }
            }
            if misuse == .extraFrame { try session.write(frames[0], for: .zero, to: sink) }
            try session.finish(to: sink)
        } catch {
            failure = error
        }
        guard let failure else { return }
        // A frame that was refused before anything was done does not end the session.
        guard misuse != .otherSize else { throw failure }
        let other = try Bitmap(size: PixelSize(width: 99, height: 1), format: .rgb)
        for call in 0..<2 {
            do throws(ImageError) {
                if call == 0 { try session.finish(to: sink) } else { try session.write(other, for: .zero, to: sink) }
                throw .unknownFormat
            } catch {
                guard error == failure else { throw .unknownFormat }
            }
        }
        throw failure
    }

    private func attempt(_ law: String, _ body: () throws(ImageError) -> [String]) -> [String] {
        do throws(ImageError) {
            return try body().map { "\(law): \($0)" }
        } catch {
            return ["\(law): \(error)"]
        }
    }
}
