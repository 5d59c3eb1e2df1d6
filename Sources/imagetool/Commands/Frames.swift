// imagetool frames: every frame of an animation as a picture of its own.

import ArgumentParser
import ImageCodecs

struct Frames: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write every frame as a picture; stills have one.",
        discussion: """
            Frames are composited on the full canvas and written to DIR/NAME.INDEX.EXTENSION, index from 0. One \
            line for each: path of the frame, duration in milliseconds. Where two inputs have one name, the second is \
            called after its whole file name, others get numbers.

            EXAMPLES:
              imagetool frames movie.png -o frames/
              imagetool frames --json movie.png -o frames/ --format pam
              imagetool frames --recursive movies -o frames/ --no-clobber
            """)

    @OptionGroup(title: "Input")
    var input: InputArguments

    @OptionGroup(title: "Output")
    var result: FrameArguments

    @OptionGroup(title: "Many files")
    var batch: BatchArguments
    @OptionGroup var decoding: DecodingArguments

    func run() throws {
        let inputs = try input.resolved(outputFolder: result.output)
        var options = decoding.options
        options.pixelFormat = nil
        let names = FrameNames(inputs, fileExtension: result.format.fileExtension) { input in
            FilePath.join(FilePath.join(result.output, input.folder), FilePath.stem(input.path))
        }
        let job = FrameJob(
            options: options, format: result.format, names: names,
            printsJSON: result.json, protection: result.overwriting.protection(of: inputs),
            skipping: result.skipping.rule,
            budget: batch.budget)
        try job.protection.validate(inputs.map { (job.names.path(of: $0, index: 0), $0.path) })
        try batch.run(inputs, advice: decoding.advice, job.run)
    }
}

/// Writes the frames of one file.
private struct FrameJob: Sendable {
    let options: DecodingOptions
    let format: OutputFormat
    let names: FrameNames
    let printsJSON: Bool
    let protection: InputProtection
    let skipping: SkipRule
    let budget: MemoryBudget

    @Sendable func run(_ file: InputFile) -> Outcome {
        if file.problem == nil, skips(file, names.path(of: file, index: 0)) { return Outcome(isSkipped: true) }
        var outcome = Outcome()
        do throws(ImageError) {
            let input = try InputPicture(file, options: options)
            outcome.warnings = input.warnings
            try budget.withBytes(input.promisedByteCount) { () throws(ImageError) in
                try writeFrames(of: input, file, &outcome)
            }
        } catch {
            if printsJSON { outcome.add(error.json(for: file.path).text) }
            outcome.failure = error
        }
        return outcome
    }

    private func skips(_ file: InputFile, _ output: String) -> Bool {
        !names.isContested(file) && skipping.skips(file.path, output)
    }

    private func writeFrames(
        of input: InputPicture, _ file: InputFile, _ outcome: inout Outcome
    ) throws(ImageError) {
        let animation = try CoderRegistry.shared.makeAnimation(from: input.data, options: options)
        var metadata = animation.info.metadata
        if options.appliesOrientation { metadata.orientation = .up }
        for index in 0..<animation.frameCount {
            let output = names.path(of: file, index: index)
            if index > 0, skips(file, output) { continue }
            let frame = try animation.frame(at: index)
            let image = RasterImage(bitmap: frame.bitmap, partial: frame.partial, metadata: metadata)
            let bytes = try format.encode(image, pixelFormat: .rgba, options: .default)
            try protection.write(bytes, to: output, of: file.path, in: FilePath.folder(of: output))
            let duration = animation.info.animation == nil ? nil : frame.duration
            outcome.add(line(file.path, index, output, duration, isPartial: frame.isPartial))
            if let partial = frame.partial {
                outcome.warnings.append((duration == nil ? "" : "frame \(index): ") + partial.summary)
            }
        }
    }

    private func line(
        _ path: String, _ index: Int, _ output: String, _ duration: Duration?, isPartial: Bool
    ) -> String {
        let milliseconds = duration?.wholeMilliseconds
        guard printsJSON else {
            return output.replacingControlCharacters + (milliseconds.map { "\t\($0) ms" } ?? "")
        }
        var members: [(key: String, value: JSONValue)] = [
            ("path", .string(path)), ("index", .integer(index)), ("durationMS", .optional(milliseconds)),
            ("output", .string(output)),
        ]
        if isPartial { members.append(("partial", .bool(true))) }
        return JSONValue.object(members).text
    }
}

extension Outcome {
    /// Adds a line of output.
    fileprivate mutating func add(_ line: String) { output += (output.isEmpty ? "" : "\n") + line }
}

/// Where frames go, and in which form.
struct FrameArguments: ParsableArguments {
    @Option(name: [.short, .long], help: ArgumentHelp("The directory; it is created.", valueName: "dir"))
    var output: String

    @Option(help: "What to write.")
    var format = OutputFormat.coded(.png)

    @Flag(help: "Print one JSON object for each frame.")
    var json = false

    @OptionGroup var overwriting: OverwriteArguments
    @OptionGroup var skipping: SkipArguments

    func validate() throws {
        if output == "-" { throw ValidationError("frames go to a folder, not to standard output") }
        if skipping.noClobber, overwriting.force {
            throw ValidationError("--no-clobber and --force exclude each other")
        }
    }
}
