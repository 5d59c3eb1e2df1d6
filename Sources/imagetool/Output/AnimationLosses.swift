// What a format cannot keep of a picture or an animation.

import APNGCodec
import ImageCodecs

/// What is lost of an animation that is written in another format.
struct AnimationLosses: Sendable {
    /// Remarks that are no failures.
    let warnings: [String]

    /// - Parameters:
    ///   - animation: what is written.
    ///   - file: the file that it was opened from, if it was one.
    ///   - format: what it is written as.
    ///   - log: what the encoder has recorded.
    /// - Throws: what asking for durations throws.
    init(
        _ animation: any AnimatedImageProvider, of file: ImageData = ImageData([]), writing format: ImageFormat,
        _ log: LossLog
    ) throws(ImageError) {
        var warnings: [String] = []
        if animation.info.format == .apng, file.withBytes({ APNGCoder.hasDefaultPicture(in: $0) }) {
            warnings.append("the default image, which is no frame, is left out")
        }
        if animation.info.bitDepth > 8 {
            warnings.append("frames have eight bits a sample, \(animation.info.bitDepth) bits of the file are rounded")
        }
        if format == .apng || format == .png {
            var count = 0
            for index in 0..<animation.frameCount {
                let duration = try animation.duration(at: index)
                if !FrameDelay(duration).duration.isWithinMicrosecond(of: duration) { count += 1 }
            }
            if count > 0 {
                warnings.append(
                    "\(count) of \(animation.frameCount.counted("duration")) \(count == 1 ? "is" : "are") rounded")
            }
        }
        self.warnings = warnings + log.warnings(writing: format, frameCount: animation.frameCount)
    }
}

extension Duration {
    /// Whether nobody can tell the two apart, over some thousand frames together.
    fileprivate func isWithinMicrosecond(of other: Duration) -> Bool {
        let difference = self - other
        return difference < .microseconds(1) && difference > .microseconds(-1)
    }
}

extension LossLog {
    /// Remarks about what an encoder could not keep.
    ///
    /// - Parameters:
    ///   - format: what was written.
    ///   - frameCount: frames of the animation; `nil` for a still picture.
    func warnings(writing format: ImageFormat, frameCount: Int? = nil) -> [String] {
        var warnings = [alphaWarning(writing: format.shortName)].compactMap { $0 }
        if count(of: .translucency) > 0 { warnings.append("translucent pixels are opaque or transparent now") }
        let colors = count(of: .colors)
        if colors > 0 {
            let what =
                frameCount.map { "\(colors) of \($0.counted("frame")) \(colors == 1 ? "has" : "have")" }
                ?? "the picture has"
            warnings.append("\(what) more colours than a color table holds, similar ones stand for them")
        }
        if let frameCount, count(of: .durations) > 0 { warnings.append(wordsAboutDurations(frameCount)) }
        if let frameCount, count(of: .frames) > 0 {
            let verb = count(of: .frames) == 1 ? "equals" : "equal"
            warnings.append(
                "\(count(of: .frames)) of \(frameCount) frames \(verb) the one before, which is shown longer")
        }
        if count(of: .plays) > 0 {
            warnings.append("there are more plays than the format can say, the file asks for as many as it can")
        }
        if count(of: .sampleDepth) > 0 { warnings.append("samples of 16 bits are rounded to 8") }
        if !lostMetadata.isEmpty {
            let words = ImageMetadata.Kind.allCases.filter { lostMetadata.contains($0) }
                .map { (partlyKeptMetadata.contains($0) ? "some " : "") + $0.words }
            let isOne = words.count == 1 && lostMetadata.isDisjoint(with: ImageMetadata.Kind.plurals)
            warnings.append(
                "\(words.list(and: "and")) \(isOne ? "is" : "are") left out: \(format.shortName) files have no place for "
                    + (isOne ? "it" : "them"))
        }
        return warnings
    }

    /// A remark about translucent pixels that are opaque now.
    func alphaWarning(writing name: String) -> String? {
        guard count(of: .alpha) > 0 else { return nil }
        return "translucent pixels are laid over white: \(name) files have no alpha"
    }

    /// How many durations are rounded, and what becomes of their sum.
    private func wordsAboutDurations(_ frameCount: Int) -> String {
        let rounded = count(of: .durations)
        let words = "\(rounded) of \(frameCount.counted("duration")) \(rounded == 1 ? "is" : "are") rounded"
        guard excessDuration > .zero else { return rounded == 1 ? words : words + ", their sum stays" }
        let excess = (excessDuration / .milliseconds(1)).fixed(0)
        return words + ", and the animation takes \(excess) ms longer, as shorter frames are not kept by players"
    }
}

extension OutputFormat {
    /// Remarks about what a picture has lost.
    func warnings(_ losses: LossLog) -> [String] {
        if case .coded(let format) = self { return losses.warnings(writing: format) }
        if case .raw = self { return [losses.alphaWarning(writing: "such raw")].compactMap { $0 } }
        return [losses.alphaWarning(writing: name)].compactMap { $0 }
    }
}

extension ImageMetadata.Kind {
    /// Those whose ``words`` are a plural.
    fileprivate static let plurals: Set<Self> = [
        .exif, .iptc, .texts, .comments, .chromaticities, .codePoints, .contentLight, .significantBits,
        .suggestedPalettes,
        .furtherPictures,
    ]

    /// What people call it.
    fileprivate var words: String {
        switch self {
        case .exif: "EXIF data"
        case .xmp: "the XMP packet"
        case .iptc: "Photoshop resources (and IPTC data, if they have any)"
        case .texts: "texts"
        case .comments: "comments"
        case .modificationTime: "the time of the last change"
        case .iccProfile: "the colour profile"
        case .renderingIntent: "the rendering intent"
        case .gamma: "gamma"
        case .chromaticities: "primaries"
        case .codePoints: "code points of the colours"
        case .masteringDisplay: "the mastering display"
        case .contentLight: "light levels"
        case .density: "the density"
        case .significantBits: "significant bits"
        case .background: "the background"
        case .histogram: "the histogram"
        case .suggestedPalettes: "suggested palettes"
        case .placement: "the place on a page"
        case .stereoLayout: "the stereo layout"
        case .physicalScale: "the physical scale"
        case .calibration: "the calibration of samples"
        case .furtherPictures: "further pictures"
        }
    }
}
