// Originals are not for overwriting: no result goes where an input came from, unless that is asked for.

import ArgumentParser
import ImageCodecs

/// Whether inputs may be overwritten, shared by the commands that write files.
struct OverwriteArguments: ParsableArguments {
    @Flag(help: "Let results replace input files, and let pictures go to a terminal.")
    var force = false

    /// What watches over the inputs of a command line.
    func protection(of inputs: [InputFile]) -> InputProtection {
        InputProtection(force ? [] : inputs.map(\.path))
    }
}

/// The files a command reads, told apart by what they are and not by their names: `./a.png`, a symbolic link and
/// another hard link are all the same file.
struct InputProtection: Sendable {
    private let inputs: [FileStatus.Identity: String]

    /// Remembers the regular files among `inputs`, standard input included.
    init(_ inputs: [String]) {
        var known: [FileStatus.Identity: String] = [:]
        for path in inputs {
            let status = path == "-" ? FileStatus(ofDescriptor: 0) : FileStatus(ofFileAt: path)
            if let status, status.kind == .regular { known[status.identity] = path }
        }
        self.inputs = known
    }

    /// Refuses to write to `output` when that is an input.
    func check(_ output: String) throws(ImageError) {
        let status = output == "-" ? FileStatus(ofDescriptor: 1) : FileStatus(ofFileAt: output)
        guard let status, let input = inputs[status.identity] else { return }
        let name = input == "-" ? "standard input" : "the input \(input)"
        let relation = input == output ? "which is an input" : "which is the same file as \(name)"
        throw .invalidArgument("would overwrite \(output), \(relation); --force allows it")
    }

    /// Writes a result, unless it would replace an input.
    ///
    /// - Parameter folder: where the result goes; created when it is not there.
    func write(_ bytes: [UInt8], to output: String, in folder: String?) throws(ImageError) {
        try check(output)
        if let folder { try OutputLocation.createFolder(folder) }
        try ImageData(bytes).write(toFile: output)
    }

    /// Refuses outputs that are known before any work as wrong usage.
    func validate(_ outputs: [String]) throws {
        for output in outputs {
            do throws(ImageError) {
                try check(output)
            } catch {
                throw ValidationError(error.description.replacingControlCharacters)
            }
        }
    }
}
