// Originals are not for overwriting: no result goes where an input came from, unless that is asked for, and none ever
// goes where another input came from.

import ArgumentParser
import ImageCodecs

/// Whether inputs may be overwritten, shared by the commands that write files.
struct OverwriteArguments: ParsableArguments {
    @Flag(help: "Let each result replace its own input file, and let pictures go to a terminal.")
    var force = false

    /// What watches over the inputs of a command line.
    func protection(of inputs: [InputFile]) -> InputProtection {
        InputProtection(inputs.map(\.path), isForced: force)
    }
}

/// The files a command reads, told apart by what they are and not by their names: `./a.png`, a symbolic link and
/// another hard link are all the same file.
struct InputProtection: Sendable {
    private let inputs: [FileStatus.Identity: String]
    /// What each of those was before anything was written.
    private let identities: [String: FileStatus.Identity]
    private let isForced: Bool

    /// Remembers the regular files among `inputs`, standard input included.
    ///
    /// - Parameter isForced: whether an input may be replaced by its own result.
    init(_ inputs: [String], isForced: Bool = false) {
        var known: [FileStatus.Identity: String] = [:]
        var identities: [String: FileStatus.Identity] = [:]
        for path in inputs {
            let status = path == "-" ? FileStatus(ofDescriptor: 0) : FileStatus(ofFileAt: path)
            guard let status, status.kind == .regular else { continue }
            known[status.identity] = path
            identities[path] = status.identity
        }
        self.inputs = known
        self.identities = identities
        self.isForced = isForced
    }

    /// Whether results may replace their own inputs, and `output` is an input of another result than that of `input`.
    func belongsToAnother(_ output: String, than input: String) -> Bool {
        guard isForced, let identity = Self.identity(ofOutput: output) else { return false }
        return inputs[identity] != nil && identities[input] != identity
    }

    /// Refuses to write to `output` when that is an input.
    ///
    /// - Parameter input: what the result is made of; `nil` for all inputs together.
    func check(_ output: String, of input: String?) throws(ImageError) {
        guard let identity = Self.identity(ofOutput: output), let replaced = inputs[identity] else { return }
        if isForced {
            guard let input, identities[input] != identity else { return }
            throw .invalidArgument("would overwrite \(output), which is another input")
        }
        let name = replaced == "-" ? "standard input" : "the input \(replaced)"
        let relation = replaced == output ? "which is an input" : "which is the same file as \(name)"
        throw .invalidArgument("would overwrite \(output), \(relation); --force allows it")
    }

    private static func identity(ofOutput path: String) -> FileStatus.Identity? {
        (path == "-" ? FileStatus(ofDescriptor: 1) : FileStatus(ofFileAt: path))?.identity
    }

    /// Writes a result, unless it would replace an input.
    ///
    /// - Parameters:
    ///   - input: what the result is made of; `nil` for all inputs together.
    ///   - folder: where the result goes; created when it is not there.
    func write(_ bytes: [UInt8], to output: String, of input: String?, in folder: String?) throws(ImageError) {
        try prepare(output, of: input, in: folder)
        try ImageData(bytes).write(toFile: output)
    }

    /// Writes a result in pieces, unless it would replace an input; the file is there as a whole or not at all.
    ///
    /// - Parameters: as above.
    ///   - body: writes all of it.
    func write(
        to output: String, of input: String?, in folder: String?, _ body: (FileDescriptor) throws(ImageError) -> Void
    ) throws(ImageError) {
        try prepare(output, of: input, in: folder)
        try FileReplacement.write(to: output, body)
    }

    private func prepare(_ output: String, of input: String?, in folder: String?) throws(ImageError) {
        try check(output, of: input)
        if let folder { try OutputLocation.createFolder(folder) }
        if output != "-" { StaleFiles.remove(from: FilePath.folder(of: output) ?? ".") }
    }

    /// Refuses outputs that are known before any work as wrong usage.
    func validate(_ outputs: [(path: String, input: String?)]) throws {
        for output in outputs {
            do throws(ImageError) {
                try check(output.path, of: output.input)
            } catch {
                throw ValidationError(error.description.replacingControlCharacters)
            }
        }
    }
}
