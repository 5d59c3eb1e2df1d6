// imagetool info: what the headers say.

import ArgumentParser
import ImageCodecs

struct Info: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print what the headers say; no pixel is decoded.",
        discussion: """
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
                let data = try ImageData(contentsOfFile: path)
                let info = try ImageInfo(data, options: options)
                let report = InfoReport(path: path, fileByteCount: data.count, info: info)
                return Outcome(output: printsJSON ? report.json.text : report.text)
            } catch {
                return Outcome(output: printsJSON ? error.json(for: path).text : "", failure: error)
            }
        }
    }
}
