// imagetool sheet: small versions of many pictures on one.

import ArgumentParser
import ImageCodecs
import ImageInspection
import ImagePipeline
import Synchronization

struct Sheet: DecodingCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write one picture with small versions of all: a contact sheet.",
        discussion: """
            Pictures are laid out row by row in the order of the command line, each in the middle of its cell, their colours converted to sRGB. A file that \
            fails leaves its cell empty, and of an animation the first frame is shown; the sheet is written all the same, and the exit status is 1. The limits count for \
            the sheet as well as for each picture.

            EXAMPLES:
              imagetool sheet *.jpg -o sheet.png
              imagetool sheet --recursive photos --size 160x120 --fit fill --columns 6 -o sheet.png
              find photos -name '*.png' -print0 | imagetool sheet --files0-from - --background ffffff -o sheet.png
            """)

    @OptionGroup(title: "Input")
    var input: InputArguments

    @OptionGroup(title: "Sheet")
    var layout: SheetArguments

    @OptionGroup(title: "Sheet")
    var reduction: ReductionArguments

    @Option(name: [.short, .long], help: ArgumentHelp("The file; - is standard output.", valueName: "out"))
    var output: String

    @OptionGroup var overwriting: OverwriteArguments
    @OptionGroup var report: ReportArguments

    @OptionGroup(title: "Many files")
    var batch: BatchArguments

    @OptionGroup(title: "Decoding")
    var strictness: StrictnessArguments

    @OptionGroup(title: "Limits")
    var limits: LimitArguments

    func validate() throws {
        _ = try OutputFormat(ofSheet: output, overwriting)
        try report.validate(writingTo: OutputLocation(output, mayBeMany: false))
    }

    func run() throws {
        let start = ContinuousClock.now
        let inputs = try input.resolved()
        guard !inputs.isEmpty else { throw ValidationError("no pictures in the folders named") }
        let protection = overwriting.protection(of: inputs)
        try protection.validate([(output, nil)])
        var options = decoding.options
        options.pixelFormat = .rgba
        options.firstFrameOnly = true
        options.convertsToSRGB = true
        reduction.apply(to: &options)
        let sheet = try decoding.advice.reporting(about: output, printsJSON: report.json) { () throws(ImageError) in
            try ContactSheet(layout, count: inputs.count, limits: options.limits)
        }
        let job = SheetJob(options: options, reduction: layout.reduction, sheet: sheet, budget: batch.budget)
        let report = report
        let status = try exitStatus {
            try batch.run(inputs, advice: decoding.advice) { file in
                report.reportingFailures(file.path) { job.run(file) }
            }
        }
        let format = try OutputFormat(ofSheet: output, overwriting)
        try decoding.advice.reporting(about: output, printsJSON: report.json) { () throws(ImageError) in
            let bytes = try format.encode(RasterImage(bitmap: sheet.bitmap), pixelFormat: .rgba, options: .default)
            try protection.write(bytes, to: output, of: nil, in: FilePath.folder(of: output))
            report.printResult(output, format, size: sheet.bitmap.size, since: start)
        }
        if let status { throw status }
    }

    /// Calls `run` and returns the exit status that it throws; `nil` if it throws none.
    private func exitStatus(of run: () throws -> Void) throws -> ExitCode? {
        do {
            try run()
            return nil
        } catch let status as ExitCode {
            return status
        }
    }
}

/// How a sheet is laid out.
struct SheetArguments: ParsableArguments {
    @Option(help: ArgumentHelp("The cells: 200 is 200x200.", valueName: "size"))
    var size = SizeRequest.box(PixelSize(width: 200, height: 200))

    @Option(help: "Cells in a row. (default: about as many as there are rows)")
    var columns: Int?

    @Option(help: "Pixels between cells and around them.")
    var gap = 8

    @Option(help: "The colour behind the pictures.")
    var background = OpaqueColor(components: SIMD3(32, 32, 32))

    @Option(
        help: "fit stays inside the cell, fill covers it and is cut, stretch takes its size.")
    var fit = FitChoice.fit

    @Option(help: "Which part stays with --fit fill.")
    var gravity = Gravity.center

    func validate() throws {
        guard case .box(let cell) = size, cell.width > 0, cell.height > 0 else {
            throw ValidationError("--size of a sheet has two sides: 200x150, or 200 for both")
        }
        if fit == .outside { throw ValidationError("--fit outside has no place in a cell; fill is cut") }
        if let columns, columns < 1 { throw ValidationError("--columns must be at least 1") }
        if !(0...4096).contains(gap) { throw ValidationError("--gap must be from 0 to 4096") }
    }

    /// The size of a cell.
    var cell: PixelSize {
        if case .box(let cell) = size { cell } else { PixelSize(width: 200, height: 200) }
    }

    var reduction: PictureReduction { PictureReduction(size: size, fit: fit, gravity: gravity) }
}

/// The picture that is filled cell by cell, by several threads.
private final class ContactSheet: Sendable {
    private let grid: SheetGrid
    private let background: SIMD3<UInt8>
    private let picture: Mutex<Bitmap>

    /// An empty sheet with room for `count` pictures.
    ///
    /// - Throws: `limitExceeded` for a sheet that would be larger than a picture may be.
    init(_ layout: SheetArguments, count: Int, limits: DecodingLimits) throws(ImageError) {
        grid = try SheetGrid(
            cell: layout.cell, columns: layout.columns, gap: layout.gap, count: count, limits: limits)
        background = layout.background.components
        picture = Mutex(try grid.emptySheet(background))
    }

    var bitmap: Bitmap { picture.withLock { $0 } }

    /// Puts a picture that fits its cell into the middle of it.
    func put(_ bitmap: Bitmap, at index: Int) throws(ImageError) {
        let opaque = try bitmap.flattened(onto: background).converted(to: .rgb)
        let place = grid.rect(ofCell: index).middle(for: opaque.size)
        picture.withLock { picture in
            for y in 0..<opaque.height {
                opaque.withRowBytes(y) { row in
                    picture.withMutableRowBytes(place.y + y) { $0.copy(row, at: 3 * place.x) }
                }
            }
        }
    }
}

/// Decodes one file into its cell.
private struct SheetJob: Sendable {
    let options: DecodingOptions
    let reduction: PictureReduction
    let sheet: ContactSheet
    let budget: DecodingBudget

    @Sendable func run(_ file: InputFile) -> Outcome {
        do throws(ImageError) {
            let input = try InputPicture(file, options: options, reduction: reduction)
            let partial = try budget.withBytes(blockingFor: input.estimatedByteCount) { () throws(ImageError) in
                var image = try input.decode()
                try reduction.cut(&image)
                try sheet.put(image.bitmap, at: file.index)
                return image.partial
            }
            return Outcome(
                warnings: input.warnings + [input.info?.metadata.profileProblem, partial?.summary].compactMap { $0 })
        } catch {
            return Outcome(failure: error)
        }
    }
}
