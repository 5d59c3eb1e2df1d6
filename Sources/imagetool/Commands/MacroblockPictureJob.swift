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

    /// Writes the picture, also if the frame is damaged: as far as it can be decoded.
    ///
    /// - Throws: `ExitCode.failure`, after the error was printed.
    func run() throws {
        let advice = Advice.reading
        let (bytes, damage) = try advice.reporting(about: file.path) { () throws(ImageError) in
            let picture = try draw()
            let image = RasterImage(bitmap: picture.bitmap)
            return (try format.encode(image, pixelFormat: .rgba, options: .default), picture.damage)
        }
        try advice.reporting(about: output) { () throws(ImageError) in
            try protection.write(bytes, to: output, of: nil, in: FilePath.folder(of: output))
        }
        if let damage { try advice.reporting(about: file.path) { () throws(ImageError) in throw damage } }
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
