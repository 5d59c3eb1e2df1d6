// Options about decoding that several commands share.

import ArgumentParser
import ImageCodecs

/// Strictness and threads.
struct StrictnessArguments: ParsableArguments {
    @Flag(help: "Keep what can be read of damaged files instead of refusing them.")
    var tolerant = false

    @Option(help: "Threads one decode may use.")
    var threads = 1

    func validate() throws {
        if threads < 1 { throw ValidationError("--threads must be at least 1") }
    }
}

/// Commands that decode.
///
/// Groups stand in commands, not in other groups: the title of a group replaces those within it, and debug builds of ArgumentParser take
/// five times as long to start for each level.
protocol DecodingCommand: ParsableCommand {
    var strictness: StrictnessArguments { get }
    var limits: LimitArguments { get }
}

extension DecodingCommand {
    var decoding: DecodingArguments { DecodingArguments(strictness: strictness, limits: limits) }
}

/// Strictness, threads and limits.
struct DecodingArguments {
    let strictness: StrictnessArguments
    let limits: LimitArguments

    /// What failures say about these options.
    var advice: Advice { .decoding(isTolerant: strictness.tolerant) }

    /// Default options, changed as asked.
    var options: DecodingOptions {
        var options = DecodingOptions()
        options.strictness = strictness.tolerant ? .tolerant : .strict
        options.maxThreadCount = strictness.threads
        options.limits = limits.limits
        return options
    }
}

/// How pictures are reduced, for the commands that can.
struct ReductionArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How JPEG is reduced: best decodes at 2.5 times the size or more and filters the rest, fast at the size or more.",
            valueName: "quality"))
    var thumbnailQuality = DecodingOptions.ThumbnailQuality.best

    @Option(
        help: ArgumentHelp(
            "What is scaled: asStored, the numbers of the file; linear, light (fine patterns keep their brightness; slower).",
            valueName: "scaling"))
    var scaling = DecodingOptions.Scaling.asStored

    /// Sets what is asked for.
    func apply(to options: inout DecodingOptions) {
        options.thumbnailQuality = thumbnailQuality
        options.scaling = scaling
    }
}

/// Bounds on what a file may cost.
struct LimitArguments: ParsableArguments {
    /// A named set of limits.
    enum Preset: String, ExpressibleByArgument, CaseIterable {
        case `default`, untrusted, unlimited

        var limits: DecodingLimits {
            switch self {
            case .default: .default
            case .untrusted: .untrusted
            case .unlimited: .unlimited
            }
        }
    }

    @Option(name: .customLong("limits"), help: "The set of limits to start from; the options below change one.")
    var preset = Preset.default

    @Option(help: "Largest width or height, in pixels.")
    var maxDimension: Int?

    @Option(help: "Most pixels of one picture.")
    var maxPixels: Int?

    @Option(help: "Most memory of one decode; K, M and G are powers of 1024.")
    var maxMemory: ByteCount?

    @Option(help: "Most pixels that all frames of an animation draw together.")
    var maxFramePixels: Int?

    @Option(help: "Most frames of an animation.")
    var maxFrames: Int?

    @Option(help: "Most scans of a progressive JPEG.")
    var maxScans: Int?

    @Option(help: "Most bytes of one file, or of what a pipe or a device delivers; K, M and G are powers of 1024.")
    var maxInput: ByteCount?

    @Option(help: "Most bytes of metadata.")
    var maxMetadata: ByteCount?

    @Option(help: "Most seconds for one decode.")
    var maxTime: Double?

    func validate() throws {
        let counts = [
            ("--max-dimension", maxDimension), ("--max-pixels", maxPixels), ("--max-frames", maxFrames),
            ("--max-frame-pixels", maxFramePixels),
            ("--max-scans", maxScans),
        ]
        for (name, value) in counts {
            if let value, value < 1 { throw ValidationError("\(name) must be at least 1") }
        }
        if let maxTime, !(maxTime > 0 && maxTime < 1e9) {
            throw ValidationError("--max-time must be a positive number of seconds")
        }
    }

    /// The preset with every given option in its place.
    var limits: DecodingLimits {
        var limits = preset.limits
        if let maxDimension { limits.maxDimension = maxDimension }
        if let maxPixels { limits.maxPixelCount = maxPixels }
        if let maxMemory { limits.maxMemoryByteCount = maxMemory.bytes }
        if let maxFrames { limits.maxFrameCount = maxFrames }
        if let maxFramePixels { limits.maxFramePixelCount = maxFramePixels }
        if let maxScans { limits.maxScanCount = maxScans }
        if let maxInput { limits.maxInputByteCount = maxInput.bytes }
        if let maxMetadata { limits.maxMetadataByteCount = maxMetadata.bytes }
        if let maxTime { limits.maxTime = .seconds(maxTime) }
        return limits
    }
}

extension DecodingOptions {
    /// Whether colours become those of sRGB, for showing.
    var convertsToSRGB: Bool {
        get { color != .asStored }
        set { color = newValue ? .converted(to: .sRGB) : .asStored }
    }
}

extension DecodingOptions.OutputSize {
    /// What the options about sizes come to; a limit in bytes beats a box.
    init(box: PixelSize?, fit: DecodingOptions.Fit = .fit, limitBytes: Int? = nil) {
        if let limitBytes {
            self = .atMost(byteCount: limitBytes)
        } else {
            self = box.map { .fitting($0, fit) } ?? .full
        }
    }
}
