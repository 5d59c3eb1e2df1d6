// Options about what commands that write files say of each.

import ArgumentParser
import ImageCodecs

/// Options with which a command says what it did and how long it took.
protocol VerbosityOption {
    var verbose: Bool { get }
}

extension VerbosityOption {
    /// Says what was done.
    func say(_ words: String, about path: String, since start: ContinuousClock.Instant) {
        if verbose { StandardError.write(Self.words(words, since: start), about: path) }
    }

    /// Does the work on a file and says how long it took.
    func timing(_ words: String, _ work: () -> Outcome) -> Outcome {
        guard verbose else { return work() }
        let start = ContinuousClock.now
        var outcome = work()
        if !outcome.isSkipped, outcome.failure == nil { outcome.remarks.append(Self.words(words, since: start)) }
        return outcome
    }

    private static func words(_ words: String, since start: ContinuousClock.Instant) -> String {
        "\(words), \(start.duration(to: .now).seconds) s"
    }
}

/// That alone, for commands that say nothing else of a file.
struct VerbosityArguments: ParsableArguments, VerbosityOption {
    @Flag(help: Self.help)
    var verbose = false

    static let help: ArgumentHelp = "Say on standard error what was done and how long it took."
}

/// For commands whose results are JSON whether or not somebody asks for it.
struct JSONByDefaultArguments: ParsableArguments {
    @Flag(help: "Print JSON; this is the default.")
    var json = false
}

/// What is said of every file, shared by commands that write or list some.
struct ReportArguments: ParsableArguments, VerbosityOption {
    @Flag(
        help: """
            Print one JSON object for each file, or for each frame where frames are written: what it gave, or what failed.
            """)
    var json = false

    @Flag(help: VerbosityArguments.help)
    var verbose = false

    /// Refuses objects among the bytes of a picture.
    func validate(writingTo location: OutputLocation) throws {
        if json, case .standardOutput = location.place {
            throw ValidationError("--json prints on standard output, where the picture goes: name a file with -o")
        }
    }

    /// Does the work on a file and says what came of it.
    func reporting(_ path: String, _ work: () -> Outcome) -> Outcome {
        guard json || verbose else { return work() }
        let start = ContinuousClock.now
        return described(work(), path, since: start)
    }

    /// Says what was made of a file, or of all files together.
    func printResult(
        _ path: String, of input: String? = nil, _ format: OutputFormat, size: PixelSize, warnings: [String] = [],
        since start: ContinuousClock.Instant
    ) {
        guard path != "-" else { return }
        let byteCount = FileStatus(ofFileAt: path)?.byteCount ?? 0
        let written = WrittenFile(path: path, format: format, size: size, byteCount: byteCount)
        let subject = input ?? path
        if json { StandardOutput.write(Outcome(warnings: warnings, written: written).json(for: subject).text) }
        if verbose { StandardError.write(written.words(after: start.duration(to: .now)), about: subject) }
    }

    /// Does the work on a file of which nothing is written alone, and makes an object of a failure.
    func reportingFailures(_ path: String, _ work: () -> Outcome) -> Outcome {
        var outcome = timing("decoded", work)
        if json, let failure = outcome.failure { outcome.output = failure.json(for: path).text }
        return outcome
    }

    /// Prints the object of a failure, if objects are printed.
    func printFailure(_ error: ImageError, about path: String) {
        if json { StandardOutput.write(error.json(for: path).text) }
    }

    private func described(_ outcome: Outcome, _ path: String, since start: ContinuousClock.Instant) -> Outcome {
        var outcome = outcome
        if let finish = outcome.finish {
            outcome.finish = { described(finish(), path, since: start) }
            return outcome
        }
        if json { outcome.output = outcome.json(for: path).text }
        if verbose, let written = outcome.written {
            outcome.remarks.append(written.words(after: start.duration(to: .now)))
        }
        return outcome
    }
}

/// A file that was written.
struct WrittenFile: Sendable {
    let path: String
    let format: OutputFormat
    /// Pixels, if they are known.
    var size: PixelSize?
    var byteCount: Int
    /// Bytes of the file that it was made of, if there is one.
    var inputByteCount: Int?

    /// One line for people.
    fileprivate func words(after time: Duration) -> String {
        let pixels = size.map { ", \($0) pixels" } ?? ""
        let before = inputByteCount.map { " of \($0)" } ?? ""
        return "written to \(path): \(format.name)\(pixels), \(byteCount)\(before) bytes, \(time.seconds) s"
    }

    fileprivate var members: [(key: String, value: JSONValue)] {
        var members: [(key: String, value: JSONValue)] = [
            ("output", .string(path)), ("format", .string(format.name)),
        ]
        if let size { members += [("width", .integer(size.width)), ("height", .integer(size.height))] }
        members.append(("byteCount", .integer(byteCount)))
        if let inputByteCount { members.append(("inputByteCount", .integer(inputByteCount))) }
        return members
    }
}

extension Duration {
    /// Seconds with three digits after the point.
    fileprivate var seconds: String { (self / .milliseconds(1) / 1000).fixed(3) }
}

extension Outcome {
    /// What came of a file, as one object.
    fileprivate func json(for path: String) -> JSONValue {
        var members: [(key: String, value: JSONValue)] = [("path", .string(path))]
        if let failure { members.append(("error", failure.members(for: path))) }
        if isSkipped { members.append(("isSkipped", .bool(true))) }
        if let written { members += written.members }
        if !warnings.isEmpty { members.append(("warnings", .array(warnings.map { .string($0) }))) }
        return .object(members)
    }
}
