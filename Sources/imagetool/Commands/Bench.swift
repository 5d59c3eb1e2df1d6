// imagetool bench: how long decoding takes, from memory, into a bitmap that is reused.

import ArgumentParser
import ImageCodecs

struct Bench: DecodingCommand {
    static let configuration = CommandConfiguration(
        abstract: "Time decoding, from memory into a reused bitmap.",
        discussion: """
            Each file is read, decoded once to warm up, and then decoded again and again for the given time; \
            an animation is decoded with all its frames. One JSON object a line, or with --tsv one line of \
            tab-separated fields: name, file, median ms, minimum ms, megapixels per second (of the source), \
            peak resident KiB of a process that decoded once.

            EXAMPLES:
              imagetool bench photo.png
              imagetool bench --tsv -t 0.2 *.png
              imagetool bench --thumbnail 400x300 photo.png
            """)

    @OptionGroup(title: "Input")
    var input: InputArguments

    @OptionGroup(title: "Bench")
    var bench: BenchArguments

    @OptionGroup(title: "Bench")
    var reduction: ReductionArguments

    @OptionGroup(title: "Bench")
    var json: JSONByDefaultArguments

    @OptionGroup(title: "Bench")
    var verbosity: VerbosityArguments

    @OptionGroup(visibility: .hidden)
    var inflater: InflaterArguments

    @OptionGroup(title: "Decoding")
    var strictness: StrictnessArguments

    @OptionGroup(title: "Limits")
    var limits: LimitArguments

    func validate() throws {
        if json.json, bench.printsTSV { throw ValidationError("--json and --tsv exclude each other") }
    }

    func run() throws {
        var options = decoding.options
        options.pixelFormat = bench.pixelFormat
        options.size = DecodingOptions.OutputSize(box: bench.thumbnail)
        reduction.apply(to: &options)
        var hasFailures = false
        for file in try input.resolved() {
            let isFine =
                inflater {
                    bench.printsTSV
                        ? ProcessMeasurement.inChildProcess { runOne(file, options) } : runOne(file, options)
                }
            hasFailures = hasFailures || !isFine
        }
        if hasFailures { throw ExitCode.failure }
    }

    /// Times one file and prints the result; `false` when it failed.
    private func runOne(_ file: InputFile, _ options: DecodingOptions) -> Bool {
        do throws(ImageError) {
            let start = ContinuousClock.now
            var timing = try DecodingBench(file, options: options)
            try timing.run(for: .seconds(bench.seconds))
            StandardOutput.write(bench.printsTSV ? timing.tsv(name: bench.name) : timing.json.text)
            verbosity.say("timed", about: file.path, since: start)
            return !StandardOutput.hasFailed
        } catch {
            if !bench.printsTSV { StandardOutput.write(error.json(for: file.path).text) }
            StandardError.write(decoding.advice.message(error, for: file.path), about: file.path)
            return false
        }
    }
}

/// One file's runs.
private struct DecodingBench {
    private let path: String
    private let options: DecodingOptions
    private let data: ImageData
    private let info: ImageInfo
    private var frameCount = 1
    private var bitmap: Bitmap
    private var peakResidentKiB = 0
    private var milliseconds: [Double] = []
    private static let minimumRunCount = 5

    init(_ file: InputFile, options: DecodingOptions) throws(ImageError) {
        path = file.path
        self.options = options
        var reader = try FileReader(picture: file, limits: options.limits)
        data = try reader.readToEnd()
        info = try ImageInfo(data, options: options)
        bitmap = try Bitmap(size: PixelSize(width: 0, height: 0), format: .bgraPremultiplied)
    }

    mutating func run(for time: Duration) throws(ImageError) {
        try decode()
        peakResidentKiB = ProcessMemory.peakResidentKiB
        let begin = ContinuousClock.now
        while milliseconds.count < Self.minimumRunCount || begin.duration(to: .now) < time {
            let start = ContinuousClock.now
            try decode()
            milliseconds.append(start.duration(to: .now) / .milliseconds(1))
        }
        milliseconds.sort()
    }

    private mutating func decode() throws(ImageError) {
        guard info.animation != nil else {
            try CoderRegistry.shared.decode(data, into: &bitmap, options: options)
            return
        }
        // Opening it is part of the work, as reading the headers is for a still.
        let animation = try CoderRegistry.shared.makeAnimation(from: data, options: options)
        frameCount = animation.frameCount
        for index in 0..<animation.frameCount { try animation.frame(at: index, into: &bitmap) }
    }

    private var median: Double {
        let middle = milliseconds.count / 2
        return milliseconds.count % 2 == 1
            ? milliseconds[middle] : (milliseconds[middle - 1] + milliseconds[middle]) / 2
    }

    private var megapixelsPerSecond: Double {
        Double(info.size.pixelCount ?? 0) * Double(frameCount) / 1000 / max(median, 1e-6)
    }

    var json: JSONValue {
        .object([
            ("path", .string(path)), ("format", .string(info.format.shortName)),
            ("width", .integer(info.size.width)), ("height", .integer(info.size.height)),
            ("frames", .integer(frameCount)), ("runs", .integer(milliseconds.count)),
            ("medianMS", .decimal(median, places: 3)), ("minMS", .decimal(milliseconds[0], places: 3)),
            ("megapixelsPerSecond", .decimal(megapixelsPerSecond, places: 1)),
            ("peakByteCount", .integer(info.estimatedPeakByteCount)),
        ])
    }

    func tsv(name: String) -> String {
        [
            name, FilePath.name(path), median.fixed(3), milliseconds[0].fixed(3),
            megapixelsPerSecond.fixed(1), String(peakResidentKiB),
        ].joined(separator: "\t")
    }
}

/// What is timed, and how it is printed.
struct BenchArguments: ParsableArguments {
    @Option(name: [.customShort("t"), .long], help: "Time spent on each file.")
    var seconds = 1.0

    @Option(help: ArgumentHelp("Decode a thumbnail that fits into this box.", valueName: "WxH"))
    var thumbnail: PixelSize?

    @Option(help: "Format of the decoded pixels.")
    var pixelFormat = PixelFormat.bgraPremultiplied

    @Flag(name: .customLong("tsv"), help: "Print tab-separated fields instead of JSON.")
    var printsTSV = false

    @Option(help: "The first field of --tsv.")
    var name = "swift-image-codecs"

    func validate() throws {
        guard seconds >= 0, seconds < 1e6 else { throw ValidationError("--seconds must be a number from 0") }
    }
}
