// imagetool info: what the headers say.

import ArgumentParser
import ImageCodecs

struct Info: DecodingCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print what the headers say; no pixel is decoded.",
        discussion: """
            Size, samples, alpha, frames, orientation, memory that a decode takes; of JPEG the quality setting its \
            tables are of and the chroma subsampling; of WebP its chunks, and how its first picture is coded; what the \
            colour profile is called; camera, lens, date and exposure from EXIF; texts and comments. --all prints \
            every tag by directory, number, name, type, count and values, and the properties of XMP. --frames tells of every frame where on the canvas it lies, how long it is \
            shown, how it is drawn (over what is there, or in its place), what becomes of it (keep, clear, restore), \
            whether it is opaque, and the frame that drawing starts from to show it. A file, pipe or device that does not start like an image is given \
            up after its first bytes.

            --format prints a line for each file: {path}, {name}, {format}, {width}, {height}, {frames}, {alpha} \
            (yes, no), {bytes} (of the file), {orientation} (1 ... 8) and {mime} are filled in, \\n and \\t are a \
            line break and a tab, {{ and }} are braces.

            EXAMPLES:
              imagetool info photo.jpg
              imagetool info --format '{width}x{height}' photo.jpg
              imagetool info --json --recursive photos
              imagetool info --gps photo.jpg
              imagetool info --all photo.jpg
              imagetool info --frames movie.gif
              imagetool info --limits untrusted upload.bin
            """)

    @OptionGroup(title: "Input")
    var input: InputArguments

    @OptionGroup(title: "Output")
    var report: InfoArguments

    @OptionGroup(title: "Output")
    var verbosity: VerbosityArguments

    @OptionGroup(title: "Many files")
    var batch: BatchArguments

    @OptionGroup(title: "Decoding")
    var strictness: StrictnessArguments

    @OptionGroup(title: "Limits")
    var limits: LimitArguments

    func run() throws {
        var options = decoding.options
        // The estimate of memory is for one frame, so that a long animation is not refused.
        options.firstFrameOnly = true
        let (reading, printsJSON, template) = (report.reading(options), report.json, try report.template)
        let verbosity = verbosity
        try batch.run(input.resolved(), advice: .reading) { file in
            verbosity.timing("read") {
                do throws(ImageError) {
                    let report = try reading.report(on: file)
                    return Outcome(
                        output: printsJSON ? report.json.text : template.map { report.text($0) } ?? report.text)
                } catch {
                    return Outcome(output: printsJSON ? error.json(for: file.path).text : "", failure: error)
                }
            }
        }
    }
}

/// How files are read for a report.
struct InfoReading: Sendable {
    let options: DecodingOptions
    var showsGPS = false
    /// Whether every tag of EXIF data and every property of an XMP packet is listed.
    var showsAllTags = false
    /// Whether every frame is listed, for which the whole file is held.
    var listsFrames = false

    /// Reads the headers of a file.
    func report(on file: InputFile) throws(ImageError) -> InfoReport {
        var reader = try FileReader(picture: file, limits: options.limits)
        let jpeg = try JPEGCodingReport(ahead: &reader, limits: options.limits)
        let webP = jpeg == nil ? try WebPCodingReport(ahead: &reader, limits: options.limits) : nil
        let data = listsFrames ? try reader.readToEnd() : nil
        let info = if let data { try ImageInfo(data, options: options) } else { try reader.inspect(options: options) }
        var report = InfoReport(
            path: file.path, fileByteCount: reader.byteCount, info: info, jpeg: jpeg, webP: webP,
            showsGPS: showsGPS, showsAllTags: showsAllTags)
        if let data { report.frames = try FrameTable(data, info: info, options: options) }
        return report
    }
}

/// What is printed, and in which form.
struct InfoArguments: ParsableArguments {
    @Flag(help: "Print one JSON object for each file.")
    var json = false

    @Option(help: ArgumentHelp("Print this for each file, with what is in braces filled in.", valueName: "template"))
    var format: String?

    @Flag(help: "Also tell where the picture was taken.")
    var gps = false

    @Flag(help: "Also print every tag of the EXIF data, the place among them, and every property of the XMP packet.")
    var all = false

    @Flag(help: "Also tell what the file says about every frame.")
    var frames = false

    func validate() throws {
        if json, format != nil { throw ValidationError("--json and --format exclude each other") }
        if all, format != nil { throw ValidationError("--all and --format exclude each other") }
        if frames, format != nil { throw ValidationError("--frames and --format exclude each other") }
        _ = try template
    }

    func reading(_ options: DecodingOptions) -> InfoReading {
        InfoReading(options: options, showsGPS: gps, showsAllTags: all, listsFrames: frames)
    }

    var template: Template<InfoField>? {
        get throws { try format.map { try Template($0, unescapes: true) } }
    }
}
