// Options about results that several commands share.

import ArgumentParser
import ImageCodecs

/// Where and how results are written, shared by the commands that write pictures.
struct OutputArguments: ParsableArguments {
    @Option(
        name: [.short, .long],
        help: ArgumentHelp(
            "A file, - for standard output, or a directory for one file each; taken as a directory when it is one, "
                + "ends in a slash, or there are several inputs.", valueName: "out"))
    var output: String

    @Option(help: "What to write. (default: as the extension of the output file says, else png)")
    var format: OutputFormat?

    @OptionGroup var overwriting: OverwriteArguments

    /// Refuses outputs that make no sense, or that are inputs.
    func validate(inputs: [String]) throws {
        let (location, format) = try resolve(inputs: inputs)
        try overwriting.protection(of: inputs).validate(
            inputs.map { location.path(for: $0, fileExtension: format.fileExtension) })
    }

    /// The location, and the format it is written in.
    func resolve(inputs: [String]) throws -> (location: OutputLocation, format: OutputFormat) {
        let location = try OutputLocation(output, inputs: inputs)
        if let format { return (location, format) }
        guard let promised = location.fileExtension else { return (location, .coded(.png)) }
        guard let format = OutputFormat(name: promised) else {
            throw ValidationError("cannot write .\(promised) files; --format names what can be written")
        }
        return (location, format)
    }
}
