// Where results go: one file, or a directory with a file for each input.

import ArgumentParser
import FoundationEssentials
import ImageCodecs

/// The `-o` of a command, resolved against its inputs.
struct OutputLocation: Sendable {
    private enum Place {
        case file(String)
        case directory(String)
    }

    private let place: Place

    /// - Parameters:
    ///   - path: `-` is standard output; what exists as a directory or ends in a slash is a directory, and
    ///     so is everything when there are several inputs.
    ///   - inputs: the files of the command line.
    init(_ path: String, inputs: [String]) throws {
        let isSingle = inputs.count == 1
        if path == "-", !isSingle { throw ValidationError("standard output takes only one picture") }
        if !isSingle || path.hasSuffix("/") || Self.isDirectory(path) {
            place = .directory(path)
            try Self.checkNames(inputs)
        } else {
            place = .file(path)
        }
    }

    /// Whether results go to a directory, under names of their own.
    var isDirectory: Bool {
        if case .directory = place { true } else { false }
    }

    /// The extension of the output file, where the command line gave one.
    var fileExtension: String? {
        guard case .file(let path) = place else { return nil }
        return Self.splitExtension(Self.fileName(of: path)).fileExtension
    }

    /// The file that the result for `input` goes to.
    func path(for input: String, fileExtension: String) -> String {
        switch place {
        case .file(let path): path
        case .directory(let directory): Self.join(directory, "\(Self.stem(of: input)).\(fileExtension)")
        }
    }

    /// The directory for the results, if that is where they go.
    var directory: String? {
        if case .directory(let directory) = place { directory } else { nil }
    }

    /// Refuses inputs whose results would overwrite each other.
    private static func checkNames(_ inputs: [String]) throws {
        var owners: [String: String] = [:]
        for input in inputs {
            let stem = stem(of: input)
            if let other = owners.updateValue(input, forKey: stem) {
                let names = "\(other) and \(input)".replacingControlCharacters
                throw ValidationError("the results of \(names) would have the same name")
            }
        }
    }

    /// The last part of a path; `stdin` for standard input.
    static func fileName(of path: String) -> String {
        path == "-" ? "stdin" : path.split(separator: "/").last.map(String.init) ?? path
    }

    /// The last part of a path without its extension.
    static func stem(of path: String) -> String { splitExtension(fileName(of: path)).stem }

    /// A file name in front of and behind its last dot; a leading dot is part of the stem.
    static func splitExtension(_ name: String) -> (stem: String, fileExtension: String?) {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return (name, nil) }
        return (String(name[..<dot]), String(name[name.index(after: dot)...]))
    }

    /// A file in a directory.
    static func join(_ directory: String, _ name: String) -> String {
        directory.hasSuffix("/") ? directory + name : directory + "/" + name
    }

    /// Creates a directory, and those it is in, where they are not there.
    static func createDirectory(_ directory: String) throws(ImageError) {
        guard !isDirectory(directory) else { return }
        do {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        } catch {
            throw .inputOutput(path: directory, message: "cannot create this directory")
        }
    }

    private static func isDirectory(_ path: String) -> Bool {
        var isDirectory = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && isDirectory
    }
}
