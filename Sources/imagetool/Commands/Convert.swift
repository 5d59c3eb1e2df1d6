// imagetool convert: any readable file into any writable format.

import ArgumentParser
import ImageCodecs

struct Convert: DecodingCommand, EncodingCommand, WritingCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write pictures in another format.",
        discussion: """
            Pixels are passed on in the file's own samples, so nothing is lost between lossless formats. The \
            EXIF orientation is applied to the pixels. Colour profiles go along; colours are converted to sRGB \
            with --srgb, and if the format has no place for what says how they are meant, or hardly anyone reads it (gif made of others). Animations keep all frames, their durations and the number of plays \
            if the format has animations (png, apng, gif, webp); else, and with --first-frame, the first frame is written. GIF files lose \
            colours if a frame has more than 256, and translucency; what was lost is said. Formats without \
            alpha show transparent pictures over --background, or over white. A result replaces an older file at once or not at all; an input is \
            replaced only with --force.

            With --lossless a JPEG file made of another keeps its coefficients: it is turned as EXIF says (the tag is reset), cut, turned and \
            mirrored by whole MCUs, of 8x8 pixels to 16x16 as a rule. So --crop begins where one does, and may give a few more pixels to the left and \
            above; --edges says what is done with an incomplete last column or row that would come first. A preview in the EXIF data is turned with \
            the picture; other previews and second pictures are left out when the picture is changed. --paste replaces a part by another \
            JPEG file of the same encoder and quality.

            Results in a folder are what their inputs are, as far as that can be written: JPEG files are coded anew and lose a little (not with \
            --lossless, optimize and metadata). --format, and options that only other formats have, decide otherwise. With --format and without -o each \
            result goes beside its input.

            No result replaces another of the same run: where two inputs ask for one name, the second is called after \
            its whole file name (x.jpg.png), others get numbers (x-2.png). Folders with --recursive have the same \
            folders in the output folder. --no-clobber and --skip-newer never skip a result whose name more than one input \
            asked for: another run may have given that name to another picture.

            EXAMPLES:
              imagetool convert photo.jpg -o photo.png
              imagetool convert photo.png --format jpeg
              imagetool convert huge.png -o huge.jpg --quality 85 --effort fast
              imagetool convert *.png -o converted/ --format pam --jobs 4
              imagetool convert --recursive photos -o 'flat/{stem}.{ext}' --no-clobber
              imagetool convert big.png -o small.png --max-size 1600x1200 --strip-metadata
              imagetool convert photo.jpg -o face.png --crop 300x300+120+80 --rotate 90
              imagetool convert --lossless --rotate 90 --edges trim photo.jpg -o turned.jpg
              imagetool convert --lossless photo.jpg -o upright.jpg
              imagetool convert --lossless page.jpg --paste stamp.jpg+640+32 -o stamped.jpg
              imagetool convert print.jpg -o screen.jpg --srgb
              imagetool convert movie.gif -o movie.png
              imagetool convert movie.gif -o third.png --frame 2
              imagetool convert movie.webp -o movie.gif
              imagetool convert movie.gif -o movie.webp
              imagetool convert - -o - --format raw --pixel-format bgraPremultiplied < photo.png > pixels
            """)

    @OptionGroup(title: "Input")
    var input: InputArguments

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

    @OptionGroup(title: "Picture")
    var picture: ConvertArguments

    @OptionGroup(title: "Picture")
    var reduction: ReductionArguments

    @OptionGroup(title: "Picture")
    var change: ChangeArguments

    @OptionGroup(title: "JPEG made of JPEG with --lossless")
    var surgery: SurgeryArguments

    @OptionGroup(title: "Many files")
    var batch: BatchArguments

    @OptionGroup(title: "Decoding")
    var strictness: StrictnessArguments

    @OptionGroup(title: "Limits")
    var limits: LimitArguments

    func validate() throws {
        let keepsCoefficients = picture.maxSize == nil && !picture.srgb && change.frame == nil
        try results.validate(input, encoding, keepsCoefficients: keepsCoefficients)
        if !quality.lossless, let option = surgery.given.first {
            throw ValidationError("\(option) goes with --lossless")
        }
        if picture.firstFrame, change.frame != nil {
            throw ValidationError("--first-frame and --frame exclude each other")
        }
    }

    func run() throws {
        var options = decoding.options
        options.pixelFormat = nil
        reduction.apply(to: &options)
        options.appliesOrientation = !picture.ignoresOrientation
        options.convertsToSRGB = picture.srgb
        var written = encoding.options
        written.background = picture.background?.components
        written.metadata = picture.stripMetadata ? .none : .all
        var conversion = PictureConversion(
            decoding: options, reduction: PictureReduction(size: picture.maxSize), encoding: written,
            pixelFormat: picture.pixelFormat)
        conversion.isLossless = quality.lossless
        conversion.wantsAllFrames = !picture.firstFrame
        conversion.pictureChange = change.change
        conversion.surgery = surgery.transformation
        conversion.pastedFiles = surgery.paste
        try results.run(conversion, on: input, encoding, batch, advice: decoding.advice)
    }
}

/// What is changed about a picture that is converted.
struct ConvertArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Shrink to fit into this box: 1600x1200, 1600 (both sides), 1600x, x1200, or 50%; never enlarges.",
            valueName: "size"))
    var maxSize: SizeRequest?

    @Option(help: ArgumentHelp("Lay transparent pixels over this colour.", valueName: "rrggbb"))
    var background: OpaqueColor?

    @Flag(help: "Convert colours to sRGB.")
    var srgb = false

    @Flag(help: "Write no metadata.")
    var stripMetadata = false

    @Flag(help: "Write the first frame of animations alone, as a still picture.")
    var firstFrame = false

    @Flag(name: .customLong("no-orientation"), help: "Leave the pixels as they are stored, whatever EXIF says.")
    var ignoresOrientation = false

    @Option(help: "The pixels of a raw file.")
    var pixelFormat = PixelFormat.rgba
}
