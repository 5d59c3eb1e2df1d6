// What people may want to know of once a file was converted.

import ImageCodecsCore
import ImageColor
import ImageEncoding
import PNGCodec
import WebPCodec

/// Something that a new file has lost, or that was asked for in vain. No failure.
public struct ConversionRemark: Hashable, Sendable, CustomStringConvertible {
    /// What it is about: names for scripts and counters, which stay.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Translucent pixels are laid over white.
        case alpha
        /// The animation could not be decoded as one, only its still picture.
        case animation
        /// The colour profile cannot be used and is ignored.
        case colorProfile
        /// Pixels have similar colours, as a colour table holds no more.
        case colors
        /// The default image of an animated PNG file, which is no frame, is left out.
        case defaultPicture
        /// Durations are rounded to what the format can say.
        case durations
        /// Frames that equal the one before are part of it now.
        case equalFrames
        /// Frames after the first are left out.
        case laterFrames
        /// No file of the format looks as good as was asked for.
        case look
        /// Metadata have no place in the format.
        case metadata
        /// An option means nothing for animations.
        case option
        /// The animation is played less often than the old file says.
        case plays
        /// Samples of sixteen bits are rounded to eight.
        case sampleDepth
        /// Translucent pixels have become opaque or transparent.
        case translucency
    }

    /// What it is about.
    public let kind: Kind
    /// One line in English.
    public let description: String

    /// Creates a remark.
    package init(_ kind: Kind, _ description: String) { (self.kind, self.description) = (kind, description) }
}

extension ImageConversion.Plan {
    /// What is to be said about a file that was made.
    func remarks(_ result: ImageConversion.Result, _ losses: LossLog) -> [ConversionRemark] {
        var remarks: [ConversionRemark] = []
        if let words = info?.undecodedAnimationWords { remarks.append(ConversionRemark(.animation, words)) }
        if !writesAllFrames, wantsAllFrames, let words = info?.firstFrameWords {
            remarks.append(ConversionRemark(.laterFrames, words))
        }
        if decoding.color != .asStored, let problem = info?.metadata.profileProblem {
            remarks.append(ConversionRemark(.colorProfile, problem))
        }
        if let asked = conversion.encoding.targetQuality, let reached = result.reachedQuality, reached < asked - 1.5 {
            let words = "looks like \(reached.fixed(1)) where \(asked.fixed(1)) was asked for"
            remarks.append(ConversionRemark(.look, words + ": no such file looks better"))
        }
        guard writesAllFrames else { return remarks + losses.remarks(writing: format) }
        return remarks + result.remarks + frameRemarks + losses.remarks(writing: format, frameCount: result.frameCount)
    }

    /// What is to be said about animations beside what the encoder has recorded.
    private var frameRemarks: [ConversionRemark] {
        var remarks: [ConversionRemark] = []
        if let depth = info?.bitDepth, depth > 8 {
            remarks.append(ConversionRemark(.sampleDepth, .frameDepthWords(depth)))
        }
        let options = conversion.encoding
        let isPNG = format == .png || format == .apng
        let inVain = [
            isPNG && options.png.isInterlaced ? "animations are not interlaced" : nil,
            isPNG && options.png.colorCount != nil ? "colours are only taken away from stills" : nil,
            format == .webP && options.webp.isNearLossless ? "samples are only changed in stills" : nil,
        ]
        return remarks + inVain.compactMap { $0.map { ConversionRemark(.option, $0) } }
    }
}

extension String {
    /// What is said about frames of more than eight bits a sample.
    package static func frameDepthWords(_ bitDepth: Int) -> String {
        "frames have eight bits a sample, \(bitDepth) bits of the file are rounded"
    }
}

extension ImageInfo {
    /// What is said to people who expect all that is in the file.
    package var undecodedAnimationWords: String? {
        hasUndecodedAnimation ? "the file is animated; only its still picture is decoded" : nil
    }

    /// What is said to people whose picture is the first of several frames.
    package var firstFrameWords: String? {
        guard let animation else { return nil }
        guard let count = animation.frameCount else { return "the file is animated, the first frame is written" }
        return count > 1 ? "\(count) frames, the first is written" : nil
    }
}

extension ImageMetadata {
    /// What is said to people whose picture is converted to sRGB, but for a colour profile that cannot be used.
    package var profileProblem: String? {
        let isCMYK = iccProfile.map { ICCColorSpace(ofProfile: $0) == .cmyk } ?? false
        do throws(ICCProfileError) {
            _ = try ColorProfile(of: self, channels: isCMYK ? .cmyk : .rgb)
            return nil
        } catch {
            return "the colour profile is ignored: \(error)"
        }
    }
}
