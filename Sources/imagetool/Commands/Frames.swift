// imagetool frames: every frame of an animation as a picture of its own.

import ArgumentParser
import ImageCodecs

struct Frames: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write every frame as a picture; stills have one.",
        discussion: """
            Frames are composited on the full canvas and written to DIR/NAME.INDEX.EXTENSION, index from 0. One \
            line for each: path of the frame, duration in milliseconds.

            EXAMPLES:
              imagetool frames movie.png -o frames/
              imagetool frames --json movie.png -o frames/ --format pam
            """)

    @OptionGroup var input: InputArguments

    @Option(name: [.short, .long], help: ArgumentHelp("The directory; it is created.", valueName: "dir"))
    var output: String

    @Option(help: "What to write.")
    var format = OutputFormat.coded(.png)

    @Flag(help: "Print one JSON object for each frame.")
    var json = false

    @OptionGroup var overwriting: OverwriteArguments
    @OptionGroup var decoding: DecodingArguments
    @OptionGroup var batch: BatchArguments

    func validate() throws {
        // The same check of names as for other outputs, with the directory taken as one.
        _ = try OutputLocation(output.hasSuffix("/") ? output : output + "/", inputs: input.files)
        try overwriting.protection(of: input.files).validate(input.files.map { job.path(of: $0, index: 0) })
    }

    func run() throws { try batch.run(input.files, job.run) }

    private var job: FrameJob {
        var options = decoding.options
        options.pixelFormat = nil
        return FrameJob(
            options: options, format: format, directory: output, printsJSON: json,
            protection: overwriting.protection(of: input.files))
    }
}

/// Writes the frames of one file.
private struct FrameJob: Sendable {
    let options: DecodingOptions
    let format: OutputFormat
    let directory: String
    let printsJSON: Bool
    let protection: InputProtection

    @Sendable func run(_ path: String) -> Outcome {
        var lines: [String] = []
        var warnings: [String] = []
        do throws(ImageError) {
            let input = try InputPicture(path, options: options)
            warnings = input.warnings
            let animation = try CoderRegistry.shared.makeAnimation(from: input.data, options: options)
            var metadata = animation.info.metadata
            if options.appliesOrientation { metadata.orientation = .up }
            for index in 0..<animation.frameCount {
                let frame = try animation.frame(at: index)
                let image = RasterImage(bitmap: frame.bitmap, partial: frame.partial, metadata: metadata)
                let name = try write(image, of: path, index: index)
                let duration = animation.info.animation == nil ? nil : frame.duration
                lines.append(line(path, index, name, duration, isPartial: frame.isPartial))
                if let partial = frame.partial {
                    warnings.append((duration == nil ? "" : "frame \(index): ") + partial.summary)
                }
            }
            return Outcome(output: lines.joined(separator: "\n"), warnings: warnings)
        } catch {
            if printsJSON { lines.append(error.json(for: path).text) }
            return Outcome(output: lines.joined(separator: "\n"), warnings: warnings, failure: error)
        }
    }

    private func write(_ image: RasterImage, of path: String, index: Int) throws(ImageError) -> String {
        let output = self.path(of: path, index: index)
        let bytes = try format.encode(image, pixelFormat: .rgba, options: .default)
        try protection.write(bytes, to: output, in: directory)
        return output
    }

    /// Where a frame goes.
    func path(of input: String, index: Int) -> String {
        OutputLocation.join(directory, "\(OutputLocation.stem(of: input)).\(index).\(format.fileExtension)")
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
