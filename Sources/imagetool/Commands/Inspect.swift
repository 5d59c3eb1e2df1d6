// imagetool inspect: the structure of a file, for people who study or repair formats.

import ArgumentParser
import ImageCodecs

struct Inspect: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the parts a file consists of, also of damaged ones, and check their order.",
        discussion: """
            One line for each chunk (PNG, with its checksum; WebP), marker (JPEG) or block (GIF): where it is, how long, and what \
            it says, of the first 10000; texts are shown up to 200 characters. The last line tells how \
            many bytes of samples are coded in how many bytes.

            The listing says what is there, whatever is wrong with it. Each thing that is wrong is a line on standard \
            error: a checksum that does not fit, parts that are cut off, missing, doubled or in the wrong order, a frame of \
            a GIF outside of its screen or of a WebP outside of its canvas. The exit status is 1 then. Coded data are not decoded; checksum does that.

            EXAMPLES:
              imagetool inspect photo.png
              imagetool inspect --json photo.jpg
              imagetool inspect --recursive photos > /dev/null
            """)

    @OptionGroup(title: "Input")
    var input: InputArguments

    @OptionGroup(title: "Output")
    var report: InspectArguments

    @OptionGroup(title: "Many files")
    var batch: BatchArguments

    @OptionGroup(title: "Limits")
    var limits: LimitArguments

    func run() throws {
        let printsJSON = report.json
        let budget = batch.budget
        let limits = limits.limits
        try batch.run(input.resolved(), advice: .reading) { file in
            do throws(ImageError) {
                return try budget.withBytes(FileStructure.promisedByteCount(file.path)) { () throws(ImageError) in
                    let structure = try FileStructure(file, limits: limits)
                    return Outcome(
                        output: printsJSON ? structure.json(file.path).text : structure.text(file.path),
                        findings: structure.findings.allLines)
                }
            } catch {
                return Outcome(output: printsJSON ? error.json(for: file.path).text : "", failure: error)
            }
        }
    }
}

/// In which form parts are listed.
struct InspectArguments: ParsableArguments {
    @Flag(help: "Print one JSON object for each file.")
    var json = false
}
