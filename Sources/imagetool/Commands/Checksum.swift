// imagetool checksum: one JSON object a file, for comparing decoders.

import ArgumentParser
import DeflateCodec
import ImageCodecs
import ImagePipeline
import PNGCodec

struct Checksum: DecodingCommand {
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

    @OptionGroup(title: "Checksum")
    var reduction: ReductionArguments

    @OptionGroup(title: "Checksum")
    var json: JSONByDefaultArguments

    @OptionGroup(title: "Checksum")
    var verbosity: VerbosityArguments

    @OptionGroup(title: "Checksum")
    var overwriting: OverwriteArguments

    @OptionGroup(visibility: .hidden)
    var inflater: InflaterArguments

    @OptionGroup(title: "Many files")
    var batch: BatchArguments

    @OptionGroup(title: "Decoding")
    var strictness: StrictnessArguments

    @OptionGroup(title: "Limits")
    var limits: LimitArguments

    func run() throws {
        let inputs = try input.resolved(outputFolder: what.raw)
        let names = what.raw.map { folder in
            FrameNames(inputs, fileExtension: "rgba") { FilePath.join(folder, $0.name) }
        }
        let protection = overwriting.protection(of: inputs)
        let job = ChecksumJob(
            options: options, chunk: what.chunk, rawNames: names, protection: protection, budget: batch.budget)
        if let names { try protection.validate(inputs.map { (names.path(of: $0, index: 0), $0.path) }) }
        // Set where files are decoded: other threads do not see what is set here.
        let (inflater, verbosity) = (inflater, verbosity)
        try batch.run(inputs, advice: decoding.advice) { file in
            verbosity.timing("decoded") { inflater { job.run(file) } }
        }
    }

    private var options: DecodingOptions {
        var options = decoding.options
        options.pixelFormat = .rgba
        options.appliesOrientation = false
        options.size = DecodingOptions.OutputSize(box: what.thumbnail, limitBytes: what.limitBytes?.bytes)
        reduction.apply(to: &options)
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
    let budget: DecodingBudget

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

    /// Decodes a file, one frame in memory at a time, when the budget has room for it.
    func describe(_ input: InputPicture, of file: InputFile) throws(ImageError) -> JSONValue {
        try budget.withBytes(blockingFor: input.estimatedByteCount) { () throws(ImageError) in
            var frames: [JSONValue] = []
            var size = PixelSize(width: 0, height: 0)
            let decoded = try CoderRegistry.shared.decodeFrames(of: input.data, options: input.options) {
                (frame, index, info) throws(ImageError) in
                let duration = info.animation == nil ? nil : frame.duration
                frames.append(try describe(file, frame.bitmap, index: index, duration: duration))
                size = frame.bitmap.size
            }
            return object(file.path, decoded.info, size, frames, isPartial: decoded.partial != nil)
        }
    }

    /// The same for a file that comes in pieces; reading it and decoding its frames share one clock.
    private func runInPieces(_ file: InputFile, of size: Int) throws(ImageError) -> Outcome {
        var work = WorkGuard(options)
        work.begin()
        var decoder = CoderRegistry.shared.makeIncrementalDecoder(options: options)
        var reader = try FileReader(picture: file, limits: options.limits)
        try reader.forEachPiece(of: size) { (piece) throws(ImageError) in _ = try decoder.append(piece) }
        _ = try decoder.finish()
        guard var info = decoder.info, let image = try decoder.image() else { throw .unknownFormat }
        let animation = try decoder.animation()
        if animation == nil { info.animation = nil }
        var frames: [JSONValue] = []
        var frameSize = image.size
        for index in 0..<(animation?.frameCount ?? 0) {
            try work.check()
            guard let frame = try animation?.frame(at: index) else { continue }
            frames.append(try describe(file, frame.bitmap, index: index, duration: frame.duration))
            frameSize = frame.bitmap.size
        }
        if animation == nil { frames = [try describe(file, image.bitmap, index: 0, duration: nil)] }
        return Outcome(
            output: object(file.path, animation?.info ?? info, frameSize, frames, isPartial: image.isPartial).text,
            warnings: info.warnings)
    }

    private func describe(
        _ file: InputFile, _ bitmap: Bitmap, index: Int, duration: Duration?
    ) throws(ImageError) -> JSONValue {
        let checksum = try checksum(of: bitmap, writingTo: rawNames?.path(of: file, index: index), of: file)
        return .object([
            ("index", .integer(index)), ("durationMS", .optional(duration?.wholeMilliseconds)),
            ("rgbaCRC32", .string(checksum.value.hexadecimal(digits: 8))),
        ])
    }

    /// The CRC-32 of the pixels as straight RGBA. One row at a time is converted, and written if that is asked for.
    private func checksum(
        of bitmap: Bitmap, writingTo output: String?, of file: InputFile
    ) throws(ImageError) -> CRC32 {
        var checksum = CRC32()
        guard let output else {
            try bitmap.forEachRow(in: .rgba) { checksum.add($0) }
            return checksum
        }
        try protection.write(to: output, of: file.path, in: FilePath.folder(of: output)) { (raw) throws(ImageError) in
            var waiting: [UInt8] = []
            try bitmap.forEachRow(in: .rgba) { (row) throws(ImageError) in
                checksum.add(row)
                waiting.append(row)
                guard waiting.count >= Self.pieceByteCount else { return }
                try waiting.withSpan { (bytes) throws(ImageError) in try raw.write(bytes) }
                waiting.removeAll(keepingCapacity: true)
            }
            try waiting.withSpan { (bytes) throws(ImageError) in try raw.write(bytes) }
        }
        return checksum
    }

    /// Rows are written when they are this many bytes together.
    private static let pieceByteCount = 1 << 16

    private func object(
        _ path: String, _ info: ImageInfo, _ size: PixelSize, _ frames: [JSONValue], isPartial: Bool
    ) -> JSONValue {
        var members: [(key: String, value: JSONValue)] = [
            ("path", .string(path)), ("format", .string(info.format.shortName)),
            ("width", .integer(size.width)), ("height", .integer(size.height)),
            ("loopCount", .optional(info.animation?.loopCount)), ("frames", .array(frames)),
        ]
        if isPartial { members.append(("partial", .bool(true))) }
        return .object(members)
    }
}

/// What checksums are of.
struct ChecksumArguments: ParsableArguments {
    @Option(help: ArgumentHelp("Feed the file in pieces of this many bytes.", valueName: "bytes"))
    var chunk: Int?

    @Option(help: ArgumentHelp("Shrink to fit into this box first.", valueName: "WxH"))
    var thumbnail: PixelSize?

    @Option(help: ArgumentHelp("Shrink to at most this many bytes of pixels first.", valueName: "bytes"))
    var limitBytes: ByteCount?

    @Option(
        help: ArgumentHelp(
            "Also write each frame's bytes to DIR/NAME.INDEX.rgba; names that are taken get numbers.", valueName: "dir")
    )
    var raw: String?

    func validate() throws {
        if let chunk, chunk < 1 { throw ValidationError("--chunk must be at least 1") }
    }
}
