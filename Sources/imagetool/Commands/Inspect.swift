// imagetool inspect: the structure of a file, for people who study or repair formats.

import ArgumentParser
import ImageCodecs

struct Inspect: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the parts a file consists of, also of damaged ones.",
        discussion: """
            One line for each chunk (PNG, with its checksum) or marker (JPEG): where it is, how long, and what \
            it says. What is cut off or does not fit its checksum is marked. Damage is no failure here: the \
            listing says what is there.

            EXAMPLES:
              imagetool inspect photo.png
              imagetool inspect --json photo.jpg
            """)

    @OptionGroup var input: InputArguments

    @Flag(help: "Print one JSON object for each file.")
    var json = false

    @OptionGroup(title: "Limits")
    var limits: LimitArguments

    @OptionGroup var batch: BatchArguments

    func run() throws {
        let printsJSON = json
        let limits = limits.limits
        try batch.run(input.files) { path in
            do throws(ImageError) {
                let structure = try FileStructure(fileAt: path, limits: limits)
                return Outcome(output: printsJSON ? structure.json(path).text : structure.text(path))
            } catch {
                return Outcome(output: printsJSON ? error.json(for: path).text : "", failure: error)
            }
        }
    }
}
