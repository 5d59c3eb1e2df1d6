// imagetool metadata: what files say about their pictures, changed without touching a pixel.

import ArgumentParser
import ImageCodecs
import ImagePipeline

struct Metadata: RewritingCommand {
    static let configuration = CommandConfiguration(
        abstract: "Set and remove metadata of JPEG, PNG, GIF and WebP files without touching a pixel.",
        discussion: """
            Nothing is decoded, and whatever is not asked for stays as it is, byte for byte; so do segments and chunks that imagetool does not \
            know, with --strip too. Only EXIF and XMP blocks that readers pass over, second and damaged ones, go with every change, and so do \
            texts and times of PNG files that cannot be read. GIF files have comments, an XMP packet and a profile, and no place for tags. Changes are made in this order: --strip, --strip-gps, --remove, --place, --set. `imagetool info --all` \
            prints what a file has.

            A TAG is a name of the EXIF standard (Artist, DateTimeOriginal, FNumber), or directory and number: main:0x010E; directories are \
            main, exif, interoperability, gps and thumbnail. A VALUE is text, or numbers with spaces between them; fractions are written 1/250 or 2.8.

            Notes of camera makers stay where they are in the EXIF data, so that they can still be read. --strip-gps does not look into them. \
            It and --place remove other places, those in XMP packet and IPTC data among them: positions and names (City, State, Country, \
            Location). What follows a picture in a JPEG or PNG file \
            (second pictures, films) stays, with metadata of its own; that is warned about. --strip and --remove pictures remove second pictures and gain maps \
            that an index (MPF) lists; if they stay, the index says where they are now. \
            Without -o, and with the input's own name, --force replaces it.

            EXAMPLES:
              imagetool metadata photo.jpg -o clean.jpg --strip-gps
              imagetool metadata photo.jpg -o signed.jpg --set 'Artist=Ada' --set 'Copyright=2024 Ada'
              imagetool metadata photo.jpg -o placed.jpg --place 52.5163,13.3777,34
              imagetool metadata *.jpg -o small/ --remove thumbnail --remove MakerNote
              imagetool metadata --force photo.jpg --strip-gps
              imagetool metadata --recursive --force site --strip
            """)

    @OptionGroup(title: "Input")
    var input: InputArguments

    @OptionGroup(title: "Changes")
    var edit: MetadataEditArguments

    @OptionGroup(title: "Output")
    var output: RewritingArguments

    @OptionGroup(title: "Output")
    var overwriting: OverwriteArguments

    @OptionGroup(title: "Output")
    var report: ReportArguments

    @OptionGroup(title: "Many files")
    var batch: BatchArguments

    @OptionGroup(title: "Limits")
    var limits: LimitArguments

    func validate() throws { try results.validate(input) }

    func run() throws {
        let (plan, protection) = try results.plan(for: input)
        let job = MetadataJob(
            edit: try edit.edit(), limits: limits.limits, plan: plan, protection: protection, budget: batch.budget)
        let report = report
        try batch.run(plan.inputs, advice: .reading) { file in report.reporting(file.path) { job.run(file) } }
    }
}

/// Reads one file and writes it with other metadata.
private struct MetadataJob: Sendable {
    let edit: MetadataEdit
    let limits: DecodingLimits
    let plan: OutputFilePlan
    let protection: InputProtection
    let budget: DecodingBudget

    @Sendable func run(_ file: InputFile) -> Outcome {
        do throws(ImageError) {
            var reader = try FileReader(picture: file, limits: limits)
            let data = try reader.readToEnd()
            let format = data.withBytes { ImageFormat(sniffing: $0) } ?? .png
            let path = plan.path(for: file, size: PixelSize(width: 0, height: 0), format: .coded(format))
            try OutputFormat.check(path, staysA: format)
            // The file, and the new one.
            let edited = try budget.withBytes(blockingFor: data.count.multipliedSaturated(by: 2)) {
                () throws(ImageError) in
                try CoderRegistry.shared.editingMetadata(of: data, limits: limits) { (metadata) throws(ImageError) in
                    try edit.apply(to: &metadata)
                }
            }
            try protection.write(to: path, of: file.path, in: plan.location.folder(of: path)) {
                (output) throws(ImageError) in
                try edited.withBytes { (bytes) throws(ImageError) in try output.write(bytes) }
            }
            guard path != "-" else { return Outcome(warnings: warnings(edited)) }
            let name = file.path.replacingControlCharacters
            return Outcome(
                output: "\(name): \(data.count) -> \(edited.count) bytes", warnings: warnings(edited),
                written: WrittenFile(
                    path: path, format: .coded(format), byteCount: edited.count, inputByteCount: data.count))
        } catch {
            return Outcome(failure: error)
        }
    }

    /// What may still tell the place, though it was to be removed or changed.
    private func warnings(_ data: ImageData) -> [String] {
        guard edit.changesLocation, let trailing = (try? ImageInfo(data))?.trailingByteCount, trailing > 0 else {
            return []
        }
        return ["\(trailing) bytes after the picture stay as they are, with metadata of their own if they have any"]
    }
}

extension OutputFormat {
    /// Refuses a name that promises another format than a file has and keeps.
    static func check(_ path: String, staysA format: ImageFormat) throws(ImageError) {
        let name = FilePath.splitExtension(FilePath.name(path)).fileExtension
        let others = [ImageFormat.png, .jpeg, .webP, .gif].filter { $0 != format }
        guard others.contains(where: { $0.hasExtension(name) }) else { return }
        throw .invalidArgument(
            "a \(format.name) file stays one: \(path.replacingControlCharacters) is called otherwise")
    }
}

extension ImageFormat {
    /// Whether files of the format may end in this.
    func hasExtension(_ name: String?) -> Bool {
        name.map { fileExtensions.contains($0.lowercased()) } ?? false
    }
}
