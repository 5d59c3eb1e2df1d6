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

    @OptionGroup var decoding: DecodingArguments
    @OptionGroup var batch: BatchArguments

    func validate() throws {
        // The same check of names as for other outputs, with the directory taken as one.
        _ = try OutputLocation(output.hasSuffix("/") ? output : output + "/", inputs: input.files)
    }

    func run() throws {
        var options = decoding.options
        options.pixelFormat = nil
        let job = FrameJob(options: options, format: format, directory: output, printsJSON: json)
        try batch.run(input.files, job.run)
    }
}

/// Writes the frames of one file.
private struct FrameJob: Sendable {
    let options: DecodingOptions
    let format: OutputFormat
    let directory: String
    let printsJSON: Bool

    @Sendable func run(_ path: String) -> Outcome {
        var lines: [String] = []
        do {
            let data = try ImageData(contentsOfFile: path)
            let isAnimated = try ImageInfo(data, options: options).loopCount != nil
            let animation = try CoderRegistry.shared.makeAnimation(from: data, options: options)
            for index in 0..<animation.frameCount {
                let frame = try animation.frame(at: index)
                let name = try write(frame.image, of: path, index: index)
                lines.append(line(path, index, name, isAnimated ? frame.duration : nil))
            }
            return Outcome(output: lines.joined(separator: "\n"))
        } catch {
            if printsJSON { lines.append(error.json(for: path).text) }
            return Outcome(output: lines.joined(separator: "\n"), failure: error)
        }
    }

    private func write(_ image: Image, of path: String, index: Int) throws(ImageError) -> String {
        let stem = OutputLocation.splitExtension(OutputLocation.fileName(of: path)).stem
        let output = try OutputLocation.join(
            directory, "\(stem).\(index).\(format.fileExtension)", createsDirectory: true)
        try ImageData(format.encode(image, pixelFormat: .rgba, options: .default)).write(toFile: output)
        return output
    }

    private func line(_ path: String, _ index: Int, _ output: String, _ duration: Duration?) -> String {
        let milliseconds = duration?.wholeMilliseconds
        guard printsJSON else { return output + (milliseconds.map { "\t\($0) ms" } ?? "") }
        return JSONValue.object([
            ("path", .string(path)), ("index", .integer(index)), ("durationMS", .optional(milliseconds)),
            ("output", .string(output)),
        ]).text
    }
}
