// A file of which it is said how it is to look: written, read and measured with more or less loss until it looks that good.

public import ImageCodecsCore
import ImageComparison

extension EncodingOptions {
    /// What the file is to look like: its score by SSIMULACRA 2, 0...100; `nil` if `EncodingOptions.quality` says what is lost.
    ///
    /// 90 is hard to tell from the original, 80 very good, 70 good, 50 medium. The picture is written, read and measured (see module
    /// `ImageComparison`) up to seven times: with qualities of lossy formats, with fewer and fewer colours of formats with palettes. What
    /// is written is the file with the most loss that does not score lower, half a point less allowed; if there is none, the one
    /// that looks best. ``EncodingSession/reachedQuality`` says what it scores.
    ///
    /// If `EncodingOptions.maxFileByteCount` is given too, it wins: a file that would be longer loses more, or gets smaller.
    ///
    /// Of still pictures, by coders that write rows. It is refused together with a quality, with `EncodingOptions.keepsPixels` and for
    /// formats that lose nothing with these options; `EncodingOptions.limits` hold for all attempts together.
    public var targetQuality: Double? {
        get { self[TargetQuality.self].score }
        set { self[TargetQuality.self].score = newValue }
    }

    /// How often a picture is written at most to meet a ``targetQuality``.
    package static var targetQualityAttemptCount: Int { LookSearch.attemptCount }

    /// Refuses a target that makes no sense.
    func checkTargetQuality() throws(ImageError) {
        guard let targetQuality else { return }
        guard (0...100).contains(targetQuality) else {
            throw .invalidArgument("a target quality is from 0 to 100, not \(targetQuality)")
        }
        if quality != nil { throw .invalidArgument("a quality and a target quality exclude each other") }
        if keepsPixels { throw .invalidArgument("a target quality is for files that lose something") }
    }

    /// Refuses a target for what cannot be written with one.
    func refuseTargetQuality(writing format: ImageFormat) throws(ImageError) {
        if targetQuality != nil { throw .unsupported(format, feature: "a target quality, by this coder") }
    }
}

/// Kept like the options of a format: the core knows of no comparison.
private struct TargetQuality: FormatEncodingOptions {
    var score: Double?
}

extension RowEncodingCoder {
    /// Options for attempts to meet `EncodingOptions.targetQuality`, those with the least loss first; none if nothing can be lost.
    func lookOptions(_ options: EncodingOptions, writing format: ImageFormat) -> [EncodingOptions] {
        var options = options
        options.targetQuality = nil
        options.maxFileByteCount = nil
        let usual = traits(writing: format, options)
        if let ladder = usual.lossLadder, ladder.losesColors { return [options] + ladder.steps }
        guard usual.quality != .meaningless else { return [] }
        options.quality = 1
        return [options] + (traits(writing: format, options).lossLadder?.steps ?? [])
    }
}

/// A file that was written to look as was asked.
struct LookedForFile {
    let file: EncodedFile
    /// What it was written with.
    let options: EncodingOptions
    let score: Double
}

extension DecodingOptions {
    /// Options for reading a file that was just written, as it is stored.
    init(measuring options: EncodingOptions, _ meter: MemoryMeter) {
        self.init()
        limits = .unlimited
        limits.maxMemoryByteCount = options.limits.maxMemoryByteCount
        limits.maxTime = options.limits.maxTime
        memoryMeter = meter
        pixelFormat = nil
        firstFrameOnly = true
        appliesOrientation = false
    }

    /// Bytes that reading and measuring a picture takes at most. Saturates.
    static func measuringByteCount(_ size: PixelSize) -> Int {
        let pixels = size.pixelCount ?? .max
        // A bitmap, coefficients or another copy, and rows.
        return pixels.multipliedSaturated(by: 16).addingSaturated(1 << 20)
            .addingSaturated(SSIMULACRA2.estimatedByteCount(size))
    }
}
