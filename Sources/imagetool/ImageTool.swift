// The command line's entry: subcommands, exit statuses.

import ArgumentParser
import ImageCodecs

/// Exit statuses: 0 all fine, 1 some file failed, 2 wrong usage.
@main
struct ImageTool: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "imagetool",
        abstract: "Reads, converts, shrinks, checks and times image files.",
        discussion: """
            Files are recognised by their first bytes, never by their names; - stands for standard input. \
            A file that fails costs one line on standard error, `file: message`, and the other files go on; \
            remarks that are no failures start with `file: warning:`. Results replace older files at once or not \
            at all, and input files only with --force. Where several files were worked on and some failed or were \
            skipped, the last line says how many. File names may have any bytes: those that are no UTF-8 are shown as \
            U+FFFD, and are \\uefXX in JSON, reports and requests alike, XX being the byte.

            EXIT STATUS:
              0  every file went well
              1  some file failed, or what was to be printed could not be written
              2  the command line makes no sense

            EXAMPLES:
              imagetool info photo.jpg
              imagetool thumbnail photo.jpg --size 400 -o small.png
              imagetool thumbnail --recursive photos --size 256x256 --fit fill -o thumbnails/
              imagetool convert *.jpg -o 'converted/{stem}.{ext}'
              curl -s https://example.org/a.png | imagetool checksum -
            """,
        version: "0.1.0",
        subcommands: [
            Info.self, Convert.self, Thumbnail.self, Optimize.self, Metadata.self, Animate.self, Sheet.self,
            Frames.self,
            Stream.self, Compare.self, Checksum.self, Inspect.self, Bench.self, BatchCommand.self,
        ])

    private static let usageStatus: Int32 = 2

    static func main() {
        StandardDescriptors.fillGaps()
        StandardOutput.reportsFullFiles()
        CoderRegistry.shared.add(PNMCoder(), describing: [PNMCoder.format: PNMCoder.description])
        var command: any ParsableCommand = ImageTool()
        do {
            command = try parsed(CommandLine.pathArguments)
            // A benchmark writes nothing, and measures in a child that a signal has to end at once.
            if !(command is Bench) { Interruption.removesTemporaryFiles() }
            try command.run()
            if StandardOutput.hasFailed { throw ExitCode.failure }
        } catch {
            guard exitCode(for: error) == .validationFailure else { exit(withError: error) }
            StandardError.write(usageMessage(for: error, of: type(of: command)) + "\n")
            exit(withError: ExitCode(usageStatus))
        }
    }

    /// The command of some arguments. A subcommand that understands its own is taken as it is: to find it, the parser of all would make up
    /// its options twice more, which takes longer than everything else before its work. Whatever is not understood is for that parser to answer.
    private static func parsed(_ arguments: [String]) throws -> any ParsableCommand {
        let subcommand = configuration.subcommands.first { name(of: $0) == arguments.first }
        // What it takes for a request for help is a command too.
        guard let command = try? subcommand?.parseAsRoot(Array(arguments.dropFirst())), type(of: command) == subcommand
        else { return try parseAsRoot(arguments) }
        return command
    }

    /// What is wrong, and how the command is used. An error of parsing knows its command, one of running does not.
    private static func usageMessage(for error: any Error, of command: any ParsableCommand.Type) -> String {
        guard let error = error as? ValidationError else { return fullMessage(for: error) }
        return """
            Error: \(error.message)
            Usage: \(usageString(for: command))
              See '\(helpCommand(of: command))' for more information.
            """
    }

    private static func helpCommand(of command: any ParsableCommand.Type) -> String {
        "imagetool\(command == ImageTool.self ? "" : " " + name(of: command)) --help"
    }

    private static func name(of command: any ParsableCommand.Type) -> String {
        command.configuration.commandName ?? "\(command)".lowercased()
    }
}
