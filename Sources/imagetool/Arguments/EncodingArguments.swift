// Options about how results are encoded, shared by the commands that write pictures.

import ArgumentParser
import ImageCodecs

/// Commands that encode; about groups see ``DecodingCommand``.
protocol EncodingCommand: ParsableCommand {
    var quality: QualityArguments { get }
    var palette: PaletteArguments { get }
    var png: PNGArguments { get }
    var jpeg: JPEGArguments { get }
    var webP: WebPArguments { get }
}

extension EncodingCommand {
    var encoding: EncodingArguments {
        EncodingArguments(quality: quality, palette: palette, png: png, jpeg: jpeg, webP: webP)
    }
}

/// Quality, effort and size of the written file.
struct QualityArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How much a lossy format (\(OutputFormat.lossyNames.list(and: "and"))) may lose, as cjpeg and cwebp count: 100 is least. With it webp "
                + "is written with loss. Of gif it is how much strings of colours may differ to make the file smaller (usually 75, and 100 if "
                + "all colours fit), and of webp with --near-lossless how little samples change (usually 60). Other formats lose nothing and "
                + "are refused with it; see --effort.", valueName: "0-100"))
    var quality: Double?

    @Option(
        help: ArgumentHelp(
            "What a still picture is to look like, in place of a quality: its score by SSIMULACRA 2 (see compare), 90 hard to tell from the "
                + "input, 80 very good, 70 good. It is written, read and measured up to \(EncodingOptions.targetQualityAttemptCount) times: jpeg "
                + "and webp with loss by quality, png and gif with fewer and fewer colours. --max-bytes wins over it.",
            valueName: "0-100"))
    var look: Double?

    @Option(
        help: """
            How much time is taken to make the file smaller. With fast, rows of large pictures are written as they are decoded (upright \
            stills that are not interlaced), so that no picture is held, however large it is.
            """)
    var effort = EncodingOptions.Effort.default

    @Option(
        help: ArgumentHelp(
            "Most bytes of the written file; jpeg and webp lower the quality, png and gif take colours "
                + "away, then pictures get smaller; with --lossless only more effort is tried. K, M and G are powers of 1024.",
            valueName: "size"))
    var maxBytes: ByteCount?

    @Flag(
        help: """
            Lose nothing; refused for formats that always lose something, but for jpeg made of jpeg, which keeps its coefficients. (webp without this, --lossy and --quality: as the input, so with \
            loss if that is jpeg or lossy webp)
            """)
    var lossless = false

    @Flag(help: "Print the processor seconds of decoding and encoding on standard error.")
    var timing = false

    func validate() throws {
        if let quality, !(0...100).contains(quality) { throw ValidationError("--quality must be from 0 to 100") }
        if let look, !(0...100).contains(look) { throw ValidationError("--look must be from 0 to 100") }
        if look != nil, quality != nil { throw ValidationError("--look and --quality exclude each other") }
        if look != nil, lossless { throw ValidationError("--look and --lossless exclude each other") }
        if lossless, quality != nil { throw ValidationError("--lossless and --quality exclude each other") }
    }
}

/// Everything about how files are written.
struct EncodingArguments {
    let quality: QualityArguments
    let palette: PaletteArguments
    let png: PNGArguments
    let jpeg: JPEGArguments
    let webP: WebPArguments

    /// Refuses options that exclude each other.
    func validate() throws {
        if quality.lossless, let option = palette.given.first {
            throw ValidationError("--lossless and \(option) exclude each other")
        }
        if quality.lossless, webP.nearLossless {
            throw ValidationError("--lossless and --near-lossless exclude each other")
        }
        if quality.lossless, webP.choosesLoss { throw ValidationError("--lossless and --auto exclude each other") }
        if quality.lossless, webP.lossy { throw ValidationError("--lossless and --lossy exclude each other") }
    }

    /// Refuses options that mean nothing for a format.
    ///
    /// - Parameter keepsCoefficients: whether JPEG files may be made of others without loss.
    func validate(for format: OutputFormat, keepsCoefficients: Bool = false) throws {
        do throws(ImageError) {
            let isLossless = quality.lossless && !(keepsCoefficients && format.isJPEG)
            try format.check(options, isLossless: isLossless, optionOf: { "--\($0)" })
        } catch {
            throw ValidationError(error.description)
        }
        if case .coded(.jpeg) = format {
        } else if let option = jpeg.given.first {
            throw ValidationError("\(option) is for jpeg files alone")
        }
        if case .coded(.webP) = format {
        } else if let option = webP.given.first {
            throw ValidationError("\(option) is for webp files alone")
        }
        if case .coded(.gif) = format { return }
        if case .coded(.png) = format {
            guard palette.dither != nil, palette.colors == nil, quality.maxBytes == nil, quality.look == nil else {
                return
            }
            throw ValidationError(
                "--dither is for pictures that lose colours: it needs --colors, --max-bytes or --look")
        }
        if let option = palette.given.first { throw ValidationError("\(option) is for png and gif files alone") }
        if png.interlace { throw ValidationError("--interlace is for png and gif files alone") }
    }

    var options: EncodingOptions {
        var options = EncodingOptions()
        options.quality = quality.quality.map { $0 / 100 }
        options.targetQuality = quality.look
        options.effort = quality.effort
        options.maxFileByteCount = quality.maxBytes?.bytes
        options.png.isInterlaced = png.interlace
        options.keepsPixels = quality.lossless
        options.png.colorCount = palette.colors
        options.png.dithering = palette.dither?.dithering ?? .automatic
        options.gif.isInterlaced = png.interlace
        options.gif.colorCount = palette.colors ?? options.gif.colorCount
        options.gif.dithering = palette.dither?.dithering ?? options.gif.dithering
        options.jpeg = jpeg.options
        options.webp = webP.options
        options.embedsThumbnail = jpeg.embedThumbnail
        if quality.timing { options.stopwatch = ProcessorStopwatch() }
        return options
    }
}

/// What is about formats that can have a palette.
struct PaletteArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Most colours of a png file or of a gif's color table, 2 to 256: a picture that has more loses some.",
            valueName: "count"))
    var colors: Int?

    @Option(
        help: """
            What is done about colours that were lost: none leaves steps, noise makes a fixed fine pattern, diffusion lets neighbours make \
            up for it. (default: diffusion, none for png with --effort fast)
            """)
    var dither: DitheringMethod?

    func validate() throws {
        if let colors, !(2...256).contains(colors) { throw ValidationError("--colors must be from 2 to 256") }
    }

    /// The options that were given.
    var given: [String] { [colors.map { _ in "--colors" }, dither.map { _ in "--dither" }].compactMap { $0 } }
}

/// A method of dithering, as it is called on the command line.
enum DitheringMethod: String, CaseIterable, ExpressibleByArgument {
    case none, noise, diffusion

    var dithering: Dithering {
        switch self {
        case .none: .none
        case .noise: .blueNoise
        case .diffusion: .default
        }
    }
}

/// What PNG and GIF files have.
struct PNGArguments: ParsableArguments {
    @Flag(
        help:
            "Interlace the picture (Adam7, or GIF's four passes), so that a coarse one is there early; the file gets larger."
    )
    var interlace = false
}

/// What only JPEG files have.
struct JPEGArguments: ParsableArguments {
    @Option(
        name: .customLong("sampling"),
        help: ArgumentHelp(
            "How many colour samples there are. (default: 4:4:4 at quality 100, 4:2:0 with --effort fast, else by picture and quality)",
            valueName: "ratio"))
    var subsampling: JPEGSubsampling?

    @Flag(
        inversion: .prefixedNo,
        help: "Write scans that sharpen the picture as it loads. (default: yes, but not with --effort fast)")
    var progressive: Bool?

    @Option(help: ArgumentHelp("MCUs between two restart markers, 0 for none.", valueName: "mcus"))
    var restartInterval: Int?

    @Flag(help: "Allow sides of 65501 to 65535 pixels, which libjpeg, and so most programs, cannot read.")
    var longSides = false

    @Flag(help: "Embed a small preview in the EXIF data.")
    var embedThumbnail = false

    func validate() throws { try Self.checkRestartInterval(restartInterval) }

    /// Refuses an interval that no file can state.
    static func checkRestartInterval(_ mcus: Int?) throws {
        guard let mcus, !(0...65535).contains(mcus) else { return }
        throw ValidationError("--restart-interval must be from 0 to 65535")
    }

    /// The options that were given.
    var given: [String] {
        [
            subsampling.map { _ in "--sampling" }, progressive.map { $0 ? "--progressive" : "--no-progressive" },
            restartInterval.map { _ in "--restart-interval" }, longSides ? "--long-sides" : nil,
            embedThumbnail ? "--embed-thumbnail" : nil,
        ].compactMap { $0 }
    }

    var options: JPEGEncodingOptions {
        var options = JPEGEncodingOptions()
        options.subsampling = subsampling
        options.isProgressive = progressive
        options.restartInterval = restartInterval ?? 0
        options.allowsLongSides = longSides
        return options
    }
}

/// What only WebP files have.
struct WebPArguments: ParsableArguments {
    @Flag(help: "Write with loss, whatever the input is.")
    var lossy = false

    @Flag(
        name: .customLong("auto"),
        help: "Write with loss or without, whichever file is shorter at this --quality (usually 75) or --look.")
    var choosesLoss = false

    @Option(
        help: ArgumentHelp(
            "How much alpha of a still picture with loss may lose: 100 nothing, 70 all but 16 levels.",
            valueName: "0-100"))
    var alphaQuality: Double?

    @Option(
        help: ArgumentHelp(
            "Partitions of the coefficients of pictures with loss, 1, 2, 4 or 8: decoders may read several at once.",
            valueName: "count"))
    var partitions: Int?

    @Flag(help: "Change samples a little where that makes the file smaller; --quality says how little.")
    var nearLossless = false

    @Flag(
        name: .customLong("exact"),
        help: "Keep the colours of pixels with alpha 0, which are not seen, in files without loss.")
    var keepsInvisibleColors = false

    /// The options that were given.
    var given: [String] {
        [
            lossy ? "--lossy" : nil, choosesLoss ? "--auto" : nil, alphaQuality.map { _ in "--alpha-quality" },
            partitions.map { _ in "--partitions" }, nearLossless ? "--near-lossless" : nil,
            keepsInvisibleColors ? "--exact" : nil,
        ].compactMap { $0 }
    }

    func validate() throws {
        if lossy, nearLossless { throw ValidationError("--lossy and --near-lossless exclude each other") }
        if choosesLoss, lossy || nearLossless {
            throw ValidationError("--auto and \(lossy ? "--lossy" : "--near-lossless") exclude each other")
        }
        if let alphaQuality, !(0...100).contains(alphaQuality) {
            throw ValidationError("--alpha-quality must be from 0 to 100")
        }
        if let partitions, ![1, 2, 4, 8].contains(partitions) {
            throw ValidationError("--partitions must be 1, 2, 4 or 8")
        }
    }

    var options: WebPEncodingOptions {
        var options = WebPEncodingOptions()
        if lossy { options.isLossless = false }
        options.choosesLoss = choosesLoss
        options.alphaQuality = alphaQuality.map { $0 / 100 } ?? 1
        options.tokenPartitionCount = partitions ?? 1
        options.isNearLossless = nearLossless
        options.keepsInvisibleColors = keepsInvisibleColors
        return options
    }
}
