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

            --html writes a page about one file instead, and decodes the coded data for it: the picture with layers over it that show what \
            the coder did where (bits of pixels or blocks, filters, matches, modes), what every bit of the file is spent on, the file as a strip of bytes, \
            tables, and what is wrong or could be better. The page is one file that asks for nothing else, and has at most 5 million bytes: for large pictures \
            a value stands for several pixels. --coding adds the same to the list, as text or with --json as data.

            --picture writes a picture instead: with --map one of those layers, of any format; without it, of one lossy WebP picture, its macroblocks drawn over it, each with the \
            modes that luma and chroma are predicted by, its segment and the level of the loop filter, and below it a \
            legend that counts them. Small pictures are magnified to whole pixels. A damaged picture is drawn as far as it \
            can be decoded; what is wrong with it is told, and the exit status is 1.

            EXAMPLES:
              imagetool inspect photo.png
              imagetool inspect --json photo.jpg
              imagetool inspect --recursive photos > /dev/null
              imagetool inspect photo.jpg --html photo.html
              imagetool inspect small.jpg --compare large.jpg --html both.html
              imagetool inspect --json --coding photo.png
              imagetool inspect photo.png --picture bits.png --map bits
              imagetool inspect photo.jpg --picture block.png --map patterns --block 120,64
              imagetool inspect photo.webp --picture macroblocks.png
              imagetool inspect movie.webp --picture modes.png --frame 3 --layer modes
            """)

    @OptionGroup(title: "Input")
    var input: InputArguments

    @OptionGroup(title: "Output")
    var report: ReportArguments

    @Option(
        help: ArgumentHelp(
            "Write a page about the file instead of listing parts, to read in a browser; - is standard output.",
            valueName: "page"))
    var html: String?

    @Option(
        name: .customLong("compare"),
        help: ArgumentHelp(
            "With --html: a page about the file and this other one, side by side, where each spent its bits.",
            valueName: "file"))
    var other: String?

    @Flag(help: "Decode the coded data as well and tell how they are coded.")
    var coding = false

    @OptionGroup(title: "Picture")
    var drawing: MacroblockArguments

    @OptionGroup(title: "Picture")
    var overwriting: OverwriteArguments

    @OptionGroup(title: "Many files")
    var batch: BatchArguments

    @OptionGroup(title: "Limits")
    var limits: LimitArguments

    func validate() throws {
        if let html {
            if input.mayBeMany { throw ValidationError("--html is about one file") }
            if drawing.picture != nil { throw ValidationError("--html and --picture are two commands") }
            if coding { throw ValidationError("--html has all that --coding tells") }
            try report.validate(writingTo: OutputLocation(html, mayBeMany: false))
        }
        if other != nil, html == nil { throw ValidationError("--compare goes with --html") }
        if drawing.block != nil, html == nil || other != nil, !coding, drawing.map != "patterns" {
            throw ValidationError("--block goes with --html, --coding and --map patterns")
        }
        guard let picture = drawing.picture else {
            if overwriting.force, html == nil { throw ValidationError("--force goes with --picture and --html") }
            return
        }
        _ = try OutputFormat(ofSheet: picture, overwriting)
        if coding { throw ValidationError("--coding is for the list, not for --picture") }
        if input.mayBeMany { throw ValidationError("--picture shows one file") }
        try report.validate(writingTo: OutputLocation(picture, mayBeMany: false))
    }

    func run() throws {
        if let picture = drawing.picture { return try draw(to: picture) }
        if let html { return try writePage(to: html) }
        let (budget, limits, report) = (batch.budget, limits.limits, report)
        let (coding, block) = (coding, drawing.block)
        try batch.run(input.resolved(), advice: .reading) { file in
            report.timing("listed") {
                Self.list(
                    file, printsJSON: report.json, coding: coding, block: block, limits: limits, budget: budget)
            }
        }
    }

    /// Values of each layer that are printed.
    private static let maxCellCount = 1 << 16

    /// Lists the parts of one file.
    private static func list(
        _ file: InputFile, printsJSON: Bool, coding: Bool, block: PixelPlace?, limits: DecodingLimits,
        budget: DecodingBudget
    ) -> Outcome {
        do throws(ImageError) {
            return try budget.withBytes(blockingFor: FileStructure.estimatedByteCount(file.path)) {
                () throws(ImageError) in
                let structure = try FileStructure(file, limits: limits)
                let map =
                    coding
                    ? try FileMap(
                        of: structure.data, limits: limits, maxCellCount: maxCellCount, block: block?.pixel) : nil
                let text =
                    printsJSON
                    ? structure.json(file.path, map).text
                    : ([structure.text(file.path)] + (map?.textLines ?? [])).joined(separator: "\n")
                return Outcome(output: text, findings: map?.problems ?? structure.findings.allLines)
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
        let protection = overwriting.protection(of: inputs)
        try protection.validate([(output, nil)])
        let job = MacroblockPictureJob(
            file: file, output: output, format: try OutputFormat(ofSheet: output, overwriting),
            arguments: drawing, protection: protection, limits: limits.limits, report: report)
        try job.run()
    }

    /// Writes a page in place of the list.
    private func writePage(to output: String) throws {
        var inputs = try input.resolved()
        guard let file = inputs.first else { throw ValidationError("no input") }
        if let other { inputs.append(InputFile(path: other)) }
        let protection = overwriting.protection(of: inputs)
        try protection.validate([(output, nil)])
        let (advice, limits) = (Advice.reading, limits.limits)
        var subjects: [InspectedFile] = []
        for input in inputs {
            subjects.append(
                try advice.reporting(about: input.path, printsJSON: report.json) { () throws(ImageError) in
                    try InspectedFile(input, limits: limits, block: drawing.block)
                })
        }
        let text = try advice.reporting(about: file.path, printsJSON: report.json) { () throws(ImageError) in
            try subjects.count > 1
                ? ComparisonPage(subjects[0], subjects[1]).text : InspectionPage(subjects[0], limits: limits).text
        }
        try advice.reporting(about: output, printsJSON: report.json) { () throws(ImageError) in
            try protection.write(Array(text.utf8), to: output, of: nil, in: FilePath.folder(of: output))
        }
        for subject in subjects {
            for finding in subject.map.problems { StandardError.write(finding, about: subject.path) }
        }
        if subjects.contains(where: { !$0.map.problems.isEmpty }) { throw ExitCode.failure }
    }
}
