// Where files that stay what they are go.

import ArgumentParser
import ImageCodecs

/// A command that writes files anew in their own format.
protocol RewritingCommand: ParsableCommand {
    var output: RewritingArguments { get }
    var overwriting: OverwriteArguments { get }
    var report: ReportArguments { get }
}

extension RewritingCommand {
    var results: RewrittenFiles { RewrittenFiles(output: output.output, overwriting: overwriting, report: report) }
}

/// Where results of such a command go.
struct RewritingArguments: ParsableArguments {
    @Option(
        name: [.short, .long],
        help: ArgumentHelp(
            "A file, - for standard output, a folder for one file each, or a pattern with {name}, {stem}, {ext}. (default: each "
                + "file itself, with --force)", valueName: "out"))
    var output: String?
}

/// Where and how they are written.
struct RewrittenFiles {
    let output: String?
    let overwriting: OverwriteArguments
    let report: ReportArguments

    /// Where results go.
    func location(for input: InputArguments) throws -> OutputLocation {
        guard let output else {
            let location = OutputLocation(without: .inputs, for: input)
            if case .inputs = location.place, !overwriting.force {
                throw ValidationError(
                    "say where to write with -o, or let files be replaced by their results with --force")
            }
            return location
        }
        return try OutputLocation(output, mayBeMany: input.mayBeMany, inputs: input.files)
    }

    /// Refuses outputs that make no sense whatever the inputs are.
    func validate(_ input: InputArguments) throws {
        try report.validate(writingTo: location(for: input))
    }

    /// Which result goes where, and what watches over the inputs.
    func plan(for input: InputArguments) throws -> (plan: OutputFilePlan, protection: InputProtection) {
        let location = try location(for: input)
        let inputs = try input.resolved(outputFolder: location.folder)
        let protection = overwriting.protection(of: inputs)
        let plan = OutputFilePlan(location, inputs: inputs, protection: protection) { input in
            OutputFormat(of: input) ?? OutputFormat(name: FilePath.splitExtension(input.name).fileExtension ?? "")
        }
        try protection.validate(plan.knownPaths)
        return (plan, protection)
    }
}
