// imagetool animate: one animation of many pictures.

import ArgumentParser
import ImageCodecs

struct Animate: DecodingCommand, EncodingCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make an animation of pictures.",
        discussion: """
            Every picture becomes a frame, in the order of the command line; of an animation its first frame. All pictures have \
            the size of the first: others are refused and named. (convert --max-size makes them smaller.) Of each only what changed is \
            written. APNG files show the very pixels, and keep frames even if they are equal. GIF files do if a frame has at most 256 \
            colours and no translucent pixels; equal frames become one that is shown longer, and durations are rounded to hundredths \
            of a second so that their sum stays. WebP files show the very pixels; equal frames become one, and durations are whole \
            milliseconds.

            The metadata of the first picture go with the animation unless --strip-metadata is given. Pictures are decoded \
            twice, one at a time.

            EXAMPLES:
              imagetool animate a.png b.png c.png -o movie.png --delay 80
              imagetool animate frames/*.png -o movie.apng --delay 33.3 --loop 1 --effort best
              imagetool animate a.png b.png -o movie.gif --delay 80 --colors 64
              imagetool animate a.png b.png -o movie.webp --delay 80
            """)

    @OptionGroup(title: "Input")
    var input: InputArguments

    @OptionGroup(title: "Animation")
    var animation: AnimateArguments

    @Option(name: [.short, .long], help: ArgumentHelp("The file; - is standard output.", valueName: "out"))
    var output: String

    @OptionGroup var overwriting: OverwriteArguments
    @OptionGroup var report: ReportArguments

    @OptionGroup(title: "Output")
    var quality: QualityArguments

    @OptionGroup(title: "Palettes")
    var palette: PaletteArguments

    @OptionGroup(title: "PNG and GIF")
    var png: PNGArguments

    @OptionGroup(title: "JPEG")
    var jpeg: JPEGArguments

    @OptionGroup(title: "WebP")
    var webP: WebPArguments

    @OptionGroup(title: "Decoding")
    var strictness: StrictnessArguments

    @OptionGroup(title: "Limits")
    var limits: LimitArguments

    func validate() throws {
        if input.files.dropFirst().contains("-") {
            throw ValidationError("standard input can only be the first picture: others are read twice")
        }
        try encoding.validate()
        _ = try format()
        try report.validate(writingTo: OutputLocation(output, mayBeMany: false))
    }

    func run() throws {
        let inputs = try input.resolved()
        guard !inputs.isEmpty else { throw ValidationError("no pictures in the folders named") }
        let protection = overwriting.protection(of: inputs)
        try protection.validate([(output, nil)])
        let format = try format()
        var options = encoding.options
        options.loopCount = animation.loop
        options.background = animation.background?.components
        options.metadata = animation.stripMetadata ? .none : .all
        let limits = decoding.options.limits
        options.limits = EncodingLimits(maxMemoryByteCount: limits.maxMemoryByteCount, maxTime: limits.maxTime)
        let losses = LossLog()
        options.losses = losses
        let start = ProcessorStopwatch.ofProcess
        defer {
            if let stopwatch = options.stopwatch { PictureResults.printTiming(stopwatch, since: start) }
        }
        try write(inputs, to: format, options, losses, protection)
    }

    private func write(
        _ inputs: [InputFile], to format: ImageFormat, _ options: EncodingOptions, _ losses: LossLog,
        _ protection: InputProtection
    ) throws {
        let start = ContinuousClock.now
        // A failure is that of the picture it is about, or else of the result.
        var path = inputs[0].path
        do throws(ImageError) {
            let frames = try PictureFrames(
                inputs, duration: animation.delay.duration, options: decoding.options)
            defer { path = frames.failedPath ?? output }
            try ProgressTicker.show { (progress) throws(ImageError) in
                var options = options
                options.progress = progress
                try protection.write(to: output, of: nil, in: FilePath.folder(of: output)) {
                    (file) throws(ImageError) in
                    try CoderRegistry.shared.encode(frames, to: format, options: options) {
                        (bytes) throws(ImageError) in try file.write(bytes)
                    }
                }
            }
            for (path, warning) in frames.warnings(options.metadata) {
                StandardError.write("warning: \(warning)", about: path)
            }
            let depth = frames.info.bitDepth
            let warnings =
                (depth > 8 ? [String.frameDepthWords(depth)] : [])
                + losses.remarks(writing: format, frameCount: frames.frameCount).map(\.description)
            for warning in warnings { StandardError.write("warning: \(warning)", about: output) }
            report.printResult(output, .coded(format), size: frames.info.decodedSize, warnings: warnings, since: start)
        } catch {
            report.printFailure(error, about: path)
            StandardError.write(decoding.advice.message(error, for: path), about: path)
            throw ExitCode.failure
        }
    }

    /// The format of the result, which has animations.
    private func format() throws -> ImageFormat {
        let name = animation.format ?? FilePath.splitExtension(FilePath.name(output)).fileExtension ?? "apng"
        guard let format = OutputFormat(name: name) else { throw ValidationError(OutputFormat.refusal(of: name)) }
        guard case .coded(let format) = format, CoderRegistry.shared.canEncodeAnimation(to: format) else {
            let names = ImageFormat.all.filter { CoderRegistry.shared.canEncodeAnimation(to: $0) }.map(\.shortName)
            throw ValidationError("no animations can be written as \(format.name), but as \(names.list(and: "and"))")
        }
        try encoding.validate(for: .coded(format))
        if encoding.png.interlace { throw ValidationError("--interlace is for still pictures") }
        if output == "-", StandardOutput.isTerminal, !overwriting.force {
            throw ValidationError(
                "standard output is a terminal, and an animation would fill it with bytes: redirect it, or use --force")
        }
        return format
    }
}

/// How pictures become an animation.
struct AnimateArguments: ParsableArguments {
    @Option(help: ArgumentHelp("How long each frame is shown, in milliseconds.", valueName: "ms"))
    var delay = FrameDuration(milliseconds: 100)

    @Option(help: ArgumentHelp("How often the animation is played, 0 for ever.", valueName: "plays"))
    var loop = 0

    @Option(help: "What to write. (default: as the extension of the output says, else apng)")
    var format: String?

    @Option(help: ArgumentHelp("Lay transparent pixels over this colour.", valueName: "rrggbb"))
    var background: OpaqueColor?

    @Flag(help: "Write no metadata.")
    var stripMetadata = false

    func validate() throws {
        if loop < 0 { throw ValidationError("--loop must be 0 or more") }
    }
}

/// A number of milliseconds: `80`, `33.3`.
struct FrameDuration: ExpressibleByArgument {
    let duration: Duration
    private let text: String

    init(milliseconds: Int) { (duration, text) = (.milliseconds(milliseconds), "\(milliseconds)") }

    init?(argument: String) {
        guard let milliseconds = Double(argument), milliseconds >= 0, milliseconds <= 65_535_000 else { return nil }
        (duration, text) = (.milliseconds(milliseconds), argument)
    }

    var defaultValueDescription: String { text }
}
