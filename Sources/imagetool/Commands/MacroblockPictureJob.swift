// One lossy picture with its macroblocks drawn over it, or a layer of any picture: what imagetool inspect --picture does.

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
            let (bitmap, damage) = try draw()
            let image = RasterImage(bitmap: bitmap)
            let bytes = try format.encode(image, pixelFormat: .rgba, options: .default)
            return (bytes, bitmap.size, damage)
        }
        try advice.reporting(about: output, printsJSON: report.json) { () throws(ImageError) in
            try protection.write(bytes, to: output, of: nil, in: FilePath.folder(of: output))
        }
        report.printResult(output, of: file.path, format, size: size, since: start)
        guard let damage else { return }
        try advice.reporting(about: file.path, printsJSON: report.json) { () throws(ImageError) in throw damage }
    }

    private func draw() throws(ImageError) -> (bitmap: Bitmap, damage: ImageError?) {
        var reader = try FileReader(picture: file, limits: limits)
        if let key = arguments.map { return (try layer(key, of: reader.readToEnd()), nil) }
        let header = try reader.peek(ImageFormat.sniffingByteCount)
        try header.withSpan { (header) throws(ImageError) in try MacroblockPicture.check(header) }
        let picture = try MacroblockPicture(
            reader.readToEnd(), frame: arguments.frame, layers: arguments.chosenLayers, scale: arguments.scale,
            limits: limits)
        return (picture.bitmap, picture.damage)
    }

    /// The largest side up to which small pictures are magnified, and how much they are at most.
    private static let (magnifiedSide, largestScale) = (1600, 8)

    /// A layer in the size of what it covers, small ones magnified.
    private func layer(_ key: String, of data: ImageData) throws(ImageError) -> Bitmap {
        let map = try FileMap(of: data, limits: limits, block: arguments.block?.pixel)
        if key == "patterns", let block = map.block { return try block.bitmap() }
        guard let layer = map.layers.first(where: { $0.key == key }) else {
            let keys = map.layers.map(\.key) + (map.block == nil ? [] : ["patterns"])
            throw .invalidArgument("there is no layer \(key); the file has \(keys.list(and: "and"))")
        }
        let scale = max(1, min(Self.largestScale, Self.magnifiedSide / max(layer.area.width, layer.area.height, 1)))
        let size = PixelSize(width: layer.area.width * scale, height: layer.area.height * scale)
        try limits.check(size: size)
        return try LayerColoring(layer).bitmap(size: size)
    }
}
