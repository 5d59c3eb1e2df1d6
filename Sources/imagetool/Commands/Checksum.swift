// imagetool checksum: one JSON object a file, for comparing decoders.

import ArgumentParser
import ImageCodecs
import PNG

struct Checksum: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the CRC-32 of every frame's pixels, as JSON.",
        discussion: """
            One JSON object a line, keys always in the same order. rgbaCRC32 is zlib's CRC-32 of the \
            composited frame as straight RGBA, eight bits a sample, row by row without padding; the EXIF \
            orientation is not applied. Stills have one frame; their loopCount and durationMS are null. \
            Files that fail give {"path":…,"error":{"code":…,"message":…,"offset":…}}.

            EXAMPLES:
              imagetool checksum *.png
              imagetool checksum --chunk 1 photo.png        the same, fed byte by byte
              imagetool checksum --raw frames/ photo.png    also writes frames/photo.png.0.rgba
            """)

    @OptionGroup var input: InputArguments

    @Option(help: ArgumentHelp("Feed the file in pieces of so many bytes.", valueName: "bytes"))
    var chunk: Int?

    @Option(help: ArgumentHelp("Shrink to fit into this box first.", valueName: "WxH"))
    var thumbnail: PixelSize?

    @Option(help: ArgumentHelp("Shrink to at most so many bytes of pixels first.", valueName: "bytes"))
    var limitBytes: ByteCount?

    @Option(help: ArgumentHelp("Also write each frame's bytes to DIR/NAME.INDEX.rgba.", valueName: "dir"))
    var raw: String?

    @OptionGroup var decoding: DecodingArguments
    @OptionGroup var batch: BatchArguments

    func validate() throws {
        if let chunk, chunk < 1 { throw ValidationError("--chunk must be at least 1") }
    }

    func run() throws {
        let job = ChecksumJob(options: options, chunk: chunk, rawDirectory: raw)
        try batch.run(input.files) { path in
            do throws(ImageError) {
                return Outcome(output: try job.run(path).text)
            } catch {
                return Outcome(output: error.json(for: path).text, failure: error)
            }
        }
    }

    private var options: DecodingOptions {
        var options = decoding.options
        options.pixelFormat = .rgba
        options.appliesOrientation = false
        options.thumbnailPixelSize = thumbnail
        options.scaleDownLimitBytes = limitBytes?.bytes
        return options
    }
}

/// Decodes one file and describes its frames.
private struct ChecksumJob: Sendable {
    let options: DecodingOptions
    let chunk: Int?
    let rawDirectory: String?

    func run(_ path: String) throws(ImageError) -> JSONValue {
        let data = try ImageData(contentsOfFile: path)
        if let chunk {
            return try describe(path, decodeInPieces(data, of: chunk))
        }
        // Headers that cannot be read say nothing about animation; decoding then tells what is wrong.
        guard let info = try? ImageInfo(data, options: options), info.loopCount != nil else {
            return try describe(path, Image(data, options: options))
        }
        return try describe(path, info, CoderRegistry.shared.makeAnimation(from: data, options: options))
    }

    private func decodeInPieces(_ data: ImageData, of size: Int) throws(ImageError) -> Image {
        var decoder = CoderRegistry.shared.makeIncrementalDecoder(options: options)
        try data.withBytes { (bytes) throws(ImageError) in
            var start = 0
            while start < bytes.count {
                let end = start + min(size, bytes.count - start)
                _ = try decoder.append(bytes.extracting(start..<end))
                start = end
            }
        }
        _ = try decoder.finish()
        guard let image = try decoder.image() else { throw .unknownFormat }
        return image
    }

    /// A decoded picture, still or animated.
    private func describe(_ path: String, _ image: Image) throws(ImageError) -> JSONValue {
        var frames: [JSONValue] = []
        for (index, frame) in CoderHelper.frames(from: image).enumerated() {
            let duration = image.animation == nil ? nil : frame.duration
            frames.append(try describe(path, frame.image.bitmap, index: index, duration: duration))
        }
        return object(
            path, image.format, image.size, loopCount: image.animation?.loopCount, frames, isPartial: image.isPartial)
    }

    /// An animation, one frame in memory at a time.
    private func describe(
        _ path: String, _ info: ImageInfo, _ animation: any AnimatedImageProvider
    ) throws(ImageError) -> JSONValue {
        var frames: [JSONValue] = []
        var size = info.size
        var isPartial = false
        for index in 0..<animation.frameCount {
            let frame = try animation.frame(at: index)
            frames.append(try describe(path, frame.image.bitmap, index: index, duration: frame.duration))
            size = frame.image.size
            isPartial = isPartial || frame.image.isPartial
        }
        return object(path, info.format, size, loopCount: animation.loopCount, frames, isPartial: isPartial)
    }

    private func describe(
        _ path: String, _ bitmap: Bitmap, index: Int, duration: Duration?
    ) throws(ImageError) -> JSONValue {
        let bytes = try bitmap.converted(to: .rgba).packedBytes()
        if let rawDirectory {
            let name = OutputLocation.fileName(of: path)
            try ImageData(bytes).write(
                toFile: OutputLocation.join(rawDirectory, "\(name).\(index).rgba", createsDirectory: true))
        }
        var crc = PNG.Checksum()
        crc.add(bytes.span)
        return .object([
            ("index", .integer(index)), ("durationMS", .optional(duration?.wholeMilliseconds)),
            ("rgbaCRC32", .string(crc.value.hexadecimal(digits: 8))),
        ])
    }

    private func object(
        _ path: String, _ format: ImageFormat?, _ size: PixelSize, loopCount: Int?, _ frames: [JSONValue],
        isPartial: Bool
    ) -> JSONValue {
        var members: [(key: String, value: JSONValue)] = [
            ("path", .string(path)), ("format", format.map { .string($0.shortName) } ?? .null),
            ("width", .integer(size.width)), ("height", .integer(size.height)),
            ("loopCount", .optional(loopCount)), ("frames", .array(frames)),
        ]
        if isPartial { members.append(("partial", .bool(true))) }
        return .object(members)
    }
}
