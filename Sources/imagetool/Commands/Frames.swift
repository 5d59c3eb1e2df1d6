// imagetool frames: every frame of an animation as a picture of its own, or all of them on one sheet.

import ArgumentParser
import ImageCodecs

struct Frames: DecodingCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write every frame as a picture, or all on one sheet; stills have one.",
        discussion: """
            Frames are composited on the full canvas and written to DIR/NAME.INDEX.EXTENSION, index from 0, with as many \
            digits as the last frame's. One \
            line for each: path of the frame, duration in milliseconds. Where two inputs have one name, the second is \
            called after its whole file name, others get numbers. --raw-frames writes what the file has for each frame \
            alone, and tells where on the canvas it lies.

            --sheet writes one picture with all frames of one file, each over a checkerboard, the part of it that the \
            file has pixels for outlined; below it number and duration, how it is drawn (over what is there, or in its \
            place) and what becomes of it (keep, clear, restore), and the frame that drawing starts from to show it. \
            Small frames are magnified to whole pixels; the EXIF orientation is not applied. The sheet counts against \
            the limits as any picture.

            EXAMPLES:
              imagetool frames movie.gif -o frames/
              imagetool frames --json movie.png -o frames/ --format pam
              imagetool frames --recursive movies -o frames/ --no-clobber
              imagetool frames movie.gif --raw-frames --range 3-5 -o parts/
              imagetool frames movie.gif --sheet sheet.png --columns 6
            """)

    @OptionGroup(title: "Input")
    var input: InputArguments

    @OptionGroup(title: "Frames")
    var selection: FrameSelectionArguments

    @OptionGroup(title: "Output")
    var result: FrameArguments

    @OptionGroup(title: "Output")
    var report: ReportArguments

    @OptionGroup(title: "Output")
    var overwriting: OverwriteArguments

    @OptionGroup(title: "Output")
    var skipping: SkipArguments

    @OptionGroup(title: "Sheet")
    var layout: FrameSheetArguments

    @OptionGroup(title: "Many files")
    var batch: BatchArguments

    @OptionGroup(title: "Decoding")
    var strictness: StrictnessArguments

    @OptionGroup(title: "Limits")
    var limits: LimitArguments

    func validate() throws {
        try skipping.validate(beside: overwriting)
        guard (result.output == nil) != (layout.sheet == nil) else {
            throw ValidationError("give either --output, for a picture of each frame, or --sheet")
        }
        guard let sheet = layout.sheet else { return try layout.refuseWithoutSheet() }
        if selection.rawFrames { throw ValidationError("--raw-frames has no place on a sheet") }
        try result.refuseBesideSheet(skipping)
        if input.mayBeMany {
            throw ValidationError("--sheet shows the frames of one file; imagetool sheet shows many files")
        }
        _ = try OutputFormat(ofSheet: sheet, overwriting)
        try report.validate(writingTo: OutputLocation(sheet, mayBeMany: false))
    }

    func run() throws {
        if let sheet = layout.sheet {
            try writeSheet(to: sheet)
        } else if let output = result.output {
            try writeFrames(to: output)
        }
    }

    private func writeFrames(to folder: String) throws {
        let inputs = try input.resolved(outputFolder: folder)
        let format = result.format ?? .coded(.png)
        let names = FrameNames(inputs, fileExtension: format.fileExtension) { input in
            FilePath.join(FilePath.join(folder, input.folder), FilePath.stem(input.path))
        }
        var options = decoding.options
        options.pixelFormat = nil
        // What is not composited is not turned either.
        options.appliesOrientation = !selection.rawFrames
        let job = FrameJob(
            options: options, format: format, names: names, range: selection.range, areRaw: selection.rawFrames,
            printsJSON: report.json, protection: overwriting.protection(of: inputs),
            skipping: skipping.rule, budget: batch.budget)
        try job.protection.validate(inputs.map { (names.path(of: $0, index: job.firstIndex, count: 1), $0.path) })
        let report = report
        try batch.run(inputs, advice: decoding.advice) { file in
            report.timing("frames written to \(folder)") { job.run(file) }
        }
    }

    private func writeSheet(to output: String) throws {
        let inputs = try input.resolved()
        guard let file = inputs.first else { throw ValidationError("no input") }
        let protection = overwriting.protection(of: inputs)
        try protection.validate([(output, nil)])
        let job = FrameSheetJob(
            file: file, output: output, format: try OutputFormat(ofSheet: output, overwriting),
            range: selection.range, layout: layout, protection: protection, advice: decoding.advice,
            report: report)
        try job.run(decoding.options)
    }
}

/// Which frames are written, and what of them.
struct FrameSelectionArguments: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Only these frames: 2-5 with both ends, 2- to the last, -5 from the first, or 2 alone.", valueName: "A-B"),
        transform: { try FrameRange($0) })
    var range: FrameRange?

    @Flag(help: "Write the pixels that the file has for a frame, not composited.")
    var rawFrames = false
}

/// Where frames go, and in which form.
struct FrameArguments: ParsableArguments {
    @Option(name: [.short, .long], help: ArgumentHelp("The directory; it is created.", valueName: "dir"))
    var output: String?

    @Option(help: "What to write. (default: png)")
    var format: OutputFormat?

    func validate() throws {
        if output == "-" { throw ValidationError("frames go to a folder, not to standard output") }
    }

    /// Refuses what is about single frames.
    func refuseBesideSheet(_ skipping: SkipArguments) throws {
        let given = [
            ("--format", format != nil), ("--no-clobber", skipping.noClobber),
            ("--skip-newer", skipping.skipNewer),
        ]
        if let option = given.first(where: \.1)?.0 { throw ValidationError("\(option) goes with --output") }
    }
}

/// How the sheet of one animation is laid out.
struct FrameSheetArguments: ParsableArguments {
    @Option(help: ArgumentHelp("Write all frames on one picture; - is standard output.", valueName: "out"))
    var sheet: String?

    @Option(help: "Cells in a row. (default: about as many as there are rows)")
    var columns: Int?

    @Option(help: ArgumentHelp("Room for each picture. (default: 160x160)", valueName: "WxH"))
    var cellSize: PixelSize?

    func validate() throws {
        if let columns, columns < 1 { throw ValidationError("--columns must be at least 1") }
    }

    /// Refuses what is about a sheet.
    func refuseWithoutSheet() throws {
        if columns != nil { throw ValidationError("--columns goes with --sheet") }
        if cellSize != nil { throw ValidationError("--cell-size goes with --sheet") }
    }

    var cell: PixelSize { cellSize ?? PixelSize(width: 160, height: 160) }
}
