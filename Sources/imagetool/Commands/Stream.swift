// imagetool stream: what a viewer sees while a file arrives.

import ArgumentParser
import ImageCodecs

struct Stream: DecodingCommand {
    static let configuration = CommandConfiguration(
        abstract: "Feed a file in pieces and write the picture each time it changed.",
        discussion: """
            Pictures go to DIR/NAME.NUMBER.EXTENSION, number from 0001. One line for each piece that changed \
            the picture: bytes fed so far, stage, changed rectangle, of an animation how many frames are whole, file \
            written. A pipe's bytes are fed as soon as there are enough for a piece.

            EXAMPLES:
              imagetool stream photo.png --chunk 65536 --out partial/
              imagetool stream --max-pictures 10 --json photo.png --out partial/
            """)

    @Argument(
        help: ArgumentHelp(
            "An image file; - is standard input, and so is nothing if that is a file or a pipe.", valueName: "file"))
    var name: String?

    @OptionGroup(title: "Pieces and pictures")
    var pieces: StreamArguments

    @OptionGroup(title: "Pieces and pictures")
    var verbosity: VerbosityArguments

    @OptionGroup(title: "Pieces and pictures")
    var overwriting: OverwriteArguments

    @OptionGroup(title: "Decoding")
    var strictness: StrictnessArguments

    @OptionGroup(title: "Limits")
    var limits: LimitArguments

    /// The file that was named, or standard input.
    fileprivate var file: String { name ?? "-" }

    func validate() throws {
        if name == nil, !StandardInput.isRedirected { throw ValidationError("no input: name a file") }
        try overwriting.protection(of: [InputFile(path: file)]).validate([(outputPath(number: 1), file)])
    }

    /// Where a picture goes.
    fileprivate func outputPath(number: Int) -> String {
        let digits = String(repeating: "0", count: max(0, 4 - String(number).count)) + String(number)
        return FilePath.join(pieces.out, "\(FilePath.stem(file)).\(digits).\(pieces.format.fileExtension)")
    }

    func run() throws {
        let start = ContinuousClock.now
        do throws(ImageError) {
            var options = decoding.options
            options.pixelFormat = nil
            var streaming = StreamingDecode(command: self, options: options)
            try streaming.run(FileReader(picture: InputFile(path: file), limits: options.limits))
            verbosity.say(streaming.summary, about: file, since: start)
        } catch {
            if pieces.json { StandardOutput.write(error.json(for: file).text) }
            StandardError.write(decoding.advice.message(error, for: file), about: file)
            throw ExitCode.failure
        }
    }
}

/// What is fed at once, and where pictures go.
struct StreamArguments: ParsableArguments {
    @Option(help: ArgumentHelp("Bytes of a piece.", valueName: "bytes"))
    var chunk = 16_384

    @Option(name: [.customShort("o"), .long], help: ArgumentHelp("The directory; it is created.", valueName: "dir"))
    var out: String

    @Option(help: "What to write.")
    var format = OutputFormat.coded(.png)

    @Option(help: "Most pictures written; the last one is always the whole picture.")
    var maxPictures: Int?

    @Flag(help: "Print JSON, one object for each line.")
    var json = false

    func validate() throws {
        if chunk < 1 { throw ValidationError("--chunk must be at least 1") }
        if let maxPictures, maxPictures < 1 { throw ValidationError("--max-pictures must be at least 1") }
    }
}

/// One file on its way through an incremental decoder.
private struct StreamingDecode {
    private let command: Stream
    private let protection: InputProtection
    private var decoder: any IncrementalImageDecoder
    private var fedByteCount = 0
    private var pictureCount = 0
    /// Whether the picture changed since it was last written.
    private var isUnwritten = false
    /// What the pictures have no place for.
    private var losses: [String] = []

    init(command: Stream, options: DecodingOptions) {
        self.command = command
        protection = command.overwriting.protection(of: [InputFile(path: command.file)])
        var options = options
        options.convertsToSRGB = command.pieces.format.isPlain
        decoder = CoderRegistry.shared.makeIncrementalDecoder(options: options)
    }

    /// What was done, for people.
    var summary: String { "\(fedByteCount) bytes fed, \(pictureCount.counted("picture")) written" }

    mutating func run(_ reader: FileReader) throws(ImageError) {
        var reader = reader
        try reader.forEachPiece(of: command.pieces.chunk) { (piece) throws(ImageError) in
            let progress = try decoder.append(piece)
            fedByteCount += piece.count
            try report(progress, isLast: false)
        }
        try report(decoder.finish(), isLast: true)
        for warning in (decoder.info?.warnings ?? []) + losses {
            StandardError.write("warning: \(warning)", about: command.file)
        }
    }

    private mutating func report(_ progress: DecodingProgress, isLast: Bool) throws(ImageError) {
        if progress.changedRect != nil { isUnwritten = true }
        guard isUnwritten else { return }
        // The last picture that may be written is kept for the whole one.
        let mayWrite = command.pieces.maxPictures.map { pictureCount + 1 < $0 } ?? true
        guard mayWrite || isLast else { return }
        guard let image = try decoder.image() else { return }
        let output = try write(image)
        isUnwritten = false
        let frameCount = try wholeFrameCount()
        StandardOutput.write(
            command.pieces.json
                ? json(progress, image, frameCount, output).text : text(progress, image, frameCount, output))
    }

    /// Frames that are there as a whole; `nil` for stills, and for files not known to be animations yet.
    private mutating func wholeFrameCount() throws(ImageError) -> Int? {
        guard decoder.info?.animation != nil else { return nil }
        return try decoder.animation()?.frameCount ?? 0
    }

    private mutating func write(_ image: RasterImage) throws(ImageError) -> String {
        pictureCount += 1
        let output = command.outputPath(number: pictureCount)
        let format = command.pieces.format
        var options = EncodingOptions.default
        let log = LossLog()
        options.losses = log
        let bytes = try format.encode(image, pixelFormat: .rgba, options: options)
        let profile = format.isPlain ? decoder.info?.metadata.profileProblem : nil
        losses = [profile].compactMap { $0 } + format.remarks(log).map(\.description)
        try protection.write(bytes, to: output, of: command.file, in: command.pieces.out)
        return output
    }

    private func text(
        _ progress: DecodingProgress, _ image: RasterImage, _ frameCount: Int?, _ output: String
    ) -> String {
        let changed = progress.changedRect.map { ", changed \($0)" } ?? ""
        let partial = image.isPartial ? "" : ", whole picture"
        let frames = frameCount.map { ", \($0) whole \($0 == 1 ? "frame" : "frames")" } ?? ""
        return "\(fedByteCount) bytes: \(words(progress, image))\(changed)\(partial)\(frames) -> "
            + output.replacingControlCharacters
    }

    private func json(
        _ progress: DecodingProgress, _ image: RasterImage, _ frameCount: Int?, _ output: String
    ) -> JSONValue {
        let rectangle = progress.changedRect.map { changed in
            JSONValue.object([
                ("x", .integer(changed.x)), ("y", .integer(changed.y)), ("width", .integer(changed.width)),
                ("height", .integer(changed.height)),
            ])
        }
        return .object([
            ("path", .string(command.file)), ("bytes", .integer(fedByteCount)),
            ("stage", .string(words(progress, image))), ("changed", rectangle ?? .null),
            ("isPartial", .bool(image.isPartial)), ("frames", .optional(frameCount)), ("output", .string(output)),
        ])
    }

    /// How far the picture is: `120 rows`, `3 of 7 passes`, `2 scans`, `1 of 60 frames`, `complete`.
    private func words(_ progress: DecodingProgress, _ image: RasterImage) -> String {
        if progress.isComplete { return "complete" }
        guard let partial = image.partial else { return "all rows" }
        if let frames = partial.frames, frames.done > 0 { return "\(frames.done) of \(frames.total) frames" }
        if let passes = partial.passes { return "\(passes.done) of \(passes.total) passes" }
        if let scans = partial.scans { return "\(scans) \(scans == 1 ? "scan" : "scans")" }
        let count = partial.rows.reduce(0) { $0 + $1.count }
        return "\(count) \(count == 1 ? "row" : "rows")"
    }
}
