// One lossy picture with its macroblocks drawn over it: what imagetool inspect --picture does.

import ArgumentParser
import ImageCodecs
import ImageInspection

/// Reads a file, draws one frame of it, and writes the picture.
struct MacroblockPictureJob {
    let file: InputFile
    let output: String
    let format: OutputFormat
    let arguments: MacroblockArguments
    let protection: InputProtection
    let limits: DecodingLimits
    let report: ReportArguments

    /// Writes the picture, also if the frame is damaged: as far as it can be decoded.
    ///
    /// - Throws: `ExitCode.failure`, after the error was printed.
    func run() throws {
        let advice = Advice.reading
        let start = ContinuousClock.now
        let (bytes, size, damage) = try advice.reporting(about: file.path, printsJSON: report.json) {
            () throws(ImageError) in
            let picture = try draw()
            let image = RasterImage(bitmap: picture.bitmap)
            let bytes = try format.encode(image, pixelFormat: .rgba, options: .default)
            return (bytes, picture.bitmap.size, picture.damage)
        }
        try advice.reporting(about: output, printsJSON: report.json) { () throws(ImageError) in
            try protection.write(bytes, to: output, of: nil, in: FilePath.folder(of: output))
        }
        report.printResult(output, of: file.path, format, size: size, since: start)
        guard let damage else { return }
        try advice.reporting(about: file.path, printsJSON: report.json) { () throws(ImageError) in throw damage }
    }

    private func draw() throws(ImageError) -> MacroblockPicture {
        var reader = try FileReader(picture: file, limits: limits)
        let header = try reader.peek(ImageFormat.sniffingByteCount)
        try header.withSpan { (header) throws(ImageError) in try MacroblockPicture.check(header) }
        return try MacroblockPicture(
            reader.readToEnd(), frame: arguments.frame, layers: arguments.chosenLayers, scale: arguments.scale,
            limits: limits)
    }
}
