// imagetool thumbnail: small pictures of large files, without holding the large picture.

import ArgumentParser
import ImageCodecs

struct Thumbnail: DecodingCommand, EncodingCommand, WritingCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write small versions; large files are never held whole where the format allows.",
        discussion: """
            The box is fitted after the EXIF orientation is applied; pictures are never enlarged: one that is \
            smaller than the box stays as it is (with --fit fill, what is outside the box is cut off all the same). \
            Colours are converted to sRGB, so that no profile is needed; with --no-srgb they stay as they are, and what says how they are \
            meant (ICC profile, gamma and the like) goes with the picture. Other metadata stays behind. Of an animation \
            the first frame is shown; with --all-frames it stays an animation, if the format has those (png, apng, gif, webp).

            Without -o the thumbnail of photo.jpg is photo-thumbnail.jpg beside it. It is what the picture is, as in a folder, as far as that \
            can be written; --format decides otherwise.

            No result replaces another of the same run: where two inputs ask for one name, the second is called after \
            its whole file name (x.jpg.png), others get numbers (x-2.png). Folders with --recursive have the same \
            folders in the output folder.

            EXAMPLES:
              imagetool thumbnail photo.jpg
              imagetool thumbnail photo.jpg --size 400 -o small.png
              imagetool thumbnail photo.png --size 400 --quality 80 -o small.jpg
              imagetool thumbnail *.jpg --size 256x256 --fit fill -o thumbnails/
              imagetool thumbnail --recursive photos --size 50% --skip-newer -o thumbnails/
              imagetool thumbnail --recursive photos --size 200 --cache ~/.cache/thumbnails -o thumbnails/
              imagetool thumbnail cat.gif --size 96x96 --fit fill --all-frames -o cat.webp
              imagetool thumbnail *.jpg --size 300x -o 'small/{stem}-{width}x{height}.{ext}'
              find photos -name '*.jpg' -print0 | imagetool thumbnail --files0-from - --size 200 -o thumbnails/
            """)

    @OptionGroup(title: "Input")
    var input: InputArguments

    @OptionGroup(title: "Size")
    var sizing: SizingArguments

    @OptionGroup(title: "Size")
    var reduction: ReductionArguments

    @OptionGroup(title: "Output")
    var output: OutputArguments

    @OptionGroup(title: "Output")
    var overwriting: OverwriteArguments

    @OptionGroup(title: "Output")
    var skipping: SkipArguments

    @OptionGroup(title: "Output")
    var report: ReportArguments

    @OptionGroup(title: "Output")
    var quality: QualityArguments

    @OptionGroup(title: "Palettes")
    var palette: PaletteArguments

    @OptionGroup(title: "PNG and GIF")
    var png: PNGArguments

    @OptionGroup(title: "JPEG")
    var jpeg: JPEGArguments

    @OptionGroup(title: "WebP")
    var webP: WebPArguments

    @OptionGroup(title: "Output")
    var metadata: ThumbnailMetadataArguments

    @Flag(inversion: .prefixedNo, help: "Convert colours to sRGB.")
    var srgb = true

    @Flag(help: "Write all frames of animations.")
    var allFrames = false

    @OptionGroup(title: "Many files")
    var batch: BatchArguments

    @OptionGroup(title: "Many files")
    var cache: CacheArguments

    @OptionGroup(title: "Decoding")
    var strictness: StrictnessArguments

    @OptionGroup(title: "Limits")
    var limits: LimitArguments

    /// What stands after the name of a picture in that of its thumbnail.
    private static let suffix = "-thumbnail"

    func validate() throws { try results.validate(input, encoding, suffix: Self.suffix) }

    func run() throws {
        var options = decoding.options
        options.pixelFormat = nil
        reduction.apply(to: &options)
        options.convertsToSRGB = srgb
        var written = encoding.options
        written.metadata = metadata.policy
        var conversion = PictureConversion(decoding: options, reduction: sizing.reduction, encoding: written)
        conversion.isLossless = quality.lossless
        conversion.wantsAllFrames = allFrames
        try results.run(
            conversion, on: input, encoding, batch, advice: decoding.advice, suffix: Self.suffix,
            cache: cache.results(conversion))
    }
}

/// How large a thumbnail is, and which part of the picture it shows.
struct SizingArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The box: 300 is 300x300, 300x and x300 have one side, 50% is a share of the picture. (default: 256x256)",
            valueName: "size"))
    var size: SizeRequest?

    @Option(
        help: "fit stays inside the box, fill covers it and is cut, outside covers it uncut, stretch takes its size.")
    var fit = FitChoice.fit

    @Option(help: "Which part stays with --fit fill.")
    var gravity = Gravity.center

    @Option(help: ArgumentHelp("Most bytes of decoded pixels, instead of --size.", valueName: "bytes"))
    var limitBytes: ByteCount?

    func validate() throws {
        if size != nil, limitBytes != nil { throw ValidationError("--size and --limit-bytes exclude each other") }
        if gravity != .center, fit != .fill { throw ValidationError("--gravity goes with --fit fill") }
    }

    /// As desktops show them.
    private static let usualSize = SizeRequest.box(PixelSize(width: 256, height: 256))

    var reduction: PictureReduction {
        PictureReduction(
            size: size ?? (limitBytes == nil ? Self.usualSize : nil), fit: fit, gravity: gravity,
            limitBytes: limitBytes?.bytes)
    }
}

/// What of a file's metadata goes with its thumbnail.
struct ThumbnailMetadataArguments: ParsableArguments {
    @Flag(help: "Write all metadata, not only what says how the colours are meant.")
    var keepMetadata = false

    @Flag(help: "Write no metadata at all.")
    var stripMetadata = false

    func validate() throws {
        if keepMetadata, stripMetadata {
            throw ValidationError("--keep-metadata and --strip-metadata exclude each other")
        }
    }

    var policy: EncodingOptions.MetadataPolicy { keepMetadata ? .all : stripMetadata ? .none : .colors }
}
