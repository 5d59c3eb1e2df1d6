// What an encoder has recorded as lost, in words.

import ImageCodecsCore
import ImageEncoding

extension LossLog {
    /// Remarks about what an encoder could not keep.
    ///
    /// - Parameters:
    ///   - format: what was written.
    ///   - frameCount: frames of the animation; `nil` for a still picture.
    package func remarks(writing format: ImageFormat, frameCount: Int? = nil) -> [ConversionRemark] {
        var remarks = [alphaRemark(writing: format.shortName)].compactMap { $0 }
        if count(of: .translucency) > 0 {
            remarks.append(ConversionRemark(.translucency, "translucent pixels are opaque or transparent now"))
        }
        let colors = count(of: .colors)
        if colors > 0 {
            let what =
                frameCount.map { "\(colors) of \($0.counted("frame")) \(colors == 1 ? "has" : "have")" }
                ?? "the picture has"
            let words = "\(what) more colours than a color table holds, similar ones stand for them"
            remarks.append(ConversionRemark(.colors, words))
        }
        if let frameCount, count(of: .durations) > 0 {
            remarks.append(ConversionRemark(.durations, wordsAboutDurations(frameCount)))
        }
        if let frameCount, count(of: .frames) > 0 {
            let verb = count(of: .frames) == 1 ? "equals" : "equal"
            let words = "\(count(of: .frames)) of \(frameCount) frames \(verb) the one before, which is shown longer"
            remarks.append(ConversionRemark(.equalFrames, words))
        }
        if count(of: .plays) > 0 {
            let words = "there are more plays than the format can say, the file asks for as many as it can"
            remarks.append(ConversionRemark(.plays, words))
        }
        if count(of: .sampleDepth) > 0 {
            remarks.append(ConversionRemark(.sampleDepth, "samples of 16 bits are rounded to 8"))
        }
        if !lostMetadata.isEmpty { remarks.append(ConversionRemark(.metadata, wordsAboutMetadata(format))) }
        return remarks
    }

    /// A remark about translucent pixels that are opaque now.
    package func alphaRemark(writing name: String) -> ConversionRemark? {
        guard count(of: .alpha) > 0 else { return nil }
        return ConversionRemark(.alpha, "translucent pixels are laid over white: \(name) files have no alpha")
    }

    private func wordsAboutMetadata(_ format: ImageFormat) -> String {
        let words = ImageMetadata.Kind.allCases.filter { lostMetadata.contains($0) }
            .map { (partlyKeptMetadata.contains($0) ? "some " : "") + $0.words }
        let isOne = words.count == 1 && lostMetadata.isDisjoint(with: ImageMetadata.Kind.plurals)
        return "\(words.list(and: "and")) \(isOne ? "is" : "are") left out: "
            + "\(format.shortName) files have no place for \(isOne ? "it" : "them")"
    }

    /// How many durations are rounded, and what becomes of their sum.
    private func wordsAboutDurations(_ frameCount: Int) -> String {
        let rounded = count(of: .durations)
        let words = "\(rounded) of \(frameCount.counted("duration")) \(rounded == 1 ? "is" : "are") rounded"
        guard let excessDuration else { return words }
        guard excessDuration > .zero else { return rounded == 1 ? words : words + ", their sum stays" }
        let excess = (excessDuration / .milliseconds(1)).fixed(0)
        return words + ", and the animation takes \(excess) ms longer, as shorter frames are not kept by players"
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
