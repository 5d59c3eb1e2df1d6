// imagetool optimize: PNG, JPEG, GIF and WebP files made smaller without changing a pixel.

import ArgumentParser
import ImageCodecs
import ImageColor
import ImagePipeline
import JPEGCodec

struct Optimize: RewritingCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make PNG, JPEG, GIF and WebP files smaller without changing a pixel.",
        discussion: """
            Of PNG files the smallest colour type, bit depth and palette are chosen, several ways of filtering are tried, those of the \
            file among them, and the result is compressed as well as it gets. JPEG files keep their coefficients and get Huffman tables and \
            scans that fit them; what follows the picture stays, and an index of second pictures and gain maps is mended. Of WebP files every lossless picture and frame is coded \
            anew, and stays as it is if that is no shorter; of lossy ones only what stands around the pictures is cleaned, which is said. \
            GIF files and animated PNG files are decoded and written as well as it gets: equal frames become one, what of each is \
            written is chosen anew, and the result is used if it shows the same pictures for the same times. Animated PNG files of 16 \
            bits a sample stay as they are. \
            A line for each file says what was saved. A file that gets no smaller is written as it is.

            With --srgb colours become those of sRGB first, and what said how they were meant goes: of PNG, GIF and lossless WebP files. A JPEG or lossy \
            WebP file with other colours is refused, as its pixels would be coded anew and lose something: convert --srgb does that.

            Metadata are kept (EXIF, colour profile, XMP, texts, density, time) unless --metadata asks for less; private chunks \
            of PNG files are left out, and named if they could have been copied. Without all metadata, JPEG files lose what follows the \
            picture too. PNG files are not interlaced unless --interlace asks for it. A file stays what it is, and its \
            result has to be called so. Without -o, and with the input's own name, --force replaces it.

            EXAMPLES:
              imagetool optimize logo.png -o smaller.png
              imagetool optimize --metadata none *.png *.webp -o smaller/
              imagetool optimize --recursive --force site --jobs 2
              imagetool optimize --srgb wide.png -o web.png
              imagetool optimize --no-progressive photo.jpg -o baseline.jpg
            """)

    @OptionGroup(title: "Input")
    var input: InputArguments

    @OptionGroup(title: "Output")
    var output: RewritingArguments

    @OptionGroup(title: "Output")
    var overwriting: OverwriteArguments

    @OptionGroup(title: "Output")
    var report: ReportArguments

    @OptionGroup(title: "Output")
    var writing: OptimizingArguments

    @OptionGroup(title: "Many files")
    var batch: BatchArguments

    @OptionGroup(title: "Limits")
    var limits: LimitArguments

    func validate() throws {
        try results.validate(input)
        let location = try results.location(for: input)
        if let name = location.fileExtension, !OptimizeJob.formats.contains(where: { $0.hasExtension(name) }) {
            throw ValidationError("optimize writes png, jpeg, gif and webp files, not .\(name)")
        }
    }

    func run() throws {
        let (plan, protection) = try results.plan(for: input)
        var options = EncodingOptions()
        options.effort = writing.effort
        options.metadata = writing.metadata
        options.png.isInterlaced = writing.interlace
        options.jpeg.isProgressive = writing.progressive
        options.jpeg.restartInterval = writing.restartInterval ?? 0
        options.webp.keepsInvisibleColors = true
        let limits = limits.limits
        options.limits = EncodingLimits(maxMemoryByteCount: limits.maxMemoryByteCount, maxTime: limits.maxTime)
        let progress = batch.progressLog(for: plan.inputs)
        options.progress = progress
        let job = OptimizeJob(
            options: options, limits: limits, strictness: writing.tolerant ? .tolerant : .strict,
            convertsToSRGB: writing.srgb, plan: plan, protection: protection, budget: batch.budget)
        let report = report
        try batch.run(plan.inputs, advice: .reading, progress: progress) { file in
            report.reporting(file.path) { job.run(file) }
        }
    }
}

/// How files are optimized.
struct OptimizingArguments: ParsableArguments {
    @Option(help: "How much time is taken.")
    var effort = EncodingOptions.Effort.best

    @Option(help: "What is kept of the metadata: all, colors (what says how samples are meant) or none.")
    var metadata = EncodingOptions.MetadataPolicy.all

    @Flag(help: "Convert colours to sRGB.")
    var srgb = false

    @Flag(help: "Write interlaced PNG files, which are larger.")
    var interlace = false

    @Flag(
        inversion: .prefixedNo,
        help: "Write JPEG files with scans that sharpen the picture. (default: if that is smaller)")
    var progressive: Bool?

    @Option(help: ArgumentHelp("MCUs between two restart markers of JPEG files, 0 for none.", valueName: "mcus"))
    var restartInterval: Int?

    @Flag(help: "Copy JPEG files that are damaged up to the damage.")
    var tolerant = false

    func validate() throws { try JPEGArguments.checkRestartInterval(restartInterval) }
}

/// Reads one file and writes it anew.
private struct OptimizeJob: Sendable {
    /// What can be optimized.
    static let formats = [ImageFormat.png, .apng, .jpeg, .gif, .webP]

    let options: EncodingOptions
    let limits: DecodingLimits
    let strictness: DecodingOptions.Strictness
    let convertsToSRGB: Bool
    let plan: OutputFilePlan
    let protection: InputProtection
    let budget: DecodingBudget

    @Sendable func run(_ file: InputFile) -> Outcome {
        do throws(ImageError) {
            var reader = try FileReader(picture: file, limits: limits)
            let data = try reader.readToEnd()
            let format =
                data.withBytes { ImageFormat(sniffing: $0.extracting(first: ImageFormat.sniffingByteCount)) } ?? .png
            let path = plan.path(for: file, size: PixelSize(width: 0, height: 0), format: .coded(format))
            try OutputFormat.check(path, staysA: format)
            let coding = format == .png && data.withBytes { PNGCoder.isAnimated($0) } ? .apng : format
            var damage: ImageError?
            var isConverted = false
            let optimized = try budget.withBytes(blockingFor: estimatedByteCount(data)) { () throws(ImageError) in
                let (data, hasChanged) = convertsToSRGB ? try inSRGB(data, coding) : (data, false)
                isConverted = hasChanged
                switch coding {
                case .jpeg:
                    let result = try Surgery(options, limits: limits, strictness: strictness).optimized(data)
                    damage = result.damage
                    return result.file
                case .webP: return try WebPCoder().optimized(data, options: options, limits: limits)
                case .gif, .apng:
                    return try AnimationOptimizing(format: coding, options: options, limits: limits).optimized(data)
                default: return try PNGCoder().optimized(data, options: options, limits: limits)
                }
            }
            let kinds = format == .webP ? try WebPCoder().kinds(in: data, limits: limits) : []
            try protection.write(to: path, of: file.path, in: plan.location.folder(of: path)) {
                (output) throws(ImageError) in
                try optimized.withBytes { (bytes) throws(ImageError) in try output.write(bytes) }
            }
            var unknown: String?
            // A file that gets no smaller stays as it is.
            if format == .png, options.metadata == .all,
                try UnknownChunks(.data(optimized), limits: limits).names.isEmpty
            {
                unknown = try UnknownChunks(.data(data), limits: limits).warning
            }
            let remark =
                (kinds.contains(.lossy) ? "; lossy pictures stay as they are" : "")
                + (isConverted ? "; colours are those of sRGB now" : "")
            return Outcome(
                output: path == "-" ? "" : Self.report(file.path, data.count, optimized.count) + remark,
                warnings: [unknown, damage.map { "damaged: \($0.description)" }].compactMap { $0 },
                written: WrittenFile(
                    path: path, format: .coded(format), byteCount: optimized.count, inputByteCount: data.count))
        } catch {
            return Outcome(failure: error)
        }
    }

    /// The file with the colours of sRGB, and whether it had others.
    ///
    /// - Throws: `invalidArgument` for a file with other colours whose pixels cannot be written without loss.
    private func inSRGB(_ file: ImageData, _ format: ImageFormat) throws(ImageError) -> (ImageData, Bool) {
        let info = try ImageInfo(file)
        // A profile that cannot be used is ignored, as everywhere.
        guard let words = (try? ColorWords(of: info.metadata)) ?? nil, !words.isSRGB else { return (file, false) }
        guard format != .jpeg, !info.isLossy else {
            throw .invalidArgument(
                "its colours are not those of sRGB, and converting them loses something in this format: convert --srgb does it"
            )
        }
        var conversion = ImageConversion(encoding: options)
        conversion.encoding.effort = .fast
        conversion.encoding.metadata = .all
        conversion.encoding.webp.isLossless = true
        conversion.decoding.limits = limits
        conversion.decoding.color = .converted(to: .sRGB)
        conversion.decoding.appliesOrientation = false
        var bytes: [UInt8] = []
        try conversion.convert(file, to: format) { bytes.append(contentsOf: $0) }
        return (ImageData(bytes), true)
    }

    /// The picture, its scanlines and what compresses them.
    private func estimatedByteCount(_ data: ImageData) -> Int {
        guard let info = try? ImageInfo(data) else { return data.count }
        // Coefficients and a mask of each block.
        if info.format == .jpeg {
            return info.decodedByteCount.multipliedSaturated(by: 2).addingSaturated(data.count * 2)
        }
        // A bitstream of WebP is coded anew from a whole picture, with all that the search for copies takes.
        let share = info.format == .webP ? 20 : info.animation == nil ? 2 : 8
        return info.estimatedPeakByteCount.addingSaturated(info.decodedByteCount.multipliedSaturated(by: share))
            .addingSaturated(data.count)
    }

    private static func report(_ path: String, _ before: Int, _ after: Int) -> String {
        let name = path.replacingControlCharacters
        guard after < before else { return "\(name): \(before) bytes, no smaller" }
        let thousandths = ((before - after) * 1000 + before / 2) / before
        return "\(name): \(before) -> \(after) bytes (\(thousandths / 10).\(thousandths % 10) % less)"
    }
}
