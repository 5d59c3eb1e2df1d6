// Where files that stay what they are go.

import ArgumentParser
import ImageCodecs

/// Options about results of commands that write files anew in their own format.
struct RewritingArguments: ParsableArguments {
    @Option(
        name: [.short, .long],
        help: ArgumentHelp(
            "A file, - for standard output, a folder for one file each, or a pattern with {name}, {stem}, {ext}.",
            valueName: "out"))
    var output: String

    @OptionGroup var overwriting: OverwriteArguments

    /// Which result goes where, and what watches over the inputs.
    ///
    /// - Parameter format: that of all results, by their inputs; `nil` if each has that of its input's extension.
    func plan(
        for input: InputArguments, format: ([InputFile]) -> OutputFormat? = { _ in nil }
    ) throws -> (plan: OutputFilePlan, protection: InputProtection) {
        let location = try OutputLocation(output, mayBeMany: input.mayBeMany)
        let inputs = try input.resolved(outputFolder: location.folder)
        let protection = overwriting.protection(of: inputs)
        let plan = OutputFilePlan(location, format: format(inputs), inputs: inputs, protection: protection)
        try protection.validate(plan.knownPaths)
        return (plan, protection)
    }
}
