// Options about results that several commands share: a command has a group for each, and what it does with all of them is here.

import ArgumentParser
import ImageCodecs

/// A command that writes pictures.
protocol WritingCommand: ParsableCommand {
    var output: OutputArguments { get }
    var overwriting: OverwriteArguments { get }
    var skipping: SkipArguments { get }
    var report: ReportArguments { get }
}

extension WritingCommand {
    var results: PictureResults {
        PictureResults(
            output: output.output, format: output.format, overwriting: overwriting, skipping: skipping, report: report)
    }
}

/// Where results go, and as what.
struct OutputArguments: ParsableArguments {
    @Option(
        name: [.short, .long],
        help: ArgumentHelp(
            "A file, - for standard output, a folder for one file each, or a pattern with {name}, {stem}, {ext}, "
                + "{width} and {height} ({{ and }} are braces). Taken as a folder when it is one, ends in a slash, or "
                + "there may be several inputs. (default: beside each input; standard output for standard input)",
            valueName: "out"))
    var output: String?

    @Option(
        help: """
            What to write. (default: as the extension of the output file says; in a folder, what each input is, but of lossy webp \
            pictures jpeg, or png if they have alpha; else png)
            """)
    var format: OutputFormat?
}

/// Where and how the results of a command are written.
struct PictureResults {
    let output: String?
    let format: OutputFormat?
    let overwriting: OverwriteArguments
    let skipping: SkipArguments
    let report: ReportArguments

    /// Where results go.
    ///
    /// - Parameter suffix: what stands after an input's name in that of a result beside it; `nil` if that would have to be told from it by
    ///   its format.
    private func location(for input: InputArguments, suffix: String?) throws -> OutputLocation {
        if let output { return try OutputLocation(output, mayBeMany: input.mayBeMany, inputs: input.files) }
        if input.isStandardInput { return OutputLocation(without: .standardOutput, for: input) }
        guard suffix != nil || format != nil else {
            throw ValidationError("say where to write with -o, or what with --format, which goes beside the input then")
        }
        // The next run would take results for inputs.
        if input.recursive { throw ValidationError("--recursive needs a folder for the results: -o folder/") }
        return OutputLocation(without: .beside(suffix ?? ""), for: input)
    }

    /// Refuses outputs that make no sense whatever the inputs are.
    func validate(
        _ input: InputArguments, _ encoding: EncodingArguments, suffix: String? = nil, keepsCoefficients: Bool = false
    ) throws {
        try encoding.validate()
        let location = try location(for: input, suffix: suffix)
        if let format = try commonFormat(at: location) {
            try encoding.validate(for: format, keepsCoefficients: keepsCoefficients)
        }
        try report.validate(writingTo: location)
        try skipping.validate(beside: overwriting)
        if case .standardOutput = location.place, StandardOutput.isTerminal, !overwriting.force {
            throw ValidationError(
                "standard output is a terminal, and a picture would fill it with bytes: redirect it, or use --force")
        }
    }

    /// The plan for the inputs of a command line.
    private func plan(
        for input: InputArguments, _ encoding: EncodingArguments, suffix: String?, keepsCoefficients: Bool
    ) throws -> OutputFilePlan {
        let location = try location(for: input, suffix: suffix)
        let inputs = try input.resolved(outputFolder: location.folder)
        let common = try commonFormat(at: location)
        return OutputFilePlan(location, inputs: inputs, protection: overwriting.protection(of: inputs)) { input in
            if let common { return common }
            if location.keepsExtension {
                return OutputFormat(name: FilePath.splitExtension(input.name).fileExtension ?? "")
            }
            return OutputFormat(like: input) {
                (try? encoding.validate(for: $0, keepsCoefficients: keepsCoefficients)) != nil
            }
        }
    }

    /// Makes and writes the pictures of all inputs.
    func run(
        _ conversion: PictureConversion, on input: InputArguments, _ encoding: EncodingArguments,
        _ batch: BatchArguments,
        advice: Advice, suffix: String? = nil, cache: ResultCache? = nil
    ) throws {
        defer { cache?.close() }
        let plan = try plan(
            for: input, encoding, suffix: suffix, keepsCoefficients: conversion.keepsCoefficients)
        let protection = overwriting.protection(of: plan.inputs)
        try protection.validate(plan.knownPaths)
        let progress = batch.progressLog(for: plan.inputs)
        var conversion = conversion
        conversion.encoding.progress = progress
        let job = PictureJob(
            conversion: conversion, plan: plan, protection: protection, skipping: skipping.rule, budget: batch.budget,
            cache: cache)
        // Results that wait for their names are held until it is their turn.
        let lookAhead = plan.location.namesSize ? 4 * batch.jobCount : nil
        let start = ProcessorStopwatch.ofProcess
        defer {
            if let stopwatch = conversion.encoding.stopwatch { Self.printTiming(stopwatch, since: start) }
        }
        let report = report
        let encodingAdvice = advice.writing(with: encoding.quality.effort)
        try batch.run(plan.inputs, advice: encodingAdvice, progress: progress, lookAhead: lookAhead) { file in
            report.reporting(file.path) { job.run(file) }
        }
    }

    /// Processor seconds of the run: those of encoding, and the rest, which reads and decodes.
    static func printTiming(_ stopwatch: ProcessorStopwatch, since start: Int) {
        let all = ProcessorStopwatch.ofProcess - start
        // Never with an exponent.
        let seconds = { (nanoseconds: Int) in
            "\(nanoseconds / 1_000_000_000).\(String(1_000_000_000 + nanoseconds % 1_000_000_000).dropFirst().prefix(6))"
        }
        StandardError.write("decode: \(seconds(max(0, all - stopwatch.nanoseconds))) s\n")
        StandardError.write("encode: \(seconds(stopwatch.nanoseconds)) s\n")
    }

    /// The format of all results; `nil` if each has that of its input or of its input's extension.
    private func commonFormat(at location: OutputLocation) throws -> OutputFormat? {
        if let format { return format }
        if location.keepsExtension || location.namesFormat { return nil }
        guard let promised = location.fileExtension else { return .coded(.png) }
        guard let format = OutputFormat(name: promised) else {
            throw ValidationError(OutputFormat.refusal(of: promised) + "; --format names what to write")
        }
        return format
    }
}

/// Which results are not written again.
struct SkipArguments: ParsableArguments {
    @Flag(
        help: """
            Leave results that are there already as they are, and do not work on their inputs. Where several inputs \
            ask for one name, theirs are written all the same.
            """)
    var noClobber = false

    @Flag(help: "The same for results that are newer than their inputs.")
    var skipNewer = false

    func validate() throws {
        if noClobber, skipNewer { throw ValidationError("--no-clobber and --skip-newer exclude each other") }
    }

    /// Refuses what makes no sense together.
    func validate(beside overwriting: OverwriteArguments) throws {
        if noClobber, overwriting.force { throw ValidationError("--no-clobber and --force exclude each other") }
    }

    var rule: SkipRule { noClobber ? .existing : skipNewer ? .newer : .none }
}

/// Whether a result is passed over.
enum SkipRule: Sendable {
    case none, existing, newer

    /// Whether the file at `output` stays as it is.
    func skips(_ input: String, _ output: String) -> Bool {
        guard self != .none, output != "-", let written = FileDetails.modificationTime(output) else { return false }
        if self == .existing { return true }
        guard input != "-", let changed = FileDetails.modificationTime(input) else { return false }
        return written > changed
    }
}
