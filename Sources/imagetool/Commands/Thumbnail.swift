// imagetool thumbnail: small pictures of large files, without holding the large picture.

import ArgumentParser
import ImageCodecs

struct Thumbnail: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write small versions; large files are never held whole where the format allows.",
        discussion: """
            The box is fitted after the EXIF orientation is applied; pictures are never enlarged. fit stays \
            inside the box, fill covers it without cropping, stretch takes its size exactly. What says how the \
            colours are meant (ICC profile, gamma and the like) goes with the picture, other metadata stays behind.

            EXAMPLES:
              imagetool thumbnail photo.png --size 400x300 -o small.png
              imagetool thumbnail *.png --size 256x256 --fit fill -o thumbnails/
              imagetool thumbnail huge.png --limit-bytes 4M -o smaller.png
            """)

    @OptionGroup var input: InputArguments
    @OptionGroup var output: OutputArguments

    @Option(help: ArgumentHelp("The box.", valueName: "WxH"))
    var size: PixelSize?

    @Option(help: "How the picture is fitted into the box.")
    var fit = DecodingOptions.Fit.fit

    @Option(help: ArgumentHelp("Most bytes of decoded pixels, instead of a box.", valueName: "bytes"))
    var limitBytes: ByteCount?

    @OptionGroup var reduction: ReductionArguments

    @Option(help: "0 ... 1: compression effort of lossless formats, fidelity of lossy ones.")
    var quality: Double?

    @Flag(help: "Write all metadata, not only what says how the colours are meant.")
    var keepMetadata = false

    @Flag(help: "Write no metadata at all.")
    var stripMetadata = false

    @OptionGroup var decoding: DecodingArguments
    @OptionGroup var batch: BatchArguments

    func validate() throws {
        try output.validate(inputs: input.files)
        if keepMetadata, stripMetadata {
            throw ValidationError("--keep-metadata and --strip-metadata exclude each other")
        }
        if (size == nil) == (limitBytes == nil) { throw ValidationError("give either --size or --limit-bytes") }
        if let quality, !(0...1).contains(quality) { throw ValidationError("--quality must be from 0 to 1") }
    }

    func run() throws {
        var options = decoding.options
        options.pixelFormat = nil
        options.size = DecodingOptions.OutputSize(box: size, fit: fit, limitBytes: limitBytes?.bytes)
        options.thumbnailQuality = reduction.thumbnailQuality
        options.firstFrameOnly = true
        var encoding = EncodingOptions()
        encoding.quality = quality
        let (location, format) = try output.resolve(inputs: input.files)
        let job = PictureJob(
            decoding: options, encoding: encoding, format: format, pixelFormat: .rgba,
            keptMetadata: keepMetadata ? .all : stripMetadata ? .none : .colors, location: location,
            protection: output.overwriting.protection(of: input.files))
        try batch.run(input.files, job.run)
    }
}
