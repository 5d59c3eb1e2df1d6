// imagetool convert: any readable file into any writable format.

import ArgumentParser
import ImageCodecs

struct Convert: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write pictures in another format.",
        discussion: """
            Pixels are passed on in the file's own samples, so nothing is lost between lossless formats. The \
            EXIF orientation is applied to the pixels. Formats without alpha show transparent pictures over \
            --background, or over white. A result replaces an older file at once or not at all; an input is \
            replaced only with --force.

            EXAMPLES:
              imagetool convert photo.png -o photo.ppm
              imagetool convert *.png -o converted/ --format pam --jobs 4
              imagetool convert big.png -o small.png --max-size 1600x1200 --strip-metadata
              imagetool convert - -o - --format raw --pixel-format bgraPremultiplied < photo.png > pixels
            """)

    @OptionGroup var input: InputArguments
    @OptionGroup var output: OutputArguments

    @Option(help: "0 ... 1: compression effort of lossless formats, fidelity of lossy ones.")
    var quality: Double?

    @Option(help: ArgumentHelp("Lay transparent pixels over this colour.", valueName: "rrggbb"))
    var background: OpaqueColor?

    @Option(help: ArgumentHelp("Shrink to fit into this box.", valueName: "WxH"))
    var maxSize: PixelSize?

    @OptionGroup var reduction: ReductionArguments

    @Option(help: "The pixels of a raw file.")
    var pixelFormat = PixelFormat.rgba

    @Flag(help: "Write no metadata.")
    var stripMetadata = false

    @Flag(name: .customLong("no-orientation"), help: "Leave the pixels as they are stored, whatever EXIF says.")
    var ignoresOrientation = false

    @OptionGroup var decoding: DecodingArguments
    @OptionGroup var batch: BatchArguments

    func validate() throws {
        try output.validate(inputs: input.files)
        if let quality, !(0...1).contains(quality) { throw ValidationError("--quality must be from 0 to 1") }
    }

    func run() throws {
        var options = decoding.options
        options.pixelFormat = nil
        options.size = DecodingOptions.OutputSize(box: maxSize)
        options.thumbnailQuality = reduction.thumbnailQuality
        options.appliesOrientation = !ignoresOrientation
        var encoding = EncodingOptions()
        encoding.quality = quality
        encoding.background = background?.components
        let (location, format) = try output.resolve(inputs: input.files)
        let job = PictureJob(
            decoding: options, encoding: encoding, format: format, pixelFormat: pixelFormat,
            keptMetadata: stripMetadata ? .none : .all, location: location,
            protection: output.overwriting.protection(of: input.files))
        try batch.run(input.files, job.run)
    }
}
