// One file to the sheet of its frames: what imagetool frames --sheet does.

import ArgumentParser
import ImageCodecs

/// Reads an animation, draws its frames, and writes the sheet.
struct FrameSheetJob {
    let file: InputFile
    let output: String
    let format: OutputFormat
    /// Which frames are shown; `nil` for all.
    let range: FrameRange?
    let layout: FrameSheetArguments
    let protection: InputProtection
    let advice: Advice
    let report: ReportArguments

    /// Writes the sheet, also when a frame cannot be decoded: its cell and those after it stay without a picture then.
    ///
    /// - Parameter options: limits and strictness; the rest is set here.
    /// - Throws: `ExitCode.failure`, after the error was printed.
    func run(_ options: DecodingOptions) throws {
        let start = ContinuousClock.now
        var options = options
        options.size = .fitting(layout.cell)
        options.appliesOrientation = false
        options.convertsToSRGB = true
        let (animation, indices) = try reporting(about: file.path) { () throws(ImageError) in
            try open(options)
        }
        var sheet = try reporting(about: output) { () throws(ImageError) in
            try FrameSheet(
                animation, frames: indices, cell: layout.cell, columns: layout.columns, limits: options.limits)
        }
        var failure: ImageError?
        do throws(ImageError) {
            for index in indices { warn(try sheet.draw(frameAt: index), index) }
        } catch {
            failure = error
        }
        try reporting(about: output) { () throws(ImageError) in
            let bytes = try format.encode(RasterImage(bitmap: sheet.bitmap), pixelFormat: .rgba, options: .default)
            try protection.write(bytes, to: output, of: nil, in: FilePath.folder(of: output))
        }
        report.printResult(output, of: file.path, format, size: sheet.bitmap.size, since: start)
        if let failure { try reporting(about: file.path) { () throws(ImageError) in throw failure } }
    }

    private func reporting<R>(about path: String, _ body: () throws(ImageError) -> R) throws -> R {
        try advice.reporting(about: path, printsJSON: report.json, body)
    }

    private func open(
        _ options: DecodingOptions
    ) throws(ImageError) -> (animation: any AnimatedImageProvider, indices: Range<Int>) {
        let input = try InputPicture(file, options: options)
        for warning in input.warnings + [input.info?.metadata.profileProblem].compactMap({ $0 }) {
            StandardError.write("warning: \(warning)", about: file.path)
        }
        let animation = try CoderRegistry.shared.makeAnimation(from: input.data, options: options)
        return (animation, try range?.indices(in: animation.frameCount) ?? 0..<animation.frameCount)
    }

    private func warn(_ partial: PartialReport?, _ index: Int) {
        guard let partial else { return }
        StandardError.write("warning: frame \(index): \(partial.summary)", about: file.path)
    }
}
