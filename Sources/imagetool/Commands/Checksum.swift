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

    @OptionGroup(title: "Input")
    var input: InputArguments

    @OptionGroup(title: "Checksum")
    var what: ChecksumArguments

    @OptionGroup(title: "Many files")
    var batch: BatchArguments

    @OptionGroup var decoding: DecodingArguments

    func run() throws {
        let inputs = try input.resolved(outputFolder: what.raw)
        let names = what.raw.map { folder in
            FrameNames(inputs, fileExtension: "rgba") { FilePath.join(folder, $0.name) }
        }
        let protection = what.overwriting.protection(of: inputs)
        let job = ChecksumJob(
            options: options, chunk: what.chunk, rawNames: names, protection: protection, budget: batch.budget)
        if let names { try protection.validate(inputs.map { (names.path(of: $0, index: 0), $0.path) }) }
        // Set where files are decoded: other threads do not see what is set here.
        let inflater = what.inflater
        try batch.run(inputs, advice: decoding.advice) { file in inflater { job.run(file) } }
    }

    private var options: DecodingOptions {
        var options = decoding.options
        options.pixelFormat = .rgba
        options.appliesOrientation = false
        options.size = DecodingOptions.OutputSize(box: what.thumbnail, limitBytes: what.limitBytes?.bytes)
        options.thumbnailQuality = what.reduction.thumbnailQuality
        return options
    }
}

/// Decodes one file and describes its frames.
struct ChecksumJob: Sendable {
    let options: DecodingOptions
    let chunk: Int?
    /// Where the bytes of frames go, if they are written.
    let rawNames: FrameNames?
    let protection: InputProtection
    let budget: MemoryBudget

    @Sendable func run(_ file: InputFile) -> Outcome {
        do throws(ImageError) {
            guard let chunk else {
                let input = try InputPicture(file, options: options)
                return Outcome(output: try describe(input, of: file).text, warnings: input.warnings)
            }
            return try runInPieces(file, of: chunk)
        } catch {
            return Outcome(output: error.json(for: file.path).text, failure: error)
        }
    }

    /// Decodes a picture, when the budget has room for it.
    func describe(_ input: InputPicture, of file: InputFile) throws(ImageError) -> JSONValue {
        try budget.withBytes(input.promisedByteCount) { () throws(ImageError) in
            if input.info?.animation != nil { return try describeAnimation(input, of: file) }
            return try describe(file, RasterImage(input.data, options: input.options))
        }
    }

    private func describeAnimation(_ input: InputPicture, of file: InputFile) throws(ImageError) -> JSONValue {
        do throws(ImageError) {
            // What a decode refuses is refused: frames need not be looked at for the first picture to be damaged.
            var first = Bitmap.empty
            try CoderRegistry.shared.decode(input.data, into: &first, options: input.options)
            return try describe(file, CoderRegistry.shared.makeAnimation(from: input.data, options: input.options))
        } catch {
            // A decode tells the damage that comes first in the file.
            if error.isDamage { _ = try RasterImage(input.data, options: input.options) }
            throw error
        }
    }

    private func runInPieces(_ file: InputFile, of size: Int) throws(ImageError) -> Outcome {
        var decoder = CoderRegistry.shared.makeIncrementalDecoder(options: options)
        var reader = try FileReader(picture: file, limits: options.limits)
        try reader.forEachPiece(of: size) { (piece) throws(ImageError) in _ = try decoder.append(piece) }
        _ = try decoder.finish()
        let warnings = decoder.info?.warnings ?? []
        if let animation = try decoder.animation() {
            return Outcome(output: try describe(file, animation).text, warnings: warnings)
        }
        guard let image = try decoder.image() else { throw .unknownFormat }
        return Outcome(output: try describe(file, image).text, warnings: warnings)
    }

    /// A decoded picture.
    private func describe(_ file: InputFile, _ image: RasterImage) throws(ImageError) -> JSONValue {
        let frame = try describe(file, image.bitmap, index: 0, duration: nil)
        return object(file.path, image.format, image.size, loopCount: nil, [frame], isPartial: image.isPartial)
    }

    /// An animation, one frame in memory at a time.
    private func describe(
        _ file: InputFile, _ animation: any AnimatedImageProvider
    ) throws(ImageError) -> JSONValue {
        let info = animation.info
        var frames: [JSONValue] = []
        var size = info.size
        var isPartial = false
        for index in 0..<animation.frameCount {
            let frame = try animation.frame(at: index)
            let duration = info.animation == nil ? nil : frame.duration
            frames.append(try describe(file, frame.bitmap, index: index, duration: duration))
            size = frame.bitmap.size
            isPartial = isPartial || frame.isPartial
        }
        return object(file.path, info.format, size, loopCount: info.animation?.loopCount, frames, isPartial: isPartial)
    }

    private func describe(
        _ file: InputFile, _ bitmap: Bitmap, index: Int, duration: Duration?
    ) throws(ImageError) -> JSONValue {
        let bytes = try bitmap.converted(to: .rgba).packedBytes()
        if let output = rawNames?.path(of: file, index: index) {
            try protection.write(bytes, to: output, of: file.path, in: FilePath.folder(of: output))
        }
        var crc = PNG.Checksum()
        crc.add(bytes[...])
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

/// What checksums are of.
struct ChecksumArguments: ParsableArguments {
    @Option(help: ArgumentHelp("Feed the file in pieces of so many bytes.", valueName: "bytes"))
    var chunk: Int?

    @Option(help: ArgumentHelp("Shrink to fit into this box first.", valueName: "WxH"))
    var thumbnail: PixelSize?

    @Option(help: ArgumentHelp("Shrink to at most so many bytes of pixels first.", valueName: "bytes"))
    var limitBytes: ByteCount?

    @OptionGroup var reduction: ReductionArguments

    @Option(
        help: ArgumentHelp(
            "Also write each frame's bytes to DIR/NAME.INDEX.rgba; names that are taken get numbers.", valueName: "dir")
    )
    var raw: String?

    @OptionGroup var overwriting: OverwriteArguments

    @OptionGroup(visibility: .hidden) var inflater: InflaterArguments

    func validate() throws {
        if let chunk, chunk < 1 { throw ValidationError("--chunk must be at least 1") }
    }
}
