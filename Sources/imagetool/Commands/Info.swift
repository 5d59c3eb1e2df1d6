// imagetool info: what the headers say.

import ArgumentParser
import ImageCodecs

struct Info: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print what the headers say; no pixel is decoded.",
        discussion: """
            Size, samples, alpha, frames, orientation, memory that a decode takes; of JPEG the quality setting its \
            tables are of and the chroma subsampling; what the colour profile is called; camera, lens, date and \
            exposure from EXIF; texts and comments. A file, pipe or device that does not start like an image is given \
            up after its first bytes.

            --format prints a line for each file: {path}, {name}, {format}, {width}, {height}, {frames}, {alpha} \
            (yes, no), {bytes} (of the file), {orientation} (1 ... 8) and {mime} are filled in, \\n and \\t are a \
            line break and a tab, {{ and }} are braces.

            EXAMPLES:
              imagetool info photo.jpg
              imagetool info --format '{width}x{height}' photo.jpg
              imagetool info --json --recursive photos
              imagetool info --gps photo.jpg
              imagetool info --limits untrusted upload.bin
            """)

    @OptionGroup(title: "Input")
    var input: InputArguments

    @OptionGroup(title: "Output")
    var report: InfoArguments

    @OptionGroup(title: "Many files")
    var batch: BatchArguments
    @OptionGroup var decoding: DecodingArguments

    func run() throws {
        let options = decoding.options
        let (printsJSON, template, gps) = (report.json, try report.template, report.gps)
        try batch.run(input.resolved(), advice: .reading) { file in
            do throws(ImageError) {
                let report = try InfoReport(file, options: options, showsGPS: gps)
                return Outcome(
                    output: printsJSON ? report.json.text : template.map { report.text($0) } ?? report.text)
            } catch {
                return Outcome(output: printsJSON ? error.json(for: file.path).text : "", failure: error)
            }
        }
    }
}

extension InfoReport {
    /// Reads the headers of a file.
    init(_ file: InputFile, options: DecodingOptions, showsGPS: Bool) throws(ImageError) {
        var reader = try FileReader(picture: file, limits: options.limits)
        let jpeg = try JPEGFacts(ahead: &reader, limits: options.limits)
        let info = try reader.inspect(options: options)
        self.init(path: file.path, fileByteCount: reader.byteCount, info: info, jpeg: jpeg, showsGPS: showsGPS)
    }
}

/// What is told, and in which form.
struct InfoArguments: ParsableArguments {
    @Flag(help: "Print one JSON object for each file.")
    var json = false

    @Option(help: ArgumentHelp("Print this for each file, with what is in braces filled in.", valueName: "template"))
    var format: String?

    @Flag(help: "Also tell where the picture was taken.")
    var gps = false

    func validate() throws {
        if json, format != nil { throw ValidationError("--json and --format exclude each other") }
        _ = try template
    }

    var template: Template<InfoField>? {
        get throws { try format.map { try Template($0, unescapes: true) } }
    }
}
