// imagetool compare: how far two pictures are apart.

import ArgumentParser
import ImageCodecs
import ImageComparison

struct Compare: DecodingCommand {
    static let configuration = CommandConfiguration(
        abstract: "Say how far two pictures are apart, frame by frame.",
        discussion: """
            Both are decoded upright, to premultiplied colour of eight bits a sample, and compared sample by sample, alpha included: the \
            largest difference (0 to 255), how many pixels differ, the peak signal-to-noise ratio in decibels (inf if nothing \
            differs), the structural similarity of luma (1 if nothing differs) and the score of SSIMULACRA 2, which says how the second \
            looks next to the first (100 if nothing differs, 90 hard to tell apart, 70 high quality, 50 medium). Of animations each frame is compared; a \
            different number of frames, or a frame of another size, is a failure. Durations are not compared.

            --difference writes a picture of the first frame that differs, or of the first frame: each sample's difference, \
            multiplied so that the largest is 255. --picture writes a picture of where the same frame looks worse: black where nothing \
            is seen to differ, white where the score of a square of 8 x 8 pixels is zero or less.

            EXIT STATUS:
              0  every frame is within the thresholds; if none is given, all pixels are equal
              1  some frame is not, or a file failed
              2  the command line makes no sense

            EXAMPLES:
              imagetool compare a.png b.png
              imagetool compare photo.png photo.jpg --min-psnr 35 --difference difference.png
              imagetool compare photo.png photo.jpg --min-ssimulacra2 80 --picture worse.png
              imagetool compare --json old.gif new.gif
            """)

    @Argument(help: "The first picture; - is standard input.")
    var first: String

    @Argument(help: "The second picture; - is standard input.")
    var second: String

    @OptionGroup(title: "Thresholds")
    var thresholds: ComparisonThresholds

    @OptionGroup(title: "Output")
    var result: ComparisonOutput

    @OptionGroup(title: "Output")
    var verbosity: VerbosityArguments

    @OptionGroup(title: "Output")
    var overwriting: OverwriteArguments

    @OptionGroup(title: "Decoding")
    var strictness: StrictnessArguments

    @OptionGroup(title: "Limits")
    var limits: LimitArguments

    func validate() throws {
        if first == "-", second == "-" { throw ValidationError("standard input can be read only once") }
        for output in result.outputs { _ = try OutputFormat(ofSheet: output, overwriting) }
    }

    func run() throws {
        let start = ContinuousClock.now
        let protection = overwriting.protection(of: [InputFile(path: first), InputFile(path: second, index: 1)])
        try protection.validate(result.outputs.map { ($0, nil) })
        let comparison = FrameComparison(
            thresholds: thresholds, result: result, protection: protection, limits: decoding.options.limits)
        let one = try open(first)
        let other = try open(second)
        let isClose = try decoding.advice.reporting(about: first, printsJSON: result.json) { () throws(ImageError) in
            try comparison.run(one, other)
        }
        verbosity.say("compared with \(second)", about: first, since: start)
        if !isClose { throw ExitCode.failure }
    }

    private func open(_ path: String) throws -> any AnimatedImageProvider {
        var options = decoding.options
        options.pixelFormat = .rgbaPremultiplied
        return try decoding.advice.reporting(about: path, printsJSON: result.json) { () throws(ImageError) in
            var reader = try FileReader(picture: InputFile(path: path), limits: options.limits)
            return try CoderRegistry.shared.makeAnimation(from: reader.readToEnd(), options: options)
        }
    }
}

/// How far pictures may be apart.
struct ComparisonThresholds: ParsableArguments {
    @Option(help: ArgumentHelp("Largest difference of a sample, 0 to 255.", valueName: "n"))
    var maxDifference: Int?

    @Option(help: ArgumentHelp("Least signal-to-noise ratio of a frame, in decibels.", valueName: "db"))
    var minPsnr: Double?

    @Option(help: ArgumentHelp("Least structural similarity of a frame, 0 to 1.", valueName: "s"))
    var minSsim: Double?

    @Option(help: ArgumentHelp("Least score of a frame by SSIMULACRA 2, at most 100.", valueName: "s"))
    var minSsimulacra2: Double?

    func validate() throws {
        if let maxDifference, !(0...255).contains(maxDifference) {
            throw ValidationError("--max-difference must be from 0 to 255")
        }
        if let minPsnr, !(minPsnr >= 0) { throw ValidationError("--min-psnr must not be negative") }
        if let minSsim, !(0...1).contains(minSsim) { throw ValidationError("--min-ssim must be from 0 to 1") }
        if let minSsimulacra2, !(minSsimulacra2 <= 100) {
            throw ValidationError("--min-ssimulacra2 must be at most 100")
        }
    }

    /// Whether a frame is within all that are given; within none, if nothing but equal frames will do.
    func admit(_ difference: PictureDifference, _ look: SSIMULACRA2) -> Bool {
        guard maxDifference != nil || minPsnr != nil || minSsim != nil || minSsimulacra2 != nil else {
            return difference.largest == 0
        }
        return look.score >= minSsimulacra2 ?? -.infinity && difference.largest <= maxDifference ?? 255
            && difference.decibels.map { $0 >= minPsnr ?? 0 } ?? true && difference.similarity >= minSsim ?? -1
    }
}

/// What a comparison prints and writes.
struct ComparisonOutput: ParsableArguments {
    @Flag(help: "Print one JSON object for each frame, or for what failed.")
    var json = false

    @Option(help: ArgumentHelp("Write a picture of the difference; - is standard output.", valueName: "out"))
    var difference: String?

    @Option(
        help: ArgumentHelp("Write a picture of where the second looks worse; - is standard output.", valueName: "out"))
    var picture: String?

    /// The files that are written.
    var outputs: [String] { [difference, picture].compactMap { $0 } }

    func validate() throws {
        if difference != nil, difference == picture {
            throw ValidationError("--difference and --picture are the same file")
        }
    }
}
