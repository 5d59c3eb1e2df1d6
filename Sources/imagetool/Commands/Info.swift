// imagetool info: what the headers say.

import ArgumentParser
import ImageCodecs

struct Info: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print what the headers say; no pixel is decoded.",
        discussion: """
            A file, pipe or device that does not start like an image is given up after its first bytes.

            EXAMPLES:
              imagetool info photo.png
              imagetool info --json *.png
              imagetool info --limits untrusted upload.bin
            """)

    @OptionGroup var input: InputArguments

    @Flag(help: "Print one JSON object for each file.")
    var json = false

    @OptionGroup var decoding: DecodingArguments
    @OptionGroup var batch: BatchArguments

    func run() throws {
        let options = decoding.options
        let printsJSON = json
        try batch.run(input.files) { path in
            do throws(ImageError) {
                var reader = try FileReader(imageFile: path, limits: options.limits)
                let info = try reader.inspect(options: options)
                let report = InfoReport(path: path, fileByteCount: reader.byteCount, info: info)
                return Outcome(output: printsJSON ? report.json.text : report.text)
            } catch {
                return Outcome(output: printsJSON ? error.json(for: path).text : "", failure: error)
            }
        }
    }
}
