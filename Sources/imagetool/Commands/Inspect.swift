// imagetool inspect: the structure of a file, for people who study or repair formats.

import ArgumentParser
import ImageCodecs
import ImageInspection
import ImagePipeline

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

            --picture writes a picture instead: of one lossy WebP picture, its macroblocks drawn over it, each with the \
            modes that luma and chroma are predicted by, its segment and the level of the loop filter, and below it a \
            legend that counts them. Small pictures are magnified to whole pixels. A damaged picture is drawn as far as it \
            can be decoded; what is wrong with it is told, and the exit status is 1.

            EXAMPLES:
              imagetool inspect photo.png
              imagetool inspect --json photo.jpg
              imagetool inspect --recursive photos > /dev/null
              imagetool inspect photo.webp --picture macroblocks.png
              imagetool inspect movie.webp --picture modes.png --frame 3 --layer modes
            """)

    @OptionGroup(title: "Input")
    var input: InputArguments

    @OptionGroup(title: "Output")
    var report: ReportArguments

    @OptionGroup(title: "Picture")
    var drawing: MacroblockArguments

    @OptionGroup(title: "Many files")
    var batch: BatchArguments

    @OptionGroup(title: "Limits")
    var limits: LimitArguments

    func validate() throws {
        guard let picture = drawing.picture else { return }
        if input.mayBeMany { throw ValidationError("--picture shows one file") }
        try report.validate(writingTo: OutputLocation(picture, mayBeMany: false))
    }

    func run() throws {
        if let picture = drawing.picture { return try draw(to: picture) }
        let (budget, limits, report) = (batch.budget, limits.limits, report)
        try batch.run(input.resolved(), advice: .reading) { file in
            report.timing("listed") {
                Self.list(file, printsJSON: report.json, limits: limits, budget: budget)
            }
        }
    }

    /// Lists the parts of one file.
    private static func list(
        _ file: InputFile, printsJSON: Bool, limits: DecodingLimits, budget: DecodingBudget
    ) -> Outcome {
        do throws(ImageError) {
            return try budget.withBytes(blockingFor: FileStructure.estimatedByteCount(file.path)) {
                () throws(ImageError) in
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

extension Inspect {
    /// Writes a picture in place of the list.
    private func draw(to output: String) throws {
        let inputs = try input.resolved()
        guard let file = inputs.first else { throw ValidationError("no input") }
        let protection = drawing.overwriting.protection(of: inputs)
        try protection.validate([(output, nil)])
        let job = MacroblockPictureJob(
            file: file, output: output, format: try OutputFormat(ofSheet: output, drawing.overwriting),
            arguments: drawing, protection: protection, limits: limits.limits, report: report)
        try job.run()
    }
}
