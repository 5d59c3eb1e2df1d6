// Where results go: one file, a folder with a file for each input, or files named after a pattern.

import ArgumentParser
import ImageCodecs

/// What can be filled in in the name of a result.
enum OutputField: String, TemplateField {
    /// The input's file name with its extension.
    case name
    /// The same without it.
    case stem
    /// The extension of the result's format.
    case ext
    /// Pixels of the result, which are known when it is made.
    case width, height
}

/// The `-o` of a command.
struct OutputLocation: Sendable {
    enum Place: Sendable {
        case standardOutput
        case file(String)
        case folder(String)
        case pattern(Template<OutputField>)
        /// Beside each input, called as that is, with this before the extension.
        case beside(String)
        /// Each input itself.
        case inputs
    }

    let place: Place

    /// - Parameters:
    ///   - path: `-` is standard output; what has braces in it is a pattern; what is a folder or ends in a slash is a
    ///     folder, and so is everything when there may be several inputs.
    ///   - mayBeMany: whether there may be several inputs.
    ///   - inputs: those of the command line, for the message.
    /// - Throws: `ValidationError` for a pattern that makes no sense, and for several inputs to standard output or to what is called
    ///   as a picture is and is no folder.
    init(_ path: String, mayBeMany: Bool, inputs: [String] = []) throws {
        if path == "-" {
            if mayBeMany { throw ValidationError("standard output takes only one picture") }
            place = .standardOutput
            return
        }
        var path = path
        if path.contains(where: { $0 == "{" || $0 == "}" }) {
            let template = try Template<OutputField>(path)
            guard let literal = template.literal else {
                place = .pattern(path.hasSuffix("/") ? try Template(path + "{stem}.{ext}") : template)
                return
            }
            path = literal
        }
        if mayBeMany, !path.hasSuffix("/"), !FileDetails.isFolder(path),
            let fileExtension = FilePath.splitExtension(FilePath.name(path)).fileExtension,
            OutputFormat(name: fileExtension) != nil
        {
            throw ValidationError(
                "\(path) would be one picture, and there \(Self.several(inputs)): name a folder (\(path)/) or a pattern "
                    + "({stem}.\(fileExtension))")
        }
        let isFolder = mayBeMany || path.hasSuffix("/") || FileDetails.isFolder(path)
        place = isFolder ? .folder(path) : .file(path)
    }

    /// What stands after "there". Inputs are named: one of them may be the value of an option that does not exist.
    private static func several(_ inputs: [String]) -> String {
        guard inputs.count > 1 else { return "may be several" }
        let rest = inputs.count > 3 ? " ..." : ""
        return "are \(inputs.count) inputs (\(inputs.prefix(3).joined(separator: ", "))\(rest))"
    }

    /// Where results go if the command line does not say it: what comes in through standard input goes out through standard output.
    init(without place: Place, for input: InputArguments) {
        self.place = input.isStandardInput ? .standardOutput : place
    }

    /// Whether results end in the extension of the format that is written, whichever that is.
    var namesFormat: Bool {
        switch place {
        case .folder, .beside: true
        case .standardOutput, .file, .inputs: false
        case .pattern(let template): template.pieces.last == .field(.ext)
        }
    }

    /// Whether the size of the result is part of its name.
    var namesSize: Bool {
        guard case .pattern(let template) = place else { return false }
        return template.contains(.width) || template.contains(.height)
    }

    /// Whether results end in the extension of their input.
    var keepsExtension: Bool {
        switch place {
        case .standardOutput, .file, .folder, .beside: false
        case .inputs: true
        case .pattern(let template): template.pieces.last == .field(.name)
        }
    }

    /// The extension of the results, if the command line gave one.
    var fileExtension: String? {
        switch place {
        case .standardOutput, .folder, .beside, .inputs: return nil
        case .file(let path): return FilePath.splitExtension(FilePath.name(path)).fileExtension
        case .pattern(let template):
            guard case .text(let end) = template.pieces.last else { return nil }
            let suffix = FilePath.splitPath("x" + end).suffix
            return suffix.isEmpty ? nil : String(suffix.dropFirst())
        }
    }

    /// The file for the result of `input`, before others are considered.
    ///
    /// - Parameter size: that of the result; `nil` if the name does not depend on it.
    func path(for input: InputFile, fileExtension: String, size: PixelSize?) -> String {
        switch place {
        case .standardOutput: return "-"
        case .file(let path): return path
        case .inputs: return input.path
        case .beside(let suffix):
            let name = "\(FilePath.stem(input.path))\(suffix).\(fileExtension)"
            return FilePath.join(FilePath.folder(of: input.path) ?? "", name)
        case .folder(let folder):
            return FilePath.join(
                FilePath.join(folder, input.folder), "\(FilePath.stem(input.path)).\(fileExtension)")
        case .pattern(let template):
            return template.filledPath { field in
                switch field {
                case .name: input.name
                case .stem: FilePath.stem(input.path)
                case .ext: fileExtension
                case .width: String(size?.width ?? 0)
                case .height: String(size?.height ?? 0)
                }
            }
        }
    }

    /// The folder that a result is in, if it is created with the result.
    func folder(of output: String) -> String? {
        switch place {
        case .standardOutput, .file, .beside, .inputs: nil
        case .folder, .pattern: FilePath.folder(of: output)
        }
    }

    /// The folder for all results, if that is where they go.
    var folder: String? {
        if case .folder(let folder) = place { folder } else { nil }
    }

    /// Creates a folder, and those it is in, if they are not there.
    static func createFolder(_ folder: String) throws(ImageError) {
        guard Folder.create(folder) else {
            throw .inputOutput(path: folder, message: "cannot create this directory")
        }
    }
}
